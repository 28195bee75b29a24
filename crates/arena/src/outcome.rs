//! The outcome of a match, and the events that an observer receives during it.

use crate::account::TimeAccount;
use crate::fault::Fault;
use crate::record::Record;
use ggp_game::{Fact, Goals, SearchReport};
use std::time::Duration;

/// The way in which a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// A terminal state was reached.
    Terminal,
    /// A fault ended the match under the policy [`crate::OnFault::Forfeit`].
    Forfeit {
        /// The index of the role at fault.
        role: usize,
    },
    /// The players could not be started, or the opening is not legal; the text says why.
    Unplayed(String),
    /// A role has no legal move in a non-terminal state: the rules are not well-formed.
    NoLegalMove {
        /// The index of the role.
        role: usize,
    },
    /// The match reached [`crate::MatchSetup::max_steps`].
    StepLimit,
    /// The rules could not be evaluated; the text says why.
    RulesFailed(String),
    /// The stop token was raised during the match.
    Interrupted,
}

impl Ending {
    /// Whether the match counts for scores: it ended in a terminal state or by a forfeit.
    pub fn is_played(&self) -> bool {
        matches!(self, Ending::Terminal | Ending::Forfeit { .. })
    }
}

/// The outcome of a finished match.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The way in which the match ended.
    pub ending: Ending,
    /// The goal of each role, in role order. All are `None` if [`Ending::is_played`] is false.
    pub goals: Vec<Option<u8>>,
    /// For each role, in role order, what the rules give it in the terminal state: no goal, one goal or
    /// several goals. Empty if the match did not reach a terminal state.
    pub given: Vec<Goals>,
    /// The number of joint moves made.
    pub steps: u32,
    /// The 64-bit FNV-1a hash of the texts of all joint moves.
    pub digest: u64,
    /// The time account of each seat, in role order.
    pub accounts: Vec<TimeAccount>,
    /// The faults, in the order of their steps.
    pub faults: Vec<Fault>,
    /// The match record. `None` if [`crate::MatchSetup::record`] was `None`.
    pub record: Option<Record>,
}

impl Outcome {
    /// The score of the role with index `role`, as text. If the rules give the role no goal or several goals,
    /// the text says so.
    pub fn score_text(&self, role: usize) -> String {
        match (self.given.get(role), self.goals.get(role)) {
            (Some(goals), _) => goals.to_string(),
            (None, Some(Some(goal))) => goal.to_string(),
            (None, _) => "no goal".to_owned(),
        }
    }
}

/// An event of a match in progress.
pub enum MatchEvent<'a> {
    /// A state was reached. An observer receives this event only if its [`Observer::wants_facts`] returns
    /// true.
    State {
        /// The number of joint moves before this state.
        step: u32,
        /// The fluents that hold, sorted.
        facts: &'a [Fact],
        /// The percepts of each role, in role order, in the step that led to this state. Empty for the initial
        /// state, and in games without hidden information.
        percepts: &'a [Vec<Fact>],
        /// The match record up to this state. `None` if no record is kept.
        record: Option<&'a Record>,
    },
    /// A joint move was made.
    Joint {
        /// The number of joint moves before this one.
        step: u32,
        /// The moves, in role order.
        moves: &'a [String],
        /// The time that each player took, in role order. It is zero for a role whose player was not asked.
        thinking: &'a [Duration],
        /// A function from the index of a role to the search report of its player. It returns `None` if the
        /// player makes no report.
        reports: &'a mut dyn FnMut(usize) -> Option<SearchReport>,
    },
    /// The match is over.
    End(&'a Outcome),
}

/// Receives the events of a match.
pub trait Observer {
    /// Whether the observer receives [`MatchEvent::State`] events.
    fn wants_facts(&self) -> bool {
        false
    }

    /// Receives one event.
    fn observe(&mut self, event: MatchEvent<'_>);
}

/// The observer that ignores every event.
impl Observer for () {
    fn observe(&mut self, _event: MatchEvent<'_>) {}
}
