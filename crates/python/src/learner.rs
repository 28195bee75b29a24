//! The class `PolicyLearner`: learning a game in several processes, for `ggp.ray.learn`.

use crate::error;
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::result::named;
use ggp::{Generation, Lesson, MctsOptions, Reasoner};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What `ggp learn` does, in parts for several processes: some play matches of self-play, and one learns from them. Lessons
/// and matches go from one to the other as bytes.
///
/// It goes on from `lesson`, if there is one, or else from what the file `knowledge` holds of the game.
///
/// Args:
///     game: The game.
///     lesson: What another learner has given.
///     knowledge: A file that `ggp learn` or `write` has written, or a new one.
///     seed: The seed of the random numbers.
///     iterations: The iterations of a search of self-play; 300 by default, 1,000 at most.
///
/// Raises:
///     ValueError: If the game cannot be learnt, and for a bad lesson or file.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct PolicyLearner(Mutex<ggp::Learner>);

impl PolicyLearner {
    fn lock(&self) -> MutexGuard<'_, ggp::Learner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exception for bytes that are no match of the game.
fn foreign() -> PyErr {
    PyValueError::new_err(
        "this is no match of this game, or the network of its process has another order of fluents",
    )
}

#[pymethods]
impl PolicyLearner {
    #[new]
    #[pyo3(signature = (game, lesson = None, knowledge = None, *, seed = 0, iterations = None))]
    fn new(
        py: Python<'_>,
        game: &Game,
        lesson: Option<&[u8]>,
        knowledge: Option<PathBuf>,
        seed: u64,
        iterations: Option<u64>,
    ) -> PyResult<PolicyLearner> {
        let reasoner = game.inner.read(py, Reasoner::clone);
        let known = match (lesson, knowledge) {
            (Some(bytes), _) => {
                Some(Lesson::from_bytes(bytes).ok_or_else(|| PyValueError::new_err("this is no lesson"))?)
            }
            (None, Some(file)) => ggp::Learner::known(&file, &game.inner.game)
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
            (None, None) => None,
        };
        let options = MctsOptions { seed: Some(seed), iterations, ..MctsOptions::default() };
        let learner = py.detach(|| ggp::Learner::new(&reasoner, &options, known.as_ref()));
        let learner = learner.map_err(|error| error::of(py, &error))?.ok_or_else(|| {
            PyValueError::new_err(
                "this game cannot be learnt: only games of several roles with a network of not too many fluents can be",
            )
        })?;
        Ok(PolicyLearner(Mutex::new(learner)))
    }

    /// What has been learnt so far, for a learner in another process.
    fn lesson<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.lock().lesson().to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// Puts what has been learnt so far into the file `knowledge`, in the place of what it says of this game.
    fn write(&self, py: Python<'_>, knowledge: PathBuf) -> PyResult<()> {
        let written = py.detach(|| self.lock().write(&knowledge));
        written.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Plays one match of self-play. It follows from the lesson and `seed`.
    fn play<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyBytes>> {
        let played = interruptible(py, |stop| self.lock().play(seed, stop))?;
        Ok(PyBytes::new(py, &played.map_err(|error| error::of_eval(py, &error))?))
    }

    /// Keeps a match that `play` has given, here or elsewhere, as training data.
    fn keep(&self, py: Python<'_>, played: &[u8]) -> PyResult<()> {
        if py.detach(|| self.lock().keep(played)) { Ok(()) } else { Err(foreign()) }
    }

    /// Keeps the last matches that the lesson has counted already, the oldest first.
    fn recall(&self, py: Python<'_>, played: Vec<Vec<u8>>) -> PyResult<()> {
        if py.detach(|| self.lock().recall(&played)) { Ok(()) } else { Err(foreign()) }
    }

    /// Trains with all matches that are kept, and tests the policy.
    fn end_generation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let generation = interruptible(py, |stop| self.lock().end_generation(stop))?;
        generation_of(py, &generation)
    }

    /// The tests of the generations so far, the oldest first.
    #[getter]
    fn generations<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let lesson = py.detach(|| self.lock().lesson());
        lesson.generations().iter().map(|one| generation_of(py, one)).collect()
    }

    /// Whether players use the policy: it has passed its last test, and does not lose against the search without it.
    #[getter]
    fn is_used(&self, py: Python<'_>) -> bool {
        py.detach(|| self.lock().lesson().is_used())
    }

    /// Begins a trial. Returns whether it is worth its time: whether the policy has passed its last test.
    fn begin_trial(&self, py: Python<'_>) -> bool {
        py.detach(|| self.lock().begin_trial())
    }

    /// Plays a match for each seat after the same opening, of a search with the policy against searches without it. Returns
    /// the shares of the policy: half of 1 plus its goal minus the mean goal of the others, in shares.
    fn contest(&self, py: Python<'_>, opening: u64) -> PyResult<Vec<f64>> {
        let shares = interruptible(py, |stop| self.lock().contest(opening, stop))?;
        shares.map_err(|error| error::of_eval(py, &error))
    }

    /// Ends a trial whose matches had these shares. Players use the policy only if it has not lost. Too few matches
    /// decide nothing: what was known remains.
    fn end_trial(&self, py: Python<'_>, shares: Vec<f64>) -> PyResult<()> {
        if shares.iter().any(|share| !share.is_finite()) {
            return Err(PyValueError::new_err("shares must be finite"));
        }
        py.detach(|| self.lock().end_trial(&shares));
        Ok(())
    }
}

fn generation_of<'py>(py: Python<'py>, one: &Generation) -> PyResult<Bound<'py, PyAny>> {
    let members = (one.matches, one.descents, one.samples, one.by_history, one.by_policy, one.passes());
    named(py, "Generation", members)
}
