//! The output of a session: its status, its states, and the record of the match.

use super::{Inner, Session};
use crate::analysis::Analysis;
use crate::deciding;
use crate::history::Node;
use crate::lock::lock;
use crate::picture;
use crate::seat_player::SeatPlayer;
use ggp_arena::{NATURE, Record};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The status of a session, with its new states.
pub(crate) struct News {
    pub(crate) value: Value,
    /// The number of states in the history.
    pub(crate) count: usize,
    /// Whether the session is closed.
    pub(crate) over: bool,
}

impl Session {
    /// The properties of the session that do not change.
    pub(crate) fn identity(&self) -> Value {
        let roles = self.known.game.roles();
        json!({
            "id": self.id,
            "game": self.known.name,
            "offered": self.known.offered,
            "hidden": self.known.hidden_information,
            "roles": roles.map(|role| self.known.game.role_name(role)).collect::<Vec<_>>(),
            "board": picture::board(&self.known.model),
            "learnt": self.known.learnt.as_ref().map(|learnt| &learnt.shown),
        })
    }

    /// The status and the states from index `from` on, in brief. If the index of the current state is at
    /// least `from`, also the current state for display. A page that has the states before `from` needs no
    /// further request.
    pub(crate) fn news(&self, from: usize) -> News {
        let inner = lock(&self.inner);
        let mut value = Self::standing(&inner);
        value["reasoner"] = json!(self.known.reasoner());
        value["states"] = Self::brief(&inner, from);
        let (tip, count, over) = (inner.tip, inner.history.len(), inner.closed);
        drop(inner);
        if tip >= from {
            value["node"] = self.node(tip).unwrap_or_default();
        }
        News { value, count, over }
    }

    /// The status of the session.
    pub(crate) fn status(&self) -> Value {
        let mut value = Self::standing(&lock(&self.inner));
        value["reasoner"] = json!(self.known.reasoner());
        value
    }

    fn standing(inner: &Inner) -> Value {
        json!({
            "tip": inner.tip,
            "count": inner.history.len(),
            "turn": inner.turn,
            "chosen": inner.pending.iter().map(Option::is_some).collect::<Vec<_>>(),
            "seats": inner.seats,
            "held": inner.held,
            "watched": Self::is_elsewhere(inner),
            "note": inner.note,
            "spent": inner.spent.as_secs_f64(),
            "working": inner.work.as_ref().map(|work| work.role),
            "advising": inner.hint.as_ref().map(|work| work.role),
            "thought": inner.shown.as_ref().filter(|thought| !Self::is_secret(inner, thought)),
        })
    }

    /// Whether `thought` must stay hidden, because a person chooses a move for another role in the same
    /// state.
    fn is_secret(inner: &Inner, thought: &Analysis) -> bool {
        let Some(node) = inner.history.get(thought.node) else { return true };
        let others = inner.seats.iter().zip(&node.moment.legal).enumerate();
        let mut rivals = others.filter(|(role, (seat, legal))| {
            *role != thought.role && **seat == Some(SeatPlayer::Person) && legal.len() > 1
        });
        !thought.hint && rivals.next().is_some()
    }

    /// The states from index `from` on, in brief: without their squares.
    pub(crate) fn tree(&self, from: usize) -> Value {
        Self::brief(&lock(&self.inner), from)
    }

    fn brief(inner: &Inner, from: usize) -> Value {
        let nodes = (from..inner.history.len()).filter_map(|at| inner.history.get(at));
        let light = nodes.map(|node| {
            let scores: Vec<Option<f64>> =
                node.thoughts.iter().map(|t| t.as_ref().and_then(|t| t.best_score())).collect();
            let choosing = node.moment.legal.iter().enumerate().filter(|(_, moves)| moves.len() > 1);
            json!({
                "parent": node.parent,
                "moves": node.joint,
                "words": node.words,
                "scores": scores,
                "terminal": node.moment.terminal,
                "time": node.time,
                "choosing": choosing.map(|(role, _)| role).collect::<Vec<_>>(),
            })
        });
        json!({ "from": from, "nodes": light.collect::<Vec<_>>() })
    }

    /// The state with the index `number`, for display. `None` if there is no such state.
    pub(crate) fn node(&self, number: usize) -> Option<Value> {
        let (node, before) = {
            let inner = lock(&self.inner);
            let node = inner.history.get(number)?.clone();
            let before = node.parent.and_then(|parent| inner.history.get(parent)).cloned();
            (node, before)
        };
        Some(picture::node(self.known.style(), number, &node, before.as_deref()))
    }

    /// The squares that decided the match that ends with the state `number`. `None` if there is no such state.
    pub(crate) fn deciding(&self, number: usize) -> Option<Vec<usize>> {
        let node = lock(&self.inner).history.get(number)?.clone();
        Some(deciding::squares(&self.known, &node.moment))
    }

    /// The record of the match from the first state to the state with the index `to`, or to the current state
    /// if `to` is `None`. The result is `None` if there is no state `to`.
    pub(crate) fn record(&self, to: Option<usize>) -> Option<Record> {
        let inner = lock(&self.inner);
        let to = to.unwrap_or(inner.tip);
        let last = inner.history.get(to)?;
        let nodes: Vec<&Arc<Node>> =
            inner.history.line(to).into_iter().filter_map(|at| inner.history.get(at)).collect();
        let mut record = Record {
            match_id: format!("{}.{}", self.known.name, &self.id[..8]),
            random_token: self.id.clone(),
            start_time: nodes[0].time,
            game_meta_url: format!("{}.kif", self.known.name),
            is_completed: last.moment.terminal,
            states: nodes.iter().map(|node| ggp_arena::state_text(&node.moment.facts)).collect(),
            moves: nodes.iter().skip(1).map(|node| node.joint.clone()).collect(),
            state_times: nodes.iter().map(|node| node.time).collect(),
            player_names_from_host: inner
                .seats
                .iter()
                .map(|seat| seat.as_ref().map_or(NATURE.to_owned(), SeatPlayer::name))
                .collect(),
            is_player_human: inner.seats.iter().map(|seat| *seat == Some(SeatPlayer::Person)).collect(),
            ..Record::default()
        };
        if last.moment.terminal {
            record.set_goals(&last.moment.goals);
        }
        let clocks = inner.seats.iter().flatten().map(SeatPlayer::clock).max().unwrap_or_default();
        record.set_clocks(ggp_game::Clocks { start: Duration::ZERO, play: clocks });
        Some(record)
    }
}
