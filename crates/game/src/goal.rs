//! Goal values, and what they count where the rules give none or several.

/// A goal value: an integer from 0 to 100 (GDL specification, section 4.6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Goal(u8);

impl Goal {
    /// The least goal.
    pub const ZERO: Goal = Goal(0);
    /// Half of the best goal.
    pub const HALF: Goal = Goal(50);

    /// A goal of `value`, if that is within 0..=100.
    pub fn new(value: u8) -> Option<Goal> {
        (value <= 100).then_some(Goal(value))
    }

    /// The goal that is written `text`: a decimal number without sign or leading zeros, since
    /// `+5` and `007` are other atoms than 5 and 7.
    pub fn from_text(text: &str) -> Option<Goal> {
        text.parse().ok().filter(|n: &u8| n.to_string() == text).and_then(Goal::new)
    }

    /// 0..=100.
    pub fn value(self) -> u8 {
        self.0
    }

    /// 0.0..=1.0.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

/// The values that `goal` holds of for one role in one state.
///
/// In well-formed rules there is one in every terminal state (GDL specification, section 4.6). In
/// other rules the largest counts, and where there is none, nothing: 0. Everything that scores a
/// state does so by [`Goals::score`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Goals {
    /// None from 0 to 100.
    #[default]
    None,
    /// One.
    One(Goal),
    /// Several values, of which this is the largest from 0 to 100.
    Several(Goal),
}

impl Goals {
    /// The goals of different `values`, in any order; `None` stands for a value that is not from 0 to 100.
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

    /// These and `value`, another one; one that is not from 0 to 100 (`None`) comes last.
    #[must_use]
    pub fn and(self, value: Option<Goal>) -> Goals {
        match (self.largest(), value) {
            (None, value) => value.map_or(Goals::None, Goals::One),
            (Some(largest), value) => Goals::Several(value.map_or(largest, |value| value.max(largest))),
        }
    }

    /// The goal, if there is exactly one.
    pub fn only(self) -> Option<Goal> {
        match self {
            Goals::One(goal) => Some(goal),
            Goals::None | Goals::Several(_) => None,
        }
    }

    /// The goal, the largest of several.
    pub fn largest(self) -> Option<Goal> {
        match self {
            Goals::None => None,
            Goals::One(goal) | Goals::Several(goal) => Some(goal),
        }
    }

    /// What the role scores where the game is over: the largest goal, 0 without any.
    pub fn score(self) -> Goal {
        self.largest().unwrap_or(Goal::ZERO)
    }

    /// What the role may be thought to score where the game was left before its end: the largest goal that
    /// the rules give already, else half of what there is.
    pub fn estimate(self) -> Goal {
        self.largest().unwrap_or(Goal::HALF)
    }
}

/// What counts, and why where it is not the one goal.
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
