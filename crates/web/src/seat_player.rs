//! The players in the seats of a session. Each role has one seat.

use crate::config::Config;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The player in a seat, in the JSON form that pages send and receive.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum SeatPlayer {
    /// A person at a page.
    Person,
    /// An engine of this server, which uses tree search.
    Engine {
        /// The thinking time for each move, in seconds.
        #[serde(default = "one_second")]
        seconds: f64,
        /// The largest number of search iterations for each move. `None` for no limit.
        #[serde(default)]
        iterations: Option<u64>,
    },
    /// A player that makes random legal moves.
    Random,
    /// A remote player, which the server calls over the GGP protocol.
    Remote {
        /// The address at which the server calls the player.
        url: String,
        /// The thinking time for each move, in seconds; at least 1.
        #[serde(default = "five_seconds")]
        seconds: f64,
    },
    /// A player of a match that this server only shows, while the match is played elsewhere.
    Elsewhere,
}

fn one_second() -> f64 {
    1.0
}

fn five_seconds() -> f64 {
    5.0
}

impl SeatPlayer {
    /// The reason why a request may not set this player. `None` if `config` allows the player.
    pub(crate) fn refuse(&self, config: &Config) -> Option<String> {
        let longest = config.longest.as_secs_f64();
        match self {
            SeatPlayer::Engine { seconds, iterations } => {
                let bad = !(0.0..=longest).contains(seconds) || iterations.is_some_and(|n| n == 0);
                bad.then(|| format!("an engine thinks for at most {longest} seconds a move"))
            }
            SeatPlayer::Remote { .. } if !config.remote => {
                Some("this server calls no players elsewhere: it is open to others".to_owned())
            }
            SeatPlayer::Remote { seconds, .. } if !(1.0..=longest).contains(seconds) => {
                Some(format!("a player elsewhere has from 1 to {longest} seconds a move"))
            }
            SeatPlayer::Elsewhere => Some("a seat cannot be set to `elsewhere`".to_owned()),
            SeatPlayer::Person | SeatPlayer::Random | SeatPlayer::Remote { .. } => None,
        }
    }

    /// The thinking time for each move. Zero for [`SeatPlayer::Person`], [`SeatPlayer::Random`] and
    /// [`SeatPlayer::Elsewhere`].
    pub(crate) fn clock(&self) -> Duration {
        match self {
            SeatPlayer::Engine { seconds, .. } | SeatPlayer::Remote { seconds, .. } => {
                Duration::from_secs_f64(*seconds)
            }
            SeatPlayer::Person | SeatPlayer::Random | SeatPlayer::Elsewhere => Duration::ZERO,
        }
    }

    /// The name of the player in records.
    pub(crate) fn name(&self) -> String {
        match self {
            SeatPlayer::Person => "human".to_owned(),
            SeatPlayer::Engine { iterations: Some(n), .. } => format!("mcts:iterations={n}"),
            SeatPlayer::Engine { .. } => "mcts".to_owned(),
            SeatPlayer::Random => "random".to_owned(),
            SeatPlayer::Remote { url, .. } => url.clone(),
            SeatPlayer::Elsewhere => "elsewhere".to_owned(),
        }
    }
}
