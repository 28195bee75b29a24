//! The screen of a match of hidden information: which role's view the page sees, and when.
//!
//! Invariants: the page sees the view of a role only if a person plays that role. If several people share the
//! screen, the page sees a view only from the moment its person lifts the curtain, which is possible only when
//! that person has to choose, until another person has to choose.
//!
//! A turn ends when the time of a turn has passed since it began, but not earlier than [`LEAST_TURN`] after the
//! last choice of a person. The referee and the other players have done their part by then, so the moment tells
//! nothing of it.

use super::advice::Advice;
use super::seat_view::SeatView;
use crate::lock::lock;
use crate::seat_player::SeatPlayer;
use crate::session::{Refusal, Session, spell, wrong};
use ggp_game::{OwnTurn, PlayError, Role, StopToken};
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The least time from the last choice of a person to the end of the turn.
pub(super) const LEAST_TURN: Duration = Duration::from_millis(100);

/// The interval at which a waiting player checks whether the match has been stopped.
const LOOK: Duration = Duration::from_millis(500);

/// The largest total size of the views of a match, in bytes of their JSON.
const MOST_BYTES: usize = 32 << 20;

/// The part of a match that a page sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Sight {
    /// The true states and all moves.
    Everything,
    /// The knowledge of one role.
    Role {
        /// The index of the role.
        role: usize,
    },
    /// Nothing, until the person who plays a role says that nobody else looks.
    Curtain {
        /// The index of the role. `None` while nobody has to choose.
        role: Option<usize>,
    },
    /// Nothing, until the match ends.
    Nothing,
}

/// The part of a status that comes from the screen.
#[derive(Default)]
pub(super) struct Standing {
    /// The number of steps that have been made. `None` if the screen does not show it.
    pub(super) steps: Option<usize>,
    /// For each role, whether it has nothing to choose now. False for roles that the page does not see.
    pub(super) chosen: Vec<bool>,
    pub(super) held: bool,
    pub(super) note: Option<String>,
    /// The role for which a search for a hint runs.
    pub(super) advising: Option<usize>,
    /// The last hint for the role that the page sees.
    pub(super) advice: Option<Value>,
}

/// The screen of one match.
pub(super) struct Screen {
    truth: Arc<Session>,
    /// The time of each turn.
    turn_time: Duration,
    pub(super) inner: Mutex<Inner>,
    changed: Condvar,
}

/// The place of a person at the screen.
#[derive(Default)]
pub(super) struct Place {
    /// The role's view after each step.
    pub(super) views: Vec<Arc<SeatView>>,
    /// Whether the person has to choose now.
    pub(super) is_asked: bool,
    choice: Option<String>,
    /// Whether it can no longer be determined what the role knows.
    is_lost: bool,
}

pub(super) struct Inner {
    /// The place of each role that a person plays.
    pub(super) places: Vec<Option<Place>>,
    viewer: Option<usize>,
    /// The last turn whose end has been fixed, and the moment of its end.
    fixed: usize,
    due: Instant,
    /// The moment of the last choice of a person since then.
    chosen: Option<Instant>,
    /// The number of steps that have been announced in a match without people.
    announced: usize,
    bytes: usize,
    held: bool,
    note: Option<String>,
    pub(super) advice: Option<Advice>,
}

impl Screen {
    /// The screen of a match between `seats`, in which each turn takes at least `turn_time`. `given` joint moves
    /// have been made already.
    pub(super) fn new(
        truth: Arc<Session>,
        seats: &[Option<SeatPlayer>],
        turn_time: Duration,
        given: usize,
    ) -> Screen {
        let place = |seat: &Option<SeatPlayer>| (*seat == Some(SeatPlayer::Person)).then(Place::default);
        let places: Vec<Option<Place>> = seats.iter().map(place).collect();
        let mut people = places.iter().enumerate().filter(|(_, place)| place.is_some());
        // A single person is always shown the view of the person's role.
        let viewer = people.next().map(|(role, _)| role).filter(|_| people.next().is_none());
        let inner = Inner {
            places,
            viewer,
            fixed: given,
            due: Instant::now(),
            chosen: None,
            announced: given,
            bytes: 0,
            held: false,
            note: None,
            advice: None,
        };
        Screen { truth, turn_time, inner: Mutex::new(inner), changed: Condvar::new() }
    }

    /// Whether a person plays in the match.
    pub(super) fn has_people(&self) -> bool {
        lock(&self.inner).places.iter().any(Option::is_some)
    }

    /// The sight of the page in a match in which people play.
    pub(super) fn sight(&self) -> Sight {
        let inner = lock(&self.inner);
        match inner.viewer {
            Some(role) => Sight::Role { role },
            None => Sight::Curtain { role: inner.next() },
        }
    }

    /// The views that a page with the sight `sight` sees, one for each state.
    pub(super) fn views(&self, sight: Sight) -> Vec<Arc<SeatView>> {
        match sight {
            Sight::Role { role } => lock(&self.inner).views(role).to_vec(),
            Sight::Everything | Sight::Curtain { .. } | Sight::Nothing => Vec::new(),
        }
    }

    /// The part of the status that a page with the sight `sight` gets from the screen.
    pub(super) fn standing(&self, sight: Sight) -> Standing {
        let inner = lock(&self.inner);
        let mut standing = Standing {
            chosen: vec![false; inner.places.len()],
            held: inner.held,
            note: inner.note.clone(),
            ..Standing::default()
        };
        match sight {
            Sight::Role { role } => {
                standing.steps = Some(inner.views(role).len().saturating_sub(1));
                standing.chosen[role] = !inner.is_asked(role);
                standing.advising = inner.advice.as_ref().filter(|a| a.is_running(role)).map(|_| role);
                standing.advice = inner.advice.as_ref().and_then(|advice| advice.found(role));
            }
            Sight::Curtain { role: Some(role) } => {
                standing.steps = Some(inner.views(role).len().saturating_sub(1));
            }
            // The steps that all people have seen.
            Sight::Curtain { role: None } => {
                standing.steps = inner.places.iter().flatten().map(Place::steps).min();
            }
            Sight::Everything | Sight::Nothing => standing.steps = Some(inner.announced),
        }
        standing
    }

    /// The moves and percepts of each role that a person plays.
    pub(super) fn histories(&self) -> Vec<(Role, Vec<OwnTurn>)> {
        let inner = lock(&self.inner);
        let turns = |place: &Place| place.views.iter().filter_map(|view| view.turn.clone()).collect();
        let places = inner.places.iter().enumerate();
        places.filter_map(|(role, place)| Some((Role(role as u8), turns(place.as_ref()?)))).collect()
    }

    /// Waits until the turn after which `steps` steps have been made may end. Returns early if `stop` is raised.
    pub(super) fn wait_for_turn(&self, steps: usize, stop: &StopToken) {
        let mut inner = lock(&self.inner);
        if inner.fixed < steps {
            let chosen = inner.chosen.take().map(|at| at + LEAST_TURN);
            inner.due = (inner.due + self.turn_time).max(chosen.unwrap_or(inner.due));
            inner.fixed = steps;
        }
        while !stop.is_stopped() {
            let left = inner.due.saturating_duration_since(Instant::now());
            if left.is_zero() && !inner.held {
                return;
            }
            let patience = if left.is_zero() { LOOK } else { left.min(LOOK) };
            inner = self.wait(inner, patience);
        }
    }

    fn wait<'a>(&self, inner: MutexGuard<'a, Inner>, patience: Duration) -> MutexGuard<'a, Inner> {
        self.changed.wait_timeout(inner, patience).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Announces the number of steps in a match without people, when the turn may end.
    pub(super) fn announce(&self, step: u32, stop: &StopToken) {
        self.wait_for_turn(step as usize, stop);
        lock(&self.inner).announced = step as usize;
        self.truth.tell();
    }

    /// Shows `view` as the last view of `role`. Does nothing if the screen has this view already.
    pub(super) fn put(&self, role: usize, view: &Arc<SeatView>) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        let size = view.node.to_string().len();
        if inner.bytes + size > MOST_BYTES {
            return Err(crate::history::Full.into());
        }
        let Some(place) = &mut inner.places[role] else { return Ok(()) };
        if place.views.len() == view.number() {
            place.views.push(Arc::clone(view));
            inner.bytes += size;
            inner.advice = None;
        }
        drop(inner);
        self.truth.tell();
        Ok(())
    }

    /// Notes that it can no longer be determined what `role` knows. The text `note` is shown to all people.
    pub(super) fn lose(&self, role: usize, note: String) {
        let mut inner = lock(&self.inner);
        inner.note = Some(note);
        if let Some(place) = &mut inner.places[role] {
            place.is_lost = true;
        }
        inner.pass_on();
        drop(inner);
        self.truth.tell();
    }

    /// Waits until the turn may end that leads to `view`, shows the view, and waits for the person's choice if
    /// the person has one. Returns the move.
    pub(super) fn ask(
        &self,
        role: usize,
        view: &Arc<SeatView>,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        self.wait_for_turn(view.number(), stop);
        self.put(role, view).map_err(|error| PlayError::Unable(error.to_string()))?;
        let mut inner = lock(&self.inner);
        if let Some(place) = &mut inner.places[role] {
            place.is_asked = view.decides;
            place.choice = if view.decides { None } else { view.legal.first().cloned() };
        }
        inner.pass_on();
        self.truth.tell();
        loop {
            if stop.is_stopped() {
                return Err(PlayError::Gone("the match has been stopped".to_owned()));
            }
            let choice = inner.places[role].as_mut().map(|place| (place.is_asked, place.choice.take()));
            match choice {
                Some((true, _)) => inner = self.wait(inner, LOOK),
                Some((false, Some(mv))) => return Ok(mv),
                Some((false, None)) | None => return Err(PlayError::NoMove),
            }
        }
    }

    /// Handles the choice of `mv` for `role` in the state `at`, which must be the current one.
    pub(super) fn choose(&self, at: usize, role: usize, mv: &str) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        if inner.viewer != Some(role) {
            return wrong("the page does not show this role now");
        }
        let Some(view) = inner.views(role).last().cloned() else { return wrong("there is no such state") };
        if at != view.number() {
            return wrong(super::NO_SECOND_TRY);
        }
        if !inner.is_asked(role) {
            return wrong("this role has nothing to choose now");
        }
        let Some(mv) = spell(mv, &view.legal) else { return wrong(format!("{mv} is not legal here")) };
        if let Some(place) = &mut inner.places[role] {
            (place.is_asked, place.choice) = (false, Some(mv));
        }
        inner.chosen = Some(Instant::now());
        inner.held = false;
        inner.pass_on();
        drop(inner);
        self.changed.notify_all();
        self.truth.tell();
        Ok(())
    }

    /// Lifts the curtain for the person who plays `role` and has to choose next.
    pub(super) fn lift(&self, role: usize) -> Result<(), Refusal> {
        let mut inner = lock(&self.inner);
        if inner.viewer.is_some() || inner.next() != Some(role) {
            return wrong("the curtain is lifted for the role that moves next, when it is that role's turn");
        }
        inner.viewer = Some(role);
        drop(inner);
        self.truth.tell();
        Ok(())
    }

    /// Pauses or resumes the match.
    pub(super) fn hold(&self, hold: bool) {
        lock(&self.inner).held = hold;
        self.changed.notify_all();
        self.truth.tell();
    }

    /// Wakes all waiting players, so that they notice a raised stop flag.
    pub(super) fn wake(&self) {
        // A player that has just checked the flag waits by the time the lock is free.
        drop(lock(&self.inner));
        self.changed.notify_all();
    }

    /// Notifies the listeners of the session.
    pub(super) fn tell(&self) {
        self.truth.tell();
    }
}

impl Place {
    fn steps(&self) -> usize {
        self.views.len().saturating_sub(1)
    }
}

impl Inner {
    pub(super) fn views(&self, role: usize) -> &[Arc<SeatView>] {
        self.places.get(role).and_then(Option::as_ref).map_or(&[], |place| &place.views)
    }

    pub(super) fn is_asked(&self, role: usize) -> bool {
        self.places.get(role).and_then(Option::as_ref).is_some_and(|place| place.is_asked)
    }

    /// The first role whose person has to choose, once all people have taken in the last step.
    fn next(&self) -> Option<usize> {
        let mut steps = self.places.iter().flatten().filter(|place| !place.is_lost).map(Place::steps);
        let first = steps.next()?;
        if steps.any(|steps| steps != first) {
            return None;
        }
        (0..self.places.len()).find(|&role| self.is_asked(role))
    }

    /// Lets the curtain fall if another person has to choose than the one whose view the page shows.
    fn pass_on(&mut self) {
        let is_shared = self.places.iter().flatten().count() > 1;
        if is_shared && self.viewer.is_some_and(|role| !self.is_asked(role)) && self.next().is_some() {
            self.viewer = None;
            self.advice = None;
        }
    }
}
