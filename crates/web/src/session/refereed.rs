//! The states of a match of hidden information. A referee plays the match ([`crate::hidden`]), and the session
//! keeps its true states.

use super::{Refusal, Session};
use crate::analysis::Analysis;
use crate::config::Config;
use crate::history::Full;
use crate::lock::lock;
use crate::seat_player::SeatPlayer;
use ggp_arena::Record;
use ggp_game::SearchReport;
use std::sync::Arc;

impl Session {
    /// The players in the seats.
    pub(crate) fn seats(&self) -> Vec<Option<SeatPlayer>> {
        lock(&self.inner).seats.clone()
    }

    /// Whether the current state is terminal.
    pub(crate) fn is_over(&self) -> bool {
        let inner = lock(&self.inner);
        inner.history.get(inner.tip).is_some_and(|node| node.moment.terminal)
    }

    /// The configuration of the server.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Whether the session is closed.
    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.inner).closed
    }

    /// The number of joint moves that lead to the current state.
    pub(crate) fn steps(&self) -> usize {
        let inner = lock(&self.inner);
        inner.history.line(inner.tip).len() - 1
    }

    /// The record of the first `steps` joint moves that lead to the current state.
    pub(crate) fn record_of(&self, steps: usize) -> Option<Record> {
        let at = {
            let inner = lock(&self.inner);
            *inner.history.line(inner.tip).get(steps)?
        };
        self.record(Some(at))
    }

    /// The joint moves that lead to the current state.
    pub(crate) fn joint_moves(&self) -> Vec<Vec<String>> {
        let inner = lock(&self.inner);
        let line = inner.history.line(inner.tip);
        line.iter().skip(1).filter_map(|&at| Some(inner.history.get(at)?.joint.clone())).collect()
    }

    /// Makes the step with the legal joint move `joint` in the current state. `reports` holds the search report
    /// of each role's player, in role order. Does not notify the listeners.
    pub(crate) fn add_step(
        &self,
        joint: &[String],
        reports: Vec<Option<SearchReport>>,
    ) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        let tip = inner.tip;
        let next = if let Some(known) = inner.history.child(tip, joint) {
            known
        } else {
            let node = Arc::clone(inner.history.get(tip).ok_or(Full)?);
            let position = self.known.model.place(&node.moment.facts);
            let thought = |(role, report): (usize, Option<SearchReport>)| {
                let report = report.filter(|report| report.candidates.len() > 1)?;
                let elapsed = report.elapsed.as_secs_f64();
                let thought = Analysis::new(&self.known, &position, &report, (role, tip), elapsed);
                Some(Arc::new(thought.into_done()))
            };
            let thoughts = reports.into_iter().enumerate().map(thought).collect();
            self.make(&mut inner, tip, joint.to_vec(), thoughts)?
        };
        inner.enter(next);
        Ok(())
    }

    /// Replaces the note for the people at the page. Does not notify the listeners.
    pub(crate) fn set_note(&self, note: Option<String>) {
        lock(&self.inner).note = note;
    }

    /// Notifies the listeners of a change.
    pub(crate) fn tell(&self) {
        self.changed.send_modify(|version| *version += 1);
    }
}
