//! The class `Batch`: many episodes of a game, which step together.

use crate::array::{Output, input, wrong_shape};
use crate::error;
use crate::game::{Game, Inner};
use crate::interrupt::interruptible;
use crate::state::State;
use ggp::{BatchError, BatchOptions, Illegal, Opponents, Role, Rows, Seeds};
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
    game: Arc<Inner>,
    inner: Mutex<ggp::Batch>,
    lanes: usize,
    roles: usize,
    /// The number of fluents. `None` without a network.
    fluents: Option<usize>,
    /// For each role, the number of its moves. Empty without a network.
    moves: Vec<usize>,
    threads: usize,
    /// The process that has the threads.
    process: u32,
}

impl Batch {
    pub(crate) fn new(game: &Bound<'_, Game>, lanes: usize, options: &BatchOptions) -> PyResult<Batch> {
        let (py, inner) = (game.py(), Arc::clone(&game.get().inner));
        let reasoner = inner.reasoner().clone();
        let batch = py.detach(|| ggp::Batch::new(&reasoner, lanes, options));
        let batch = batch.map_err(|error| error::of_batch(py, &error))?;
        let moves = inner.game.roles().filter_map(|role| Some(reasoner.moves(role)?.len())).collect();
        let fluents = reasoner.fluents().map(|fluents| fluents.len());
        let (roles, threads, process) = (batch.roles(), options.threads, std::process::id());
        Ok(Batch { game: inner, inner: Mutex::new(batch), lanes, roles, fluents, moves, threads, process })
    }

    fn lock(&self) -> MutexGuard<'_, ggp::Batch> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a batch with threads in a process that has been forked off.
    fn check_process(&self) -> PyResult<()> {
        if self.threads > 1 && self.process != std::process::id() {
            let message = "the threads of this batch are those of the process that made it: make the batch after the \
                           fork, or with threads=1";
            return Err(PyRuntimeError::new_err(message));
        }
        Ok(())
    }

    /// Fills a new array of `shape`, or `out`.
    fn filled<'py, T: numpy::Element + Send>(
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

    fn without_network(&self, py: Python<'_>) -> PyErr {
        let error = error::of_batch(py, &BatchError::NoNetwork);
        if let Some(why) = self.game.reasoner().fallback() {
            let note = pyo3::types::PyString::new(py, &format!("why it has none: {why}"));
            let _ = error.value(py).call_method1("add_note", (note,));
        }
        error
    }

    fn fluents(&self, py: Python<'_>) -> PyResult<usize> {
        self.fluents.ok_or_else(|| self.without_network(py))
    }

    /// The number of columns of a mask.
    fn width(&self, py: Python<'_>, rows: Rows) -> PyResult<usize> {
        let width = match rows {
            Rows::Of(role) => self.moves.get(role.index()).copied(),
            Rows::OfTurns => self.moves.iter().copied().max(),
        };
        width.ok_or_else(|| self.without_network(py))
    }

    fn rows(&self, role: Option<&Bound<'_, PyAny>>) -> PyResult<Rows> {
        role.map_or(Ok(Rows::OfTurns), |role| Ok(Rows::Of(self.game.role(role)?)))
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

    /// Makes steps until `role` has a choice in each lane whose episode is not over; opponents choose the other moves.
    ///
    /// Args:
    ///     role: The role.
    ///     actions: An integer array of shape (n,) with the role's action in each lane. Without it, lanes in which the role
    ///         has a choice make no step: it is for new episodes, in which others move first.
    ///     opponents: `"random"`, or a search with a number of iterations, such as `"mcts:iterations=200"`.
    ///
    /// `rewards` are those of all these steps together.
    ///
    /// Raises:
    ///     IllegalMoveError: As `step`.
    ///     ValueError: For other opponents, and in a game of hidden information.
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
        let outcome = match opponents {
            Opponents::Random => py.detach(|| work(&ggp::StopToken::new())),
            Opponents::Search(..) => interruptible(py, work)?,
        };
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

    /// The facts of all lanes.
    ///
    /// Args:
    ///     layout: `"rows"` for one row of fluents a lane, shape (n, F); `"facts"` for one row of lanes a fluent, shape
    ///         (F, n); `"packed"` for bits, a uint64 array of shape (n, ceil(F / 64)), lowest bit first. F is
    ///         `len(game.fluents)`.
    ///     dtype: `"bool"`, `"uint8"` or `"float32"`. Packed rows are always uint64.
    ///     out: An array of that shape and dtype to fill, instead of a new one.
    ///     role: The role that observes. It makes a difference in a game of hidden information alone: the columns are then
    ///         the percepts of `game.percepts(role)`, of which each lane shows those of its last step, and the layout must
    ///         be `"rows"`. Without a role everything is shown.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    #[pyo3(signature = (layout = "rows", dtype = "bool", out = None, *, role = None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        layout: &str,
        dtype: &str,
        out: Option<Bound<'py, PyAny>>,
        role: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let fluents = self.fluents(py)?;
        let observer = role.map(|role| self.game.role(role)).transpose()?;
        let observer = observer.filter(|_| self.game.game.has_percepts());
        let is_float = match dtype {
            "bool" | "uint8" => false,
            "float32" => true,
            _ => return Err(PyValueError::new_err(format!("dtype is bool, uint8 or float32, not {dtype}"))),
        };
        let percepts = observer.and_then(|role| Some(self.game.reasoner().percepts_of(role)?.len()));
        let (shape, is_rows) = match layout {
            "rows" if percepts.is_some() => ([self.lanes, percepts.unwrap_or(0)], true),
            "facts" | "packed" if percepts.is_some() => {
                return Err(PyValueError::new_err("what a role observes has the layout rows"));
            }
            "packed" => {
                let words = fluents.div_ceil(64);
                return self.filled(py, out, &[self.lanes, words], "uint64", |batch, out| {
                    batch.write_packed_fluents(words, out)
                });
            }
            "rows" => ([self.lanes, fluents], true),
            "facts" => ([fluents, self.lanes], false),
            _ => return Err(PyValueError::new_err(format!("layout is rows, facts or packed, not {layout}"))),
        };
        let write = move |batch: &mut ggp::Batch, out: &mut [u8]| match (observer, percepts) {
            (Some(role), Some(percepts)) => batch.write_percepts(role, percepts, out),
            _ if is_rows => batch.write_fluents(fluents, out),
            _ => batch.write_facts(out),
        };
        if is_float {
            return self.filled(py, out, &shape, dtype, |batch, out: &mut [f32]| {
                let mut bytes = vec![0; out.len()];
                write(batch, &mut bytes)?;
                out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = f32::from(byte));
                Ok(())
            });
        }
        self.filled(py, out, &shape, dtype, write)
    }

    /// The legal actions of all lanes. In lanes whose episodes are over, none is legal.
    ///
    /// Args:
    ///     role: The role, by name or number. By default the role whose turn it is in each lane; in lanes in which several
    ///         roles choose, no action is legal then.
    ///     layout: `"mask"` for a bool array of shape (n, A), where A is `len(game.moves(role))`, and by default that of
    ///         the role with most moves; `"packed"` for bits, a uint64 array of shape (n, ceil(A / 64)); `"csr"` for a
    ///         tuple of two arrays: where the actions of each lane begin, int64 of shape (n + 1,), and the actions, int32.
    ///         The last two need a role.
    ///     out: An array of that shape and dtype to fill, instead of a new one.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network and the layout is not `"csr"`.
    #[pyo3(signature = (role = None, layout = "mask", out = None))]
    fn legal<'py>(
        &self,
        py: Python<'py>,
        role: Option<&Bound<'py, PyAny>>,
        layout: &str,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows(role)?;
        match (layout, rows) {
            ("mask", rows) => {
                let width = self.width(py, rows)?;
                self.filled(py, out, &[self.lanes, width], "bool", |batch, out| {
                    batch.write_legal(rows, width, out)
                })
            }
            ("packed", Rows::Of(role)) => {
                let words = self.width(py, rows)?.div_ceil(64);
                self.filled(py, out, &[self.lanes, words], "uint64", |batch, out| {
                    batch.write_packed_legal(role, words, out)
                })
            }
            ("csr", Rows::Of(role)) => {
                if out.is_some() {
                    return Err(PyValueError::new_err(
                        "the layout csr makes its arrays itself: leave out `out`",
                    ));
                }
                let (begins, actions) = py.detach(|| self.lock().legal_lists(role));
                let begins = self.filled(py, None, &[begins.len()], "int64", |_, out: &mut [i64]| {
                    out.iter_mut().zip(&begins).for_each(|(out, &begin)| *out = (begin as u64).cast_signed());
                    Ok(())
                })?;
                let actions = self.filled(py, None, &[actions.len()], "int32", |_, out: &mut [i32]| {
                    out.copy_from_slice(&actions);
                    Ok(())
                })?;
                Ok((begins, actions).into_pyobject(py)?.into_any())
            }
            ("packed" | "csr", Rows::OfTurns) => {
                Err(PyValueError::new_err(format!("the layout {layout} needs a role")))
            }
            _ => Err(PyValueError::new_err(format!("layout is mask, packed or csr, not {layout}"))),
        }
    }

    /// Draws legal actions.
    ///
    /// Args:
    ///     logits: A float array of shape (n, A). Actions are drawn with probabilities proportional to the exponentials of
    ///         their logits, among the legal ones. Without logits, all legal actions are equally probable, and `step`
    ///         without actions makes the same ones.
    ///     role: With logits, the role that acts; by default the one whose turn it is in each lane.
    ///
    /// Returns:
    ///     An int32 array: of shape (n,) with logits, -1 where the role does not act; else of shape (n, R), -1 in lanes
    ///     whose episodes are over.
    #[pyo3(signature = (logits = None, role = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        logits: Option<&Bound<'py, PyAny>>,
        role: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(logits) = logits else {
            return self.filled(py, None, &[self.lanes, self.roles], "int32", |batch, out| {
                batch.write_drawn(out);
                Ok(())
            });
        };
        let rows = self.rows(role)?;
        let width = self.width(py, rows)?;
        let (logits, shape) = input::<f32>(logits, "logits", "f", "float32")?;
        if shape != [self.lanes, width] {
            return Err(wrong_shape("logits", &shape, &[&[self.lanes, width]]));
        }
        self.filled(py, None, &[self.lanes], "int32", |batch, out| {
            out.fill(-1);
            match rows {
                Rows::Of(role) => batch.sample(role, &logits, width, |_| true, out),
                Rows::OfTurns => {
                    let mut turns = vec![-1; out.len()];
                    batch.write_turns(&mut turns);
                    for role in 0..self.roles {
                        let own = |lane: usize| turns[lane] == role as i8;
                        batch.sample(Role(role as u8), &logits, width, own, out)?;
                    }
                    Ok(())
                }
            }
        })
    }

    /// Whether each episode is over by the rules, or by an illegal action: a bool array of shape (n,).
    #[getter]
    fn terminated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.filled(py, None, &[self.lanes], "bool", |batch, out| {
            batch.write_terminated(out);
            Ok(())
        })
    }

    /// Whether each episode is over without a terminal state, at `max_steps` or because a role has no legal move: a bool
    /// array of shape (n,).
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.filled(py, None, &[self.lanes], "bool", |batch, out| {
            batch.write_truncated(out);
            Ok(())
        })
    }

    /// The rewards of the last step, a float32 array of shape (n, R): where it ended an episode, the goals divided by 100,
    /// from 0 to 1; elsewhere 0.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let roles = self.roles;
        self.filled(py, None, &[self.lanes, roles], "float32", |batch, out: &mut [f32]| {
            out.fill(0.0);
            batch.for_each_ended(|lane| {
                for (reward, &goal) in out[lane * roles..].iter_mut().zip(batch.goals(lane)) {
                    *reward = f32::from(goal) / 100.0;
                }
            });
            Ok(())
        })
    }

    /// The goals of all roles in each lane's last state, a uint8 array of shape (n, R) with values from 0 to 100; 0 while
    /// the episode runs.
    #[getter]
    fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let roles = self.roles;
        self.filled(py, None, &[self.lanes, roles], "uint8", |batch, out: &mut [u8]| {
            let parts = out.chunks_mut(roles).enumerate();
            parts.for_each(|(lane, out)| out.copy_from_slice(batch.goals(lane)));
            Ok(())
        })
    }

    /// The number of steps of each episode, a uint32 array of shape (n,).
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.filled(py, None, &[self.lanes], "uint32", |batch, out| {
            batch.write_steps(out);
            Ok(())
        })
    }

    /// The number of each lane's episode, from 0: a uint32 array of shape (n,).
    #[getter]
    fn episodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.filled(py, None, &[self.lanes], "uint32", |batch, out| {
            batch.write_episodes(out);
            Ok(())
        })
    }

    /// The number of the role whose turn it is in each lane, an int8 array of shape (n,): the only role with a choice. If no
    /// role has one, it is a role that does more than wait, as far as the network tells. -1 where several roles choose,
    /// and where the episode is over. Chance does not count.
    #[getter]
    fn current_player<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.filled(py, None, &[self.lanes], "int8", |batch, out| {
            batch.write_turns(out);
            Ok(())
        })
    }

    /// `legal()`: the legal actions of the role whose turn it is in each lane, a bool array of shape (n, A).
    #[getter]
    fn legal_action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.legal(py, None, "mask", None)
    }

    /// `observe()`: the facts of each lane, a bool array of shape (n, F).
    #[getter]
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.observe(py, "rows", "bool", None, None)
    }

    /// The states as bits, a uint64 array of shape (n, ceil(F / 64)): `observe("packed")`.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.observe(py, "packed", "bool", None, None)
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
