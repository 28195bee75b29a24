//! Random playouts on demand: what they refute, and the rules that never fired in them.

use crate::documents::Snapshot;
use ggp::{Deadline, EvalError, Game, StopToken};
use ggp_game::{NeverFired, Refuted, Simulate, Simulated, Watchdog};
use ggp_gdl::Diagnostic;
use ggp_gdl::diagnostic::count;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// The number of random playouts.
const PLAYOUTS: u64 = 100;

/// The CPU time for the playouts.
const TIME: Duration = Duration::from_secs(15);

/// The maximum number of rules that never fired that are shown.
const MAX_RULES: usize = 200;

/// Plays random playouts of the game of a document. Returns what they show as a text, and keeps the rules that never
/// fired as findings of the snapshot.
///
/// # Errors
/// The reason why the playouts show nothing.
pub(crate) fn run(
    snapshot: &Snapshot,
    game: &Arc<Game>,
    simulate: &Simulate,
    stop: &StopToken,
) -> Result<String, String> {
    let watched = Watchdog::until(Deadline::never()).or_after_cpu_time(TIME).or_when(stop).start();
    let simulated = simulate(game, PLAYOUTS, watched.token());
    if stop.is_stopped() {
        return Err("the playouts are stopped".to_owned());
    }
    let simulated = simulated.map_err(|error| match error {
        EvalError::Interrupted => {
            format!("the playouts are given up: the first takes more than {} s", TIME.as_secs())
        }
        error => error.to_string(),
    })?;
    let rules = simulated.never_fired.iter().flatten().take(MAX_RULES);
    let findings = rules.map(|rule| finding(rule, simulated.playouts)).collect();
    // The playouts of a text are the same each time, so the findings are there already if the place is taken.
    let _ = snapshot.never_fired.set(findings);
    Ok(text(&simulated))
}

/// A rule that never fired, as a finding at its head.
fn finding(rule: &NeverFired, playouts: u64) -> Diagnostic {
    let message = format!("this rule never fired in {}", random_playouts(playouts));
    Diagnostic::warning("never-fired", rule.places.head, message)
        .and_at(rule.places.condition, "the first condition that failed")
}

fn random_playouts(number: u64) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), "random playout")
}

/// What the playouts show, in lines.
fn text(simulated: &Simulated) -> String {
    let Simulated { playouts, refuted, never_fired } = simulated;
    let played = random_playouts(*playouts);
    let mut text =
        format!("{played}{}\n", if *playouts < PLAYOUTS { ", then the time was over" } else { "" });
    for Refuted { code, message, harmless, .. } in refuted {
        let remark = harmless.map(|why| format!("; {why}")).unwrap_or_default();
        let _ = writeln!(text, "{code}: {message}{remark}");
    }
    if refuted.is_empty() {
        text.push_str("nothing is refuted\n");
    }
    match never_fired {
        None => text.push_str("which rules never fired is not known\n"),
        Some(rules) if rules.is_empty() => text.push_str("every rule fired\n"),
        Some(rules) => {
            let number = count(rules.len(), "rule");
            let _ = writeln!(text, "{number} never fired; the first condition that failed:");
        }
    }
    for NeverFired { line, rule, condition_line, condition, .. } in
        never_fired.iter().flatten().take(MAX_RULES)
    {
        let _ = writeln!(text, "line {line}: {rule} fails at {condition}, line {condition_line}");
    }
    text.trim_end().to_owned()
}
