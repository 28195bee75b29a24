//! The class `Game`, and how a game is loaded.

use crate::error;
use crate::interrupt::interruptible;
use ggp::board::{BoardModel, Planes};
use ggp::{Build, Choice, Limits, Reasoner, Role, Rulesheet, StateMachine, StopToken, Strictness};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

/// A game, with everything that its rules determine. Games and states are immutable; any thread may use them.
#[pyclass(frozen, weakref, module = "ggp")]
pub(crate) struct Game {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) name: String,
    text: Vec<u8>,
    choice: Choice,
    is_strict: bool,
    pub(crate) game: Arc<ggp::Game>,
    reasoner: Mutex<Reasoner>,
    model: OnceLock<BoardModel>,
    planes: OnceLock<Option<Planes>>,
    warnings: String,
}

/// The machine of `game` that `choice` selects, built within `time`.
fn machine(
    game: &Arc<ggp::Game>,
    choice: Choice,
    time: Duration,
    stop: &StopToken,
) -> Result<Reasoner, String> {
    let build = Build { choice, ..Build::within(time) };
    let begun = build.begin(game).map_err(|error| error.to_string())?;
    match begun.wait(ggp::Deadline::never(), stop) {
        Some(Ok(reasoner)) => Ok(reasoner),
        // The interpreter, which also tells why.
        Some(Err(_)) if choice == Choice::Auto => Ok(Reasoner::replaced_by(game, begun)),
        Some(Err(why)) => Err(why.to_string()),
        None => Err("stopped".to_owned()),
    }
}

impl Inner {
    /// A game whose rules have been checked before, such as those of a match. `time` limits the building of its network.
    pub(crate) fn of_game(
        game: &Arc<ggp::Game>,
        time: Duration,
        stop: &StopToken,
    ) -> Result<Arc<Inner>, String> {
        let reasoner = Mutex::new(machine(game, Choice::Auto, time, stop)?);
        Ok(Arc::new(Inner {
            name: "<match>".to_owned(),
            text: game.description().source.clone(),
            choice: Choice::Auto,
            is_strict: false,
            game: Arc::clone(game),
            reasoner,
            model: OnceLock::new(),
            planes: OnceLock::new(),
            warnings: String::new(),
        }))
    }

    /// The machine for single states. No thread waits for it while it holds the interpreter lock, and none calls Python
    /// while it holds the machine: two threads that did could wait for each other for ever.
    pub(crate) fn reasoner(&self) -> MutexGuard<'_, Reasoner> {
        self.reasoner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What `call` reads from the machine for single states, without the interpreter lock.
    pub(crate) fn read<T: Send>(&self, py: Python<'_>, call: impl FnOnce(&Reasoner) -> T + Send) -> T {
        py.detach(|| call(&self.reasoner()))
    }

    /// Why the game has no network, although one was wanted.
    pub(crate) fn fallback(&self, py: Python<'_>) -> Option<String> {
        self.read(py, |reasoner| reasoner.fallback().map(ToString::to_string))
    }

    pub(crate) fn model(&self) -> &BoardModel {
        self.model.get_or_init(|| {
            let mut reasoner = self.reasoner().clone();
            ggp::board::of_game(&mut reasoner)
        })
    }

    /// The planes of the board.
    pub(crate) fn planes(&self, py: Python<'_>) -> PyResult<&Planes> {
        let planes = py.detach(|| {
            let reasoner = self.reasoner().clone();
            let fluents = reasoner.fluents()?;
            Some(self.planes.get_or_init(|| self.model().planes(&fluents)))
        });
        let planes = planes.ok_or_else(|| error::of_batch(py, &ggp::BatchError::NoNetwork))?;
        planes.as_ref().ok_or_else(|| {
            PyValueError::new_err(
                "no board with squares is inferred from the rules of this game: the layout rows has its facts",
            )
        })
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
        let reasoner = interruptible(py, |stop| machine(&game, choice, time, stop))?;
        let reasoner = reasoner.map_err(|why| error::exception(py, "EvaluationError", (why,)))?;
        let (reasoner, model, planes) = (Mutex::new(reasoner), OnceLock::new(), OnceLock::new());
        let inner = Inner { name, text, choice, is_strict: strict, game, reasoner, model, planes, warnings };
        Ok(Game { inner: Arc::new(inner) })
    }

    pub(crate) fn name_of(&self) -> &str {
        &self.inner.name
    }

    /// The number of words of a packed state.
    pub(crate) fn words(&self, py: Python<'_>) -> PyResult<usize> {
        let fluents = self.inner.read(py, |reasoner| Some(reasoner.fluents()?.len()));
        let fluents = fluents.ok_or_else(|| error::of_batch(py, &ggp::BatchError::NoNetwork))?;
        Ok(fluents.div_ceil(64))
    }

    /// The texts that `call` reads from the network.
    fn texts_of_network<'py>(
        &self,
        py: Python<'py>,
        call: impl FnOnce(&Reasoner) -> Option<Vec<&str>> + Send,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let texts = self.inner.read(py, |reasoner| {
            Some(call(reasoner)?.into_iter().map(str::to_owned).collect::<Vec<String>>())
        });
        PyTuple::new(py, texts.ok_or_else(|| error::of_batch(py, &ggp::BatchError::NoNetwork))?)
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
    fn machine(&self, py: Python<'_>) -> &'static str {
        self.inner.read(py, Reasoner::name)
    }

    /// Why the game has no network, although one was wanted. None if it has one. Without it everything is slower, and
    /// batches have neither rows of fluents nor masks.
    #[getter]
    fn fallback(&self, py: Python<'_>) -> Option<String> {
        self.inner.fallback(py)
    }

    /// The facts that states consist of: the columns of `Batch.observe`.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    #[getter]
    fn fluents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.texts_of_network(py, Reasoner::fluents)
    }

    /// The names of the planes of `Batch.observe("planes")`. Those on the board come first: the text of their facts with
    /// `?x` for the column and `?y` for the row, or `?xy` if one argument names both. A fact beside the board has a plane of
    /// its own, which is all 1 where the fact holds.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    ///     ValueError: If no board is inferred from the rules.
    #[getter]
    fn planes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.inner.planes(py)?.names)
    }

    /// The moves of `role`, ordered by their texts. The index of a move is the role's action.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    fn moves<'py>(&self, py: Python<'py>, role: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let role = self.inner.role(role)?;
        self.texts_of_network(py, |reasoner| reasoner.moves(role))
    }

    /// The percepts that `role` may get: the columns of `Batch.observe(role=role)` in a game of hidden information.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    fn percepts<'py>(&self, py: Python<'py>, role: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let role = self.inner.role(role)?;
        self.texts_of_network(py, |reasoner| reasoner.percepts_of(role))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let roles = self.inner.role_names().join(", ");
        format!("<ggp.Game {} ({roles}) on {}>", self.inner.name, self.machine(py))
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

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
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
