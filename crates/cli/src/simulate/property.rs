//! The properties of a game that playouts can refute: the dynamic conditions of the specification.

use ggp_game::Goal;
use ggp_gdl::Keyword;
use serde::Serialize;

/// A property that is checked in every playout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Property {
    Ends,
    Playable,
    HasGoal,
    OneGoal,
    GoalInRange,
    Informed,
    Monotonic,
}

pub(super) const PROPERTIES: [Property; 7] = [
    Property::Ends,
    Property::Playable,
    Property::HasGoal,
    Property::OneGoal,
    Property::GoalInRange,
    Property::Informed,
    Property::Monotonic,
];

impl Property {
    pub(super) fn words(self) -> &'static str {
        match self {
            Property::Ends => "every playout ends",
            Property::Playable => "every role always has a move",
            Property::HasGoal => "every role has a goal at the end",
            Property::OneGoal => "no role has several goals then",
            Property::GoalInRange => "goals are from 0 to 100 then",
            Property::Informed => "roles know moves, end and goals",
            Property::Monotonic => "goals never fall",
        }
    }

    /// The code of the page about the property.
    pub(super) fn code(self) -> &'static str {
        match self {
            Property::Ends => "no-end",
            Property::Playable => "no-move",
            Property::HasGoal => "no-goal-at-the-end",
            Property::OneGoal => "several-goals-at-the-end",
            Property::GoalInRange => "goal-out-of-range",
            Property::Informed => "uninformed",
            Property::Monotonic => "falling-goals",
        }
    }

    /// The keyword whose rules the property is about.
    pub(super) fn keyword(self) -> Keyword {
        match self {
            Property::Ends => Keyword::Terminal,
            Property::Playable => Keyword::Legal,
            Property::Informed => Keyword::Sees,
            Property::HasGoal | Property::OneGoal | Property::GoalInRange | Property::Monotonic => {
                Keyword::Goal
            }
        }
    }

    /// Whether a well-formed game must have the property. Monotonicity is not vital: most published games
    /// violate it, because they give goals in every state although only those of the last state are meant.
    pub(super) fn is_vital(self) -> bool {
        self != Property::Monotonic
    }

    /// Whether the last state of a playout refutes the property.
    pub(super) fn is_of_end(self) -> bool {
        matches!(self, Property::HasGoal | Property::OneGoal | Property::GoalInRange)
    }

    /// What a refutation means and when it is harmless, for a property that is not vital.
    pub(super) fn remark(self) -> Option<&'static str> {
        (self == Property::Monotonic).then_some(
            "harmless if only the goals of the last state are meant, as in most games; the specification wants \
             goals in mid-game not to fall",
        )
    }
}

/// The property that the goals `values` of a role in the last state refute, and how. `largest` is the one that
/// counts.
pub(super) fn bad_goals(role: &str, values: &[&str], largest: Option<Goal>) -> (Property, String) {
    let counts =
        largest.map_or("it scores 0".to_owned(), |largest| format!("the largest, {largest}, counts"));
    match values.iter().find(|value| Goal::from_text(value).is_none()) {
        Some(bad) => {
            (Property::GoalInRange, format!("the goal {bad} of {role} is not from 0 to 100; {counts}"))
        }
        None if values.is_empty() => (Property::HasGoal, format!("{role} has no goal; {counts}")),
        None => (Property::OneGoal, format!("{role} has the goals {}; {counts}", values.join(" and "))),
    }
}
