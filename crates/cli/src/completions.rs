//! `ggp completions`: completion scripts for shells.

use crate::console;
use crate::exit::Exit;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Print shell completions
///
/// Writes a completion script for the given shell to standard output.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp completions bash > ~/.local/share/bash-completion/completions/ggp
  ggp completions fish > ~/.config/fish/completions/ggp.fish
  ggp completions zsh > ~/.zfunc/_ggp")]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    // Generate into memory, because the generator panics if standard output is closed.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Cli::command(), "ggp", &mut script);
    let mut out = console::stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Exit::Done)
}
