//! The lowering of one rule. Atoms of carriers become atoms of their flattened or whole relations (see
//! [`crate::lower`]), and each other compound term with variables becomes a [`Literal::Compose`].

use super::{Carrier, Lowering};
use ggp_datalog::{Argument, Atom, Functor, Literal, Rule, Value, Values, Variable};
use ggp_gdl::{self as gdl, Description, Symbol, Term, TermId};
use rustc_hash::FxHashMap;

/// For each term of a description, its interned value. `None` for a term with variables.
pub(super) fn ground_terms(description: &Description, values: &mut Values) -> Vec<Option<Value>> {
    let mut ground: Vec<Option<Value>> = Vec::with_capacity(description.terms.len());
    let mut parts = Vec::new();
    // In the arena, children precede their parents.
    for (id, term) in description.terms.iter() {
        let value = match term {
            _ if !description.terms.is_ground(id) => None,
            Term::Variable(_) => None,
            Term::Constant(name) => Some(values.constant(description.name(*name))),
            Term::Compound(name, args) => {
                parts.clear();
                parts.extend(
                    args.iter().map(|a| ground[a.index()].expect("a ground term's arguments are ground")),
                );
                let name = values.name(description.name(*name));
                Some(values.term(Functor { name, arity: Some(args.len() as u32) }, &parts))
            }
        };
        ground.push(value);
    }
    ground
}

/// The state of the lowering of one rule.
pub(super) struct RuleLowering<'a> {
    description: &'a Description,
    ground: &'a [Option<Value>],
    lowering: &'a mut Lowering,
    variables: FxHashMap<Symbol, Variable>,
    count: u32,
    composed: FxHashMap<TermId, Argument>,
    body: Vec<Literal>,
}

impl<'a> RuleLowering<'a> {
    /// Prepares the lowering of a rule of `description`. `ground` is the result of [`ground_terms`].
    pub(super) fn new(
        description: &'a Description,
        ground: &'a [Option<Value>],
        lowering: &'a mut Lowering,
    ) -> RuleLowering<'a> {
        RuleLowering {
            description,
            ground,
            lowering,
            variables: FxHashMap::default(),
            count: 0,
            composed: FxHashMap::default(),
            body: Vec::new(),
        }
    }

    /// The lowered rule with the label `label`, and for each of its variables the symbol and the lowered
    /// variable.
    pub(super) fn lower(mut self, rule: &gdl::Rule, label: u32) -> (Rule, Vec<(Symbol, Variable)>) {
        let head = self.atom(&rule.head, true);
        for literal in &rule.body {
            let lowered = match literal {
                gdl::Literal::Positive(atom) => Literal::Positive(self.atom(atom, false)),
                gdl::Literal::Negative(atom) => Literal::Negative(self.atom(atom, false)),
                gdl::Literal::Distinct(a, b, _) => Literal::Distinct(self.argument(*a), self.argument(*b)),
            };
            self.body.push(lowered);
        }
        let mut variables: Vec<(Symbol, Variable)> = self.variables.into_iter().collect();
        variables.sort_unstable_by_key(|&(_, variable)| variable);
        (Rule { head, body: self.body, variables: self.count, label }, variables)
    }

    fn atom(&mut self, atom: &gdl::Atom, is_head: bool) -> Atom {
        let name = self.description.name(atom.relation);
        let Some(carrier) = Carrier::of(name, atom.args.len()) else {
            let relation = self.lowering.ordinary(self.description, atom.relation, atom.args.len());
            return Atom { relation, args: atom.args.iter().map(|&a| self.argument(a)).collect() };
        };
        let (&carried, prefix) = atom.args.split_last().expect("a carrier has an argument");
        let mut args: Vec<Argument> = prefix.iter().map(|&a| self.argument(a)).collect();
        let functor = match self.description.terms.get(carried) {
            Term::Variable(_) => {
                args.push(self.argument(carried));
                None
            }
            Term::Constant(name) => Some((*name, None)),
            Term::Compound(name, parts) => {
                args.extend(parts.clone().iter().map(|&p| self.argument(p)));
                Some((*name, Some(parts.len() as u32)))
            }
        };
        let functor = functor.map(|(name, arity)| {
            let name = self.lowering.values.name(self.description.name(name));
            Functor { name, arity }
        });
        Atom { relation: self.lowering.form(carrier, functor, is_head), args }
    }

    fn variable(&mut self, name: Symbol) -> Variable {
        let count = &mut self.count;
        *self.variables.entry(name).or_insert_with(|| {
            *count += 1;
            Variable(*count - 1)
        })
    }

    /// Lowers a term to an argument. For a compound term with variables, adds [`Literal::Compose`] literals
    /// to the body, those of the innermost subterms first.
    fn argument(&mut self, term: TermId) -> Argument {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.known(top).is_some() {
                stack.pop();
                continue;
            }
            match self.description.terms.get(top) {
                Term::Constant(_) => unreachable!("a constant is ground"),
                Term::Variable(name) => {
                    self.variable(*name);
                }
                Term::Compound(name, parts) => {
                    let open: Vec<TermId> =
                        parts.iter().copied().filter(|&p| self.known(p).is_none()).collect();
                    if !open.is_empty() {
                        stack.extend(open);
                        continue;
                    }
                    let args = parts.iter().map(|&p| self.known(p).expect("just seen")).collect();
                    let arity = Some(parts.len() as u32);
                    let name = self.lowering.values.name(self.description.name(*name));
                    let whole = Argument::Variable(Variable(self.count));
                    self.count += 1;
                    self.body.push(Literal::Compose { term: whole, functor: Functor { name, arity }, args });
                    self.composed.insert(top, whole);
                }
            }
        }
        self.known(term).expect("resolved above")
    }

    fn known(&self, term: TermId) -> Option<Argument> {
        if let Some(value) = self.ground[term.index()] {
            return Some(Argument::Value(value));
        }
        match self.description.terms.get(term) {
            Term::Variable(name) => self.variables.get(name).map(|&v| Argument::Variable(v)),
            _ => self.composed.get(&term).copied(),
        }
    }
}
