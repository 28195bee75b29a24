//! The second tier of findings: builds the game, looks at its initial state, and plays random playouts.

use crate::documents::Played;
use ggp::{Deadline, EvalError, Game, Interpreter, Limits, Rulesheet, StateMachine, StopToken};
use ggp_game::Watchdog;
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

/// The maximum number of moves of a role that are kept.
pub(crate) const MAX_MOVES: usize = 1_000;

/// Something that random playouts refute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refuted {
    /// The code of the finding.
    pub code: &'static str,
    /// What was seen, in one line.
    pub message: String,
    /// The keyword whose first rule the finding is about.
    pub keyword: Keyword,
}

/// Plays random playouts: the game, their number, and a flag that ends them. Returns what they refute.
pub type Simulate = Arc<dyn Fn(&Arc<Game>, u64, &StopToken) -> Result<Vec<Refuted>, EvalError> + Send + Sync>;

/// The result of the second tier for one text.
#[derive(Debug, Default)]
pub(crate) struct Trial {
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) played: Option<Played>,
}

impl Trial {
    /// Runs the second tier. `None` if `stop` is raised.
    pub(crate) fn run(
        analysis: &Analysis,
        playouts: u64,
        simulate: &Simulate,
        stop: &StopToken,
    ) -> Option<Trial> {
        let mut trial = Trial::default();
        let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
        if analysis.findings().iter().any(is_error) {
            return Some(trial);
        }
        // 1. Build the game.
        let game = match build(analysis, stop) {
            Ok(game) => game,
            Err(findings) => {
                trial.findings = findings;
                return (!stop.is_stopped()).then_some(trial);
            }
        };
        // 2. Look at the initial state and play.
        let watched = Watchdog::until(Deadline::never()).or_after_cpu_time(PLAY_TIME).or_when(stop).start();
        let opening = match opening(&game, watched.token()) {
            Ok(opening) => opening,
            Err(error) => {
                trial.findings.push(failure(analysis, Keyword::Init, &error));
                return (!stop.is_stopped()).then_some(trial);
            }
        };
        let (is_over, can_play) = (opening.is_over, opening.legal.iter().all(|(_, moves)| !moves.is_empty()));
        trial.played = Some(Played { game: Arc::clone(&game), opening });
        if is_over {
            let message = "the game is over before the first move".to_owned();
            trial.findings.push(at_head(analysis, "over-at-the-start", message, Keyword::Terminal));
        } else if can_play || playouts > 0 {
            match simulate(&game, playouts, watched.token()) {
                Ok(refuted) => {
                    let finding = |r: Refuted| at_head(analysis, r.code, r.message, r.keyword);
                    trial.findings.extend(refuted.into_iter().map(finding));
                }
                Err(error) => trial.findings.push(failure(analysis, Keyword::Next, &error)),
            }
        }
        (!stop.is_stopped()).then_some(trial)
    }
}

/// Builds the game of a text.
///
/// # Errors
/// The findings that the first tier does not have.
pub(crate) fn build(analysis: &Analysis, stop: &StopToken) -> Result<Arc<Game>, Vec<Diagnostic>> {
    let watched = Watchdog::until(Deadline::never()).or_after_cpu_time(BUILD_TIME).or_when(stop).start();
    let interrupt = Some(watched.token().flag());
    let limits = Limits { terms: SIZE, tuples: SIZE, interrupt, ..Limits::default() };
    let rules = Rulesheet::new("", analysis.text());
    let (game, mut findings) = rules.check(analysis.strictness(), limits);
    match game {
        Some(game) => Ok(Arc::new(game)),
        None if watched.token().is_stopped() => {
            let seconds = BUILD_TIME.as_secs();
            let message = format!("the game is not checked further: building it takes more than {seconds} s");
            Err(vec![at_head(analysis, "slow-to-build", message, Keyword::Role)])
        }
        None => {
            findings.retain(|finding| !analysis.findings().contains(finding));
            Err(findings)
        }
    }
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
        let mut moves = machine.legal_texts(&state, role)?;
        moves.truncate(MAX_MOVES);
        opening.legal.push((name, moves));
    }
    Ok(opening)
}

/// A warning at the first head with `keyword`, or at the start of the text if there is none.
fn at_head(analysis: &Analysis, code: &'static str, message: String, keyword: Keyword) -> Diagnostic {
    let span = analysis.first_head(keyword).unwrap_or(Span { start: 0, end: 0 });
    Diagnostic::warning(code, span, message)
}

fn failure(analysis: &Analysis, keyword: Keyword, error: &EvalError) -> Diagnostic {
    match error {
        EvalError::Interrupted => {
            let seconds = PLAY_TIME.as_secs();
            let message = format!("the game is not played to its end: that takes more than {seconds} s");
            at_head(analysis, "slow-to-play", message, keyword)
        }
        _ => at_head(analysis, "not-playable", error.to_string(), keyword),
    }
}
