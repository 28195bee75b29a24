//! The measurements of the search (`crates/search/docs/measurements.json`): every score with its game, its error and
//! its number of matches. The page of techniques shows a part of them.

use ggp_search::PlayerSpec;
use ggp_tests::workspace;
use serde::Deserialize;
use serde_json::Value;
use std::fs;

/// The file: entries in three lists.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    #[expect(dead_code, reason = "it is for readers of the file")]
    introduction: String,
    /// The search as a whole.
    whole: Vec<Entry>,
    /// The techniques in use.
    used: Vec<Entry>,
    /// The techniques that gained nothing.
    rejected: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    /// The option of `mcts` that controls the technique.
    option: Option<String>,
    /// The circumstances, and results that are not numbers.
    #[expect(dead_code, reason = "it is for readers of the file")]
    note: String,
    measurements: Vec<Series>,
}

/// A series of matches under the same conditions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Series {
    against: Option<String>,
    how: String,
    date: String,
    /// The result over all games, if the series has one.
    together: Option<Together>,
    /// The standard error of each score without its own.
    error: Option<f64>,
    /// The number of matches of each score without its own.
    matches: Option<u64>,
    #[serde(default)]
    scores: Vec<Score>,
    /// Results that are not scores.
    #[serde(default)]
    figures: Vec<Figure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Together {
    score: f64,
    error: Option<f64>,
    matches: Option<u64>,
    games: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Score {
    game: String,
    /// The variant that was measured, if it is not the technique as it is.
    setting: Option<String>,
    #[serde(rename = "score")]
    mean: f64,
    error: Option<f64>,
    matches: Option<u64>,
    #[serde(default)]
    by_seat: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    what: String,
    value: f64,
    error: Option<f64>,
    unit: Option<String>,
}

fn read(name: &str) -> String {
    fs::read_to_string(workspace().join("crates/search/docs").join(name)).expect("the file")
}

fn entries() -> Vec<Entry> {
    let data: Data = serde_json::from_str(&read("measurements.json")).expect("data of this form");
    data.whole.into_iter().chain(data.used).chain(data.rejected).collect()
}

#[test]
fn the_numbers_are_possible() {
    let is_share = |share: &f64| (0.0..=1.0).contains(share);
    let is_error = |error: &f64| (0.0..0.5).contains(error);
    for Entry { name, measurements, .. } in entries() {
        for series in measurements {
            assert_eq!(series.date.len(), "2026-01-31".len(), "{name}");
            assert!(!series.how.is_empty(), "{name}");
            assert!(series.error.iter().all(is_error) && series.matches != Some(0), "{name}");
            if let Some(Together { score, error, matches, games }) = series.together {
                assert!(is_share(&score) && error.iter().all(is_error), "{name}");
                assert!(games.is_none_or(|games| matches.is_none_or(|matches| matches >= games)), "{name}");
            }
            for score in series.scores {
                let game = score.game;
                assert!(score.by_seat.iter().chain([&score.mean]).all(is_share), "{name}: {game}");
                assert!(score.error.iter().all(is_error) && score.matches != Some(0), "{name}: {game}");
            }
            for Figure { what, value, error, unit } in series.figures {
                assert!(value.is_finite() && error.is_none_or(|error| error > 0.0), "{name}: {what}");
                assert!(unit.is_none_or(|unit| !unit.is_empty()), "{name}: {what}");
            }
        }
    }
}

#[test]
fn the_options_are_those_of_the_search() {
    let known: Vec<&str> = PlayerSpec::search_options().into_iter().map(|option| option.name).collect();
    for Entry { name, option, measurements, .. } in entries() {
        assert!(option.is_none_or(|option| known.contains(&option.as_str())), "{name}");
        for series in measurements {
            let settings = series.scores.iter().filter_map(|score| score.setting.as_deref());
            for text in settings.chain(series.against.as_deref()) {
                for option in text.split([',', ' ', ':']).filter_map(|word| word.strip_suffix("=off")) {
                    assert!(known.contains(&option), "{name}: mcts has no option `{option}`");
                }
            }
        }
    }
}

#[test]
fn the_page_of_techniques_shows_measured_gains() {
    let mut measured = Vec::new();
    for series in entries().into_iter().flat_map(|entry| entry.measurements) {
        measured.extend(series.together.map(|together| together.score));
        measured.extend(series.scores.iter().map(|score| score.mean));
    }
    let shown: Value = serde_json::from_str(&read("techniques.json")).expect("JSON");
    for list in ["techniques", "rejected"] {
        for entry in shown[list].as_array().expect("entries") {
            for gain in
                entry["results"].as_array().expect("results").iter().filter_map(|row| row["gain"].as_f64())
            {
                // A gain may be that of the opponent, who plays without the technique.
                let is_that = |score: &f64| (score - gain).abs() < 5e-4 || (1.0 - score - gain).abs() < 5e-4;
                assert!(
                    measured.iter().any(is_that),
                    "{}: {gain} is not in measurements.json",
                    entry["name"]
                );
            }
        }
    }
}
