//! A player with a clock of its own. All players of a match have the same clock, but every seat of a page has
//! its own.

use crate::pool::lower_priority;
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role, SearchReport, StopToken};
use std::sync::Arc;
use std::time::Duration;

/// A player that gets `clock` for each move, whatever the clock of the match is.
pub(super) struct Clocked {
    pub(super) player: Box<dyn Player>,
    pub(super) clock: Duration,
}

impl Player for Clocked {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        let clocks = Clocks { play: self.clock, ..clocks };
        self.player.start(game, role, clocks, deadline, stop)
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        _deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        // The referee asks every player on a thread of its own.
        lower_priority();
        self.player.play(seen, Deadline::after(self.clock), stop)
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.player.observe(seen)
    }

    fn report(&self) -> Option<SearchReport> {
        self.player.report()
    }

    fn reasoner(&self) -> Option<&'static str> {
        self.player.reasoner()
    }

    fn stop(&mut self, seen: Observation<'_>) {
        self.player.stop(seen);
    }
}
