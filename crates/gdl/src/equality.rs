//! Removes conditions of the form `(not (distinct s t))` from rules. Such a condition means that the two
//! terms are equal, so `s` and `t` are unified and the substitution is applied to the rule.
//!
//! Unification is union-find over term ids (Huet 1976) in near-linear time, followed by an occurs check.
//! Invariant: nothing recurses, and no term grows past [`MAX_SIZE`] nodes or [`MAX_NESTING`] levels.

use crate::ast::{Literal, Rule, Term, TermId, Terms};
use crate::sexpr::MAX_NESTING;
use rustc_hash::FxHashMap;

/// The maximum number of nodes of a rewritten term. The term is counted as a tree, in which each ground
/// subterm is one node.
const MAX_SIZE: u64 = 1_000_000;

pub(crate) struct Unifier<'a> {
    terms: &'a mut Terms,
    parent: FxHashMap<TermId, TermId>,
    resolved: FxHashMap<TermId, Resolved>,
    /// The number of functions and arguments of the rewritten terms.
    changed: usize,
}

#[derive(Clone, Copy)]
enum Resolved {
    InProgress,
    Done { term: TermId, size: u64 },
}

/// The reason why the substitution cannot be applied to a term.
enum Failure {
    Cyclic,
    TooLarge,
}

impl<'a> Unifier<'a> {
    pub(crate) fn new(terms: &'a mut Terms) -> Self {
        Unifier { terms, parent: FxHashMap::default(), resolved: FxHashMap::default(), changed: 0 }
    }

    /// The number of functions and arguments of the terms that have been rewritten.
    pub(crate) fn changed(&self) -> usize {
        self.changed
    }

    /// Applies the most general unifier of `equations` to `rule` and returns `true`. Returns `false` if the
    /// equations have no unifier. If a term grows too large, returns the error message as `Err`.
    pub(crate) fn apply(&mut self, equations: &[(TermId, TermId)], rule: &mut Rule) -> Result<bool, String> {
        for &(left, right) in equations {
            if !self.unify(left, right) {
                return Ok(false);
            }
        }
        let mut ids: Vec<&mut TermId> = rule.head.args.iter_mut().collect();
        for literal in &mut rule.body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => ids.extend(atom.args.iter_mut()),
                Literal::Distinct(left, right, _) => ids.extend([left, right]),
            }
        }
        // Resolve the equations too: an equation can be cyclic even if its variables are in no literal.
        let mut checked: Vec<TermId> = equations.iter().flat_map(|&(l, r)| [l, r]).collect();
        ids.extend(checked.iter_mut());
        for id in ids {
            match self.resolve(*id) {
                Ok(term) => *id = term,
                Err(Failure::Cyclic) => return Ok(false),
                Err(Failure::TooLarge) => {
                    return Err(format!(
                        "an equality makes a term of more than {MAX_SIZE} parts or {MAX_NESTING} levels"
                    ));
                }
            }
        }
        Ok(true)
    }

    fn find(&mut self, id: TermId) -> TermId {
        let mut root = id;
        while let Some(&up) = self.parent.get(&root) {
            root = up;
        }
        let mut at = id;
        while let Some(up) = self.parent.get_mut(&at) {
            at = std::mem::replace(up, root);
        }
        root
    }

    fn unify(&mut self, left: TermId, right: TermId) -> bool {
        let mut pairs = vec![(left, right)];
        while let Some((left, right)) = pairs.pop() {
            let (left, right) = (self.find(left), self.find(right));
            if left == right {
                continue;
            }
            // If an equivalence class contains a term that is not a variable, such a term is the root.
            let (up, down) = match (self.terms.get(left), self.terms.get(right)) {
                (_, Term::Variable(_)) => (left, right),
                (Term::Variable(_), _) => (right, left),
                (Term::Compound(f, a), Term::Compound(g, b)) if f == g && a.len() == b.len() => {
                    pairs.extend(a.iter().copied().zip(b.iter().copied()));
                    (left, right)
                }
                _ => return false,
            };
            self.parent.insert(down, up);
        }
        true
    }

    /// The term `id` after the substitution. Each variable is replaced by the term at the root of its
    /// union-find class, and the variables of that term are replaced in the same way.
    fn resolve(&mut self, id: TermId) -> Result<TermId, Failure> {
        let mut stack = vec![(id, false)];
        while let Some((id, expanded)) = stack.pop() {
            let root = self.find(id);
            if expanded {
                let (term, size) = self.rebuild(root)?;
                self.resolved.insert(root, Resolved::Done { term, size });
                continue;
            }
            match self.resolved.get(&root) {
                Some(Resolved::Done { .. }) => continue,
                Some(Resolved::InProgress) => return Err(Failure::Cyclic),
                None => {}
            }
            match self.terms.get(root) {
                Term::Compound(_, args) if !self.terms.is_ground(root) => {
                    let args = args.clone();
                    self.resolved.insert(root, Resolved::InProgress);
                    stack.push((root, true));
                    for &arg in &args {
                        let arg = self.find(arg);
                        match self.resolved.get(&arg) {
                            Some(Resolved::Done { .. }) => {}
                            Some(Resolved::InProgress) => return Err(Failure::Cyclic),
                            None => stack.push((arg, false)),
                        }
                    }
                }
                // A ground term stays as it is and counts as one node, since it comes from the text.
                _ => {
                    self.resolved.insert(root, Resolved::Done { term: root, size: 1 });
                }
            }
        }
        let root = self.find(id);
        match self.resolved.get(&root) {
            Some(&Resolved::Done { term, .. }) => Ok(term),
            _ => Err(Failure::Cyclic),
        }
    }

    fn rebuild(&mut self, root: TermId) -> Result<(TermId, u64), Failure> {
        let Term::Compound(function, args) = self.terms.get(root).clone() else { return Ok((root, 1)) };
        self.changed += 1 + args.len();
        let mut size = 1u64;
        let mut built = Vec::with_capacity(args.len());
        for arg in args {
            let arg = self.find(arg);
            let Some(&Resolved::Done { term, size: part }) = self.resolved.get(&arg) else {
                return Err(Failure::Cyclic);
            };
            size = size.saturating_add(part);
            built.push(term);
        }
        if size > MAX_SIZE {
            return Err(Failure::TooLarge);
        }
        let term = self.terms.intern(Term::Compound(function, built.into_boxed_slice()));
        // A printed rule has three more levels around the term: the rule, a `not` and an atom.
        if self.terms.depth(term) + 3 > MAX_NESTING { Err(Failure::TooLarge) } else { Ok((term, size)) }
    }
}
