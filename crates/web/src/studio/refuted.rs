//! What random playouts refute, and which rules they never use.

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

/// The maximum number of rules that are listed.
const MAX_RULES: usize = 100;

/// A property of well-formed games that a random playout refutes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refuted {
    /// The code of the finding.
    pub code: &'static str,
    /// What was seen, in one line.
    pub message: String,
    /// The joint moves from the initial state to the state that refutes the property.
    pub line: Vec<Vec<String>>,
    /// When the game can be played as it is meant in spite of that. `None` if it cannot.
    pub harmless: Option<&'static str>,
}

/// A rule that fired in no state of the playouts, and the first of its conditions that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeverFired {
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
    /// The properties that are refuted.
    pub refuted: Vec<Refuted>,
    /// The rules that never fired. Empty if that takes too much work.
    pub never_fired: Vec<NeverFired>,
}

/// Plays random playouts: the game, their number, and a flag that ends them.
pub type Simulate = Arc<dyn Fn(&Arc<Game>, u64, &StopToken) -> Result<Simulated, EvalError> + Send + Sync>;

/// What random playouts of the game show, as JSON.
pub(super) fn refute(draft: &Draft, simulate: &Simulate) -> Result<Value, String> {
    let dog = Watchdog::until(Deadline::never()).or_after_cpu_time(TIME);
    let simulated = dog.watch(|stop| simulate(&draft.game, PLAYOUTS, stop));
    let Simulated { refuted, never_fired } = match simulated {
        Ok(simulated) => simulated,
        Err(EvalError::Interrupted) => {
            let seconds = TIME.as_secs();
            return Err(format!("the playouts were given up: they take more than {seconds} s"));
        }
        Err(error) => return Err(error.to_string()),
    };
    let one = |refuted: Refuted| {
        let Refuted { code, message, mut line, harmless } = refuted;
        line.truncate(MAX_STEPS);
        json!({ "code": code, "message": message, "moves": line, "harmless": harmless })
    };
    let (harmless, bad): (Vec<Refuted>, Vec<Refuted>) =
        refuted.into_iter().partition(|refuted| refuted.harmless.is_some());
    let rule = |rule: &NeverFired| {
        let NeverFired { line, rule, condition_line, condition } = rule;
        json!({ "line": line, "rule": rule, "conditionLine": condition_line, "condition": condition })
    };
    Ok(json!({
        "playouts": PLAYOUTS,
        "refuted": bad.into_iter().map(one).collect::<Vec<_>>(),
        "harmless": harmless.into_iter().map(one).collect::<Vec<_>>(),
        "neverFired": never_fired.iter().take(MAX_RULES).map(rule).collect::<Vec<_>>(),
        "omitted": never_fired.len().saturating_sub(MAX_RULES),
    }))
}
