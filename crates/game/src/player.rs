//! The interface of a player, whether it runs in this process, in another program, or behind HTTP.
//!
//! Moves cross this interface as canonical text, since each player has its own state machine.

use crate::{EvalError, Fact, Game, JointMoveError, Role};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The clocks of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The time for preparation before the first move.
    pub start: Duration,
    /// The time for each move.
    pub play: Duration,
}

/// The time at which an answer is due; `None` means no deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(pub Option<Instant>);

impl Deadline {
    /// The deadline `time` from now.
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(time))
    }

    /// No deadline.
    pub fn never() -> Deadline {
        Deadline(None)
    }

    /// The remaining time: `None` without a deadline, zero after it has passed.
    pub fn remaining(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether the deadline has passed.
    pub fn is_over(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }
}

/// A flag that asks a computation to stop and answer at once. Clones share the flag.
#[derive(Clone, Default, Debug)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// Makes a flag that is not raised.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// The underlying atomic flag, for evaluators that do not depend on this crate.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Raises the flag.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends a long computation that polls the flag.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] if the flag is raised.
    pub fn check(&self) -> Result<(), EvalError> {
        if self.is_stopped() { Err(EvalError::Interrupted) } else { Ok(()) }
    }
}

/// The information that a player receives before it chooses a move.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    /// The match begins; no move was made yet.
    Start,
    /// GDL-I: the last joint move, as canonical texts in role order.
    Moves(&'a [String]),
    /// GDL-II: the percepts of this role.
    Percepts {
        /// The number of the finished turn, from 1.
        turn: u32,
        /// The role's own move in that turn.
        own: &'a str,
        /// The role's percepts in that turn.
        seen: &'a [Fact],
    },
}

/// One move that a player considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The canonical text of the move.
    pub mv: String,
    /// The number of visits of the move.
    pub visits: u64,
    /// The mean score of the player's own role, 0..=100; `None` without visits.
    pub score: Option<f64>,
    /// The proven goal of the player's role; `None` if the search proved none.
    pub proven: Option<u8>,
}

/// Statistics of the search for a player's last move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The moves considered: first the preferred one, then the others by falling visits.
    pub candidates: Vec<Candidate>,
    /// The number of search iterations.
    pub iterations: u64,
    /// The number of finished playouts.
    pub playouts: u64,
    /// The number of nodes in the tree.
    pub nodes: u64,
    /// The time used.
    pub elapsed: Duration,
    /// The principal variation: joint moves as texts in role order.
    pub principal: Vec<Vec<String>>,
}

impl Report {
    /// With fewer iterations, a search has hardly visited each move of a medium-sized game.
    const FEW_ITERATIONS: u64 = 50;

    /// Whether the chosen move is hardly better than a guess: several moves, few iterations and no proof.
    pub fn is_guess(&self) -> bool {
        let proved = self.candidates.first().is_some_and(|candidate| candidate.proven.is_some());
        self.iterations < Report::FEW_ITERATIONS && self.candidates.len() > 1 && !proved
    }
}

/// The reason why a player gives no move.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The player received a joint move that its rules do not know.
    #[error("the joint move cannot be applied: {0}")]
    BadJointMove(#[from] JointMoveError),
    /// The player's role has no legal move.
    #[error("no legal move")]
    NoMove,
    /// The player did not answer within the clock.
    #[error("no answer within the clock")]
    TimedOut,
    /// The player ended, closed the connection, or could not be reached.
    #[error("the player is gone: {0}")]
    Gone(String),
    /// The player's answer is not a move.
    #[error("the answer is no move: {0}")]
    BadAnswer(String),
    /// The player cannot play this game.
    #[error("{0}")]
    Unable(String),
}

/// A player of one role in one match.
pub trait Player: Send {
    /// Prepares for a match and returns before `deadline`.
    ///
    /// # Errors
    /// When the player cannot play this game.
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError>;

    /// Processes the observation `seen` and chooses a move, as canonical text. Returns before `deadline`,
    /// and at once when `stop` is raised.
    ///
    /// # Errors
    /// When the player has no move to give.
    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError>;

    /// Processes the observation `seen` without choosing a move, for turns in which all moves are
    /// prescribed, as in given openings. The default calls [`Player::play`] with no time and drops the
    /// answer.
    ///
    /// # Errors
    /// As [`Player::play`].
    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let stop = StopToken::new();
        stop.stop();
        self.play(seen, Deadline::after(Duration::ZERO), &stop).map(drop)
    }

    /// Searches on the opponents' time until `stop` is raised. The default does nothing.
    fn ponder(&mut self, stop: &StopToken) {
        let _ = stop;
    }

    /// The statistics of the last move's search, if the player provides them.
    fn report(&self) -> Option<Report> {
        None
    }

    /// The name of the machine with which the player searches ([`StateMachine::name`]); `None` if the
    /// player does not provide it.
    ///
    /// [`StateMachine::name`]: crate::StateMachine::name
    fn reasoner(&self) -> Option<&'static str> {
        None
    }

    /// Ends the match; `seen` is the last observation.
    fn stop(&mut self, seen: Observation<'_>) {
        let _ = seen;
    }
}
