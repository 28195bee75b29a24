//! Reads results: from results files, which have one line of JSON for each match, and from match records.

use crate::record::{RECORD, Record, is_sealed};
use crate::result::{MatchResult, RESULT};
use crate::results_error::{Flaw, ResultsError};
use ggp_game::FormatError;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Counts of the valid lines of a results file, and how the file ends.
#[derive(Default)]
pub(crate) struct ValidLines {
    /// The number of results.
    pub(crate) results: u64,
    /// The number of bytes up to the end of the last valid line.
    pub(crate) bytes: u64,
    /// True if the last valid line lacks its newline.
    pub(crate) unended: bool,
    /// The line number, from 1, of a last line that a crash cut off (a torn line). `None` if there is no torn
    /// line.
    pub(crate) torn: Option<u64>,
}

/// The maximum length of a line, in bytes.
pub(crate) const MAX_LINE: u64 = 1 << 24;

/// The maximum length of a match record, in bytes.
const MAX_RECORD: u64 = 1 << 26;

/// The first bytes of every result line, of this program and of ggp 0.1.
const LINE_STARTS: [&[u8]; 2] = [b"{\"format\":\"ggp result\",", b"{\"id\":"];

/// Whether a crash has cut off the result line `text`. The caller has found that `text` is the last line of
/// the file, has no newline, and is not valid JSON: parsing it gave `error`. After a crash, the file system
/// may have padded the line with zero bytes.
fn is_torn(text: &[u8], error: &serde_json::Error) -> bool {
    let written = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let begins = |start: &[u8]| {
        let length = written.min(start.len());
        text[..length] == start[..length]
    };
    LINE_STARTS.into_iter().any(begins) && (error.is_eof() || written < text.len())
}

/// Calls `each` with each result in `file` and its line number, from 1. Stops at a torn last line. Errors
/// name `path`, the path of `file`.
pub(crate) fn read_lines(
    path: &Path,
    file: &mut File,
    each: &mut dyn FnMut(u64, MatchResult),
) -> Result<ValidLines, ResultsError> {
    let mut reader = BufReader::new(file);
    let mut lines = ValidLines::default();
    let (mut text, mut line) = (Vec::new(), 0);
    loop {
        text.clear();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut text);
        if read.map_err(|error| ResultsError::of_reading(path, error))? == 0 {
            return Ok(lines);
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
            if let Err(why @ FormatError::Version { .. }) = RESULT.check(bare) {
                return Err(ResultsError::Format { path: path.to_owned(), line, why });
            }
            match serde_json::from_slice(bare) {
                Ok(result) => each(line, result),
                Err(error) if !ended && is_torn(bare, &error) => {
                    lines.torn = Some(line);
                    return Ok(lines);
                }
                Err(error) => return Err(ResultsError::of_json(path, line, &error)),
            }
            lines.results += 1;
        }
        lines.bytes += text.len() as u64;
        lines.unended = !ended;
    }
}

/// Calls `each` with each result of the file at `path`. The file holds either result lines or one match
/// record. Returns the file's defect, if it has one that does not prevent reading it; otherwise `None`.
///
/// # Errors
/// When the file cannot be read, or holds neither result lines nor a match record.
pub fn read_results(path: &Path, mut each: impl FnMut(MatchResult)) -> Result<Option<Flaw>, ResultsError> {
    let mut file = File::open(path).map_err(|error| ResultsError::of_reading(path, error))?;
    match read_lines(path, &mut file, &mut |_, result| each(result)) {
        Ok(lines) => Ok(match lines.torn {
            Some(line) => Some(Flaw::Torn { path: path.to_owned(), line }),
            None => (lines.results == 0).then(|| Flaw::Empty(path.to_owned())),
        }),
        Err(error @ ResultsError::Line { line: 1, .. }) => {
            each(MatchResult::of_record(&read_record(path, error)?));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads the file at `path` as one match record, which may span several lines. `not_results` is the error of
/// the earlier attempt to read the file as results. That error is returned if the file is not a match record
/// either.
fn read_record(path: &Path, not_results: ResultsError) -> Result<Record, ResultsError> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_RECORD).read_to_end(&mut text));
    read.map_err(|error| ResultsError::of_reading(path, error))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    if !text.trim_ascii_start().starts_with(b"{") {
        return Err(not_results);
    }
    if is_sealed(&String::from_utf8_lossy(text)) {
        return Err(ResultsError::Line {
            path: path.to_owned(),
            line: 1,
            column: 1,
            what: "the sealed record of a match that is not over has no result yet".to_owned(),
            help: "continue the match with `ggp play --from FILE`",
        });
    }
    match RECORD.check(text) {
        Err(FormatError::Other { found, .. }) if found == RESULT.name => return Err(not_results),
        checked => checked.map_err(|why| ResultsError::Format { path: path.to_owned(), line: 1, why })?,
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

/// Calls `each` with each result of `files`. Returns the defects of files that could still be read.
///
/// # Errors
/// When a file cannot be read, when `each` fails, or when none of the files holds a result.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results_file::tests::Scratch;

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
            // The record is written first on one line without a newline, as by other servers, then on many
            // lines.
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
