//! The participants, the games and the pairing of a tournament.

use ggp_game::Game;
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

/// The rule that selects the groups of entrants that meet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Pairing {
    /// All groups of entrants play against each other. In a two-role game every pair of entrants plays.
    #[default]
    RoundRobin,
    /// Only groups with the first entrant play. In a two-role game the other entrants never play each other.
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
