//! Merging of results files, such as those of the shards of a tournament.

use crate::read_results::read_all;
use crate::results_error::{Flaw, ResultsError};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

/// The counts of results in a merge, and the defects of the merged files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Merge {
    /// The number of results read.
    pub read: u64,
    /// The number of results written. For each match id, the first result is written.
    pub written: u64,
    /// The number of results left out because an equal result with the same match id was written before.
    /// Results are equal if goals, ending and moves agree.
    pub duplicates: u64,
    /// The number of results left out because a different result with the same match id was written before.
    /// Results are different if goals, ending or moves differ.
    pub conflicts: u64,
    /// The defects of files that could still be read, such as a last line that is cut off.
    pub flaws: Vec<Flaw>,
}

/// Merges results files: for each match id, writes the first result to `out`.
///
/// # Errors
/// When a file cannot be read, when no file holds a result, or when `out` cannot be written.
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
                writeln!(out, "{}", result.to_line()).map_err(ResultsError::Output)?;
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
    use crate::results_file::ResultFile;
    use crate::results_file::tests::Scratch;
    use std::path::Path;

    #[test]
    fn what_holds_no_results_is_refused_by_name() {
        let scratch = Scratch::new("refused");
        let path = scratch.0.display().to_string();
        let line = result("e", 0, &[("a", 1)]).to_line();
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
        let line = |seating| result("e", seating, &[("a", 1)]).to_line();
        std::fs::write(&empty.0, "").unwrap();
        std::fs::write(&torn.0, format!("{}\n{}", line(0), &line(1)[..40])).unwrap();
        let merged = merge(&[empty.0.clone(), torn.0.clone()], &mut Vec::new()).unwrap();
        let torn_line = Flaw::Torn { path: torn.0.clone(), line: 2 };
        assert_eq!(
            (merged.written, merged.flaws),
            (1, vec![Flaw::Empty(empty.0.clone()), torn_line.clone()])
        );
        assert_eq!(torn.resume().unwrap().flaw, Some(torn_line));
    }
}
