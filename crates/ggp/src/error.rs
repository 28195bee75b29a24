//! One error type for all parts of the library, so that programs can use `?` everywhere.

use crate::batch_error::BatchError;
use crate::build::BuildError;
use crate::load::LoadError;
use crate::participants::ParticipantError;
use crate::spec::{KindError, SuitError};
use ggp_arena::TournamentError;
use ggp_game::{EvalError, PlayError, UnknownRole};
use ggp_search::SpecError;

/// Any error of this library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rulesheet cannot be read or played. The error holds all diagnostics.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The network of a game cannot be built, although one is required.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A batch cannot be made, or cannot make a step.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A text is not a joint move, or a move in it is not legal.
    #[error(transparent)]
    JointMove(#[from] ggp_game::JointMoveError),
    /// The game has no such role.
    #[error(transparent)]
    UnknownRole(#[from] UnknownRole),
    /// A search or a proof was requested in a game with percepts. Searches and proofs assume that every role
    /// sees the whole state, but in such a game the roles do not see it.
    #[error(
        "the roles of this game do not see the whole state (it has `sees`): a player that is told its percepts \
         plays it, `best_play` and `CfrPlus` solve it"
    )]
    HiddenInformation,
    /// The role with this name has no legal move, or the game is over.
    #[error("{0} has no move to make: the game is over, or the rules give no legal move")]
    NoMove(String),
    /// A text describes no player, or has an invalid option.
    #[error(transparent)]
    Player(#[from] KindError),
    /// A player does not support a game.
    #[error(transparent)]
    Unsuited(#[from] SuitError),
    /// A player cannot be started.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The number of players differs from the number of roles other than `random`.
    #[error("{given} players for {wanted} roles")]
    WrongNumberOfPlayers {
        /// The number of players given.
        given: usize,
        /// The number of roles other than `random`.
        wanted: usize,
    },
    /// A text describes no participant of a tournament, or a participant does not support a game.
    #[error(transparent)]
    Participants(#[from] ParticipantError),
    /// A tournament cannot begin or continue.
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    /// A sidecar, a written description of a game's board, is invalid.
    #[error(transparent)]
    Sidecar(#[from] ggp_view::SidecarError),
    /// A match record cannot be read.
    #[error(transparent)]
    Record(#[from] ggp_arena::RecordError),
    /// The extensive form of a game cannot be computed.
    #[error(transparent)]
    Unfold(#[from] ggp_equilibrium::UnfoldError),
    /// [`best_play`](ggp_equilibrium::best_play) cannot compute how a single role plays best against chance.
    #[error(transparent)]
    BestPlay(#[from] ggp_equilibrium::BeliefError),
    /// CFR+ does not apply to a game, because the game does not have exactly two players, or because the sum
    /// of their goals is not constant.
    #[error(transparent)]
    NotConstantSum(#[from] ggp_equilibrium::NotConstantSum),
}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Error {
        Error::Player(KindError::Spec(error))
    }
}
