//! The thread of one match: it reads the rules, thinks, and between questions ponders.
//!
//! Invariant: it ends when its match leaves the table (its channel closes), and nothing waits for
//! it without a limit of its own.

use super::seat::{Seat, has_percepts};
use super::thought::Thought;
use ggp_game::message::Seen as Told;
use super::{PlayerConfig, PlayerFactory};
use ggp_datalog::Limits;
use ggp_game::{Clocks, Deadline, Game, Role};
use ggp_gdl::Strictness;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};

/// What a match's thread is asked to do.
#[derive(Debug)]
pub(super) enum Command {
    /// Take note of `told` and find a move.
    Play { told: Told, thought: Arc<Thought> },
    /// The match is over.
    Stop { told: Told },
}

/// What is known of a match once its rules have been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seated {
    pub(super) role: Role,
    /// Whether the rules have percepts (GDL-II).
    pub(super) hidden: bool,
}

/// What a match's thread starts with.
pub(super) struct Beginning {
    pub(super) id: String,
    pub(super) role: String,
    pub(super) rules: Vec<u8>,
    pub(super) clocks: Clocks,
    pub(super) thought: Arc<Thought>,
    pub(super) commands: Receiver<Command>,
    /// Raised when the match has left the table: stops every evaluation of its rules.
    pub(super) quit: Arc<AtomicBool>,
    /// Where the thread tells what it knows.
    pub(super) seated: Arc<OnceLock<Seated>>,
    /// Counts the threads of matches.
    pub(super) threads: Arc<AtomicUsize>,
}

/// Runs a match to its end.
pub(super) fn think(mut beginning: Beginning, config: &PlayerConfig, factory: &dyn PlayerFactory) {
    let threads = Arc::clone(&beginning.threads);
    let span = tracing::info_span!("match", id = %beginning.id);
    let _entered = span.enter();
    // Nothing of ours should panic; if it does, the match is lost and nothing else.
    if catch_unwind(AssertUnwindSafe(|| run(&mut beginning, config, factory))).is_err() {
        tracing::error!("the match's thread panicked");
    }
    beginning.thought.settle("busy".to_owned());
    for command in beginning.commands.try_iter() {
        if let Command::Play { thought, .. } = command {
            thought.settle("nil".to_owned());
        }
    }
    threads.fetch_sub(1, Ordering::Relaxed);
}

fn run(beginning: &mut Beginning, config: &PlayerConfig, factory: &dyn PlayerFactory) {
    let Some(mut seat) = sit_down(beginning, config, factory) else { return };
    let mut thought = Arc::clone(&beginning.thought);
    // From here on a late START is still a match: the manager goes on without an answer.
    thought.fall_back_on("ready".to_owned());
    let ready = seat.start(beginning.clocks, Deadline(Some(thought.due)), &thought.stop);
    if !thought.settle(if ready { "ready" } else { "busy" }.to_owned()) {
        tracing::warn!("ready too late");
    }
    if !ready {
        return;
    }
    loop {
        if config.ponder {
            seat.ponder(&thought.ponder);
        }
        let Ok(command) = beginning.commands.recv() else { return };
        match command {
            Command::Play { told, thought: asked } => {
                answer(&mut seat, &told, thought.answer().as_deref(), &asked);
                thought = asked;
            }
            Command::Stop { told } => {
                match seat.follow(&told, thought.answer().as_deref()) {
                    Ok(seen) => seat.stop(&seen),
                    Err(error) => tracing::warn!(%error, "the last moves"),
                }
                return;
            }
        }
    }
}

/// Finds the answer to a PLAY.
fn answer(seat: &mut Seat, told: &Told, previous: Option<&str>, thought: &Thought) {
    let seen = match seat.follow(told, previous) {
        Ok(seen) => seen,
        Err(error) => {
            tracing::warn!(%error, "PLAY");
            thought.settle("nil".to_owned());
            return;
        }
    };
    if let Some(mv) = seat.legal_move() {
        thought.fall_back_on(mv);
    }
    let mv = seat.play(&seen, Deadline(Some(thought.due)), &thought.stop);
    if !thought.settle(mv) {
        tracing::warn!("the player's move came too late");
    }
}

/// Reads the rules and makes the player; `None` if this match cannot be played.
fn sit_down(beginning: &mut Beginning, config: &PlayerConfig, factory: &dyn PlayerFactory) -> Option<Seat> {
    let rules = std::mem::take(&mut beginning.rules);
    let description = match ggp_gdl::parse_rules(&rules) {
        Ok(description) => description,
        Err(errors) => {
            let first = errors.diagnostics.first().map(|d| d.message.as_str()).unwrap_or_default();
            tracing::warn!(error = first, "the rules cannot be read");
            return None;
        }
    };
    drop(rules);
    let limits = Limits { interrupt: Some(Arc::clone(&beginning.quit)), ..config.rules.clone() };
    let game = match Game::with_limits(description, Strictness::Lenient, limits) {
        Ok(game) => Arc::new(game),
        Err(errors) => {
            let first = errors.first().map(|d| d.message.as_str()).unwrap_or_default();
            tracing::warn!(error = first, "the rules cannot be played");
            return None;
        }
    };
    let Some(role) = game.role_named(&beginning.role) else {
        tracing::warn!(role = beginning.role, "the rules have no such role");
        return None;
    };
    let _ = beginning.seated.set(Seated { role, hidden: has_percepts(&game) });
    let made = catch_unwind(AssertUnwindSafe(|| factory.make(&beginning.id)));
    let player = made.inspect_err(|_| tracing::error!("the player's making panicked")).ok()?;
    Some(Seat::new(&game, role, player))
}
