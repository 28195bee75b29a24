//! Methods of `Game` that answer questions about the rules: counts, explanations, proofs.

use crate::error;
use crate::game::{Game, duration};
use crate::interrupt::interruptible;
use crate::result::named;
use ggp::{Explainer, Reasoner, SearchLimits, StateMachine};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pymethods]
impl Game {
    /// The number of sequences of joint moves of each length from 0 to `depth`.
    #[pyo3(signature = (depth, state = None))]
    fn perft(&self, py: Python<'_>, depth: u32, state: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<u64>> {
        let start = self.one_state(py, state)?;
        let mut reasoner = self.inner.read(py, Reasoner::clone);
        let counts = interruptible(py, |stop| {
            reasoner.interrupt_on(stop);
            ggp::perft_until(&mut reasoner, &start, depth, stop)
        })?;
        counts.map_err(|error| error::of_eval(py, &error))
    }

    /// Explains why a fact, a legal move, a goal or any other atom holds in a state, or what it lacks.
    ///
    /// Args:
    ///     atom: The atom, such as `"(legal red (drop 1))"` or `"terminal"`.
    ///     state: The state; the initial one by default.
    ///     joint: The texts of a joint move, for atoms that depend on it.
    ///
    /// Returns:
    ///     The tree of rules, one line an atom.
    #[pyo3(signature = (atom, state = None, joint = None))]
    fn explain(
        &self,
        py: Python<'_>,
        atom: &str,
        state: Option<&Bound<'_, PyAny>>,
        joint: Option<Vec<String>>,
    ) -> PyResult<String> {
        let start = self.one_state(py, state)?;
        let facts = py.detach(|| self.inner.reasoner().facts_of(&start));
        let facts = facts.map_err(|error| error::of_eval(py, &error))?;
        let explained = py.detach(|| {
            let mut explainer = Explainer::new(&self.inner.game);
            explainer.load(&facts, &joint.unwrap_or_default()).map_err(|error| error.to_string())?;
            explainer.explain(atom).map_err(|error| error.to_string())
        });
        Ok(explained.map_err(PyValueError::new_err)?.tree())
    }

    /// Proves what a role can make sure of.
    ///
    /// Args:
    ///     role: The role.
    ///     state: The state; the initial one by default.
    ///     seconds: The time limit. Without one the proof ends when nothing more can be proved.
    ///     memory: The limit of memory in MiB.
    ///
    /// Returns:
    ///     A Proof: the proven lower and upper bound of the goal, from 0 to 100, a move that makes sure of the lower bound
    ///     or None, and the number of states that were expanded.
    ///
    /// Raises:
    ///     ValueError: In a game of hidden information; `equilibrium` and `best_play` solve those.
    #[pyo3(signature = (role, state = None, *, seconds = None, memory = 256))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        role: &Bound<'_, PyAny>,
        state: Option<&Bound<'_, PyAny>>,
        seconds: Option<f64>,
        memory: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let role = self.inner.role(role)?;
        let start = self.one_state(py, state)?;
        let reasoner = self.inner.read(py, Reasoner::clone);
        let limits = match seconds {
            Some(seconds) => SearchLimits::time(duration(seconds)?),
            None => SearchLimits::default(),
        };
        let proof = interruptible(py, |stop| {
            let limits = limits.or_when(stop);
            ggp::solve(&reasoner, &start, role, memory.saturating_mul(1 << 20), &limits)
        })?;
        let proof = proof.map_err(|error| error::of(py, &error))?;
        named(py, "Proof", (proof.low, proof.high, proof.best, proof.states))
    }
}
