//! Whether one rule says something of a role whenever another does: its conditions are among the other's, once its
//! variables stand for the other's terms (theta-subsumption; Plotkin 1970).
//!
//! Sound, not complete, and bounded: conditions are compared as they are written.

use crate::ast::{Atom, Description, Literal, Rule, Term, TermId};
use crate::keyword::Keyword;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// Terms and literals compared, at most: a few milliseconds for all rules of a rulesheet.
const WORK: usize = 200_000;

/// Rules with more conditions are not looked at.
const CONDITIONS: usize = 64;

/// Compares rules whose heads speak of a role in their first argument.
pub(super) struct Subsumption<'a> {
    description: &'a Description,
    left: usize,
}

/// What the variables of the wider rule stand for, and the role of which the narrower one is read.
struct Reading {
    bound: FxHashMap<Symbol, TermId>,
    /// In the order in which they were bound.
    trail: Vec<Symbol>,
    /// The narrower rule's variable for the role, and the role that the wider one names.
    role: Option<(Symbol, TermId)>,
    /// The role, as the narrower rule names it.
    whose: TermId,
}

impl Reading {
    /// A term of the narrower rule.
    fn read(&self, term: TermId, variable: Option<Symbol>) -> TermId {
        match self.role {
            Some((own, role)) if variable == Some(own) => role,
            _ => term,
        }
    }

    fn undo(&mut self, length: usize) {
        for variable in self.trail.drain(length..) {
            self.bound.remove(&variable);
        }
    }
}

impl<'a> Subsumption<'a> {
    pub(super) fn new(description: &'a Description) -> Subsumption<'a> {
        Subsumption { description, left: WORK }
    }

    /// Whether `wide` holds for a role whenever `narrow` does, some role at least.
    pub(super) fn holds(&mut self, wide: &Rule, narrow: &Rule) -> bool {
        let (Some(&of_wide), Some(&of_narrow)) = (wide.head.args.first(), narrow.head.args.first()) else {
            return false;
        };
        if wide.body.len() > CONDITIONS || narrow.body.len() > CONDITIONS {
            return false;
        }
        // Where the narrower rule asks that the wider one does not hold, nothing is known.
        let denies = |literal: &Literal| matches!(literal, Literal::Negative(atom) if atom.relation == wide.head.relation);
        if narrow.body.iter().any(denies) {
            return false;
        }
        let terms = &self.description.terms;
        let role = match terms.get(of_narrow) {
            Term::Variable(variable) if terms.is_ground(of_wide) => Some((*variable, of_wide)),
            _ => None,
        };
        let whose = role.map_or(of_narrow, |(_, role)| role);
        let mut reading = Reading { bound: FxHashMap::default(), trail: Vec::new(), role, whose };
        self.term(of_wide, of_narrow, &mut reading) && self.conditions(&wide.body, &narrow.body, &mut reading)
    }

    /// Whether all of `wide` are among `narrow`, or hold anyway. Recurses over the conditions only.
    fn conditions(&mut self, wide: &[Literal], narrow: &[Literal], reading: &mut Reading) -> bool {
        let Some((first, rest)) = wide.split_first() else { return true };
        if self.holds_anyway(first, reading) {
            return self.conditions(rest, narrow, reading);
        }
        for literal in narrow {
            let bound = reading.trail.len();
            if self.literal(first, literal, reading) && self.conditions(rest, narrow, reading) {
                return true;
            }
            reading.undo(bound);
            if self.left == 0 {
                return false;
            }
        }
        false
    }

    /// Whether a condition says only that the role is one, or that two constants differ.
    fn holds_anyway(&self, literal: &Literal, reading: &Reading) -> bool {
        let terms = &self.description.terms;
        let meant = |term: TermId| match terms.get(term) {
            Term::Variable(variable) => reading.bound.get(variable).copied(),
            _ => Some(term),
        };
        match literal {
            Literal::Positive(atom) => {
                self.description.name(atom.relation) == Keyword::Role.name()
                    && atom.args.len() == 1
                    && meant(atom.args[0]) == Some(reading.whose)
            }
            Literal::Distinct(a, b, _) => match (meant(*a), meant(*b)) {
                (Some(a), Some(b)) => a != b && terms.is_ground(a) && terms.is_ground(b),
                _ => false,
            },
            Literal::Negative(_) => false,
        }
    }

    fn literal(&mut self, wide: &Literal, narrow: &Literal, reading: &mut Reading) -> bool {
        match (wide, narrow) {
            (Literal::Positive(a), Literal::Positive(b)) | (Literal::Negative(a), Literal::Negative(b)) => {
                self.atom(a, b, reading)
            }
            (Literal::Distinct(a, b, _), Literal::Distinct(c, d, _)) => {
                let bound = reading.trail.len();
                let one_way = self.term(*a, *c, reading) && self.term(*b, *d, reading);
                one_way || {
                    reading.undo(bound);
                    self.term(*a, *d, reading) && self.term(*b, *c, reading)
                }
            }
            _ => false,
        }
    }

    fn atom(&mut self, wide: &Atom, narrow: &Atom, reading: &mut Reading) -> bool {
        self.left = self.left.saturating_sub(1);
        wide.relation == narrow.relation
            && wide.args.len() == narrow.args.len()
            && wide.args.iter().zip(&narrow.args).all(|(&a, &b)| self.term(a, b, reading))
    }

    /// Whether `wide` is `narrow` once its variables are bound. Iterative.
    fn term(&mut self, wide: TermId, narrow: TermId, reading: &mut Reading) -> bool {
        let terms = &self.description.terms;
        let mut open = vec![(wide, narrow)];
        while let Some((a, b)) = open.pop() {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            let variable = match terms.get(b) {
                Term::Variable(variable) => Some(*variable),
                _ => None,
            };
            let b = reading.read(b, variable);
            match (terms.get(a), terms.get(b)) {
                (Term::Variable(variable), _) => match reading.bound.get(variable) {
                    Some(&bound) if bound != b => return false,
                    Some(_) => {}
                    None => {
                        reading.bound.insert(*variable, b);
                        reading.trail.push(*variable);
                    }
                },
                (Term::Constant(a), Term::Constant(b)) if a == b => {}
                (Term::Compound(f, own), Term::Compound(g, others))
                    if f == g && own.len() == others.len() =>
                {
                    // Equal terms have equal ids, and what has no variables needs no look inside.
                    let all = own.iter().copied().zip(others.iter().copied());
                    open.extend(all.filter(|&(a, b)| a != b || !terms.is_ground(a)));
                }
                _ => return false,
            }
        }
        true
    }
}
