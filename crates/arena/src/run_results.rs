//! The results of a run: the file, the standings, the sequential test and the progress, updated together.

use crate::digest::Digest;
use crate::elo::Hypothesis;
use crate::plan::Plan;
use crate::result::MatchResult;
use crate::results_file::ResultFile;
use crate::sequential_test::SequentialTest;
use crate::standings::Standings;
use crate::tournament::{Finish, Progress, Run, RunReport, Tournament, TournamentError};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The results that count, and everything that is computed from them.
pub(crate) struct RunResults {
    pub(crate) file: Option<ResultFile>,
    pub(crate) standings: Standings,
    pub(crate) sprt: Option<SequentialTest>,
    pub(crate) progress: Progress,
    /// The plan indices of the matches that have results.
    pub(crate) done: HashSet<u64>,
    /// Hashes of match ids, one for each match that has a result in the file but is not part of this run (it
    /// lies beyond the run's number of matches, or belongs to another shard).
    pub(crate) unasked: HashSet<u64>,
}

impl RunResults {
    /// Opens the results file of `run`, if it has one. If the run resumes a file, the results in that file
    /// are counted. `total` is the number of matches over all shards.
    pub(crate) fn open(
        tournament: &Tournament,
        run: &Run,
        plan: &Plan,
        total: u64,
    ) -> Result<RunResults, TournamentError> {
        let names = || tournament.entrants.iter().map(|e| e.name.clone()).collect();
        let mut results = RunResults {
            file: None,
            standings: Standings::default(),
            sprt: run.sprt.map(|sprt| SequentialTest::new(sprt, names())),
            progress: Progress { done: 0, total: 0, played: 0, elapsed: Duration::ZERO },
            done: HashSet::new(),
            unasked: HashSet::new(),
        };
        let is_asked = |number: &u64| *number < total && run.shard.contains(plan.encounter(*number));
        for number in (0..total).filter(is_asked) {
            results.progress.total += 1;
            if let Some(sprt) = &mut results.sprt {
                sprt.expect(number);
            }
        }
        results.file = match &run.out {
            None => None,
            Some(path) if run.resume => {
                let (fingerprint, settings) = (plan.fingerprint(), tournament.settings());
                Some(ResultFile::resume(path, fingerprint, &settings, |result| {
                    if let Some(number) = plan.number_of(&result.id).filter(is_asked) {
                        results.enter(number, result);
                    } else {
                        let mut digest = Digest::default();
                        digest.add(result.id.as_bytes());
                        results.unasked.insert(digest.value());
                    }
                })?)
            }
            Some(path) => Some(ResultFile::create(path)?),
        };
        if let Some(sprt) = &mut results.sprt {
            sprt.advance();
        }
        Ok(results)
    }

    /// Counts the result that an earlier run has written for the match with index `number`. If a result of
    /// this match was counted before, the new one is ignored.
    fn enter(&mut self, number: u64, mut result: MatchResult) {
        if !self.done.insert(number) {
            return;
        }
        self.progress.done += 1;
        self.standings.add(&result);
        (result.time, result.faults, result.settings) = (Vec::new(), Vec::new(), None);
        if let Some(sprt) = &mut self.sprt {
            sprt.add(number, &result);
        }
    }

    /// Writes the new result of the match with index `number` to the file and counts it. `began` is the time
    /// at which this run began to play.
    pub(crate) fn keep(
        &mut self,
        number: u64,
        result: &MatchResult,
        began: Instant,
    ) -> Result<(), TournamentError> {
        if let Some(file) = &mut self.file {
            file.append(result)?;
        }
        self.standings.add(result);
        if let Some(sprt) = &mut self.sprt {
            sprt.add(number, result);
            sprt.advance();
        }
        self.progress.done += 1;
        self.progress.played += 1;
        self.progress.elapsed = began.elapsed();
        Ok(())
    }

    /// The hypothesis that the sequential test has accepted. `None` if the test is undecided or there is no
    /// test.
    pub(crate) fn decision(&self) -> Option<Hypothesis> {
        self.sprt.as_ref().and_then(|sprt| sprt.state().accepted)
    }

    /// The report of a run that ends with these results.
    pub(crate) fn report(self) -> RunReport {
        let finish = match self.decision() {
            Some(hypothesis) => Finish::Decided(hypothesis),
            None if self.progress.done < self.progress.total => Finish::Stopped,
            None => Finish::Complete,
        };
        let sprt = self.sprt.as_ref().map(SequentialTest::state);
        RunReport { finish, progress: self.progress, standings: self.standings, sprt }
    }
}
