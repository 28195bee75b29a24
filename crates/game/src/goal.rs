//! Goal values, and the score of a role if the rules give it no goal or several goals.

/// A goal value: an integer from 0 to 100 (GDL specification, section 4.6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Goal(u8);

impl Goal {
    /// The smallest goal, 0.
    pub const ZERO: Goal = Goal(0);
    /// The goal 50, half of the largest.
    pub const HALF: Goal = Goal(50);

    /// The goal `value`; `None` if it is greater than 100.
    pub fn new(value: u8) -> Option<Goal> {
        (value <= 100).then_some(Goal(value))
    }

    /// Parses a decimal number without a sign and without leading zeros, because the atoms `+5` and `007`
    /// differ from `5` and `7`. `None` for any other text.
    pub fn from_text(text: &str) -> Option<Goal> {
        text.parse().ok().filter(|n: &u8| n.to_string() == text).and_then(Goal::new)
    }

    /// The value, 0 to 100.
    pub fn value(self) -> u8 {
        self.0
    }

    /// The value divided by 100: a share from 0.0 to 1.0.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

/// The values for which `goal` holds for one role in one state.
///
/// Well-formed rules give exactly one goal in every terminal state (GDL specification, section 4.6). For
/// other rules the score is the largest goal, or 0 if there is no goal. Every component scores terminal
/// states with [`Goals::score`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Goals {
    /// `goal` holds for no value from 0 to 100.
    #[default]
    None,
    /// `goal` holds for exactly one value, which is from 0 to 100.
    One(Goal),
    /// `goal` holds for several values. The field is the largest of those that are from 0 to 100.
    Several(Goal),
}

impl Goals {
    /// Collects the distinct `values` for which `goal` holds. `None` stands for a value that is not from 0 to
    /// 100.
    pub fn of(values: impl IntoIterator<Item = Option<Goal>>) -> Goals {
        let (mut count, mut largest) = (0, None);
        for value in values {
            count += 1;
            largest = largest.max(value);
        }
        match largest {
            None => Goals::None,
            Some(goal) if count == 1 => Goals::One(goal),
            Some(goal) => Goals::Several(goal),
        }
    }

    /// Adds another value for which `goal` holds. `None` stands for a value that is not from 0 to 100; such
    /// values must be added after all others.
    #[must_use]
    pub fn and(self, value: Option<Goal>) -> Goals {
        match (self.largest(), value) {
            (None, value) => value.map_or(Goals::None, Goals::One),
            (Some(largest), value) => Goals::Several(value.map_or(largest, |value| value.max(largest))),
        }
    }

    /// The goal if `goal` holds for exactly one value, otherwise `None`.
    pub fn only(self) -> Option<Goal> {
        match self {
            Goals::One(goal) => Some(goal),
            Goals::None | Goals::Several(_) => None,
        }
    }

    /// The largest goal. `None` if there is no goal from 0 to 100.
    pub fn largest(self) -> Option<Goal> {
        match self {
            Goals::None => None,
            Goals::One(goal) | Goals::Several(goal) => Some(goal),
        }
    }

    /// The score of the role in a terminal state: the largest goal. It is 0 if there is no goal.
    pub fn score(self) -> Goal {
        self.largest().unwrap_or(Goal::ZERO)
    }

    /// The estimated score of the role in a state that is not terminal, in which a playout was cut off: the
    /// largest goal that holds there. It is 50 if there is no goal.
    pub fn estimate(self) -> Goal {
        self.largest().unwrap_or(Goal::HALF)
    }
}

/// Writes the score, with a remark if there is no goal or if there are several goals.
impl std::fmt::Display for Goals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Goals::None => write!(f, "{} (the rules give no goal)", self.score()),
            Goals::One(goal) => goal.fmt(f),
            Goals::Several(largest) => write!(f, "{largest} (the largest of several goals)"),
        }
    }
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Goal, Goals};

    #[test]
    fn the_largest_of_several_counts_and_none_is_nothing() {
        let goal = Goal::new;
        for (values, goals, score, estimate) in [
            (&[][..], Goals::None, 0, 50),
            (&[None], Goals::None, 0, 50),
            (&[None, None], Goals::None, 0, 50),
            (&[goal(0)], Goals::One(Goal(0)), 0, 0),
            (&[goal(70)], Goals::One(Goal(70)), 70, 70),
            (&[goal(100), goal(0)], Goals::Several(Goal(100)), 100, 100),
            (&[goal(0), goal(20), goal(10)], Goals::Several(Goal(20)), 20, 20),
            (&[goal(30), None], Goals::Several(Goal(30)), 30, 30),
        ] {
            assert_eq!(Goals::of(values.iter().copied()), goals);
            assert_eq!(Goals::of(values.iter().rev().copied()), goals, "in any order");
            assert_eq!(values.iter().fold(Goals::None, |goals, &value| goals.and(value)), goals);
            assert_eq!((goals.score().value(), goals.estimate().value()), (score, estimate));
            assert_eq!(goals.only().is_some(), values.len() == 1 && values[0].is_some());
        }
    }
}
