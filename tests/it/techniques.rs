//! The page of techniques (`crates/search/docs/techniques.md`) is generated from `techniques.json` beside it, which
//! holds every measurement. `GGP_UPDATE=1 cargo test -p ggp-tests --test it techniques` rewrites the page.

use ggp_search::{PlayerSpec, Technique};
use ggp_tests::workspace;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The data: three lists of entries, one for each table of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
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
    /// The option of `mcts` that controls it.
    option: Option<String>,
    does: String,
    /// The publication that describes it.
    source: Option<String>,
    /// Source files, relative to `crates/search/src`.
    #[serde(default)]
    code: Vec<String>,
    text: String,
    /// The first measurement is the one that the table shows.
    measurements: Vec<Measurement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measurement {
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
    value: serde_json::Number,
    error: Option<f64>,
    unit: Option<String>,
}

/// The largest number of scores or figures that a cell of a table lists.
const LISTED: usize = 4;

/// The width of the paragraphs.
const WIDTH: usize = 115;

impl Score {
    /// Whether the score is that of the technique itself, not of a variant of it.
    fn is_plain(&self) -> bool {
        self.setting.as_ref().is_none_or(|setting| setting.starts_with("run ") || setting.starts_with("K = "))
    }
}

impl Measurement {
    /// The result for the table: the total if there is one, the mean of plain scores, or the first entries.
    fn result(&self) -> String {
        if let Some(Together { score, error, .. }) = &self.together {
            return with_error(*score, *error);
        }
        let error = |score: &Score| score.error.or(self.error);
        if self.scores.len() > LISTED && self.scores.iter().all(Score::is_plain) {
            let count = self.scores.len() as f64;
            let mean = self.scores.iter().map(|score| score.mean).sum::<f64>() / count;
            let errors: Option<Vec<f64>> = self.scores.iter().map(error).collect();
            let error = errors.map(|errors| errors.iter().map(|e| e * e).sum::<f64>().sqrt() / count);
            return format!("{} on the mean", with_error(mean, error));
        }
        let scores = self.scores.iter().map(|score| {
            let name = match (score.game.as_str(), &score.setting) {
                ("all", setting) => setting.clone().unwrap_or_default(),
                (game, None) => game.to_owned(),
                (game, Some(setting)) => format!("{game} ({setting})"),
            };
            let separator = if name.is_empty() { "" } else { ": " };
            format!("{name}{separator}{}", with_error(score.mean, error(score)))
        });
        let figures = self.figures.iter().map(|Figure { what, value, error, unit }| {
            let error = error.map_or(String::new(), |error| format!(" ±{error}"));
            let unit = unit.as_ref().map_or(String::new(), |unit| format!(" {unit}"));
            format!("{what}: {value}{error}{unit}")
        });
        let all: Vec<String> = scores.chain(figures).collect();
        let more = if all.len() > LISTED { "; …" } else { "" };
        format!("{}{more}", all[..all.len().min(LISTED)].join("; "))
    }

    /// The games for the table, with the number of matches.
    fn games(&self) -> String {
        let games: BTreeSet<&str> =
            self.scores.iter().map(|score| score.game.as_str()).filter(|game| *game != "all").collect();
        let count = self.together.as_ref().and_then(|together| together.games);
        let count = count.unwrap_or(games.len() as u64);
        let names = match count {
            0 => String::new(),
            _ if count as usize == games.len() && games.len() <= 3 => {
                games.into_iter().collect::<Vec<_>>().join(", ")
            }
            _ => format!("{count} games"),
        };
        let own: Option<u64> = self.scores.iter().map(|score| score.matches.or(self.matches)).sum();
        let matches = self.together.as_ref().and_then(|together| together.matches).or(own);
        let matches = matches.filter(|&n| n > 0).map(|n| format!("{n} matches"));
        let parts: Vec<String> = [Some(names), matches].into_iter().flatten().collect();
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }

    fn how(&self) -> String {
        let against = self.against.as_ref().map_or(String::new(), |against| format!(", against `{against}`"));
        format!("{}{}", self.how, if self.against_is_option() { against } else { against.replace('`', "") })
    }

    /// Whether the opponent is a player or an option, not a description in words.
    fn against_is_option(&self) -> bool {
        self.against
            .as_ref()
            .is_some_and(|against| !against.contains(' ') && (against.contains('=') || is_player(against)))
    }
}

fn is_player(name: &str) -> bool {
    name.parse::<PlayerSpec>().is_ok()
}

fn with_error(score: f64, error: Option<f64>) -> String {
    error.map_or(format!("{score:.3}"), |error| format!("{score:.3} ±{error:.3}"))
}

fn table(entries: &[Entry], first: &str) -> String {
    let mut out = format!(
        "| {first} | option | what it does | result | games | how | date |\n|---|---|---|---|---|---|---|\n"
    );
    for entry in entries {
        let option = entry.option.as_ref().map_or(String::new(), |option| format!("`{option}`"));
        let measured = entry.measurements.first();
        let cell = |text: fn(&Measurement) -> String| measured.map_or("not measured".to_owned(), text);
        let (result, games, how) =
            (cell(Measurement::result), cell(Measurement::games), cell(Measurement::how));
        let date = measured.map_or("", |measured| measured.date.as_str());
        out += &format!(
            "| {} | {option} | {} | {result} | {games} | {how} | {date} |\n",
            entry.name, entry.does
        );
    }
    out
}

fn paragraphs(entries: &[Entry]) -> String {
    let mut out = String::new();
    for Entry { name, text, source, code, .. } in entries {
        let source = source.as_ref().map_or(String::new(), |source| format!(" ({source})"));
        let files: Vec<String> =
            code.iter().map(|file| format!("`{}`", file.trim_start_matches("../../"))).collect();
        let files = if files.is_empty() { String::new() } else { format!(" Code: {}.", files.join(", ")) };
        out += &format!("\n{}\n", wrapped(&format!("**{name}**{source}. {text}{files}")));
    }
    out
}

/// `text` in lines of at most [`WIDTH`] characters, if its words allow.
fn wrapped(text: &str) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out
}

fn page(data: &Data) -> String {
    format!(
        "# Techniques of the search\n\n\
         <!-- Generated from techniques.json: GGP_UPDATE=1 cargo test -p ggp-tests --test it techniques -->\n\n\
         {}\n\nThe tables show one measurement each; [`techniques.json`](techniques.json)\nhas all of them, with each \
         game, error and number of matches.\n\n\
         ## In use\n\n{}{}\n## Tried and rejected\n\n{}{}\n## The search as a whole\n\n{}{}",
        wrapped(&data.introduction),
        table(&data.used, "technique"),
        paragraphs(&data.used),
        table(&data.rejected, "technique"),
        paragraphs(&data.rejected),
        table(&data.whole, "measurement"),
        paragraphs(&data.whole),
    )
}

fn folder() -> PathBuf {
    workspace().join("crates/search/docs")
}

fn data() -> Data {
    let text = fs::read_to_string(folder().join("techniques.json")).expect("the data");
    serde_json::from_str(&text).expect("data of this form")
}

#[test]
fn the_page_is_that_of_the_data() {
    let path = folder().join("techniques.md");
    let page = page(&data());
    if std::env::var_os("GGP_UPDATE").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    assert!(
        fs::read_to_string(&path).expect("the page") == page,
        "{} differs from its data; GGP_UPDATE=1 rewrites it",
        path.display()
    );
}

#[test]
fn the_data_names_the_options_of_the_search() {
    let data = data();
    let known: Vec<&str> = PlayerSpec::search_options().into_iter().map(|option| option.name).collect();
    let named: BTreeSet<&str> = data.used.iter().filter_map(|entry| entry.option.as_deref()).collect();
    for option in &named {
        assert!(known.contains(option), "mcts has no option `{option}`");
    }
    for technique in Technique::ALL {
        assert!(named.contains(technique.name()), "`{}` is missing in techniques.json", technique.name());
    }
    for entry in data.used.iter().chain(&data.rejected).chain(&data.whole) {
        for file in &entry.code {
            let path = workspace().join("crates/search/src").join(file);
            assert!(path.exists(), "{}: there is no {}", entry.name, path.display());
        }
        // Options that are turned off are options of `mcts`.
        for measurement in &entry.measurements {
            let settings = measurement.scores.iter().filter_map(|score| score.setting.as_deref());
            for text in settings.chain(measurement.against.as_deref()) {
                for option in text.split([',', ' ', ':']).filter_map(|word| word.strip_suffix("=off")) {
                    assert!(known.contains(&option), "{}: mcts has no option `{option}`", entry.name);
                }
            }
        }
    }
}

#[test]
fn the_numbers_of_the_data_are_possible() {
    let data = data();
    for entry in data.used.iter().chain(&data.rejected).chain(&data.whole) {
        for measurement in &entry.measurements {
            assert_eq!(measurement.date.len(), "2026-01-31".len(), "{}", entry.name);
            for score in &measurement.scores {
                assert!(score.by_seat.iter().chain([&score.mean]).all(|share| (0.0..=1.0).contains(share)));
                assert!(score.error.is_none_or(|error| (0.0..0.5).contains(&error)), "{}", entry.name);
            }
        }
    }
}
