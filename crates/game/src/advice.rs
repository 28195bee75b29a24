//! The search results of a player for a role, from the observations of that role alone.

use crate::{Clocks, Deadline, Game, OwnedObservation, PlayError, Player, Role, SearchReport, StopToken};
use std::sync::Arc;

/// Starts `player` as `role`, passes on `observations`, and lets the player search for the role's next move.
/// `observations` are all observations of the role in the match: the first one is [`OwnedObservation::Start`], and each
/// finished turn adds one. The chosen move comes first in the report.
///
/// # Errors
/// When the player cannot play the game, or when it makes no report.
pub fn advice(
    player: &mut dyn Player,
    (game, role): (&Arc<Game>, Role),
    observations: &[OwnedObservation],
    clocks: Clocks,
    stop: &StopToken,
) -> Result<SearchReport, PlayError> {
    player.start(game, role, clocks, Deadline::after(clocks.start), stop)?;
    let (last, earlier) = observations.split_last().unwrap_or((&OwnedObservation::Start, &[]));
    for observation in earlier {
        player.observe(observation.borrowed())?;
    }
    player.play(last.borrowed(), Deadline::after(clocks.play), stop)?;
    player.report().ok_or_else(|| PlayError::Unable("the player does not report what it found".to_owned()))
}
