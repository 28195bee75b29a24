//! The class `Search`: a tree search.

use crate::error;
use crate::game::{Game, Inner, duration};
use crate::interrupt::interruptible;
use crate::result::named;
use ggp::{Halt, PlayerSpec, Reasoner, SearchLimits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A Monte-Carlo tree search from one state. `Game.search` makes it.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct Search {
    game: Arc<Inner>,
    search: Mutex<ggp::Search>,
}

impl Search {
    pub(crate) fn new(
        py: Python<'_>,
        game: &Arc<Inner>,
        state: &ggp::State,
        player: &str,
    ) -> PyResult<Search> {
        let spec: PlayerSpec =
            player.parse().map_err(|error: ggp::SpecError| PyValueError::new_err(error.to_string()))?;
        let PlayerSpec::Mcts(options) = spec else {
            return Err(PyValueError::new_err("only a player of the kind mcts has a tree"));
        };
        let reasoner = game.read(py, Reasoner::clone);
        let search = py.detach(|| ggp::Search::from_state(&reasoner, &options, state));
        let search = Mutex::new(search.map_err(|error| error::of(py, &error))?);
        Ok(Search { game: Arc::clone(game), search })
    }

    fn lock(&self) -> MutexGuard<'_, ggp::Search> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Search {
    /// Searches until a limit is reached, or everything is proved.
    ///
    /// Args:
    ///     seconds: The time limit.
    ///     iterations: The number of iterations. A search with a seed and this limit alone repeats.
    ///     role: The role of `moves`.
    ///     moves: The only moves of `role` that are searched at the root, as long as one of them can win. All legal moves by
    ///         default.
    ///
    /// Returns:
    ///     Why the search ended.
    ///
    /// Raises:
    ///     ValueError: Without a limit, for a role that the game does not have, or for moves without a role.
    #[pyo3(signature = (*, seconds = None, iterations = None, role = None, moves = None))]
    fn run(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        iterations: Option<u64>,
        role: Option<&Bound<'_, PyAny>>,
        moves: Option<Vec<String>>,
    ) -> PyResult<String> {
        let mut limits = match seconds {
            Some(seconds) => SearchLimits::time(duration(seconds)?),
            None if iterations.is_some() => SearchLimits::default(),
            None => return Err(PyValueError::new_err("give seconds, iterations, or both")),
        };
        limits.iterations = iterations;
        let role = role.map(|role| self.game.role(role)).transpose()?;
        let halt = match (role, moves) {
            (_, None) => interruptible(py, |stop| self.lock().run(&limits.or_when(stop)))?,
            (Some(role), Some(moves)) => {
                interruptible(py, |stop| self.lock().run_among(&limits.or_when(stop), role, &moves))?
            }
            (None, Some(_)) => return Err(PyValueError::new_err("give the role whose moves these are")),
        };
        match halt {
            Halt::Failing(error) => Err(error::of_eval(py, &error)),
            halt => Ok(format!("{halt:?}").to_lowercase()),
        }
    }

    /// The move that the search plays for `role`.
    fn best_move(&self, py: Python<'_>, role: &Bound<'_, PyAny>) -> PyResult<String> {
        let role = self.game.role(role)?;
        py.detach(|| self.lock().best_move(role)).map_err(|error| error::of(py, &error))
    }

    /// The probability with which the search plays each legal move of `role`. Where two roles choose at once, the move is drawn
    /// from the average strategy of regret matching near the end of the game. Further from the end, if the goals of both roles
    /// have a constant sum, it is drawn from an equilibrium of what the search knows of the joint moves. Elsewhere the best
    /// move has probability 1. Empty if the game is over.
    fn strategy(&self, py: Python<'_>, role: &Bound<'_, PyAny>) -> PyResult<BTreeMap<String, f64>> {
        let role = self.game.role(role)?;
        let strategy =
            py.detach(|| self.lock().strategy(role)).map_err(|error| error::of_eval(py, &error))?;
        Ok(strategy.into_iter().collect())
    }

    /// The moves of `role`, best first: a Candidate each, with the `move`, its `visits`, its mean `score` from 0 to 100 or
    /// None, and its `proven` goal or None.
    fn report<'py>(&self, py: Python<'py>, role: &Bound<'_, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let role = self.game.role(role)?;
        let report = py.detach(|| self.lock().report(role));
        let candidates = report.candidates.into_iter();
        candidates.map(|one| named(py, "Candidate", (one.mv, one.visits, one.score, one.proven))).collect()
    }

    /// The number of iterations since the root was set.
    #[getter]
    fn iterations(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.lock().iterations())
    }

    /// Moves the root by a joint move: one text for each role. Keeps the part of the tree below.
    fn advance(&self, py: Python<'_>, joint: Vec<String>) -> PyResult<()> {
        py.detach(|| self.lock().advance(&joint)).map_err(|error| error::of(py, &error))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        py.detach(|| format!("<ggp.Search of {} nodes on {}>", self.lock().nodes(), self.lock_name()))
    }
}

impl Search {
    fn lock_name(&self) -> &'static str {
        ggp::StateMachine::name(&*self.game.reasoner())
    }
}

#[pymethods]
impl Game {
    /// A tree search.
    ///
    /// Args:
    ///     state: The state to search from; the initial one by default.
    ///     player: The search and its options, as the command `ggp` takes them, such as `"mcts:seed=1"`.
    ///
    /// Raises:
    ///     ValueError: In a game of hidden information, and for another player.
    #[pyo3(signature = (state = None, player = "mcts"))]
    fn search(&self, py: Python<'_>, state: Option<&Bound<'_, PyAny>>, player: &str) -> PyResult<Search> {
        let start = self.one_state(py, state)?;
        Search::new(py, &self.inner, &start, player)
    }
}
