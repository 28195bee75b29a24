//! Results files: one line of JSON a match.
//!
//! Invariants: a line is written whole and flushed before the next match counts. A last line that a crash
//! has cut off (torn) is removed when the file is opened again; any other malformed line is an error.

use crate::record::Record;
use crate::result::MatchResult;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest wait for the file lock of another process. A process that spawns programs may hold the lock
/// a moment longer, because a forked child shares its open files until `exec`.
const PATIENCE: Duration = Duration::from_secs(1);

/// The interval between attempts to take the lock.
const RETRY: Duration = Duration::from_millis(10);

/// Why results cannot be read or written.
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
        /// The line, from 1.
        line: u64,
        /// The byte in the line, from 1.
        column: u64,
        /// The error.
        what: String,
        /// How to correct it.
        help: &'static str,
    },
    /// No file holds a result.
    #[error("there are no results: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Nothing(Vec<Flaw>),
    /// A new file was requested, but the file is not empty.
    #[error("{0} holds results already: resume it, or name another file")]
    Exists(PathBuf),
    /// Another process is writing the file.
    #[error("{0} is being written by another run")]
    Locked(PathBuf),
    /// The file holds results of another tournament.
    #[error(
        "{path}:{line}: this result belongs to tournament {found}, not {wanted}: resume with the arguments of the first run"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The fingerprint in the line.
        found: String,
        /// The fingerprint of the current settings.
        wanted: String,
    },
}

/// A defect of a results file that can be read nevertheless.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// The file holds no result: the run has not finished a match, or the shard has no matches.
    #[error("{0} holds no results")]
    Empty(PathBuf),
    /// The last line is cut off: the run was killed, or is writing the line.
    #[error("{path}:{line}: the last line is cut off, and its match is not counted")]
    Torn {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
}

impl ResultsError {
    fn of_reading(path: &Path, error: io::Error) -> ResultsError {
        let path = path.to_owned();
        match error.kind() {
            _ if path.is_dir() => ResultsError::Directory { path },
            io::ErrorKind::NotFound => ResultsError::Missing(path),
            _ => ResultsError::Read { path, source: error },
        }
    }

    fn of_writing(path: &Path, error: io::Error) -> ResultsError {
        let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        match directory {
            _ if path.is_dir() => ResultsError::Directory { path: path.to_owned() },
            Some(directory) if !directory.exists() => {
                ResultsError::NoDirectory { path: path.to_owned(), directory: directory.to_owned() }
            }
            _ => ResultsError::Write { path: path.to_owned(), source: error },
        }
    }

    /// The error for JSON text that begins in line `line` of the file at `path`.
    fn of_json(path: &Path, line: u64, error: &serde_json::Error) -> ResultsError {
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

/// A results file open for writing; the process holds its lock.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
    /// The defect that was repaired when the file was opened.
    pub(crate) flaw: Option<Flaw>,
}

impl ResultFile {
    /// Creates a results file; an existing file must be empty.
    ///
    /// # Errors
    /// When the file holds anything, or cannot be written.
    pub fn create(path: &Path) -> Result<ResultFile, ResultsError> {
        let file = ResultFile::open(path)?;
        let length = file.file.metadata().map_err(|error| ResultsError::of_reading(path, error))?.len();
        if length == 0 { Ok(file) } else { Err(ResultsError::Exists(path.to_owned())) }
    }

    /// Opens a results file to append to it, or creates it. Each result in it is given to `each`. A torn
    /// last line is cut off.
    ///
    /// # Errors
    /// When the file cannot be read and written, holds anything but results, or holds results of a tournament
    /// with another fingerprint.
    pub fn resume(
        path: &Path,
        fingerprint: &str,
        mut each: impl FnMut(MatchResult),
    ) -> Result<ResultFile, ResultsError> {
        let mut open = ResultFile::open(path)?;
        let mut foreign = None;
        let whole = read_lines(path, &mut open.file, &mut |line, result| {
            if result.tournament == fingerprint {
                each(result);
            } else if foreign.is_none() {
                foreign = Some((line, result.tournament));
            }
        })?;
        if let Some((line, found)) = foreign {
            let wanted = fingerprint.to_owned();
            return Err(ResultsError::Foreign { path: path.to_owned(), line, found, wanted });
        }
        let fail = |error| ResultsError::of_writing(path, error);
        open.flaw = whole.torn.map(|line| Flaw::Torn { path: path.to_owned(), line });
        open.file.set_len(whole.bytes).map_err(fail)?;
        open.file.seek(SeekFrom::End(0)).map_err(fail)?;
        if whole.unended {
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

    /// Appends one result and flushes it.
    ///
    /// # Errors
    /// When the line cannot be written.
    pub fn append(&mut self, result: &MatchResult) -> Result<(), ResultsError> {
        let line = serde_json::to_vec(result).map_err(io::Error::from);
        let written = line.and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)?;
            self.file.flush()
        });
        written.map_err(|error| ResultsError::of_writing(&self.path, error))
    }
}

/// The extent of a file's valid lines.
#[derive(Default)]
struct Whole {
    /// The number of results.
    results: u64,
    /// The number of bytes up to the end of the last valid line.
    bytes: u64,
    /// Whether the last valid line lacks a newline.
    unended: bool,
    /// The number of the line after it, if that line is torn.
    torn: Option<u64>,
}

/// The maximum length of a line, in bytes.
const MAX_LINE: u64 = 1 << 24;

/// The maximum length of a match record, in bytes.
const MAX_RECORD: u64 = 1 << 26;

/// The first bytes of every result line.
const LINE_START: &[u8] = b"{\"id\":";

/// Whether `text`, which is not JSON and has no newline, is a torn result line. A file system may have
/// padded it with zeros after a crash.
fn is_torn(text: &[u8], error: &serde_json::Error) -> bool {
    let written = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let length = written.min(LINE_START.len());
    text[..length] == LINE_START[..length] && (error.is_eof() || written < text.len())
}

fn read_lines(
    path: &Path,
    file: &mut File,
    each: &mut dyn FnMut(u64, MatchResult),
) -> Result<Whole, ResultsError> {
    let mut reader = BufReader::new(file);
    let mut whole = Whole::default();
    let (mut text, mut line) = (Vec::new(), 0);
    loop {
        text.clear();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut text);
        if read.map_err(|error| ResultsError::of_reading(path, error))? == 0 {
            return Ok(whole);
        }
        line += 1;
        let ended = text.ends_with(b"\n");
        if !ended && text.len() as u64 == MAX_LINE {
            let what = format!("the line is longer than {MAX_LINE} bytes");
            let help = "results have one JSON object a line, as `ggp match --out FILE` writes them";
            return Err(ResultsError::Line { path: path.to_owned(), line, column: 1, what, help });
        }
        let bare = text.trim_ascii_end();
        if !bare.is_empty() {
            match serde_json::from_slice(bare) {
                Ok(result) => each(line, result),
                Err(error) if !ended && is_torn(bare, &error) => {
                    whole.torn = Some(line);
                    return Ok(whole);
                }
                Err(error) => return Err(ResultsError::of_json(path, line, &error)),
            }
            whole.results += 1;
        }
        whole.bytes += text.len() as u64;
        whole.unended = !ended;
    }
}

/// Gives each result of the file at `path` to `each`. The file holds result lines, or one match record.
/// Returns the file's defect if it can be read nevertheless.
///
/// # Errors
/// When the file cannot be read, or holds anything else.
pub fn read_results(path: &Path, mut each: impl FnMut(MatchResult)) -> Result<Option<Flaw>, ResultsError> {
    let mut file = File::open(path).map_err(|error| ResultsError::of_reading(path, error))?;
    match read_lines(path, &mut file, &mut |_, result| each(result)) {
        Ok(whole) => Ok(match whole.torn {
            Some(line) => Some(Flaw::Torn { path: path.to_owned(), line }),
            None => (whole.results == 0).then(|| Flaw::Empty(path.to_owned())),
        }),
        Err(error @ ResultsError::Line { line: 1, .. }) => {
            each(MatchResult::of_record(&read_record(path, error)?));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads the match record in the file at `path`, on one or several lines. `not_results` is the error that
/// reading the file as results gave; it is returned if the file is no record either.
fn read_record(path: &Path, not_results: ResultsError) -> Result<Record, ResultsError> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_RECORD).read_to_end(&mut text));
    read.map_err(|error| ResultsError::of_reading(path, error))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err(not_results);
    }
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_spread = serde_json::from_slice::<serde::de::IgnoredAny>(first).is_err_and(|error| error.is_eof());
    match serde_json::from_slice::<Record>(text) {
        Ok(record) if !record.match_id.is_empty() => Ok(record),
        Ok(_) if is_spread => Err(ResultsError::Line {
            path: path.to_owned(),
            line: 1,
            column: 1,
            what: "JSON, but neither results nor a match record: it has no `matchId`".to_owned(),
            help: "name what `ggp match --out FILE` or `ggp play --save FILE` has written",
        }),
        Err(error) if is_spread || error.is_data() => Err(ResultsError::of_json(path, 1, &error)),
        Ok(_) | Err(_) => Err(not_results),
    }
}

/// Gives each result of `files` to `each`; returns the defects of the files.
///
/// # Errors
/// When a file cannot be read, `each` fails, or none of the files holds a result.
pub(crate) fn read_all(
    files: &[PathBuf],
    mut each: impl FnMut(MatchResult) -> Result<(), ResultsError>,
) -> Result<Vec<Flaw>, ResultsError> {
    let (mut flaws, mut results, mut failed) = (Vec::new(), 0u64, None);
    for path in files {
        let flaw = read_results(path, |result| {
            results += 1;
            if failed.is_none() {
                failed = each(result).err();
            }
        })?;
        flaws.extend(flaw);
        if let Some(error) = failed {
            return Err(error);
        }
    }
    if results == 0 { Err(ResultsError::Nothing(flaws)) } else { Ok(flaws) }
}

/// The counts of a merge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Merge {
    /// The number of results read.
    pub read: u64,
    /// The number of results written: the first one of each id.
    pub written: u64,
    /// The number of results left out because they equal the first one of their id.
    pub duplicates: u64,
    /// The number of results left out whose goals, ending or moves differ from the first one of their id.
    pub conflicts: u64,
    /// The defects of the files.
    pub flaws: Vec<Flaw>,
}

/// Merges results files; writes one result for each match id to `out`.
///
/// # Errors
/// When a file cannot be read, none holds a result, or `out` cannot be written.
pub fn merge(files: &[PathBuf], out: &mut dyn Write) -> Result<Merge, ResultsError> {
    let mut merge = Merge::default();
    let mut seen: HashMap<String, u64> = HashMap::new();
    merge.flaws = read_all(files, |result| {
        merge.read += 1;
        let mut digest = crate::digest::Digest::default();
        digest.add(format!("{:?} {} {}", result.goals, result.ending, result.moves_digest).as_bytes());
        match seen.get(&result.id) {
            Some(&before) if before == digest.value() => merge.duplicates += 1,
            Some(_) => merge.conflicts += 1,
            None => {
                seen.insert(result.id.clone(), digest.value());
                merge.written += 1;
                let line = serde_json::to_string(&result).map_err(io::Error::from);
                line.and_then(|line| writeln!(out, "{line}")).map_err(ResultsError::Output)?;
            }
        }
        Ok(())
    })?;
    out.flush().map_err(ResultsError::Output)?;
    Ok(merge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::result;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("ggp-arena-result-{name}-{}.jsonl", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_file(&path);
            Scratch(path)
        }

        fn ids(&self) -> Result<Vec<String>, ResultsError> {
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
        let second = ResultFile::resume(&scratch.0, "t", |_| {});
        assert!(matches!(second, Err(ResultsError::Locked(_))), "{second:?}");
        drop(file);
        let mut met = Vec::new();
        let mut file = ResultFile::resume(&scratch.0, "t", |result| met.push(result)).unwrap();
        assert_eq!(met, [result("e", 0, &[("a", 100), ("b", 0)])]);
        file.append(&result("e", 1, &[("b", 50), ("a", 50)])).unwrap();
        assert_eq!(scratch.ids().unwrap(), ["e.s0", "e.s1"]);
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
            ResultFile::resume(&scratch.0, "t", |_| {}).unwrap();
        });
    }

    #[test]
    fn a_torn_line_is_forgiven_only_at_the_end() {
        let scratch = Scratch::new("torn");
        let line = |seating| serde_json::to_string(&result("e", seating, &[("a", 1)])).unwrap();
        std::fs::write(&scratch.0, format!("{}\n{}", line(0), &line(1)[..40])).unwrap();
        assert_eq!(scratch.ids().unwrap(), ["e.s0"]);
        drop(ResultFile::resume(&scratch.0, "t", |_| {}).unwrap());
        assert_eq!(std::fs::read_to_string(&scratch.0).unwrap(), line(0) + "\n");
        // A complete line that lacks only the newline is kept.
        std::fs::write(&scratch.0, line(0)).unwrap();
        let mut file = ResultFile::resume(&scratch.0, "t", |_| {}).unwrap();
        file.append(&result("e", 1, &[("a", 1)])).unwrap();
        drop(file);
        assert_eq!(scratch.ids().unwrap(), ["e.s0", "e.s1"]);
        std::fs::write(&scratch.0, format!("{}\n{{\n{}\n", line(0), line(1))).unwrap();
        let error = ResultFile::resume(&scratch.0, "t", |_| {}).unwrap_err().to_string();
        assert!(error.contains(":2:1: not JSON: EOF while parsing an object"), "{error}");
    }

    #[test]
    fn what_holds_no_results_is_refused_by_name() {
        let scratch = Scratch::new("refused");
        let path = scratch.0.display().to_string();
        let line = serde_json::to_string(&result("e", 0, &[("a", 1)])).unwrap();
        for (text, said) in [
            ("", "there are no results: PATH holds no results"),
            ("\n \n", "there are no results: PATH holds no results"),
            (
                &line[..40],
                "there are no results: PATH:1: the last line is cut off, and its match is not counted",
            ),
            ("hello", "PATH:1:1: not JSON: expected value; results have one JSON object a line"),
            (
                "{\"a\":1}",
                "PATH:1:7: JSON, but neither the result of a match nor a match record: missing field `id`",
            ),
            (
                "{\n  \"a\": 1\n}\n",
                "PATH:1:1: JSON, but neither results nor a match record: it has no `matchId`",
            ),
            ("{\n  \"matchId\": \"m\",\n  oops\n}\n", "PATH:3:3: not JSON: key must be a string"),
            (
                "{\n  \"matchId\": \"m\",\n  \"moves\": 3\n}\n",
                "invalid type: integer `3`, expected a sequence",
            ),
            (&format!("{line}\n{{\"id\":3}}\n"), "PATH:2:7: JSON, but neither the result of a match nor"),
            (
                &format!("{line}\noops\n{line}\n"),
                "PATH:2:1: not JSON: expected value; remove the line; `ggp match --resume",
            ),
            (&format!("{line}\noops"), "PATH:2:1: not JSON: expected value"),
        ] {
            std::fs::write(&scratch.0, text).unwrap();
            for error in [
                read_all(std::slice::from_ref(&scratch.0), |_| Ok(())).unwrap_err(),
                merge(std::slice::from_ref(&scratch.0), &mut Vec::new()).unwrap_err(),
            ] {
                let error = error.to_string();
                assert!(error.contains(&said.replace("PATH", &path)), "{text:?}: {error}");
            }
        }
        let missing = read_all(&[PathBuf::from("/no/such/file")], |_| Ok(())).unwrap_err().to_string();
        assert_eq!(missing, "there is no file /no/such/file");
        let directory = read_all(&[std::env::temp_dir()], |_| Ok(())).unwrap_err().to_string();
        assert!(directory.contains(" is a directory: name files in it, as "), "{directory}");
        let nowhere = ResultFile::create(Path::new("/no/such/file")).unwrap_err().to_string();
        assert_eq!(nowhere, "/no/such/file cannot be created: there is no directory /no/such");
    }

    #[test]
    fn an_empty_or_torn_file_beside_others_is_told() {
        let (empty, torn) = (Scratch::new("empty"), Scratch::new("torn-beside"));
        let line = |seating| serde_json::to_string(&result("e", seating, &[("a", 1)])).unwrap();
        std::fs::write(&empty.0, "").unwrap();
        std::fs::write(&torn.0, format!("{}\n{}", line(0), &line(1)[..40])).unwrap();
        let merged = merge(&[empty.0.clone(), torn.0.clone()], &mut Vec::new()).unwrap();
        let torn_line = Flaw::Torn { path: torn.0.clone(), line: 2 };
        assert_eq!(
            (merged.written, merged.flaws),
            (1, vec![Flaw::Empty(empty.0.clone()), torn_line.clone()])
        );
        assert_eq!(ResultFile::resume(&torn.0, "t", |_| {}).unwrap().flaw, Some(torn_line));
    }

    #[test]
    fn a_file_of_something_else_is_not_cut_when_it_is_resumed() {
        let scratch = Scratch::new("notes");
        let long = format!("{{\"id\":\"{}", "x".repeat(MAX_LINE as usize));
        for text in ["notes without a line end", "{\"matchId\":\"m\"", &long] {
            std::fs::write(&scratch.0, text).unwrap();
            assert!(ResultFile::resume(&scratch.0, "t", |_| {}).is_err());
            assert_eq!(std::fs::read_to_string(&scratch.0).unwrap(), text);
        }
        // Some file systems leave the beginning of a line, then zeros.
        std::fs::write(&scratch.0, "{\"id\":\"e\",\0\0\0").unwrap();
        assert!(ResultFile::resume(&scratch.0, "t", |_| {}).is_ok());
        assert_eq!(std::fs::read(&scratch.0).unwrap(), b"");
    }

    #[test]
    fn a_match_record_is_a_result_too() {
        let scratch = Scratch::new("record");
        let mut record = Record {
            match_id: "m".to_owned(),
            player_names_from_host: vec!["a".to_owned(), "b".to_owned()],
            goal_values: vec![Some(100), Some(0)],
            is_completed: true,
            ..Record::default()
        };
        let read = |record: &Record| {
            // The record on one line without a newline, as other servers write it, then on many lines.
            std::fs::write(&scratch.0, record.to_json()).unwrap();
            let mut short = Vec::new();
            read_results(&scratch.0, |result| short.push(result))?;
            std::fs::write(&scratch.0, serde_json::to_string_pretty(record).unwrap()).unwrap();
            let mut all = Vec::new();
            read_results(&scratch.0, |result| all.push(result))?;
            assert_eq!(all, short);
            Ok::<MatchResult, ResultsError>(all.remove(0))
        };
        let result = read(&record).unwrap();
        assert!(result.is_scored());
        assert_eq!((result.players[0].as_deref(), &result.goals[..]), (Some("a"), &[Some(100), Some(0)][..]));
        record.is_aborted = true;
        assert!(!read(&record).unwrap().is_scored());
        record.forfeited_by = Some(0);
        assert_eq!(read(&record).unwrap().goals, [Some(0), Some(100)]);
        record.match_id.clear();
        assert!(read(&record).is_err());
    }
}
