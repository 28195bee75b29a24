//! The manager's side of a match between local and remote players.
//!
//! The arena's referee plays the match. This module adds what only a protocol manager does: previews, scrambled
//! symbols, and a record on disk that is complete after every move.
//!
//! A publisher can sign records. The record format has the members `matchHostPK` and `matchHostSignature` for
//! this purpose; a signer puts them into [`Record::other`]. The signature covers the canonical JSON of all
//! other members of the record. [`LiveRecord::write`] writes the file anew for every version of a record.

use crate::http::Address;
use crate::remote::{GRACE, RemotePlayer};
use crate::scramble::Scramble;
use ggp_arena::{MatchEvent, MatchSetup, Observer, OnFault, Outcome, Record, Referee, Seat, write_whole};
use ggp_game::{Clocks, Game, Player, StopToken};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The player that a manager invites to take a role.
pub enum Guest {
    /// A player in this process.
    Local(Box<dyn Player>),
    /// A player that is reached over HTTP.
    Remote {
        /// The player's address.
        address: Address,
        /// The player's name, which every request carries in the header `Receiver`. It may be empty.
        name: String,
    },
    /// The role `random`, whose moves the referee draws.
    Nature,
}

/// The settings of a hosted match.
#[derive(Clone, Debug)]
pub struct HostSetup {
    /// The match id: one word.
    pub id: String,
    /// The start clock and the play clock. Remote players receive them in whole seconds.
    pub clocks: Clocks,
    /// The clock of the preview before the match. `None` if there is no preview.
    pub preview: Option<Duration>,
    /// The referee's policy for faults.
    pub on_fault: OnFault,
    /// The seed of the referee's draws and of the scrambled words.
    pub seed: u64,
    /// Whether remote players receive scrambled symbols.
    pub scramble: bool,
    /// The file in which the record is kept up to date. `None` if there is no such file.
    pub live: Option<PathBuf>,
    /// The record with the data that are known before the match, such as the players' names, the game's URL
    /// and the tournament's name. The match adds everything else.
    pub record: Record,
    /// The number of steps after which the match ends unscored.
    pub max_steps: u32,
}

impl HostSetup {
    /// The settings of a match `id` with `clocks`. There is no preview and no scrambling. After a fault, the
    /// referee draws a random legal move for the player.
    pub fn new(id: impl Into<String>, clocks: Clocks) -> HostSetup {
        HostSetup {
            id: id.into(),
            clocks,
            preview: None,
            on_fault: OnFault::Random,
            seed: 0,
            scramble: false,
            live: None,
            record: Record::default(),
            max_steps: ggp_game::MAX_STEPS,
        }
    }
}

/// Plays a match between `guests`, one for each role in role order. All guests are asked in parallel. A
/// remote player may take several roles if it can play several matches at once.
pub fn host(
    referee: &mut dyn Referee,
    guests: Vec<Guest>,
    setup: HostSetup,
    observer: &mut dyn Observer,
    stop: &StopToken,
) -> Outcome {
    let game = Arc::clone(referee.game());
    let scramble = setup.scramble.then(|| Arc::new(Scramble::new(game.description(), setup.seed)));
    if let Some(clock) = setup.preview {
        show_previews(&game, &guests, &setup.id, scramble.as_ref(), clock);
    }
    let mut seats = Vec::with_capacity(guests.len());
    let mut addresses = Vec::new();
    for guest in guests {
        seats.push(match guest {
            Guest::Local(player) => Seat::Player(player),
            Guest::Remote { address, name } => {
                let seated = addresses.iter().filter(|&other| *other == address).count();
                addresses.push(address.clone());
                // A player tells matches apart by id, so each further role of the same address gets an id of
                // its own.
                let id = if seated == 0 { setup.id.clone() } else { format!("{}.{seated}", setup.id) };
                Seat::Player(Box::new(invite(address, name, &id, scramble.as_ref())))
            }
            Guest::Nature => Seat::Nature,
        });
    }
    let mut record = setup.record;
    record.scrambled = setup.scramble;
    if let Some(clock) = setup.preview {
        record.preview_clock = clock.into();
    }
    let agreed = MatchSetup {
        grace: GRACE,
        on_fault: setup.on_fault,
        seed: setup.seed,
        parallel: true,
        max_steps: setup.max_steps,
        record: Some(record),
        ..MatchSetup::new(setup.id, setup.clocks)
    };
    match setup.live {
        Some(path) => referee.play(agreed, &mut seats, &mut LiveRecord { path, watcher: observer }, stop),
        None => referee.play(agreed, &mut seats, observer, stop),
    }
}

fn invite(address: Address, name: String, id: &str, scramble: Option<&Arc<Scramble>>) -> RemotePlayer {
    let player = RemotePlayer::new(address, id).named(name);
    match scramble {
        Some(scramble) => player.scrambled(Arc::clone(scramble)),
        None => player,
    }
}

/// Sends PREVIEW to all remote players in parallel. A player need not answer.
fn show_previews(game: &Game, guests: &[Guest], id: &str, scramble: Option<&Arc<Scramble>>, clock: Duration) {
    thread::scope(|scope| {
        for guest in guests {
            if let Guest::Remote { address, name } = guest {
                let player = invite(address.clone(), name.clone(), id, scramble);
                scope.spawn(move || {
                    if let Err(error) = player.preview(game, clock) {
                        tracing::info!(id, %error, "PREVIEW");
                    }
                });
            }
        }
    });
}

/// An observer that keeps the record of a match in a file. The file holds a complete record after every move.
pub struct LiveRecord<'a> {
    /// The path of the file.
    pub path: PathBuf,
    /// The observer that receives every event after the record has been written.
    pub watcher: &'a mut dyn Observer,
}

impl LiveRecord<'_> {
    /// Replaces the file at `path` by `record` ([`write_whole`]), so that readers always find a complete record.
    ///
    /// # Errors
    /// When the file at `path`, or the temporary file beside it, cannot be written.
    pub fn write(path: &Path, record: &Record) -> io::Result<()> {
        write_whole(path, &record.to_json())
    }

    fn keep(&self, record: Option<&Record>) {
        let Some(record) = record else { return };
        if let Err(error) = LiveRecord::write(&self.path, record) {
            tracing::error!(%error, path = %self.path.display(), "the record cannot be written");
        }
    }
}

impl Observer for LiveRecord<'_> {
    fn wants_facts(&self) -> bool {
        true
    }

    fn observe(&mut self, event: MatchEvent<'_>) {
        match &event {
            MatchEvent::State { record, .. } => self.keep(*record),
            MatchEvent::End(outcome) => self.keep(outcome.record.as_ref()),
            MatchEvent::Joint { .. } => {}
        }
        let state = matches!(event, MatchEvent::State { .. });
        if !state || self.watcher.wants_facts() {
            self.watcher.observe(event);
        }
    }
}
