//! The games that the server offers: either the games that are compiled into the program, or those of a
//! folder.
//!
//! Invariant: a game is looked up by name in a list of the games that are compiled in, or of the files of the
//! folder. No name from a request becomes part of a path.

use crate::lock::lock;
use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

/// An offered game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The name of the game: the file name without `.kif`.
    pub name: String,
    /// The text of the rules.
    pub kif: Vec<u8>,
    /// The text of the view file (`NAME.view.json`), which describes the board. `None` if the game has no
    /// such file.
    pub sidecar: Option<Vec<u8>>,
}

/// Size limit of an offered rulesheet, in bytes. Larger files are left out.
const MOST_BYTES: u64 = 16 << 20;

/// The minimum interval between two looks for changed files.
const APART: Duration = Duration::from_secs(1);

macro_rules! ours {
    ($($name:literal $(+ $view:literal)?),* $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!("../games/", $name, ".kif")),
            ours!(@view $($view)?),
        )),*]
    };
    (@view $view:literal) => { Some(include_bytes!(concat!("../games/", $view)) as &[u8]) };
    (@view) => { None };
}

type Embedded = (&'static str, &'static [u8], Option<&'static [u8]>);

const OURS: &[Embedded] = ours![
    "breakthrough_holes" + "breakthrough_holes.view.json",
    "chess",
    "connect_four",
    "eight_puzzle" + "eight_puzzle.view.json",
    "endgame" + "endgame.view.json",
    "english_draughts" + "english_draughts.view.json",
    "hex",
    "kalah",
    "kuhn_poker",
    "liars_dice",
    "mastermind",
    "maze",
    "monty_hall",
    "nim",
    "pawn_whopping" + "pawn_whopping.view.json",
    "phantom_tic_tac_toe",
    "reversi",
    "rock_paper_scissors",
    "ship_hunt",
    "skirmish" + "skirmish.view.json",
    "sprint",
    "three_player_tic_tac_toe",
    "tic_tac_toe",
];

/// The games that are compiled into the program.
pub fn embedded() -> Vec<Offer> {
    let offer = |&(name, kif, sidecar): &Embedded| Offer {
        name: name.to_owned(),
        kif: kif.to_vec(),
        sidecar: sidecar.map(<[u8]>::to_vec),
    };
    OURS.iter().map(offer).collect()
}

/// The time of the last change of a file, if the system tells it, and the size of the file.
type Stamp = (Option<SystemTime>, u64);

/// The stamp of a file. `None` if there is no such file.
fn stamp(path: &Path) -> Option<Stamp> {
    let about = path.metadata().ok().filter(Metadata::is_file)?;
    Some((about.modified().ok(), about.len()))
}

/// The files of a game in a folder.
struct File {
    name: String,
    path: PathBuf,
    /// The stamps of the rules and of the view file.
    stamps: (Stamp, Option<Stamp>),
}

impl File {
    fn view(path: &Path) -> PathBuf {
        path.with_extension("view.json")
    }

    fn read(&self) -> io::Result<Offer> {
        let kif = std::fs::read(&self.path)?;
        Ok(Offer { name: self.name.clone(), kif, sidecar: std::fs::read(File::view(&self.path)).ok() })
    }
}

/// The files of all games in the folder `path`, in no particular order.
fn files(path: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        let named = path.extension().is_some_and(|extension| extension == "kif");
        let name = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| named);
        let Some(name) = name else { continue };
        let Some(rules) = stamp(&path).filter(|&(_, bytes)| bytes <= MOST_BYTES) else { continue };
        files.push(File { name: name.to_owned(), stamps: (rules, stamp(&File::view(&path))), path });
    }
    Ok(files)
}

/// A folder of games, whose files may change while the server runs.
pub struct Folder {
    path: PathBuf,
    /// The time of the last look for changes. `None` before the first one.
    looked: Option<Instant>,
    /// The stamps that the files of each game had when they were read.
    read: HashMap<String, (Stamp, Option<Stamp>)>,
}

impl Folder {
    /// Opens the folder `path`. Returns it with its games: every `NAME.kif`, with `NAME.view.json` if that file exists,
    /// sorted by name.
    ///
    /// # Errors
    /// When the folder or a file cannot be read.
    pub fn open(path: PathBuf) -> io::Result<(Folder, Vec<Offer>)> {
        let files = files(&path)?;
        let mut offers = files.iter().map(File::read).collect::<io::Result<Vec<Offer>>>()?;
        offers.sort_by(|a, b| a.name.cmp(&b.name));
        let read = files.into_iter().map(|file| (file.name, file.stamps)).collect();
        Ok((Folder { path, looked: None, read }, offers))
    }

    /// Brings `offers` up to date with the folder. Returns the names of the games that are new, changed or
    /// gone. Reads only files that have changed since the last look, and does not look again within [`APART`].
    /// If the folder cannot be read, everything stays as it is.
    pub(crate) fn refresh(&mut self, offers: &Mutex<Vec<Offer>>) -> Vec<String> {
        if self.looked.is_some_and(|at| at.elapsed() < APART) {
            return Vec::new();
        }
        self.looked = Some(Instant::now());
        let Ok(files) = files(&self.path) else { return Vec::new() };
        let (mut fresh, mut read) = (Vec::new(), HashMap::new());
        for file in files {
            if self.read.get(&file.name) != Some(&file.stamps) {
                // A file that cannot be read is not offered until it can be.
                let Ok(offer) = file.read() else { continue };
                fresh.push(offer);
            }
            read.insert(file.name, file.stamps);
        }
        let mut offers = lock(offers);
        // A text that was saved in the studio is offered already.
        fresh.retain(|offer| !offers.contains(offer));
        let names = fresh.iter().map(|offer| &offer.name);
        let gone = offers.iter().map(|offer| &offer.name).filter(|name| !read.contains_key(*name));
        let changed: Vec<String> = names.chain(gone).cloned().collect();
        offers.retain(|offer| !changed.contains(&offer.name));
        offers.extend(fresh);
        offers.sort_by(|a, b| a.name.cmp(&b.name));
        self.read = read;
        changed
    }
}

/// Keeps `made`, which was made from the text of `offer`, in `kept`. Keeps nothing if `offers` has another
/// text of the game by now.
pub(crate) fn keep<T>(offers: &Mutex<Vec<Offer>>, offer: &Offer, made: T, kept: &Mutex<HashMap<String, T>>) {
    // A change of a text is followed by the removal of all that was made from it. No text changes while the lock
    // on the games is held, so nothing is kept after that removal.
    let offers = lock(offers);
    if offers.contains(offer) {
        lock(kept).insert(offer.name.clone(), made);
    }
}

#[cfg(test)]
mod tests {
    use super::{Folder, Offer, embedded};
    use crate::lock::lock;
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    #[test]
    fn every_game_of_ours_is_embedded() {
        let games = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
        let (_, on_disk) = Folder::open(games).expect("the games are there");
        let embedded = embedded();
        assert_eq!(on_disk.len(), embedded.len());
        for (disk, offer) in on_disk.iter().zip(&embedded) {
            assert_eq!(disk.name, offer.name);
            assert_eq!((&disk.kif, &disk.sidecar), (&offer.kif, &offer.sidecar), "{}", disk.name);
        }
    }

    #[test]
    fn a_folder_is_followed() {
        let place = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| std::fs::write(place.path().join(file), text).expect("written");
        write("a.kif", "(role a)");
        write("b.kif", "(role b)");
        write("b.view.json", "{}");
        write("other.txt", "(role c)");
        // Every text has the same length, so that only the time tells that it is another one.
        let rewrite = |text: &str, later: Duration| {
            let path = place.path().join("a.kif");
            let time = path.metadata().expect("it is there").modified().expect("it has a time");
            write("a.kif", text);
            let file = std::fs::File::options().write(true).open(path).expect("it opens");
            file.set_modified(time + later).expect("it has a time");
        };
        let (mut followed, offers) = Folder::open(place.path().to_owned()).expect("it is read");
        let offers = Mutex::new(offers);
        let mut look = || {
            followed.looked = None;
            let mut changed = followed.refresh(&offers);
            changed.sort();
            changed
        };
        rewrite("(role y)", Duration::ZERO);
        assert_eq!(look(), [""; 0], "no file is read again after the start");
        rewrite("(role z)", Duration::from_secs(5));
        write("new.kif", "(role new)");
        write("b.view.json", "{\"chequered\": true}");
        assert_eq!(look(), ["a", "b", "new"]);
        std::fs::remove_file(place.path().join("a.kif")).expect("it is there");
        std::fs::remove_file(place.path().join("b.view.json")).expect("it is there");
        assert_eq!(look(), ["a", "b"]);
        assert_eq!(*lock(&offers), Folder::open(place.path().to_owned()).expect("it is read").1);
        // A game that is offered already, as after a save in the studio, is no change.
        write("saved.kif", "(role a)");
        let saved = Offer { name: "saved".to_owned(), kif: b"(role a)".to_vec(), sidecar: None };
        lock(&offers).push(saved);
        assert_eq!(look(), [""; 0]);
        let names: Vec<String> = lock(&offers).iter().map(|offer| offer.name.clone()).collect();
        assert_eq!(names, ["b", "new", "saved"]);
        // Soon after a look there is no other one.
        write("again.kif", "(role a)");
        followed.looked = Some(Instant::now() + Duration::from_secs(3600));
        assert_eq!(followed.refresh(&offers), [""; 0]);
        // Without the folder, the games stay.
        drop(place);
        followed.looked = None;
        assert_eq!(followed.refresh(&offers), [""; 0]);
        assert!(followed.looked.is_some() && lock(&offers).len() == 3);
    }
}
