//! The command `ggp` as a function, for its binary and for the Python package: parses the command line, runs one
//! subcommand, and returns its exit code.
//!
//! ```sh
//! cargo install --path crates/cli
//! ggp check games/connect_four.kif
//! ggp play games/connect_four.kif --human red
//! ggp match games/hex.kif --player new=mcts --player old=uct --games 100 --playclock 0.1
//! ggp help players
//! ```
//!
//! Invariants: output for scripts goes to standard output, messages to standard error. If the reader of
//! standard output closes it (`ggp perft … | head -1`), a command that only prints ends without an error,
//! and a match continues.

mod analyze;
mod bench;
mod board;
mod browser;
mod cache;
mod check;
mod command_line;
mod compete;
mod competition;
mod completions;
mod comply;
mod console;
mod destination;
mod doctor;
mod dot;
mod equilibrium;
mod exit;
mod explain;
mod file_kind;
mod fmt;
mod graph;
mod help;
mod host;
mod info;
mod learn;
mod listener;
mod logging;
mod lsp;
mod man;
mod match_arguments;
mod merge;
mod meter;
mod narrate;
mod netgraph;
mod number;
mod output;
mod perft;
mod person;
mod play;
mod progress;
mod reach;
mod reasoner;
mod record;
mod replay;
mod rulesheet;
mod save;
mod score;
mod seats;
mod sequential;
mod serve;
mod simulate;
mod solve;
mod stats;
mod view;
mod web;

pub use competition::{Competition, CompetitionError};

use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Plays any game whose rules are written in the Game Description Language (GDL).
#[derive(Debug, Parser)]
#[command(name = "ggp", version, after_help = help::end(), after_long_help = help::end())]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Play(play::Arguments),
    Match(match_arguments::Arguments),
    Stats(stats::Arguments),
    Merge(merge::Arguments),
    Serve(serve::Arguments),
    Host(host::Arguments),
    Web(web::Arguments),
    Comply(comply::Arguments),
    Check(check::Arguments),
    View(view::Arguments),
    Analyze(analyze::Arguments),
    Solve(solve::Arguments),
    Learn(learn::Arguments),
    Fmt(fmt::Arguments),
    Lsp(lsp::Arguments),
    Explain(explain::Arguments),
    Perft(perft::Arguments),
    Replay(replay::Arguments),
    Bench(bench::Arguments),
    Info(info::Arguments),
    Graph(graph::Arguments),
    Cache(cache::Arguments),
    Doctor(doctor::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    Help(help::Arguments),
}

/// The definition of the command line. A negative number after an option, such as `--seconds -1`, is read as
/// the value of this option. The error message is then that the value is not allowed, not that `-1` is an
/// unknown option.
fn command_line() -> clap::Command {
    let is_option = |arg: &Arg| !arg.is_positional() && arg.get_action().takes_values();
    let values = |arg: Arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg };
    Cli::command().mut_subcommands(|command| command.mut_args(values))
}

/// Runs the command with the arguments `argv`, of which the first is the command's name. Returns the exit code. Ends the
/// process itself where `argv` cannot be obeyed, and after help.
pub fn run(argv: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let matches = command_line().get_matches_from(argv);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let outcome = match cli.command {
        Command::Play(arguments) => play::run(&arguments),
        Command::Match(arguments) => compete::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Host(arguments) => host::run(&arguments),
        Command::Web(arguments) => web::run(arguments),
        Command::Comply(arguments) => comply::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Learn(arguments) => learn::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Lsp(arguments) => Ok(lsp::run(&arguments)),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments, command_line()),
        Command::Help(arguments) => help::run(&arguments, command_line()),
    };
    outcome.unwrap_or_else(|error| exit::report(&error)).code()
}
