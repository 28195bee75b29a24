//! Writes results files, which have one line of JSON for each match.
//!
//! Invariants: the line of a match is written whole and flushed before the match counts. A last line that a
//! crash has cut off (torn) is removed when the file is opened again. Any other malformed line is an error.

use crate::read_results::read_lines;
use crate::result::MatchResult;
use crate::results_error::{Flaw, ResultsError};
use crate::settings::Settings;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The maximum time to wait until another process releases its lock on the file. Such a lock may remain for a
/// moment after the other process has closed the file: if that process spawns a program, the forked child
/// shares its open files until `exec`.
const PATIENCE: Duration = Duration::from_secs(1);

/// The interval between attempts to take the lock.
const RETRY: Duration = Duration::from_millis(10);

/// A results file that is open for writing. The process holds the file's lock.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
    /// The defect that was found and repaired when the file was opened. `None` if there was none.
    pub(crate) flaw: Option<Flaw>,
}

impl ResultFile {
    /// Creates a results file. If the file exists already, it must be empty. The error tells whether it holds results.
    ///
    /// # Errors
    /// When the file is not empty, cannot be written, or is locked by another process.
    pub fn create(path: &Path) -> Result<ResultFile, ResultsError> {
        let mut file = ResultFile::open(path)?;
        let length = file.file.metadata().map_err(|error| ResultsError::of_reading(path, error))?.len();
        if length == 0 {
            return Ok(file);
        }
        let mut holds_results = false;
        let read = read_lines(path, &mut file.file, &mut |_, _| holds_results = true);
        Err(match read {
            Err(ResultsError::Line { path, line, column, what, .. }) if !holds_results => {
                let help = "the file is no file of results: name another one";
                ResultsError::Line { path, line, column, what, help }
            }
            _ => ResultsError::Exists(path.to_owned()),
        })
    }

    /// Opens a results file to append to it; creates the file if it does not exist. Calls `each` with each
    /// result in the file. Removes a torn last line.
    ///
    /// # Errors
    /// When the file cannot be read and written, is locked by another process, holds anything but results, or
    /// holds results of a tournament with another fingerprint. The error then tells in what its settings differ from
    /// `settings`.
    pub fn resume(
        path: &Path,
        fingerprint: &str,
        settings: &Settings,
        mut each: impl FnMut(MatchResult),
    ) -> Result<ResultFile, ResultsError> {
        let mut open = ResultFile::open(path)?;
        let mut foreign = None;
        let lines = read_lines(path, &mut open.file, &mut |line, result| {
            if result.tournament == fingerprint {
                each(result);
            } else if foreign.is_none() {
                foreign = Some((line, result.settings));
            }
        })?;
        if let Some((line, found)) = foreign {
            let differences = found.map(|found| found.differences(settings)).unwrap_or_default();
            return Err(ResultsError::Foreign { path: path.to_owned(), line, differences });
        }
        let fail = |error| ResultsError::of_writing(path, error);
        open.flaw = lines.torn.map(|line| Flaw::Torn { path: path.to_owned(), line });
        open.file.set_len(lines.bytes).map_err(fail)?;
        open.file.seek(SeekFrom::End(0)).map_err(fail)?;
        if lines.unended {
            open.file.write_all(b"\n").map_err(fail)?;
        }
        Ok(open)
    }

    fn open(path: &Path) -> Result<ResultFile, ResultsError> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(|error| ResultsError::of_writing(path, error))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => std::thread::sleep(RETRY),
                Err(TryLockError::WouldBlock) => return Err(ResultsError::Locked(path.to_owned())),
                // Some file systems have no locks; the run goes on without one.
                Ok(()) | Err(TryLockError::Error(_)) => {
                    return Ok(ResultFile { path: path.to_owned(), file, flaw: None });
                }
            }
        }
    }

    /// Appends one result as a line and flushes it.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn append(&mut self, result: &MatchResult) -> Result<(), ResultsError> {
        let line = result.to_line() + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| ResultsError::of_writing(&self.path, error))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::comparison::tests::result;
    use crate::read_results::{MAX_LINE, read_results};

    /// The path of a results file for one test. Dropping it removes the file.
    pub(crate) struct Scratch(pub(crate) PathBuf);

    impl Scratch {
        pub(crate) fn new(name: &str) -> Scratch {
            let name = format!("ggp-arena-result-{name}-{}.jsonl", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_file(&path);
            Scratch(path)
        }

        /// Resumes the file, which holds results of the tournament `t`.
        pub(crate) fn resume(&self) -> Result<ResultFile, ResultsError> {
            ResultFile::resume(&self.0, "t", &Settings::default(), |_| {})
        }

        pub(crate) fn ids(&self) -> Result<Vec<String>, ResultsError> {
            let mut ids = Vec::new();
            read_results(&self.0, |result| ids.push(result.id)).map(|_| ids)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn results_are_appended_whole_and_by_one_writer() {
        let scratch = Scratch::new("append");
        let mut file = ResultFile::create(&scratch.0).unwrap();
        file.append(&result("e", 0, &[("a", 100), ("b", 0)])).unwrap();
        // The line is readable before the file is closed.
        assert_eq!(scratch.ids().unwrap(), ["e.s0"]);
        let second = scratch.resume();
        assert!(matches!(second, Err(ResultsError::Locked(_))), "{second:?}");
        drop(file);
        let mut met = Vec::new();
        let mut file =
            ResultFile::resume(&scratch.0, "t", &Settings::default(), |result| met.push(result)).unwrap();
        assert_eq!(met, [result("e", 0, &[("a", 100), ("b", 0)])]);
        file.append(&result("e", 1, &[("b", 50), ("a", 50)])).unwrap();
        assert_eq!(scratch.ids().unwrap(), ["e.s0", "e.s1"]);
    }

    #[test]
    fn a_new_file_does_not_replace_another() {
        let scratch = Scratch::new("taken");
        let results = result("e", 0, &[("a", 1)]).to_line() + "\n";
        for (text, said) in [
            (
                "(role x)\n(init s)\n",
                ":1:1: not JSON: expected value; the file is no file of results: name another one",
            ),
            (
                "\n; a game\n",
                ":2:1: not JSON: expected value; the file is no file of results: name another one",
            ),
            (results.as_str(), " holds results already: resume it, or name another file"),
        ] {
            std::fs::write(&scratch.0, text).unwrap();
            let error = ResultFile::create(&scratch.0).unwrap_err().to_string();
            assert_eq!(error, format!("{}{said}", scratch.0.display()));
            assert_eq!(std::fs::read_to_string(&scratch.0).unwrap(), text);
        }
    }

    #[test]
    fn a_lock_that_is_held_for_a_moment_is_waited_for() {
        let scratch = Scratch::new("moment");
        let first = ResultFile::create(&scratch.0).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                drop(first);
            });
            scratch.resume().unwrap();
        });
    }

    #[test]
    fn a_torn_line_is_forgiven_only_at_the_end() {
        let scratch = Scratch::new("torn");
        let line = |seating| result("e", seating, &[("a", 1)]).to_line();
        std::fs::write(&scratch.0, format!("{}\n{}", line(0), &line(1)[..40])).unwrap();
        assert_eq!(scratch.ids().unwrap(), ["e.s0"]);
        drop(scratch.resume().unwrap());
        assert_eq!(std::fs::read_to_string(&scratch.0).unwrap(), line(0) + "\n");
        // A complete line that lacks only the newline is kept.
        std::fs::write(&scratch.0, line(0)).unwrap();
        let mut file = scratch.resume().unwrap();
        file.append(&result("e", 1, &[("a", 1)])).unwrap();
        drop(file);
        assert_eq!(scratch.ids().unwrap(), ["e.s0", "e.s1"]);
        std::fs::write(&scratch.0, format!("{}\n{{\n{}\n", line(0), line(1))).unwrap();
        let error = scratch.resume().unwrap_err().to_string();
        assert!(error.contains(":2:1: not JSON: EOF while parsing an object"), "{error}");
    }

    #[test]
    fn a_file_of_something_else_is_not_cut_when_it_is_resumed() {
        let scratch = Scratch::new("notes");
        let long = format!("{{\"id\":\"{}", "x".repeat(MAX_LINE as usize));
        for text in ["notes without a line end", "{\"matchId\":\"m\"", &long] {
            std::fs::write(&scratch.0, text).unwrap();
            assert!(scratch.resume().is_err());
            assert_eq!(std::fs::read_to_string(&scratch.0).unwrap(), text);
        }
        // After a crash, some file systems leave the beginning of a line, then zeros.
        std::fs::write(&scratch.0, "{\"id\":\"e\",\0\0\0").unwrap();
        assert!(scratch.resume().is_ok());
        assert_eq!(std::fs::read(&scratch.0).unwrap(), b"");
    }
}
