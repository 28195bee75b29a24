//! Exit codes, and which error ends with which.

use crate::console::{self, BAD};
use std::error::Error;
use std::io::ErrorKind;
use std::process::ExitCode;

/// The table of all exit codes, as `--help` shows it.
pub(crate) const TABLE: &str = "\
Exit codes:
  0  done; a rulesheet is clean or has only warnings
  1  errors or findings in the input, a check that failed, or a match that was interrupted
  2  the command line cannot be obeyed
  3  a player is at fault: it cannot be started or reached, gives no answer, or an illegal one
  4  a sequential test (SPRT) accepted H0";

/// How the command ends; what is worse is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    Done,
    Findings,
    Usage,
    Fault,
    /// A sequential test accepted H0; never together with another ending.
    AcceptedNull,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Fault => 3,
            Exit::AcceptedNull => 4,
        })
    }
}

/// A command line that cannot be obeyed, though its form is right: a role that the game does not
/// have, a player that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

fn is_closed_output(error: &(dyn Error + 'static)) -> bool {
    let written = error.downcast_ref().is_some_and(console::is_closed);
    // JSON is written to standard output only.
    let json = error.downcast_ref().and_then(serde_json::Error::io_error_kind);
    written || json == Some(ErrorKind::BrokenPipe)
}

/// Says what went wrong, unless it is that nobody reads the output any more.
pub(crate) fn report(error: &anyhow::Error) -> Exit {
    if error.chain().any(is_closed_output) {
        return Exit::Done;
    }
    console::say(&format!("{}: {error:#}", console::paint_stderr(BAD, "error")));
    if error.is::<UsageError>() { Exit::Usage } else { Exit::Findings }
}
