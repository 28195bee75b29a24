//! The class `Trees`: tree searches in lockstep, for `ggp.search`.

use crate::array::{Output, input, wrong_shape};
use crate::error;
use crate::game::{Game, Inner};
use ggp::{BatchError, Role, Root, TreeOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tree searches from many states in lockstep. `ggp.search` makes and runs them.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct Trees {
    game: Arc<Inner>,
    inner: Mutex<ggp::Trees>,
    fluents: usize,
    roles: usize,
    width: usize,
}

impl Trees {
    fn lock(&self) -> MutexGuard<'_, ggp::Trees> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An array with `width` items for each tree and role, which `each` gives.
    fn array<'py, T: numpy::Element + Copy + Send>(
        &self,
        py: Python<'py>,
        width: Option<usize>,
        dtype: &str,
        each: impl Fn(&ggp::Trees, usize, Role, &mut [T]) + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let trees = self.lock().len();
        let mut shape = vec![trees, self.roles];
        shape.extend(width);
        let width = width.unwrap_or(1);
        Output::new(py, None, &shape, dtype)?.fill(
            py,
            |out: &mut [T]| {
                let lock = self.lock();
                for (at, out) in out.chunks_mut(width.max(1)).enumerate() {
                    each(&lock, at / self.roles, Role((at % self.roles) as u8), out);
                }
                Ok(())
            },
            |error: BatchError| Python::attach(|py| error::of_batch(py, &error)),
        )
    }
}

#[pymethods]
impl Trees {
    /// The number of roles, and the largest number of moves of a role.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.roles, self.width)
    }

    /// Descends until `capacity` leaves wait, or a round is over, and writes them.
    ///
    /// Args:
    ///     rows: A bool array of shape (capacity, F) for the facts of the leaves.
    ///     mask: A bool array of shape (capacity, R, A) for the legal actions of all roles.
    ///
    /// Returns:
    ///     The number of leaves, 0 once all simulations are done.
    fn descend(&self, py: Python<'_>, rows: Bound<'_, PyAny>, mask: Bound<'_, PyAny>) -> PyResult<usize> {
        let capacity = rows.len()?;
        let rows = Output::<u8>::new(py, Some(rows), &[capacity, self.fluents], "bool")?;
        let mask = Output::<u8>::new(py, Some(mask), &[capacity, self.roles, self.width], "bool")?;
        let failed = |error: BatchError| Python::attach(|py| error::of_batch(py, &error));
        let mut count = 0;
        let mut legal = vec![0; capacity * self.roles * self.width];
        rows.fill(
            py,
            |rows| {
                let mut trees = self.lock();
                count = trees.descend(capacity)?;
                trees.write_leaves(rows, &mut legal);
                Ok(())
            },
            failed,
        )?;
        mask.fill(
            py,
            |mask| {
                mask.copy_from_slice(&legal);
                Ok(())
            },
            failed,
        )?;
        Ok(count)
    }

    /// Takes the policies and values of the leaves.
    ///
    /// Args:
    ///     logits: A float array of shape (leaves, R, A).
    ///     values: A float array of shape (leaves, R), from 0 to 1.
    fn update(&self, py: Python<'_>, logits: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let (logits, shape) = input::<f32>(logits, "logits", "f", "float32")?;
        let count = shape.first().copied().unwrap_or(0);
        if shape != [count, self.roles, self.width] {
            return Err(wrong_shape("logits", &shape, &[&[count, self.roles, self.width]]));
        }
        let (values, shape) = input::<f32>(values, "values", "f", "float32")?;
        if shape != [count, self.roles] {
            return Err(wrong_shape("values", &shape, &[&[count, self.roles]]));
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err(PyValueError::new_err("values must be finite"));
        }
        py.detach(|| self.lock().update(&logits, &values));
        Ok(())
    }

    /// The visits of all actions at the roots: int32, of shape (trees, R, A).
    fn visits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Some(self.width), "int32", |trees, tree, role, out: &mut [i32]| {
            let visits = trees.visits(tree, role);
            out.iter_mut().zip(visits).for_each(|(out, visits)| *out = visits.cast_signed());
        })
    }

    /// The recommended policies at the roots: float32, of shape (trees, R, A).
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Some(self.width), "float32", |trees, tree, role, out: &mut [f32]| {
            out.copy_from_slice(&trees.policy(tree, role));
        })
    }

    /// The mean values of the roots: float32, of shape (trees, R).
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, None, "float32", |trees, tree, role, out: &mut [f32]| out[0] = trees.value(tree, role))
    }

    /// The recommended actions: int32, of shape (trees, R). -1 where the game is over.
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, None, "int32", |trees, tree, role, out: &mut [i32]| {
            out[0] = trees.best(tree, role).map_or(-1, u32::cast_signed);
        })
    }

    fn __repr__(&self) -> String {
        format!("<ggp.Trees of {} states of {}>", self.lock().len(), self.game.name)
    }
}

#[pymethods]
impl Game {
    /// Tree searches from `states`, for `ggp.search`.
    #[pyo3(signature = (states, *, simulations, exploration, considered, seed))]
    fn _trees(
        &self,
        py: Python<'_>,
        states: &Bound<'_, PyAny>,
        simulations: usize,
        exploration: f32,
        considered: Option<usize>,
        seed: u64,
    ) -> PyResult<Trees> {
        let starts = self.states(Some(states))?;
        let reasoner = self.inner.reasoner().clone();
        let root = considered.map_or(Root::Puct, Root::Gumbel);
        let options = TreeOptions { simulations, exploration, root, seed };
        let trees = py.detach(|| ggp::Trees::new(&reasoner, &starts, &options));
        let trees = trees.map_err(|error| error::of_batch(py, &error))?;
        let fluents = reasoner.fluents().map_or(0, |fluents| fluents.len());
        let (roles, width) = trees.shape();
        Ok(Trees { game: Arc::clone(&self.inner), inner: Mutex::new(trees), fluents, roles, width })
    }
}
