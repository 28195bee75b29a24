//! The class `Game`, and how a game is loaded.

use crate::array::{Output, input, wrong_shape};
use crate::batch::Batch;
use crate::error;
use crate::interrupt::interruptible;
use crate::search::Search;
use crate::state::State;
use ggp::board::BoardModel;
use ggp::{
    BatchOptions, Build, Choice, Clocks, Explainer, Illegal, Interpreter, Limits, MatchSetup, PlayerKind,
    PlayoutPlan, Reasoner, Role, Rulesheet, SearchLimits, StateMachine, Strictness,
};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

/// A game, with everything that its rules determine. Games and states are immutable; any thread may use them.
#[pyclass(frozen, weakref, module = "ggp")]
pub(crate) struct Game {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    name: String,
    text: Vec<u8>,
    choice: Choice,
    is_strict: bool,
    pub(crate) game: Arc<ggp::Game>,
    reasoner: Mutex<Reasoner>,
    model: OnceLock<BoardModel>,
    warnings: String,
}

impl Inner {
    /// The machine for single states.
    pub(crate) fn reasoner(&self) -> MutexGuard<'_, Reasoner> {
        self.reasoner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn model(&self) -> &BoardModel {
        self.model.get_or_init(|| ggp::board::of_game(&mut Interpreter::new(&self.game)))
    }

    pub(crate) fn role_names(&self) -> Vec<String> {
        self.game.roles().map(|role| self.game.role_name(role).to_owned()).collect()
    }

    /// The role that `given` names or numbers.
    pub(crate) fn role(&self, given: &Bound<'_, PyAny>) -> PyResult<Role> {
        if let Ok(name) = given.extract::<String>() {
            return self.game.role(&name).map_err(|error| PyKeyError::new_err(error.to_string()));
        }
        let count = self.game.role_count();
        match given.extract::<i64>() {
            Ok(number) => usize::try_from(number)
                .ok()
                .filter(|&number| number < count)
                .map(|number| Role(number as u8))
                .ok_or_else(|| PyKeyError::new_err(format!("there is no role {number}; there are {count}"))),
            Err(_) => Err(PyTypeError::new_err("a role is a name or a number")),
        }
    }
}

/// Loads a game from a file or from a text in GDL (KIF syntax), and builds its machine.
///
/// Args:
///     source: The path of a rulesheet, or the text of one. A string with a parenthesis is a text.
///     reasoner: `"auto"` for the fastest machine that can be built, `"propnet"` for the network or an error,
///         `"datalog"` for the interpreter, `"compiled"` for the compiled evaluator.
///     strict: Whether the rules must obey the specification to the letter.
///     seconds: The limit of CPU time for building the network, 20 by default.
///
/// Returns:
///     The game.
///
/// Raises:
///     RulesError: If the rules cannot be played. It prints as `ggp check` does.
///     FileNotFoundError: If the file cannot be read.
///     EvaluationError: If the machine that `reasoner` requires cannot be built.
#[pyfunction]
#[pyo3(signature = (source, *, reasoner = "auto", strict = false, seconds = None))]
pub(crate) fn load(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    reasoner: &str,
    strict: bool,
    seconds: Option<f64>,
) -> PyResult<Game> {
    let choice: Choice =
        reasoner.parse().map_err(|error: ggp::UnknownChoice| PyValueError::new_err(error.to_string()))?;
    let text = source.extract::<String>().ok().filter(|text| text.contains('('));
    let sheet = if let Some(text) = text {
        Rulesheet::new("<text>", text)
    } else {
        let path: PathBuf = source.extract().map_err(|_| {
            PyTypeError::new_err("the source is a path, or a text in GDL, not another object")
        })?;
        py.detach(|| Rulesheet::read(&path)).map_err(|error| error::of_load(py, &error, &[]))?
    };
    Game::build(py, sheet, choice, strict, seconds)
}

impl Game {
    fn build(
        py: Python<'_>,
        sheet: Rulesheet,
        choice: Choice,
        strict: bool,
        seconds: Option<f64>,
    ) -> PyResult<Game> {
        let strictness = if strict { Strictness::Strict } else { Strictness::Default };
        let (name, text) = (sheet.name.clone(), sheet.bytes.clone());
        let loaded = py.detach(|| {
            let (game, findings) = sheet.check(strictness, Limits::default());
            let warnings = sheet.render(&findings, false);
            match game {
                Some(game) => Ok((Arc::new(game), warnings)),
                None => Err(sheet.game(strictness, Limits::default()).err()),
            }
        });
        let (game, warnings) = loaded.map_err(|error| match error {
            Some(error) => error::of_load(py, &error, &text),
            None => PyValueError::new_err("the rules cannot be played"),
        })?;
        let time = match seconds {
            None => Build::TIME,
            Some(seconds) => Duration::try_from_secs_f64(seconds)
                .map_err(|_| PyValueError::new_err("seconds must be a number from 0 on"))?,
        };
        let build = Build { choice, ..Build::within(time) };
        let reasoner = interruptible(py, |stop| {
            let begun = build.begin(&game).map_err(|error| error.to_string())?;
            match begun.wait(ggp::Deadline::never(), stop) {
                Some(Ok(reasoner)) => Ok(reasoner),
                Some(Err(_)) if choice == Choice::Auto => {
                    // The interpreter, which also tells why.
                    let reasoner = Reasoner::replaced_by(&game, begun);
                    Ok(reasoner)
                }
                Some(Err(why)) => Err(why.to_string()),
                None => Err("stopped".to_owned()),
            }
        })?;
        let reasoner = reasoner.map_err(|why| error::exception(py, "EvaluationError", (why,)))?;
        let (reasoner, model) = (Mutex::new(reasoner), OnceLock::new());
        let inner = Inner { name, text, choice, is_strict: strict, game, reasoner, model, warnings };
        Ok(Game { inner: Arc::new(inner) })
    }

    /// The states that `given` stands for: a state, a list of states, or an array of packed states.
    fn states(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<ggp::State>> {
        let py = given.map(Bound::py);
        let mut reasoner = self.inner.reasoner();
        let (Some(given), Some(py)) = (given, py) else {
            return Ok(vec![
                reasoner.initial_state().map_err(|error| Python::attach(|py| error::of_eval(py, &error)))?,
            ]);
        };
        if let Ok(one) = given.cast::<State>() {
            return Ok(vec![
                one.get().own(&self.inner, &mut reasoner).map_err(|error| error::of_eval(py, &error))?,
            ]);
        }
        if given.is_instance_of::<pyo3::types::PyList>() || given.is_instance_of::<PyTuple>() {
            let states = given.extract::<Vec<Bound<'_, State>>>().map_err(|_| {
                PyTypeError::new_err("states are a State, a list of them, or an array of packed states")
            })?;
            let own = states.iter().map(|state| state.get().own(&self.inner, &mut reasoner));
            return own.collect::<Result<_, _>>().map_err(|error| error::of_eval(py, &error));
        }
        let words = self.words(py, &reasoner)?;
        let (items, shape) = input::<u64>(given, "states", "u", "uint64")?;
        if shape.len() != 2 || shape[1] != words {
            return Err(wrong_shape("states", &shape, &[&[shape.first().copied().unwrap_or(0), words]]));
        }
        let states = items.chunks(words.max(1)).map(|words| reasoner.state_of_words(words));
        states.collect::<Result<_, _>>().map_err(|error| error::of_eval(py, &error))
    }

    pub(crate) fn name_of(&self) -> &str {
        &self.inner.name
    }

    fn words(&self, py: Python<'_>, reasoner: &Reasoner) -> PyResult<usize> {
        let fluents = reasoner.fluents().ok_or_else(|| error::of_batch(py, &ggp::BatchError::NoNetwork))?;
        Ok(fluents.len().div_ceil(64))
    }
}

#[pymethods]
impl Game {
    /// The name of the rulesheet: its path, or `"<text>"`.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The rules, in GDL.
    #[getter]
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.inner.text).into_owned()
    }

    /// The warnings of the rules, as `ggp check` prints them. Empty if there are none.
    #[getter]
    fn warnings(&self) -> &str {
        &self.inner.warnings
    }

    /// The names of the roles, in order. Arrays with one item a role follow this order.
    #[getter]
    fn roles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.role_names())
    }

    /// The number of the role that is chance (`random`), or None.
    #[getter]
    fn chance(&self) -> Option<usize> {
        self.inner.game.nature().map(Role::index)
    }

    /// Whether roles see only their percepts (GDL-II).
    #[getter]
    fn is_hidden(&self) -> bool {
        self.inner.game.has_percepts()
    }

    /// The machine that executes the game: `"propnet"`, `"compiled"` or `"datalog"`.
    #[getter]
    fn machine(&self) -> &'static str {
        self.inner.reasoner().name()
    }

    /// Why the game has no network, although one was wanted. None if it has one. Without it everything is slower, and
    /// batches have neither rows of fluents nor masks.
    #[getter]
    fn fallback(&self) -> Option<String> {
        self.inner.reasoner().fallback().map(ToString::to_string)
    }

    /// The facts that states consist of: the columns of `Batch.observe`.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    #[getter]
    fn fluents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let reasoner = self.inner.reasoner();
        PyTuple::new(py, reasoner.fluents().ok_or_else(|| error::of_batch(py, &ggp::BatchError::NoNetwork))?)
    }

    /// The moves of `role`, ordered by their texts. The index of a move is the role's action.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    fn moves<'py>(&self, py: Python<'py>, role: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let role = self.inner.role(role)?;
        let reasoner = self.inner.reasoner();
        PyTuple::new(
            py,
            reasoner.moves(role).ok_or_else(|| error::of_batch(py, &ggp::BatchError::NoNetwork))?,
        )
    }

    /// The initial state.
    fn initial_state(&self, py: Python<'_>) -> PyResult<State> {
        let state = py.detach(|| self.inner.reasoner().initial_state());
        Ok(State::new(&self.inner, state.map_err(|error| error::of_eval(py, &error))?))
    }

    /// The state in which exactly `facts` hold.
    ///
    /// Raises:
    ///     ValueError: If a text is no fact.
    ///     EvaluationError: If a fact can never hold, or two of them never together.
    fn state(&self, py: Python<'_>, facts: Vec<String>) -> PyResult<State> {
        let parsed = facts.iter().map(|text| {
            ggp::Fact::new(text).ok_or_else(|| PyValueError::new_err(format!("`{text}` is no fact")))
        });
        let facts = parsed.collect::<PyResult<Vec<_>>>()?;
        let state = py.detach(|| self.inner.reasoner().state_of(&facts));
        Ok(State::new(&self.inner, state.map_err(|error| error::of_eval(py, &error))?))
    }

    /// The states of an array of packed states, as `Batch.pack` and `State.pack` give them.
    ///
    /// Args:
    ///     packed: A uint64 array of shape (n, words).
    fn unpack(&self, packed: &Bound<'_, PyAny>) -> PyResult<Vec<State>> {
        let states = self.states(Some(packed))?;
        Ok(states.into_iter().map(|state| State::new(&self.inner, state)).collect())
    }

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
        let starts = self.states(states)?;
        starts
            .len()
            .checked_mul(n)
            .filter(|&all| all <= 1 << 48)
            .ok_or_else(|| PyValueError::new_err("too many playouts: at most 2^48"))?;
        let reasoner = self.inner.reasoner().clone();
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
        let starts = self.states(Some(states))?;
        let reasoner = self.inner.reasoner().clone();
        let found = interruptible(py, |stop| reasoner.expand(&starts, stop))?;
        let found = found.map_err(|error| error::of_batch(py, &error))?;
        let (roles, words) = (self.inner.game.role_count(), self.words(py, &reasoner)?);
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

    /// The number of sequences of joint moves of each length from 0 to `depth`.
    #[pyo3(signature = (depth, state = None))]
    fn perft(&self, py: Python<'_>, depth: u32, state: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<u64>> {
        let start = self.states(state)?.swap_remove(0);
        let mut reasoner = self.inner.reasoner().clone();
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
        let start = self.states(state)?.swap_remove(0);
        let facts = self.inner.reasoner().facts_of(&start).map_err(|error| error::of_eval(py, &error))?;
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
    ///     A tuple of the proven lower and upper bound of the goal, from 0 to 100, a move that makes sure of the lower bound
    ///     or None, and the number of states that were expanded.
    ///
    /// Raises:
    ///     ValueError: In a game of hidden information.
    #[pyo3(signature = (role, state = None, *, seconds = None, memory = 1024))]
    fn solve(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        state: Option<&Bound<'_, PyAny>>,
        seconds: Option<f64>,
        memory: usize,
    ) -> PyResult<(u8, u8, Option<String>, u64)> {
        let role = self.inner.role(role)?;
        let start = self.states(state)?.swap_remove(0);
        let reasoner = self.inner.reasoner().clone();
        let limits = match seconds {
            Some(seconds) => SearchLimits::time(duration(seconds)?),
            None => SearchLimits::default(),
        };
        let proof = interruptible(py, |stop| {
            let limits = limits.or_when(stop);
            ggp::solve(&reasoner, &start, role, memory.saturating_mul(1 << 20), &limits)
        })?;
        let proof = proof.map_err(|error| error::of(py, &error))?;
        Ok((proof.low, proof.high, proof.best, proof.states))
    }

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
        let start = self.states(state)?.swap_remove(0);
        Search::new(py, &self.inner, &start, player)
    }

    /// Plays one match.
    ///
    /// Args:
    ///     players: One player for each role but chance, such as `"mcts:iterations=100"` or `"random"`; `ggp help players`
    ///         lists all kinds.
    ///     seed: The seed of the referee and of chance. Players have seeds of their own among their options.
    ///     start_clock: Seconds before the first move.
    ///     play_clock: Seconds for each move.
    ///     max_steps: The number of steps after which the match is cut off.
    ///
    /// Returns:
    ///     A dict with the `goals` of the roles (None where there is none), the number of `steps`, the `ending`, and the
    ///     `faults` of players as texts.
    #[pyo3(signature = (players, *, seed = 0, start_clock = 10.0, play_clock = 10.0, max_steps = None))]
    fn play_match<'py>(
        &self,
        py: Python<'py>,
        players: Vec<String>,
        seed: u64,
        start_clock: f64,
        play_clock: f64,
        max_steps: Option<u32>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let kinds = players.iter().map(|text| text.parse::<PlayerKind>());
        let kinds =
            kinds.collect::<Result<Vec<_>, _>>().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let clocks = Clocks { start: duration(start_clock)?, play: duration(play_clock)? };
        let mut setup = MatchSetup::new("python", clocks);
        setup.seed = seed;
        setup.max_steps = max_steps.unwrap_or(setup.max_steps);
        let reasoner = self.inner.reasoner().clone();
        let outcome = interruptible(py, |stop| ggp::play_match_until(&reasoner, &kinds, setup, stop))?;
        let outcome = outcome.map_err(|error| error::of(py, &error))?;
        let result = PyDict::new(py);
        result.set_item("goals", outcome.goals.clone())?;
        result.set_item("steps", outcome.steps)?;
        result.set_item("ending", format!("{:?}", outcome.ending))?;
        let faults: Vec<String> = outcome.faults.iter().map(|fault| format!("{fault:?}")).collect();
        result.set_item("faults", faults)?;
        Ok(result)
    }

    fn __repr__(&self) -> String {
        let roles = self.inner.role_names().join(", ");
        format!("<ggp.Game {} ({roles}) on {}>", self.inner.name, self.inner.reasoner().name())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Game>().is_ok_and(|other| {
            let other = &other.get().inner;
            Arc::ptr_eq(&self.inner, other)
                || self.inner.text == other.text
                    && self.inner.choice == other.choice
                    && self.inner.is_strict == other.is_strict
        })
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.inner.text.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let inner = &slf.get().inner;
        let text = pyo3::types::PyBytes::new(py, &inner.text);
        let arguments = (inner.name.as_str(), text, inner.choice.name(), inner.is_strict);
        Ok((py.import("ggp._pickle")?.getattr("game")?, arguments.into_pyobject(py)?))
    }

    /// A game with the rules `text`, for unpickling.
    #[staticmethod]
    fn _of(py: Python<'_>, name: String, text: Vec<u8>, reasoner: &str, strict: bool) -> PyResult<Game> {
        let choice =
            reasoner.parse().map_err(|error: ggp::UnknownChoice| PyValueError::new_err(error.to_string()))?;
        Game::build(py, Rulesheet::new(name, text), choice, strict, None)
    }
}

/// A duration of `seconds`.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err("seconds must be a number from 0 on"))
}
