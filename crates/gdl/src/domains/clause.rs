//! The rules as the inference of domains reads them: what a rule needs to fire, and what its head then gives.

use super::{ANYTHING, Domains, Holder, MAX_DEPTH, Occurrences, Place};
use crate::{Atom, Description, Keyword, Literal, Symbol, Term, TermId};
use rustc_hash::FxHashMap;

/// A condition for a rule to fire.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Need {
    /// A rule with this relation in its head fires. Relations are numbered by [`Clauses`].
    Relation(usize),
    /// The constant can stand at the place.
    Constant(Place, Symbol),
    /// A term with the function and the number of arguments can stand at the place.
    Function(Place, (Symbol, usize)),
}

/// A part of a head: a constant or a function at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Give {
    Constant(Place, Symbol),
    Function(Place, (Symbol, usize)),
}

/// A variable of a rule, along which values flow from the body to the head.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Symbol,
    /// The places of the variable in positive conditions, each with the index of the condition. Empty if the
    /// variable stands in no positive condition: then the rule is invalid, and gives no values for it.
    pub(crate) from: Vec<(usize, Place)>,
    /// The places of the variable in the head.
    pub(crate) to: Vec<Place>,
}

/// A rule as the inference reads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clause {
    /// The needs, each with the index of the condition in the body.
    pub(crate) needs: Vec<(usize, Need)>,
    /// What the negated conditions deny, each with the index of the condition. A clause does not need it.
    pub(crate) denials: Vec<(usize, Need)>,
    /// The index of a condition that holds never, whatever the rules give: `distinct` of a term and itself.
    pub(crate) never: Option<usize>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) gives: Vec<Give>,
    /// The number of the relation in the head.
    pub(crate) relation: usize,
}

/// All rules of a description as the inference reads them.
#[derive(Debug)]
pub(crate) struct Clauses {
    /// The clause of each rule.
    pub(crate) all: Vec<Clause>,
    /// Domains with all places of the rules and without values.
    pub(super) empty: Domains,
    /// The number of relations.
    pub(super) relations: usize,
    /// For each rule, the variables of its head and of its positive conditions.
    pub(super) occurrences: Vec<(Occurrences, Occurrences)>,
}

/// The parts of an atom.
#[derive(Default)]
struct Parts {
    variables: Occurrences,
    constants: Vec<(Place, Symbol)>,
    functions: Vec<(Place, (Symbol, usize))>,
}

impl Parts {
    fn needs(&self) -> impl Iterator<Item = Need> {
        let constants = self.constants.iter().map(|&(place, c)| Need::Constant(place, c));
        self.functions.iter().map(|&(place, f)| Need::Function(place, f)).chain(constants)
    }
}

impl Clauses {
    pub(crate) fn of(description: &Description) -> Clauses {
        let mut domains = Domains::empty(description);
        let mut numbers: FxHashMap<(Symbol, usize), usize> = FxHashMap::default();
        let mut all = Vec::with_capacity(description.rules.len());
        let mut occurrences = Vec::with_capacity(description.rules.len());
        for rule in &description.rules {
            let mut number = |atom: &Atom| {
                let next = numbers.len();
                *numbers.entry((atom.relation, atom.args.len())).or_insert(next)
            };
            let mut clause = Clause { relation: number(&rule.head), ..Clause::default() };
            let head = domains.parts(description, &rule.head);
            let mut body = Occurrences::new();
            let mut from: Vec<(Symbol, usize, Place)> = Vec::new();
            for (index, literal) in rule.body.iter().enumerate() {
                let atom = match literal {
                    Literal::Positive(atom) => atom,
                    Literal::Negative(atom) => {
                        let parts = domains.parts(description, atom);
                        clause.denials.extend(parts.needs().map(|need| (index, need)));
                        continue;
                    }
                    Literal::Distinct(left, right, _) if left == right => {
                        clause.never = Some(index);
                        continue;
                    }
                    Literal::Distinct(..) => continue,
                };
                // The state and the moves come from other relations, by way of their places.
                if !is_given(description, atom) {
                    clause.needs.push((index, Need::Relation(number(atom))));
                }
                let parts = domains.parts(description, atom);
                clause.needs.extend(parts.needs().map(|need| (index, need)));
                from.extend(parts.variables.iter().map(|&(variable, place)| (variable, index, place)));
                body.extend(parts.variables);
            }
            clause.variables = variables(&from, &head);
            clause.gives = head.functions.iter().map(|&(place, f)| Give::Function(place, f)).collect();
            clause.gives.extend(head.constants.iter().map(|&(place, c)| Give::Constant(place, c)));
            all.push(clause);
            occurrences.push((head.variables, body));
        }
        Clauses { all, empty: domains, relations: numbers.len(), occurrences }
    }
}

/// Whether the relation of `atom` has no rules, because its facts are the state or the moves.
fn is_given(description: &Description, atom: &Atom) -> bool {
    match description.name(atom.relation) {
        name if name == Keyword::True.name() => atom.args.len() == 1,
        name if name == Keyword::Does.name() => atom.args.len() == 2,
        // Misplaced in a condition: another check reports it.
        name if name == Keyword::Init.name() || name == Keyword::Next.name() => true,
        _ => false,
    }
}

/// The variables of a rule, in order of first occurrence in the body and then in the head.
fn variables(from: &[(Symbol, usize, Place)], head: &Parts) -> Vec<Variable> {
    let mut all: Vec<Variable> = Vec::new();
    let mut index: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut entry = |all: &mut Vec<Variable>, name: Symbol| {
        *index.entry(name).or_insert_with(|| {
            all.push(Variable { name, from: Vec::new(), to: Vec::new() });
            all.len() - 1
        })
    };
    for &(name, literal, place) in from {
        let at = entry(&mut all, name);
        all[at].from.push((literal, place));
    }
    for &(name, place) in &head.variables {
        let at = entry(&mut all, name);
        all[at].to.push(place);
    }
    all
}

impl Domains {
    /// The parts of `atom` and their places. Creates the places.
    fn parts(&mut self, description: &Description, atom: &Atom) -> Parts {
        let mut parts = Parts::default();
        let mut stack: Vec<(Place, TermId)> = Vec::new();
        for (argument, &term) in atom.args.iter().enumerate() {
            stack.push((self.root(description, atom, argument), term));
        }
        stack.reverse();
        while let Some((place, term)) = stack.pop() {
            match description.terms.get(term) {
                Term::Variable(variable) => parts.variables.push((*variable, place)),
                Term::Constant(constant) => parts.constants.push((place, *constant)),
                Term::Compound(function, args) => {
                    parts.functions.push((place, (*function, args.len())));
                    let depth = self.node(place).depth + 1;
                    if depth > MAX_DEPTH {
                        let mut deep = Vec::new();
                        description.terms.variables(term, &mut deep);
                        parts.variables.extend(deep.into_iter().map(|variable| (variable, ANYTHING)));
                        continue;
                    }
                    let first = stack.len();
                    for (i, &arg) in args.iter().enumerate() {
                        stack.push((self.place(Holder::Inside(place, *function), args.len(), i, depth), arg));
                    }
                    stack[first..].reverse();
                }
            }
        }
        parts
    }
}
