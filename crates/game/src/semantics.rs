//! The semantics of a game: its rules as a planned Datalog program, shared by all interpreters of the game.
//!
//! The static relations (those that depend on neither the state nor the moves) are evaluated once, when the
//! [`Semantics`] is made. The evaluation plans of the rules are chosen by the sizes of the relations in the
//! initial state and in a few states after it.

use crate::lower::{BRIDGE, Carrier, Form, Lowering, MOVE_LEVEL, STATE_LEVEL};
use ggp_datalog::Statistics;
use ggp_datalog::{
    Database, EvalError, Functor, Limits, Literal, Program, ProgramError, Query, RelationId, Rule, Value,
    Values,
};
use ggp_gdl::Description;
use rustc_hash::FxHashMap;

/// The relations into which an input of the rules, `true` or `does`, is lowered (see [`crate::lower`]). A
/// machine fills them with the state or with the joint move.
#[derive(Clone, Debug, Default)]
struct Input {
    whole: Option<RelationId>,
    flat: FxHashMap<Functor, RelationId>,
}

impl Input {
    fn new(forms: &[Form]) -> Input {
        let whole = forms.iter().find(|form| form.functor.is_none()).map(|form| form.relation);
        let flat = forms.iter().filter_map(|form| Some((form.functor?, form.relation))).collect();
        Input { whole, flat }
    }

    fn insert(&self, database: &mut Database, prefix: &[Value], carried: Value) {
        let functor = database.values().functor(carried);
        if let Some(&relation) = self.flat.get(&functor) {
            database.insert_parts(relation, prefix, carried);
        }
        if let Some(relation) = self.whole {
            database.insert_whole(relation, prefix, carried);
        }
    }
}

/// The rules of a game, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Semantics {
    program: Program,
    /// A database that contains the static relations and no state.
    prototype: Database,
    fluents: Input,
    moves: Input,
    init: Vec<Form>,
    next: Vec<Form>,
    legal: Vec<Form>,
    sees: Vec<Form>,
    goal: Option<RelationId>,
    terminal: Option<RelationId>,
    role: Option<RelationId>,
    ask: Queries,
    /// The relations that hold the answers of queries: `role`, `terminal`, `goal`, and the relations into
    /// which `init`, `next`, `legal` and `sees` are lowered.
    asked: Vec<RelationId>,
    on_demand: Vec<bool>,
    statistics: Statistics,
}

/// The queries to the rules of a game. Each query lists the relations to evaluate for one kind of answer.
#[derive(Clone, Debug)]
pub(crate) struct Queries {
    /// Asks for the static relations on which the other queries depend.
    pub(crate) fixed: Query,
    pub(crate) terminal: Query,
    pub(crate) legal: Query,
    pub(crate) goal: Query,
    pub(crate) next: Query,
    pub(crate) sees: Query,
}

/// The largest number of relations that the error message of a refused program names.
const SHOWN_NAMES: usize = 6;

/// The reason why rules have no semantics.
#[derive(Debug)]
pub(crate) enum SemanticsError {
    /// The evaluator refuses the program, although the rules passed their checks.
    Refused {
        /// The index, in the rulesheet, of a rule that causes the refusal. [`BRIDGE`] if no such rule is
        /// known.
        rule: u32,
        /// The evaluator's reason, with the names of the relations.
        reason: String,
    },
    /// A bound was exceeded while the static relations were evaluated.
    Eval(EvalError),
}

impl From<EvalError> for SemanticsError {
    fn from(error: EvalError) -> Self {
        SemanticsError::Eval(error)
    }
}

impl Semantics {
    /// Evaluates the static relations.
    ///
    /// # Errors
    /// When a bound of `limits` is exceeded.
    pub(crate) fn complete(&mut self, limits: &Limits) -> Result<(), EvalError> {
        let mut database = self.prototype.clone();
        self.program.evaluate(&mut database, &self.ask.fixed, limits)?;
        self.prototype = database;
        Ok(())
    }

    /// The semantics of `program`. No relation is evaluated yet.
    pub(crate) fn of_program(program: Program, description: &Description, lowering: &Lowering) -> Semantics {
        let defined = |carrier| -> Vec<Form> {
            lowering.forms(carrier).iter().filter(|form| form.defined).copied().collect()
        };
        let (init, next) = (defined(Carrier::Init), defined(Carrier::Next));
        let (legal, sees) = (defined(Carrier::Legal), defined(Carrier::Sees));
        let goal = lowering.relation(description, "goal", 2);
        let terminal = lowering.relation(description, "terminal", 0);
        let role = lowering.relation(description, "role", 1);
        let relations = |forms: &[Form]| forms.iter().map(|form| form.relation).collect::<Vec<_>>();
        let mut asked: Vec<RelationId> =
            [&init, &next, &legal, &sees].into_iter().flat_map(|f| relations(f)).collect();
        asked.extend([goal, terminal, role].into_iter().flatten());
        Semantics {
            prototype: Database::new(&program, lowering.values.clone()),
            fluents: Input::new(lowering.forms(Carrier::True)),
            moves: Input::new(lowering.forms(Carrier::Does)),
            ask: Queries {
                fixed: program.query_below(&asked, STATE_LEVEL),
                terminal: program.query(terminal.as_slice()),
                legal: program.query(&relations(&legal)),
                goal: program.query(goal.as_slice()),
                next: program.query(&relations(&next)),
                sees: program.query(&relations(&sees)),
            },
            statistics: program.statistics(),
            on_demand: Vec::new(),
            program,
            init,
            next,
            legal,
            sees,
            goal,
            terminal,
            role,
            asked,
        }
    }

    /// Plans all rules again for the relation sizes in `statistics`, and drops all evaluated relations.
    pub(crate) fn plan(&mut self, statistics: Statistics) {
        self.program.plan(&statistics).expect("planned before, so safe");
        self.statistics = statistics;
        self.prototype = Database::new(&self.program, self.prototype.values().clone());
    }

    pub(crate) fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }

    pub(crate) fn queries(&self) -> &Queries {
        &self.ask
    }

    pub(crate) fn set_on_demand(&mut self, on_demand: Vec<bool>) {
        self.on_demand = on_demand;
    }

    /// The relations that hold the answers of queries: `role`, `terminal`, `goal`, and the relations into
    /// which `init`, `next`, `legal` and `sees` are lowered.
    pub fn asked(&self) -> &[RelationId] {
        &self.asked
    }

    /// For each relation of the lowered program, whether it is evaluated on demand (magic sets).
    pub fn on_demand(&self) -> &[bool] {
        &self.on_demand
    }

    /// The sizes of the program's relations in a sample playout.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The planned Datalog program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A copy of the database that contains the static relations and no state.
    pub fn database(&self) -> Database {
        self.prototype.clone()
    }

    /// The terms of the rules and of the static relations.
    pub fn program_values(&self) -> &Values {
        self.prototype.values()
    }

    /// The terms of the roles, in the order of the `role` facts.
    pub fn roles(&self) -> Vec<Value> {
        self.roles_in(&self.prototype)
    }

    pub(crate) fn roles_in(&self, database: &Database) -> Vec<Value> {
        let rows = self.role.map(|role| database.relation(role));
        rows.map_or_else(Vec::new, |rows| rows.rows().map(|row| row[0]).collect())
    }

    /// The fluents of the initial state, sorted.
    pub(crate) fn initial_state(&self, database: &mut Database) -> Vec<Value> {
        collect(&self.init, database)
    }

    /// Recovers from a failed query: removes the state from the database, and keeps only the first `terms`
    /// terms.
    pub(crate) fn roll_back(&self, database: &mut Database, terms: usize) {
        database.roll_back(&self.program, STATE_LEVEL, terms);
    }

    /// Removes the state from the database and releases the temporary terms.
    pub(crate) fn clear_state(&self, database: &mut Database) {
        database.release_from(&self.program, STATE_LEVEL);
    }

    /// Loads a state into the database, which must not contain one.
    pub(crate) fn load_state(&self, database: &mut Database, state: &[Value]) {
        for &fluent in state {
            self.fluents.insert(database, &[], fluent);
        }
    }

    /// Replaces the joint move in the database.
    pub(crate) fn load_moves(&self, database: &mut Database, roles: &[Value], joint: &[Value]) {
        database.clear_from(&self.program, MOVE_LEVEL);
        for (&role, &mv) in roles.iter().zip(joint) {
            self.moves.insert(database, &[role], mv);
        }
    }

    pub(crate) fn ask_terminal(&self, database: &mut Database, limits: &Limits) -> Result<bool, EvalError> {
        self.program.evaluate(database, &self.ask.terminal, limits)?;
        Ok(self.is_terminal(database))
    }

    pub(crate) fn ask_legal(
        &self,
        database: &mut Database,
        roles: &[Value],
        limits: &Limits,
        out: &mut [Vec<Value>],
    ) -> Result<(), EvalError> {
        self.program.evaluate(database, &self.ask.legal, limits)?;
        self.legal_moves(database, roles, out);
        Ok(())
    }

    /// Evaluates the goals of the loaded state. Calls `each` with the role and the value of each goal.
    pub(crate) fn ask_goals(
        &self,
        database: &mut Database,
        limits: &Limits,
        mut each: impl FnMut(Value, Value),
    ) -> Result<(), EvalError> {
        self.program.evaluate(database, &self.ask.goal, limits)?;
        if let Some(goal) = self.goal {
            database.relation(goal).rows().for_each(|row| each(row[0], row[1]));
        }
        Ok(())
    }

    /// Evaluates the fluents of the state after the loaded joint move. They are sorted.
    pub(crate) fn ask_next(&self, database: &mut Database, limits: &Limits) -> Result<Vec<Value>, EvalError> {
        self.program.evaluate(database, &self.ask.next, limits)?;
        Ok(self.next_state(database))
    }

    /// Evaluates the percepts of `role` for the loaded joint move. They are sorted.
    pub(crate) fn ask_sees(
        &self,
        database: &mut Database,
        role: Value,
        limits: &Limits,
    ) -> Result<Vec<Value>, EvalError> {
        self.program.evaluate(database, &self.ask.sees, limits)?;
        let mut seen = Vec::new();
        for form in &self.sees {
            carried(form, 1, database, |row, value| {
                if row == role {
                    seen.push(value);
                }
            });
        }
        seen.sort_unstable();
        seen.dedup();
        Ok(seen)
    }

    /// Whether a fluent with the function symbol and arity `functor` can ever be true.
    pub(crate) fn has_fluent(&self, functor: Functor) -> bool {
        let forms = self.init.iter().chain(&self.next);
        forms.into_iter().any(|form| form.functor.is_none_or(|f| f == functor))
    }

    pub(crate) fn is_terminal(&self, database: &Database) -> bool {
        self.terminal.is_some_and(|terminal| !database.relation(terminal).is_empty())
    }

    pub(crate) fn legal_moves(&self, database: &mut Database, roles: &[Value], out: &mut [Vec<Value>]) {
        out.iter_mut().for_each(Vec::clear);
        for form in &self.legal {
            carried(form, 1, database, |role, mv| {
                if let Some(number) = roles.iter().position(|&r| r == role) {
                    out[number].push(mv);
                }
            });
        }
        if self.legal.len() > 1 && self.legal.iter().any(|form| form.functor.is_none()) {
            for moves in out {
                moves.sort_unstable();
                moves.dedup();
            }
        }
    }

    pub(crate) fn next_state(&self, database: &mut Database) -> Vec<Value> {
        collect(&self.next, database)
    }
}

impl SemanticsError {
    /// Converts `error`, with which the evaluator refuses a program, into an error in terms of the rulesheet.
    pub(crate) fn refused(lowering: &Lowering, error: &ProgramError) -> SemanticsError {
        let cycle = match error {
            ProgramError::Unsafe { label, .. } => {
                let reason = "no positive condition binds a variable of this rule".to_owned();
                return SemanticsError::Refused { rule: *label, reason };
            }
            ProgramError::NotStratified(cycle) => cycle,
        };
        let is_in = |relation| cycle.binary_search(&relation).is_ok();
        let negates = |rule: &&Rule| {
            let negative = |literal: &Literal| matches!(literal, Literal::Negative(a) if is_in(a.relation));
            is_in(rule.head.relation) && rule.body.iter().any(negative)
        };
        let name = |relation: &RelationId| format!("`{}`", lowering.signatures[relation.index()].name);
        let names: Vec<String> = cycle.iter().take(SHOWN_NAMES).map(name).collect();
        let more = if cycle.len() > SHOWN_NAMES { ", …" } else { "" };
        SemanticsError::Refused {
            rule: lowering.rules.iter().find(negates).map_or(BRIDGE, |rule| rule.label),
            reason: format!("negation through recursion among {}{more}", names.join(", ")),
        }
    }
}

/// The fluents in the relations of `forms`, which are forms of `init` or of `next`. They are sorted and
/// without duplicates.
fn collect(forms: &[Form], database: &mut Database) -> Vec<Value> {
    let mut values = Vec::new();
    for form in forms {
        carried(form, 0, database, |_, value| values.push(value));
    }
    values.sort_unstable();
    values.dedup();
    values
}

/// For each tuple of the relation of `form`, calls `each` with a role and a term. The term is the fluent,
/// move or percept that the tuple represents. `prefix` is the number of columns before that term. If it is
/// 0, the tuple has no role, and the first argument of `each` has no meaning.
fn carried(form: &Form, prefix: usize, database: &mut Database, mut each: impl FnMut(Value, Value)) {
    for row in 0..database.relation(form.relation).len() {
        let term = match form.functor {
            None => database.relation(form.relation).row(row)[prefix],
            Some(functor) => database.term_of_row(functor, form.relation, row, prefix),
        };
        let first = database.relation(form.relation).row(row).first().copied().unwrap_or(term);
        each(first, term);
    }
}
