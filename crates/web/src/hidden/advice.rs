//! Hints for a person in a match of hidden information. A hint is computed from the role's own moves and
//! percepts, by the player that would play the role.

use super::screen::Screen;
use crate::analysis::Analysis;
use crate::known::Known;
use crate::lock::lock;
use crate::pool::lower_priority;
use crate::session::{Refusal, wrong};
use ggp_game::{Clocks, OwnTurn, OwnedObservation, PlayError, Role, SearchReport, StopToken, advice};
use serde_json::{Value, json};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The number of iterations of the search for a hint.
const ITERATIONS: u64 = 500;

/// The memory limit of the search for a hint, in MiB.
const MEMORY: usize = 16;

/// The seed of the search for a hint. It is the same in all matches, so it says nothing about the match.
const SEED: u64 = 0;

/// The time in which the player of a hint prepares.
const START: Duration = Duration::from_secs(1);

/// A hint that is being searched for, or that has been found.
pub(super) struct Advice {
    role: usize,
    found: Option<Value>,
    stop: StopToken,
}

impl Advice {
    /// Whether a search for a hint to `role` is running.
    pub(super) fn is_running(&self, role: usize) -> bool {
        self.role == role && self.found.is_none()
    }

    /// The hint to `role`.
    pub(super) fn found(&self, role: usize) -> Option<Value> {
        self.found.clone().filter(|_| self.role == role)
    }
}

impl Drop for Advice {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

impl Screen {
    /// Starts a search for a hint to `role` in the state `at`, which takes at most `time`. If `time` is zero, ends
    /// the running search instead. The page must show the view of `role`, and `role` must have a choice.
    pub(super) fn advise(
        self: &Arc<Self>,
        known: &Arc<Known>,
        (at, role): (usize, usize),
        time: Duration,
    ) -> Result<(), Refusal> {
        if self.sight() != (super::Sight::Role { role }) {
            return wrong("advice is given to the role that the page shows");
        }
        let mut inner = lock(&self.inner);
        if at + 1 != inner.views(role).len() || !inner.is_asked(role) {
            return wrong("advice is given about the last state, to a role that has to choose");
        }
        if time.is_zero() {
            inner.advice = None;
            self.tell();
            return Ok(());
        }
        let stop = StopToken::new();
        let history = inner.views(role).to_vec();
        let (screen, known, halt) = (Arc::clone(self), Arc::clone(known), stop.clone());
        let search = move || {
            lower_priority();
            let turns: Vec<_> = history.iter().filter_map(|view| view.turn.clone()).collect();
            let began = Instant::now();
            let found = match report(&known, Role(role as u8), &turns, time, &halt) {
                Ok(report) => {
                    let elapsed = began.elapsed().as_secs_f64();
                    let layout = history.last().map(|view| &view.position);
                    let thought =
                        layout.map(|layout| Analysis::new(&known, layout, &report, (role, at), elapsed));
                    json!(thought.map(Analysis::into_hint))
                }
                // The page shows that nothing has been found.
                Err(_) => Value::Null,
            };
            let mut inner = lock(&screen.inner);
            if let Some(advice) = inner.advice.as_mut().filter(|_| !halt.is_stopped()) {
                advice.found = Some(found);
                drop(inner);
                screen.tell();
            }
        };
        match thread::Builder::new().name("hint".to_owned()).spawn(search) {
            Ok(_) => inner.advice = Some(Advice { role, found: None, stop }),
            Err(error) => return wrong(format!("no thread can be started for the hint: {error}")),
        }
        drop(inner);
        self.tell();
        Ok(())
    }
}

/// The report of a search for a move of `role` after `turns`.
fn report(
    known: &Known,
    role: Role,
    turns: &[OwnTurn],
    time: Duration,
    stop: &StopToken,
) -> Result<SearchReport, PlayError> {
    let player = known.player(MEMORY, Some(ITERATIONS), SEED);
    let mut player = player.map_err(|error| PlayError::Unable(error.to_string()))?;
    let percepts = |(number, turn): (usize, &OwnTurn)| OwnedObservation::Percepts {
        turn: number as u32 + 1,
        own: turn.own.clone(),
        seen: turn.seen.clone(),
    };
    let turns = turns.iter().enumerate().map(percepts);
    let observations: Vec<_> = std::iter::once(OwnedObservation::Start).chain(turns).collect();
    let clocks = Clocks { start: START, play: time };
    advice(player.as_mut(), (&known.game, role), &observations, clocks, stop)
}
