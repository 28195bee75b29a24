//! The observer of a match of hidden information, which writes down the true states.

use super::screen::Screen;
use crate::session::Session;
use ggp_arena::{MatchEvent, Observer};
use ggp_game::StopToken;
use std::sync::Arc;

/// Adds each step of a match to the session that keeps its true states.
pub(super) struct Clerk {
    pub(super) truth: Arc<Session>,
    pub(super) screen: Arc<Screen>,
    /// The number of joint moves at the start of the match that the session has already.
    pub(super) given: u32,
    pub(super) stop: StopToken,
    /// The reason why a step could not be added. The match ends then.
    pub(super) failed: Option<String>,
}

impl Observer for Clerk {
    fn wants_facts(&self) -> bool {
        true
    }

    fn observe(&mut self, event: MatchEvent<'_>) {
        match event {
            MatchEvent::Joint { step, moves, reports, .. } if step >= self.given => {
                let reports = (0..moves.len()).map(reports).collect();
                if let Err(error) = self.truth.add_step(moves, reports) {
                    self.failed = Some(error.to_string());
                    self.stop.stop();
                }
            }
            // A match without people has nobody else to announce its steps.
            MatchEvent::State { step, .. } if step >= self.given && !self.screen.has_people() => {
                self.screen.announce(step, &self.stop);
            }
            MatchEvent::Joint { .. } | MatchEvent::State { .. } | MatchEvent::End(_) => {}
        }
    }
}
