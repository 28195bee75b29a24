//! `ggp help`: the help of a command, and the list of players.

use crate::console;
use crate::exit::{Exit, UsageError};
use ggp_search::{PlayerSpec, SpecOption};
use std::io::Write;

/// Show the help of a command, or the players and all their options
///
/// `ggp help play` prints the same as `ggp play --help`. `ggp help players` lists the players and
/// their options, as in mcts:iterations=500.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp help players
  ggp help match")]
pub(crate) struct Arguments {
    /// A command, or `players`
    topic: Option<String>,
}

/// Prints the help for the topic in `arguments`. `ggp` defines the command and all its subcommands.
pub(crate) fn run(arguments: &Arguments, mut ggp: clap::Command) -> anyhow::Result<Exit> {
    // Sets the full name of each subcommand, with which its usage line begins.
    ggp.build();
    let help = match arguments.topic.as_deref() {
        None => ggp.render_long_help(),
        Some("players") => players().into(),
        Some(topic) => {
            let names: Vec<String> = ggp.get_subcommands().map(|c| c.get_name().to_owned()).collect();
            let unknown = || {
                let names = names.join(", ");
                UsageError(format!("there is no help on `{topic}`; write one of: players, {names}"))
            };
            ggp.find_subcommand_mut(topic).ok_or_else(unknown)?.render_long_help()
        }
    };
    let mut out = console::stdout();
    if console::colours_stdout() {
        write!(out, "{}", help.ansi())?;
    } else {
        write!(out, "{help}")?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// The help on all players and their options.
fn players() -> String {
    let mut text = String::from(
        "\
A player is written as NAME, or as NAME:OPTION=VALUE,OPTION=VALUE.

mcts                 Monte-Carlo tree search with all techniques below
uct                  the same search without them, one playout at a time
random               random legal moves
http://HOST:PORT     a player somewhere else, by the GGP protocol (`host`, `match`)
cmd:PROGRAM ARG…     a program that reads messages as lines and answers each with a line
                     (`host`, `match`); `cmd:ggp serve --stdio mcts` is one

Options of mcts and uct:
",
    );
    for option in PlayerSpec::search_options() {
        describe(&option, &mut text);
    }
    text.push_str("\nOptions of random:\n");
    for option in PlayerSpec::random_options() {
        describe(&option, &mut text);
    }
    text
}

/// Appends the two lines on an option to `text`.
fn describe(option: &SpecOption, text: &mut String) {
    let default = match &option.defaults[..] {
        [mcts, uct] if mcts != uct => format!("{mcts}, for uct {uct}"),
        defaults => defaults.first().cloned().unwrap_or_default(),
    };
    let SpecOption { name, values, meaning, .. } = option;
    text.push_str(&format!("  {name:<15}  {meaning}\n  {:<15}  {values}; default: {default}\n", ""));
}
