//! The trial of an entrant before the first match: its conditions and its failure.

use ggp_game::{Clocks, Game, Role, StopToken};
use std::sync::Arc;
use std::time::Duration;

/// The conditions of an entrant's trial.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// A game of the tournament.
    pub game: &'a Arc<Game>,
    /// A role of `game` that entrants play, not `random`.
    pub role: Role,
    /// The clocks of the tournament.
    pub clocks: Clocks,
    /// How long after the clock an answer is still accepted.
    pub grace: Duration,
    /// Raised to end the trial at once; its result is then ignored.
    pub stop: &'a StopToken,
}

/// The reason why an entrant cannot take part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit {
    /// The error.
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
    /// The cause.
    pub unfit: Unfit,
}
