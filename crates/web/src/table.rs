//! The requests that a page can make to a session, whatever kind of game is played there.

use crate::known::Known;
use crate::seat_player::SeatPlayer;
use crate::session::{Listener, News, Refusal};
use ggp_arena::Record;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// An action that a page requests.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// A person chooses `mv` for `role` in the state with the index `at`.
    Move { at: usize, role: usize, mv: String },
    /// Play continues from the state with this index.
    Go(usize),
    /// The last choice of a person is taken back.
    Undo,
    /// The engine that is searching has to choose at once.
    Hurry,
    /// The engines and remote players are paused (`true`) or resumed.
    Hold(bool),
    /// A search for a hint to `role` in the state with the index `at` starts, for `time`.
    Advise { at: usize, role: usize, time: Duration },
    /// The players in the seats are replaced.
    Seats(Vec<Option<SeatPlayer>>),
    /// The person who plays this role lifts the curtain.
    Lift(usize),
}

/// A session, as pages and the server see it.
pub(crate) trait Table: Send + Sync {
    /// The id of the session.
    fn id(&self) -> &str;

    /// The game that is played.
    fn known(&self) -> &Arc<Known>;

    /// The properties of the session that do not change, and its status.
    fn about(&self) -> Value;

    /// The status, and the states from index `from` on, in brief. If the index of the current state is at
    /// least `from`, also the current state for display.
    fn news(&self, from: usize) -> News;

    /// The status.
    fn status(&self) -> Value;

    /// The states from index `from` on, in brief: without their squares.
    fn tree(&self, from: usize) -> Value;

    /// The state with the index `number`, for display. `None` if the page can see no such state.
    fn node(&self, number: usize) -> Option<Value>;

    /// The numbers of the squares that decided the match, if the state with the index `number` is its end. `None` if
    /// the page can see no such state.
    fn deciding(&self, number: usize) -> Option<Vec<usize>>;

    /// The text of the record of the match from the first state to the state with the index `to`, or to the
    /// current state if `to` is `None`. The result is `None` if there is no state `to`.
    ///
    /// # Errors
    /// When the record would show what is hidden from the page.
    fn record(&self, to: Option<usize>) -> Result<Option<String>, Refusal>;

    /// Performs `action`.
    ///
    /// # Errors
    /// When the action is not possible now.
    fn act(self: Arc<Self>, action: Action) -> Result<(), Refusal>;

    /// Updates a watched match from `record`.
    ///
    /// # Errors
    /// When the record does not fit the game.
    fn follow(self: Arc<Self>, record: &Record) -> Result<(), Refusal>;

    /// A receiver that is notified of every change, and the guard of the listener.
    fn listen(self: Arc<Self>) -> (Listener, watch::Receiver<u64>);

    /// Marks the session as used now, so that its idle time starts again from zero.
    fn touch(&self);

    /// The time since the session was last used. Zero while a page listens.
    fn idle(&self) -> Duration;

    /// Closes the session: ends its searches and notifies the listeners.
    fn close(&self);
}
