//! Methods of `Game` that solve games in which roles do not see everything, or choose at the same time.

use crate::error;
use crate::game::{Game, duration};
use crate::interrupt::interruptible;
use crate::result::named;
use ggp::{Behaviour, Budget, CfrPlus, Deadline, Reasoner, StateMachine, Unfolding};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Computes `work` on a machine of `game`, with `seconds` from now on and `memory` MiB.
fn within<T: Send>(
    py: Python<'_>,
    game: &Game,
    seconds: Option<f64>,
    memory: usize,
    work: impl FnOnce(&mut Reasoner, &Budget<'_>) -> Result<T, ggp::Error> + Send,
) -> PyResult<T> {
    let deadline = seconds.map(duration).transpose()?.map_or(Deadline::never(), Deadline::after);
    let bytes = memory.saturating_mul(1 << 20);
    let mut reasoner = game.inner.read(py, Reasoner::clone);
    let result = interruptible(py, |stop| {
        reasoner.interrupt_on(stop);
        work(&mut reasoner, &Budget { bytes, deadline, stop })
    })?;
    result.map_err(|error| error::of(py, &error))
}

#[pymethods]
impl Game {
    /// Computes an equilibrium of a game of two roles whose goals have a constant sum, by CFR+ on the tree of all
    /// histories. A role knows its own moves and percepts; in a game without percepts, the joint moves.
    ///
    /// Args:
    ///     exploitability: The exploitability at which the computation ends, as a share of the range of goals.
    ///     seconds: The time limit.
    ///     memory: The limit of memory in MiB.
    ///
    /// Returns:
    ///     An Equilibrium: the roles, their expected goals, the exploitability, the number of iterations, and the strategy
    ///     in each information set.
    ///
    /// Raises:
    ///     ValueError: If there are not two such roles, or the tree is too large for the limits.
    #[pyo3(signature = (*, exploitability = 1e-5, seconds = None, memory = 500))]
    fn equilibrium<'py>(
        &self,
        py: Python<'py>,
        exploitability: f64,
        seconds: Option<f64>,
        memory: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !(exploitability > 0.0 && exploitability <= 1.0) {
            return Err(PyValueError::new_err(
                "exploitability is a share of the range of goals, above 0 and at most 1",
            ));
        }
        let (roles, equilibrium, strategy) = within(py, self, seconds, memory, |reasoner, budget| {
            let tree = Unfolding::new(reasoner, budget)?;
            let equilibrium = CfrPlus::new(&tree)?.run(exploitability, budget);
            let strategy: Vec<Behaviour> = equilibrium.behaviour(&tree).collect();
            Ok((tree.players().to_vec(), equilibrium, strategy))
        })?;
        let strategy = strategy.into_iter().map(|set| {
            let moves = PyDict::new(py);
            set.moves.into_iter().try_for_each(|(mv, share)| moves.set_item(mv, share))?;
            named(py, "Behaviour", (set.role, set.history, moves))
        });
        let strategy = strategy.collect::<PyResult<Vec<_>>>()?;
        let members =
            (roles, equilibrium.goals, equilibrium.exploitability, equilibrium.iterations, strategy);
        named(py, "Equilibrium", members)
    }

    /// Computes the best play of the only role of a game against chance, by a search over its beliefs.
    ///
    /// Args:
    ///     seconds: The time limit.
    ///     memory: The limit of memory in MiB.
    ///
    /// Returns:
    ///     A BestPlay: the expected goal, the numbers of beliefs and states, and the moves after each history.
    ///
    /// Raises:
    ///     ValueError: If several roles play, or the game is too large for the limits.
    #[pyo3(signature = (*, seconds = None, memory = 500))]
    fn best_play<'py>(
        &self,
        py: Python<'py>,
        seconds: Option<f64>,
        memory: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let game = &self.inner.game;
        let mut players = game.roles().filter(|&role| game.nature() != Some(role));
        let (Some(role), None) = (players.next(), players.next()) else {
            let message =
                "several roles play: equilibrium() solves games of two, and solve(role) bounds a goal";
            return Err(PyValueError::new_err(message));
        };
        let best = within(py, self, seconds, memory, |reasoner, budget| {
            Ok(ggp::best_play(reasoner, role, budget)?)
        })?;
        let plan = best.plan.into_iter().map(|one| named(py, "PlannedMove", (one.history, one.mv)));
        let plan = plan.collect::<PyResult<Vec<_>>>()?;
        named(py, "BestPlay", (best.value, best.beliefs, best.states, plan))
    }
}
