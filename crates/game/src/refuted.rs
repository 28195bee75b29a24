//! What random playouts show of a game, for those who show it while the game is being written.

use crate::{EvalError, Game, StopToken, Unfired};
use ggp_gdl::Keyword;
use std::sync::Arc;

/// A property of well-formed games that a random playout refutes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refuted {
    /// The code of the finding.
    pub code: &'static str,
    /// What was seen, in one line.
    pub message: String,
    /// The keyword whose rules the finding is about.
    pub keyword: Keyword,
    /// The joint moves from the initial state to the state that refutes the property.
    pub line: Vec<Vec<String>>,
    /// When the game can be played as it is meant in spite of that. `None` if it cannot.
    pub harmless: Option<&'static str>,
}

/// A rule that fired in no state of the playouts, and the first of its conditions that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeverFired {
    /// The places of the head and of the condition in the source.
    pub places: Unfired,
    /// The line of the rule, from 1.
    pub line: usize,
    /// The head of the rule.
    pub rule: String,
    /// The line of the condition, from 1.
    pub condition_line: usize,
    /// The condition.
    pub condition: String,
}

/// What random playouts show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Simulated {
    /// The number of playouts that were played to their end: fewer than were wanted if they were stopped.
    pub playouts: u64,
    /// The properties that are refuted.
    pub refuted: Vec<Refuted>,
    /// The rules that never fired. `None` if no playout makes a move, or if that takes too much work.
    pub never_fired: Option<Vec<NeverFired>>,
}

/// Plays random playouts: the game, their number, and a flag that ends them. If the flag is raised in the first
/// playout, that is [`EvalError::Interrupted`]; later, what the playouts have shown until then is the result.
pub type Simulate = Arc<dyn Fn(&Arc<Game>, u64, &StopToken) -> Result<Simulated, EvalError> + Send + Sync>;
