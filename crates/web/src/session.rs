//! A match as a page plays it: who sits where, what has been chosen, and who is to think.
//!
//! Invariants: every joint move is legal; what a role has chosen is shown to nobody, nor what an
//! engine thinks of a choice that others make at the same time, before all choices are in. Locks
//! are taken in the order minds, session, rules.

use crate::config::Config;
use crate::guest::{self, Guest};
use crate::history::{History, Node};
use crate::known::{Known, Workshop};
use crate::limited::limited;
use crate::mind::{Mind, Slice};
use crate::picture;
use crate::pool::{Pool, SLICE, lock};
use crate::rules::Moment;
use crate::seat::Seat;
use crate::thinking::Thought;
use ggp_arena::Record;
use ggp_game::{EvalError, Fact, Role, StopToken, rng};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// One evaluation of the rules outside of a search may last so long.
const EVALUATION: Duration = Duration::from_secs(10);

/// Steps that need nobody's decision are made so many at a time.
const STEPS_AT_ONCE: u32 = 50;

/// How often an engine's thoughts are shown.
const SHOW: Duration = Duration::from_millis(100);

/// Why something that was asked of a session cannot be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The request does not fit the session.
    #[error("{0}")]
    Wrong(String),
    /// The rules could not be evaluated.
    #[error("the rules cannot be evaluated: {0}")]
    Rules(#[from] EvalError),
    /// The history takes no more.
    #[error(transparent)]
    Full(#[from] crate::history::Full),
}

fn wrong<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Wrong(text.into()))
}

/// A match that is played, or watched.
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) known: Arc<Known>,
    pub(crate) workshop: Arc<dyn Workshop>,
    config: Arc<Config>,
    pool: Arc<Pool>,
    seed: u64,
    inner: Mutex<Inner>,
    /// By role.
    minds: Mutex<Vec<Option<Box<dyn Mind>>>>,
    pub(crate) guests: Mutex<Vec<Option<Guest>>>,
    changed: watch::Sender<u64>,
    used: Mutex<Instant>,
    listeners: AtomicUsize,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
struct Inner {
    /// `None` for the role `random`.
    seats: Vec<Option<Seat>>,
    history: History,
    tip: usize,
    /// Changes with every step and jump; what was begun in an earlier turn does not count.
    turn: u64,
    pending: Vec<Option<String>>,
    thoughts: Vec<Option<Arc<Thought>>>,
    /// The last turn in which each role's player elsewhere was asked.
    asked: Vec<u64>,
    hint: Option<Work>,
    work: Option<Work>,
    shown: Option<Thought>,
    /// Whether engines wait until they are let on.
    held: bool,
    /// Whether steps are to be made that need nobody's decision.
    drifting: bool,
    queued: bool,
    /// Interrupts the slice, and players elsewhere, of this turn.
    stop: StopToken,
    slice: StopToken,
    note: Option<String>,
    /// How long engines have been at work.
    spent: Duration,
    closed: bool,
}

impl Inner {
    /// Goes to the state `node`.
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

/// What an engine has to think about.
#[derive(Clone)]
struct Work {
    role: usize,
    since: Instant,
    time: Duration,
    iterations: Option<u64>,
    /// A person asks for advice.
    hint: bool,
    hurry: bool,
    shown: Option<Instant>,
}

/// How a session began.
pub(crate) struct Opening {
    pub(crate) id: String,
    pub(crate) seed: u64,
    pub(crate) seats: Vec<Option<Seat>>,
    pub(crate) record: Option<Record>,
}

impl Session {
    pub(crate) fn new(
        known: Arc<Known>,
        opening: Opening,
        config: &Arc<Config>,
        pool: &Arc<Pool>,
        workshop: &Arc<dyn Workshop>,
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
        let start = limited(EVALUATION, |stop| lock(&known.rules).start(stop))?;
        inner.history.add(None, Vec::new(), start, Vec::new())?;
        let session = Session {
            id,
            workshop: Arc::clone(workshop),
            config: Arc::clone(config),
            pool: Arc::clone(pool),
            seed,
            inner: Mutex::new(inner),
            minds: Mutex::new((0..roles).map(|_| None).collect()),
            guests: Mutex::new((0..roles).map(|_| None).collect()),
            changed: watch::Sender::new(0),
            used: Mutex::new(Instant::now()),
            listeners: AtomicUsize::new(0),
            known,
        };
        if let Some(record) = record {
            let mut inner = lock(&session.inner);
            session.replay(&mut inner, &record)?;
            // Whoever loads a match wants to look at it first, if nobody is asked to move.
            inner.held = !inner.seats.contains(&Some(Seat::Person));
        }
        let session = Arc::new(session);
        session.settle(&mut lock(&session.inner));
        Ok(session)
    }

    /// Follows `record` from the first state on; states that are known are not made again.
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

    /// Makes the state after `joint`.
    fn make(
        &self,
        inner: &mut Inner,
        parent: usize,
        joint: Vec<String>,
        thoughts: Vec<Option<Arc<Thought>>>,
    ) -> Result<usize, Refusal> {
        let node = Arc::clone(inner.history.get(parent).ok_or(crate::history::Full)?);
        let moment: Moment =
            limited(EVALUATION, |stop| lock(&self.known.rules).after(&node.moment.facts, &joint, stop))?;
        Ok(inner.history.add(Some(parent), joint, moment, thoughts)?)
    }

    /// Whether it is watched only.
    fn is_elsewhere(inner: &Inner) -> bool {
        inner.seats.iter().flatten().any(|seat| *seat == Seat::Elsewhere)
    }

    /// Makes all choices that need nobody's decision and all steps that follow, asks players
    /// elsewhere, sets engines to work, and tells everyone who listens.
    fn settle(self: &Arc<Self>, inner: &mut Inner) {
        if !Self::is_elsewhere(inner) && !inner.closed {
            inner.drifting = false;
            let mut steps = 0;
            loop {
                match self.step(inner) {
                    Ok(true) if steps < STEPS_AT_ONCE => steps += 1,
                    Ok(more) => {
                        inner.drifting = more;
                        break;
                    }
                    Err(error) => {
                        inner.note = Some(error.to_string());
                        inner.held = true;
                        break;
                    }
                }
            }
            inner.work = if inner.held || inner.drifting { None } else { self.next_work(inner) };
            self.ask_elsewhere(inner);
            let busy = inner.work.is_some() || inner.hint.is_some() || inner.drifting;
            if busy && !inner.queued {
                inner.queued = true;
                self.pool.add(Arc::clone(self));
            }
        }
        self.changed.send_modify(|version| *version += 1);
    }

    /// Makes the choices of this turn that need nobody's decision, and the step if all are made;
    /// whether it was.
    fn step(&self, inner: &mut Inner) -> Result<bool, Refusal> {
        let Some(node) = inner.history.get(inner.tip).cloned() else { return Ok(false) };
        if node.moment.terminal {
            return Ok(false);
        }
        let legal = &node.moment.legal;
        if let Some(role) = legal.iter().position(Vec::is_empty) {
            let name = self.known.game.role_name(Role(role as u8));
            return wrong(format!(
                "the rules are at fault: {name} has no legal move, but the game is not over"
            ));
        }
        if inner.held {
            return Ok(false);
        }
        let decides = self.who_decides(&node);
        for role in 0..legal.len() {
            if inner.pending[role].is_some() {
                continue;
            }
            let only = (legal[role].len() == 1).then(|| legal[role][0].clone());
            let others_decide = decides.iter().enumerate().any(|(other, &decides)| decides && other != role);
            inner.pending[role] = match &inner.seats[role] {
                None | Some(Seat::Random) => Some(self.draw(inner.turn, role, &legal[role])),
                Some(Seat::Engine { .. }) => only,
                Some(Seat::Person) => only.filter(|_| others_decide && !decides[role]),
                Some(Seat::Remote { .. } | Seat::Elsewhere) => None,
            };
        }
        if inner.pending.iter().any(Option::is_none) {
            return Ok(false);
        }
        let joint: Vec<String> = inner.pending.iter().flatten().cloned().collect();
        let thoughts = std::mem::replace(&mut inner.thoughts, vec![None; joint.len()]);
        let next = match inner.history.child(inner.tip, &joint) {
            Some(known) => known,
            None => self.make(inner, inner.tip, joint, thoughts)?,
        };
        inner.enter(next);
        Ok(true)
    }

    /// For each role whether it has something to decide: several moves, or one on the board.
    fn who_decides(&self, node: &Node) -> Vec<bool> {
        let position = self.known.model.place(&node.moment.facts);
        let decides = |legal: &Vec<String>| {
            legal.len() > 1 || legal.iter().any(|mv| !picture::is_button(&self.known.model, mv, &position))
        };
        node.moment.legal.iter().map(decides).collect()
    }

    /// A random move.
    fn draw(&self, turn: u64, role: usize, legal: &[String]) -> String {
        let stream = rng::Stream::new(self.seed, turn);
        legal[stream.below(0, Role(role as u8), legal.len() as u32) as usize].clone()
    }

    /// The next engine that has to choose, going on with what it is at.
    fn next_work(&self, inner: &mut Inner) -> Option<Work> {
        let node = inner.history.get(inner.tip)?;
        if node.moment.terminal {
            return None;
        }
        let waits = |role: &usize| {
            inner.pending[*role].is_none() && matches!(inner.seats[*role], Some(Seat::Engine { .. }))
        };
        let role = (0..inner.seats.len()).find(waits)?;
        if let Some(work) = inner.work.take().filter(|work| work.role == role) {
            return Some(work);
        }
        let (time, iterations) = match &inner.seats[role] {
            // Iterations count, not the clock.
            Some(Seat::Engine { iterations: Some(n), .. }) => (self.config.longest, Some(*n)),
            Some(seat) => (seat.clock(), None),
            None => return None,
        };
        let since = Instant::now();
        Some(Work { role, since, time, iterations, hint: false, hurry: false, shown: None })
    }

    fn ask_elsewhere(self: &Arc<Self>, inner: &mut Inner) {
        let Some(node) = inner.history.get(inner.tip).cloned() else { return };
        for role in 0..inner.seats.len() {
            let Some(seat @ Seat::Remote { url, .. }) = &inner.seats[role] else { continue };
            let waits = inner.pending[role].is_none() && inner.asked[role] != inner.turn && !inner.held;
            if waits || (node.moment.terminal && inner.asked[role] != inner.turn) {
                let question = guest::Question {
                    role,
                    url: url.clone(),
                    clock: seat.clock(),
                    at: inner.tip,
                    turn: inner.turn,
                    node: Arc::clone(&node),
                    stop: inner.stop.clone(),
                };
                inner.asked[role] = inner.turn;
                guest::ask(self, question);
            }
        }
    }

    /// A player elsewhere has answered.
    pub(crate) fn answer(self: &Arc<Self>, role: usize, turn: u64, answer: Result<String, String>) {
        let mut inner = lock(&self.inner);
        if inner.turn != turn || inner.pending[role].is_some() {
            return;
        }
        let Some(node) = inner.history.get(inner.tip).cloned() else { return };
        let legal = &node.moment.legal[role];
        let name = self.known.game.role_name(Role(role as u8));
        let mv = match answer {
            Ok(text) => spell(&text, legal).ok_or(format!("{name} answered {text}, which is not legal")),
            Err(why) => Err(format!("{name} has not answered: {why}")),
        };
        inner.pending[role] = Some(mv.unwrap_or_else(|why| {
            inner.note = Some(format!("{why}; a random move was made in its stead"));
            self.draw(turn, role, legal)
        }));
        self.settle(&mut inner);
    }

    /// Thinks for one slice; whether there is more to think about. Called by the pool.
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
                    self.changed.send_modify(|version| *version += 1);
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
        report: &ggp_game::Report,
        elapsed: f64,
        done: bool,
    ) {
        let position = self.known.model.place(&node.moment.facts);
        let mut thought = Thought::new(&self.known, &position, report, (work.role, tip), elapsed);
        (thought.hint, thought.done) = (work.hint, done);
        inner.shown = Some(thought);
    }

    /// The thinking itself: nothing but the minds is locked.
    fn slice(
        &self,
        work: &Work,
        node: &Node,
        before: Option<&Node>,
        stop: &StopToken,
    ) -> Result<Thinking, Refusal> {
        let role = Role(work.role as u8);
        let mut minds = lock(&self.minds);
        if minds[work.role].is_none() {
            let engines = self.engines();
            if work.hint {
                // One adviser is enough.
                for (role, mind) in minds.iter_mut().enumerate() {
                    if !engines.contains(&role) {
                        *mind = None;
                    }
                }
            }
            let share = (self.config.memory / (engines.len() + 1)).max(1);
            let seed = rng::mix(self.seed ^ (work.role as u64 + 1));
            minds[work.role] = Some(lock(&self.known.rules).mind(share, seed)?);
        }
        let Some(mind) = minds[work.role].as_mut() else { return wrong("there is no engine") };
        let from = before.map(|before| (before.moment.facts.as_slice(), node.joint.as_slice()));
        match mind.turn_to(&node.moment.facts, from, stop) {
            Ok(()) => {}
            // The session has gone on, or the rules are too slow for a slice: then a move is drawn
            // when the clock has run out.
            Err(EvalError::Interrupted) => return Ok(self.without_mind(work, node)),
            Err(error) => return Err(error.into()),
        }
        let left = work.time.saturating_sub(work.since.elapsed());
        let mut more = Slice::Done;
        if !work.hurry {
            let iterations = work.iterations.map(|most| most.saturating_sub(mind.iterations(role)));
            more = if iterations == Some(0) {
                Slice::Done
            } else {
                mind.think(role, SLICE.min(left), iterations, stop)
            };
        }
        if let Slice::Failed(why) = &more {
            tracing::warn!(session = %self.id, %why, "the search fails");
        }
        let spent = work.iterations.is_some_and(|most| mind.iterations(role) >= most);
        let over = more != Slice::More || work.since.elapsed() >= work.time || spent;
        if over {
            let report = mind.report(role);
            return match mind.choose(role) {
                Ok(Some(mv)) => Ok(Thinking { choice: Some(mv), report: Some(report) }),
                Ok(None) | Err(EvalError::Interrupted) => Ok(self.without_mind(work, node)),
                Err(error) => Err(error.into()),
            };
        }
        let due = work.shown.is_none_or(|shown| shown.elapsed() >= SHOW);
        Ok(Thinking { choice: None, report: due.then(|| mind.report(role)) })
    }

    /// What is done while the engine cannot even look at the position.
    fn without_mind(&self, work: &Work, node: &Node) -> Thinking {
        let late = work.hurry || work.since.elapsed() >= work.time;
        let choice = late.then(|| self.draw(0, work.role, &node.moment.legal[work.role]));
        Thinking { choice, report: None }
    }

    fn engines(&self) -> Vec<usize> {
        let inner = lock(&self.inner);
        let is_engine = |role: &usize| matches!(inner.seats[*role], Some(Seat::Engine { .. }));
        (0..inner.seats.len()).filter(is_engine).collect()
    }

    /// A person chooses `mv` for `role` in the state `at`; from there on if that is an earlier one.
    pub(crate) fn choose(self: &Arc<Self>, at: usize, role: usize, mv: &str) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        let Some(node) = inner.history.get(at).cloned() else { return wrong("there is no such state") };
        if inner.seats.get(role) != Some(&Some(Seat::Person)) {
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

    /// Plays on from the state `at`.
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

    /// Goes back to the last state in which a person had something to decide.
    pub(crate) fn undo(self: &Arc<Self>) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        let people: Vec<usize> = inner
            .seats
            .iter()
            .enumerate()
            .filter(|(_, seat)| **seat == Some(Seat::Person))
            .map(|(role, _)| role)
            .collect();
        let line = inner.history.line(inner.tip);
        // A choice of this turn is taken back first; what was made because nothing else is legal
        // is no choice.
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

    /// Asks the engine about `role`'s moves in the state `at`, for `time`; no time ends it.
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

    /// The engine that thinks has to answer at once.
    pub(crate) fn hurry(self: &Arc<Self>) {
        let mut inner = lock(&self.inner);
        if let Some(work) = &mut inner.work {
            work.hurry = true;
        }
        inner.slice.stop();
    }

    /// Engines and players elsewhere wait, or go on.
    pub(crate) fn hold(self: &Arc<Self>, hold: bool) {
        let mut inner = lock(&self.inner);
        inner.held = hold;
        if hold {
            (inner.work, inner.hint) = (None, None);
            inner.slice.stop();
        }
        self.settle(&mut inner);
    }

    /// Others sit down.
    pub(crate) fn seat(self: &Arc<Self>, seats: Vec<Option<Seat>>) -> Result<(), Refusal> {
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

    /// Goes on with a record that has grown, or is another one: for matches that are watched.
    pub(crate) fn follow(self: &Arc<Self>, record: &Record) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        self.replay(&mut inner, record)?;
        inner.turn += 1;
        let wrongs = record.errors.last().into_iter().flatten().filter(|error| !error.is_empty());
        let wrongs: Vec<&str> = wrongs.map(String::as_str).collect();
        inner.note = (!wrongs.is_empty()).then(|| format!("at fault: {}", wrongs.join(", ")));
        self.changed.send_modify(|version| *version += 1);
        Ok(())
    }

    /// It ends: its thinking stops, and whoever listens is told.
    pub(crate) fn close(&self) {
        let mut inner = lock(&self.inner);
        inner.closed = true;
        inner.stop.stop();
        inner.slice.stop();
        drop(inner);
        self.changed.send_modify(|version| *version += 1);
    }

    /// Something went badly wrong; the session lives on without its engines.
    pub(crate) fn fail(self: &Arc<Self>, why: &str) {
        let roles = self.known.game.role_count();
        *lock(&self.minds) = (0..roles).map(|_| None).collect();
        let mut inner = lock(&self.inner);
        inner.note = Some(why.to_owned());
        inner.queued = false;
        inner.held = true;
        (inner.work, inner.hint) = (None, None);
        self.changed.send_modify(|version| *version += 1);
    }

    /// Notes that somebody uses it.
    pub(crate) fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    /// For how long nobody has used it; no time while somebody listens.
    pub(crate) fn idle(&self) -> Duration {
        if self.listeners.load(Ordering::Relaxed) > 0 { Duration::ZERO } else { lock(&self.used).elapsed() }
    }

    /// Somebody listens, until the guard is dropped.
    pub(crate) fn listen(self: &Arc<Self>) -> (Listener, watch::Receiver<u64>) {
        self.listeners.fetch_add(1, Ordering::Relaxed);
        (Listener(Arc::clone(self)), self.changed.subscribe())
    }

    /// What does not change while it lasts.
    pub(crate) fn about(&self) -> Value {
        let roles = self.known.game.roles();
        json!({
            "id": self.id,
            "game": self.known.name,
            "offered": self.known.offered,
            "roles": roles.map(|role| self.known.game.role_name(role)).collect::<Vec<_>>(),
            "board": picture::board(&self.known),
            "status": self.news(0).value,
        })
    }

    /// Where it stands, with the states from number `from` on in brief, and the last state as it is
    /// drawn if it is among them: a page that knows the others needs to ask for nothing more.
    pub(crate) fn news(&self, from: usize) -> News {
        let inner = lock(&self.inner);
        let mut value = Self::standing(&inner);
        value["states"] = Self::brief(&inner, from);
        let (tip, count, over) = (inner.tip, inner.history.len(), inner.closed);
        drop(inner);
        if tip >= from {
            value["node"] = self.node(tip).unwrap_or_default();
        }
        News { value, count, over }
    }

    /// Where it stands.
    pub(crate) fn status(&self) -> Value {
        Self::standing(&lock(&self.inner))
    }

    fn standing(inner: &Inner) -> Value {
        json!({
            "tip": inner.tip,
            "count": inner.history.len(),
            "turn": inner.turn,
            "chosen": inner.pending.iter().map(Option::is_some).collect::<Vec<_>>(),
            "seats": inner.seats,
            "held": inner.held,
            "watched": Self::is_elsewhere(inner),
            "note": inner.note,
            "spent": inner.spent.as_secs_f64(),
            "working": inner.work.as_ref().map(|work| work.role),
            "advising": inner.hint.as_ref().map(|work| work.role),
            "thought": inner.shown.as_ref().filter(|thought| !Self::is_secret(inner, thought)),
        })
    }

    /// Whether a person could learn from `thought` what is chosen at the same time.
    fn is_secret(inner: &Inner, thought: &Thought) -> bool {
        let Some(node) = inner.history.get(thought.node) else { return true };
        let others = inner.seats.iter().zip(&node.moment.legal).enumerate();
        let mut rivals = others.filter(|(role, (seat, legal))| {
            *role != thought.role && **seat == Some(Seat::Person) && legal.len() > 1
        });
        !thought.hint && rivals.next().is_some()
    }

    /// The states from number `from` on, without what is on the board.
    pub(crate) fn tree(&self, from: usize) -> Value {
        Self::brief(&lock(&self.inner), from)
    }

    fn brief(inner: &Inner, from: usize) -> Value {
        let nodes = (from..inner.history.len()).filter_map(|at| inner.history.get(at));
        let light = nodes.map(|node| {
            let scores: Vec<Option<f64>> =
                node.thoughts.iter().map(|t| t.as_ref().and_then(|t| t.best_score())).collect();
            json!({"parent": node.parent, "moves": node.joint, "scores": scores, "terminal": node.moment.terminal})
        });
        json!({ "from": from, "nodes": light.collect::<Vec<_>>() })
    }

    /// One state, as it is drawn.
    pub(crate) fn node(&self, number: usize) -> Option<Value> {
        let (node, before) = {
            let inner = lock(&self.inner);
            let node = inner.history.get(number)?.clone();
            let before = node.parent.and_then(|parent| inner.history.get(parent)).cloned();
            (node, before)
        };
        Some(picture::node(&self.known, number, &node, before.as_deref()))
    }

    /// The match as far as the state `to`, as a record.
    pub(crate) fn record(&self, to: Option<usize>) -> Option<Record> {
        let inner = lock(&self.inner);
        let to = to.unwrap_or(inner.tip);
        let last = inner.history.get(to)?;
        let nodes: Vec<&Arc<Node>> =
            inner.history.line(to).into_iter().filter_map(|at| inner.history.get(at)).collect();
        let mut record = Record {
            match_id: format!("{}.{}", self.known.name, &self.id[..8]),
            random_token: self.id.clone(),
            start_time: nodes[0].time,
            game_meta_url: format!("{}.kif", self.known.name),
            is_completed: last.moment.terminal,
            states: nodes.iter().map(|node| ggp_arena::state_text(&node.moment.facts)).collect(),
            moves: nodes.iter().skip(1).map(|node| node.joint.clone()).collect(),
            state_times: nodes.iter().map(|node| node.time).collect(),
            player_names_from_host: inner
                .seats
                .iter()
                .map(|seat| seat.as_ref().map_or("nature".to_owned(), Seat::name))
                .collect(),
            is_player_human: inner.seats.iter().map(|seat| *seat == Some(Seat::Person)).collect(),
            ..Record::default()
        };
        if last.moment.terminal {
            record.goal_values = last.moment.goals.iter().map(|goal| goal.map(i64::from)).collect();
        }
        let clocks = inner.seats.iter().flatten().map(Seat::clock).max().unwrap_or_default();
        record.set_clocks(ggp_game::Clocks { start: Duration::ZERO, play: clocks });
        Some(record)
    }

    /// The facts of a state.
    pub(crate) fn facts(node: &Node) -> &[Fact] {
        &node.moment.facts
    }
}

/// Where a session stands, and what is new of it.
pub(crate) struct News {
    pub(crate) value: Value,
    /// So many states there are.
    pub(crate) count: usize,
    /// The session has ended.
    pub(crate) over: bool,
}

/// What a slice came to.
struct Thinking {
    choice: Option<String>,
    report: Option<ggp_game::Report>,
}

/// Somebody who listens to a session.
pub(crate) struct Listener(Arc<Session>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.touch();
        self.0.listeners.fetch_sub(1, Ordering::Relaxed);
    }
}

/// `text` as the rules spell it, if it is one of `legal`.
fn spell(text: &str, legal: &[String]) -> Option<String> {
    let exact = legal.iter().find(|mv| *mv == text);
    let mut folded = legal.iter().filter(|mv| mv.eq_ignore_ascii_case(text));
    exact.or_else(|| folded.next().filter(|_| folded.next().is_none())).cloned()
}
