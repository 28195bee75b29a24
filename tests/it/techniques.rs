//! The page of techniques agrees with its data, and its data with the options of the search.

use ggp_search::Technique;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The data of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    techniques: Vec<Entry>,
    rejected: Vec<Entry>,
}

/// A technique and what was measured of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    /// The option of `mcts` that turns the technique off.
    option: Option<String>,
    does: String,
    results: Vec<Measurement>,
}

/// A row of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measurement {
    games: String,
    /// The mean share of the goals; null if something else was measured, which `how` then states.
    gain: Option<f64>,
    /// The standard error of the share.
    error: Option<f64>,
    matches: Option<u32>,
    how: String,
    date: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/search/docs")
}

fn data() -> Data {
    let text = std::fs::read_to_string(folder().join("techniques.json")).expect("the data");
    serde_json::from_str(&text).expect("the data is well formed")
}

fn table(entries: &[Entry]) -> String {
    let mut table = String::from(
        "| technique | what it does | gain | games | matches | how measured | date |\n|---|---|---|---|---|---|---|\n",
    );
    for entry in entries {
        let name = match &entry.option {
            Some(option) => format!("{} (`{option}`)", entry.name),
            None => entry.name.clone(),
        };
        for (number, result) in entry.results.iter().enumerate() {
            let (name, does) = if number == 0 { (name.as_str(), entry.does.as_str()) } else { ("", "") };
            let gain = result.gain.map_or(String::new(), |gain| format!("{gain:.3}"));
            let error = result.error.map_or(String::new(), |error| format!(" ±{error:.3}"));
            let matches = result.matches.map_or(String::new(), |matches| matches.to_string());
            let Measurement { games, how, date, .. } = result;
            writeln!(table, "| {name} | {does} | {gain}{error} | {games} | {matches} | {how} | {date} |")
                .expect("a string");
        }
    }
    table
}

/// `page` with the generated table between its marks `<!-- name -->` and `<!-- end -->`.
fn with_table(page: &str, name: &str, entries: &[Entry]) -> String {
    let mark = format!("<!-- {name} -->\n");
    let (before, rest) = page.split_once(&mark).expect("the page has the mark");
    let (_, after) = rest.split_once("<!-- end -->").expect("the table has an end");
    format!("{before}{mark}{}<!-- end -->{after}", table(entries))
}

#[test]
fn the_page_has_the_tables_of_its_data() {
    let (data, path) = (data(), folder().join("techniques.md"));
    let page = std::fs::read_to_string(&path).expect("the page");
    let wanted = with_table(&page, "techniques", &data.techniques);
    let wanted = with_table(&wanted, "rejected", &data.rejected);
    if std::env::var_os("GGP_UPDATE").is_some() {
        std::fs::write(&path, &wanted).expect("the page can be written");
        return;
    }
    assert!(page == wanted, "techniques.md differs from techniques.json; GGP_UPDATE=1 rewrites it");
}

#[test]
fn every_switch_of_the_search_is_on_the_page_and_no_other() {
    let data = data();
    let named: BTreeSet<&str> = data.techniques.iter().filter_map(|entry| entry.option.as_deref()).collect();
    let known: BTreeSet<&str> = Technique::ALL.into_iter().map(Technique::name).collect();
    assert_eq!(named, known);
    assert!(data.rejected.iter().all(|entry| entry.option.is_none()), "rejected techniques have no option");
}

#[test]
fn every_technique_has_a_measurement_with_a_date() {
    let data = data();
    for entry in data.techniques.iter().chain(&data.rejected) {
        assert!(!entry.results.is_empty(), "{}", entry.name);
        for result in &entry.results {
            assert!(result.gain.is_some() || !result.how.is_empty(), "{}", entry.name);
            assert!(result.gain.is_none_or(|gain| (0.0..=1.0).contains(&gain)), "{}", entry.name);
            let parts: Vec<usize> = result.date.split('-').map(str::len).collect();
            assert_eq!(parts, [4, 2, 2], "{}: {}", entry.name, result.date);
        }
    }
}
