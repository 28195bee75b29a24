//! What a player is, wherever it runs: here, in another program, or behind HTTP.
//!
//! Moves cross this border as canonical text, since each player has a machine of its own.

use crate::{EvalError, Fact, Game, Role};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The clocks of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Time before the first move.
    pub start: Duration,
    /// Time for each move.
    pub play: Duration,
}

/// When an answer is due; `None` is never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(pub Option<Instant>);

impl Deadline {
    /// `time` from now.
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(time))
    }

    /// No deadline.
    pub fn never() -> Deadline {
        Deadline(None)
    }

    /// Time left; `None` when there is no deadline, zero when it has passed.
    pub fn remaining(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether it has passed.
    pub fn is_over(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }
}

/// A flag that asks whoever thinks to stop and answer at once. Clones share the flag.
#[derive(Clone, Default, Debug)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// A flag that is not raised.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// The flag itself, for evaluators that know nothing of players.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Raises it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is raised.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends long work that polls the flag.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] if the flag is raised.
    pub fn check(&self) -> Result<(), EvalError> {
        if self.is_stopped() { Err(EvalError::Interrupted) } else { Ok(()) }
    }
}

/// What a player learns before it is asked for a move.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    /// The match begins: nothing has been played.
    Start,
    /// GDL-I: the joint move just made, canonical texts in role order.
    Moves(&'a [String]),
    /// GDL-II: what this role saw.
    Percepts {
        /// The number of the turn that is over, from 1.
        turn: u32,
        /// The role's own move in it.
        own: &'a str,
        /// What it saw.
        seen: &'a [Fact],
    },
}

/// One move that a player considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its canonical text.
    pub mv: String,
    /// How often the search went there.
    pub visits: u64,
    /// The mean score for the player's own role, 0..=100; `None` when unvisited.
    pub score: Option<f64>,
    /// The proved goal of the player's role, if the search has proved one.
    pub proven: Option<u8>,
}

/// What a player thought about its last move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The moves considered: the one preferred, then those visited most.
    pub candidates: Vec<Candidate>,
    /// Search iterations.
    pub iterations: u64,
    /// Playouts finished.
    pub playouts: u64,
    /// Nodes in the tree.
    pub nodes: u64,
    /// Time used.
    pub elapsed: Duration,
    /// The principal variation: joint moves as texts in role order.
    pub principal: Vec<Vec<String>>,
}

impl Report {
    /// A search of fewer iterations has hardly looked at each move of a game of middle size.
    const FEW_ITERATIONS: u64 = 50;

    /// Whether the search had so few iterations, with moves to choose from and no proof, that its choice says
    /// little.
    pub fn is_guess(&self) -> bool {
        let proved = self.candidates.first().is_some_and(|candidate| candidate.proven.is_some());
        self.iterations < Report::FEW_ITERATIONS && self.candidates.len() > 1 && !proved
    }
}

/// Why a player has no move to give.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// It was told a joint move that its rules do not know.
    #[error("the joint move {0} cannot be applied")]
    BadJointMove(String),
    /// Its role has no legal move.
    #[error("no legal move")]
    NoMove,
    /// No answer within the clock.
    #[error("no answer within the clock")]
    TimedOut,
    /// It ended, closed the connection, or could not be reached.
    #[error("the player is gone: {0}")]
    Gone(String),
    /// It answered with something that is no move.
    #[error("the answer is no move: {0}")]
    BadAnswer(String),
    /// It cannot play this game.
    #[error("{0}")]
    Unable(String),
}

/// A player of one role in one match.
pub trait Player: Send {
    /// Prepares for a match; returns before `deadline`.
    ///
    /// # Errors
    /// When it cannot play this game.
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError>;

    /// Takes note of `seen` and chooses a move, as canonical text, before `deadline`, or at once
    /// when `stop` is raised.
    ///
    /// # Errors
    /// When it has no move to give.
    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError>;

    /// Takes note of `seen` without being asked for a move: the turn is played for everyone, as in
    /// openings that are given. By default it is asked with no time, and its answer is dropped.
    ///
    /// # Errors
    /// As [`Player::play`].
    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let stop = StopToken::new();
        stop.stop();
        self.play(seen, Deadline::after(Duration::ZERO), &stop).map(drop)
    }

    /// Thinks on others' time until `stop` is raised. Does nothing by default.
    fn ponder(&mut self, stop: &StopToken) {
        let _ = stop;
    }

    /// What it thought about its last move, if it says.
    fn report(&self) -> Option<Report> {
        None
    }

    /// What evaluates the rules while it thinks, in one word ([`StateMachine::name`]), if it says.
    ///
    /// [`StateMachine::name`]: crate::StateMachine::name
    fn reasoner(&self) -> Option<&'static str> {
        None
    }

    /// The match is over; `seen` is the last observation.
    fn stop(&mut self, seen: Observation<'_>) {
        let _ = seen;
    }
}
