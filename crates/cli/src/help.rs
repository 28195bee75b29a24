//! `ggp help`: the help of a command, and topics that concern many commands.

use crate::console;
use crate::exit::{self, Exit, UsageError};
use crate::seats;
use ggp_search::{PlayerSpec, SpecOption};
use std::io::Write;

/// A topic that concerns many commands.
struct Topic {
    name: &'static str,
    about: &'static str,
    text: fn() -> String,
}

const TOPICS: [Topic; 2] = [
    Topic { name: "players", about: "the players, and all their options", text: players },
    Topic { name: "exit-codes", about: "the exit codes, and when commands end with them", text: exit::help },
];

/// What somebody may begin with who has only this program, and then with a rulesheet.
const FIRST: &str = "\
Begin with:
  ggp web --open            play in the browser, or write a game
  ggp play game.kif         watch a match; --human ROLE takes part
  ggp check game.kif        find what is wrong with rules
";

/// Show help on a command, or on a topic: players, exit-codes
///
/// `ggp help play` prints the same as `ggp play --help`. `ggp help players` lists the players and
/// their options, as in mcts:iterations=500. `ggp help exit-codes` lists the exit codes.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp help players
  ggp help match")]
pub(crate) struct Arguments {
    /// A command, `players` or `exit-codes`
    topic: Option<String>,
}

/// The end of the help on the whole program: what to begin with, the exit codes and the topics.
pub(crate) fn end() -> String {
    let line = |topic: &Topic| format!("  ggp help {:<12}{}\n", topic.name, topic.about);
    let topics: String = TOPICS.iter().map(line).collect();
    format!("{FIRST}\n{}\nTopics:\n{topics}", exit::table())
}

/// Prints the help for the topic in `arguments`. `ggp` defines the command and all its subcommands.
pub(crate) fn run(arguments: &Arguments, mut ggp: clap::Command) -> anyhow::Result<Exit> {
    // Sets the full name of each subcommand, with which its usage line begins.
    ggp.build();
    let wanted = arguments.topic.as_deref();
    let topic = wanted.and_then(|name| TOPICS.iter().find(|topic| topic.name == name));
    let help = match (wanted, topic) {
        (None, _) => ggp.render_long_help(),
        (_, Some(topic)) => (topic.text)().into(),
        (Some(name), None) => {
            let topics = TOPICS.iter().map(|topic| topic.name);
            let names: Vec<&str> = topics.chain(ggp.get_subcommands().map(clap::Command::get_name)).collect();
            let names = names.join(", ");
            let unknown = || UsageError(format!("there is no help on `{name}`; write one of: {names}"));
            ggp.find_subcommand_mut(name).ok_or_else(unknown)?.render_long_help()
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
    let mut text = format!(
        "\
A player (SPEC) is written as KIND or KIND:OPTION=VALUE,OPTION=VALUE, such as mcts:iterations=500,seed=1.
`play` and `host` take --player ROLE=SPEC, `match` takes --player NAME=SPEC, and `serve` takes SPEC.

Kinds, of which only `match` and `host` take the last two:
{}
Options of mcts and uct:
",
        seats::kinds(true)
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
