//! The trial of an entrant. It takes place before the first match and checks that the entrant can be started
//! or reached.

use ggp_game::{Clocks, Game, Role, StopToken};
use std::sync::Arc;
use std::time::Duration;

/// The input of an entrant's trial: a game, a role, the clocks, the grace time and a stop token.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// A game of the tournament.
    pub game: &'a Arc<Game>,
    /// A role of `game` that players take, not the role `random`.
    pub role: Role,
    /// The clocks of the tournament.
    pub clocks: Clocks,
    /// The grace time: an answer is still accepted this long after its clock has run out.
    pub grace: Duration,
    /// A token that is raised to end the trial at once. The result of the trial is then ignored.
    pub stop: &'a StopToken,
}

/// The reason why an entrant cannot take part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit {
    /// The reason, as a message to the user.
    pub why: String,
    /// What the user can do about the error.
    pub help: String,
}

/// An entrant that failed its trial.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("player {name} cannot take part: {}; {}", .unfit.why, .unfit.help)]
pub struct Refusal {
    /// The entrant's name.
    pub name: String,
    /// The reason for the failure, and the remedy.
    pub unfit: Unfit,
}
