//! The errors of results files, and the defects that do not prevent reading them.

use ggp_game::FormatError;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The file does not exist.
    #[error("there is no file {0}")]
    Missing(PathBuf),
    /// The path names a directory.
    #[error("{path} is a directory: name files in it, as {}", .path.join("*.jsonl").display())]
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// The directory of a new file does not exist.
    #[error("{path} cannot be created: there is no directory {directory}")]
    NoDirectory {
        /// The file.
        path: PathBuf,
        /// The missing directory.
        directory: PathBuf,
    },
    /// The file system failed while reading.
    #[error("{path} cannot be read")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The file system failed while writing.
    #[error("{path} cannot be written")]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The output of a merge cannot be written.
    #[error("the output cannot be written")]
    Output(#[source] io::Error),
    /// A line is not a result.
    #[error("{path}:{line}:{column}: {what}; {help}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: u64,
        /// The position of the error in the line, in bytes, from 1.
        column: u64,
        /// The error.
        what: String,
        /// Advice on how to remove the error.
        help: &'static str,
    },
    /// A line, or the match record in the file, has a version that this program does not know.
    #[error("{path}:{line}: {why}")]
    Format {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: u64,
        /// The versions.
        why: FormatError,
    },
    /// No file holds a result. The list holds the defects found in the files.
    #[error("there are no results: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Nothing(Vec<Flaw>),
    /// A new file was requested, but the path names a file that is not empty.
    #[error("{0} holds results already: resume it, or name another file")]
    Exists(PathBuf),
    /// Another process is writing the file.
    #[error("{0} is being written by another run")]
    Locked(PathBuf),
    /// A line of the file is a result of another tournament.
    #[error(
        "{path}:{line}: this result belongs to another tournament{}: resume with the arguments and the rulesheets of the first run",
        told(.differences)
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: u64,
        /// The differences between the settings of the tournament of the line and those of the tournament that is run.
        /// Empty if the settings are equal, so that the games or the order of the players differ, and if the line does not
        /// tell its settings.
        differences: Vec<String>,
    },
}

/// The differences in parentheses; nothing if there are none.
fn told(differences: &[String]) -> String {
    if differences.is_empty() { String::new() } else { format!(" ({})", differences.join("; ")) }
}

/// A defect of a results file that does not prevent reading the file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// The file holds no result: the run has not finished a match, or the shard has no matches.
    #[error("{0} holds no results")]
    Empty(PathBuf),
    /// The last line is cut off: the run was killed while it wrote the line, or is still writing it.
    #[error("{path}:{line}: the last line is cut off, and its match is not counted")]
    Torn {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: u64,
    },
}

impl ResultsError {
    pub(crate) fn of_reading(path: &Path, error: io::Error) -> ResultsError {
        let path = path.to_owned();
        match error.kind() {
            _ if path.is_dir() => ResultsError::Directory { path },
            io::ErrorKind::NotFound => ResultsError::Missing(path),
            _ => ResultsError::Read { path, source: error },
        }
    }

    pub(crate) fn of_writing(path: &Path, error: io::Error) -> ResultsError {
        let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        match directory {
            _ if path.is_dir() => ResultsError::Directory { path: path.to_owned() },
            Some(directory) if !directory.exists() => {
                ResultsError::NoDirectory { path: path.to_owned(), directory: directory.to_owned() }
            }
            _ => ResultsError::Write { path: path.to_owned(), source: error },
        }
    }

    /// The error for JSON that is malformed or is not a result. The JSON begins in line `line` of the file at
    /// `path`.
    pub(crate) fn of_json(path: &Path, line: u64, error: &serde_json::Error) -> ResultsError {
        let text = error.to_string();
        let bare = text.rsplit_once(" at line ").map_or(text.as_str(), |(bare, _)| bare);
        let (what, help) = match error.classify() {
            serde_json::error::Category::Data => (
                format!("JSON, but neither the result of a match nor a match record: {bare}"),
                "was it written by another program, or by another version of ggp?",
            ),
            _ if line == 1 => (
                format!("not JSON: {bare}"),
                "results have one JSON object a line, as `ggp match --out FILE` writes them",
            ),
            _ => (
                format!("not JSON: {bare}"),
                "remove the line; `ggp match --resume FILE` with the arguments of the first run plays its match again",
            ),
        };
        let column = (error.column() as u64).max(1);
        let line = line + (error.line() as u64).saturating_sub(1);
        ResultsError::Line { path: path.to_owned(), line, column, what, help }
    }
}
