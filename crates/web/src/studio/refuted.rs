//! What random playouts refute.

use super::desk::Draft;
use ggp::{EvalError, Game, StopToken};
use ggp_game::{Deadline, Watchdog};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The number of random playouts.
const PLAYOUTS: u64 = 20;

/// The CPU time for the playouts.
const TIME: Duration = Duration::from_secs(5);

/// The maximum number of joint moves that are shown of a refutation. Those of an endless game are more.
const MAX_STEPS: usize = 2_000;

/// A property of well-formed games that a random playout refutes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refuted {
    /// The code of the finding.
    pub code: &'static str,
    /// What was seen, in one line.
    pub message: String,
    /// The joint moves from the initial state to the state that refutes the property.
    pub line: Vec<Vec<String>>,
}

/// Plays random playouts: the game, their number, and a flag that ends them. Returns what they refute.
pub type Simulate = Arc<dyn Fn(&Arc<Game>, u64, &StopToken) -> Result<Vec<Refuted>, EvalError> + Send + Sync>;

/// What random playouts of the game refute, as JSON.
pub(super) fn refute(draft: &Draft, simulate: &Simulate) -> Result<Value, String> {
    let dog = Watchdog::until(Deadline::never()).or_after_cpu_time(TIME);
    let refuted = dog.watch(|stop| simulate(&draft.game, PLAYOUTS, stop));
    let refuted = match refuted {
        Ok(refuted) => refuted,
        Err(EvalError::Interrupted) => {
            let seconds = TIME.as_secs();
            return Err(format!("the playouts were given up: they take more than {seconds} s"));
        }
        Err(error) => return Err(error.to_string()),
    };
    let one = |refuted: Refuted| {
        let Refuted { code, message, mut line } = refuted;
        line.truncate(MAX_STEPS);
        json!({ "code": code, "message": message, "moves": line })
    };
    Ok(json!({ "playouts": PLAYOUTS, "refuted": refuted.into_iter().map(one).collect::<Vec<_>>() }))
}
