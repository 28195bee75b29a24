//! The worker threads of a run. Each thread plays one fixture after the other.

use crate::queue::Queue;
use crate::table::{PlayedMatch, Table, save};
use crate::tournament::TournamentError;
use ggp_game::StopToken;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

/// The data that the worker threads of a run share.
pub(crate) struct Runner<'a> {
    pub(crate) table: Table<'a>,
    pub(crate) queue: Mutex<Queue>,
    /// The directory in which match records are saved. `None` if they are not saved.
    pub(crate) save: Option<PathBuf>,
    /// Raised when the run ends before its last fixture.
    pub(crate) abort: StopToken,
    /// Raised when somebody interrupts the run.
    pub(crate) stop: &'a StopToken,
}

pub(crate) type Played = Result<PlayedMatch, TournamentError>;

impl Runner<'_> {
    /// Plays fixtures until none is left or the run is aborted. Sends each match, or the error, to `played`.
    pub(crate) fn play_fixtures(&self, played: &Sender<Played>) {
        while !self.abort.is_stopped() {
            let fixture = self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(fixture) = fixture else { return };
            let ended =
                self.table.play(&fixture, &self.abort).map(|one| one.filter(|one| !self.is_torn(one)));
            let sent = match ended.and_then(|one| self.saved(one)) {
                Ok(Some(one)) => played.send(Ok(one)),
                Ok(None) => return,
                Err(error) => {
                    self.abort.stop();
                    played.send(Err(error))
                }
            };
            if sent.is_err() {
                return;
            }
        }
    }

    /// Whether the interruption of the run may be the cause of the faults of a match: where a signal also reaches the programs
    /// that play, it may end them before the referee takes notice.
    fn is_torn(&self, played: &PlayedMatch) -> bool {
        self.stop.is_stopped() && !played.result.faults.is_empty()
    }

    /// Saves the record of a match before the match counts.
    fn saved(&self, played: Option<PlayedMatch>) -> Result<Option<PlayedMatch>, TournamentError> {
        if let (Some(directory), Some(PlayedMatch { record: Some(record), .. })) = (&self.save, &played) {
            save(directory, record)?;
        }
        Ok(played)
    }
}
