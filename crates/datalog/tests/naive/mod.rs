//! A naive evaluator with its own representation of terms, and random stratified programs for both
//! evaluators.
//!
//! A program is decoded from a string of random bytes, so that a failure shrinks to few rules.

use ggp_datalog::{
    Argument, Atom, Database, Functor, Literal, Program, RelationId, Rule, Signature, Value, Values, Variable,
};
use std::collections::BTreeSet;

/// A ground term: a constant, or a function applied to terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Term {
    pub(crate) name: String,
    pub(crate) args: Option<Vec<Term>>,
}

pub(crate) fn constant(name: &str) -> Term {
    Term { name: name.to_owned(), args: None }
}

pub(crate) fn term_of(values: &Values, value: Value) -> Term {
    let functor = values.functor(value);
    let args = values.arguments(value).iter().map(|&v| term_of(values, v)).collect();
    Term { name: values.spelling(functor.name).to_owned(), args: functor.arity.map(|_| args) }
}

pub(crate) fn value_of(values: &mut Values, term: &Term) -> Value {
    let args: Vec<Value> = term.args.iter().flatten().map(|t| value_of(values, t)).collect();
    let functor =
        Functor { name: values.name(&term.name), arity: term.args.as_ref().map(|a| a.len() as u32) };
    values.term(functor, &args)
}

pub(crate) type Tuples = BTreeSet<Vec<Term>>;

/// A random program and the layer of each relation.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) signatures: Vec<Signature>,
    /// The layer of each relation. A relation depends only on relations of its own layer and of lower layers.
    /// Through negation it depends only on relations of lower layers.
    pub(crate) layers: Vec<usize>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) values: Values,
}

/// A sequence of choices decoded from bytes. Once the bytes are used up, every choice is 0.
pub(crate) struct Choices<'a>(pub(crate) &'a [u8]);

impl Choices<'_> {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % n
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The arity and level of each input relation.
pub(crate) const INPUTS: [(usize, u8); 5] = [(1, 0), (2, 1), (0, 1), (1, 2), (2, 2)];
const DERIVED: usize = 8;
const LAYERS: usize = 4;

impl Case {
    pub(crate) fn new(choices: &mut Choices<'_>) -> Case {
        let mut values = Values::default();
        let constants: Vec<Argument> =
            CONSTANTS.iter().map(|c| Argument::Value(values.constant(c))).collect();
        let functors = [
            Functor { name: values.name("f"), arity: Some(1) },
            Functor { name: values.name("g"), arity: Some(2) },
            Functor { name: values.name("k"), arity: Some(0) },
        ];
        let mut signatures: Vec<Signature> = Vec::new();
        let mut layers = Vec::new();
        for (number, (arity, level)) in INPUTS.into_iter().enumerate() {
            signatures.push(Signature { name: format!("e{number}"), arity, level });
            layers.push(0);
        }
        for number in 0..DERIVED {
            let arity = choices.below(4) % 3;
            signatures.push(Signature { name: format!("d{number}"), arity, level: 0 });
            layers.push(1 + number * LAYERS / DERIVED);
        }
        let mut case = Case { signatures, layers, rules: Vec::new(), values };
        for label in 0..4 + choices.below(16) {
            let rule = case.rule(choices, &constants, &functors, label as u32);
            case.rules.push(rule);
        }
        case
    }

    fn rule(
        &self,
        choices: &mut Choices<'_>,
        constants: &[Argument],
        functors: &[Functor],
        label: u32,
    ) -> Rule {
        let head = INPUTS.len() + choices.below(DERIVED);
        let lower: Vec<usize> =
            (0..self.layers.len()).filter(|&r| self.layers[r] < self.layers[head]).collect();
        let same: Vec<usize> =
            (0..self.layers.len()).filter(|&r| self.layers[r] == self.layers[head]).collect();
        let mut body = Vec::new();
        let mut bound: Vec<Argument> = Vec::new();
        let mut variables = 0;
        let mut recursive = false;
        for _ in 0..=choices.below(3) {
            let from_same = choices.below(3) == 1;
            recursive |= from_same;
            let relation = choices.pick(if from_same { &same } else { &lower });
            let mut args = Vec::new();
            for _ in 0..self.signatures[relation].arity {
                let argument = match choices.below(8) {
                    0 => choices.pick(constants),
                    1..=3 if !bound.is_empty() => choices.pick(&bound),
                    _ => {
                        variables += 1;
                        Argument::Variable(Variable(variables - 1))
                    }
                };
                args.push(argument);
                if argument.variable().is_some() && !bound.contains(&argument) {
                    bound.push(argument);
                }
            }
            body.push(Literal::Positive(Atom { relation: RelationId(relation as u32), args }));
        }
        if !bound.is_empty() && choices.one_in(3) {
            // Take a bound term apart into arguments that are new or bound variables.
            let functor = choices.pick(functors);
            let term = choices.pick(&bound);
            let mut args = Vec::new();
            for _ in 0..functor.arity.unwrap_or(0) {
                if choices.one_in(3) {
                    args.push(choices.pick(&bound));
                } else {
                    variables += 1;
                    args.push(Argument::Variable(Variable(variables - 1)));
                    bound.push(Argument::Variable(Variable(variables - 1)));
                }
            }
            body.push(Literal::Compose { term, functor, args });
        }
        if !recursive && choices.one_in(3) {
            // Compose a term. Recursive rules compose no terms, because their evaluation might not terminate.
            let functor = choices.pick(functors);
            let any = |choices: &mut Choices<'_>| {
                if bound.is_empty() || choices.one_in(4) {
                    choices.pick(constants)
                } else {
                    choices.pick(&bound)
                }
            };
            let args = (0..functor.arity.unwrap_or(0)).map(|_| any(choices)).collect();
            variables += 1;
            let term = Argument::Variable(Variable(variables - 1));
            body.push(Literal::Compose { term, functor, args });
            bound.push(term);
        }
        let any = |choices: &mut Choices<'_>| {
            if bound.is_empty() || choices.one_in(5) { choices.pick(constants) } else { choices.pick(&bound) }
        };
        for _ in 0..choices.below(3) {
            if choices.one_in(3) {
                body.push(Literal::Distinct(any(choices), any(choices)));
            } else {
                let relation = choices.pick(&lower);
                let args = (0..self.signatures[relation].arity).map(|_| any(choices)).collect();
                body.push(Literal::Negative(Atom { relation: RelationId(relation as u32), args }));
            }
        }
        let args = (0..self.signatures[head].arity).map(|_| any(choices)).collect();
        // Shuffle the body: the result must not depend on the order of conditions.
        for at in (1..body.len()).rev() {
            body.swap(at, choices.below(at + 1));
        }
        Rule { head: Atom { relation: RelationId(head as u32), args }, body, variables, label }
    }

    /// Random tuples for the inputs of all levels.
    pub(crate) fn all_inputs(choices: &mut Choices<'_>) -> Vec<(usize, Vec<Term>)> {
        (0..3).flat_map(|level| Case::inputs(choices, level)).collect()
    }

    /// Random tuples for the inputs of `level`.
    pub(crate) fn inputs(choices: &mut Choices<'_>, level: u8) -> Vec<(usize, Vec<Term>)> {
        let mut inputs = Vec::new();
        for (number, (arity, _)) in INPUTS.into_iter().enumerate().filter(|(_, (_, l))| *l == level) {
            for _ in 0..choices.below(if arity == 0 { 2 } else { 6 }) {
                inputs.push((number, (0..arity).map(|_| random_term(choices)).collect()));
            }
        }
        inputs
    }

    /// Computes the tuples of all relations by naive iteration over the rules of each layer.
    pub(crate) fn naive(&self, inputs: &[(usize, Vec<Term>)]) -> Vec<Tuples> {
        let mut all: Vec<Tuples> = vec![Tuples::new(); self.signatures.len()];
        for (relation, tuple) in inputs {
            all[*relation].insert(tuple.clone());
        }
        for layer in 1..=LAYERS {
            loop {
                let before: usize = all.iter().map(BTreeSet::len).sum();
                for rule in self.rules.iter().filter(|r| self.layers[r.head.relation.index()] == layer) {
                    let found = self.solutions(rule, &all);
                    let head = found.iter().map(|bound| self.tuple(&rule.head.args, bound));
                    let head: Vec<Vec<Term>> = head.map(|tuple| tuple.expect("safe")).collect();
                    all[rule.head.relation.index()].extend(head);
                }
                if before == all.iter().map(BTreeSet::len).sum() {
                    break;
                }
            }
        }
        all
    }

    fn term(&self, argument: Argument, bound: &[Option<Term>]) -> Option<Term> {
        match argument {
            Argument::Value(value) => Some(term_of(&self.values, value)),
            Argument::Variable(v) => bound[v.index()].clone(),
        }
    }

    fn tuple(&self, args: &[Argument], bound: &[Option<Term>]) -> Option<Vec<Term>> {
        args.iter().map(|&a| self.term(a, bound)).collect()
    }

    fn matches(&self, args: &[Argument], tuple: &[Term], bound: &mut [Option<Term>]) -> bool {
        args.iter().zip(tuple).all(|(&argument, term)| match (self.term(argument, bound), argument) {
            (Some(known), _) => known == *term,
            (None, Argument::Variable(v)) => {
                bound[v.index()] = Some(term.clone());
                true
            }
            (None, Argument::Value(_)) => unreachable!("a value is known"),
        })
    }

    fn solutions(&self, rule: &Rule, all: &[Tuples]) -> Vec<Vec<Option<Term>>> {
        let mut found = vec![vec![None; rule.variables as usize]];
        for literal in &rule.body {
            let Literal::Positive(atom) = literal else { continue };
            let mut more = Vec::new();
            for bound in &found {
                for tuple in &all[atom.relation.index()] {
                    let mut bound = bound.clone();
                    if self.matches(&atom.args, tuple, &mut bound) {
                        more.push(bound);
                    }
                }
            }
            found = more;
        }
        // Solve the compositions, in whatever order their variables become bound.
        for _ in 0..rule.body.len() {
            for literal in &rule.body {
                let Literal::Compose { term, functor, args } = literal else { continue };
                let name = self.values.spelling(functor.name);
                found.retain_mut(|bound| match (self.term(*term, bound), *term) {
                    (Some(whole), _) => {
                        let parts = whole.args.filter(|parts| {
                            whole.name == name && Some(parts.len()) == functor.arity.map(|a| a as usize)
                        });
                        parts.is_some_and(|parts| self.matches(args, &parts, bound))
                    }
                    (None, Argument::Variable(v)) => {
                        if let Some(parts) = self.tuple(args, bound) {
                            bound[v.index()] = Some(Term { name: name.to_owned(), args: Some(parts) });
                        }
                        true
                    }
                    (None, Argument::Value(_)) => unreachable!("a value is known"),
                });
            }
        }
        found.retain(|bound| {
            rule.body.iter().all(|literal| match literal {
                Literal::Negative(atom) => {
                    let tuple = self.tuple(&atom.args, bound).expect("safe");
                    !all[atom.relation.index()].contains(&tuple)
                }
                Literal::Distinct(a, b) => self.term(*a, bound) != self.term(*b, bound),
                Literal::Positive(_) | Literal::Compose { .. } => true,
            })
        });
        found
    }
}

const CONSTANTS: [&str; 4] = ["a", "b", "c", "k"];

fn random_term(choices: &mut Choices<'_>) -> Term {
    let plain = constant(CONSTANTS[choices.below(CONSTANTS.len())]);
    match choices.below(8) {
        0 => Term { name: "f".to_owned(), args: Some(vec![plain]) },
        1 => Term { name: "g".to_owned(), args: Some(vec![plain.clone(), plain]) },
        2 => Term { name: "k".to_owned(), args: Some(Vec::new()) },
        _ => plain,
    }
}

pub(crate) fn insert(database: &mut Database, inputs: &[(usize, Vec<Term>)]) {
    for (relation, tuple) in inputs {
        let tuple: Vec<Value> = tuple.iter().map(|t| value_of(database.values_mut(), t)).collect();
        database.insert(RelationId(*relation as u32), &tuple);
    }
}

pub(crate) fn tuples(database: &Database, relation: RelationId) -> Tuples {
    let term = |&value: &Value| term_of(database.values(), value);
    let rows: Vec<Vec<Term>> =
        database.relation(relation).rows().map(|row| row.iter().map(term).collect()).collect();
    let set: Tuples = rows.iter().cloned().collect();
    assert_eq!(set.len(), rows.len(), "a tuple twice");
    set
}

/// The ids of all relations of `program`.
pub(crate) fn all(program: &Program) -> Vec<RelationId> {
    (0..program.signatures().len()).map(|r| RelationId(r as u32)).collect()
}
