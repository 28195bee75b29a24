//! Patterns of atoms. A pattern keeps those arguments of an atom that do not match every term, such as
//! constants. Two atoms of the same relation can have a common instance only if their patterns match.
//!
//! Invariant: matching over-approximates. Two patterns with a common instance always match. Two patterns
//! without a common instance may match too, for example if one variable would need two values.

use crate::ast::{Atom, Description, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of comparisons of a condition with a head in one pass over the rules. When they are
/// used up, the dependency graph lets every further condition match all heads of its relation. The search for
/// conditions that no head matches then stops.
pub(super) const PAIRS: usize = 1 << 22;

/// The maximum number of pairs of subterms that are compared to match two terms. If there are more pairs, the
/// terms count as matching.
const MATCH_STEPS: usize = 64;

/// The arguments of an atom; `None` for an argument that matches every term, such as a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pattern(Box<[Option<TermId>]>);

impl Pattern {
    pub(super) fn of(description: &Description, atom: &Atom) -> Pattern {
        let is_variable = |&arg: &TermId| matches!(description.terms.get(arg), Term::Variable(_));
        Pattern(atom.args.iter().map(|arg| (!is_variable(arg)).then_some(*arg)).collect())
    }

    /// Like [`Pattern::of`], but with `None` for compound terms too.
    pub(super) fn of_constants(description: &Description, atom: &Atom) -> Pattern {
        let is_constant = |&arg: &TermId| matches!(description.terms.get(arg), Term::Constant(_));
        Pattern(atom.args.iter().map(|arg| is_constant(arg).then_some(*arg)).collect())
    }
}

/// Whether some atom can be an instance of both patterns. The result `false` is always correct. The result
/// `true` may be wrong.
pub(super) fn may_match(terms: &Terms, left: &Pattern, right: &Pattern) -> bool {
    left.0.iter().zip(&*right.0).all(|pair| match pair {
        (Some(left), Some(right)) => terms_may_match(terms, *left, *right),
        _ => true,
    })
}

fn terms_may_match(terms: &Terms, left: TermId, right: TermId) -> bool {
    let mut pairs = vec![(left, right)];
    for _ in 0..MATCH_STEPS {
        let Some((left, right)) = pairs.pop() else { return true };
        if left == right {
            continue;
        }
        match (terms.get(left), terms.get(right)) {
            (Term::Variable(_), _) | (_, Term::Variable(_)) => {}
            _ if terms.is_ground(left) && terms.is_ground(right) => return false,
            (Term::Compound(f, a), Term::Compound(g, b)) if f == g && a.len() == b.len() => {
                pairs.extend(a.iter().copied().zip(b.iter().copied()).take(MATCH_STEPS));
            }
            _ => return false,
        }
    }
    true
}

/// The patterns of one relation, indexed by the argument that has the most distinct ground values.
#[derive(Debug)]
pub(super) struct PatternIndex {
    patterns: Vec<Pattern>,
    /// The index, from 0, of the argument by which the patterns are indexed; `None` if there are no patterns
    /// or the relation has no arguments.
    position: Option<usize>,
    /// For each ground value at `position`, the indices of the patterns with this value.
    by_value: FxHashMap<TermId, Vec<usize>>,
    /// The indices of the patterns without a ground value at `position`.
    open: Vec<usize>,
}

impl PatternIndex {
    pub(super) fn new(terms: &Terms, patterns: Vec<Pattern>) -> PatternIndex {
        let ground = |pattern: &Pattern, at: usize| pattern.0[at].filter(|&arg| terms.is_ground(arg));
        let different =
            |at: usize| patterns.iter().filter_map(|p| ground(p, at)).collect::<FxHashSet<TermId>>().len();
        let arity = patterns.first().map_or(0, |p| p.0.len());
        let position = (0..arity).map(|at| (different(at), at)).max().map(|(_, at)| at);
        let mut by_value: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
        let mut open = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            match position.and_then(|at| ground(pattern, at)) {
                Some(value) => by_value.entry(value).or_default().push(number),
                None => open.push(number),
            }
        }
        PatternIndex { patterns, position, by_value, open }
    }

    /// The patterns in the index with the same ground value as `pattern` at the argument `position`. They are
    /// given by their indices in `self.patterns`. `None` if `pattern` has no ground value at that argument.
    fn filed(&self, terms: &Terms, pattern: &Pattern) -> Option<&[usize]> {
        let value = pattern.0[self.position?].filter(|&arg| terms.is_ground(arg))?;
        Some(self.by_value.get(&value).map_or(&[], Vec::as_slice))
    }

    /// The number of comparisons that [`PatternIndex::matches`] makes for `pattern`.
    pub(super) fn effort(&self, terms: &Terms, pattern: &Pattern) -> usize {
        self.filed(terms, pattern).map_or(self.patterns.len(), |filed| filed.len() + self.open.len())
    }

    /// The indices, from 0, of the patterns in the index that `pattern` may match.
    pub(super) fn matches(&self, terms: &Terms, pattern: &Pattern) -> Vec<usize> {
        let may = |&number: &usize| may_match(terms, &self.patterns[number], pattern);
        match self.filed(terms, pattern) {
            Some(filed) => filed.iter().chain(&self.open).copied().filter(may).collect(),
            None => (0..self.patterns.len()).filter(may).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(left: &str, right: &str) -> bool {
        let description = crate::parse(format!("{left} {right}").as_bytes()).unwrap();
        let [left, right] = [0, 1].map(|i| Pattern::of(&description, &description.rules[i].head));
        may_match(&description.terms, &left, &right)
    }

    #[test]
    fn constants_and_functions_tell_atoms_apart() {
        assert!(matching("(p ?x a)", "(p b ?y)"));
        assert!(matching("(p (f ?x))", "(p (f (g a)))"));
        assert!(!matching("(p a)", "(p b)"));
        assert!(!matching("(p (f ?x))", "(p (g ?x))"));
        assert!(!matching("(p (f ?x b))", "(p (f b c))"));
        assert!(!matching("(p (f ?x))", "(p f)"));
        // Matching over-approximates: the two occurrences of a variable are compared separately.
        assert!(matching("(p ?x ?x)", "(p a b)"));
    }

    #[test]
    fn filing_loses_no_match() {
        let kif = "(p a b) (p ?x b) (p c ?y) (p (f ?x) b) (p (f a) ?y) (p d e) (p ?x ?y) (p (f b) (g a))";
        let description = crate::parse(kif.as_bytes()).unwrap();
        let patterns: Vec<_> =
            description.rules.iter().map(|rule| Pattern::of(&description, &rule.head)).collect();
        let index = PatternIndex::new(&description.terms, patterns.clone());
        for pattern in &patterns {
            let mut found = index.matches(&description.terms, pattern);
            found.sort_unstable();
            let all = 0..patterns.len();
            let wanted: Vec<_> =
                all.filter(|&i| may_match(&description.terms, &patterns[i], pattern)).collect();
            assert_eq!(found, wanted);
            assert!(index.effort(&description.terms, pattern) >= found.len());
        }
    }

    #[test]
    fn very_deep_terms_are_taken_to_match() {
        let nest = |inner: &str| format!("(p {}{inner}{})", "(f ".repeat(500), ")".repeat(500));
        assert!(matching(&nest("?x"), &nest("a")));
        assert!(matching(&nest("(g ?x)"), &nest("(h ?x)")));
    }
}
