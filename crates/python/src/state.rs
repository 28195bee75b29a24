//! The class `State`: one state of a game.

use crate::array::{Output, input, wrong_shape};
use crate::board;
use crate::error;
use crate::game::{Game, Inner};
use ggp::{EvalError, Reasoner, Role, StateMachine};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;

/// A state of a game: the facts that hold. States are immutable and hashable.
#[pyclass(frozen, module = "ggp")]
pub(crate) struct State {
    game: Arc<Inner>,
    state: ggp::State,
}

impl State {
    pub(crate) fn new(game: &Arc<Inner>, state: ggp::State) -> State {
        State { game: Arc::clone(game), state }
    }

    /// This state as a state of `game`.
    fn own(&self, game: &Arc<Inner>) -> Result<ggp::State, EvalError> {
        if Arc::ptr_eq(game, &self.game) {
            return Ok(self.state.clone());
        }
        // The lock of one game at a time.
        let facts = self.facts_of()?;
        game.reasoner().state_of(&facts)
    }

    fn facts_of(&self) -> Result<Vec<ggp::Fact>, EvalError> {
        self.game.reasoner().facts_of(&self.state)
    }

    /// Evaluates `call` with the machine and the state, without the interpreter lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Reasoner, &ggp::State) -> Result<T, EvalError> + Send,
    ) -> PyResult<T> {
        py.detach(|| call(&mut self.game.reasoner(), &self.state)).map_err(|error| error::of_eval(py, &error))
    }

    fn legal_of(&self, py: Python<'_>, role: Role) -> PyResult<Vec<String>> {
        self.with(py, |reasoner, state| {
            if reasoner.is_terminal(state)? { Ok(Vec::new()) } else { reasoner.legal_texts(state, role) }
        })
    }

    /// The texts of the joint move `given`: a move for each role, a dict, or the move of the only role with a choice.
    fn joint(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let names = self.game.role_names();
        if !given.is_instance_of::<pyo3::types::PyString>() && !given.is_instance_of::<PyDict>() {
            return given
                .extract()
                .map_err(|_| PyTypeError::new_err("a joint move is a text, a dict, or a list of texts"));
        }
        let mut joint: Vec<Option<String>> = vec![None; names.len()];
        let legal: Vec<Vec<String>> =
            self.game.game.roles().map(|role| self.legal_of(py, role)).collect::<PyResult<_>>()?;
        if let Ok(dict) = given.cast::<PyDict>() {
            for (role, text) in dict {
                joint[self.game.role(&role)?.index()] = Some(text.extract()?);
            }
        } else {
            let text: String = given.extract()?;
            let mut choosing = (0..names.len()).filter(|&role| legal[role].len() > 1);
            let role = match (choosing.next(), choosing.next()) {
                (Some(role), None) => role,
                (Some(_), Some(_)) => {
                    return Err(PyValueError::new_err("several roles choose: give a dict of moves by role"));
                }
                (None, _) => (0..names.len()).find(|&role| legal[role].contains(&text)).ok_or_else(|| {
                    let message = format!("no role has the legal move `{text}` here");
                    error::exception(py, "IllegalMoveError", (message,))
                })?,
            };
            joint[role] = Some(text);
        }
        for (role, mv) in joint.iter_mut().enumerate() {
            if mv.is_none() && legal[role].len() == 1 {
                *mv = legal[role].first().cloned();
            }
        }
        if let Some(role) = joint.iter().position(Option::is_none) {
            let message = format!("{} has {} legal moves: give one", names[role], legal[role].len());
            return Err(error::exception(py, "IllegalMoveError", (message,)));
        }
        Ok(joint.into_iter().flatten().collect())
    }
}

#[pymethods]
impl State {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game { inner: Arc::clone(&self.game) }
    }

    /// Whether the game is over.
    #[getter]
    fn is_terminal(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, Reasoner::is_terminal)
    }

    /// The facts that hold, sorted.
    #[getter]
    fn facts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let facts = py.detach(|| self.facts_of()).map_err(|error| error::of_eval(py, &error))?;
        Ok(facts.iter().map(ToString::to_string).collect())
    }

    /// The goal of each role, from 0 to 100, in role order. None where the rules give a role no goal or several.
    #[getter]
    fn goals(&self, py: Python<'_>) -> PyResult<Vec<Option<u8>>> {
        let goals = self.with(py, Reasoner::goals_of)?;
        Ok(goals.iter().map(|goals| goals.only().map(ggp::Goal::value)).collect())
    }

    /// The legal moves of `role` as texts, sorted. Empty if the game is over.
    fn legal(&self, py: Python<'_>, role: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        self.legal_of(py, self.game.role(role)?)
    }

    /// The names of the roles that have more than one legal move.
    #[getter]
    fn choosing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut choosing = Vec::new();
        for role in self.game.game.roles() {
            if self.legal_of(py, role)?.len() > 1 {
                choosing.push(self.game.game.role_name(role).to_owned());
            }
        }
        PyTuple::new(py, choosing)
    }

    /// The state after a joint move.
    ///
    /// Args:
    ///     joint: A list of one text for each role, in role order; or a dict from roles to texts, in which roles with one
    ///         legal move may be missing; or the text of the only role with a choice.
    ///
    /// Raises:
    ///     IllegalMoveError: If a move is not legal, or missing.
    fn next(&self, py: Python<'_>, joint: &Bound<'_, PyAny>) -> PyResult<State> {
        let joint = self.joint(py, joint)?;
        let next = py.detach(|| {
            let mut reasoner = self.game.reasoner();
            let moves = reasoner.parse_legal_joint(&self.state, &joint)?;
            Ok(reasoner.next_state(&self.state, &moves)?)
        });
        let next = next.map_err(|error: ggp::Error| error::of(py, &error))?;
        Ok(State::new(&self.game, next))
    }

    /// What `role` sees of a joint move, given as in `next`: its percepts (GDL-II), sorted.
    fn percepts(
        &self,
        py: Python<'_>,
        joint: &Bound<'_, PyAny>,
        role: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<String>> {
        let (joint, role) = (self.joint(py, joint)?, self.game.role(role)?);
        let percepts = py.detach(|| {
            let mut reasoner = self.game.reasoner();
            let moves = reasoner.parse_legal_joint(&self.state, &joint)?;
            let mut percepts = Vec::new();
            reasoner.percepts(&self.state, &moves, role, &mut percepts)?;
            Ok(percepts.iter().map(ToString::to_string).collect())
        });
        percepts.map_err(|error: ggp::Error| error::of(py, &error))
    }

    /// The state as bits: a uint64 array of shape (words,), whose bit i says whether fluent i holds.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let words = self.state.words().ok_or_else(|| error::of_batch(py, &ggp::BatchError::NoNetwork))?;
        Output::<u64>::new(py, None, &[words.len()], "uint64")?.fill(
            py,
            |out| {
                out.copy_from_slice(words);
                Ok(())
            },
            |()| PyValueError::new_err("unreachable"),
        )
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let text = py.detach(|| {
            let model = self.game.model();
            Ok(board::drawing(model, &model.place(&self.facts_of()?)))
        });
        text.map_err(|error| error::of_eval(py, &error))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<ggp.State {}>", self.facts(py)?.join(" ")))
    }

    /// The board as an SVG picture.
    #[pyo3(name = "_repr_svg_")]
    fn svg(&self, py: Python<'_>) -> PyResult<String> {
        let picture = py.detach(|| {
            let model = self.game.model();
            Ok(board::svg(model, &model.place(&self.facts_of()?)))
        });
        picture.map_err(|error| error::of_eval(py, &error))
    }

    /// The board as HTML.
    #[pyo3(name = "_repr_html_")]
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<div>{}</div>", self.svg(py)?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<State>() else { return false };
        let other = other.get();
        if Arc::ptr_eq(&self.game, &other.game) {
            return self.state == other.state;
        }
        // The lock of one game at a time.
        py.detach(|| {
            let (one, two) = (self.facts_of(), other.facts_of());
            one.is_ok() && one == two && self.game.role_names() == other.game.role_names()
        })
    }

    fn __hash__(&self, py: Python<'_>) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        for fact in py.detach(|| self.facts_of()).iter().flatten() {
            fact.as_str().hash(&mut hasher);
        }
        hasher.finish()
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.import("ggp._pickle")?.getattr("state")?;
        Ok((make, (self.game(), self.facts(py)?).into_pyobject(py)?))
    }
}

impl Game {
    /// The states that `given` stands for: a state, a list of states, or an array of packed states; the initial state by
    /// default.
    pub(crate) fn states(
        &self,
        py: Python<'_>,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<ggp::State>> {
        let Some(given) = given else {
            return Ok(vec![self.initial_state(py)?.state]);
        };
        let states = if let Ok(one) = given.cast::<State>() {
            vec![one.clone()]
        } else if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
            given.extract::<Vec<Bound<'_, State>>>().map_err(|_| {
                PyTypeError::new_err("states are a State, a list of them, or an array of packed states")
            })?
        } else {
            return self.packed_states(py, given);
        };
        let shared: Vec<&State> = states.iter().map(Bound::get).collect();
        let own = py.detach(|| {
            shared.iter().map(|state| state.own(&self.inner)).collect::<Result<Vec<ggp::State>, EvalError>>()
        });
        own.map_err(|error| error::of_eval(py, &error))
    }

    /// The states of the array `given` of packed states.
    fn packed_states(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Vec<ggp::State>> {
        let words = self.words(py)?;
        let (items, shape) = input::<u64>(given, "states", "u", "uint64")?;
        if shape.len() != 2 || shape[1] != words {
            return Err(wrong_shape("states", &shape, &[&[shape.first().copied().unwrap_or(0), words]]));
        }
        let states = self.inner.read(py, |reasoner| {
            let states = items.chunks(words.max(1)).map(|words| reasoner.state_of_words(words));
            states.collect::<Result<Vec<ggp::State>, EvalError>>()
        });
        states.map_err(|error| error::of_eval(py, &error))
    }

    /// The only state that `given` stands for; the initial state by default.
    pub(crate) fn one_state(&self, py: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<ggp::State> {
        let [state] = <[ggp::State; 1]>::try_from(self.states(py, given)?).map_err(|states| {
            PyValueError::new_err(format!("this call takes one state, not {}", states.len()))
        })?;
        Ok(state)
    }
}

#[pymethods]
impl Game {
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
        let states = self.states(packed.py(), Some(packed))?;
        Ok(states.into_iter().map(|state| State::new(&self.inner, state)).collect())
    }
}
