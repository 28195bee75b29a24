//! Compares machines on the published rulesheets, or measures how soon they are ready:
//! `cargo run --release -p ggp-tests --bin corpus -- [OPTION…] [NAME…]`.
//!
//! With `--reasoner datalog`, `compiled` or `propnet`, the program compares the interpreter, the compiled
//! evaluator or the network with the answers of the reference implementation. With `--reasoner both`, it compares
//! interpreter and network with each other by a random walk, playouts in lanes, and perft. It prints a line per
//! game (agreed, disagreed, too slow, failed, left out) and a last line with the counts. The exit code is 1 if
//! any game disagreed or failed, or if fewer agreed than `--least` requires.
//!
//! With `--ready`, it prints a table of the machines that the library chooses: the CPU time until a game is
//! parsed, checked, grounded and compiled, the largest memory, and the gates per step. The exit code is 1 if any
//! game failed, or if fewer than `--least` are ready within the time `--within`.

mod compare;
mod options;
mod ready;

use options::{Options, USAGE};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(rules) = &options.alone {
        return ready::print_alone(rules, &options);
    }
    let Some(corpus) = ggp_tests::corpus() else { return ExitCode::FAILURE };
    let mut rules = ggp_tests::rulesheets_in(&corpus.join("rules"));
    if let Some(unknown) = options.names.iter().find(|name| !rules.iter().any(|path| name_of(path) == **name))
    {
        eprintln!("there is no rulesheet `{unknown}` in {}", corpus.display());
        return ExitCode::from(2);
    }
    rules.retain(|path| options.names.is_empty() || options.names.contains(&name_of(path)));
    if options.ready { ready::run(&rules, &options) } else { compare::run(&rules, &corpus, &options) }
}

fn name_of(path: &Path) -> String {
    path.file_stem().expect("a file").to_string_lossy().into_owned()
}
