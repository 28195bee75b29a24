//! `ggp merge`: merges the results of shards by match id.

use crate::console;
use crate::destination::Destination;
use crate::exit::Exit;
use anyhow::Context;
use ggp_arena::Merge;
use ggp_gdl::diagnostic::count;
use std::path::{Path, PathBuf};

/// Merge files of results and drop duplicates
///
/// Prints one line of JSON for each match, in the order in which the ids first occur. If results with
/// the same id differ, that is an error, and the first of them is kept.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp merge shard-*.jsonl --out whole.jsonl
  ggp merge a.jsonl b.jsonl | jq .goals")]
pub(crate) struct Arguments {
    /// Files that `ggp match --out` wrote
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write to FILE instead of standard output; the file appears when it is complete
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let merge = match &arguments.out {
        None => ggp_arena::merge(&arguments.files, &mut console::stdout())?,
        Some(path) => {
            Destination::Results.check(path)?;
            merge_into(path, &arguments.files)?
        }
    };
    for flaw in &merge.flaws {
        console::say(&format!("warning: {flaw}"));
    }
    let told = |number: u64, noun: &str| count(usize::try_from(number).unwrap_or(usize::MAX), noun);
    console::say(&format!(
        "{} from {}, {} left out",
        told(merge.written, "result"),
        count(arguments.files.len(), "file"),
        told(merge.duplicates, "duplicate"),
    ));
    if merge.conflicts > 0 {
        let conflicts = told(merge.conflicts, "result");
        console::say(&format!("error: {conflicts} of matches that another file tells otherwise"));
        return Ok(Exit::Findings);
    }
    Ok(Exit::Done)
}

/// Merges `files` into a temporary file beside `path`, and renames the temporary file to `path` when it is
/// complete.
fn merge_into(path: &Path, files: &[PathBuf]) -> anyhow::Result<Merge> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let cannot = || format!("cannot write {}", path.display());
    let mut out = std::io::BufWriter::new(std::fs::File::create(&part).with_context(cannot)?);
    let merged = ggp_arena::merge(files, &mut out);
    drop(out);
    let kept = merged.map_err(anyhow::Error::from).and_then(|merge| {
        std::fs::rename(&part, path).with_context(cannot)?;
        Ok(merge)
    });
    if kept.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&part);
    }
    kept
}
