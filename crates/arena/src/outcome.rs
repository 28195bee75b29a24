//! How a match ended, and what can be watched while it goes on.

use crate::account::TimeAccount;
use crate::fault::Fault;
use crate::record::Record;
use ggp_game::{Fact, Goals, Report};
use std::time::Duration;

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// In a terminal state.
    Terminal,
    /// By a fault, under [`crate::OnFault::Forfeit`].
    Forfeit {
        /// Whose: the position of its role.
        role: usize,
    },
    /// It never began: why.
    Unplayed(String),
    /// A role had no legal move in a state that is not terminal: the rules are at fault.
    NoLegalMove {
        /// The position of the role.
        role: usize,
    },
    /// It went on for too many steps.
    StepLimit,
    /// The rules could not be evaluated: why.
    RulesFailed(String),
    /// It was stopped from outside.
    Interrupted,
}

impl Ending {
    /// Whether goals are counted.
    pub fn is_played(&self) -> bool {
        matches!(self, Ending::Terminal | Ending::Forfeit { .. })
    }
}

/// A match that is over.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// How.
    pub ending: Ending,
    /// What each role scores, in role order: all `None` unless the match was played.
    pub goals: Vec<Option<u8>>,
    /// The goals that the rules give in the terminal state; empty for other endings.
    pub given: Vec<Goals>,
    /// Joint moves made.
    pub steps: u32,
    /// A hash of the joint moves: FNV-1a, 64 bits, of their texts.
    pub digest: u64,
    /// Each seat's time, in role order.
    pub accounts: Vec<TimeAccount>,
    /// What went wrong, in order.
    pub faults: Vec<Fault>,
    /// The record, if one was asked for.
    pub record: Option<Record>,
}

impl Outcome {
    /// What the role at a position scores, for a person; says where the rules give no goal, or several.
    pub fn score_text(&self, role: usize) -> String {
        match (self.given.get(role), self.goals.get(role)) {
            (Some(goals), _) => goals.to_string(),
            (None, Some(Some(goal))) => goal.to_string(),
            (None, _) => "no goal".to_owned(),
        }
    }
}

/// What happens in a match.
pub enum MatchEvent<'a> {
    /// A state was reached; only for observers that want facts.
    State {
        /// Joint moves made before.
        step: u32,
        /// What holds, sorted.
        facts: &'a [Fact],
        /// The record so far, with this state, if one is kept.
        record: Option<&'a Record>,
    },
    /// A joint move was made.
    Joint {
        /// Joint moves made before.
        step: u32,
        /// The moves, in role order.
        moves: &'a [String],
        /// How long each player took, in role order; zero for those not asked.
        thinking: &'a [Duration],
        /// What the player of a role (by position) thought.
        reports: &'a mut dyn FnMut(usize) -> Option<Report>,
    },
    /// It is over.
    End(&'a Outcome),
}

/// Someone who watches a match.
pub trait Observer {
    /// Whether [`MatchEvent::State`] is wanted.
    fn wants_facts(&self) -> bool {
        false
    }

    /// Something happened.
    fn observe(&mut self, event: MatchEvent<'_>);
}

/// Nobody watches.
impl Observer for () {
    fn observe(&mut self, _event: MatchEvent<'_>) {}
}
