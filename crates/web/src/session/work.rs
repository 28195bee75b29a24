//! The searches of a session. A search serves one role and runs slice by slice.

use super::{Inner, Refusal, Session, wrong};
use crate::analysis::Analysis;
use crate::engine::{Engine, Slice};
use crate::history::Node;
use crate::lock::lock;
use crate::pool::SLICE;
use crate::seat_player::SeatPlayer;
use ggp_game::{EvalError, Role, StopToken, rng};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The interval between two updates of the search results on the page.
const SHOW: Duration = Duration::from_millis(100);

/// The search for one move.
#[derive(Clone)]
pub(super) struct Work {
    pub(super) role: usize,
    since: Instant,
    time: Duration,
    iterations: Option<u64>,
    /// Whether a person asked for this search, as a hint. Otherwise an engine searches for its own move.
    hint: bool,
    hurry: bool,
    shown: Option<Instant>,
}

impl Work {
    /// The share of the search that is over after so many iterations, from 0 to 1.
    fn spent(&self, iterations: u64) -> f64 {
        let of_time = self.since.elapsed().as_secs_f64() / self.time.as_secs_f64().max(f64::MIN_POSITIVE);
        let of_iterations = self.iterations.map_or(0.0, |most| iterations as f64 / most as f64);
        of_time.max(of_iterations).min(1.0)
    }
}

/// The result of a slice of a search.
struct Thinking {
    choice: Option<String>,
    report: Option<ggp_game::SearchReport>,
}

impl Session {
    /// The search for the move of the first role whose engine has yet to choose. If the running search is for
    /// that role, returns the running search, otherwise a new one. `None` if no engine has to choose.
    pub(super) fn next_work(&self, inner: &mut Inner) -> Option<Work> {
        let node = inner.history.get(inner.tip)?;
        if node.moment.terminal {
            return None;
        }
        let waits = |role: &usize| {
            inner.pending[*role].is_none() && matches!(inner.seats[*role], Some(SeatPlayer::Engine { .. }))
        };
        let role = (0..inner.seats.len()).find(waits)?;
        if let Some(work) = inner.work.take().filter(|work| work.role == role) {
            return Some(work);
        }
        let (time, iterations) = match &inner.seats[role] {
            // With a limit of iterations, the clock is only an upper limit.
            Some(SeatPlayer::Engine { iterations: Some(n), .. }) => (self.config.longest, Some(*n)),
            Some(seat) => (seat.clock(), None),
            None => return None,
        };
        let since = Instant::now();
        Some(Work { role, since, time, iterations, hint: false, hurry: false, shown: None })
    }

    /// Runs one slice of the session's search. Returns whether the session remains in the pool's queue. The
    /// pool calls this function.
    pub(crate) fn think(self: &Arc<Self>, stop: &StopToken) -> bool {
        let (work, turn, tip, node, before) = {
            let mut inner = lock(&self.inner);
            if inner.drifting && !inner.closed {
                self.settle(&mut inner);
            }
            let work = inner.work.clone().or_else(|| inner.hint.clone()).filter(|_| !inner.closed);
            let Some(work) = work else {
                inner.queued = inner.drifting && !inner.closed;
                return inner.queued;
            };
            inner.slice = stop.clone();
            let Some(node) = inner.history.get(inner.tip).cloned() else { return false };
            let before = node.parent.and_then(|parent| inner.history.get(parent)).cloned();
            (work, inner.turn, inner.tip, node, before)
        };
        let began = Instant::now();
        let result = self.slice(&work, &node, before.as_deref(), stop);
        let mut inner = lock(&self.inner);
        inner.spent += began.elapsed();
        if inner.turn != turn {
            return true;
        }
        match result {
            Ok(Thinking { choice: None, report }) => {
                let elapsed = work.since.elapsed().as_secs_f64();
                if let Some(report) = report {
                    self.show(&mut inner, &work, &node, tip, &report, elapsed, false);
                    let slot = if work.hint { &mut inner.hint } else { &mut inner.work };
                    if let Some(current) = slot {
                        current.shown = Some(Instant::now());
                    }
                    self.tell();
                }
            }
            Ok(Thinking { choice: Some(mv), report }) => {
                let elapsed = work.since.elapsed().as_secs_f64();
                if let Some(report) = report {
                    self.show(&mut inner, &work, &node, tip, &report, elapsed, true);
                }
                if work.hint {
                    inner.hint = None;
                } else {
                    inner.thoughts[work.role] = inner.shown.clone().map(Arc::new);
                    inner.pending[work.role] = Some(mv);
                    inner.work = None;
                }
                self.settle(&mut inner);
            }
            Err(error) => {
                inner.note = Some(error.to_string());
                inner.held = true;
                (inner.work, inner.hint) = (None, None);
                self.settle(&mut inner);
            }
        }
        true
    }

    #[expect(clippy::too_many_arguments, reason = "a thought has that many parts")]
    fn show(
        &self,
        inner: &mut Inner,
        work: &Work,
        node: &Node,
        tip: usize,
        report: &ggp_game::SearchReport,
        elapsed: f64,
        done: bool,
    ) {
        let position = self.known.model.place(&node.moment.facts);
        let mut thought = Analysis::new(&self.known, &position, report, (work.role, tip), elapsed);
        (thought.hint, thought.done) = (work.hint, done);
        inner.shown = Some(thought);
    }

    /// Runs the search for one slice. The search holds the lock on the engines, but not the lock on the
    /// session.
    fn slice(
        &self,
        work: &Work,
        node: &Node,
        before: Option<&Node>,
        stop: &StopToken,
    ) -> Result<Thinking, Refusal> {
        let role = Role(work.role as u8);
        let mut engines = lock(&self.engines);
        if engines[work.role].is_none() {
            let roles = self.engine_roles();
            if work.hint {
                // At most one search for hints is kept, to bound the memory.
                for (role, engine) in engines.iter_mut().enumerate() {
                    if !roles.contains(&role) {
                        *engine = None;
                    }
                }
            }
            let share = (self.config.memory / (roles.len() + 1)).max(1);
            let seed = rng::mix(self.seed ^ (work.role as u64 + 1));
            let lesson = self.known.learnt.as_ref().map(|learnt| &learnt.lesson);
            let engine = self.known.evaluate(|reasoner| Engine::new(reasoner, lesson, share, seed))?;
            engines[work.role] = Some(engine);
        }
        let Some(engine) = engines[work.role].as_mut() else { return wrong("there is no engine") };
        let from = before.map(|before| (before.moment.facts.as_slice(), node.joint.as_slice()));
        match engine.turn_to(&node.moment.facts, from, stop) {
            Ok(()) => {}
            // The turn has changed, or the rules are too slow for a slice. If the search never succeeds, a
            // random move is drawn at the deadline.
            Err(EvalError::Interrupted) => return Ok(self.without_mind(work, node)),
            Err(error) => return Err(error.into()),
        }
        let left = work.time.saturating_sub(work.since.elapsed());
        let mut more = Slice::Done;
        if !work.hurry {
            let iterations = work.iterations.map(|most| most.saturating_sub(engine.iterations()));
            more = if iterations == Some(0) {
                Slice::Done
            } else {
                engine.think(role, SLICE.min(left), iterations, work.spent(engine.iterations()), stop)
            };
        }
        if let Slice::Failed(why) = &more {
            tracing::warn!(session = %self.id, %why, "the search fails");
        }
        let spent = work.iterations.is_some_and(|most| engine.iterations() >= most);
        let over = more != Slice::More || work.since.elapsed() >= work.time || spent;
        if over {
            let report = engine.report(role);
            return match engine.choose(role) {
                Ok(Some(mv)) => Ok(Thinking { choice: Some(mv), report: Some(report) }),
                Ok(None) | Err(EvalError::Interrupted) => Ok(self.without_mind(work, node)),
                Err(error) => Err(error.into()),
            };
        }
        let due = work.shown.is_none_or(|shown| shown.elapsed() >= SHOW);
        Ok(Thinking { choice: None, report: due.then(|| engine.report(role)) })
    }

    /// The result of a slice in which the engine found no move: a random move if the time for the move is
    /// over, otherwise no move.
    fn without_mind(&self, work: &Work, node: &Node) -> Thinking {
        let late = work.hurry || work.since.elapsed() >= work.time;
        let choice = late.then(|| self.draw(0, work.role, &node.moment.legal[work.role]));
        Thinking { choice, report: None }
    }

    fn engine_roles(&self) -> Vec<usize> {
        let inner = lock(&self.inner);
        let is_engine = |role: &usize| matches!(inner.seats[*role], Some(SeatPlayer::Engine { .. }));
        (0..inner.seats.len()).filter(is_engine).collect()
    }

    /// Starts a search for a hint to `role` in the state `at`, which must be the current state. The search
    /// takes the time `time`, up to the longest time that the server allows. If `time` is zero, the function
    /// ends the running search for a hint instead.
    pub(crate) fn advise(self: &Arc<Self>, at: usize, role: usize, time: Duration) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        if at != inner.tip {
            return wrong("advice is given about the last state only: play on from here first");
        }
        let Some(node) = inner.history.get(at).cloned() else { return wrong("there is no such state") };
        if node.moment.terminal || role >= inner.seats.len() {
            return wrong("there is nothing to advise");
        }
        let since = Instant::now();
        let time = time.min(self.config.longest);
        inner.hint = (!time.is_zero()).then_some(Work {
            role,
            since,
            time,
            iterations: None,
            hint: true,
            hurry: false,
            shown: None,
        });
        self.settle(&mut inner);
        Ok(())
    }

    /// Makes the engine that is searching for a move choose at once.
    pub(crate) fn hurry(self: &Arc<Self>) {
        let mut inner = lock(&self.inner);
        if let Some(work) = &mut inner.work {
            work.hurry = true;
        }
        inner.slice.stop();
    }
}
