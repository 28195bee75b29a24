//! Totals over the results of matches: goals, wins, ratings, faults, time.
//!
//! Invariants: the totals do not depend on the order of the results, except for the series of mean goals and
//! the list of settings. In games of several players, memory grows with the number of players, of games, and
//! of encounters with incomplete pairs, but not with the number of matches. In single-player games, all goals
//! are kept.

use crate::account::TimeAccount;
use crate::comparison::Comparisons;
use crate::digest::Digest;
use crate::elo::Scores;
use crate::fault::FaultKind;
use crate::interval::{Estimate, Moments};
use crate::ratings::{BLOCKS, Meetings, rate};
use crate::read_results::read_all;
use crate::result::MatchResult;
use crate::results_error::{Flaw, ResultsError};
use crate::series::Series;
use crate::settings::Settings;
use crate::summary::{
    FirstFault, GameSummary, PairSummary, PlayerSummary, REQUIRED_PAIRS, RoleSummary, Summary,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

/// Running totals over results.
#[derive(Default, Debug)]
pub struct Standings {
    players: BTreeMap<String, Tally>,
    pairs: BTreeMap<[String; 2], PairTally>,
    comparisons: Comparisons,
    endings: BTreeMap<String, u64>,
    unscored: u64,
    matches: u64,
    /// The different settings of the results, at most [`MAX_SETTINGS`].
    settings: Vec<Settings>,
}

/// The maximum number of different settings that are kept.
const MAX_SETTINGS: usize = 16;

/// The totals of one player.
#[derive(Default, Debug)]
struct Tally {
    entered: u64,
    matches: u64,
    goals: Moments,
    games: BTreeMap<String, BTreeMap<usize, (String, Moments)>>,
    outcomes: [u64; 3],
    faults: BTreeMap<FaultKind, u64>,
    first_faults: BTreeMap<FaultKind, FirstFault>,
    faulty_matches: u64,
    time: TimeAccount,
    series: Series,
}

/// The totals of the comparisons of two players. Scores are the first player's.
#[derive(Debug)]
struct PairTally {
    matches: [u64; 3],
    pairs: [u64; 5],
    /// The encounters in which the two players have a complete match pair, as hashes of the encounter ids. At
    /// most [`REQUIRED_PAIRS`] hashes are kept.
    encounters: BTreeSet<u64>,
    /// The matches of these pairs that differ in their moves, as hashes of the game and the moves; likewise.
    different: BTreeSet<u64>,
    meetings: Meetings,
}

impl Standings {
    /// Adds a result.
    pub fn add(&mut self, result: &MatchResult) {
        self.matches += 1;
        *self.endings.entry(result.ending.clone()).or_default() += 1;
        if let Some(settings) = &result.settings
            && self.settings.len() < MAX_SETTINGS
            && !self.settings.contains(settings)
        {
            self.settings.push(settings.clone());
        }
        let (mut entered, mut faulty): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for (role, player) in result.players.iter().enumerate() {
            let Some(player) = player else { continue };
            let tally = self.players.entry(player.clone()).or_default();
            if !entered.contains(&player.as_str()) {
                entered.push(player);
                tally.entered += 1;
            }
            if let Some(time) = result.time.get(role) {
                tally.time.merge(time);
            }
            for fault in result.faults.iter().filter(|fault| fault.role == role) {
                *tally.faults.entry(fault.kind).or_default() += 1;
                let role = result.roles.get(role).cloned().unwrap_or_default();
                let (id, step, detail) = (result.id.clone(), fault.step, fault.detail.clone());
                let this = FirstFault { id, step, role, detail, late_start: fault.late_start };
                let first = tally.first_faults.entry(fault.kind).or_insert_with(|| this.clone());
                if this < *first {
                    *first = this;
                }
                if !faulty.contains(&player.as_str()) {
                    faulty.push(player);
                    tally.faulty_matches += 1;
                }
            }
            for (&kind, &count) in result.unlisted_faults.get(role).into_iter().flatten() {
                *tally.faults.entry(kind).or_default() += count;
            }
        }
        if !result.is_scored() {
            self.unscored += 1;
            return;
        }
        let mut counted: Vec<&str> = Vec::new();
        for (role, (player, goal)) in result.players.iter().zip(&result.goals).enumerate() {
            let (Some(player), Some(goal)) = (player, goal) else { continue };
            let tally = self.players.entry(player.clone()).or_default();
            let goal = f64::from(*goal);
            tally.goals.add(goal);
            let roles = tally.games.entry(result.game.clone()).or_default();
            let name = || result.roles.get(role).cloned().unwrap_or_else(|| role.to_string());
            roles.entry(role).or_insert_with(|| (name(), Moments::default())).1.add(goal);
            tally.series.add(tally.goals.mean());
            if !counted.contains(&player.as_str()) {
                counted.push(player);
                tally.matches += 1;
            }
        }
        self.compare(result);
    }

    fn compare(&mut self, result: &MatchResult) {
        let mut digest = Digest::default();
        digest.add(result.encounter.as_bytes());
        let block = (digest.value() % BLOCKS as u64) as usize;
        let (comparisons, pairs) = self.comparisons.add(result);
        for comparison in comparisons {
            let pair = self.pairs.entry(comparison.players.clone()).or_insert_with(PairTally::new);
            pair.matches[usize::from(comparison.score)] += 1;
            pair.meetings.blocks[block][0] += f64::from(comparison.score) / 2.0;
            pair.meetings.blocks[block][1] += 1.0;
            for (side, player) in comparison.players.into_iter().enumerate() {
                let score = usize::from(comparison.score);
                let own = if side == 0 { score } else { 2 - score };
                self.players.entry(player).or_default().outcomes[own] += 1;
            }
        }
        for pair in pairs {
            let tally = self.pairs.entry(pair.players).or_insert_with(PairTally::new);
            tally.pairs[usize::from(pair.score)] += 1;
            if (tally.encounters.len() as u64) < REQUIRED_PAIRS {
                tally.encounters.insert(digest.value());
            }
            if (tally.different.len() as u64) < REQUIRED_PAIRS {
                let mut moves = Digest::default();
                moves.add(result.game.as_bytes());
                // A result without its moves counts as a match of its own.
                let told = !result.moves_digest.is_empty();
                moves.add(if told { result.moves_digest.as_bytes() } else { result.id.as_bytes() });
                tally.different.insert(moves.value());
            }
        }
    }

    /// The totals over the results in files, which hold result lines or match records. A match that occurs
    /// twice counts once. The returned list holds the defects of files that could still be read.
    ///
    /// # Errors
    /// When a file cannot be read, or none of them holds a result.
    pub fn of_files(files: &[PathBuf]) -> Result<(Standings, Vec<Flaw>), ResultsError> {
        let mut standings = Standings::default();
        let mut seen = HashSet::new();
        let flaws = read_all(files, |result| {
            if !seen.contains(&result.id) {
                standings.add(&result);
                seen.insert(result.id);
            }
            Ok(())
        })?;
        Ok((standings, flaws))
    }

    /// The number of matches added.
    pub fn matches(&self) -> u64 {
        self.matches
    }

    /// How often the player `first` had each score in its match pairs with the player `second`.
    pub fn pair_scores(&self, first: &str, second: &str) -> Scores {
        let swapped = first > second;
        let key = if swapped {
            [second.to_owned(), first.to_owned()]
        } else {
            [first.to_owned(), second.to_owned()]
        };
        let mut counts = self.pairs.get(&key).map_or([0; 5], |pair| pair.pairs);
        if swapped {
            counts.reverse();
        }
        Scores::Pairs(counts)
    }

    /// The summary of all results added so far.
    pub fn summary(&self) -> Summary {
        let names: Vec<&String> = self.players.keys().collect();
        let position = |name: &String| names.binary_search(&name).unwrap_or(0);
        let meetings: Vec<Meetings> = self
            .pairs
            .iter()
            .map(|(players, pair)| Meetings {
                players: [position(&players[0]), position(&players[1])],
                blocks: pair.meetings.blocks.clone(),
            })
            .collect();
        let ratings = rate(names.len(), &meetings);
        let mut players: Vec<PlayerSummary> = self
            .players
            .iter()
            .zip(ratings)
            .map(|((name, tally), rating)| tally.summary(name, rating))
            .collect();
        let strength = |p: &PlayerSummary| {
            (p.rating.map_or(f64::NEG_INFINITY, |r| r.value), p.goal.map_or(f64::NEG_INFINITY, |g| g.value))
        };
        players.sort_by(|a, b| {
            let ((ra, ga), (rb, gb)) = (strength(a), strength(b));
            rb.total_cmp(&ra).then(gb.total_cmp(&ga)).then_with(|| a.name.cmp(&b.name))
        });
        let mut pairs = Vec::new();
        for (place, first) in players.iter().enumerate() {
            for second in &players[place + 1..] {
                pairs.extend(self.pair_summary(&first.name, &second.name));
            }
        }
        Summary {
            matches: self.matches,
            unscored: self.unscored,
            endings: self.endings.clone(),
            players,
            pairs,
            settings: self.settings.clone(),
            accepted: None,
        }
    }

    fn pair_summary(&self, first: &str, second: &str) -> Option<PairSummary> {
        let swapped = first > second;
        let key = if swapped { [second, first] } else { [first, second] }.map(str::to_owned);
        let pair = self.pairs.get(&key)?;
        let (mut matches, mut pentanomial) = (pair.matches, pair.pairs);
        if swapped {
            matches.reverse();
            pentanomial.reverse();
        }
        let is_paired = 4 * pentanomial.iter().sum::<u64>() >= matches.iter().sum::<u64>();
        let scores = if is_paired { Scores::Pairs(pentanomial) } else { Scores::Matches(matches) };
        Some(PairSummary {
            players: [first.to_owned(), second.to_owned()],
            wins: matches[2],
            draws: matches[1],
            losses: matches[0],
            pentanomial,
            is_paired,
            encounters: pair.encounters.len() as u64,
            different: pair.different.len() as u64,
            difference: scores.difference(),
        })
    }
}

impl PairTally {
    fn new() -> PairTally {
        PairTally {
            matches: [0; 3],
            pairs: [0; 5],
            encounters: BTreeSet::new(),
            different: BTreeSet::new(),
            meetings: Meetings::new([0, 0]),
        }
    }
}

impl Tally {
    fn summary(&self, name: &str, rating: Option<Estimate>) -> PlayerSummary {
        let goal = |moments: &Moments| moments.estimate(0.0, 100.0);
        let game = |(game, roles): (&String, &BTreeMap<usize, (String, Moments)>)| {
            let mut all = Moments::default();
            for (_, moments) in roles.values() {
                all.merge(moments);
            }
            let role = |(role, moments): &(String, Moments)| RoleSummary {
                role: role.clone(),
                count: moments.count(),
                goal: goal(moments),
            };
            GameSummary {
                game: game.clone(),
                count: all.count(),
                goal: goal(&all),
                roles: roles.values().map(role).collect(),
            }
        };
        PlayerSummary {
            name: name.to_owned(),
            rating,
            entered: self.entered,
            matches: self.matches,
            wins: self.outcomes[2],
            draws: self.outcomes[1],
            losses: self.outcomes[0],
            goal: goal(&self.goals),
            games: self.games.iter().map(game).collect(),
            faults: self.faults.clone(),
            first_faults: self.first_faults.clone(),
            faulty_matches: self.faulty_matches,
            time: self.time.clone(),
            series: self.series.points(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::result;
    use crate::fault::Fault;
    use crate::outcome::{Ending, Outcome};

    #[test]
    fn totals_are_those_of_the_results() {
        let mut standings = Standings::default();
        for encounter in 0..10 {
            let name = format!("e{encounter}");
            standings.add(&result(&name, 0, &[("good", 100), ("bad", 0)]));
            let drawn = encounter % 2 == 0;
            let goals = if drawn { [50, 50] } else { [0, 100] };
            standings.add(&result(&name, 1, &[("bad", goals[0]), ("good", goals[1])]));
        }
        let mut faulty = result("e10", 0, &[("bad", 0), ("good", 0)]);
        faulty.ending = "unplayed".to_owned();
        faulty.goals = vec![None, None];
        let late = Fault { late_start: true, ..Fault::new(0, 0, FaultKind::Start, "silent") };
        faulty.faults = vec![late, Fault::new(0, 0, FaultKind::Crash, "")];
        standings.add(&faulty);
        let summary = standings.summary();
        assert_eq!((summary.matches, summary.unscored, summary.endings["unplayed"]), (21, 1, 1));
        let names: Vec<&str> = summary.players.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["good", "bad"]);
        let [good, bad] = &summary.players[..] else { panic!() };
        assert_eq!((good.wins, good.draws, good.losses, good.matches), (15, 5, 0, 20));
        assert!((good.goal.unwrap().value - 87.5).abs() < 1e-9);
        assert_eq!((bad.faults[&FaultKind::Start], bad.faulty_matches, bad.matches), (1, 1, 20));
        let late: Vec<bool> = bad.first_faults.values().map(|first| first.late_start).collect();
        assert_eq!(late, [true, false]);
        assert_eq!(good.games[0].roles.iter().map(|r| r.count).collect::<Vec<_>>(), [10, 10]);
        assert!((good.games[0].roles[1].goal.unwrap().value - 75.0).abs() < 1e-9);
        let pair = &summary.pairs[0];
        assert_eq!((pair.wins, pair.draws, pair.pentanomial), (15, 5, [0, 0, 0, 5, 5]));
        assert!(pair.difference.unwrap().superiority > 0.999);
        assert_eq!(standings.pair_scores("bad", "good"), Scores::Pairs([5, 5, 0, 0, 0]));
    }

    #[test]
    fn all_faults_of_a_match_count_though_few_are_listed() {
        let wrong = |step| Fault::new(1, step, FaultKind::Illegal, "nonsense");
        let gone = Fault::new(0, 99_999, FaultKind::Crash, "gone");
        let outcome = Outcome {
            ending: Ending::StepLimit,
            goals: vec![None; 2],
            given: Vec::new(),
            steps: 100_000,
            digest: 0,
            accounts: vec![TimeAccount::default(); 2],
            faults: (0..100_000).map(wrong).chain([gone.clone()]).collect(),
            record: None,
        };
        let mut played = result("e", 0, &[("good", 0), ("bad", 0)]);
        played.set_outcome(&outcome);
        let read: MatchResult = serde_json::from_str(&played.to_line()).unwrap();
        assert_eq!(read, played);
        assert_eq!(read.faults, (0..100).map(wrong).chain([gone]).collect::<Vec<_>>());
        assert_eq!(read.unlisted_faults, [BTreeMap::new(), BTreeMap::from([(FaultKind::Illegal, 99_900)])]);
        let mut standings = Standings::default();
        standings.add(&read);
        let faults: BTreeMap<String, BTreeMap<FaultKind, u64>> =
            standings.summary().players.into_iter().map(|player| (player.name, player.faults)).collect();
        assert_eq!(faults["bad"], BTreeMap::from([(FaultKind::Illegal, 100_000)]));
        assert_eq!(faults["good"], BTreeMap::from([(FaultKind::Crash, 1)]));
    }

    #[test]
    fn the_order_of_results_does_not_matter() {
        let mut results = Vec::new();
        for encounter in 0..40u8 {
            let name = format!("e{encounter}");
            let goals = (encounter % 3 * 50, encounter % 5 * 25);
            results.push(result(&name, 0, &[("a", goals.0), ("b", 100 - goals.0)]));
            results.push(result(&name, 1, &[("b", 100 - goals.1), ("a", goals.1)]));
        }
        let summary = |results: &[MatchResult]| {
            let mut standings = Standings::default();
            for result in results {
                standings.add(result);
            }
            standings.summary()
        };
        let forward = summary(&results);
        results.reverse();
        let backward = summary(&results);
        assert_eq!(forward.pairs, backward.pairs);
        for (a, b) in forward.players.iter().zip(&backward.players) {
            assert!((a.rating.unwrap().value - b.rating.unwrap().value).abs() < 1e-9);
            assert!((a.goal.unwrap().low - b.goal.unwrap().low).abs() < 1e-9);
        }
    }
}
