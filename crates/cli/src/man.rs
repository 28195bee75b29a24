//! `ggp man`: the manual pages.

use crate::exit::Exit;
use anyhow::Context;
use std::path::PathBuf;

/// Write the manual pages
///
/// Writes `ggp.1`, and `ggp-NAME.1` for each command, into a folder.
#[derive(Debug, clap::Args)]
#[command(hide = true)]
#[command(after_long_help = "\
Examples:
  ggp man ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// The folder; it is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the pages. `ggp` defines the command and all its subcommands.
pub(crate) fn run(arguments: &Arguments, ggp: clap::Command) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    let cannot = || format!("cannot write the manual pages in {}", folder.display());
    std::fs::create_dir_all(folder).with_context(cannot)?;
    clap_mangen::generate_to(ggp, folder).with_context(cannot)?;
    Ok(Exit::Done)
}
