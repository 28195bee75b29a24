//! A run whose matches are played elsewhere, such as on other machines: it hands out fixtures and takes results.
//!
//! Invariants: a match that is handed out twice counts once. [`Tournament::run`] plays the same matches and keeps the
//! same results.

use crate::elo::SprtState;
use crate::plan::{Fixture, Plan};
use crate::queue::Queue;
use crate::result::MatchResult;
use crate::run_results::RunResults;
use crate::sequential_test::SequentialTest;
use crate::standings::Standings;
use crate::tournament::{Progress, Run, RunReport, Tournament, TournamentError};
use std::sync::Arc;
use std::time::Instant;

/// A run with its results file, which it locks.
pub struct OpenRun {
    pub(crate) plan: Arc<Plan>,
    pub(crate) queue: Queue,
    pub(crate) results: RunResults,
    began: Instant,
}

impl Tournament {
    /// Opens the results file of `run`.
    ///
    /// # Errors
    /// When the plan cannot be made, the file cannot be read or written, or a sequential test does not have exactly two
    /// entrants.
    pub fn open(&self, run: &Run) -> Result<OpenRun, TournamentError> {
        if run.sprt.is_some() && self.entrants.len() != 2 {
            return Err(TournamentError::SprtNeedsTwo(self.entrants.len()));
        }
        let plan = Arc::new(self.plan()?);
        let total = plan.whole_encounters(run.matches);
        let mut results = RunResults::open(self, run, &plan, total)?;
        let done = std::mem::take(&mut results.done);
        let queue = Queue::new(Arc::clone(&plan), run.shard, total, done);
        Ok(OpenRun { plan, queue, results, began: Instant::now() })
    }
}

impl OpenRun {
    /// Takes the next fixture that has to be played. `None` if none is left, or if the sequential test is decided.
    pub fn take(&mut self) -> Option<Fixture> {
        if self.results.decision().is_some() { None } else { self.queue.take() }
    }

    /// Writes the result of a match to the file and counts it. False if the match has a result already, or is no match
    /// of this run; nothing is written then.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(&mut self, result: &MatchResult) -> Result<bool, TournamentError> {
        let number = self.plan.number_of(&result.id);
        let Some(number) = number.filter(|&number| self.queue.finish(number)) else { return Ok(false) };
        self.results.keep(number, result, self.began)?;
        Ok(true)
    }

    /// The defect of the results file that was repaired, if there was one.
    pub fn flaw(&self) -> Option<String> {
        self.results.file.as_ref().and_then(|file| file.flaw.as_ref()).map(ToString::to_string)
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        self.results.progress
    }

    /// The number of results in the file that do not count in this run.
    pub fn unasked(&self) -> u64 {
        self.results.unasked.len() as u64
    }

    /// The totals so far.
    pub fn standings(&self) -> &Standings {
        &self.results.standings
    }

    /// The state of the sequential test. `None` if there is no test.
    pub fn sprt(&self) -> Option<SprtState> {
        self.results.sprt.as_ref().map(SequentialTest::state)
    }

    /// The report of the run, which ends, and unlocks the file.
    pub fn close(self) -> RunReport {
        self.results.report()
    }
}
