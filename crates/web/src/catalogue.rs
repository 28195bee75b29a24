//! The games that the server offers: either the games that are compiled into the program, or those of a
//! folder.
//!
//! Invariant: a game is looked up by name in a list made at the start. No name from a request becomes
//! part of a path.

use crate::lock::lock;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Mutex;

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

/// The games of a folder: every `NAME.kif`, with `NAME.view.json` if that file exists, sorted by name.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn folder(path: &Path) -> io::Result<Vec<Offer>> {
    let mut offers = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let file = entry?.path();
        let named = file.extension().is_some_and(|extension| extension == "kif");
        let Some(name) = file.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if !named || !file.is_file() || file.metadata()?.len() > MOST_BYTES {
            continue;
        }
        offers.push(Offer {
            name: name.to_owned(),
            kif: std::fs::read(&file)?,
            sidecar: std::fs::read(file.with_extension("view.json")).ok(),
        });
    }
    offers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(offers)
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
    use super::{embedded, folder};

    #[test]
    fn every_game_of_ours_is_embedded() {
        let games = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
        let on_disk = folder(&games).expect("the games are there");
        let embedded = embedded();
        assert_eq!(on_disk.len(), embedded.len());
        for (disk, offer) in on_disk.iter().zip(&embedded) {
            assert_eq!(disk.name, offer.name);
            assert_eq!((&disk.kif, &disk.sidecar), (&offer.kif, &offer.sidecar), "{}", disk.name);
        }
    }
}
