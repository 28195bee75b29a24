//! The class `Trees`: tree searches in lockstep, for `ggp.search`.

use crate::array::{Output, input, wrong_shape};
use crate::error;
use crate::game::{Game, Inner};
use ggp::{BatchError, Reasoner, Role, Root, TreeOptions};
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

    /// Fills the array `out` by `write`.
    fn written<T: numpy::Element + Send>(
        &self,
        py: Python<'_>,
        out: Bound<'_, PyAny>,
        shape: &[usize],
        dtype: &str,
        write: impl FnOnce(&ggp::Trees, &mut [T]) + Send,
    ) -> PyResult<()> {
        let output = Output::new(py, Some(out), shape, dtype)?;
        let fill = |out: &mut [T]| {
            write(&self.lock(), out);
            Ok(())
        };
        let failed = |error: BatchError| Python::attach(|py| error::of_batch(py, &error));
        output.fill(py, fill, failed).map(|_| ())
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

    /// Descends until `capacity` leaves wait, or a round is over.
    ///
    /// Returns:
    ///     The number of leaves, 0 once all simulations are done.
    fn descend(&self, py: Python<'_>, capacity: usize) -> PyResult<usize> {
        py.detach(|| self.lock().descend(capacity)).map_err(|error| error::of_batch(py, &error))
    }

    /// Writes the facts of the leaves into `out`, a bool array of shape (capacity, F).
    fn write_facts(&self, py: Python<'_>, out: Bound<'_, PyAny>) -> PyResult<()> {
        let shape = [out.len()?, self.fluents];
        self.written(py, out, &shape, "bool", |trees, out: &mut [u8]| trees.write_facts(out))
    }

    /// Writes the facts of the leaves as planes into `out`, a float32 array of shape (capacity, C, height, width).
    fn write_planes(&self, py: Python<'_>, out: Bound<'_, PyAny>) -> PyResult<()> {
        let planes = self.game.planes(py)?;
        let shape = [out.len()?, planes.names.len(), planes.height, planes.width];
        self.written(py, out, &shape, "float32", |trees, out: &mut [f32]| trees.write_planes(planes, out))
    }

    /// Writes the legal actions of all roles in the leaves into `out`, a bool array of shape (capacity, R, A).
    fn write_legal(&self, py: Python<'_>, out: Bound<'_, PyAny>) -> PyResult<()> {
        let shape = [out.len()?, self.roles, self.width];
        self.written(py, out, &shape, "bool", |trees, out: &mut [u8]| trees.write_legal(out))
    }

    /// Takes the policies and values of the leaves.
    ///
    /// Args:
    ///     logits: A float array of shape (leaves, R, A).
    ///     values: A float array of shape (leaves, R), from 0 to 1.
    ///
    /// Raises:
    ///     ValueError: If there is not one row for each leaf that waits, or a value is not finite.
    fn update(&self, py: Python<'_>, logits: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let (logits, shape) = input::<f32>(logits, "logits", "f", "float32")?;
        let count = py.detach(|| self.lock().waiting());
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
        let is_taken = py.detach(|| {
            let mut trees = self.lock();
            // Another thread may have updated the trees since the check of the shapes.
            let is_same = trees.waiting() == count;
            if is_same {
                trees.update(&logits, &values);
            }
            is_same
        });
        if is_taken { Ok(()) } else { Err(PyValueError::new_err("another thread has updated these leaves")) }
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
        let starts = self.states(py, Some(states))?;
        let reasoner = self.inner.read(py, Reasoner::clone);
        let root = considered.map_or(Root::Puct, Root::Gumbel);
        let options = TreeOptions { simulations, exploration, root, seed };
        let trees = py.detach(|| ggp::Trees::new(&reasoner, &starts, &options));
        let trees = trees.map_err(|error| error::of_batch(py, &error))?;
        let fluents = reasoner.fluents().map_or(0, |fluents| fluents.len());
        let (roles, width) = trees.shape();
        Ok(Trees { game: Arc::clone(&self.inner), inner: Mutex::new(trees), fluents, roles, width })
    }
}
