//! The run of a tournament. A run plays the fixtures of a plan, several at once, and keeps their results.
//!
//! Invariants: a match counts as soon as its line is in the results file, and it is never played again after
//! that. Interruptions, shards and the number of matches that run at once do not change which matches are
//! played. The sequential test reads results in the order of the plan, and reads a result only after those of
//! all earlier matches. Matches that end sooner therefore have no advantage, and the test stops at the same
//! match every time.

use crate::open_run::OpenRun;
use crate::plan::Plan;
use crate::run_results::RunResults;
use crate::runner::Runner;
use crate::sequential_test::SequentialTest;
use crate::table::{PlayedMatch, Table};
use crate::tournament::{Event, Players, Run, RunReport, Tournament, TournamentError};
use ggp_game::StopToken;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The interval at which a run checks its stop token.
const POLL: Duration = Duration::from_millis(50);

impl Tournament {
    /// Plays the matches of `run` until all are played, the sequential test accepts a hypothesis, or `stop`
    /// is raised.
    ///
    /// # Errors
    /// When the plan cannot be made, a player or referee cannot be made, an entrant fails its trial, an
    /// opening cannot be drawn, files cannot be read or written, a thread cannot be started, or a sequential
    /// test does not have exactly two entrants.
    pub fn run(
        &self,
        players: &dyn Players,
        run: &Run,
        on_event: &mut dyn FnMut(Event<'_>),
        stop: &StopToken,
    ) -> Result<RunReport, TournamentError> {
        let OpenRun { plan, queue, mut results, .. } = self.open(run)?;
        for warning in self.warnings(run, plan.whole_encounters(run.matches), plan.round()) {
            on_event(Event::Warning(warning));
        }
        if let Some(directory) = &run.save {
            let made = std::fs::create_dir_all(directory).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => {
                    let why = "it is a file, but the records of matches need a folder: name another one";
                    std::io::Error::new(ErrorKind::AlreadyExists, why)
                }
                _ => error,
            });
            made.map_err(|error| TournamentError::Save { path: directory.clone(), error })?;
        }
        if let Some(flaw) = results.file.as_ref().and_then(|file| file.flaw.as_ref()) {
            on_event(Event::Note(format!("{flaw}; it is played again")));
        }
        let decided = results.decision().is_some();
        let waiting = if decided { BTreeSet::new() } else { queue.entrants(self.entrants.len()) };
        let table = if waiting.is_empty() {
            None
        } else {
            self.hold_trials(players, &waiting, on_event, stop)?;
            Some(Table::new(self, &plan, players, &waiting, self.record_name(run, &plan))?)
        };
        on_event(Event::Ready { progress: results.progress, unasked: results.unasked.len() as u64 });
        if let Some(table) = table {
            let (queue, save) = (Mutex::new(queue), run.save.clone());
            let runner = Runner { table, queue, save, abort: StopToken::new(), stop };
            play_all(&runner, run.concurrency, &mut results, on_event, stop)?;
        }
        Ok(results.report())
    }

    /// The name of this tournament in the records of `run`. `None` if the run keeps no records.
    pub fn record_name(&self, run: &Run, plan: &Plan) -> Option<String> {
        run.save.as_ref()?;
        Some(run.name.clone().unwrap_or_else(|| plan.fingerprint().to_owned()))
    }

    fn warnings(&self, run: &Run, total: u64, round: u64) -> Vec<String> {
        let mut warnings = Vec::new();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let seats = self.contests.iter().map(|c| c.game.role_count()).max().unwrap_or(1);
        let threads = run.concurrency.max(1) * run.threads_per_match * if self.parallel { seats } else { 1 };
        if threads > cores {
            warnings.push(format!(
                "{} matches at once keep {threads} threads busy, but there are {cores} cores: players will miss \
                 their clocks",
                run.concurrency
            ));
        }
        if !total.is_multiple_of(round) && round > 2 {
            warnings.push(format!(
                "{total} matches are not a whole number of rounds of {round} matches: some players take some \
                 roles more often than others; {} matches are whole rounds",
                total.next_multiple_of(round)
            ));
        }
        if run.resume && run.out.is_none() {
            warnings.push("no results file is given, so nothing is resumed".to_owned());
        }
        warnings
    }
}

/// Plays the fixtures of `runner` on `concurrency` threads and adds their results to `kept_results`. Ends when no
/// fixture is left, when the sequential test is decided, or when `stop` is raised.
fn play_all(
    runner: &Runner<'_>,
    concurrency: usize,
    kept_results: &mut RunResults,
    on_event: &mut dyn FnMut(Event<'_>),
    stop: &StopToken,
) -> Result<(), TournamentError> {
    let began = Instant::now();
    let mut failed = None;
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..concurrency.max(1) {
            let sender = sender.clone();
            let spawned =
                std::thread::Builder::new().spawn_scoped(scope, move || runner.play_fixtures(&sender));
            if let Err(error) = spawned {
                failed = Some(TournamentError::Thread(error));
                break;
            }
        }
        drop(sender);
        loop {
            if stop.is_stopped() || failed.is_some() || kept_results.decision().is_some() {
                runner.abort.stop();
            }
            let kept = match results.recv_timeout(POLL) {
                Ok(Ok(PlayedMatch { number, result, .. })) => {
                    kept_results.keep(number, &result, began).map(|()| result)
                }
                Ok(Err(error)) => Err(error),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            match kept {
                Ok(result) => on_event(Event::Ended {
                    result: &result,
                    progress: kept_results.progress,
                    standings: &kept_results.standings,
                    sprt: kept_results.sprt.as_ref().map(SequentialTest::state),
                }),
                Err(error) => drop(failed.get_or_insert(error)),
            }
        }
    });
    failed.map_or(Ok(()), Err)
}
