//! What the integration tests share: where the corpus is, and how a state machine is compared
//! with what a reference implementation recorded.

pub mod oracle;
pub mod survival;

use std::path::PathBuf;

/// The corpus of published rulesheets: `$GGP_CORPUS`, or `../shared/corpus` beside the workspace.
/// `None`, and a line on standard error that says so, where there is none.
pub fn corpus() -> Option<PathBuf> {
    beside("GGP_CORPUS", "corpus")
}

/// The recorded playouts of the five games: `$GGP_FIVE`, or `../shared/five`.
pub fn five() -> Option<PathBuf> {
    beside("GGP_FIVE", "five")
}

fn beside(variable: &str, folder: &str) -> Option<PathBuf> {
    let path =
        std::env::var_os(variable).map_or_else(|| workspace().join("../shared").join(folder), PathBuf::from);
    if !path.is_dir() {
        eprintln!("SKIPPED: {} is not there (set {variable})", path.display());
        return None;
    }
    Some(path)
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
