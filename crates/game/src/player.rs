//! The interface of a player. The player may run in this process, in another program, or behind HTTP.
//!
//! Moves cross this interface as canonical text, since each player has its own state machine.

use crate::clock::{Clocks, Deadline, StopToken};
use crate::{EvalError, Fact, Game, JointMoveError, Role};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The information that a player receives before it chooses a move.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    /// The match begins, and no move has been made yet.
    Start,
    /// The last joint move in a GDL-I game, as canonical texts in role order.
    Moves(&'a [String]),
    /// The percepts of this role in a GDL-II game.
    Percepts {
        /// The finished turn, counted from 1.
        turn: u32,
        /// The role's own move in that turn.
        own: &'a str,
        /// The role's percepts in that turn.
        seen: &'a [Fact],
    },
}

/// An [`Observation`] that owns its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnedObservation {
    /// See [`Observation::Start`].
    Start,
    /// See [`Observation::Moves`].
    Moves(Vec<String>),
    /// See [`Observation::Percepts`].
    Percepts {
        /// The finished turn, counted from 1.
        turn: u32,
        /// The role's own move in that turn.
        own: String,
        /// The role's percepts in that turn.
        seen: Vec<Fact>,
    },
}

impl OwnedObservation {
    /// The observation that borrows the texts of this one.
    pub fn borrowed(&self) -> Observation<'_> {
        match self {
            OwnedObservation::Start => Observation::Start,
            OwnedObservation::Moves(joint) => Observation::Moves(joint),
            OwnedObservation::Percepts { turn, own, seen } => {
                Observation::Percepts { turn: *turn, own, seen }
            }
        }
    }
}

impl From<Observation<'_>> for OwnedObservation {
    fn from(observation: Observation<'_>) -> OwnedObservation {
        match observation {
            Observation::Start => OwnedObservation::Start,
            Observation::Moves(joint) => OwnedObservation::Moves(joint.to_vec()),
            Observation::Percepts { turn, own, seen } => {
                OwnedObservation::Percepts { turn, own: own.to_owned(), seen: seen.to_vec() }
            }
        }
    }
}

/// One move that a player considered.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The canonical text of the move.
    pub mv: String,
    /// The number of times that the search has visited the move.
    pub visits: u64,
    /// The mean score of the player's own role after this move, from 0 to 100. `None` if the move has no
    /// visits.
    pub score: Option<f64>,
    /// The final goal of the player's role after this move, if the search has proved it. Otherwise `None`.
    pub proven: Option<u8>,
    /// The probability of the move, if the player draws its move from a mixed strategy. Otherwise `None`.
    pub probability: Option<f64>,
}

/// Statistics of the search for a player's last move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchReport {
    /// The moves that the player considered. The chosen move comes first. The others follow in descending
    /// order of visits, or of score in games of imperfect information.
    pub candidates: Vec<Candidate>,
    /// The number of search iterations.
    pub iterations: u64,
    /// The number of finished playouts.
    pub playouts: u64,
    /// The number of nodes in the search tree.
    pub nodes: u64,
    /// The time that the search took.
    pub elapsed: Duration,
    /// The principal variation: joint moves as texts in role order.
    pub principal: Vec<Vec<String>>,
}

impl SearchReport {
    /// A search with fewer iterations than this visits most moves of a medium-sized game once or not at all.
    const FEW_ITERATIONS: u64 = 50;

    /// Whether the chosen move is hardly better than a guess: the role has several moves, the search has done
    /// few iterations, and it has not proved the goal of the chosen move.
    pub fn is_guess(&self) -> bool {
        let proved = self.candidates.first().is_some_and(|candidate| candidate.proven.is_some());
        self.iterations < SearchReport::FEW_ITERATIONS && self.candidates.len() > 1 && !proved
    }
}

/// The move that a player would make if its search ended now. The player sets it while it searches, and another
/// thread reads it if the answer does not come in time.
///
/// ```
/// let draft = ggp_game::Draft::default();
/// assert_eq!(draft.get(), None);
/// draft.set(Some("(drop 4)".to_owned()));
/// assert_eq!(draft.clone().get().as_deref(), Some("(drop 4)"));
/// ```
#[derive(Clone, Default, Debug)]
pub struct Draft(Arc<Mutex<Option<String>>>);

impl Draft {
    /// Sets the move, as its canonical text; `None` if the player has no preference yet.
    pub fn set(&self, mv: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = mv;
    }

    /// The move that was set last.
    pub fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The reason why a player gives no move.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The player received a joint move with a move that does not exist in its rules.
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

    /// Processes the observation `seen` and chooses a move. Returns its canonical text before `deadline`, or
    /// at once when `stop` is raised.
    ///
    /// # Errors
    /// When the player cannot choose a move.
    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError>;

    /// The draft that [`Player::play`] keeps up to date while the player searches. A caller clears it before it asks
    /// for a move, and reads it if the answer does not come in time. `None` if the player keeps no draft; this is the
    /// default.
    fn draft(&self) -> Option<Draft> {
        None
    }

    /// Processes the observation `seen` without choosing a move. This is for turns in which all moves are
    /// prescribed, as in an opening. The default calls [`Player::play`] with a deadline that has passed and a
    /// raised stop flag, and ignores the answer.
    ///
    /// # Errors
    /// As [`Player::play`].
    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let stop = StopToken::new();
        stop.stop();
        self.play(seen, Deadline::after(Duration::ZERO), &stop).map(drop)
    }

    /// Searches in the opponents' time, until `stop` is raised. The default does nothing.
    fn ponder(&mut self, stop: &StopToken) {
        let _ = stop;
    }

    /// The statistics of the search for the last move. `None` if the player provides none.
    fn report(&self) -> Option<SearchReport> {
        None
    }

    /// The name of the machine with which the player searches ([`StateMachine::name`]); `None` if the
    /// player does not provide it.
    ///
    /// [`StateMachine::name`]: crate::StateMachine::name
    fn reasoner(&self) -> Option<&'static str> {
        None
    }

    /// Ends the match. `seen` is the last observation. The default does nothing.
    fn stop(&mut self, seen: Observation<'_>) {
        let _ = seen;
    }

    /// Ends a match that somebody has interrupted, without waiting long. `seen` is the last observation. The default ends it
    /// by [`Player::stop`].
    fn abort(&mut self, seen: Observation<'_>) {
        self.stop(seen);
    }
}
