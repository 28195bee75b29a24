//! The records in the folder that is watched: a list of them, and each one as it was played.
//!
//! Invariant: no name from a request becomes part of a path. A record is looked up by its name among the files of the
//! folder.

use crate::lock::lock;
use crate::reply::Failure;
use ggp_arena::{Record, RecordError};
use ggp_game::FormatError;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// The largest size of a record, in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// The maximum number of records that are listed: the newest ones.
const LISTED: usize = 200;

/// A file with a record, as it was when the folder was read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct File {
    name: String,
    path: PathBuf,
    changed: SystemTime,
    bytes: u64,
}

/// What the list shows of a file.
#[derive(Clone, PartialEq, Debug)]
enum Brief {
    /// A record.
    Record(Value),
    /// A record of a later version of this program, and why it is not read.
    Later(Value),
    /// The file holds no record.
    Nothing,
}

/// The records in a folder, or the one record that is watched.
pub(crate) struct Records {
    place: PathBuf,
    /// What was read of each file, by its name, with the time and the size that the file had.
    known: Mutex<HashMap<String, (SystemTime, u64, Brief)>>,
}

impl Records {
    pub(crate) fn new(place: &Path) -> Records {
        Records { place: place.to_owned(), known: Mutex::default() }
    }

    /// All records, the newest first.
    fn files(&self) -> Vec<File> {
        let look = |path: PathBuf| {
            let about = path.metadata().ok().filter(fs::Metadata::is_file)?;
            let name = path.file_stem()?.to_str()?.to_owned();
            Some(File { name, changed: about.modified().ok()?, bytes: about.len(), path })
        };
        let mut files: Vec<File> = if self.place.is_dir() {
            let entries = fs::read_dir(&self.place).into_iter().flatten().flatten().map(|entry| entry.path());
            entries
                .filter(|path| path.extension().is_some_and(|end| end == "json"))
                .filter_map(look)
                .collect()
        } else {
            look(self.place.clone()).into_iter().collect()
        };
        files.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| b.name.cmp(&a.name)));
        files
    }

    /// The newest records in brief, as JSON, and in `later` those that only a later version of this program reads. Files
    /// that hold no record are left out.
    pub(crate) fn list(&self) -> Value {
        let mut files = self.files();
        let omitted = files.len().saturating_sub(LISTED);
        files.truncate(LISTED);
        let mut known = lock(&self.known);
        known.retain(|name, _| files.iter().any(|file| file.name == *name));
        let (mut shown, mut later) = (Vec::with_capacity(files.len()), Vec::new());
        for file in &files {
            let entry =
                known.get(&file.name).filter(|(at, bytes, _)| (*at, *bytes) == (file.changed, file.bytes));
            let brief = entry.map_or_else(|| Brief::of(file), |(_, _, brief)| brief.clone());
            known.insert(file.name.clone(), (file.changed, file.bytes, brief.clone()));
            match brief {
                Brief::Record(brief) => shown.push(brief),
                Brief::Later(why) => later.push(why),
                Brief::Nothing => {}
            }
        }
        json!({ "records": shown, "later": later, "omitted": omitted })
    }

    /// The record with the name `name`.
    pub(crate) fn read(&self, name: &str) -> Result<Record, Failure> {
        let file = self.files().into_iter().find(|file| file.name == name);
        let file = file.ok_or_else(|| Failure::missing("record"))?;
        let text = text(&file).map_err(Failure::bad)?;
        Record::read(&text).map_err(|error| Failure::bad(error.to_string()))
    }
}

fn text(file: &File) -> Result<String, String> {
    if file.bytes > MAX_BYTES {
        return Err("the record is too large".to_owned());
    }
    fs::read_to_string(&file.path).map_err(|error| error.to_string())
}

impl Brief {
    /// What the list shows of `file`. Logs that a record cannot be read; the caller asks again only if the file has changed.
    fn of(file: &File) -> Brief {
        let Ok(text) = text(file) else { return Brief::Nothing };
        match Record::read(&text) {
            Ok(record) => Brief::Record(shown(file, &record)),
            Err(RecordError::Format(why @ FormatError::Version { .. })) => {
                let why = why.to_string();
                tracing::warn!(file = %file.path.display(), %why, "the record is not listed");
                Brief::Later(json!({ "name": file.name, "why": why }))
            }
            Err(_) => Brief::Nothing,
        }
    }
}

/// What the list shows of a record.
fn shown(file: &File, record: &Record) -> Value {
    let changed = file.changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    json!({
        "name": file.name,
        "game": game(record),
        "players": record.player_names_from_host,
        "goals": record.goal_values,
        "steps": record.moves.len(),
        "over": record.is_completed || record.is_aborted,
        "changed": changed,
    })
}

/// The name of the game of a record: the file name in its address, without `.kif`.
pub(crate) fn game(record: &Record) -> String {
    let address = record.game_meta_url.trim_end_matches('/');
    Path::new(address).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_the_folder_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let record =
            Record { match_id: "one".to_owned(), game_meta_url: "a/nim.kif".to_owned(), ..Record::default() };
        fs::write(folder.path().join("one.json"), record.to_json()).unwrap();
        fs::write(folder.path().join("none.json"), "{").unwrap();
        fs::write(folder.path().join("later.json"), r#"{"format":"ggp record","version":9}"#).unwrap();
        fs::write(folder.path().join("other.txt"), record.to_json()).unwrap();
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).unwrap();
        let records = Records::new(folder.path());
        for _ in 0..2 {
            let list = records.list();
            assert_eq!(list["records"].as_array().map(Vec::len), Some(1), "{list}");
            assert_eq!(
                (&list["records"][0]["name"], &list["records"][0]["game"]),
                (&json!("one"), &json!("nim"))
            );
            assert_eq!(list["later"].as_array().map(Vec::len), Some(1), "{list}");
            let why = list["later"][0]["why"].as_str().unwrap();
            assert!(
                list["later"][0]["name"] == "later" && why.starts_with("version 9 of the format"),
                "{why}"
            );
        }
        assert_eq!(records.read("one").unwrap().match_id, "one");
        let below = Records::new(&inside);
        for name in ["", "one", "../one", "one.json", "/etc/passwd"] {
            assert!(below.read(name).is_err(), "{name}");
        }
        assert!(["other", "none", "later"].iter().all(|name| records.read(name).is_err()));
    }
}
