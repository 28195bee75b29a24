//! The participants, the games and the pairing of a tournament.

use ggp_game::Game;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A participant of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// A unique name.
    pub name: String,
    /// The specification from which [`crate::Players::player`] makes the player.
    pub spec: String,
}

/// A game of a tournament.
#[derive(Clone, Debug)]
pub struct Contest {
    /// A unique name, used in ids and tables.
    pub name: String,
    /// The game.
    pub game: Arc<Game>,
}

/// The rule that selects which groups of entrants play a game together. A group has one entrant for each role
/// of the game, not counting the role `random`. If there are fewer entrants than such roles, the group holds
/// all entrants. In a single-player game, one group holds all entrants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// Every possible group plays. In a two-role game, every entrant plays every other entrant.
    #[default]
    RoundRobin,
    /// Only the groups that contain the first entrant play. In a two-role game, the other entrants never play
    /// each other.
    Gauntlet,
}

impl FromStr for Pairing {
    type Err = String;

    fn from_str(text: &str) -> Result<Pairing, String> {
        match text {
            "roundrobin" | "round-robin" => Ok(Pairing::RoundRobin),
            "gauntlet" => Ok(Pairing::Gauntlet),
            _ => Err(format!("unknown pairing `{text}`: expected roundrobin or gauntlet")),
        }
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pairing::RoundRobin => "roundrobin",
            Pairing::Gauntlet => "gauntlet",
        })
    }
}
