//! The games of the texts that were asked about last.

use super::view_file::{self, Flaw};
use crate::lock::lock;
use crate::moment::Moment;
use crate::style::Style;
use ggp::board::{self, BoardModel, Labels};
use ggp::{
    Diagnostic, EvalError, Fact, Game, Interpreter, Limits, Rulesheet, Severity, StateMachine, StopToken,
    Strictness,
};
use ggp_game::{Deadline, Watchdog};
use ggp_gdl::diagnostic::count;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of games that are kept: one for each author at a time is enough, as a request has the whole text.
const KEPT: usize = 4;

/// The CPU time for preparing a game, and for evaluating the states of one request.
const TIME: Duration = Duration::from_secs(5);

/// The maximum number of terms, and of tuples, of one evaluation: about 50 MiB.
const SIZE: usize = 500_000;

/// The nesting of terms. Terms of published rulesheets have at most three levels.
const DEPTH: u32 = 1_000;

/// The maximum number of joint moves that lead to a state.
pub(super) const MAX_STEPS: usize = 2_000;

/// The size limit of the states of a line, in bytes: those of the texts of facts and moves, and a pointer and a length
/// for each.
const MAX_LINE: usize = 16 << 20;

/// Calls `work`, which evaluates rules. Raises its flag when it has used [`TIME`].
pub(super) fn within_time<T>(work: impl FnOnce(&StopToken) -> T) -> T {
    Watchdog::until(Deadline::never()).or_after_cpu_time(TIME).watch(work)
}

/// The message of an evaluation that failed.
pub(super) fn failed(error: &EvalError) -> String {
    match error {
        EvalError::Interrupted => {
            format!("the rules are not evaluated further: that takes more than {} s", TIME.as_secs())
        }
        error => error.to_string(),
    }
}

/// Builds the game of a text.
///
/// # Errors
/// The message of the worst finding.
pub(super) fn build(text: &str, stop: &StopToken) -> Result<Arc<Game>, String> {
    let limits =
        Limits { terms: SIZE, tuples: SIZE, depth: DEPTH, interrupt: Some(stop.flag()), ..Limits::default() };
    match Rulesheet::new("", text).check(Strictness::Default, limits) {
        (Some(game), _) => Ok(Arc::new(game)),
        _ if stop.is_stopped() => Err(failed(&EvalError::Interrupted)),
        (None, findings) => {
            let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
            let worst = findings.iter().find(is_error);
            Err(worst.map_or_else(|| "the rules cannot be played".to_owned(), |worst| worst.message.clone()))
        }
    }
}

/// A game that is being written, with the states of the line that was looked at last.
pub(super) struct Draft {
    pub(super) text: String,
    sidecar: Option<Vec<u8>>,
    /// The first error of the view file. The board is then inferred.
    pub(super) flaw: Option<Flaw>,
    pub(super) game: Arc<Game>,
    model: BoardModel,
    labels: Labels,
    line: Mutex<Line>,
}

/// The states from the initial state on, each with the joint move that led to it.
struct Line {
    machine: Interpreter,
    steps: Vec<Step>,
}

/// A state, and the joint move that led to it; empty for the initial state.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) joint: Vec<String>,
    pub(super) moment: Arc<Moment>,
}

impl Step {
    fn size(&self) -> usize {
        let facts = self.moment.facts.iter().map(|fact| fact.as_str().len());
        let moves = self.moment.legal.iter().flatten().map(String::len);
        facts.chain(moves).map(|length| length + 2 * size_of::<usize>()).sum()
    }
}

impl Draft {
    /// Builds the game of `text` and infers its board.
    ///
    /// # Errors
    /// The reason why the game cannot be played.
    pub(super) fn prepare(text: String, sidecar: Option<Vec<u8>>) -> Result<Draft, String> {
        within_time(|stop| {
            let game = build(&text, stop)?;
            let mut machine = Interpreter::new(&game);
            machine.interrupt_on(stop);
            let first = Moment::initial(&mut machine, stop).map_err(|error| failed(&error))?;
            let view = sidecar.as_deref().map(String::from_utf8_lossy);
            let given = view.map(|view| {
                let sidecar = view_file::parse(&view)?;
                board::of_game_with(&mut machine, &sidecar).map_err(|error| Flaw::of(&view, &error))
            });
            let (model, flaw) = match given {
                Some(Ok(model)) => (model, None),
                Some(Err(flaw)) => (board::of_game(&mut machine), Some(flaw)),
                None => (board::of_game(&mut machine), None),
            };
            let labels = Labels::new(&model, false);
            let steps = vec![Step { joint: Vec::new(), moment: Arc::new(first) }];
            Ok(Draft { text, sidecar, flaw, game, model, labels, line: Mutex::new(Line { machine, steps }) })
        })
    }

    /// The initial state.
    pub(super) fn first(&self) -> Arc<Moment> {
        Arc::clone(&lock(&self.line).steps[0].moment)
    }

    pub(super) fn style(&self) -> Style<'_> {
        Style { model: &self.model, labels: &self.labels }
    }

    /// What each role sees when `joint` is made in the state `before`. Empty in games without percepts.
    pub(super) fn percepts(&self, before: &Moment, joint: &[String]) -> Result<Vec<Vec<Fact>>, EvalError> {
        if !self.game.has_percepts() {
            return Ok(Vec::new());
        }
        within_time(|stop| {
            let machine = &mut lock(&self.line).machine;
            machine.interrupt_on(stop);
            let state = machine.state_of(&before.facts)?;
            let joint = machine.parse_legal_joint(&state, joint)?;
            let mut seen = vec![Vec::new(); self.game.role_count()];
            for (role, seen) in self.game.roles().zip(&mut seen) {
                machine.percepts(&state, &joint, role, seen)?;
            }
            Ok(seen)
        })
    }

    /// The states along `moves`, and the reason why they do not go all the way: a joint move is not legal, or the rules
    /// cannot be evaluated.
    pub(super) fn walk(&self, moves: &[Vec<String>]) -> (Vec<Step>, Option<String>) {
        self.play(|at, _| moves.get(at).cloned())
    }

    /// The states along the joint moves of `choose`, which gets the number of steps made and the state. They end where
    /// it gives none, at the end of the game, or after [`MAX_STEPS`].
    pub(super) fn play(
        &self,
        mut choose: impl FnMut(usize, &Moment) -> Option<Vec<String>>,
    ) -> (Vec<Step>, Option<String>) {
        within_time(|stop| {
            let mut line = lock(&self.line);
            let Line { machine, steps } = &mut *line;
            let mut size = steps[0].size();
            let mut walked = vec![steps[0].clone()];
            let mut problem = None;
            for at in 0..MAX_STEPS {
                let before = Arc::clone(&walked[at].moment);
                let Some(joint) = choose(at, &before) else { break };
                if before.terminal {
                    problem = Some(format!("the game is over after {}", count(at, "step")));
                    break;
                }
                let known = steps.get(at + 1).filter(|step| step.joint == joint).cloned();
                if known.is_none() {
                    steps.truncate(at + 1);
                }
                let step = match known {
                    Some(step) => step,
                    None => match before.next(&joint, machine, stop) {
                        Ok(next) => Step { joint, moment: Arc::new(next) },
                        Err(error) => {
                            problem = Some(failed(&error));
                            break;
                        }
                    },
                };
                size += step.size();
                if size > MAX_LINE {
                    problem = Some("the states become too large to show".to_owned());
                    break;
                }
                if steps.len() == at + 1 {
                    steps.push(step.clone());
                }
                walked.push(step);
            }
            machine.release_moves();
            (walked, problem)
        })
    }
}

/// The games that are kept, that of the last request last.
#[derive(Default)]
pub(super) struct Desk {
    drafts: VecDeque<Arc<Draft>>,
}

impl Desk {
    /// The game of `text`, if it is kept.
    pub(super) fn get(&mut self, text: &str, sidecar: Option<&[u8]>) -> Option<Arc<Draft>> {
        let is_same = |draft: &Arc<Draft>| draft.text == text && draft.sidecar.as_deref() == sidecar;
        let found = self.drafts.iter().position(is_same)?;
        let draft = self.drafts.remove(found)?;
        self.drafts.push_back(Arc::clone(&draft));
        Some(draft)
    }

    /// Keeps a game, and drops the one that was not asked about for longest if they are too many.
    pub(super) fn add(&mut self, draft: Arc<Draft>) {
        self.drafts.push_back(draft);
        if self.drafts.len() > KEPT {
            self.drafts.pop_front();
        }
    }
}
