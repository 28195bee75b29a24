//! The shared part of the integration tests. It finds the rulesheets and the test data, and it compares a
//! state machine with known facts about a game or with another machine.
//!
//! Tests without their data skip themselves by [`skip`], which fails where skipping is forbidden.

pub mod best_response;
pub mod families;
pub mod meter;
pub mod oracle;
pub mod perft_table;
pub mod playouts;
pub mod position;
pub mod power_law;
pub mod readiness;
pub mod survival;
pub mod walk;

use ggp_game::{Game, StopToken};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The corpus of published rulesheets: `$GGP_CORPUS`, or `../shared/corpus` beside the workspace. `None`,
/// after a call of [`skip`], if it does not exist.
pub fn corpus() -> Option<PathBuf> {
    beside("GGP_CORPUS", "corpus")
}

/// The recorded playouts of the five reference games: `$GGP_FIVE`, or `../shared/five`. `None` as for
/// [`corpus`].
pub fn five() -> Option<PathBuf> {
    beside("GGP_FIVE", "five")
}

fn beside(variable: &str, folder: &str) -> Option<PathBuf> {
    let path =
        std::env::var_os(variable).map_or_else(|| workspace().join("../shared").join(folder), PathBuf::from);
    if !path.is_dir() {
        skip(&format!("{} is not there (set {variable})", path.display()));
        return None;
    }
    Some(path)
}

/// Reports on standard error that a test is skipped, and why.
///
/// # Panics
/// If `$GGP_NO_SKIP` forbids to skip tests, as `.ci/run` does.
pub fn skip(why: &str) {
    assert!(std::env::var_os("GGP_NO_SKIP").is_none(), "GGP_NO_SKIP forbids to skip this test: {why}");
    // The test harness captures the output of `eprintln!`.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Whether tests that play many games play them all: in release builds, and if `$GGP_LONG` is set.
pub fn plays_long() -> bool {
    !cfg!(debug_assertions) || std::env::var_os("GGP_LONG").is_some()
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names of the project's rulesheets, sorted.
pub fn rulesheets() -> Vec<String> {
    let stem = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    rulesheets_in(&workspace().join("games")).iter().map(stem).collect()
}

/// The rulesheets in `folder`, sorted.
///
/// # Panics
/// If there are none.
pub fn rulesheets_in(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a directory entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    paths.sort();
    assert!(!paths.is_empty(), "no rulesheets in {}", folder.display());
    paths
}

/// The text of the project's rulesheet `name`.
pub fn rulesheet(name: &str) -> String {
    let path = workspace().join("games").join(name).with_extension("kif");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text of the corpus's rulesheet `name`; `None`, after a call of [`skip`], without the corpus.
pub fn published(name: &str) -> Option<String> {
    let path = corpus()?.join("rules").join(name).with_extension("kif");
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// A machine on the network of the rules `rulesheet`.
pub fn network(rulesheet: &str) -> PropNetMachine {
    let game = game(rulesheet);
    let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).expect("a network");
    PropNetMachine::new(net).expect("a machine")
}

/// The game of the rules `rulesheet`.
pub fn game(rulesheet: &str) -> Arc<Game> {
    let description = ggp_gdl::parse(rulesheet.as_bytes()).unwrap_or_else(|errors| panic!("{errors:?}"));
    Arc::new(Game::new(description).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}")))
}
