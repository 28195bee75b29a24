//! A match between players here and players elsewhere: the manager's end of a whole match.
//!
//! The referee is the arena's, and cannot tell who is remote. What is added here is what only a
//! manager on the wire does: previews, scrambled words, and a record on disk that is complete after
//! every move.
//!
//! A record can be signed by whoever publishes it: the format's `matchHostPK` and
//! `matchHostSignature` go into [`Record::other`], over the canonical JSON of the rest;
//! [`LiveRecord::write`] is where every version passes.

use crate::http::Address;
use crate::remote::{GRACE, RemotePlayer};
use crate::scramble::Scramble;
use ggp_arena::{MatchEvent, MatchSetup, Observer, OnFault, Outcome, Record, Referee, Seat};
use ggp_game::{Clocks, Game, Player, StopToken};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Who takes a role.
pub enum Guest {
    /// A player in this process.
    Local(Box<dyn Player>),
    /// A player behind an address.
    Remote {
        /// Where.
        address: Address,
        /// What it is called in the `Receiver` header; may be empty.
        name: String,
    },
    /// The role `random`, drawn by the referee.
    Nature,
}

/// What is agreed before a match.
#[derive(Clone, Debug)]
pub struct HostSetup {
    /// The match id: one word.
    pub id: String,
    /// The clocks; players elsewhere read whole seconds.
    pub clocks: Clocks,
    /// Whether the game is shown before, and for how long.
    pub preview: Option<Duration>,
    /// What becomes of faults.
    pub on_fault: OnFault,
    /// For moves drawn by the referee, and for the words of a scrambled match.
    pub seed: u64,
    /// Whether remote players see other words than those of the rules.
    pub scramble: bool,
    /// Where the record is kept up to date.
    pub live: Option<PathBuf>,
    /// The record to be filled in: names, the game's address, a tournament.
    pub record: Record,
    /// A match of so many steps is given up.
    pub max_steps: u32,
}

impl HostSetup {
    /// A match `id` with `clocks`: no preview, no scrambling, random moves for faults.
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

/// Plays a match of `guests`, one a role, all of them asked at the same time. A player may sit at
/// several roles if it can play several matches at once.
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
                // Players tell matches apart by their ids, so one that sits twice gets two.
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

/// Shows the game to all remote players at once; no answer does no harm.
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

/// Keeps the record of a match on disk, complete after every move.
pub struct LiveRecord<'a> {
    /// Where.
    pub path: PathBuf,
    /// Who else watches.
    pub watcher: &'a mut dyn Observer,
}

impl LiveRecord<'_> {
    /// Replaces the file by `record`, so that whoever reads it finds a whole one.
    ///
    /// # Errors
    /// When the file or a temporary one beside it cannot be written.
    pub fn write(path: &Path, record: &Record) -> io::Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".tmp");
        let beside = path.with_file_name(name);
        let mut file = File::create(&beside)?;
        file.write_all(record.to_json().as_bytes())?;
        file.write_all(b"\n")?;
        drop(file);
        fs::rename(&beside, path)
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
