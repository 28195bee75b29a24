//! Why something holds in a state, or which condition keeps it from holding, in terms of the rules
//! as they are written.
//!
//! An explanation is a tree of instances of the description's own rules, over a program that
//! nothing has rewritten. Invariants: no tree rests on itself (where rules are recursive, an atom
//! is explained only by atoms that have a shorter proof), and its size and depth are bounded;
//! what is left out is marked.

use crate::interpreter::ground_term;
use crate::lower::{CARRIERS, Carrier, Lowering};
use crate::{EvalError, Fact, Game};
use ggp_datalog::split::split_by_constants;
use ggp_datalog::{
    Argument, Atom, Body, Database, Functor, Limits, Literal, Program, RelationId, Rule, Statistics, Value,
    Variable,
};
use ggp_gdl::{self as gdl, Keyword, Symbol, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// An explanation has at most so many nodes.
const MAX_NODES: usize = 400;

/// An explanation is at most so deep.
const MAX_DEPTH: usize = 32;

/// Where rules are recursive, so many rule instances are looked at for the shortest proof.
const MAX_INSTANCES: usize = 200_000;

/// Whether something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// It was not looked at, for an earlier condition of the rule fails.
    Untried,
}

/// What a verdict rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// It is, or is not, among the facts of the state.
    State,
    /// It is, or is not, among the moves of the joint move.
    Moves,
    /// The rule in this line of the text; without parts it is a fact.
    Rule(usize),
    /// Of so many rules that could give it, the one in this line comes nearest.
    Nearest {
        /// The line, from 1.
        line: usize,
        /// How many rules could give it.
        of: usize,
    },
    /// No rule could ever give it.
    NoRule,
    /// It is explained elsewhere in the tree.
    Elsewhere,
    /// The tree would grow too large.
    Omitted,
    /// It needs no explanation, or has none beyond its parts.
    Itself,
}

/// Why one atom, or one condition of a rule, holds or fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// Its canonical text; variables that have no value keep their names.
    pub text: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// On what that rests.
    pub because: Because,
    /// The conditions of the rule.
    pub parts: Vec<Explanation>,
}

/// Why there is no explanation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExplainError {
    /// The text is not one ground atom.
    #[error("`{0}` is not one fact without variables, such as (legal white noop)")]
    NoFact(String),
    /// The rules have nothing of that name.
    #[error("the rules have no relation or fluent `{name}` with {arity} arguments{}", meant(*.other))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// How many arguments it had.
        arity: usize,
        /// How many the rules give a relation of that name.
        other: Option<usize>,
    },
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

fn meant(other: Option<usize>) -> String {
    other.map_or_else(String::new, |arity| format!("; `{arity}` is how many it takes"))
}

/// A ground atom of the program.
type Ground = (RelationId, Box<[Value]>);

/// An instance of a rule: which, and the values of its variables.
type Instance = (usize, Box<[Value]>);

/// What the tuples of a relation say.
#[derive(Clone, Debug)]
enum Shape {
    Ordinary(String),
    Whole(Carrier),
    Flat(Carrier, Functor),
}

/// Explains facts of one state after the other.
#[derive(Debug)]
pub struct Explainer {
    game: Arc<Game>,
    lowering: Lowering,
    program: Program,
    database: Database,
    statistics: Statistics,
    limits: Limits,
    shapes: Vec<Shape>,
    /// The rules of each relation.
    rules_of: Vec<Vec<usize>>,
    /// The stratum of each relation, and whether it is recursive.
    strata: Vec<(usize, bool)>,
    bodies: FxHashMap<usize, Body>,
    /// By which instance each recursive atom is explained.
    proofs: FxHashMap<Ground, Instance>,
    /// What the tree has explained already.
    shown: FxHashSet<Ground>,
    nodes: usize,
}

impl Explainer {
    /// Explains facts of `game`, in a state without any fact until one is loaded.
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
        // A part is shown as what it is a part of.
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
            nodes: 0,
        }
    }

    /// From now on explains what holds in the state of exactly `facts`, after which the joint move
    /// `joint` is made, in role order; no move for the roles that it leaves out.
    ///
    /// # Errors
    /// [`EvalError::UnknownFact`] when one of the texts is not one term.
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

    /// Why `fact` holds, or why it does not. A fact is an atom of the rules, as
    /// `(legal white noop)` or `terminal`, or a fluent, as `(cell 1 1 b)` for `(true (cell 1 1 b))`.
    ///
    /// # Errors
    /// When `fact` is nothing that the rules speak of, or the rules cannot be evaluated.
    pub fn explain(&mut self, fact: &str) -> Result<Explanation, ExplainError> {
        let atoms = self.resolve(fact)?;
        let relations: Vec<RelationId> = atoms.iter().map(|(relation, _)| *relation).collect();
        let query = self.program.query(&relations);
        self.program
            .evaluate_adaptively(&mut self.database, &query, &self.limits, &mut self.statistics)
            .map_err(|error| self.game.eval_error(&error))?;
        (self.nodes, self.shown, self.proofs) = (0, FxHashSet::default(), FxHashMap::default());
        self.bodies.clear();
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

    /// `text` with the words that the rules spell in one other way only spelled that way.
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

    /// The atoms of the program that a text may mean; all of them say the same.
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
        // Any term can be a fluent where a variable stands for the whole of one; but a relation
        // with too many or too few arguments is more likely a slip.
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
        let other = rules.iter().find(is_named).map(|rule| rule.head.args.len());
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

    // ---- Why something holds ------------------------------------------------------------------

    fn why(&mut self, atom: &Ground, depth: usize) -> Result<Explanation, EvalError> {
        let text = self.text(atom);
        let leaf = |because| Explanation { text, verdict: Verdict::Holds, because, parts: Vec::new() };
        self.nodes += 1;
        if let Some(input) = self.input_of(atom.0) {
            return Ok(leaf(input));
        }
        if depth >= MAX_DEPTH || self.nodes >= MAX_NODES {
            return Ok(leaf(Because::Omitted));
        }
        let Some((number, bindings)) = self.proof(atom)? else { return Ok(leaf(Because::Omitted)) };
        if let Some(same) = self.pass(number, atom) {
            return self.why(&same, depth);
        }
        let line = self.line(number);
        if self.program.rules()[number].body.is_empty() {
            return Ok(leaf(Because::Rule(line)));
        }
        if !self.shown.insert(atom.clone()) {
            return Ok(leaf(Because::Elsewhere));
        }
        let mut explanation = leaf(Because::Rule(line));
        for (place, literal) in self.conditions(number) {
            let text = self.condition_text(number, literal, |v| Some(bindings[v.index()]));
            let part = match &self.program.rules()[number].body[place] {
                Literal::Positive(atom) => {
                    let ground = ground(atom, &bindings);
                    self.why(&ground, depth + 1)?
                }
                _ => plain(text, Verdict::Holds),
            };
            explanation.parts.push(part);
        }
        Ok(explanation)
    }

    /// The rule instance by which `atom`, which holds, is explained.
    fn proof(&mut self, atom: &Ground) -> Result<Option<Instance>, EvalError> {
        if let Some(known) = self.proofs.get(atom) {
            return Ok(Some(known.clone()));
        }
        if self.strata[atom.0.index()].1 {
            self.prove(atom)?;
            return Ok(self.proofs.get(atom).cloned());
        }
        for number in self.rules_of[atom.0.index()].clone() {
            if let Some(same) = self.pass(number, atom) {
                if self.holds(&same) {
                    return Ok(Some((number, Box::default())));
                }
            } else if let Some(bindings) = self.solutions(number, atom, true)?.pop() {
                return Ok(Some((number, bindings)));
            }
        }
        Ok(None)
    }

    /// Finds the shortest proofs of `atom` and of all that it may rest on within its stratum.
    fn prove(&mut self, atom: &Ground) -> Result<(), EvalError> {
        let stratum = self.strata[atom.0.index()].0;
        let mut numbers: FxHashMap<Ground, usize> = FxHashMap::from_iter([(atom.clone(), 0)]);
        let mut atoms = vec![atom.clone()];
        // Instances with the atoms that they wait for, and for each atom who waits for it.
        let mut instances: Vec<(usize, Instance, usize)> = Vec::new();
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new()];
        let mut next = 0;
        while next < atoms.len() && instances.len() < MAX_INSTANCES {
            let head = atoms[next].clone();
            for number in self.rules_of[head.0.index()].clone() {
                let found: Vec<(Instance, Vec<Ground>)> = match self.pass(number, &head) {
                    Some(same) if !self.holds(&same) => continue,
                    Some(same) => vec![((number, Box::default()), vec![same])],
                    None => {
                        let solutions = self.solutions(number, &head, false)?;
                        let body = &self.program.rules()[number].body;
                        let needed = |bindings: &[Value]| {
                            let positive = body.iter().filter_map(|literal| match literal {
                                Literal::Positive(atom) => Some(ground(atom, bindings)),
                                _ => None,
                            });
                            positive.filter(|(r, _)| self.strata[r.index()].0 == stratum).collect()
                        };
                        solutions
                            .into_iter()
                            .map(|b| (needed(&b), b))
                            .map(|(n, b)| ((number, b), n))
                            .collect()
                    }
                };
                for (instance, needed) in found {
                    let id = instances.len();
                    instances.push((next, instance, needed.len()));
                    for ground in needed {
                        let number = *numbers.entry(ground.clone()).or_insert_with(|| {
                            atoms.push(ground);
                            waiting.push(Vec::new());
                            atoms.len() - 1
                        });
                        waiting[number].push(id);
                    }
                }
            }
            next += 1;
        }
        let ready = instances.iter().enumerate().filter(|(_, (_, _, open))| *open == 0);
        let mut queue: VecDeque<usize> = ready.map(|(id, _)| id).collect();
        while let Some(id) = queue.pop_front() {
            let (head, instance, _) = &instances[id];
            let head = *head;
            if self.proofs.contains_key(&atoms[head]) {
                continue;
            }
            self.proofs.insert(atoms[head].clone(), instance.clone());
            for &waiter in &waiting[head] {
                instances[waiter].2 -= 1;
                if instances[waiter].2 == 0 {
                    queue.push_back(waiter);
                }
            }
        }
        Ok(())
    }

    /// The values of a rule's variables for which it gives `atom`: the first, or all.
    fn solutions(
        &mut self,
        number: usize,
        atom: &Ground,
        first_only: bool,
    ) -> Result<Vec<Box<[Value]>>, EvalError> {
        let Some(given) = self.given(number, atom) else { return Ok(Vec::new()) };
        if !self.bodies.contains_key(&number) {
            let rule = self.program.rules()[number].clone();
            let Some(body) = self.plan(&rule) else { return Ok(Vec::new()) };
            self.bodies.insert(number, body);
        }
        let body = self.bodies[&number].clone();
        self.solve(&body, &given, first_only)
    }

    /// Plans the body of `rule`, given the values of the variables of its head.
    fn plan(&mut self, rule: &Rule) -> Option<Body> {
        let given: Vec<Variable> = rule.head.args.iter().filter_map(|a| a.variable()).collect();
        let body = Body::plan(&mut self.program, rule, &given, &self.statistics).ok()?;
        self.database.reindex(&self.program);
        Some(body)
    }

    fn solve(
        &mut self,
        body: &Body,
        given: &[Value],
        first_only: bool,
    ) -> Result<Vec<Box<[Value]>>, EvalError> {
        let mut found: Vec<Box<[Value]>> = Vec::new();
        let most = if first_only { 1 } else { MAX_INSTANCES };
        let result = body.for_each(&mut self.database, given, &self.limits, |_, bindings| {
            found.push(bindings.into());
            // The one way to stop early; told apart from a true interruption by what was found.
            if found.len() < most { Ok(()) } else { Err(ggp_datalog::EvalError::Interrupted) }
        });
        match result {
            Err(error) if found.len() < most => Err(self.game.eval_error(&error)),
            _ => Ok(found),
        }
    }

    /// The values of a rule's variables as far as its head fixes them; `None` if it cannot give
    /// `atom`. Variables without a value have any.
    fn given(&self, number: usize, (relation, tuple): &Ground) -> Option<Vec<Value>> {
        let rule = &self.program.rules()[number];
        if rule.head.relation != *relation {
            return None;
        }
        let mut given: Vec<Option<Value>> = vec![None; rule.variables as usize];
        for (argument, &value) in rule.head.args.iter().zip(tuple) {
            match argument {
                Argument::Value(fixed) if *fixed != value => return None,
                Argument::Value(_) => {}
                Argument::Variable(v) if given[v.index()].is_some_and(|other| other != value) => return None,
                Argument::Variable(v) => given[v.index()] = Some(value),
            }
        }
        Some(given.into_iter().map(|value| value.unwrap_or(Value::from_index(0))).collect())
    }

    /// For a rule that stands in no rulesheet and only connects two forms of one relation: the
    /// other form of `atom`.
    fn pass(&mut self, number: usize, atom: &Ground) -> Option<Ground> {
        if number < self.game.description().rules.len() {
            return None;
        }
        let mut bindings = self.given(number, atom)?;
        let rule = self.program.rules()[number].clone();
        let head: Vec<Variable> = rule.head.args.iter().filter_map(|a| a.variable()).collect();
        for literal in &rule.body {
            let Literal::Compose { term: Argument::Variable(term), functor, args } = literal else {
                continue;
            };
            let args: Vec<Variable> = args.iter().filter_map(|a| a.variable()).collect();
            if head.contains(term) {
                let values = self.database.values();
                if values.functor(bindings[term.index()]) != *functor {
                    return None;
                }
                for (arg, &value) in args.iter().zip(values.arguments(bindings[term.index()])) {
                    bindings[arg.index()] = value;
                }
            } else {
                let args: Vec<Value> = args.iter().map(|a| bindings[a.index()]).collect();
                bindings[term.index()] = self.database.values_mut().term(*functor, &args);
            }
        }
        rule.body.iter().find_map(|literal| match literal {
            Literal::Positive(atom) => Some(ground(atom, &bindings)),
            _ => None,
        })
    }

    // ---- Why something does not hold ----------------------------------------------------------

    /// Why none of `atoms`, which all say the same, holds.
    fn why_not(&mut self, atoms: &[Ground], depth: usize) -> Result<Explanation, EvalError> {
        let text = self.text(&atoms[0]);
        let leaf = |because| Explanation { text, verdict: Verdict::Fails, because, parts: Vec::new() };
        self.nodes += 1;
        if let Some(input) = self.input_of(atoms[0].0) {
            return Ok(leaf(input));
        }
        if depth >= MAX_DEPTH || self.nodes >= MAX_NODES {
            return Ok(leaf(Because::Omitted));
        }
        if !self.shown.insert(atoms[0].clone()) {
            return Ok(leaf(Because::Elsewhere));
        }
        let candidates = self.candidates(atoms);
        let mut best: Option<Attempt> = None;
        for (number, atom) in &candidates {
            let attempt = self.attempt(*number, atom)?;
            if best.as_ref().is_none_or(|best| attempt.nearness() > best.nearness()) {
                best = Some(attempt);
            }
        }
        let Some(attempt) = best else { return Ok(leaf(Because::NoRule)) };
        let because = Because::Nearest { line: self.line(attempt.rule), of: candidates.len() };
        let mut explanation = leaf(because);
        for (index, &(place, literal)) in attempt.order.iter().enumerate() {
            let text = self.condition_text(attempt.rule, literal, |v| attempt.bindings[v.index()]);
            let part = match index.cmp(&attempt.reached) {
                std::cmp::Ordering::Less => plain(text, Verdict::Holds),
                std::cmp::Ordering::Equal => self.failing(&attempt, place, text, depth)?,
                std::cmp::Ordering::Greater => plain(text, Verdict::Untried),
            };
            explanation.parts.push(part);
        }
        Ok(explanation)
    }

    /// The condition at which an attempt ended.
    fn failing(
        &mut self,
        attempt: &Attempt,
        place: usize,
        text: String,
        depth: usize,
    ) -> Result<Explanation, EvalError> {
        let rule = &self.program.rules()[attempt.rule];
        let known = |atom: &Atom| {
            atom.args.iter().all(|a| a.variable().is_none_or(|v| attempt.bindings[v.index()].is_some()))
        };
        let values: Vec<Value> = attempt.bindings.iter().map(|v| v.unwrap_or(Value::from_index(0))).collect();
        match &rule.body[place] {
            Literal::Positive(atom) if known(atom) => {
                let atom = ground(atom, &values);
                self.why_not(&[atom], depth + 1)
            }
            Literal::Negative(atom) if known(atom) => {
                let atom = ground(atom, &values);
                let holds = self.why(&atom, depth + 1)?;
                Ok(Explanation { parts: vec![holds], ..plain(text, Verdict::Fails) })
            }
            _ => Ok(plain(text, Verdict::Fails)),
        }
    }

    /// The rules of the description whose heads can be one of `atoms`, each with the form of the
    /// atom that it gives.
    fn candidates(&mut self, atoms: &[Ground]) -> Vec<(usize, Ground)> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<Ground> = atoms.iter().cloned().collect();
        let mut open: Vec<Ground> = atoms.to_vec();
        while let Some(atom) = open.pop() {
            for number in self.rules_of[atom.0.index()].clone() {
                if number < self.game.description().rules.len() {
                    if self.given(number, &atom).is_some() {
                        found.push((number, atom.clone()));
                    }
                } else if let Some(same) = self.pass(number, &atom)
                    && seen.insert(same.clone())
                {
                    open.push(same);
                }
            }
        }
        found.sort_unstable_by_key(|(number, _)| *number);
        found
    }

    /// How far a rule gets towards `atom`, its conditions taken in the order of the text but for
    /// tests, which wait until their variables have values.
    fn attempt(&mut self, number: usize, atom: &Ground) -> Result<Attempt, EvalError> {
        let order = self.reading_order(number);
        let given = self.given(number, atom).expect("a candidate's head fits");
        let rule = self.program.rules()[number].clone();
        // The longest satisfiable prefix: whatever satisfies it satisfies every shorter one.
        let (mut low, mut high) = (0, order.len());
        let mut solution: Box<[Value]> = given.clone().into();
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            let places: Vec<usize> = order[..middle].iter().map(|&(place, _)| place).collect();
            let shortened = shortened(&rule, &places);
            let found = match self.plan(&shortened) {
                Some(body) => self.solve(&body, &given, true)?.pop(),
                None => None,
            };
            match found {
                Some(bindings) => (low, solution) = (middle, bindings),
                None => high = middle - 1,
            }
        }
        let places: Vec<usize> = order[..low].iter().map(|&(place, _)| place).collect();
        let known = bound(&rule, &places);
        if low == 0 {
            // Nothing has been solved, but the head may fix what is inside of terms.
            if let Some(body) = self.plan(&shortened(&rule, &[])) {
                solution = self.solve(&body, &given, true)?.pop().unwrap_or(solution);
            }
        }
        let bindings = known.iter().zip(&solution).map(|(&known, &value)| known.then_some(value)).collect();
        Ok(Attempt { rule: number, reached: low.min(order.len().saturating_sub(1)), order, bindings })
    }

    /// The conditions of a rule in an order in which each can be tested: their places in the
    /// lowered body and in the text's.
    fn reading_order(&self, number: usize) -> Vec<(usize, usize)> {
        let rule = &self.program.rules()[number];
        let mut open = self.conditions(number);
        let mut order: Vec<(usize, usize)> = Vec::with_capacity(open.len());
        while !open.is_empty() {
            let places: Vec<usize> = order.iter().map(|&(place, _)| place).collect();
            let known = bound(rule, &places);
            let is_ready = |&(place, _): &(usize, usize)| match &rule.body[place] {
                Literal::Positive(_) => true,
                test => test.arguments().all(|a| a.variable().is_none_or(|v| known[v.index()])),
            };
            let next = open.iter().position(is_ready).unwrap_or(0);
            order.push(open.remove(next));
        }
        order
    }

    // ---- Texts --------------------------------------------------------------------------------

    /// The conditions of a rule: their places in the lowered body and in the text's.
    fn conditions(&self, number: usize) -> Vec<(usize, usize)> {
        let body = self.program.rules()[number].body.iter().enumerate();
        let conditions = body.filter(|(_, literal)| !matches!(literal, Literal::Compose { .. }));
        conditions.enumerate().map(|(literal, (place, _))| (place, literal)).collect()
    }

    /// The line, from 1, of a rule of the description.
    fn line(&self, number: usize) -> usize {
        let description = self.game.description();
        let start = description.rules[number].span.start;
        gdl::lines::Lines::new(&description.source).position(start).line
    }

    fn text(&self, (relation, tuple): &Ground) -> String {
        let values = self.database.values();
        let list = |name: &str, args: &[Value]| {
            let args: Vec<String> = args.iter().map(|&v| values.text(v)).collect();
            format!("({name} {})", args.join(" "))
        };
        match &self.shapes[relation.index()] {
            Shape::Ordinary(name) if tuple.is_empty() => name.clone(),
            Shape::Ordinary(name) => list(name, tuple),
            Shape::Whole(carrier) => list(carrier.name(), tuple),
            Shape::Flat(carrier, functor) => {
                let (prefix, args) = tuple.split_at(carrier.prefix());
                let name = values.spelling(functor.name);
                let carried = match functor.arity {
                    None => name.to_owned(),
                    Some(0) => format!("({name})"),
                    Some(_) => list(name, args),
                };
                let prefix: String = prefix.iter().map(|&v| values.text(v) + " ").collect();
                format!("({} {prefix}{carried})", carrier.name())
            }
        }
    }

    /// A condition as the text has it, with values for the variables that have one.
    fn condition_text(
        &self,
        number: usize,
        literal: usize,
        value: impl Fn(Variable) -> Option<Value>,
    ) -> String {
        let description = self.game.description();
        let spelled: FxHashMap<Symbol, Value> = self.lowering.variables[number]
            .iter()
            .filter_map(|&(symbol, variable)| Some((symbol, value(variable)?)))
            .collect();
        let atom = |atom: &gdl::Atom| {
            let name = description.name(atom.relation);
            if atom.args.is_empty() { name.to_owned() } else { self.list_text(name, &atom.args, &spelled) }
        };
        match &description.rules[number].body[literal] {
            gdl::Literal::Positive(positive) => atom(positive),
            gdl::Literal::Negative(negative) => format!("(not {})", atom(negative)),
            gdl::Literal::Distinct(a, b, _) => self.list_text("distinct", &[*a, *b], &spelled),
        }
    }

    /// A list of terms with values for variables. Iterative.
    fn list_text(&self, name: &str, args: &[TermId], spelled: &FxHashMap<Symbol, Value>) -> String {
        enum Piece<'a> {
            Term(TermId),
            Text(&'a str),
        }
        let description = self.game.description();
        let mut out = format!("({name}");
        let mut stack = vec![Piece::Text(")")];
        let push = |stack: &mut Vec<Piece<'_>>, args: &[TermId]| {
            for &arg in args.iter().rev() {
                stack.push(Piece::Term(arg));
                stack.push(Piece::Text(" "));
            }
        };
        push(&mut stack, args);
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Term(id) => match description.terms.get(id) {
                    Term::Variable(symbol) => match spelled.get(symbol) {
                        Some(&value) => out.push_str(&self.database.values().text(value)),
                        None => out.push_str(description.name(*symbol)),
                    },
                    Term::Constant(symbol) => out.push_str(description.name(*symbol)),
                    Term::Compound(symbol, args) => {
                        out.push('(');
                        out.push_str(description.name(*symbol));
                        stack.push(Piece::Text(")"));
                        push(&mut stack, args);
                    }
                },
            }
        }
        out
    }
}

/// How far a rule gets.
struct Attempt {
    rule: usize,
    /// The conditions as they were tried: places in the lowered body and in the text's.
    order: Vec<(usize, usize)>,
    /// How many of them hold together; the next one fails.
    reached: usize,
    /// The values of the variables that have one.
    bindings: Vec<Option<Value>>,
}

impl Attempt {
    /// Greater is nearer: few conditions that fail or were not tried, then many that hold.
    fn nearness(&self) -> (f64, usize) {
        (self.reached as f64 / self.order.len().max(1) as f64, self.reached)
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

/// Which variables have values when the head and the conditions at `places` are given.
fn bound(rule: &Rule, places: &[usize]) -> Vec<bool> {
    let mut known = vec![false; rule.variables as usize];
    let mut note = |argument: Argument| {
        argument.variable().is_some_and(|v| !std::mem::replace(&mut known[v.index()], true))
    };
    for &argument in &rule.head.args {
        note(argument);
    }
    for &place in places {
        if let Literal::Positive(atom) = &rule.body[place] {
            for &argument in &atom.args {
                note(argument);
            }
        }
    }
    loop {
        let mut changed = false;
        for literal in &rule.body {
            let Literal::Compose { term, args, .. } = literal else { continue };
            let is_known = |a: Argument| a.variable().is_none_or(|v| known[v.index()]);
            let news: Vec<Argument> = if is_known(*term) {
                args.clone()
            } else if args.iter().all(|&a| is_known(a)) {
                vec![*term]
            } else {
                continue;
            };
            for variable in news.into_iter().filter_map(Argument::variable) {
                changed |= !std::mem::replace(&mut known[variable.index()], true);
            }
        }
        if !changed {
            return known;
        }
    }
}

/// `rule` with only the conditions at `places`, and the terms that these and the head are made of.
fn shortened(rule: &Rule, places: &[usize]) -> Rule {
    let mut needed = vec![false; rule.variables as usize];
    let mut kept = vec![false; rule.body.len()];
    for &argument in &rule.head.args {
        argument.variable().into_iter().for_each(|v| needed[v.index()] = true);
    }
    for &place in places {
        kept[place] = true;
        rule.body[place].arguments().filter_map(Argument::variable).for_each(|v| needed[v.index()] = true);
    }
    loop {
        let mut changed = false;
        for (place, literal) in rule.body.iter().enumerate() {
            if let Literal::Compose { term, args, .. } = literal
                && !kept[place]
                && term.variable().is_some_and(|v| needed[v.index()])
            {
                kept[place] = true;
                changed = true;
                args.iter().filter_map(|a| a.variable()).for_each(|v| needed[v.index()] = true);
            }
        }
        if !changed {
            break;
        }
    }
    let body = rule.body.iter().zip(kept).filter(|(_, kept)| *kept).map(|(literal, _)| literal.clone());
    Rule { body: body.collect(), ..rule.clone() }
}

#[cfg(test)]
mod tests {
    use super::{Because, Explainer, Explanation, Verdict};
    use crate::{Fact, Game};
    use std::sync::Arc;

    const RULES: &str = "\
(role white) (role black)
(init (at a)) (init (control white))
(edge a b) (edge b c) (edge c a) (edge c d)
(<= (path ?x ?y) (edge ?x ?z) (path ?z ?y))
(<= (path ?x ?y) (edge ?x ?y))
(<= (legal ?r (go ?y)) (not (blocked ?y)) (true (control ?r)) (true (at ?x)) (edge ?x ?y) (distinct ?x ?y))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (blocked ?y) (true (wall (f ?y))))
(<= (next (at ?y)) (does ?r (go ?y)))
(<= (next (wall (f ?x))) (true (at ?x)))
(<= (next (control black)) (true (control white)))
(<= (next ?f) (true ?f) (kept ?f))
(kept (control black))
(<= terminal (true (at d)))
(<= (goal ?r 100) (true (at d)) (role ?r))
(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
";

    fn explainer(facts: &[&str], joint: &[&str]) -> Explainer {
        let game = Arc::new(Game::new(ggp_gdl::parse(RULES.as_bytes()).unwrap()).unwrap());
        let mut explainer = Explainer::new(&game);
        let facts: Vec<Fact> = facts.iter().map(|&f| Fact::from_canonical(f)).collect();
        let joint: Vec<String> = joint.iter().map(|&m| m.to_owned()).collect();
        explainer.load(&facts, &joint).unwrap();
        explainer
    }

    /// The tree on one line: `text=reason[parts]`.
    fn brief(e: &Explanation) -> String {
        let mark = match e.verdict {
            Verdict::Holds => "+",
            Verdict::Fails => "-",
            Verdict::Untried => "?",
        };
        let because = match e.because {
            Because::Rule(line) => format!(":{line}"),
            Because::Nearest { line, of } => format!(":{line}/{of}"),
            Because::State => " state".to_owned(),
            Because::Moves => " moves".to_owned(),
            Because::NoRule => " none".to_owned(),
            Because::Elsewhere => " elsewhere".to_owned(),
            Because::Omitted => " omitted".to_owned(),
            Because::Itself => String::new(),
        };
        let parts: Vec<String> = e.parts.iter().map(brief).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join(" ")) };
        format!("{mark}{}{because}{parts}", e.text)
    }

    #[test]
    fn a_legal_move_rests_on_its_rule_and_the_state() {
        let mut explainer = explainer(&["(at a)", "(control white)"], &[]);
        assert_eq!(
            brief(&explainer.explain("(LEGAL White ( go b))").unwrap()),
            "+(legal white (go b)):6 [+(not (blocked b)) +(true (control white)) state +(true (at a)) state \
             +(edge a b):3 +(distinct a b)]"
        );
        assert_eq!(brief(&explainer.explain("(at a)").unwrap()), "+(true (at a)) state");
        assert_eq!(
            brief(&explainer.explain("(goal black 0)").unwrap()),
            "+(goal black 0):16 [+(role black):1 +(not (goal black 100))]"
        );
    }

    #[test]
    fn what_fails_shows_the_nearest_rule_and_its_first_failing_condition() {
        let mut explainer = explainer(&["(at a)", "(control white)", "(wall (f b))"], &[]);
        assert_eq!(
            brief(&explainer.explain("(legal white (go b))").unwrap()),
            "-(legal white (go b)):6/1 [-(not (blocked b)) [+(blocked b):8 [+(true (wall (f b))) state]] \
             ?(true (control white)) ?(true (at ?x)) ?(edge ?x b) ?(distinct ?x b)]"
        );
        assert_eq!(
            brief(&explainer.explain("(legal white (go d))").unwrap()),
            "-(legal white (go d)):6/1 [+(not (blocked d)) +(true (control white)) +(true (at a)) \
             -(edge a d) none ?(distinct a d)]"
        );
        assert_eq!(brief(&explainer.explain("(role green)").unwrap()), "-(role green) none");
        assert_eq!(brief(&explainer.explain("terminal").unwrap()), "-terminal:14/1 [-(true (at d)) state]");
    }

    #[test]
    fn a_recursive_atom_never_rests_on_itself() {
        let mut explainer = explainer(&[], &[]);
        let explanation = explainer.explain("(path a a)").unwrap();
        fn check(e: &Explanation, above: &mut Vec<String>) {
            assert!(!above.contains(&e.text), "{} rests on itself", e.text);
            above.push(e.text.clone());
            e.parts.iter().for_each(|part| check(part, above));
            above.pop();
        }
        check(&explanation, &mut Vec::new());
        assert_eq!(explanation.because, Because::Rule(4));
        // Failing recursion ends too.
        let failing = brief(&explainer.explain("(path d a)").unwrap());
        assert!(failing.starts_with("-(path d a):"), "{failing}");
    }

    #[test]
    fn next_needs_the_moves_and_sees_through_whole_fluents() {
        let mut explainer = explainer(&["(at a)", "(control black)"], &["(go b)", "noop"]);
        assert_eq!(
            brief(&explainer.explain("(next (at b))").unwrap()),
            "+(next (at b)):9 [+(does white (go b)) moves]"
        );
        assert_eq!(
            brief(&explainer.explain("(next (control black))").unwrap()),
            "+(next (control black)):12 [+(true (control black)) state +(kept (control black)):13]"
        );
        assert_eq!(
            brief(&explainer.explain("(next (wall (f a)))").unwrap()),
            "+(next (wall (f a))):10 [+(true (at a)) state]"
        );
    }

    #[test]
    fn what_the_rules_never_name_is_an_error() {
        let mut explainer = explainer(&[], &[]);
        for (fact, error) in [
            (
                "(legal white ?m)",
                "`(legal white ?m)` is not one fact without variables, such as (legal white noop)",
            ),
            ("(legal white", "`(legal white` is not one fact without variables, such as (legal white noop)"),
            (
                "(edge a)",
                "the rules have no relation or fluent `edge` with 1 arguments; `2` is how many it takes",
            ),
            (
                "(legal white)",
                "the rules have no relation or fluent `legal` with 1 arguments; `2` is how many it takes",
            ),
        ] {
            assert_eq!(explainer.explain(fact).unwrap_err().to_string(), error);
        }
    }
}
