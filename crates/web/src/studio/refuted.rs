//! What random playouts refute, and which rules they never use.

use super::desk::Draft;
use super::language;
use ggp::EvalError;
use ggp_game::{Deadline, NeverFired, Refuted, Simulate, Simulated, Watchdog};
use serde_json::{Value, json};
use std::time::Duration;

/// The number of random playouts.
const PLAYOUTS: u64 = 20;

/// The CPU time for the playouts.
const TIME: Duration = Duration::from_secs(5);

/// The maximum number of joint moves that are shown of a refutation. Those of an endless game are more.
const MAX_STEPS: usize = 2_000;

/// The maximum number of rules that are listed.
const MAX_RULES: usize = 100;

/// What random playouts of the game show, as JSON.
pub(super) fn refute(draft: &Draft, simulate: &Simulate) -> Result<Value, String> {
    let dog = Watchdog::until(Deadline::never()).or_after_cpu_time(TIME);
    let simulated = dog.watch(|stop| simulate(&draft.game, PLAYOUTS, stop));
    let Simulated { playouts, refuted, never_fired } = match simulated {
        Ok(simulated) => simulated,
        Err(EvalError::Interrupted) => {
            let seconds = TIME.as_secs();
            return Err(format!("the playouts were given up: the first takes more than {seconds} s"));
        }
        Err(error) => return Err(error.to_string()),
    };
    let one = |refuted: Refuted| {
        let Refuted { code, message, mut line, harmless, .. } = refuted;
        line.truncate(MAX_STEPS);
        let about = language::about(code);
        json!({ "code": code, "message": message, "about": about, "moves": line, "harmless": harmless })
    };
    let (harmless, bad): (Vec<Refuted>, Vec<Refuted>) =
        refuted.into_iter().partition(|refuted| refuted.harmless.is_some());
    let rule = |rule: &NeverFired| {
        let NeverFired { line, rule, condition_line, condition, .. } = rule;
        json!({ "line": line, "rule": rule, "conditionLine": condition_line, "condition": condition })
    };
    let never_fired = never_fired.unwrap_or_default();
    Ok(json!({
        "playouts": playouts,
        "refuted": bad.into_iter().map(one).collect::<Vec<_>>(),
        "harmless": harmless.into_iter().map(one).collect::<Vec<_>>(),
        "neverFired": never_fired.iter().take(MAX_RULES).map(rule).collect::<Vec<_>>(),
        "omitted": never_fired.len().saturating_sub(MAX_RULES),
    }))
}
