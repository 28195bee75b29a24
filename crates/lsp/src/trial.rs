//! The second tier of findings: builds the game, looks at its initial state, and plays random playouts.

use ggp::{Deadline, EvalError, Game, Interpreter, Limits, Rulesheet, StateMachine, StopToken};
use ggp_game::{Simulate, Watchdog};
use ggp_gdl::{Diagnostic, Keyword, Severity, Span};
use ggp_ide::{Analysis, Opening};
use std::sync::Arc;
use std::time::Duration;

/// The CPU time for building the game. The slowest published rulesheet takes 5 s.
const BUILD_TIME: Duration = Duration::from_secs(15);

/// The CPU time for the initial state and the playouts.
const PLAY_TIME: Duration = Duration::from_secs(5);

/// The maximum number of terms and of tuples of one evaluation: about 200 MiB.
const SIZE: usize = 2_000_000;

/// The result of the second tier for one text.
#[derive(Debug)]
pub(crate) struct Trial {
    /// All findings: those of the first tier, which building the game may have completed, and further ones.
    pub(crate) findings: Vec<Diagnostic>,
    /// The game, if it can be built.
    pub(crate) game: Option<Arc<Game>>,
    /// The initial state, if it can be evaluated.
    pub(crate) opening: Option<Opening>,
}

impl Trial {
    /// Runs the second tier. `None` if `stop` is raised.
    pub(crate) fn run(
        analysis: &Analysis,
        playouts: u64,
        simulate: &Simulate,
        stop: &StopToken,
    ) -> Option<Trial> {
        // 1. Build the game.
        let (game, findings) = build(analysis, stop);
        let mut trial = Trial { findings, game, opening: None };
        if let Some(game) = trial.game.clone() {
            // 2. Look at the initial state and play.
            let watched =
                Watchdog::until(Deadline::never()).or_after_cpu_time(PLAY_TIME).or_when(stop).start();
            if let Err(error) = trial.play(analysis, &game, playouts, simulate, watched.token()) {
                trial.findings.push(failure(analysis, &error));
            }
        }
        (!stop.is_stopped()).then_some(trial)
    }

    fn play(
        &mut self,
        analysis: &Analysis,
        game: &Arc<Game>,
        playouts: u64,
        simulate: &Simulate,
        stop: &StopToken,
    ) -> Result<(), EvalError> {
        let opening = opening(game, stop)?;
        let is_over = opening.is_over;
        self.opening = Some(opening);
        // That the game is over is a finding of its own.
        if !is_over {
            let simulated = simulate(game, playouts, stop)?;
            let refuted = simulated.refuted.into_iter().filter(|one| one.harmless.is_none());
            self.findings.extend(refuted.map(|r| at_head(analysis, r.code, r.message, r.keyword)));
            if simulated.playouts < playouts {
                return Err(EvalError::Interrupted);
            }
        }
        Ok(())
    }
}

/// Builds the game of a text, and gives all findings of the checks. No game if a finding is an error.
pub(crate) fn build(analysis: &Analysis, stop: &StopToken) -> (Option<Arc<Game>>, Vec<Diagnostic>) {
    let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
    if analysis.findings().iter().any(is_error) {
        return (None, analysis.findings().to_vec());
    }
    let watched = Watchdog::until(Deadline::never()).or_after_cpu_time(BUILD_TIME).or_when(stop).start();
    let interrupt = Some(watched.token().flag());
    let limits = Limits { terms: SIZE, tuples: SIZE, interrupt, ..Limits::default() };
    let (game, findings) = Rulesheet::new("", analysis.text()).check(analysis.strictness(), limits);
    if game.is_none() && watched.token().is_stopped() {
        let seconds = BUILD_TIME.as_secs();
        let message = format!("the game is not checked further: building it takes more than {seconds} s");
        let mut findings = analysis.findings().to_vec();
        findings.push(at_head(analysis, "slow-to-build", message, Keyword::Role));
        return (None, findings);
    }
    (game.map(Arc::new), findings)
}

/// The initial state of a game.
fn opening(game: &Arc<Game>, stop: &StopToken) -> Result<Opening, EvalError> {
    let mut machine = Interpreter::new(game);
    machine.interrupt_on(stop);
    let state = machine.initial_state()?;
    let mut opening = Opening { is_over: machine.is_terminal(&state)?, ..Opening::default() };
    let goals = machine.goals_of(&state)?;
    for (role, goals) in game.roles().zip(goals) {
        let name = game.role_name(role).to_owned();
        if let Some(goal) = goals.largest() {
            opening.goals.push((name.clone(), goal.value()));
        }
        let moves = machine.legal_texts(&state, role)?;
        opening.legal.push((name, moves.len(), moves.into_iter().next()));
    }
    Ok(opening)
}

/// A warning at the first head with `keyword`, or at the start of the text if there is none.
fn at_head(analysis: &Analysis, code: &'static str, message: String, keyword: Keyword) -> Diagnostic {
    let span = analysis.first_head(keyword).unwrap_or(Span { start: 0, end: 0 });
    Diagnostic::warning(code, span, message)
}

fn failure(analysis: &Analysis, error: &EvalError) -> Diagnostic {
    if matches!(error, EvalError::Interrupted) {
        let message = format!("playing takes more than {} s and is not checked further", PLAY_TIME.as_secs());
        return at_head(analysis, "slow-to-play", message, Keyword::Next);
    }
    at_head(analysis, "not-playable", error.to_string(), Keyword::Next)
}
