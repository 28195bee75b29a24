//! The files that commands write. Each is looked at before the work, so that no output replaces a file of another kind, and
//! none turns out to be out of reach only at the end.

use crate::exit::UsageError;
use crate::file_kind::FileKind;
use anyhow::Context;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// No more of a file than its first bytes are read to tell its kind, 64 MiB.
const HEAD: u64 = 64 << 20;

/// What a command writes to a file, by the option that names the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Destination {
    /// The record of a match, open or sealed: `--save`.
    Record,
    /// The page of a tournament: `--report`.
    Report,
    /// The results of matches: `--out` of `ggp merge`.
    Results,
    /// The tree of a game for Gambit: `--efg`.
    Tree,
}

impl Destination {
    /// Refuses the file `path` if it cannot be written, or holds anything that this output does not write. An empty file
    /// holds nothing, and so does a device or a pipe.
    ///
    /// # Errors
    /// When the file is refused.
    pub(crate) fn check(self, path: &Path) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", path.display());
        let found = path.metadata().ok();
        if found.as_ref().is_some_and(|found| !found.is_file() && !found.is_dir()) {
            return Ok(());
        }
        if found.is_some_and(|found| found.is_file()) && !self.may_replace(&head(path).with_context(cannot)?)
        {
            let (option, what) = self.words();
            let file = path.display();
            let why = format!(
                "{option} does not replace {file}, which is not {what}: give another name, or remove the file"
            );
            return Err(UsageError(why).into());
        }
        let is_new = path.symlink_metadata().is_err();
        OpenOptions::new().create(true).append(true).open(path).with_context(cannot)?;
        if is_new {
            // A command that fails later leaves no empty file behind.
            let _ = fs::remove_file(path);
        }
        Ok(())
    }

    /// Whether this output may replace a file with the text `text`.
    fn may_replace(self, text: &[u8]) -> bool {
        let text = text.trim_ascii_start();
        let is_such = match self {
            Destination::Record => {
                matches!(FileKind::of(text), Some(FileKind::Record | FileKind::SealedRecord))
            }
            Destination::Report => text.starts_with(b"<!doctype html>"),
            Destination::Results => FileKind::of(text) == Some(FileKind::Results),
            Destination::Tree => text.starts_with(b"EFG "),
        };
        is_such || text.is_empty()
    }

    /// The option that names the file, and what the file may hold.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Destination::Record => ("--save", "the record of a match"),
            Destination::Report => ("--report", "a report of matches"),
            Destination::Results => ("--out", "a file of results"),
            Destination::Tree => ("--efg", "the tree of a game"),
        }
    }
}

/// The first bytes of the file `path`.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::Destination;
    use std::fs;

    #[test]
    fn an_output_replaces_files_of_its_own_kind_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let all = [Destination::Record, Destination::Report, Destination::Results, Destination::Tree];
        for (text, allowed) in [
            ("", &all[..]),
            ("\n", &all),
            (r#"{"format":"ggp record","version":1,"moves":[]}"#, &[Destination::Record]),
            (r#"{"format":"ggp sealed record","version":1}"#, &[Destination::Record]),
            (r#"{"moves": [["noop"]]}"#, &[Destination::Record]),
            ("<!doctype html>\n<html>", &[Destination::Report]),
            ("{\"format\":\"ggp result\",\"version\":1}\n", &[Destination::Results]),
            ("EFG 2 R \"g\" { \"a\" }\n", &[Destination::Tree]),
            ("(role a)", &[]),
            (r#"{"version": 1, "shape": "square"}"#, &[]),
            ("ggp knowledge 1\nq", &[]),
        ] {
            fs::write(&path, text).expect("a file");
            for one in all {
                let checked = one.check(&path);
                assert_eq!(checked.is_ok(), allowed.contains(&one), "{one:?}: {text}");
                if let Err(error) = checked {
                    assert!(error.to_string().ends_with("give another name, or remove the file"), "{error}");
                }
            }
            assert_eq!(fs::read_to_string(&path).expect("the file"), text);
        }
        // A new file is tried and is not left behind.
        fs::remove_file(&path).expect("the file");
        for one in all {
            assert!(one.check(&path).is_ok() && !path.exists());
            let nowhere = one.check(&path.join("below")).expect_err("no such folder").to_string();
            assert!(nowhere.starts_with("cannot write "), "{nowhere}");
        }
    }
}
