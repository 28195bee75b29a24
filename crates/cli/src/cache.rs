//! `ggp cache`: the folder with the networks that were built before.

use crate::console;
use crate::exit::Exit;
use anyhow::Context;
use ggp::{CacheUsage, NetworkCache};
use std::io::Write;

/// Show the cache of built networks, or empty it
///
/// Networks that took long to build are kept in a folder, so that the next command has them at once. The
/// folder is `ggp` among the caches of the user (`$XDG_CACHE_HOME` or `~/.cache`), or the value of the
/// environment variable `GGP_CACHE`. It is safe to remove at any time. A command with the option `--no-cache` does
/// not use it, and no command does if `GGP_NO_CACHE` is set to a non-empty value.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp cache
  ggp cache --clear")]
pub(crate) struct Arguments {
    /// Remove all networks from the cache
    #[arg(long)]
    clear: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let cache =
        NetworkCache::of_user().context("the system does not tell the user's folders; set GGP_CACHE")?;
    let folder = cache.folder().display();
    let mut out = console::stdout();
    if arguments.clear {
        let removed = cache.clear().with_context(|| format!("cannot empty {folder}"))?;
        writeln!(out, "removed {} from {folder}", counted(removed))?;
    } else {
        let usage = cache.usage().with_context(|| format!("cannot read {folder}"))?;
        let most = NetworkCache::MAX_BYTES >> 20;
        writeln!(out, "{folder}: {} of at most {} MiB", counted(usage), most)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// The number of networks and their size in words.
fn counted(usage: CacheUsage) -> String {
    let networks = if usage.networks == 1 { "network" } else { "networks" };
    format!("{} {networks}, {:.1} MiB", usage.networks, usage.bytes as f64 / f64::from(1 << 20))
}
