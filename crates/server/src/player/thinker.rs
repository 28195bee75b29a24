//! The thread of one player: it prepares, thinks when it is asked, and ponders in between.
//!
//! Invariant: every question gets a proposal unless the player never returns; a panic ends the
//! player and nothing else.

use super::PlayerFactory;
use super::thought::{Proposal, Thought};
use ggp_game::{Clocks, Deadline, Fact, Game, Observation, Player, Role};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// An [`Observation`] with its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Start,
    Moves(Vec<String>),
    Percepts { turn: u32, own: String, seen: Vec<Fact> },
}

impl Seen {
    fn observation(&self) -> Observation<'_> {
        match self {
            Seen::Start => Observation::Start,
            Seen::Moves(joint) => Observation::Moves(joint),
            Seen::Percepts { turn, own, seen } => Observation::Percepts { turn: *turn, own, seen },
        }
    }
}

/// What a player is asked.
#[derive(Debug)]
pub(super) enum Question {
    /// What happened, and a move is wanted.
    Play { seen: Seen, thought: Arc<Thought> },
    /// What happened last.
    Stop { seen: Seen },
}

/// A player at its match.
pub(super) struct Thinker {
    pub(super) id: String,
    pub(super) game: Arc<Game>,
    pub(super) role: Role,
    pub(super) clocks: Clocks,
    pub(super) ponders: bool,
    /// START.
    pub(super) thought: Arc<Thought>,
    pub(super) questions: Receiver<Question>,
}

impl Thinker {
    /// Plays until STOP, or until nobody can ask any more.
    pub(super) fn run(self, factory: &dyn PlayerFactory) {
        let span = tracing::info_span!("match", id = %self.id, role = self.game.role_name(self.role));
        let _entered = span.enter();
        let mut player = catch(|| factory.make(&self.id));
        let deadline = Deadline(Some(self.thought.due));
        let ready = ask(&mut player, |player| {
            player.start(&self.game, self.role, self.clocks, deadline, &self.thought.stop)
        });
        let ready = match ready {
            Some(Ok(())) => true,
            Some(Err(error)) => {
                tracing::warn!(%error, "the player cannot start");
                player = None;
                false
            }
            None => false,
        };
        let in_time = self.thought.settle(if ready { "ready" } else { "busy" });
        if in_time && !ready {
            return;
        }
        let mut thought = Arc::clone(&self.thought);
        loop {
            if self.ponders {
                ask(&mut player, |player| player.ponder(&thought.ponder));
            }
            match self.questions.recv() {
                Ok(Question::Play { seen, thought: asked }) => {
                    thought = asked;
                    play(&mut player, &seen, &thought);
                }
                Ok(Question::Stop { seen }) => {
                    ask(&mut player, |player| player.stop(seen.observation()));
                    return;
                }
                Err(_) => return,
            }
        }
    }
}

fn play(player: &mut Option<Box<dyn Player>>, seen: &Seen, thought: &Thought) {
    if player.is_none() {
        thought.propose(Proposal::Nothing);
        return;
    }
    let deadline = Deadline(Some(thought.due));
    match ask(player, |player| player.play(seen.observation(), deadline, &thought.stop)) {
        Some(Ok(mv)) => thought.propose(Proposal::Move(mv)),
        Some(Err(error)) => {
            tracing::error!(%error, "the player has no move");
            thought.propose(Proposal::Nothing);
        }
        None => thought.refuse(),
    }
}

/// Puts a question to the player; `None` if it is gone, or panics over it and is gone.
fn ask<T>(player: &mut Option<Box<dyn Player>>, question: impl FnOnce(&mut dyn Player) -> T) -> Option<T> {
    let answer = catch(|| player.as_mut().map(|player| question(&mut **player))).flatten();
    if answer.is_none()
        && let Some(player) = player.take()
    {
        tracing::error!("the player panicked; the match goes on without it");
        // What has panicked may panic again while it is dropped.
        catch(|| drop(player));
    }
    answer
}

fn catch<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}
