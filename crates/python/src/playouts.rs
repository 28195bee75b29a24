//! Methods of `Game` that work on many states at once: playouts and successors.

use crate::array::Output;
use crate::error;
use crate::game::Game;
use crate::interrupt::interruptible;
use ggp::{PlayoutPlan, Reasoner};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pymethods]
impl Game {
    /// Plays random playouts.
    ///
    /// Args:
    ///     n: The number of playouts from each state.
    ///     states: A State, a list of them, or a uint64 array of packed states. The initial state by default.
    ///     seed: The seed. Playout i uses the random stream i of the seed, as `ggp bench` does.
    ///     threads: The number of threads. It changes no result.
    ///     max_steps: The number of steps after which a playout is cut off.
    ///
    /// Returns:
    ///     A tuple of the mean goals from each state, a float64 array of shape (states, roles) with values from 0 to 100;
    ///     the number of steps; the checksum that `ggp bench` prints; and the number of playouts without an end.
    #[pyo3(signature = (n, states = None, *, seed = 0, threads = 1, max_steps = None))]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        n: usize,
        states: Option<&Bound<'py, PyAny>>,
        seed: u64,
        threads: usize,
        max_steps: Option<u32>,
    ) -> PyResult<(Bound<'py, PyAny>, u64, String, u64)> {
        if n == 0 || !(1..=256).contains(&threads) {
            return Err(PyValueError::new_err("n must be at least 1, and threads 1 to 256"));
        }
        let starts = self.states(py, states)?;
        starts
            .len()
            .checked_mul(n)
            .filter(|&all| all <= 1 << 48)
            .ok_or_else(|| PyValueError::new_err("too many playouts: at most 2^48"))?;
        let reasoner = self.inner.read(py, Reasoner::clone);
        let mut plan = PlayoutPlan { per_start: n, ..PlayoutPlan::new(seed) };
        plan.max_steps = max_steps.unwrap_or(plan.max_steps);
        let tally = interruptible(py, |stop| reasoner.tally(&starts, plan, threads, stop))?;
        let tally = tally.map_err(|error| error::of_eval(py, &error))?;
        let shape = [starts.len(), self.inner.game.role_count()];
        let means = Output::<f64>::new(py, None, &shape, "float64")?;
        let means = means.fill(
            py,
            |out| {
                out.iter_mut().zip(&tally.goal_sums).for_each(|(mean, &sum)| *mean = sum as f64 / n as f64);
                Ok::<_, ()>(())
            },
            |()| PyValueError::new_err("unreachable"),
        )?;
        Ok((means, tally.counts.steps, format!("{:016x}", tally.counts.checksum), tally.unfinished))
    }

    /// All successors of states.
    ///
    /// Args:
    ///     states: A State, a list of them, or a uint64 array of packed states.
    ///
    /// Returns:
    ///     A tuple of three arrays. The first, int64 of shape (states + 1,), says where the successors of each state begin
    ///     and end in the other two: the joint actions, int32 of shape (successors, roles), and the successors, packed,
    ///     uint64 of shape (successors, words). Terminal states have none.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    ///     ValueError: If there are more than 2^24 successors.
    fn expand<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let starts = self.states(py, Some(states))?;
        let reasoner = self.inner.read(py, Reasoner::clone);
        let found = interruptible(py, |stop| reasoner.expand(&starts, stop))?;
        let found = found.map_err(|error| error::of_batch(py, &error))?;
        let (roles, words) = (self.inner.game.role_count(), self.words(py)?);
        let count = found.successors.len() / words.max(1);
        let unreachable = |()| PyValueError::new_err("unreachable");
        let begins = Output::<i64>::new(py, None, &[found.begins.len()], "int64")?.fill(
            py,
            |out| {
                out.iter_mut().zip(&found.begins).for_each(|(out, &at)| *out = (at as u64).cast_signed());
                Ok(())
            },
            unreachable,
        )?;
        let actions = Output::<i32>::new(py, None, &[count, roles], "int32")?.fill(
            py,
            |out| {
                out.copy_from_slice(&found.actions);
                Ok(())
            },
            unreachable,
        )?;
        let successors = Output::<u64>::new(py, None, &[count, words], "uint64")?.fill(
            py,
            |out| {
                out.copy_from_slice(&found.successors);
                Ok(())
            },
            unreachable,
        )?;
        Ok((begins, actions, successors))
    }
}
