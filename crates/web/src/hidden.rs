//! Matches of hidden information (GDL-II). While such a match runs, a page sees what one role knows and nothing
//! else.
//!
//! A [`Session`] keeps the true states. The referee of `ggp-arena` plays the match on a thread of its own. Each
//! person's seat is a player ([`seat_person`]) that gets the same observations as any other player, and derives
//! from them what the page shows ([`seat_view`]). The [`screen`] decides which role the page sees.
//!
//! Invariants: [`HiddenSession::sight`] is the one place that decides what a page sees. A page gets an answer of
//! the session that keeps the true states only if the sight is [`Sight::Everything`]. Every other answer is made
//! from the information set of one role, the settings of the match and the number of steps. The moment at which
//! a page is told of a step depends on the settings of the match and on the times of the persons' own choices,
//! not on the players of the other seats ([`screen`]).

mod advice;
mod clerk;
mod clocked;
mod match_play;
mod screen;
pub(crate) mod sealed;
mod seat_person;
mod seat_view;

use crate::known::Known;
use crate::lock::lock;
use crate::session::{Listener, News, Refusal, Session, wrong};
use crate::table::{Action, Table};
use ggp_arena::Record;
use match_play::RunningMatch;
use screen::Sight;
pub(crate) use seat_view::SeatView;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// A session of a game of hidden information.
pub(crate) struct HiddenSession {
    /// The true states of the match.
    truth: Arc<Session>,
    /// The match that is being played here. `None` before the first match, after the end of a match, and if the
    /// match is played elsewhere.
    running: Mutex<Option<RunningMatch>>,
    /// Read only if the match is played elsewhere.
    elsewhere: Mutex<Elsewhere>,
}

/// The entries of the record of a match that is played elsewhere that decide who may see the match.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Elsewhere {
    /// Whether the match has ended before a terminal state.
    aborted: bool,
    /// Whether a person plays in the match.
    has_person: bool,
}

impl Elsewhere {
    /// What `record` says.
    pub(crate) fn of(record: &Record) -> Elsewhere {
        Elsewhere { aborted: record.is_aborted, has_person: record.is_player_human.contains(&true) }
    }
}

/// The reason why a request is refused that would give a person a second try, or the view of another seat.
const NO_SECOND_TRY: &str = "the match hides things, so it is played to its end first: with the hidden facts \
    unchanged, a second try would show what the role cannot know";

impl HiddenSession {
    /// A session of hidden information over `truth`, which keeps the true states. Begins the match in the
    /// current state of `truth`, unless the match is over or is played elsewhere. `elsewhere` is what the
    /// record of a match that is played elsewhere says.
    ///
    /// # Errors
    /// When the match cannot be started.
    pub(crate) fn begin(truth: Arc<Session>, elsewhere: Elsewhere) -> Result<Arc<HiddenSession>, Refusal> {
        let (running, elsewhere) = (Mutex::default(), Mutex::new(elsewhere));
        let session = Arc::new(HiddenSession { truth, running, elsewhere });
        session.resume(&mut lock(&session.running))?;
        Ok(session)
    }

    /// Begins a match in the current state, if it is to be played here and is not over.
    fn resume(self: &Arc<Self>, running: &mut Option<RunningMatch>) -> Result<(), Refusal> {
        if !self.truth.is_over() && !self.truth.is_watched() {
            *running = Some(RunningMatch::begin(self)?);
        }
        Ok(())
    }

    /// Reveals the match, which has ended. `note` says why, if the last state is not terminal.
    fn end(&self, note: Option<String>) {
        let mut running = lock(&self.running);
        self.truth.set_note(note);
        *running = None;
        drop(running);
        self.truth.tell();
    }

    /// The sight of the page now. `running` is the match that is being played here.
    fn sight(&self, running: Option<&RunningMatch>) -> Sight {
        let shown = |may_reveal: bool| {
            if may_reveal && self.truth.config().reveal { Sight::Everything } else { Sight::Nothing }
        };
        match running {
            None if !self.truth.is_watched() || self.truth.is_over() => Sight::Everything,
            None => {
                let Elsewhere { aborted, has_person } = *lock(&self.elsewhere);
                if aborted { Sight::Everything } else { shown(!has_person) }
            }
            Some(running) if running.screen.has_people() => running.screen.sight(),
            Some(_) => shown(true),
        }
    }

    /// The status for a page with the sight `sight`, which is not [`Sight::Everything`].
    fn standing(&self, sight: Sight, running: Option<&RunningMatch>) -> Value {
        let seen = running.map(|running| running.screen.standing(sight)).unwrap_or_default();
        let steps = seen.steps.unwrap_or_else(|| self.truth.steps());
        json!({
            "tip": steps,
            "count": steps + 1,
            "turn": steps,
            "chosen": seen.chosen,
            "seats": self.truth.seats(),
            "held": seen.held,
            "watched": self.truth.is_watched(),
            "note": seen.note,
            "spent": 0,
            "working": null,
            "advising": seen.advising,
            "thought": seen.advice,
            "reasoner": self.truth.known.reasoner(),
            "sight": sight,
        })
    }

    /// The member `sight` of a status in which the page sees everything: null if the match is over.
    fn everything(&self, running: Option<&RunningMatch>) -> Value {
        let runs = running.is_some() || self.truth.is_watched() && !self.truth.is_over();
        if runs { json!(Sight::Everything) } else { Value::Null }
    }

    fn act_in_match(&self, running: &RunningMatch, action: Action) -> Result<(), Refusal> {
        match action {
            Action::Move { at, role, mv } => running.screen.choose(at, role, &mv),
            Action::Lift(role) => running.screen.lift(role),
            Action::Hold(hold) => {
                running.screen.hold(hold);
                Ok(())
            }
            Action::Advise { at, role, time } => {
                let time = time.min(self.truth.config().longest);
                running.screen.advise(&self.truth.known, (at, role), time)
            }
            Action::Hurry => wrong("every turn of a hidden match takes its full time, whoever moves"),
            Action::Go(_) | Action::Undo | Action::Seats(_) => wrong(NO_SECOND_TRY),
        }
    }
}

/// The views from index `from` on, in brief.
fn briefs(views: &[Arc<SeatView>], from: usize) -> Value {
    let nodes: Vec<&Value> = views.iter().skip(from).map(|view| &view.brief).collect();
    json!({ "from": from, "nodes": nodes })
}

impl Table for HiddenSession {
    fn id(&self) -> &str {
        &self.truth.id
    }

    fn known(&self) -> &Arc<Known> {
        &self.truth.known
    }

    fn about(&self) -> Value {
        let mut about = self.truth.identity();
        about["status"] = self.news(0).value;
        about
    }

    fn news(&self, from: usize) -> News {
        let running = lock(&self.running);
        let sight = self.sight(running.as_ref());
        let over = self.truth.is_closed();
        if sight == Sight::Everything {
            let mut news = self.truth.news(from);
            news.value["sight"] = self.everything(running.as_ref());
            return news;
        }
        let mut value = self.standing(sight, running.as_ref());
        let seen = running.as_ref().map(|running| running.screen.views(sight)).unwrap_or_default();
        value["states"] = briefs(&seen, from);
        if let Some(view) = seen.last().filter(|_| seen.len() > from) {
            value["node"] = view.node.clone();
        }
        News { value, count: seen.len(), over }
    }

    fn status(&self) -> Value {
        let running = lock(&self.running);
        let sight = self.sight(running.as_ref());
        if sight == Sight::Everything {
            let mut status = self.truth.status();
            status["sight"] = self.everything(running.as_ref());
            return status;
        }
        self.standing(sight, running.as_ref())
    }

    fn tree(&self, from: usize) -> Value {
        let running = lock(&self.running);
        match (self.sight(running.as_ref()), running.as_ref()) {
            (Sight::Everything, _) => self.truth.tree(from),
            (sight, running) => {
                let seen = running.map(|running| running.screen.views(sight)).unwrap_or_default();
                briefs(&seen, from)
            }
        }
    }

    fn node(&self, number: usize) -> Option<Value> {
        let running = lock(&self.running);
        match (self.sight(running.as_ref()), running.as_ref()) {
            (Sight::Everything, _) => self.truth.node(number),
            (sight, running) => Some(running?.screen.views(sight).get(number)?.node.clone()),
        }
    }

    fn deciding(&self, number: usize) -> Option<Vec<usize>> {
        let sight = self.sight(lock(&self.running).as_ref());
        // What decided a match is explained by its true state.
        if sight == Sight::Everything { self.truth.deciding(number) } else { Some(Vec::new()) }
    }

    fn record(&self, to: Option<usize>) -> Result<Option<String>, Refusal> {
        let running = lock(&self.running);
        match (self.sight(running.as_ref()), running.as_ref()) {
            (Sight::Everything, _) => Ok(self.truth.record(to).map(|record| record.to_json())),
            (_, Some(running)) if running.screen.has_people() => {
                sealed::seal(&self.truth, &running.screen.histories()).map(Some)
            }
            _ => wrong("the match is hidden until it ends, and can be saved then"),
        }
    }

    fn act(self: Arc<Self>, action: Action) -> Result<(), Refusal> {
        let mut running = lock(&self.running);
        if let Some(running) = running.as_ref() {
            return self.act_in_match(running, action);
        }
        match action {
            Action::Go(at) => self.truth.go(at)?,
            Action::Undo => self.truth.undo()?,
            Action::Seats(seats) => return self.truth.seat(seats),
            Action::Move { .. } => return wrong("the match is over; play on from an earlier state first"),
            Action::Advise { .. } => return wrong("there is nothing to advise: no match is running"),
            Action::Lift(_) => return wrong("nothing is hidden: no match is running here"),
            Action::Hurry | Action::Hold(_) => return Ok(()),
        }
        self.truth.set_note(None);
        let begun = self.resume(&mut running);
        drop(running);
        self.truth.tell();
        begun
    }

    fn follow(self: Arc<Self>, record: &Record) -> Result<(), Refusal> {
        // This comes first, so that a page never sees more of the new record than it allows.
        *lock(&self.elsewhere) = Elsewhere::of(record);
        Session::follow(&self.truth, record)
    }

    fn listen(self: Arc<Self>) -> (Listener, watch::Receiver<u64>) {
        Session::listen(&self.truth)
    }

    fn touch(&self) {
        self.truth.touch();
    }

    fn idle(&self) -> Duration {
        self.truth.idle()
    }

    fn close(&self) {
        // The session is closed first, so that the match that is stopped then is not revealed.
        self.truth.close();
        if let Some(running) = lock(&self.running).as_ref() {
            running.stop();
        }
    }
}
