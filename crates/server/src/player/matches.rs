//! The table of matches: who asks what of which match, and what counts as asked before.
//!
//! Invariant: the table's lock is never held while anyone thinks or waits, so that strangers,
//! INFO and ABORT are answered at once.

use super::clerk::{Beginning, Command, Running, Seated};
use super::thought::Thought;
use super::{PlayerConfig, PlayerFactory};
use ggp_game::message::Seen as Told;
use ggp_game::{Clocks, StopToken};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long before the latest instant a player is told to be done: the time of a wake-up and of
/// handing the answer over.
const GUARD: Duration = Duration::from_millis(30);

/// The time for an answer when the margin leaves none: enough for a legal move.
const LEAST: Duration = Duration::from_millis(50);

/// The stack of a match's thread; evaluation does not recurse.
const STACK: usize = 2 << 20;

/// A match in play.
#[derive(Debug)]
struct Entry {
    commands: Sender<Command>,
    /// The last question: START at first.
    current: Arc<Thought>,
    /// What the last PLAY told.
    asked: Option<Told>,
    clocks: Clocks,
    /// When it is dropped unless it is heard of again.
    silent_at: Instant,
    quit: Arc<AtomicBool>,
    hurry: StopToken,
    seated: Arc<OnceLock<Seated>>,
    thread: JoinHandle<()>,
}

impl Entry {
    /// Whether `told` is a PLAY that has been asked already. There is no turn number in GDL-I, and
    /// the same joint move twice is legal; but then our own move in it is the one that we gave. What
    /// this cannot tell: a manager that replaces our move by the same other one in two turns.
    fn is_repeated(&self, told: &Told) -> bool {
        match (self.asked.as_ref(), told) {
            (None, _) => false,
            (Some(Told::Percepts { turn: last, .. }), Told::Percepts { turn, .. }) => turn <= last,
            (Some(last), _) if last == told && self.current.answer().is_none() => true,
            // Percepts without a turn number say nothing about it.
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

    /// Ends all thinking, and answers who waits.
    fn quit(&self) {
        self.current.interrupt();
        self.quit.store(true, Ordering::Relaxed);
        self.hurry.stop();
        self.current.refuse();
    }
}

/// All matches of one player.
pub(super) struct Matches {
    config: PlayerConfig,
    factory: Arc<dyn PlayerFactory>,
    table: Mutex<FxHashMap<String, Entry>>,
    /// Matches that have threads, also those that have left the table and not ended yet.
    running: Arc<AtomicUsize>,
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

    /// Whether another match can begin.
    pub(super) fn has_room(&self) -> bool {
        self.lock().len() < self.config.matches
    }

    /// When a question that `arrived` then, with that clock, is due, and the latest its answer can
    /// leave.
    fn due(&self, arrived: Instant, clock: Duration) -> (Instant, Instant) {
        let time = clock.saturating_sub(self.config.margin).max(LEAST);
        (arrived + time.saturating_sub(GUARD.min(time / 4)), arrived + time)
    }

    /// START: begins a match and waits until its player is ready.
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
        {
            let mut table = self.lock();
            // Players that do not stop when they are told still take a core.
            let running = self.running.load(Ordering::Relaxed);
            if table.contains_key(id)
                || table.len() >= self.config.matches
                || running >= 2 * self.config.matches
            {
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
                running: Running::new(&self.running),
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
            // It may have been aborted, and begun anew, in the meantime.
            if table.get(id).is_some_and(|entry| Arc::ptr_eq(&entry.current, &thought))
                && let Some(entry) = table.remove(id)
            {
                entry.quit();
            }
        }
        answer
    }

    /// PLAY: asks the match's player for a move and waits for it. `busy` if there is no such match.
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
                // Whoever waits for an older question is behind the match.
                entry.current.interrupt();
                entry.current = Arc::clone(&thought);
                entry.asked = Some(told.clone());
                if entry.commands.send(Command::Play { told, thought: Arc::clone(&thought) }).is_err() {
                    // It was `ready` before it had read the rules, and cannot play them.
                    table.remove(id);
                    return "busy".to_owned();
                }
                thought
            }
        };
        thought.wait()
    }

    /// STOP: ends a match; its player hears the last moves, and nobody waits for it.
    pub(super) fn stop(&self, id: &str, told: Told) -> &'static str {
        let Some(entry) = self.lock().remove(id) else { return "busy" };
        entry.current.interrupt();
        let _ = entry.commands.send(Command::Stop { told });
        entry.current.refuse();
        "done"
    }

    /// ABORT: forgets a match.
    pub(super) fn abort(&self, id: &str) -> &'static str {
        let Some(entry) = self.lock().remove(id) else { return "busy" };
        entry.quit();
        "aborted"
    }

    /// Drops the matches that have been silent for too long, and those that could not begin. Where a
    /// question does not get through to the player, following the match is given up.
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
