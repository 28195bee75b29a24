//! The settings of a tournament, as its results tell them.

use crate::entrants::Pairing;
use crate::fault::OnFault;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The settings of the tournament that a match belongs to. The members have the names of the options of `ggp match`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Settings {
    /// The specification of each player, by the player's name.
    pub players: BTreeMap<String, String>,
    /// The pairing.
    pub pairing: Pairing,
    /// The start clock in seconds; `None` for no limit.
    pub startclock: Option<f64>,
    /// The play clock in seconds; `None` for no limit.
    pub playclock: Option<f64>,
    /// The number of random joint moves with which each match begins.
    pub openings: u32,
    /// The referee's policy for faults.
    pub on_fault: OnFault,
    /// Whether the players of a match think at the same time.
    pub parallel: bool,
    /// The seed of the tournament.
    pub seed: u64,
}

impl Settings {
    /// All settings but the players, as pairs of name and value, in the same order for all tournaments.
    fn named(&self) -> [(&'static str, String); 7] {
        let clock = |time: Option<f64>| time.map_or("none".to_owned(), |seconds| format!("{seconds} s"));
        let thinking = if self.parallel { "at the same time" } else { "one after the other" };
        [
            ("pairing", self.pairing.to_string()),
            ("start clock", clock(self.startclock)),
            ("play clock", clock(self.playclock)),
            ("random opening moves", self.openings.to_string()),
            ("on fault", self.on_fault.to_string()),
            ("players think", thinking.to_owned()),
            ("seed", self.seed.to_string()),
        ]
    }

    /// The settings of one or several tournaments without their players, as pairs of name and value. Values that differ
    /// are listed, with commas between them.
    pub fn facts(all: &[Settings]) -> Vec<(String, String)> {
        let named: Vec<_> = all.iter().map(Settings::named).collect();
        let Some(first) = named.first() else { return Vec::new() };
        let values = |place: usize| {
            let mut values: Vec<&str> = Vec::new();
            for settings in &named {
                let value = settings[place].1.as_str();
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            values.join(", ")
        };
        first.iter().enumerate().map(|(place, (name, _))| ((*name).to_owned(), values(place))).collect()
    }

    /// The players of one or several tournaments, as pairs of name and specification. Specifications of one name that
    /// differ are listed, with semicolons between them.
    pub fn specs(all: &[Settings]) -> Vec<(String, String)> {
        let mut specs = BTreeMap::<&str, BTreeSet<&str>>::new();
        for (name, spec) in all.iter().flat_map(|settings| &settings.players) {
            specs.entry(name).or_default().insert(spec);
        }
        let joined = |specs: BTreeSet<&str>| specs.into_iter().collect::<Vec<_>>().join("; ");
        specs.into_iter().map(|(name, specs)| (name.to_owned(), joined(specs))).collect()
    }

    /// Says in what the settings of an earlier run, `self`, differ from those of the run `now`; empty if they are equal.
    pub fn differences(&self, now: &Settings) -> Vec<String> {
        let mut differences = Vec::new();
        for ((name, before), (_, now)) in self.named().into_iter().zip(now.named()) {
            if before != now {
                differences.push(format!("`{name}` was {before} and is {now} now"));
            }
        }
        for (name, spec) in &self.players {
            match now.players.get(name) {
                Some(other) if other == spec => {}
                Some(other) => differences.push(format!("{name} was `{spec}` and is `{other}` now")),
                None => differences.push(format!("{name} is missing now")),
            }
        }
        let added = now.players.keys().filter(|name| !self.players.contains_key(*name));
        differences.extend(added.map(|name| format!("{name} is new")));
        differences
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    fn settings(players: &[(&str, &str)]) -> Settings {
        let owned = |&(name, spec): &(&str, &str)| (name.to_owned(), spec.to_owned());
        Settings { players: players.iter().map(owned).collect(), ..Settings::default() }
    }

    #[test]
    fn differences_are_told_in_both_directions() {
        let before = Settings { playclock: Some(0.5), ..settings(&[("a", "mcts"), ("b", "uct")]) };
        assert!(before.differences(&before).is_empty());
        let now = Settings { parallel: true, ..settings(&[("a", "random"), ("c", "uct")]) };
        let told = [
            "`play clock` was 0.5 s and is none now",
            "`players think` was one after the other and is at the same time now",
            "a was `mcts` and is `random` now",
            "b is missing now",
            "c is new",
        ];
        assert_eq!(before.differences(&now), told);
    }

    #[test]
    fn settings_of_several_runs_are_listed_once_each() {
        let one = Settings { seed: 1, ..settings(&[("a", "mcts"), ("b", "uct")]) };
        let two = Settings { seed: 2, ..settings(&[("a", "mcts"), ("b", "random")]) };
        let facts = Settings::facts(&[one.clone(), two.clone(), one.clone()]);
        assert_eq!(facts.last(), Some(&("seed".to_owned(), "1, 2".to_owned())));
        assert_eq!(facts[0].1, "roundrobin");
        let pair = |name: &str, spec: &str| (name.to_owned(), spec.to_owned());
        assert_eq!(Settings::specs(&[one, two]), [pair("a", "mcts"), pair("b", "random; uct")]);
        assert!(Settings::facts(&[]).is_empty() && Settings::specs(&[]).is_empty());
    }
}
