//! The interpreter: a state machine that evaluates the Datalog program directly. The interpreter is slow and
//! simple. Every faster machine must agree with it.
//!
//! Terms are permanent or temporary. Let R be the number of terms that the bound allows in addition to the
//! terms of the rules. The terms of the rules and the first R/8 terms made afterwards are permanent: they
//! keep their indices in the table of terms. All later terms are temporary: the interpreter releases them
//! before it loads another state. If there are more than R/8 temporary terms, it also releases them before it
//! evaluates the same state again. A [`FluentSet`] holds permanent terms by index and temporary terms in
//! serialised form, so it remains valid. Each evaluation can therefore make about 3R/4 terms, however many
//! distinct terms a match produces.

use crate::Batches;
use crate::Hints;
use crate::lower::ground_term;
use crate::move_table::{MAX_TEXT, MoveTable, too_much_text};
use crate::{EvalError, Fact, FluentSet, Game, Goal, Goals, Move, Role, Semantics, StateMachine, StopToken};
use ggp_datalog::{Database, Limits, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The divisor that gives the number of permanent terms besides the terms of the rules. The dividend is the
/// number of terms that the bound allows in addition to the terms of the rules.
const PERMANENT_PART: usize = 8;

/// The reference [`StateMachine`].
#[derive(Clone, Debug)]
pub struct Interpreter {
    game: Arc<Game>,
    database: Database,
    limits: Limits,
    roles: Vec<Value>,
    moves: MoveTable,
    goals: FxHashMap<Value, Option<Goal>>,
    /// The state that the database contains. `None` if it contains no state.
    loaded: Option<FluentSet>,
    /// The legal moves of the loaded state, one list for each role. `None` until they are computed.
    legal: Option<Vec<Vec<Move>>>,
    scratch: Vec<Vec<Value>>,
    /// A buffer for the fluents of a state while the interpreter reads that state.
    fluents: Vec<Value>,
}

impl Interpreter {
    /// Makes an interpreter of `game`.
    pub fn new(game: &Arc<Game>) -> Interpreter {
        let roles = game.semantics().roles();
        let mut database = game.semantics().database();
        let left = game.limits().terms.saturating_sub(database.values().len());
        database.values_mut().keep(left / PERMANENT_PART);
        Interpreter {
            game: Arc::clone(game),
            database,
            limits: game.limits().clone(),
            moves: MoveTable::default(),
            goals: FxHashMap::default(),
            loaded: None,
            legal: None,
            scratch: vec![Vec::new(); roles.len()],
            fluents: Vec::new(),
            roles,
        }
    }

    /// Loads `state` into the database. Does nothing if `state` is loaded already and there are few temporary
    /// terms.
    fn load(&mut self, state: &FluentSet) {
        if self.loaded.as_ref() != Some(state) || self.database.values().is_crowded() {
            self.unload();
            let fluents = state.values(self.database.values_mut(), &mut self.fluents);
            self.game.semantics().load_state(&mut self.database, fluents);
            self.loaded = Some(state.clone());
        }
    }

    /// Removes the loaded state from the database and releases the temporary terms.
    fn unload(&mut self) {
        self.loaded = None;
        self.legal = None;
        self.game.semantics().clear_state(&mut self.database);
    }

    /// Releases the temporary terms if there are many of them.
    fn make_room(&mut self) {
        if self.database.values().is_crowded() {
            self.unload();
        }
    }

    fn state(&self, fluents: Vec<Value>) -> Result<FluentSet, EvalError> {
        FluentSet::new(fluents, self.database.values())
    }

    fn load_joint(&mut self, state: &FluentSet, joint: &[Move]) {
        self.load(state);
        let terms = self.database.values_mut();
        let joint: Vec<Value> = joint.iter().map(|&mv| self.moves.value(mv, terms)).collect();
        self.game.semantics().load_moves(&mut self.database, &self.roles, &joint);
    }

    /// Evaluates a query. A failed query leaves partly evaluated relations in the database, and terms that
    /// belong to no state. This function removes both, so that the next query has as much memory as the
    /// failed one had.
    fn ask<T>(
        &mut self,
        question: impl FnOnce(&Semantics, &mut Database, &Limits) -> Result<T, ggp_datalog::EvalError>,
    ) -> Result<T, EvalError> {
        let terms = self.database.values().len();
        question(self.game.semantics(), &mut self.database, &self.limits).map_err(|error| {
            self.loaded = None;
            self.legal = None;
            self.game.semantics().roll_back(&mut self.database, terms);
            self.game.eval_error(&error)
        })
    }

    /// The goal that the term `value` denotes. `None` if the term is not an integer from 0 to 100.
    fn goal(&mut self, value: Value) -> Option<Goal> {
        if let Some(&goal) = self.goals.get(&value) {
            return goal;
        }
        let terms = self.database.values();
        let goal = Goal::from_text(&terms.text(value));
        if terms.is_permanent(value) {
            self.goals.insert(value, goal);
        }
        goal
    }

    fn texts(&self, values: &[Value], out: &mut Vec<Fact>) -> Result<(), EvalError> {
        out.clear();
        let terms = self.database.values();
        if values.iter().map(|&v| terms.text_len(v) as usize).sum::<usize>() > MAX_TEXT {
            return Err(too_much_text("facts", MAX_TEXT));
        }
        out.extend(values.iter().map(|&v| Fact::from_canonical(terms.text(v))));
        out.sort_unstable();
        Ok(())
    }
}

impl StateMachine for Interpreter {
    type State = FluentSet;

    fn game(&self) -> &Arc<Game> {
        &self.game
    }

    fn name(&self) -> &'static str {
        "datalog"
    }

    fn initial_state(&mut self) -> Result<FluentSet, EvalError> {
        self.make_room();
        let fluents = self.game.semantics().initial_state(&mut self.database);
        self.state(fluents)
    }

    fn is_terminal(&mut self, state: &FluentSet) -> Result<bool, EvalError> {
        self.load(state);
        self.ask(Semantics::ask_terminal)
    }

    fn legal_moves(&mut self, state: &FluentSet, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError> {
        self.load(state);
        out.clear();
        if self.legal.is_none() {
            let mut scratch = std::mem::take(&mut self.scratch);
            let roles = std::mem::take(&mut self.roles);
            let answer = self.ask(|semantics, database, limits| {
                semantics.ask_legal(database, &roles, limits, &mut scratch)
            });
            (self.scratch, self.roles) = (scratch, roles);
            answer?;
            let mut legal = Vec::with_capacity(self.roles.len());
            for values in &self.scratch {
                let values = values.iter();
                let mut moves: Vec<Move> = values
                    .map(|&v| self.moves.of_value(v, self.database.values()))
                    .collect::<Result<_, _>>()?;
                self.moves.sort(&mut moves);
                legal.push(moves);
            }
            self.legal = Some(legal);
        }
        out.extend_from_slice(&self.legal.as_ref().expect("just made")[role.index()]);
        Ok(())
    }

    fn next_state(&mut self, state: &FluentSet, joint: &[Move]) -> Result<FluentSet, EvalError> {
        self.load_joint(state, joint);
        let fluents = self.ask(Semantics::ask_next)?;
        self.state(fluents)
    }

    fn goals(&mut self, state: &FluentSet, out: &mut [Goals]) -> Result<(), EvalError> {
        self.load(state);
        let mut found = Vec::new();
        self.ask(|semantics, database, limits| {
            semantics.ask_goals(database, limits, |role, value| found.push((role, value)))
        })?;
        for (number, goals) in out.iter_mut().enumerate() {
            let role = self.roles[number];
            let own = found.iter().filter(|(whose, _)| *whose == role);
            *goals = Goals::of(own.map(|&(_, value)| self.goal(value)));
        }
        Ok(())
    }

    fn facts(&mut self, state: &FluentSet, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        self.make_room();
        let mut buffer = std::mem::take(&mut self.fluents);
        let fluents = state.values(self.database.values_mut(), &mut buffer);
        let answer = self.texts(fluents, out);
        self.fluents = buffer;
        answer
    }

    fn state_of(&mut self, facts: &[Fact]) -> Result<FluentSet, EvalError> {
        self.make_room();
        let mut values = Vec::with_capacity(facts.len());
        for fact in facts {
            let unknown = || EvalError::UnknownFact(fact.as_str().to_owned());
            let value = ground_term(fact.as_str(), self.database.values_mut()).ok_or_else(unknown)?;
            if !self.game.semantics().has_fluent(self.database.values().functor(value)) {
                return Err(unknown());
            }
            values.push(value);
        }
        values.sort_unstable();
        values.dedup();
        self.state(values)
    }

    fn percepts(
        &mut self,
        state: &FluentSet,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError> {
        self.load_joint(state, joint);
        let role = self.roles[role.index()];
        let seen = self.ask(|semantics, database, limits| semantics.ask_sees(database, role, limits))?;
        self.texts(&seen, out)
    }

    fn heap_bytes(&self, state: &FluentSet) -> usize {
        state.heap_bytes()
    }

    fn move_text(&self, mv: Move) -> &str {
        self.moves.text(mv)
    }

    fn parse_move(&mut self, text: &str) -> Option<Move> {
        self.moves.of_text(text)
    }

    fn has_many_moves(&self) -> bool {
        self.moves.is_large()
    }

    fn release_moves(&mut self) {
        self.moves = MoveTable::default();
        self.legal = None;
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        self.limits.interrupt = Some(stop.flag());
    }
}

impl Batches for Interpreter {}

impl Hints for Interpreter {}
