//! Methods of `Game` that let players meet.

use crate::error;
use crate::game::{Game, duration};
use crate::interrupt::interruptible;
use crate::result::named;
use ggp::{
    Build, Clocks, Contest, Estimate, Event, MatchSetup, Participant, Participants, PlayerKind, Reasoner,
    Run, Tournament,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// The seconds for a move, if a player needs a clock and none is given.
const PLAY_CLOCK: Duration = Duration::from_secs(1);

/// The participant with the number `number`, which is its name in the tournament.
fn participant(number: usize, spec: &str) -> PyResult<Participant> {
    let kind = spec.parse().map_err(|error: ggp::KindError| PyValueError::new_err(error.to_string()))?;
    Ok(Participant { name: number.to_string(), spec: spec.to_owned(), kind })
}

fn estimate(py: Python<'_>, estimate: Option<Estimate>) -> PyResult<Option<Bound<'_, PyAny>>> {
    estimate.map(|one| named(py, "Estimate", (one.value, one.low, one.high))).transpose()
}

#[pymethods]
impl Game {
    /// Plays the matches of `ggp.match` between `players`, pairs of a name and the text of a player.
    #[pyo3(signature = (players, games, *, seed, openings, start_clock, play_clock, concurrency))]
    fn _matches<'py>(
        &self,
        py: Python<'py>,
        players: Vec<(String, String)>,
        games: u64,
        seed: u64,
        openings: u32,
        start_clock: f64,
        play_clock: Option<f64>,
        concurrency: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if games == 0 || !(1..=256).contains(&concurrency) {
            return Err(PyValueError::new_err("games must be at least 1, and concurrency 1 to 256"));
        }
        let members = players.iter().enumerate().map(|(number, (_, spec))| participant(number, spec));
        let members = members.collect::<PyResult<Vec<Participant>>>()?;
        let play = match play_clock {
            Some(seconds) => duration(seconds)?,
            None if members.iter().all(|one| one.kind.ends_by_itself()) => Duration::MAX,
            None => PLAY_CLOCK,
        };
        let clocks = Clocks { start: duration(start_clock)?, play };
        let contests = vec![Contest { name: "game".to_owned(), game: self.inner.game.clone() }];
        let entrants = members.iter().map(Participant::entrant).collect();
        let tournament = Tournament {
            seed,
            opening_plies: openings,
            ..Tournament::new(entrants, contests.clone(), clocks)
        };
        let members = Participants::new(members, &contests, Build::default());
        let members = members.map_err(|error| error::of(py, &error.into()))?;
        let members = self.inner.read(py, |reasoner| members.with_reasoner(reasoner));
        let run = Run { concurrency, ..Run::new(games) };
        let mut results = Vec::new();
        let report = interruptible(py, |stop| {
            let mut keep = |event: Event<'_>| {
                if let Event::Ended { result, .. } = event {
                    results.push(result.clone());
                }
            };
            tournament.run(&members, &run, &mut keep, stop)
        })?;
        let summary = report.map_err(|error| error::of(py, &error.into()))?.standings.summary();
        let name_of =
            |number: &str| number.parse().ok().and_then(|number: usize| Some(&players.get(number)?.0));
        let results = results.into_iter().map(|one| {
            let players: Vec<_> = one.players.iter().map(|number| name_of(number.as_deref()?)).collect();
            named(py, "MatchResult", (players, one.goals, one.steps, one.ending))
        });
        let comparisons = summary.pairs.iter().map(|pair| {
            let players = (name_of(&pair.players[0]), name_of(&pair.players[1]));
            let score = estimate(py, pair.difference.map(|difference| difference.score))?;
            named(py, "Comparison", (players, score, pair.wins, pair.draws, pair.losses))
        });
        let goals = PyDict::new(py);
        for (number, (name, _)) in players.iter().enumerate() {
            let own = summary.players.iter().find(|player| player.name == number.to_string());
            goals.set_item(name, estimate(py, own.and_then(|player| player.goal))?)?;
        }
        let comparisons = comparisons.collect::<PyResult<Vec<_>>>()?;
        named(py, "Matches", (goals, comparisons, results.collect::<PyResult<Vec<_>>>()?))
    }

    /// Plays one match.
    ///
    /// Args:
    ///     players: One player for each role but chance, such as `"mcts:iterations=100"` or `"random"`; `ggp help players`
    ///         lists all kinds.
    ///     seed: The seed of the referee and of chance. Players have seeds of their own among their options.
    ///     start_clock: Seconds before the first move.
    ///     play_clock: Seconds for each move.
    ///     max_steps: The number of steps after which the match is cut off.
    ///
    /// Returns:
    ///     A dict with the `goals` of the roles (None where there is none), the number of `steps`, the `ending`, and the
    ///     `faults` of players as texts.
    #[pyo3(signature = (players, *, seed = 0, start_clock = 10.0, play_clock = 10.0, max_steps = None))]
    fn play_match<'py>(
        &self,
        py: Python<'py>,
        players: Vec<String>,
        seed: u64,
        start_clock: f64,
        play_clock: f64,
        max_steps: Option<u32>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let kinds = players.iter().map(|text| text.parse::<PlayerKind>());
        let kinds =
            kinds.collect::<Result<Vec<_>, _>>().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let clocks = Clocks { start: duration(start_clock)?, play: duration(play_clock)? };
        let mut setup = MatchSetup::new("python", clocks);
        setup.seed = seed;
        setup.max_steps = max_steps.unwrap_or(setup.max_steps);
        let reasoner = self.inner.read(py, Reasoner::clone);
        let outcome = interruptible(py, |stop| ggp::play_match_until(&reasoner, &kinds, setup, stop))?;
        let outcome = outcome.map_err(|error| error::of(py, &error))?;
        let result = PyDict::new(py);
        result.set_item("goals", outcome.goals.clone())?;
        result.set_item("steps", outcome.steps)?;
        result.set_item("ending", format!("{:?}", outcome.ending))?;
        let faults: Vec<String> = outcome.faults.iter().map(|fault| format!("{fault:?}")).collect();
        result.set_item("faults", faults)?;
        Ok(result)
    }
}
