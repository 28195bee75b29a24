//! Comparisons of two players, computed from the results of matches. Two players are compared in each match
//! in which both take part, and in each pair of matches.
//!
//! In a match, the player with the higher mean goal over its roles beats the other. An encounter is all
//! matches of the same players in one game from one opening. Two matches of an encounter are a pair of two
//! players if they differ only in that these two players have swapped seats. In a single-player game, two
//! players are compared by their goals in two matches from the same opening. These two matches count as one
//! comparison and as one pair.

use crate::result::MatchResult;
use std::collections::HashMap;

/// The comparison of two players in one match, or in two matches of a single-player game. The first player is
/// the one whose name is bytewise smaller.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Comparison {
    pub(crate) players: [String; 2],
    /// The first player's score in half points: 0 for a loss, 1 for a draw, 2 for a win.
    pub(crate) score: u8,
}

/// The score of one player against another over a pair of matches, both of which were played. The first
/// player is the one whose name is bytewise smaller.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Pair {
    pub(crate) players: [String; 2],
    /// The first player's score over both matches, in half points: 0 to 4.
    pub(crate) score: u8,
}

/// Compares the players of each added match. Joins two matches to a pair when the second of them is added.
#[derive(Default, Debug)]
pub(crate) struct Comparisons {
    /// The first player's score in each match whose partner (the other match of the pair) has not been added
    /// yet. The key is the [`pair_key`] that the match and its partner share.
    halves: HashMap<String, u8>,
    /// For each encounter of a single-player game, by its id: the players whose matches were added, with
    /// their goals.
    alone: HashMap<String, Vec<(String, u8)>>,
}

impl Comparisons {
    /// Adds `result`, which must be scored. Returns the new comparisons of its players, and the pairs that
    /// `result` completes.
    pub(crate) fn add(&mut self, result: &MatchResult) -> (Vec<Comparison>, Vec<Pair>) {
        let played: Vec<(&str, u8)> = result
            .players
            .iter()
            .zip(&result.goals)
            .filter_map(|(player, goal)| Some((player.as_deref()?, (*goal)?)))
            .collect();
        if let [(player, goal)] = played[..] {
            return self.add_alone(&result.encounter, player, goal);
        }
        let mut names: Vec<&str> = played.iter().map(|&(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        let (mut comparisons, mut pairs) = (Vec::new(), Vec::new());
        for (position, &first) in names.iter().enumerate() {
            for &second in &names[position + 1..] {
                let score = compare(mean(&played, first), mean(&played, second));
                let players = [first.to_owned(), second.to_owned()];
                let key = pair_key(&result.encounter, &played, first, second);
                match self.halves.remove(&key) {
                    Some(half) => pairs.push(Pair { players: players.clone(), score: half + score }),
                    None => drop(self.halves.insert(key, score)),
                }
                comparisons.push(Comparison { players, score });
            }
        }
        (comparisons, pairs)
    }

    fn add_alone(&mut self, encounter: &str, player: &str, goal: u8) -> (Vec<Comparison>, Vec<Pair>) {
        let others = self.alone.entry(encounter.to_owned()).or_default();
        let compared = others.iter().filter(|(other, _)| other != player).map(|(other, goals)| {
            let (own, theirs) = (f64::from(goal), f64::from(*goals));
            if player < other.as_str() {
                Comparison { players: [player.to_owned(), other.clone()], score: compare(own, theirs) }
            } else {
                Comparison { players: [other.clone(), player.to_owned()], score: compare(theirs, own) }
            }
        });
        let comparisons: Vec<Comparison> = compared.collect();
        others.push((player.to_owned(), goal));
        let pair = |c: &Comparison| Pair { players: c.players.clone(), score: 2 * c.score };
        let pairs = comparisons.iter().map(pair).collect();
        (comparisons, pairs)
    }
}

fn compare(first: f64, second: f64) -> u8 {
    match first.total_cmp(&second) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    }
}

/// The mean goal of the player `name` over the roles that it played.
fn mean(played: &[(&str, u8)], name: &str) -> f64 {
    let goals: Vec<f64> =
        played.iter().filter(|(n, _)| *n == name).map(|(_, goal)| f64::from(*goal)).collect();
    goals.iter().sum::<f64>() / goals.len().max(1) as f64
}

/// A key that is equal for a match and for its partner, in which the two players have swapped seats.
fn pair_key(encounter: &str, played: &[(&str, u8)], first: &str, second: &str) -> String {
    let seating = |first: &str, second: &str| {
        let mut text = String::new();
        for (name, _) in played {
            let name = match *name {
                name if name == first => "\u{1}",
                name if name == second => "\u{2}",
                name => name,
            };
            text.push_str(name);
            text.push('\n');
        }
        text
    };
    let seating = seating(first, second).min(seating(second, first));
    format!("{encounter}\n{first}\n{second}\n{seating}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A result of a match. `seats` holds the names and goals of the players, in role order.
    pub(crate) fn result(encounter: &str, seating: usize, seats: &[(&str, u8)]) -> MatchResult {
        MatchResult {
            id: format!("{encounter}.s{seating}"),
            tournament: "t".to_owned(),
            encounter: encounter.to_owned(),
            game: "game".to_owned(),
            roles: (0..seats.len()).map(|role| format!("role{role}")).collect(),
            players: seats.iter().map(|(name, _)| Some((*name).to_owned())).collect(),
            goals: seats.iter().map(|(_, goal)| Some(*goal)).collect(),
            goals_given: Vec::new(),
            ending: "terminal".to_owned(),
            why: String::new(),
            steps: 9,
            opening: 0,
            moves_digest: String::new(),
            ended: 0,
            time: Vec::new(),
            faults: Vec::new(),
            unlisted_faults: Vec::new(),
            settings: None,
        }
    }

    fn scores(pairs: &[Pair]) -> Vec<(&str, &str, u8)> {
        pairs.iter().map(|p| (p.players[0].as_str(), p.players[1].as_str(), p.score)).collect()
    }

    #[test]
    fn two_seatings_make_a_pair() {
        let mut all = Comparisons::default();
        let (first, none) = all.add(&result("e1", 0, &[("b", 100), ("a", 0)]));
        assert_eq!((first[0].players[0].as_str(), first[0].score, none.len()), ("a", 0, 0));
        // A match on another opening is no partner.
        assert!(all.add(&result("e2", 1, &[("a", 50), ("b", 50)])).1.is_empty());
        let (_, pairs) = all.add(&result("e1", 1, &[("a", 50), ("b", 50)]));
        assert_eq!(scores(&pairs), [("a", "b", 1)]);
        assert_eq!(all.halves.len(), 1);
    }

    #[test]
    fn in_games_for_three_the_swapped_seating_is_the_partner() {
        let mut all = Comparisons::default();
        assert!(all.add(&result("e", 0, &[("a", 100), ("a", 0), ("b", 40)])).1.is_empty());
        assert!(all.add(&result("e", 1, &[("a", 0), ("b", 40), ("a", 0)])).1.is_empty());
        let (comparisons, pairs) = all.add(&result("e", 2, &[("b", 0), ("b", 0), ("a", 0)]));
        // `a` scores (100 + 0) / 2 against 40, then 0 against 0.
        assert_eq!((comparisons[0].score, scores(&pairs)), (1, vec![("a", "b", 3)]));
        let mut all = Comparisons::default();
        all.add(&result("e", 0, &[("a", 100), ("b", 0), ("c", 0)]));
        let (comparisons, pairs) = all.add(&result("e", 1, &[("b", 100), ("a", 0), ("c", 0)]));
        assert_eq!(comparisons.len(), 3);
        assert_eq!(scores(&pairs), [("a", "b", 2)]);
    }

    #[test]
    fn those_who_play_alone_are_compared_by_opening() {
        let mut all = Comparisons::default();
        assert!(all.add(&result("e", 0, &[("b", 80)])).0.is_empty());
        let (comparisons, pairs) = all.add(&result("e", 1, &[("a", 90)]));
        assert_eq!((comparisons[0].score, scores(&pairs)), (2, vec![("a", "b", 4)]));
        let (_, pairs) = all.add(&result("e", 2, &[("c", 80)]));
        assert_eq!(scores(&pairs), [("b", "c", 2), ("a", "c", 4)]);
    }

    #[test]
    fn a_player_against_itself_says_nothing() {
        let (comparisons, pairs) = Comparisons::default().add(&result("e", 0, &[("a", 100), ("a", 0)]));
        assert!(comparisons.is_empty() && pairs.is_empty());
    }
}
