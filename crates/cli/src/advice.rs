//! The search results for a role, computed from nothing but what the role has been told in the match.

use ggp_game::{
    Clocks, Deadline, Game, Observation, OwnTurn, PlayError, Player, Role, SearchReport, StopToken,
};
use std::sync::Arc;

/// What a role has been told about one turn.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    /// The joint move, as texts in role order.
    Moves(Vec<String>),
    /// In a game of hidden information, the role's own move and its percepts.
    Own(OwnTurn),
}

impl Told {
    /// What the observation `seen` tells. `None` at the start of the match.
    pub(crate) fn of(seen: Observation<'_>) -> Option<Told> {
        match seen {
            Observation::Start => None,
            Observation::Moves(joint) => Some(Told::Moves(joint.to_vec())),
            Observation::Percepts { own, seen, .. } => {
                Some(Told::Own(OwnTurn { own: own.to_owned(), seen: seen.to_vec() }))
            }
        }
    }

    /// The observation of a player that is told this about the turn with the number `turn`, counted from 1.
    pub(crate) fn observation(&self, turn: u32) -> Observation<'_> {
        match self {
            Told::Moves(joint) => Observation::Moves(joint),
            Told::Own(OwnTurn { own, seen }) => Observation::Percepts { turn, own, seen },
        }
    }
}

/// Starts `player` as `role`, tells it `told`, one entry for each turn, and lets it search for its next move. The
/// best move comes first in the report.
///
/// # Errors
/// When the player cannot play the game, or makes no report.
pub(crate) fn advice(
    player: &mut dyn Player,
    (game, role): (&Arc<Game>, Role),
    told: &[Told],
    clocks: Clocks,
    stop: &StopToken,
) -> Result<SearchReport, PlayError> {
    player.start(game, role, clocks, Deadline::after(clocks.start), stop)?;
    let mut seen = Observation::Start;
    for (turn, told) in (1..).zip(told) {
        player.observe(seen)?;
        seen = told.observation(turn);
    }
    player.play(seen, Deadline::after(clocks.play), stop)?;
    player.report().ok_or_else(|| PlayError::Unable("the player does not report what it found".to_owned()))
}
