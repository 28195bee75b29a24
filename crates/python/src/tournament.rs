//! The classes `Tournament` and `TournamentRun`: tournaments whose matches are played on many machines.

use crate::error;
use crate::interrupt::interruptible;
use ggp::{Participants, StopToken};
use ggp_arena::{MatchResult, OpenRun, Plan, PlayedMatch, Table, TournamentError, save_text};
use ggp_cli::{Competition, CompetitionError};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The tournament that the arguments of `ggp match` describe. `ggp.ray.tournament` plays it.
#[pyclass(frozen, module = "ggp._ggp")]
pub(crate) struct Tournament {
    competition: Competition,
    plan: Plan,
    /// The players and machines. They have passed their trial.
    players: Mutex<Option<Participants>>,
}

fn of_competition(py: Python<'_>, failed: CompetitionError) -> PyErr {
    error::exception(py, "CommandError", (failed.message, failed.code))
}

fn of_tournament(py: Python<'_>, failed: TournamentError) -> PyErr {
    // The exit code of a player at fault, or of anything else.
    let code = match failed {
        TournamentError::Player { .. } | TournamentError::Refused(_) => 3,
        TournamentError::Plan(_) | TournamentError::SprtNeedsTwo(_) => 2,
        _ => 1,
    };
    error::exception(py, "CommandError", (failed.to_string(), code))
}

/// A result as a line of a results file, and the record of the match.
type Line = (String, Option<String>);

/// The numbers and lines of matches that have been played, and warnings.
type Played = (Vec<(u64, Line)>, Vec<String>);

#[pymethods]
impl Tournament {
    /// The tournament of the arguments `argv`. Its games are read from `rules`, one text for each file that `argv` names,
    /// or from these files.
    #[new]
    #[pyo3(signature = (argv, rules = None))]
    fn new(py: Python<'_>, argv: Vec<String>, rules: Option<Vec<Vec<u8>>>) -> PyResult<Tournament> {
        let parsed = py.detach(|| Competition::parse(argv, rules));
        let competition = parsed.map_err(|failed| of_competition(py, failed))?;
        let plan = competition.tournament.plan().map_err(|failed| of_tournament(py, failed.into()))?;
        Ok(Tournament { competition, plan, players: Mutex::default() })
    }

    /// The rulesheets.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
        self.competition.rules.iter().map(|sheet| PyBytes::new(py, &sheet.bytes)).collect()
    }

    /// The hash of all settings that the results depend on.
    #[getter]
    fn fingerprint(&self) -> &str {
        self.plan.fingerprint()
    }

    /// The number of threads that a match keeps busy.
    #[getter]
    fn threads(&self) -> usize {
        self.competition.threads()
    }

    /// Whether the outcome of matches depends on time.
    #[getter]
    fn is_timed(&self) -> bool {
        self.competition.is_timed()
    }

    /// The largest number of matches at once, as `--concurrency` gives it.
    #[getter]
    fn concurrency(&self) -> usize {
        self.competition.run.concurrency
    }

    /// Opens the results file, and locks it.
    fn open(&self, py: Python<'_>) -> PyResult<TournamentRun> {
        let open = py.detach(|| self.competition.open()).map_err(|failed| of_competition(py, failed))?;
        let run = &self.competition.run;
        if let Some(directory) = &run.save {
            std::fs::create_dir_all(directory).map_err(|failed| PyOSError::new_err(failed.to_string()))?;
        }
        Ok(TournamentRun { open: Mutex::new(Some(open)), save: run.save.clone() })
    }

    /// Plays the matches with these numbers until `seconds` have passed; at least one of them. The first call tries the
    /// players.
    ///
    /// Returns:
    ///     The number, the line of the results file and the record (None if none is wanted) of each match that has been
    ///     played, and the warnings of the trials.
    fn play(&self, py: Python<'_>, numbers: Vec<u64>, seconds: f64) -> PyResult<Played> {
        let limit = crate::game::duration(seconds)?;
        let played = interruptible(py, |stop| self.play_until(&numbers, limit, stop))?;
        let (played, warnings) = played.map_err(|failed| match failed {
            Failure::Competition(failed) => of_competition(py, failed),
            Failure::Tournament(failed) => of_tournament(py, failed),
        })?;
        let mut lines = Vec::new();
        for PlayedMatch { number, result, record } in played {
            lines.push((number, (result.to_line(), record.map(|record| record.to_json()))));
        }
        Ok((lines, warnings))
    }

    /// Ends `run`: prints the tables and writes the report, as `ggp match` does; with `quiet`, only writes the report.
    /// Returns the exit code.
    #[pyo3(signature = (run, quiet = false))]
    fn finish(&self, py: Python<'_>, run: &Bound<'_, TournamentRun>, quiet: bool) -> PyResult<u8> {
        let open = run.get().lock().take().ok_or_else(ended)?;
        Ok(py.detach(|| self.competition.finish(&open.close(), quiet)))
    }
}

enum Failure {
    Competition(CompetitionError),
    Tournament(TournamentError),
}

impl Tournament {
    fn play_until(
        &self,
        numbers: &[u64],
        limit: Duration,
        stop: &StopToken,
    ) -> Result<(Vec<PlayedMatch>, Vec<String>), Failure> {
        let began = Instant::now();
        let (tournament, run) = (&self.competition.tournament, &self.competition.run);
        let entrants = (0..tournament.entrants.len()).collect();
        let mut warnings = Vec::new();
        let mut place = self.players.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            let players = self.competition.players().map_err(Failure::Competition)?;
            let mut on_event = |event: ggp::Event<'_>| {
                if let ggp::Event::Warning(text) | ggp::Event::Note(text) = event {
                    warnings.push(text);
                }
            };
            tournament.hold_trials(&players, &entrants, &mut on_event, stop).map_err(Failure::Tournament)?;
            *place = Some(players);
        }
        let Some(players) = &*place else { return Ok((Vec::new(), warnings)) };
        let name = tournament.record_name(run, &self.plan);
        let table =
            Table::new(tournament, &self.plan, players, &entrants, name).map_err(Failure::Tournament)?;
        let mut played = Vec::new();
        for &number in numbers {
            if !played.is_empty() && began.elapsed() >= limit {
                break;
            }
            match table.play(&self.plan.fixture(number), stop).map_err(Failure::Tournament)? {
                Some(one) => played.push(one),
                None => break,
            }
        }
        Ok((played, warnings))
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the run has ended")
}

/// A run of a tournament: hands out matches and keeps their results. It is the only writer of its file.
#[pyclass(frozen, module = "ggp._ggp")]
pub(crate) struct TournamentRun {
    open: Mutex<Option<OpenRun>>,
    save: Option<PathBuf>,
}

impl TournamentRun {
    fn lock(&self) -> MutexGuard<'_, Option<OpenRun>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, call: impl FnOnce(&mut OpenRun) -> T) -> PyResult<T> {
        self.lock().as_mut().map(call).ok_or_else(ended)
    }
}

#[pymethods]
impl TournamentRun {
    /// The numbers of the next matches to be played, up to `count`.
    fn take(&self, count: usize) -> PyResult<Vec<u64>> {
        let next = |open: &mut OpenRun| open.take().map(|fixture| fixture.number);
        self.with(|open| std::iter::from_fn(|| next(open)).take(count).collect())
    }

    /// Writes the results of matches, and their records. Returns how many count: a match that has a result already does
    /// not.
    fn keep(&self, py: Python<'_>, lines: Vec<Line>) -> PyResult<usize> {
        let mut kept = 0;
        for (line, record) in lines {
            let result: MatchResult =
                serde_json::from_str(&line).map_err(|failed| PyValueError::new_err(failed.to_string()))?;
            if let (Some(directory), Some(record)) = (&self.save, &record) {
                save_text(directory, &result.id, record).map_err(|failed| of_tournament(py, failed))?;
            }
            let counts = self.with(|open| open.keep(&result))?;
            kept += usize::from(counts.map_err(|failed| of_tournament(py, failed))?);
        }
        Ok(kept)
    }

    /// The number of matches that have a result, and the number of all matches.
    #[getter]
    fn progress(&self) -> PyResult<(u64, u64)> {
        self.with(|open| (open.progress().done, open.progress().total))
    }

    /// Whether the sequential test has accepted a hypothesis.
    #[getter]
    fn is_decided(&self) -> PyResult<bool> {
        self.with(|open| open.sprt().is_some_and(|state| state.accepted.is_some()))
    }

    /// What the file has shown when it was opened, as messages.
    #[getter]
    fn notes(&self) -> PyResult<Vec<String>> {
        self.with(|open| {
            let unasked = (open.unasked() > 0).then(|| {
                format!("the file has {} more results, which this run does not ask for", open.unasked())
            });
            open.flaw().map(|flaw| format!("{flaw}; it is played again")).into_iter().chain(unasked).collect()
        })
    }

    /// The standings in one line.
    #[getter]
    fn standing(&self) -> PyResult<String> {
        self.with(|open| Competition::standing(open))
    }
}
