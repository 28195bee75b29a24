//! Theta-subsumption (Plotkin 1970) of rules about a role. A wider rule subsumes a narrower one if a
//! substitution for the variables of the wider rule turns each of its conditions into a condition of the
//! narrower rule. Then the wider rule holds for a role whenever the narrower one does.
//!
//! The test is sound but not complete: conditions are compared syntactically, and the number of comparisons
//! is bounded.

use crate::ast::{Atom, Description, Literal, Rule, Term, TermId};
use crate::keyword::Keyword;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// The maximum number of comparisons of atoms or terms for one rulesheet. This number of comparisons takes a
/// few milliseconds.
const WORK: usize = 200_000;

/// Rules with more conditions than this are not compared.
const CONDITIONS: usize = 64;

/// Decides whether a rule about a role subsumes another rule about a role. The role is the first argument of
/// the head of each rule.
pub(super) struct Subsumption<'a> {
    description: &'a Description,
    left: usize,
}

/// The state of comparing a wider rule with a narrower one: a substitution for the variables of the wider
/// rule, and the role for which both rules are compared.
struct Reading {
    bound: FxHashMap<Symbol, TermId>,
    /// The variables in the order in which they were bound, for backtracking.
    trail: Vec<Symbol>,
    /// A replacement in the narrower rule: a variable and the ground term that replaces it everywhere in that
    /// rule. It is needed if the role in the head is this variable in the narrower rule and this term in the
    /// wider rule. Otherwise `None`.
    role: Option<(Symbol, TermId)>,
    /// The role for which the rules are compared: the first argument in the head of the narrower rule, after
    /// the replacement that `role` describes.
    whose: TermId,
}

impl Reading {
    /// The term `term` of the narrower rule after the replacement of the role variable. `variable` is the
    /// symbol of `term` if `term` is a variable.
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

    /// Whether there is a role for which the rule `wide` holds whenever the rule `narrow` holds. May return
    /// `false` although there is such a role, for example if the rules exceed [`CONDITIONS`] or the
    /// comparisons exceed [`WORK`].
    pub(super) fn holds(&mut self, wide: &Rule, narrow: &Rule) -> bool {
        let (Some(&of_wide), Some(&of_narrow)) = (wide.head.args.first(), narrow.head.args.first()) else {
            return false;
        };
        if wide.body.len() > CONDITIONS || narrow.body.len() > CONDITIONS {
            return false;
        }
        // A narrower rule that negates the relation of the wider rule may hold only where the wider rule does
        // not.
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
        // A narrower rule that excludes this role by `distinct` never holds for it.
        let read = |term: TermId| match terms.get(term) {
            Term::Variable(variable) => reading.read(term, Some(*variable)),
            _ => term,
        };
        let excludes =
            |literal: &Literal| matches!(literal, Literal::Distinct(a, b, _) if read(*a) == read(*b));
        if narrow.body.iter().any(excludes) {
            return false;
        }
        self.term(of_wide, of_narrow, &mut reading) && self.conditions(&wide.body, &narrow.body, &mut reading)
    }

    /// Whether the substitution can be extended so that each literal of `wide` is a literal of `narrow` or
    /// always holds. Recurses once for each literal of `wide`, so at most [`CONDITIONS`] levels deep.
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

    /// Whether a literal of the wider rule always holds. It does if it states that the role for which the
    /// rules are compared is a role, or that two different ground terms differ.
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

    /// Extends the substitution so that `wide` becomes equal to `narrow`, and returns `true`. Returns `false`
    /// if no extension does so, or if the [`WORK`] comparisons of the rulesheet are used up. Does not
    /// recurse.
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
                    // Equal terms have equal ids, so equal ground terms need no comparison inside.
                    let all = own.iter().copied().zip(others.iter().copied());
                    open.extend(all.filter(|&(a, b)| a != b || !terms.is_ground(a)));
                }
                _ => return false,
            }
        }
        true
    }
}
