//! Explanations of why an atom holds in a state, or of which condition keeps it from holding, in terms of the
//! rules as they are written.
//!
//! An explanation is a tree of instances of the rules of the description. The explainer evaluates these rules
//! without demand rewriting (magic sets). Invariants: no atom supports itself, because an atom of a recursive
//! relation is explained only by atoms with shorter proofs. The size and the depth of a tree are bounded;
//! omitted parts are marked.
//!
//! # Examples
//! ```
//! use ggp_explain::{Because, Explainer, Verdict};
//! use ggp_game::{Fact, Game};
//! use std::sync::Arc;
//! let rules = b"(role a)\n(legal a go)\n(<= terminal\n    (true (at 2)))\n(goal a 0) (init (at 1)) (next (at 2))";
//! let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
//! let mut explainer = Explainer::new(&game);
//! explainer.load(&[Fact::new("(at 1)").unwrap()], &[]).unwrap();
//! let why = explainer.explain("terminal").unwrap();
//! assert_eq!((why.verdict, why.because), (Verdict::Fails, Because::Nearest { line: 3, of: 1 }));
//! assert_eq!((why.parts[0].text.as_str(), why.parts[0].because), ("(true (at 2))", Because::State));
//! ```

use ggp_datalog::split::split_by_constants;
use ggp_datalog::{Argument, Atom, Body, Database, Functor, Limits, Program, RelationId, Statistics, Value};
use ggp_game::lower::ground_term;
use ggp_game::lower::{CARRIERS, Carrier, Lowering};
use ggp_game::{EvalError, Fact, Game, StopToken};
use ggp_gdl::{self as gdl, Keyword};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

mod attempt;
mod failure;
mod open;
mod proof;
#[cfg(test)]
mod tests;
mod text;
mod words;

/// The largest number of nodes of an explanation.
const MAX_NODES: usize = 400;

/// The largest depth of an explanation.
const MAX_DEPTH: usize = 32;

/// The maximum number of rule instances that are examined to find the shortest proof of one atom of a
/// recursive relation.
const MAX_INSTANCES: usize = 200_000;

/// Whether an atom or a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The atom or condition holds.
    Holds,
    /// The atom or condition does not hold.
    Fails,
    /// The condition was not examined, because an earlier condition of the rule fails.
    Untried,
}

/// The reason for a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// The state decides: the fact holds because it is in the state, or fails because it is not in the state.
    State,
    /// The joint move decides: a `does` atom holds if its move is part of the joint move, and fails
    /// otherwise.
    Moves,
    /// A rule derives the atom. The field is the line of the rule in the rulesheet, from 1. If the
    /// explanation has no parts, the rule is a fact.
    Rule(usize),
    /// No rule derives the atom. The parts explain the rule that comes nearest to deriving the atom.
    Nearest {
        /// The line of the nearest rule, from 1.
        line: usize,
        /// The number of rules whose heads match the atom.
        of: usize,
    },
    /// No rule has a head that matches the atom.
    NoRule,
    /// The same atom is explained elsewhere in the tree.
    Elsewhere,
    /// The explanation is omitted because the tree would grow too large.
    Omitted,
    /// None of the reasons above applies. A negated condition that fails has one part, which explains why the
    /// negated atom holds. Every other condition with this variant has no parts.
    Itself,
}

/// The reason why one atom, or one condition of a rule, holds or fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// The canonical text of the atom or condition. Variables without a value keep their names.
    pub text: String,
    /// Whether the atom or condition holds.
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub because: Because,
    /// If `because` names a rule, the explanations of its conditions, in order. If this is the explanation of
    /// a negated condition that fails, one part: the explanation of the atom that the condition negates.
    pub parts: Vec<Explanation>,
}

/// The reason why there is no explanation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExplainError {
    /// The text is not one ground atom.
    #[error("{}", no_fact(.0))]
    NoFact(String),
    /// The rules have no relation or fluent with the name and arity in the request.
    #[error("{}", unknown(.name, *.arity, *.other))]
    Unknown {
        /// The name in the request.
        name: String,
        /// The arity in the request.
        arity: usize,
        /// Another arity with which the rules define a relation of the same name. `None` if there is no such
        /// relation.
        other: Option<usize>,
    },
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

/// The message of [`ExplainError::NoFact`].
fn no_fact(text: &str) -> String {
    let error =
        gdl::sexpr::read(text.as_bytes()).err().and_then(|errors| errors.diagnostics.into_iter().next());
    match error {
        Some(error) => {
            let help = error.help.map(|help| format!("; {help}")).unwrap_or_default();
            format!("`{text}` cannot be read: {}{help}", error.message)
        }
        None => format!("`{text}` is not one fact without variables, such as (legal white noop)"),
    }
}

/// The message of [`ExplainError::Unknown`].
fn unknown(name: &str, arity: usize, other: Option<usize>) -> String {
    let arguments = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
    if let Some(other) = other {
        return format!("`{name}` takes {} in these rules, not {arity}", arguments(other));
    }
    // The rules can name the keyword, but with other arguments.
    match Carrier::of(&name.to_ascii_lowercase(), arity) {
        Some(Carrier::Does) => {
            "no rule asks for this move by `does`, so nothing follows from it; `legal` says whether it is allowed"
                .to_owned()
        }
        Some(Carrier::Legal | Carrier::Input) => format!("no rule gives such a move by `{name}`"),
        Some(Carrier::Sees) => format!("no rule gives such a percept by `{name}`"),
        Some(_) => format!("the rules have no such fluent for `{name}`"),
        None => format!("the rules have no relation or fluent `{name}` with {}", arguments(arity)),
    }
}

/// A ground atom of the program: its relation and its arguments.
type Ground = (RelationId, Box<[Value]>);

/// An instance of a rule: the index of the rule in the program, and the values of its variables.
type Instance = (usize, Box<[Value]>);

/// The meaning in GDL of a relation of the lowered program: an ordinary relation, or one form of a carrier.
/// A carrier is a keyword such as `true` whose last argument is a fluent, a move or a percept. It is lowered
/// to several relations, which are called its forms.
#[derive(Clone, Debug)]
enum Shape {
    Ordinary(String),
    Whole(Carrier),
    Flat(Carrier, Functor),
}

/// Explains atoms in the state that [`Explainer::load`] has loaded.
#[derive(Debug)]
pub struct Explainer {
    game: Arc<Game>,
    lowering: Lowering,
    program: Program,
    database: Database,
    statistics: Statistics,
    limits: Limits,
    shapes: Vec<Shape>,
    /// For each relation, the indices of the rules that define it.
    rules_of: Vec<Vec<usize>>,
    /// For each relation, the index of its stratum, and whether the rules of that stratum are recursive.
    strata: Vec<(usize, bool)>,
    bodies: FxHashMap<usize, Body>,
    /// For each atom of a recursive relation that has been proved, the rule instance that derives the atom.
    proofs: FxHashMap<Ground, Instance>,
    /// The atoms that the explanation in progress already explains.
    shown: FxHashSet<Ground>,
    /// The same for the atoms with open variables.
    asked: FxHashSet<open::Pattern>,
    nodes: usize,
}

impl Explainer {
    /// Makes an explainer of `game`. Its state contains no fact until [`Explainer::load`] is called.
    ///
    /// # Panics
    /// Never: the rules of a game are safe and stratified.
    pub fn new(game: &Arc<Game>) -> Explainer {
        let mut lowering = Lowering::new(game.description());
        let mut shapes = Vec::new();
        for signature in &lowering.signatures {
            let name = signature.name.rsplit_once('/').map_or(&*signature.name, |(name, _)| name);
            shapes.push(Shape::Ordinary(name.to_owned()));
        }
        for carrier in CARRIERS {
            for form in lowering.forms(carrier) {
                shapes[form.relation.index()] =
                    form.functor.map_or(Shape::Whole(carrier), |functor| Shape::Flat(carrier, functor));
            }
            if let Some(concluded) = lowering.concluded(carrier) {
                shapes[concluded.index()] = Shape::Whole(carrier);
            }
        }
        let plain = lowering.signatures.len();
        split_by_constants(&mut lowering.signatures, &mut lowering.rules, &lowering.values);
        // A part of a split relation is displayed as the whole relation.
        for part in plain..lowering.signatures.len() {
            let name = &lowering.signatures[part].name;
            let is_whole = |whole: &usize| {
                name.strip_prefix(&*lowering.signatures[*whole].name)
                    .is_some_and(|rest| rest.starts_with('['))
            };
            let whole = (0..plain).filter(is_whole).max_by_key(|&w| lowering.signatures[w].name.len());
            shapes.push(shapes[whole.expect("only relations of the rules are split")].clone());
        }
        let program = Program::new(lowering.signatures.clone(), lowering.rules.clone())
            .expect("a game's rules are safe and stratified");
        let mut rules_of = vec![Vec::new(); shapes.len()];
        for (number, rule) in lowering.rules.iter().enumerate() {
            rules_of[rule.head.relation.index()].push(number);
        }
        let mut strata = vec![(0, false); shapes.len()];
        for (number, stratum) in program.strata().iter().enumerate() {
            for relation in &stratum.relations {
                strata[relation.index()] = (number, stratum.recursive);
            }
        }
        Explainer {
            database: Database::new(&program, lowering.values.clone()),
            statistics: program.statistics(),
            limits: game.limits().clone(),
            game: Arc::clone(game),
            lowering,
            program,
            shapes,
            rules_of,
            strata,
            bodies: FxHashMap::default(),
            proofs: FxHashMap::default(),
            shown: FxHashSet::default(),
            asked: FxHashSet::default(),
            nodes: 0,
        }
    }

    /// Ends evaluations soon after `stop` is raised, with [`EvalError::Interrupted`]. Replaces the flag of the limits
    /// of the game.
    pub fn interrupt_on(&mut self, stop: &StopToken) {
        self.limits.interrupt = Some(stop.flag());
    }

    /// Replaces the state by `facts`, and the joint move by `joint`, which is in role order. If `joint` has
    /// fewer moves than there are roles, the last roles have no move.
    ///
    /// # Errors
    /// [`EvalError::UnknownFact`] when a text in `facts` or `joint` is not exactly one term.
    pub fn load(&mut self, facts: &[Fact], joint: &[String]) -> Result<(), EvalError> {
        self.database.clear_from(&self.program, 0);
        for fact in facts {
            let value = self.value(fact.as_str())?;
            self.insert(Carrier::True, &[], value);
        }
        let roles: Vec<String> = self.game.roles().map(|r| self.game.role_name(r).to_owned()).collect();
        for (role, mv) in roles.iter().zip(joint) {
            let (role, mv) = (self.value(role)?, self.value(mv)?);
            self.insert(Carrier::Does, &[role], mv);
        }
        Ok(())
    }

    /// Explains why `fact` holds or fails. A fact is an atom of the rules, such as `(legal white noop)` or
    /// `terminal`, or a fluent, such as `(cell 1 1 b)` for `(true (cell 1 1 b))`.
    ///
    /// # Errors
    /// When `fact` is not one ground atom, when the rules have no such relation or fluent, or when the rules
    /// cannot be evaluated.
    pub fn explain(&mut self, fact: &str) -> Result<Explanation, ExplainError> {
        let atoms = self.resolve(fact)?;
        let relations: Vec<RelationId> = atoms.iter().map(|(relation, _)| *relation).collect();
        let query = self.program.query(&relations);
        self.program
            .evaluate_adaptively(&mut self.database, &query, &self.limits, &mut self.statistics)
            .map_err(|error| self.game.eval_error(&error))?;
        (self.nodes, self.shown, self.proofs) = (0, FxHashSet::default(), FxHashMap::default());
        self.bodies.clear();
        self.asked.clear();
        match atoms.iter().find(|atom| self.holds(atom)) {
            Some(atom) => Ok(self.why(atom, 0)?),
            None => Ok(self.why_not(&atoms, 0)?),
        }
    }

    fn value(&mut self, text: &str) -> Result<Value, EvalError> {
        let text = self.respell(text);
        ground_term(&text, self.database.values_mut()).ok_or(EvalError::UnknownFact(text))
    }

    fn insert(&mut self, carrier: Carrier, prefix: &[Value], carried: Value) {
        let functor = self.database.values().functor(carried);
        for form in self.lowering.forms(carrier) {
            match form.functor {
                None => self.database.insert_whole(form.relation, prefix, carried),
                Some(f) if f == functor => self.database.insert_parts(form.relation, prefix, carried),
                Some(_) => false,
            };
        }
    }

    /// Corrects the letter case of words. A word of `text` that the rules do not contain is replaced by the
    /// word of the rules that differs from it only in ASCII case, if there is exactly one such word.
    fn respell(&self, text: &str) -> String {
        let symbols = &self.game.description().symbols;
        let respell = |word: &str| -> String {
            if symbols.get(word).is_some() {
                return word.to_owned();
            }
            let mut alike = symbols.iter().filter(|(_, name)| name.eq_ignore_ascii_case(word));
            match (alike.next(), alike.next()) {
                (Some((_, name)), None) => name.to_owned(),
                _ => word.to_owned(),
            }
        };
        let is_edge = |c: char| c.is_whitespace() || c == '(' || c == ')';
        let mut out = String::with_capacity(text.len());
        for piece in text.split_inclusive(is_edge) {
            let edge = piece.chars().next_back().filter(|&c| is_edge(c));
            let word = edge.map_or(piece, |edge| &piece[..piece.len() - edge.len_utf8()]);
            if !word.is_empty() {
                out.push_str(&respell(word));
            }
            out.extend(edge);
        }
        out
    }

    /// The atoms of the lowered program that stand for the GDL atom in `text`. There can be several, because
    /// `true` and the other keywords with a fluent, a move or a percept are lowered to several relations.
    fn resolve(&mut self, text: &str) -> Result<Vec<Ground>, ExplainError> {
        let no_fact = || ExplainError::NoFact(text.to_owned());
        if text.split([' ', '(', ')', '\t', '\n']).any(|word| word.starts_with('?')) {
            return Err(no_fact());
        }
        let spelled = self.respell(text);
        let term = ground_term(&spelled, self.database.values_mut()).ok_or_else(no_fact)?;
        let values = self.database.values();
        let functor = values.functor(term);
        let args = values.arguments(term).to_vec();
        let name = values.spelling(functor.name).to_owned();
        let folded = name.to_ascii_lowercase();
        let keyword = if Keyword::ALL.iter().any(|k| k.name() == folded) { &folded } else { &name };
        if let Some(carrier) = Carrier::of(keyword, args.len()) {
            let (&carried, prefix) = args.split_last().expect("a carrier has an argument");
            let atoms = self.carried(carrier, prefix, carried);
            return if atoms.is_empty() { Err(self.unknown(&name, args.len())) } else { Ok(atoms) };
        }
        if let Some(relation) = self.lowering.relation(self.game.description(), keyword, args.len()) {
            return Ok(vec![(relation, args.into())]);
        }
        let atoms = self.carried(Carrier::True, &[], term);
        let unknown = self.unknown(&name, args.len());
        // If the rules use a variable for a whole fluent, any term can be a fluent. But a term with the name
        // of a relation and another arity is more likely a mistake.
        let is_slip = matches!(unknown, ExplainError::Unknown { other: Some(_), .. })
            && !self.lowering.forms(Carrier::True).iter().any(|form| form.functor == Some(functor));
        if atoms.is_empty() || is_slip { Err(unknown) } else { Ok(atoms) }
    }

    fn carried(&self, carrier: Carrier, prefix: &[Value], carried: Value) -> Vec<Ground> {
        let values = self.database.values();
        let functor = values.functor(carried);
        let tuple = |rest: &[Value]| [prefix, rest].concat().into_boxed_slice();
        let mut atoms = Vec::new();
        for form in self.lowering.forms(carrier) {
            match form.functor {
                None => atoms.push((form.relation, tuple(&[carried]))),
                Some(f) if f == functor => atoms.push((form.relation, tuple(values.arguments(carried)))),
                Some(_) => {}
            }
        }
        atoms
    }

    fn unknown(&self, name: &str, arity: usize) -> ExplainError {
        let rules = &self.game.description().rules;
        let is_named = |rule: &&gdl::Rule| self.game.description().name(rule.head.relation) == name;
        let keyword = || Keyword::of(name).map(Keyword::arity);
        let other = rules.iter().find(is_named).map(|rule| rule.head.args.len()).or_else(keyword);
        ExplainError::Unknown { name: name.to_owned(), arity, other: other.filter(|&n| n != arity) }
    }

    fn holds(&self, (relation, tuple): &Ground) -> bool {
        self.database.relation(*relation).contains(tuple)
    }

    fn input_of(&self, relation: RelationId) -> Option<Because> {
        match self.shapes[relation.index()] {
            Shape::Whole(Carrier::True) | Shape::Flat(Carrier::True, _) => Some(Because::State),
            Shape::Whole(Carrier::Does) | Shape::Flat(Carrier::Does, _) => Some(Because::Moves),
            _ => None,
        }
    }
}

fn plain(text: String, verdict: Verdict) -> Explanation {
    Explanation { text, verdict, because: Because::Itself, parts: Vec::new() }
}

fn ground(atom: &Atom, bindings: &[Value]) -> Ground {
    let value = |argument: &Argument| match argument {
        Argument::Value(value) => *value,
        Argument::Variable(variable) => bindings[variable.index()],
    };
    (atom.relation, atom.args.iter().map(value).collect())
}
