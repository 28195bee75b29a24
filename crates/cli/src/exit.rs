//! Exit codes, and the exit code of each error.

use crate::console::{self, BAD};
use std::error::Error;
use std::io::ErrorKind;

/// The table of exit codes in the help texts.
pub(crate) const TABLE: &str = "\
Exit codes:
  0  done; a rulesheet is clean or has only warnings
  1  errors or findings in the input, a check that failed, or a match that was interrupted
  2  the command line cannot be obeyed
  3  a player is at fault: it cannot be started or reached, gives no answer, or an illegal one
     (`match` counts the faults during its matches, and they do not change its exit code)
  4  a sequential test (SPRT) accepted H0";

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
    if error.is::<UsageError>() { Exit::Usage } else { Exit::Findings }
}
