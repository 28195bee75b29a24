//! What random playouts refute, for those who show it while a game is being written.

use crate::{EvalError, Game, StopToken};
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
}

/// Plays random playouts: the game, their number, and a flag that ends them. Returns what they refute.
pub type Simulate = Arc<dyn Fn(&Arc<Game>, u64, &StopToken) -> Result<Vec<Refuted>, EvalError> + Send + Sync>;
