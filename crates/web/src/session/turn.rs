//! The turns of a session: forced choices (those that no player has to decide), steps (each plays one joint
//! move), and the requests to remote players.

use super::{Inner, Refusal, Session, spell, wrong};
use crate::gesture;
use crate::history::Node;
use crate::lock::lock;
use crate::remote;
use crate::seat_player::SeatPlayer;
use ggp_game::{Role, rng};
use std::sync::Arc;

/// A run of more than this many consecutive forced steps is interrupted, so that the session's lock is
/// released for a while. A step is forced if no player had to decide about any choice in it.
const STEPS_AT_ONCE: u32 = 50;

impl Session {
    /// Makes the forced choices, and makes a step whenever all roles have chosen. Then asks the remote
    /// players, queues the engines' work, and notifies the listeners. In a game of hidden information, only
    /// notifies the listeners.
    pub(super) fn settle(self: &Arc<Self>, inner: &mut Inner) {
        if !self.known.hidden_information && !Self::is_elsewhere(inner) && !inner.closed {
            inner.drifting = false;
            let mut steps = 0;
            loop {
                match self.step(inner) {
                    Ok(true) if steps < STEPS_AT_ONCE => steps += 1,
                    Ok(more) => {
                        inner.drifting = more;
                        break;
                    }
                    Err(error) => {
                        inner.note = Some(error.to_string());
                        inner.held = true;
                        break;
                    }
                }
            }
            inner.work = if inner.held || inner.drifting { None } else { self.next_work(inner) };
            self.ask_elsewhere(inner);
            let busy = inner.work.is_some() || inner.hint.is_some() || inner.drifting;
            if busy && !inner.queued {
                inner.queued = true;
                self.pool.add(Arc::<Session>::clone(self));
            }
        }
        self.tell();
    }

    /// Makes those choices of this turn that no player has to decide. If all roles have then chosen, makes
    /// the step. Returns whether it has made the step.
    fn step(&self, inner: &mut Inner) -> Result<bool, Refusal> {
        let Some(node) = inner.history.get(inner.tip).cloned() else { return Ok(false) };
        if node.moment.terminal {
            return Ok(false);
        }
        let legal = &node.moment.legal;
        if let Some(role) = legal.iter().position(Vec::is_empty) {
            let name = self.known.game.role_name(Role(role as u8));
            return wrong(format!(
                "the rules are at fault: {name} has no legal move, but the game is not over"
            ));
        }
        if inner.held {
            return Ok(false);
        }
        let decides = self.who_decides(&node);
        for role in 0..legal.len() {
            if inner.pending[role].is_some() {
                continue;
            }
            let only = (legal[role].len() == 1).then(|| legal[role][0].clone());
            let others_decide = decides.iter().enumerate().any(|(other, &decides)| decides && other != role);
            inner.pending[role] = match &inner.seats[role] {
                None | Some(SeatPlayer::Random) => Some(self.draw(inner.turn, role, &legal[role])),
                Some(SeatPlayer::Engine { .. }) => only,
                Some(SeatPlayer::Person) => only.filter(|_| others_decide && !decides[role]),
                Some(SeatPlayer::Remote { .. } | SeatPlayer::Elsewhere) => None,
            };
        }
        if inner.pending.iter().any(Option::is_none) {
            return Ok(false);
        }
        let joint: Vec<String> = inner.pending.iter().flatten().cloned().collect();
        let thoughts = std::mem::replace(&mut inner.thoughts, vec![None; joint.len()]);
        let next = match inner.history.child(inner.tip, &joint) {
            Some(known) => known,
            None => self.make(inner, inner.tip, joint, thoughts)?,
        };
        inner.enter(next);
        Ok(true)
    }

    /// For each role, whether its player has to decide. That is the case if the role has several legal moves,
    /// or a legal move that is made on the board instead of by a button.
    pub(super) fn who_decides(&self, node: &Node) -> Vec<bool> {
        let position = self.known.model.place(&node.moment.facts);
        let decides = |legal: &Vec<String>| gesture::decides(&self.known.model, legal, &position);
        node.moment.legal.iter().map(decides).collect()
    }

    /// A random legal move. It depends only on the session's seed, the turn and the role.
    pub(super) fn draw(&self, turn: u64, role: usize, legal: &[String]) -> String {
        let stream = rng::Stream::new(self.seed, turn);
        legal[stream.below(0, Role(role as u8), legal.len() as u32) as usize].clone()
    }

    fn ask_elsewhere(self: &Arc<Self>, inner: &mut Inner) {
        let Some(node) = inner.history.get(inner.tip).cloned() else { return };
        for role in 0..inner.seats.len() {
            let Some(seat @ SeatPlayer::Remote { url, .. }) = &inner.seats[role] else { continue };
            let waits = inner.pending[role].is_none() && inner.asked[role] != inner.turn && !inner.held;
            if waits || (node.moment.terminal && inner.asked[role] != inner.turn) {
                let question = remote::Question {
                    known: Arc::clone(&self.known),
                    session: self.id.clone(),
                    role,
                    url: url.clone(),
                    clock: seat.clock(),
                    at: inner.tip,
                    turn: inner.turn,
                    node: Arc::clone(&node),
                    stop: inner.stop.clone(),
                };
                let turn = inner.turn;
                inner.asked[role] = turn;
                let (asking, answered) = (Arc::clone(self), Arc::clone(self));
                let take = move || lock(&asking.remote)[role].take();
                remote::ask(question, take, move |answer| {
                    let mv = answer.map(|(seat, mv)| {
                        lock(&answered.remote)[role] = Some(seat);
                        mv
                    });
                    answered.answer(role, turn, mv);
                });
            }
        }
    }

    /// Receives the answer of a remote player. If the answer is missing or illegal, a random move replaces
    /// it.
    pub(crate) fn answer(self: &Arc<Self>, role: usize, turn: u64, answer: Result<String, String>) {
        let mut inner = lock(&self.inner);
        if inner.turn != turn || inner.pending[role].is_some() {
            return;
        }
        let Some(node) = inner.history.get(inner.tip).cloned() else { return };
        let legal = &node.moment.legal[role];
        let name = self.known.game.role_name(Role(role as u8));
        let mv = match answer {
            Ok(text) => spell(&text, legal).ok_or(format!("{name} answered {text}, which is not legal")),
            Err(why) => Err(format!("{name} has not answered: {why}")),
        };
        inner.pending[role] = Some(mv.unwrap_or_else(|why| {
            inner.note = Some(format!("{why}; a random move was made in its stead"));
            self.draw(turn, role, legal)
        }));
        self.settle(&mut inner);
    }
}
