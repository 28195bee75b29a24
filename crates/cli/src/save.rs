//! The file to which `ggp play --save` writes a match after every step.
//!
//! Invariant: while a match hides information from the people who play, the file holds a sealed record.

use anyhow::Context;
use ggp_arena::{Record, SealedContents, SealedRecord, UserKey};
use ggp_game::{Fact, Game, OwnTurn, Role};
use std::path::Path;

/// The file of a match that is saved.
pub(crate) struct SaveFile<'a> {
    path: &'a Path,
    seal: Option<Seal<'a>>,
}

/// The data with which the record of a running match is sealed.
pub(crate) struct Seal<'a> {
    game: &'a Game,
    key: UserKey,
    /// The seed of the moves of chance and of the players.
    seed: u64,
    /// The roles that people play, each with its moves and percepts since the start of the match.
    people: Vec<(Role, Vec<OwnTurn>)>,
}

impl<'a> Seal<'a> {
    /// Seals a match of `game` with the seed `seed`, in which people play the roles `people`, with the key of
    /// the user.
    ///
    /// # Errors
    /// When the user's key is not available.
    pub(crate) fn new(
        game: &'a Game,
        seed: u64,
        people: impl Iterator<Item = Role>,
    ) -> anyhow::Result<Seal<'a>> {
        let people = people.map(|role| (role, Vec::new())).collect();
        Ok(Seal { game, key: UserKey::of_user()?, seed, people })
    }

    fn seal(&self, record: &Record) -> anyhow::Result<SealedRecord> {
        let people: Vec<(Role, &[OwnTurn])> =
            self.people.iter().map(|(role, history)| (*role, history.as_slice())).collect();
        let contents = SealedContents { seed: self.seed, record: record.clone() };
        Ok(SealedRecord::seal(self.game, &people, &contents, &self.key)?)
    }
}

impl<'a> SaveFile<'a> {
    /// The file `path`. With `seal`, the records of the running match are sealed.
    pub(crate) fn new(path: &'a Path, seal: Option<Seal<'a>>) -> SaveFile<'a> {
        SaveFile { path, seal }
    }

    /// Takes note of the match after a step, or in its initial state, and writes it if `keeps`. `percepts` are those of each
    /// role in this step, in role order; empty in the initial state.
    pub(crate) fn update(
        &mut self,
        record: &Record,
        percepts: &[Vec<Fact>],
        keeps: bool,
    ) -> anyhow::Result<()> {
        if let (Some(seal), Some(joint)) = (&mut self.seal, record.moves.last()) {
            for (role, history) in &mut seal.people {
                let (own, seen) = (joint[role.index()].clone(), percepts[role.index()].clone());
                history.push(OwnTurn { own, seen });
            }
        }
        if !keeps {
            return Ok(());
        }
        let text = match &self.seal {
            None => record.to_json(),
            Some(seal) => seal.seal(record)?.to_json(),
        };
        write(self.path, &text)
    }
}

/// Replaces the file `path` by the line `text`.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    ggp_arena::write_whole(path, text).with_context(|| format!("cannot write {}", path.display()))
}
