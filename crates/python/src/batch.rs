//! The class `Batch`: many episodes of a game, which step together.

use crate::array::{Output, input, wrong_shape};
use crate::error;
use crate::game::{Game, Inner};
use crate::interrupt::interruptible;
use crate::state::State;
use ggp::{BatchError, BatchOptions, Illegal, Opponents, Reasoner, Seeds};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Many episodes of a game, one in each lane, which step together. `Game.batch` makes it.
///
/// An episode is one play of the game. Where it is over, its lane keeps the last state until `reset` or `reset_ended`
/// begins the lane's next episode. An action of a role is the index of a move in `game.moves(role)`. In a game without a
/// network it is the rank of the move among the role's legal moves, and `observe` and masks are not available.
///
/// Arrays go lane after lane. n is the number of lanes, R the number of roles.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct Batch {
    pub(crate) game: Arc<Inner>,
    inner: Mutex<ggp::Batch>,
    pub(crate) lanes: usize,
    pub(crate) roles: usize,
    /// The number of fluents. `None` without a network.
    pub(crate) fluents: Option<usize>,
    /// For each role, the number of its moves. Empty without a network.
    pub(crate) moves: Vec<usize>,
    threads: usize,
    /// The process that has the threads.
    process: u32,
}

impl Batch {
    pub(crate) fn new(game: &Bound<'_, Game>, lanes: usize, options: &BatchOptions) -> PyResult<Batch> {
        let (py, inner) = (game.py(), Arc::clone(&game.get().inner));
        let reasoner = inner.read(py, Reasoner::clone);
        let batch = py.detach(|| ggp::Batch::new(&reasoner, lanes, options));
        let batch = batch.map_err(|error| error::of_batch(py, &error))?;
        let moves = inner.game.roles().filter_map(|role| Some(reasoner.moves(role)?.len())).collect();
        let fluents = reasoner.fluents().map(|fluents| fluents.len());
        let (roles, threads, process) = (batch.roles(), options.threads, std::process::id());
        Ok(Batch { game: inner, inner: Mutex::new(batch), lanes, roles, fluents, moves, threads, process })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, ggp::Batch> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a batch with threads in a process that has been forked off.
    pub(crate) fn check_process(&self) -> PyResult<()> {
        if self.threads > 1 && self.process != std::process::id() {
            let message = "the threads of this batch are those of the process that made it: make the batch after the \
                           fork, or with threads=1";
            return Err(PyRuntimeError::new_err(message));
        }
        Ok(())
    }

    /// Fills a new array of `shape`, or `out`.
    pub(crate) fn filled<'py, T: numpy::Element + Send>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
        shape: &[usize],
        dtype: &str,
        fill: impl FnOnce(&mut ggp::Batch, &mut [T]) -> Result<(), BatchError> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_process()?;
        let output = Output::new(py, out, shape, dtype)?;
        output.fill(
            py,
            |out| fill(&mut self.lock(), out),
            |error| Python::attach(|py| error::of_batch(py, &error)),
        )
    }

    pub(crate) fn without_network(&self, py: Python<'_>) -> PyErr {
        let error = error::of_batch(py, &BatchError::NoNetwork);
        if let Some(why) = self.game.fallback(py) {
            let note = pyo3::types::PyString::new(py, &format!("why it has none: {why}"));
            let _ = error.value(py).call_method1("add_note", (note,));
        }
        error
    }

    /// One action for each lane and role. `given` has one for each lane, that of the role whose turn it is, or one for
    /// each lane and role.
    fn actions(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        let (items, shape) = input::<i64>(given, "actions", "iu", "int64")?;
        if shape == [self.lanes, self.roles] {
            return Ok(items.into_iter().map(clamp).collect());
        }
        if shape != [self.lanes] {
            return Err(wrong_shape("actions", &shape, &[&[self.lanes], &[self.lanes, self.roles]]));
        }
        let mut actions = vec![-1; self.lanes * self.roles];
        let mut turns = vec![-1; self.lanes];
        given.py().detach(|| self.lock().write_turns(&mut turns));
        for (lane, (&turn, action)) in turns.iter().zip(items).enumerate() {
            if let Ok(role) = usize::try_from(turn) {
                actions[lane * self.roles + role] = clamp(action);
            }
        }
        Ok(actions)
    }
}

/// An action as 32 bits. Negative ones stand for none.
fn clamp(action: i64) -> i32 {
    action.clamp(-1, i64::from(i32::MAX)) as i32
}

#[pymethods]
impl Batch {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game { inner: Arc::clone(&self.game) }
    }

    /// The number of lanes.
    fn __len__(&self) -> usize {
        self.lanes
    }

    /// The number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// Makes a step in each lane whose episode is not over.
    ///
    /// Args:
    ///     actions: An integer array of shape (n,) with the action of the role whose turn it is (`current_player`), or of
    ///         shape (n, R) with one action for each role. In the latter, -1 stands for the only legal move of a role, and
    ///         for a drawn move if the role is chance. In lanes whose episodes are over, actions do not count. Without
    ///         actions, every role makes a random legal move.
    ///
    /// Raises:
    ///     IllegalMoveError: If an action is not legal, or missing, and `illegal="raise"`. No lane has stepped then.
    ///     TypeError, ValueError: If the dtype or the shape is wrong.
    #[pyo3(signature = (actions = None))]
    fn step(&self, py: Python<'_>, actions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.check_process()?;
        let actions = actions.map(|actions| self.actions(actions)).transpose()?;
        py.detach(|| self.lock().step(actions.as_deref())).map_err(|error| error::of_batch(py, &error))
    }

    /// Makes steps until `role` is asked in each lane whose episode is not over: until it has a choice, or, in a game of
    /// hidden information, has got percepts, which the next step would replace. Opponents choose the other moves.
    ///
    /// Args:
    ///     role: The role.
    ///     actions: An integer array of shape (n,) with the role's action in each lane. Without it, lanes in which the role
    ///         is asked make no step: it is for new episodes, in which others move first.
    ///     opponents: `"random"`, or a search with a number of iterations, such as `"mcts:iterations=200"`. In a game of
    ///         hidden information it is an information-set search, which knows only what its role has seen.
    ///
    /// `rewards` are those of all these steps together.
    ///
    /// Raises:
    ///     IllegalMoveError: As `step`.
    ///     ValueError: For other opponents, and if opponents that search have not seen all steps of an episode.
    #[pyo3(signature = (role, actions = None, opponents = "random"))]
    fn step_against(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        actions: Option<&Bound<'_, PyAny>>,
        opponents: &str,
    ) -> PyResult<()> {
        self.check_process()?;
        let role = self.game.role(role)?;
        let opponents: Opponents = opponents
            .parse()
            .map_err(|error: ggp::UnfitOpponents| PyValueError::new_err(error.to_string()))?;
        let actions = match actions {
            None => None,
            Some(given) => {
                let (items, shape) = input::<i64>(given, "actions", "iu", "int64")?;
                if shape != [self.lanes] {
                    return Err(wrong_shape("actions", &shape, &[&[self.lanes]]));
                }
                Some(items.into_iter().map(clamp).collect::<Vec<i32>>())
            }
        };
        let work =
            |stop: &ggp::StopToken| self.lock().step_against(role, actions.as_deref(), &opponents, stop);
        let outcome = interruptible(py, work)?;
        outcome.map_err(|error| error::of_batch(py, &error))
    }

    /// Begins the next episode in the lanes of `mask`, a bool array of shape (n,); in all lanes by default.
    #[pyo3(signature = (mask = None))]
    fn reset(&self, py: Python<'_>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(mask) = mask else {
            py.detach(|| self.lock().reset(|_| true));
            return Ok(());
        };
        let (mask, shape) = input::<bool>(mask, "mask", "b", "bool")?;
        if shape != [self.lanes] {
            return Err(wrong_shape("mask", &shape, &[&[self.lanes]]));
        }
        py.detach(|| self.lock().reset(|lane| mask[lane]));
        Ok(())
    }

    /// Begins the next episode in each lane whose episode is over.
    fn reset_ended(&self, py: Python<'_>) {
        py.detach(|| self.lock().reset_ended());
    }

    /// Begins the first episode of `seed` in all lanes.
    ///
    /// Args:
    ///     seed: The seed.
    ///     by_lane: Whether lane i draws as lane 0 of the seed `seed + i`.
    #[pyo3(signature = (seed, *, by_lane = false))]
    fn restart(&self, py: Python<'_>, seed: u64, by_lane: bool) {
        let seeds = if by_lane { Seeds::ByLane } else { Seeds::One };
        py.detach(|| self.lock().restart(seed, seeds));
    }

    /// Makes random steps until all episodes are over.
    ///
    /// Returns:
    ///     The goals, a uint8 array of shape (n, R) with values from 0 to 100.
    fn rollout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check_process()?;
        interruptible(py, |stop| self.lock().roll_out(stop))?.map_err(|error| error::of_batch(py, &error))?;
        self.goals(py)
    }

    /// The state of one lane.
    fn state(&self, py: Python<'_>, lane: usize) -> PyResult<State> {
        if lane >= self.lanes {
            let message = format!("there is no lane {lane}; there are {}", self.lanes);
            return Err(pyo3::exceptions::PyIndexError::new_err(message));
        }
        let state = py.detach(|| self.lock().state(lane, &mut self.game.reasoner()));
        Ok(State::new(&self.game, state.map_err(|error| error::of_eval(py, &error))?))
    }

    fn __repr__(&self) -> String {
        format!("<ggp.Batch of {} lanes of {}>", self.lanes, self.game().name_of())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a batch does not pickle: pickle batch.game and the packed states, batch.pack()",
        ))
    }
}

#[pymethods]
impl Game {
    /// Many episodes of this game, which step together.
    ///
    /// Args:
    ///     n: The number of lanes, each of which has one episode at a time.
    ///     seed: The seed of all draws. An episode's draws depend on the seed, its lane and its number in the lane alone.
    ///     threads: The number of threads. It changes no result.
    ///     max_steps: The number of steps after which an episode is truncated.
    ///     illegal: `"raise"` if an illegal action raises and no lane steps, `"end"` if it ends its episode: the role at
    ///         fault gets the goal 0, the others get 100.
    ///
    /// Raises:
    ///     ValueError: For too many lanes, and for none.
    #[pyo3(signature = (n, seed = 0, threads = 1, *, max_steps = None, illegal = "raise"))]
    fn batch(
        slf: &Bound<'_, Self>,
        n: usize,
        seed: u64,
        threads: usize,
        max_steps: Option<u32>,
        illegal: &str,
    ) -> PyResult<Batch> {
        let illegal = match illegal {
            "raise" => Illegal::IsRefused,
            "end" => Illegal::EndsEpisode,
            other => {
                return Err(PyValueError::new_err(format!(
                    "illegal is \"raise\" or \"end\", not \"{other}\""
                )));
            }
        };
        if !(1..=256).contains(&threads) {
            return Err(PyValueError::new_err(format!("threads must be 1 to 256, not {threads}")));
        }
        Batch::new(slf, n, &BatchOptions { seed, threads, max_steps, illegal })
    }
}
