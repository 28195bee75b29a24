//! Watches a match that another program plays, through the record of the match on disk. The writer of the
//! record replaces the file after every move. This module reads the file again whenever it changes.

use crate::app::App;
use crate::lock::lock;
use crate::records::{self, MAX_BYTES};
use ggp_arena::Record;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The interval at which the record is checked for changes.
const LOOK: Duration = Duration::from_millis(150);

/// Follows the record at `path`. If `path` is a folder, follows the newest record in it. Never returns.
pub(crate) fn follow(app: &Arc<App>, path: &Path) {
    let mut seen: Option<(PathBuf, SystemTime, u64)> = None;
    let mut match_id = None;
    let mut said = String::new();
    loop {
        if let Some(file) = newest(path)
            && seen.as_ref() != Some(&file)
        {
            match show(app, &file, &mut match_id) {
                Ok(()) => said.clear(),
                Err(why) if why != said => {
                    tracing::warn!(file = %file.0.display(), %why, "the match cannot be watched");
                    said = why;
                }
                Err(_) => {}
            }
            seen = Some(file);
        }
        std::thread::sleep(LOOK);
    }
}

/// The file `path` or, if `path` is a folder, the newest record in it: its path, its modification time and
/// its size. `None` if there is no such file.
fn newest(path: &Path) -> Option<(PathBuf, SystemTime, u64)> {
    let look = |file: PathBuf| {
        let about = fs::metadata(&file).ok().filter(fs::Metadata::is_file)?;
        Some((file, about.modified().ok()?, about.len()))
    };
    if !path.is_dir() {
        return look(path.to_owned());
    }
    let files = fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let records = files.filter(|file| file.extension().is_some_and(|extension| extension == "json"));
    records.filter_map(look).max_by_key(|(_, changed, _)| *changed)
}

fn show(
    app: &Arc<App>,
    (file, _, bytes): &(PathBuf, SystemTime, u64),
    match_id: &mut Option<String>,
) -> Result<(), String> {
    if *bytes > MAX_BYTES {
        return Err("the record is too large".to_owned());
    }
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let record = Record::read(&text).map_err(|error| error.to_string())?;
    if record.match_id.is_empty() && record.states.is_empty() {
        // The match has not begun.
        return Ok(());
    }
    let shown = lock(&app.watched).clone().filter(|_| match_id.as_ref() == Some(&record.match_id));
    if let Some(session) = shown.and_then(|id| app.session(&id).ok()) {
        return session.follow(&record).map_err(|error| error.to_string());
    }
    let name = records::game(&record);
    let id = record.match_id.clone();
    let opened = app.open_watched(&name, record);
    let session = opened.map_err(|failure| format!("{name}: {}", failure.body["error"]))?;
    let before = lock(&app.watched).replace(session.id().to_owned());
    *match_id = Some(id);
    if let Some(before) = before {
        app.close(&before);
    }
    Ok(())
}
