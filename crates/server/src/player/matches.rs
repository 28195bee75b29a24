//! The table of matches: it dispatches messages to matches and recognises repeated ones.
//!
//! Invariant: the table's lock is not held while a thread evaluates rules or waits for an answer, so messages
//! for other matches, INFO and ABORT are answered at once.

use super::clerk::{Beginning, Command, Seated};
use super::running::Running;
use super::thought::Thought;
use super::{PlayerConfig, PlayerFactory};
use ggp_game::{Clocks, StopToken};
use ggp_protocol::Seen as Told;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between a player's deadline and the latest instant of its answer, for the wake-up and the
/// hand-over.
const GUARD: Duration = Duration::from_millis(30);

/// The shortest time for an answer if the margin leaves less: enough for a legal move.
const LEAST: Duration = Duration::from_millis(50);

/// The longest time for which START waits for the threads of ended matches.
const ENDING: Duration = Duration::from_secs(1);

/// The stack size of a match's thread, in bytes; the evaluation does not recurse.
const STACK: usize = 2 << 20;

/// A match in the table.
#[derive(Debug)]
struct Entry {
    commands: Sender<Command>,
    /// The last question; at first the one for START.
    current: Arc<Thought>,
    /// The content of the last PLAY; `None` before the first one.
    asked: Option<Told>,
    clocks: Clocks,
    /// The time at which the match is dropped if no further message comes.
    silent_at: Instant,
    quit: Arc<AtomicBool>,
    hurry: StopToken,
    seated: Arc<OnceLock<Seated>>,
    thread: JoinHandle<()>,
}

impl Entry {
    /// Whether `told` repeats a PLAY that was asked before. GDL-I has no turn numbers, and the same joint
    /// move may legally occur twice; but then this player's move in it equals its last answer. Not
    /// recognised: a manager that replaces this player's move by the same other move in two successive turns.
    fn is_repeated(&self, told: &Told) -> bool {
        match (self.asked.as_ref(), told) {
            (None, _) => false,
            (Some(Told::Percepts { turn: last, .. }), Told::Percepts { turn, .. }) => turn <= last,
            (Some(last), _) if last == told && self.current.answer().is_none() => true,
            // Percepts without a turn number do not identify the turn.
            _ if self.seated.get().is_some_and(|seated| seated.hidden) => false,
            (Some(_), Told::Nothing) => true,
            (Some(last), Told::Moves(joint)) if last == told => {
                match (self.current.answer(), self.seated.get()) {
                    (Some(given), Some(seated)) => {
                        joint.get(seated.role.index()).is_none_or(|own| !own.eq_ignore_ascii_case(&given))
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Stops all thinking, and answers all threads that wait.
    fn quit(&self) {
        self.current.interrupt();
        self.quit.store(true, Ordering::Relaxed);
        self.hurry.stop();
        self.current.refuse();
    }
}

/// The table of all matches of one served player.
pub(super) struct Matches {
    config: PlayerConfig,
    factory: Arc<dyn PlayerFactory>,
    table: Mutex<FxHashMap<String, Entry>>,
    /// The number of matches with threads, including matches that have left the table and still run.
    running: Arc<Running>,
}

impl Matches {
    pub(super) fn new(config: PlayerConfig, factory: Arc<dyn PlayerFactory>) -> Matches {
        Matches { config, factory, table: Mutex::default(), running: Arc::default() }
    }

    pub(super) fn config(&self) -> &PlayerConfig {
        &self.config
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<String, Entry>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a further match can begin.
    pub(super) fn has_room(&self) -> bool {
        self.lock().len() < self.config.matches
    }

    /// The player's deadline and the latest instant of the answer, for a question with this clock that
    /// `arrived` at this instant.
    fn due(&self, arrived: Instant, clock: Duration) -> (Instant, Instant) {
        let time = clock.saturating_sub(self.config.margin).max(LEAST);
        (arrived + time.saturating_sub(GUARD.min(time / 4)), arrived + time)
    }

    /// START: begins a match and waits for its player to be ready.
    pub(super) fn start(
        &self,
        id: &str,
        role: &str,
        rules: Vec<u8>,
        clocks: Clocks,
        arrived: Instant,
    ) -> String {
        let busy = || "busy".to_owned();
        let (due, latest) = self.due(arrived, clocks.start);
        let thought = Arc::new(Thought::start(due, latest));
        let full =
            |table: &FxHashMap<String, Entry>| table.contains_key(id) || table.len() >= self.config.matches;
        if full(&self.lock()) {
            return busy();
        }
        // A player that ignores its stop token still uses a core after its match has left the table; any
        // other one ends within this time.
        let patience = ENDING.min(clocks.start / 2);
        let Some(running) = self.running.enter(2 * self.config.matches, patience) else { return busy() };
        {
            let mut table = self.lock();
            if full(&table) {
                return busy();
            }
            let (commands, receiver) = channel();
            let (quit, hurry, seated) = (Arc::default(), StopToken::new(), Arc::default());
            let beginning = Beginning {
                id: id.to_owned(),
                role: role.to_owned(),
                rules,
                clocks,
                thought: Arc::clone(&thought),
                commands: receiver,
                quit: Arc::clone(&quit),
                hurry: hurry.clone(),
                seated: Arc::clone(&seated),
                running,
            };
            let (config, factory) = (self.config.clone(), Arc::clone(&self.factory));
            let thread = thread::Builder::new().name("match".to_owned()).stack_size(STACK);
            let thread = match thread.spawn(move || beginning.run(&config, factory)) {
                Ok(thread) => thread,
                Err(error) => {
                    tracing::error!(%error, "no thread for a match");
                    return busy();
                }
            };
            let silent_at = arrived + clocks.start + 2 * clocks.play + self.config.silence;
            let current = Arc::clone(&thought);
            let entry =
                Entry { commands, current, asked: None, clocks, silent_at, quit, hurry, seated, thread };
            table.insert(id.to_owned(), entry);
        }
        let answer = thought.wait();
        if answer != "ready" {
            let mut table = self.lock();
            // The match may have been aborted and begun again in the meantime.
            if table.get(id).is_some_and(|entry| Arc::ptr_eq(&entry.current, &thought))
                && let Some(entry) = table.remove(id)
            {
                entry.quit();
            }
        }
        answer
    }

    /// PLAY: asks the match's player for a move and waits for it. `busy` for an unknown id.
    pub(super) fn play(&self, id: &str, told: Told, arrived: Instant) -> String {
        let thought = {
            let mut table = self.lock();
            let Some(entry) = table.get_mut(id) else { return "busy".to_owned() };
            entry.silent_at = arrived + 3 * entry.clocks.play + self.config.silence;
            if entry.is_repeated(&told) {
                tracing::info!(id, "PLAY came again");
                Arc::clone(&entry.current)
            } else {
                let (due, latest) = self.due(arrived, entry.clocks.play);
                let thought = Arc::new(Thought::play(due, latest));
                // A request that still waits for an older question is obsolete.
                entry.current.interrupt();
                entry.current = Arc::clone(&thought);
                entry.asked = Some(told.clone());
                if entry.commands.send(Command::Play { told, thought: Arc::clone(&thought) }).is_err() {
                    // The match answered `ready` before its rules had been read, and the rules cannot be
                    // played.
                    table.remove(id);
                    return "busy".to_owned();
                }
                thought
            }
        };
        thought.wait()
    }

    /// STOP: ends a match without waiting for its player, which still receives the last moves.
    pub(super) fn stop(&self, id: &str, told: Told) -> &'static str {
        let Some(entry) = self.lock().remove(id) else { return "busy" };
        entry.current.interrupt();
        let _ = entry.commands.send(Command::Stop { told });
        entry.current.refuse();
        "done"
    }

    /// ABORT: drops a match.
    pub(super) fn abort(&self, id: &str) -> &'static str {
        let Some(entry) = self.lock().remove(id) else { return "busy" };
        entry.quit();
        "aborted"
    }

    /// Drops matches that have been silent for too long or could not begin. If a question does not reach its
    /// player in time, the match's thread stops following the state.
    pub(super) fn tend(&self) {
        let now = Instant::now();
        self.lock().retain(|id, entry| {
            if entry.asked.is_some() && entry.current.is_held_up() {
                entry.hurry.stop();
            }
            let silent = now >= entry.silent_at;
            if silent {
                tracing::warn!(id, "silent for too long: dropped");
                entry.quit();
            }
            !silent && !entry.thread.is_finished()
        });
    }

    /// Ends all matches.
    pub(super) fn close(&self) {
        for (_, entry) in self.lock().drain() {
            entry.quit();
        }
    }
}
