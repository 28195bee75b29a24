//! A session: a match on a page, with its seats, the moves chosen so far, and the pending search. In a game of
//! hidden information, a session only keeps the true states; [`crate::hidden`] plays the match and decides what
//! a page sees of it.
//!
//! Invariants: every joint move is legal. Until all roles have chosen, no page learns the choice of a role,
//! or the search results of an engine that moves at the same time as a person. A thread takes locks in this
//! order: the engines, the session (`inner`), the reasoner of the game.

mod news;
mod refereed;
mod turn;
mod work;

pub(crate) use news::News;

use crate::analysis::Analysis;
use crate::config::Config;
use crate::engine::Engine;
use crate::gesture;
use crate::history::History;
use crate::known::Known;
use crate::lock::lock;
use crate::moment::Moment;
use crate::pool::{Job, Pool};
use crate::remote::RemoteSeat;
use crate::seat_player::SeatPlayer;
use ggp_arena::Record;
use ggp_game::{Deadline, EvalError, StopToken, Watchdog};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use work::Work;

/// The time limit of one evaluation of the rules outside of a search.
const EVALUATION: Duration = Duration::from_secs(10);

/// Calls `work`, which evaluates rules outside of a search. Raises the stop flag of `work` after
/// [`EVALUATION`].
pub(crate) fn evaluate<T>(work: impl FnOnce(&StopToken) -> T) -> T {
    Watchdog::until(Deadline::after(EVALUATION)).watch(work)
}

/// The error of a request to a session.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The request does not fit the current state of the session.
    #[error("{0}")]
    Wrong(String),
    /// The rules could not be evaluated.
    #[error("the rules cannot be evaluated: {0}")]
    Rules(#[from] EvalError),
    /// No engine can be made for the game.
    #[error(transparent)]
    Engine(ggp::Error),
    /// The history is full.
    #[error(transparent)]
    Full(#[from] crate::history::Full),
}

impl From<ggp::Error> for Refusal {
    fn from(error: ggp::Error) -> Refusal {
        match error {
            ggp::Error::Eval(error) => Refusal::Rules(error),
            error => Refusal::Engine(error),
        }
    }
}

pub(crate) fn wrong<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Wrong(text.into()))
}

/// A match that is played or watched.
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) known: Arc<Known>,
    config: Arc<Config>,
    pool: Arc<Pool>,
    seed: u64,
    inner: Mutex<Inner>,
    /// The engine of each role. `None` before its first use.
    engines: Mutex<Vec<Option<Engine>>>,
    /// For each role, its remote player, which is kept from one request to the next. `None` before the first
    /// request, while a request is running, after a request without an answer, and after the end of the
    /// match.
    remote: Mutex<Vec<Option<RemoteSeat>>>,
    changed: watch::Sender<u64>,
    used: Mutex<Instant>,
    listeners: AtomicUsize,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
struct Inner {
    /// The player in the seat of each role. `None` for the role `random`.
    seats: Vec<Option<SeatPlayer>>,
    history: History,
    tip: usize,
    /// The number of the current turn. A new turn begins with every step (a joint move), with every jump to
    /// another state, and with every change of the seats. Results of searches and of requests that began in
    /// an earlier turn are discarded.
    turn: u64,
    pending: Vec<Option<String>>,
    thoughts: Vec<Option<Arc<Analysis>>>,
    /// For each role, the last turn in which its remote player was asked. 0 before the first request.
    asked: Vec<u64>,
    hint: Option<Work>,
    work: Option<Work>,
    shown: Option<Analysis>,
    /// Whether play is paused: no forced choice or step is made, and no engine or remote player is asked for
    /// a move.
    held: bool,
    /// Whether further forced steps may follow, because a long run of forced steps was interrupted to release
    /// the session's lock. A worker of the pool then continues with these steps.
    drifting: bool,
    queued: bool,
    /// A stop flag for the requests to remote players that are made in this turn. Raising it ends these
    /// requests.
    stop: StopToken,
    slice: StopToken,
    note: Option<String>,
    /// The total time that all searches of this session have taken.
    spent: Duration,
    closed: bool,
}

impl Inner {
    /// Makes `node` the current state and starts a new turn.
    fn enter(&mut self, node: usize) {
        self.tip = node;
        self.turn += 1;
        self.pending.fill(None);
        self.thoughts.fill(None);
        (self.work, self.hint, self.shown) = (None, None, None);
        self.slice.stop();
        self.stop.stop();
        self.stop = StopToken::new();
    }
}

/// The parameters of a new session.
pub(crate) struct Opening {
    pub(crate) id: String,
    pub(crate) seed: u64,
    pub(crate) seats: Vec<Option<SeatPlayer>>,
    pub(crate) record: Option<Record>,
}

impl Session {
    pub(crate) fn new(
        known: Arc<Known>,
        opening: Opening,
        config: &Arc<Config>,
        pool: &Arc<Pool>,
    ) -> Result<Arc<Session>, Refusal> {
        let roles = known.game.role_count();
        let Opening { id, seed, seats, record } = opening;
        let mut inner = Inner {
            seats,
            pending: vec![None; roles],
            thoughts: vec![None; roles],
            asked: vec![0; roles],
            turn: 1,
            ..Inner::default()
        };
        let start = evaluate(|stop| known.evaluate(|reasoner| Moment::initial(reasoner, stop)))?;
        inner.history.add(None, (Vec::new(), Vec::new()), start, Vec::new())?;
        let session = Session {
            id,
            config: Arc::clone(config),
            pool: Arc::clone(pool),
            seed,
            inner: Mutex::new(inner),
            engines: Mutex::new((0..roles).map(|_| None).collect()),
            remote: Mutex::new((0..roles).map(|_| None).collect()),
            changed: watch::Sender::new(0),
            used: Mutex::new(Instant::now()),
            listeners: AtomicUsize::new(0),
            known,
        };
        if let Some(record) = record {
            let mut inner = lock(&session.inner);
            session.replay(&mut inner, &record)?;
            // If no seat has a person, a loaded match starts paused, so that the user can look at it first.
            inner.held = !inner.seats.contains(&Some(SeatPlayer::Person));
        }
        let session = Arc::new(session);
        session.settle(&mut lock(&session.inner));
        Ok(session)
    }

    /// Plays the joint moves of `record` from the initial state, and makes the last state the current one.
    /// Reuses the states that the history already has.
    fn replay(&self, inner: &mut Inner, record: &Record) -> Result<(), Refusal> {
        let joints = record.joint_moves().map_err(|error| Refusal::Wrong(error.to_string()))?;
        let mut at = 0;
        for (step, joint) in joints.iter().enumerate() {
            let node = Arc::clone(inner.history.get(at).ok_or(crate::history::Full)?);
            let legal = &node.moment.legal;
            if joint.len() != legal.len() {
                return wrong(format!("joint move {step} of the record has {} moves", joint.len()));
            }
            let spelled: Option<Vec<String>> =
                joint.iter().zip(legal).map(|(text, legal)| spell(text, legal)).collect();
            let Some(spelled) = spelled else {
                return wrong(format!("joint move {step} of the record is not legal: {}", joint.join(" ")));
            };
            at = match inner.history.child(at, &spelled) {
                Some(child) => child,
                None => self.make(inner, at, spelled, Vec::new())?,
            };
        }
        inner.tip = at;
        Ok(())
    }

    /// Evaluates the state that follows the state `parent` after `joint`, and adds it to the history. Returns
    /// its index.
    fn make(
        &self,
        inner: &mut Inner,
        parent: usize,
        joint: Vec<String>,
        thoughts: Vec<Option<Arc<Analysis>>>,
    ) -> Result<usize, Refusal> {
        let node = Arc::clone(inner.history.get(parent).ok_or(crate::history::Full)?);
        let next =
            |stop: &StopToken| self.known.evaluate(|reasoner| node.moment.next(&joint, reasoner, stop));
        let moment = evaluate(next)?;
        let model = &self.known.model;
        let position = model.place(&node.moment.facts);
        let words = joint.iter().map(|mv| gesture::words(model, mv, &position)).collect();
        Ok(inner.history.add(Some(parent), (joint, words), moment, thoughts)?)
    }

    /// Whether the session only shows a match that is played elsewhere.
    pub(crate) fn is_watched(&self) -> bool {
        Self::is_elsewhere(&lock(&self.inner))
    }

    fn is_elsewhere(inner: &Inner) -> bool {
        inner.seats.iter().flatten().any(|seat| *seat == SeatPlayer::Elsewhere)
    }

    /// Handles a person's choice of the move `mv` for `role` in the state `at`. If `at` is not the current
    /// state, play continues from `at`.
    pub(crate) fn choose(self: &Arc<Self>, at: usize, role: usize, mv: &str) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        let Some(node) = inner.history.get(at).cloned() else { return wrong("there is no such state") };
        if inner.seats.get(role) != Some(&Some(SeatPlayer::Person)) {
            return wrong("this role is not played here");
        }
        if node.moment.terminal {
            return wrong("the game is over");
        }
        let Some(mv) = spell(mv, &node.moment.legal[role]) else {
            return wrong(format!("{mv} is not legal here"));
        };
        if at != inner.tip {
            inner.enter(at);
        }
        if inner.pending[role].is_some() {
            return wrong("this role has already chosen");
        }
        inner.note = None;
        inner.held = false;
        inner.pending[role] = Some(mv);
        self.settle(&mut inner);
        Ok(())
    }

    /// Makes the state `at` the current one and continues play from it.
    pub(crate) fn go(self: &Arc<Self>, at: usize) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        if inner.history.get(at).is_none() {
            return wrong("there is no such state");
        }
        if Self::is_elsewhere(&inner) {
            return wrong("a match that is watched cannot be played here; save it and load it");
        }
        inner.enter(at);
        inner.note = None;
        inner.held = false;
        self.settle(&mut inner);
        Ok(())
    }

    /// Returns to the last state in which a person had a decision to make.
    pub(crate) fn undo(self: &Arc<Self>) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        let people: Vec<usize> = inner
            .seats
            .iter()
            .enumerate()
            .filter(|(_, seat)| **seat == Some(SeatPlayer::Person))
            .map(|(role, _)| role)
            .collect();
        let line = inner.history.line(inner.tip);
        // A pending choice of this turn is taken back first. A forced move does not count as a choice.
        let decides = inner.history.get(inner.tip).map(|node| self.who_decides(node)).unwrap_or_default();
        let chosen = people.iter().any(|&role| inner.pending[role].is_some() && decides[role]);
        let skip = usize::from(!chosen);
        let earlier = line.into_iter().rev().skip(skip).find(|&at| {
            inner.history.get(at).is_some_and(|node| {
                let decides = self.who_decides(node);
                !node.moment.terminal && people.iter().any(|&role| decides[role])
            })
        });
        let Some(at) = earlier else { return wrong("there is nothing to take back") };
        inner.enter(at);
        inner.note = None;
        self.settle(&mut inner);
        Ok(())
    }

    /// Pauses or resumes the engines and remote players.
    pub(crate) fn hold(self: &Arc<Self>, hold: bool) {
        let mut inner = lock(&self.inner);
        inner.held = hold;
        if hold {
            (inner.work, inner.hint) = (None, None);
            inner.slice.stop();
        }
        self.settle(&mut inner);
    }

    /// Replaces the players in the seats. The current turn starts again.
    pub(crate) fn seat(self: &Arc<Self>, seats: Vec<Option<SeatPlayer>>) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        if Self::is_elsewhere(&inner) {
            return wrong("a match that is watched cannot be played here; save it and load it");
        }
        inner.seats = seats;
        let tip = inner.tip;
        inner.enter(tip);
        inner.held = false;
        self.settle(&mut inner);
        Ok(())
    }

    /// Updates a watched match from `record`. The new record may be longer than before, or may contain other
    /// moves.
    pub(crate) fn follow(self: &Arc<Self>, record: &Record) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        self.replay(&mut inner, record)?;
        inner.turn += 1;
        let wrongs = record.errors.last().into_iter().flatten().filter(|error| !error.is_empty());
        let wrongs: Vec<&str> = wrongs.map(String::as_str).collect();
        inner.note = (!wrongs.is_empty()).then(|| format!("at fault: {}", wrongs.join(", ")));
        self.tell();
        Ok(())
    }

    /// Closes the session: ends its search and notifies the listeners.
    pub(crate) fn close(&self) {
        let mut inner = lock(&self.inner);
        inner.closed = true;
        inner.stop.stop();
        inner.slice.stop();
        drop(inner);
        self.tell();
    }

    /// Marks the session as used now, so that its idle time starts again from zero.
    pub(crate) fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    /// Lets the session appear to have been used `time` earlier than it was.
    #[cfg(test)]
    pub(crate) fn age(&self, time: Duration) {
        let mut used = lock(&self.used);
        *used = used.checked_sub(time).expect("the machine has run for longer");
    }

    /// The time since the session was last used. Zero while a listener is connected.
    pub(crate) fn idle(&self) -> Duration {
        if self.listeners.load(Ordering::Relaxed) > 0 { Duration::ZERO } else { lock(&self.used).elapsed() }
    }

    /// Registers a listener of the session's changes. The listener stays registered until the returned guard
    /// is dropped.
    pub(crate) fn listen(self: &Arc<Self>) -> (Listener, watch::Receiver<u64>) {
        self.listeners.fetch_add(1, Ordering::Relaxed);
        (Listener(Arc::clone(self)), self.changed.subscribe())
    }
}

impl Job for Session {
    fn run_slice(self: Arc<Self>, stop: &StopToken) -> bool {
        self.think(stop)
    }

    /// Handles a panic of a search: pauses the session and discards its engines.
    fn fail(self: Arc<Self>, why: &str) {
        let roles = self.known.game.role_count();
        *lock(&self.engines) = (0..roles).map(|_| None).collect();
        let mut inner = lock(&self.inner);
        inner.note = Some(why.to_owned());
        inner.queued = false;
        inner.held = true;
        (inner.work, inner.hint) = (None, None);
        self.tell();
    }
}

/// The guard of a listener of a session. Dropping it removes the listener.
pub(crate) struct Listener(Arc<Session>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.touch();
        self.0.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The move in `legal` that `text` names. An exact match is preferred. Otherwise the result is the only move
/// that matches without regard to ASCII case. `None` if there is no such move.
pub(crate) fn spell(text: &str, legal: &[String]) -> Option<String> {
    let exact = legal.iter().find(|mv| *mv == text);
    let mut folded = legal.iter().filter(|mv| mv.eq_ignore_ascii_case(text));
    exact.or_else(|| folded.next().filter(|_| folded.next().is_none())).cloned()
}
