//! Exit codes, and the exit code of each error.

use crate::console::{self, BAD};
use ggp_game::PlayError;
use std::error::Error;
use std::io::ErrorKind;

/// The outcome of a command. The variants are in ascending order of their exit codes. If several outcomes
/// apply to one command, the one with the greatest exit code counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    Done,
    Findings,
    Usage,
    Fault,
    /// A sequential test accepted its null hypothesis (H0). No other outcome ever applies together with this
    /// one.
    AcceptedNull,
}

impl Exit {
    const ALL: [Exit; 5] = [Exit::Done, Exit::Findings, Exit::Usage, Exit::Fault, Exit::AcceptedNull];

    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Fault => 3,
            Exit::AcceptedNull => 4,
        }
    }

    /// What the exit code means, and then cases of it.
    fn meaning(self) -> (&'static str, &'static str) {
        match self {
            Exit::Done => (
                "done; a rulesheet is clean or has only warnings",
                "`match` ends so when all matches are played, whatever their results. A command whose output\n\
                 nobody reads to the end, as in `ggp perft … | head -1`, ends so too.",
            ),
            Exit::Findings => (
                "errors or findings in the input, a check that failed, or an interruption",
                "A file cannot be read or is not what the command takes; `check` finds errors, or --simulate\n\
                 refutes a property; `fmt --check` names a file; `solve` does not prove everything within its\n\
                 limits; a check of `comply` or `doctor` fails; Ctrl-C ends a match or a search early.",
            ),
            Exit::Usage => (
                "the command line cannot be obeyed",
                "An option or a value is unknown, options exclude each other, or the game has no such role.",
            ),
            Exit::Fault => (
                "a player is at fault: it cannot be started or reached, gives no answer, or an illegal one",
                "`match` ends so only before its first match. It counts the faults during its matches, and they\n\
                 do not change its exit code.",
            ),
            Exit::AcceptedNull => (
                "a sequential test (SPRT) accepted H0",
                "`match --sprt` and `stats --sprt` find that the player is not stronger than elo0 says.",
            ),
        }
    }
}

/// The table of exit codes for help texts.
pub(crate) fn table() -> String {
    let line = |exit: &Exit| format!("  {}  {}\n", exit.code(), exit.meaning().0);
    format!("Exit codes:\n{}", Exit::ALL.iter().map(line).collect::<String>())
}

/// The help on exit codes.
pub(crate) fn help() -> String {
    let entry = |exit: &Exit| {
        let (meaning, cases) = exit.meaning();
        format!("{}  {meaning}\n   {}\n\n", exit.code(), cases.replace('\n', "\n   "))
    };
    let entries: String = Exit::ALL.iter().map(entry).collect();
    format!(
        "{entries}If several of them apply to a command, such as to one of many files, the largest one counts.\n"
    )
}

/// An error in the command line that is found after parsing, such as a role that the game does not have.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

impl UsageError {
    /// A usage error with the message of `error`.
    pub(crate) fn of(error: impl std::fmt::Display) -> UsageError {
        UsageError(error.to_string())
    }
}

fn is_closed_output(error: &(dyn Error + 'static)) -> bool {
    let written = error.downcast_ref().is_some_and(console::is_closed);
    // This program writes JSON to standard output only.
    let json = error.downcast_ref().and_then(serde_json::Error::io_error_kind);
    written || json == Some(ErrorKind::BrokenPipe)
}

/// Reports the error and returns its exit code. A closed standard output is no error.
pub(crate) fn report(error: &anyhow::Error) -> Exit {
    if error.chain().any(is_closed_output) {
        return Exit::Done;
    }
    console::say(&format!("{}: {error:#}", console::paint_stderr(BAD, "error")));
    of(error)
}

/// The exit code of an error.
pub(crate) fn of(error: &anyhow::Error) -> Exit {
    if error.is::<UsageError>() {
        Exit::Usage
    } else if error.is::<PlayError>() {
        Exit::Fault
    } else {
        Exit::Findings
    }
}
