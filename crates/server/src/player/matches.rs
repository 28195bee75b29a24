//! The table of matches. It passes messages on to the matches, and recognises messages that managers repeat.
//!
//! Invariant: the table's lock is not held while a thread evaluates rules or waits for an answer. Messages for
//! other matches, INFO and ABORT are therefore answered at once.

use super::match_worker::{Command, MatchStart, PlayedRole};
use super::pending_answer::PendingAnswer;
use super::running_matches::RunningMatches;
use super::{PlayerConfig, PlayerFactory};
use ggp_game::{Clocks, StopToken};
use ggp_protocol::LastTurn;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between a player's deadline and the instant by which its answer is sent. If a quarter of the
/// whole time for the answer is shorter, that quarter is used instead. In this time, threads wake up and hand
/// over the answer.
const GUARD: Duration = Duration::from_millis(30);

/// The minimum time for an answer, even if the clock minus the margin is shorter. It suffices to find a legal
/// move.
const MIN_TIME: Duration = Duration::from_millis(50);

/// The longest time that START waits for room when too many matches still have running threads. There is room
/// when all threads of one of these matches have ended.
const ENDING: Duration = Duration::from_secs(1);

/// The stack size of a match's thread, in bytes; the evaluation does not recurse.
const STACK: usize = 2 << 20;

/// A match in the table.
#[derive(Debug)]
struct Entry {
    commands: Sender<Command>,
    /// The pending answer to the last START or PLAY.
    current: Arc<PendingAnswer>,
    /// What the last PLAY reported about the turn before it. `None` before the first PLAY.
    asked: Option<LastTurn>,
    clocks: Clocks,
    /// The instant at which the match is dropped if no further message comes.
    silent_at: Instant,
    quit: Arc<AtomicBool>,
    hurry: StopToken,
    played: Arc<OnceLock<PlayedRole>>,
    thread: JoinHandle<()>,
}

impl Entry {
    /// Whether a new PLAY, which reports `last_turn`, is a repetition of the last PLAY. GDL-I messages have
    /// no turn numbers, and two successive turns may have the same joint move. So if both PLAYs report the
    /// same joint move, the player's own move in it decides. If that move equals the player's answer to the
    /// last PLAY, the new PLAY reports a new turn. Otherwise it counts as a repetition. This is wrong in one
    /// case: the manager has replaced this player's answers in two successive turns by the same other move.
    fn is_repeated(&self, last_turn: &LastTurn) -> bool {
        match (self.asked.as_ref(), last_turn) {
            (None, _) => false,
            (Some(LastTurn::Percepts { turn: last, .. }), LastTurn::Percepts { turn, .. }) => turn <= last,
            (Some(last), _) if last == last_turn && self.current.answer().is_none() => true,
            // Percepts without a turn number do not identify the turn.
            _ if self.played.get().is_some_and(|played| played.has_percepts) => false,
            (Some(_), LastTurn::Nothing) => true,
            (Some(last), LastTurn::Moves(joint)) if last == last_turn => {
                match (self.current.answer(), self.played.get()) {
                    (Some(given), Some(played)) => {
                        joint.get(played.role.index()).is_none_or(|own| !own.eq_ignore_ascii_case(&given))
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Gives all waiting threads the refusal as the answer, and then ends the player's thinking. In this order, a move that
    /// the player finds when it is stopped is not an answer.
    fn end_turn(&self) {
        self.current.refuse();
        self.current.interrupt();
    }

    /// Ends the turn, and every evaluation of the match's rules.
    fn quit(&self) {
        self.end_turn();
        self.quit.store(true, Ordering::Relaxed);
        self.hurry.stop();
    }
}

/// The table of all matches of one served player.
pub(super) struct Matches {
    config: PlayerConfig,
    factory: Arc<dyn PlayerFactory>,
    table: Mutex<FxHashMap<String, Entry>>,
    /// The number of matches whose threads are running. It includes matches that have left the table.
    running: Arc<RunningMatches>,
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

    /// The player's deadline, and the instant by which the answer is sent, for a message that arrived at
    /// `arrived` and has the clock `clock`.
    fn due(&self, arrived: Instant, clock: Duration) -> (Instant, Instant) {
        let time = clock.saturating_sub(self.config.margin).max(MIN_TIME);
        (arrived + time.saturating_sub(GUARD.min(time / 4)), arrived + time)
    }

    /// Handles START: begins a match and waits until its player is ready. Returns the answer.
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
        let pending = Arc::new(PendingAnswer::start(due, latest));
        let full =
            |table: &FxHashMap<String, Entry>| table.contains_key(id) || table.len() >= self.config.matches;
        if full(&self.lock()) {
            return busy();
        }
        // A player that ignores its stop token keeps a core busy after its match has left the table. The
        // thread of any other player ends within this time.
        let patience = ENDING.min(clocks.start / 2);
        let Some(running) = self.running.enter(2 * self.config.matches, patience) else { return busy() };
        {
            let mut table = self.lock();
            if full(&table) {
                return busy();
            }
            let (commands, receiver) = channel();
            let (quit, hurry, played) = (Arc::default(), StopToken::new(), Arc::default());
            let start = MatchStart {
                id: id.to_owned(),
                role: role.to_owned(),
                rules,
                clocks,
                pending: Arc::clone(&pending),
                commands: receiver,
                quit: Arc::clone(&quit),
                hurry: hurry.clone(),
                played: Arc::clone(&played),
                running,
            };
            let (config, factory) = (self.config.clone(), Arc::clone(&self.factory));
            let thread = thread::Builder::new().name("match".to_owned()).stack_size(STACK);
            let thread = match thread.spawn(move || start.run(&config, factory)) {
                Ok(thread) => thread,
                Err(error) => {
                    tracing::error!(%error, "cannot start a thread for a match");
                    return busy();
                }
            };
            let silent_at = arrived + clocks.start + 2 * clocks.play + self.config.silence;
            let current = Arc::clone(&pending);
            let entry =
                Entry { commands, current, asked: None, clocks, silent_at, quit, hurry, played, thread };
            table.insert(id.to_owned(), entry);
        }
        let answer = pending.wait();
        if answer != "ready" {
            let mut table = self.lock();
            // The match may have been aborted and begun again in the meantime.
            if table.get(id).is_some_and(|entry| Arc::ptr_eq(&entry.current, &pending))
                && let Some(entry) = table.remove(id)
            {
                entry.quit();
            }
        }
        answer
    }

    /// Handles PLAY: asks the match's player for a move, waits for the answer, and returns it. Returns `busy`
    /// for an unknown id.
    pub(super) fn play(&self, id: &str, last_turn: LastTurn, arrived: Instant) -> String {
        let pending = {
            let mut table = self.lock();
            let Some(entry) = table.get_mut(id) else { return "busy".to_owned() };
            entry.silent_at = arrived + 3 * entry.clocks.play + self.config.silence;
            if entry.is_repeated(&last_turn) {
                tracing::info!(id, "PLAY is repeated");
                Arc::clone(&entry.current)
            } else {
                let (due, latest) = self.due(arrived, entry.clocks.play);
                let pending = Arc::new(PendingAnswer::play(due, latest));
                // The manager no longer needs an answer to an older PLAY.
                entry.current.interrupt();
                entry.current = Arc::clone(&pending);
                entry.asked = Some(last_turn.clone());
                if entry.commands.send(Command::Play { last_turn, pending: Arc::clone(&pending) }).is_err() {
                    // The match answered `ready` before its rules had been read, and the rules turned out to be
                    // unplayable.
                    table.remove(id);
                    return "busy".to_owned();
                }
                pending
            }
        };
        pending.wait()
    }

    /// Handles STOP: ends a match. Does not wait for the player, but still sends the player the report of the
    /// last turn. Returns the answer.
    pub(super) fn stop(&self, id: &str, last_turn: LastTurn) -> &'static str {
        let Some(entry) = self.lock().remove(id) else { return "busy" };
        entry.end_turn();
        let _ = entry.commands.send(Command::Stop { last_turn });
        "done"
    }

    /// Handles ABORT: drops a match. Returns the answer.
    pub(super) fn abort(&self, id: &str) -> &'static str {
        let Some(entry) = self.lock().remove(id) else { return "busy" };
        entry.quit();
        "aborted"
    }

    /// Drops matches that have had no message for too long, or whose worker thread has ended. If a question
    /// has not reached its player in time, makes the match worker abandon its current evaluation.
    pub(super) fn tend(&self) {
        let now = Instant::now();
        self.lock().retain(|id, entry| {
            if entry.asked.is_some() && entry.current.is_held_up() {
                entry.hurry.stop();
            }
            let silent = now >= entry.silent_at;
            if silent {
                tracing::warn!(id, "no message for too long; the match is dropped");
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
