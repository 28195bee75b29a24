//! The summary of a tournament's results: players, pairs of players, games and roles.

use crate::account::TimeAccount;
use crate::elo::{Difference, Hypothesis};
use crate::fault::FaultKind;
use crate::interval::Estimate;
use crate::settings::Settings;
use serde::Serialize;
use std::collections::BTreeMap;

/// The number of match pairs that the headline requires before it calls a player stronger. The pairs must
/// also come from at least this number of different encounters.
///
/// An encounter is all matches of the same players in one game from one opening, one match for each seating.
/// Two matches of an encounter are a match pair of two players if they differ only in that these two players
/// have swapped seats. In a two-role game, an encounter of two players is one pair. With more seats or more
/// players, an encounter has several pairs of the same two players. These pairs share their opening and are
/// not independent, so the headline also requires many encounters. In a single-player game, two players have
/// a pair if each has played a match from the same opening.
pub const REQUIRED_PAIRS: u64 = 30;

/// The summary of all results.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// The number of all matches, including unscored ones.
    pub matches: u64,
    /// The number of unscored matches.
    pub unscored: u64,
    /// The number of matches with each [`ending`](crate::MatchResult::ending).
    pub endings: BTreeMap<String, u64>,
    /// The players, best first.
    pub players: Vec<PlayerSummary>,
    /// The pairs of players that have been compared. The first player of a pair comes before the second in
    /// `players`, and the pairs are sorted by the positions of their players there.
    pub pairs: Vec<PairSummary>,
    /// The different settings of the tournaments that the results come from, at most 16. Empty if no result tells its
    /// settings.
    pub settings: Vec<Settings>,
    /// The hypothesis that a sequential test of the two players has accepted, for the headline. `None` without a
    /// decision.
    #[serde(skip)]
    pub accepted: Option<Hypothesis>,
}

/// The summary of one player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerSummary {
    /// The player's name.
    pub name: String,
    /// The rating in Elo, where 0 is the mean of all players. `None` if the player has no comparisons.
    pub rating: Option<Estimate>,
    /// The number of matches with this player, scored or not.
    pub entered: u64,
    /// The number of scored matches with this player.
    pub matches: u64,
    /// The number of comparisons with other players that this player won.
    pub wins: u64,
    /// The number of drawn comparisons.
    pub draws: u64,
    /// The number of lost comparisons.
    pub losses: u64,
    /// The mean goal over all roles that the player took. `None` if the player has no scored match.
    pub goal: Option<Estimate>,
    /// The player's results in each game that it played.
    pub games: Vec<GameSummary>,
    /// The number of faults of each kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// For each kind of fault, the first one, in the order of the match ids.
    pub first_faults: BTreeMap<FaultKind, FirstFault>,
    /// The number of matches with a fault of this player.
    pub faulty_matches: u64,
    /// The time account over all matches.
    pub time: TimeAccount,
    /// The course of the mean goal: pairs `(n, mean)`, where `mean` is the mean of the player's first `n`
    /// goals. There are at most a few hundred pairs.
    pub series: Vec<(u64, f64)>,
}

/// A player's first fault of one kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct FirstFault {
    /// The match id.
    #[serde(rename = "match")]
    pub id: String,
    /// The index of the step, from 0.
    pub step: u32,
    /// The name of the player's role.
    pub role: String,
    /// A description of the fault.
    pub detail: String,
    /// Whether the player was not ready when the start clock ran out.
    pub late_start: bool,
}

/// The summary of one player in one game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameSummary {
    /// The name of the game.
    pub game: String,
    /// The number of times that the player took a role of the game, over all scored matches.
    pub count: u64,
    /// The player's mean goal over all roles that it took in the game. `None` if there are no goals.
    pub goal: Option<Estimate>,
    /// The player's results in each role of the game that it took, in role order.
    pub roles: Vec<RoleSummary>,
}

/// The summary of one player in one role of one game.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RoleSummary {
    /// The name of the role.
    pub role: String,
    /// The number of scored matches in which the player took the role.
    pub count: u64,
    /// The player's mean goal in the role. `None` if there are no goals.
    pub goal: Option<Estimate>,
}

/// The summary of the comparisons of two players.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairSummary {
    /// The names of the two players. All other members are from the side of the first.
    pub players: [String; 2],
    /// The number of comparisons that the first player won.
    pub wins: u64,
    /// The number of drawn comparisons.
    pub draws: u64,
    /// The number of lost comparisons.
    pub losses: u64,
    /// The numbers of match pairs in which the first player scored 0, ¼, ½, ¾ and 1.
    pub pentanomial: [u64; 5],
    /// Whether `difference` is computed from match pairs. If not, it is computed from single matches, because
    /// most matches are not part of a pair.
    pub is_paired: bool,
    /// The number of different encounters to which the match pairs belong, counted up to [`REQUIRED_PAIRS`].
    #[serde(skip)]
    pub encounters: u64,
    /// The number of different sequences of moves among the last matches of these pairs, counted up to [`REQUIRED_PAIRS`].
    /// Players without randomness play the same match again from the same opening.
    #[serde(skip)]
    pub different: u64,
    /// The difference in strength between the two players. `None` if there are no scores.
    pub difference: Option<Difference>,
}

impl PairSummary {
    /// The number of complete match pairs, as defined at [`REQUIRED_PAIRS`].
    pub fn pair_count(&self) -> u64 {
        self.pentanomial.iter().sum()
    }
}

impl Summary {
    /// The numbers of comparisons with `second` that `first` won, drew and lost. `None` if the two have not
    /// met.
    pub fn meeting(&self, first: &str, second: &str) -> Option<[u64; 3]> {
        self.pairs.iter().find_map(|pair| {
            let [a, b] = [pair.players[0].as_str(), pair.players[1].as_str()];
            if [a, b] == [first, second] {
                Some([pair.wins, pair.draws, pair.losses])
            } else if [b, a] == [first, second] {
                Some([pair.losses, pair.draws, pair.wins])
            } else {
                None
            }
        })
    }
}
