//! What random playouts refute.

use super::desk::Draft;
use ggp::EvalError;
use ggp_game::{Deadline, Refuted, Simulate, Watchdog};
use serde_json::{Value, json};
use std::time::Duration;

/// The number of random playouts.
const PLAYOUTS: u64 = 20;

/// The CPU time for the playouts.
const TIME: Duration = Duration::from_secs(5);

/// The maximum number of joint moves that are shown of a refutation. Those of an endless game are more.
const MAX_STEPS: usize = 2_000;

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
        let Refuted { code, message, mut line, .. } = refuted;
        line.truncate(MAX_STEPS);
        json!({ "code": code, "message": message, "moves": line })
    };
    Ok(json!({ "playouts": PLAYOUTS, "refuted": refuted.into_iter().map(one).collect::<Vec<_>>() }))
}
