//! A session of a game without hidden information as a table: every page sees all of it.

use crate::known::Known;
use crate::session::{Listener, News, Refusal, Session, wrong};
use crate::table::{Action, Table};
use ggp_arena::Record;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

impl Table for Session {
    fn id(&self) -> &str {
        &self.id
    }

    fn known(&self) -> &Arc<Known> {
        &self.known
    }

    fn about(&self) -> Value {
        let mut about = self.identity();
        about["status"] = self.news(0).value;
        about
    }

    fn news(&self, from: usize) -> News {
        Session::news(self, from)
    }

    fn status(&self) -> Value {
        Session::status(self)
    }

    fn tree(&self, from: usize) -> Value {
        Session::tree(self, from)
    }

    fn node(&self, number: usize) -> Option<Value> {
        Session::node(self, number)
    }

    fn deciding(&self, number: usize) -> Option<Vec<usize>> {
        Session::deciding(self, number)
    }

    fn record(&self, to: Option<usize>) -> Result<Option<String>, Refusal> {
        Ok(Session::record(self, to).map(|record| record.to_json()))
    }

    fn act(self: Arc<Self>, action: Action) -> Result<(), Refusal> {
        match action {
            Action::Move { at, role, mv } => self.choose(at, role, &mv)?,
            Action::Go(at) => self.go(at)?,
            Action::Undo => self.undo()?,
            Action::Hurry => self.hurry(),
            Action::Hold(hold) => self.hold(hold),
            Action::Advise { at, role, time } => self.advise(at, role, time)?,
            Action::Seats(seats) => self.seat(seats)?,
            Action::Lift(_) => return wrong("nothing is hidden in this game"),
        }
        Ok(())
    }

    fn follow(self: Arc<Self>, record: &Record) -> Result<(), Refusal> {
        Session::follow(&self, record)
    }

    fn listen(self: Arc<Self>) -> (Listener, watch::Receiver<u64>) {
        Session::listen(&self)
    }

    fn touch(&self) {
        Session::touch(self);
    }

    fn idle(&self) -> Duration {
        Session::idle(self)
    }

    fn close(&self) {
        Session::close(self);
    }
}
