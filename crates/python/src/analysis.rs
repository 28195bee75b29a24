//! The method `Game.analyze`.

use crate::error;
use crate::game::{Game, duration};
use crate::interrupt::interruptible;
use crate::result::named;
use ggp::{Clocks, Halt, MctsOptions, PlayerSpec, Reasoner, Role, SearchLimits, SearchReport};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// The time of an analysis, if neither time nor iterations are limited.
const THINKING_TIME: Duration = Duration::from_secs(5);

#[pymethods]
impl Game {
    /// Rates the moves in a state by a search, as `ggp analyze` does.
    ///
    /// Args:
    ///     state: The state; the initial one by default. In a game of hidden information it is left out, since no role
    ///         knows it.
    ///     player: The search and its options, such as `"mcts:seed=1"`.
    ///     role: The only role to report on. A game of hidden information needs it: the search then knows only what the
    ///         role has seen.
    ///     history: In a game of hidden information, the joint moves from the start on, each a list of one text for each
    ///         role. The role sees only its own moves and its percepts of them.
    ///     seconds: The time limit; 5 if nothing else is limited.
    ///     iterations: The number of iterations. With a seed and this limit alone an analysis repeats.
    ///
    /// Returns:
    ///     An Analysis: for each role its candidates, best first; the numbers of iterations, playouts and nodes; and the
    ///     principal variation.
    ///
    /// Raises:
    ///     ValueError: Without a role, or with a state, in a game of hidden information.
    #[pyo3(signature = (state = None, player = "mcts", *, role = None, history = None, seconds = None, iterations = None))]
    fn analyze<'py>(
        &self,
        py: Python<'py>,
        state: Option<&Bound<'_, PyAny>>,
        player: &str,
        role: Option<&Bound<'_, PyAny>>,
        history: Option<Vec<Vec<String>>>,
        seconds: Option<f64>,
        iterations: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let spec: PlayerSpec =
            player.parse().map_err(|error: ggp::SpecError| PyValueError::new_err(error.to_string()))?;
        let PlayerSpec::Mcts(options) = spec else {
            return Err(PyValueError::new_err(format!("`{player}` does not search")));
        };
        let options = MctsOptions { iterations: iterations.or(options.iterations), ..options };
        let time = seconds.map(duration).transpose()?;
        let time = time.or(options.iterations.is_none().then_some(THINKING_TIME));
        let role = role.map(|role| self.inner.role(role)).transpose()?;
        let is_hidden = self.inner.game.has_percepts();
        if is_hidden && (role.is_none() || state.is_some()) {
            let message = "the roles of this game see only their percepts: name the role, and give the joint moves so far \
                           as history, instead of a state";
            return Err(PyValueError::new_err(message));
        }
        if !is_hidden && history.is_some() {
            return Err(PyValueError::new_err("history is for games of hidden information: give a state"));
        }
        let reports = match role {
            Some(role) if is_hidden => {
                let report = self.advised(py, role, options, &history.unwrap_or_default(), time)?;
                vec![(role, report)]
            }
            role => self.searched(py, state, role, &options, time)?,
        };
        self.analysis(py, reports)
    }
}

impl Game {
    /// The reports of a tree search from `state` on `role`, or on all roles.
    fn searched(
        &self,
        py: Python<'_>,
        state: Option<&Bound<'_, PyAny>>,
        role: Option<Role>,
        options: &MctsOptions,
        time: Option<Duration>,
    ) -> PyResult<Vec<(Role, SearchReport)>> {
        let start = self.one_state(py, state)?;
        let reasoner = self.inner.read(py, Reasoner::clone);
        let mut limits = time.map_or_else(SearchLimits::default, SearchLimits::time);
        limits.iterations = options.iterations;
        let game = &self.inner.game;
        let reports = interruptible(py, |stop| {
            let mut search = ggp::Search::from_state(&reasoner, options, &start)?;
            if let Halt::Failing(error) = search.run(&limits.or_when(stop)) {
                return Err(error.into());
            }
            let roles = game.roles().filter(|&one| role.is_none_or(|role| role == one));
            Ok(roles.map(|role| (role, search.report(role))).collect())
        })?;
        reports.map_err(|error: ggp::Error| error::of(py, &error))
    }

    /// The report of an information-set search that knows what `role` has seen of `history`.
    fn advised(
        &self,
        py: Python<'_>,
        role: Role,
        options: MctsOptions,
        history: &[Vec<String>],
        time: Option<Duration>,
    ) -> PyResult<SearchReport> {
        let mut reasoner = self.inner.read(py, Reasoner::clone);
        let clocks = Clocks { start: Duration::MAX, play: time.unwrap_or(Duration::MAX) };
        let game = &self.inner.game;
        let report = interruptible(py, |stop| {
            let observations = reasoner.observations(role, history)?;
            let mut player = reasoner.player(PlayerSpec::Mcts(options))?;
            Ok(ggp::advice(player.as_mut(), (game, role), &observations, clocks, stop)?)
        })?;
        report.map_err(|error: ggp::Error| error::of(py, &error))
    }

    /// The reports as an object of Python.
    fn analysis<'py>(
        &self,
        py: Python<'py>,
        reports: Vec<(Role, SearchReport)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let roles = PyDict::new(py);
        let mut all = None;
        for (role, mut report) in reports {
            let candidates = std::mem::take(&mut report.candidates).into_iter();
            let candidates =
                candidates.map(|one| named(py, "Candidate", (one.mv, one.visits, one.score, one.proven)));
            roles.set_item(self.inner.game.role_name(role), candidates.collect::<PyResult<Vec<_>>>()?)?;
            all.get_or_insert(report);
        }
        let SearchReport { iterations, playouts, nodes, principal, .. } = all.unwrap_or_default();
        named(py, "Analysis", (roles, iterations, playouts, nodes, principal))
    }
}
