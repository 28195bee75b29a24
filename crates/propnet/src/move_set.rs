//! Sets of one role's moves. A role makes exactly one move in a step, so a set stands for the proposition
//! "the role's move is in the set", and its complement for the negation.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A set of moves of one role.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MoveSet {
    /// The index of the role.
    pub role: u32,
    /// Indices into the role's moves, in ascending order.
    pub members: Box<[u32]>,
}

impl MoveSet {
    /// The indices below `all` that are not in `members`, in ascending order. `members` must be in ascending
    /// order too.
    pub(crate) fn complement(members: &[u32], all: usize) -> Vec<u32> {
        let mut rest = members.iter().copied().peekable();
        (0..all as u32).filter(|mv| rest.next_if_eq(mv).is_none()).collect()
    }
}

/// All move sets of a network, each with an index. Equal sets have the same index.
#[derive(Clone, Debug)]
pub(crate) struct MoveSets {
    moves: Vec<usize>,
    sets: IndexSet<MoveSet, FxBuildHasher>,
}

impl MoveSets {
    pub(crate) fn new(moves: &[usize]) -> MoveSets {
        MoveSets { moves: moves.to_vec(), sets: IndexSet::default() }
    }

    pub(crate) fn move_count(&self, role: usize) -> usize {
        self.moves[role]
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &MoveSet> {
        self.sets.iter()
    }

    pub(crate) fn get(&self, number: u32) -> &MoveSet {
        &self.sets[number as usize]
    }

    pub(crate) fn intern(&mut self, set: MoveSet) -> u32 {
        self.sets.insert_full(set).0 as u32
    }

    /// The intersection of the sets in `literals`, which are sets of `role`. Each literal has the index of a
    /// set, and `true` if the complement of that set is meant. The result has the same form: its moves in ascending
    /// order, and `true` if it is their complement.
    pub(crate) fn intersection(&self, role: usize, literals: &[(u32, bool)]) -> (Vec<u32>, bool) {
        let members = |&(number, _): &(u32, bool)| &self.get(number).members;
        let smallest = literals.iter().filter(|(_, negated)| !negated).min_by_key(|set| members(set).len());
        if let Some(smallest) = smallest {
            let in_all = |mv: &u32| {
                literals.iter().all(|literal| members(literal).binary_search(mv).is_ok() != literal.1)
            };
            return (members(smallest).iter().copied().filter(in_all).collect(), false);
        }
        // All sets are negated: the result is the complement of their union. A few small sets are sorted, because
        // a role may have many thousands of moves.
        let union = literals.iter().flat_map(members).copied();
        if union.clone().count() < self.moves[role] {
            let mut union: Vec<u32> = union.collect();
            union.sort_unstable();
            union.dedup();
            return (union, true);
        }
        let mut is_in = vec![false; self.moves[role]];
        union.for_each(|mv| is_in[mv as usize] = true);
        ((0..).zip(is_in).filter(|&(_, is_in)| is_in).map(|(mv, _)| mv).collect(), true)
    }
}

#[cfg(test)]
mod tests {
    use super::{MoveSet, MoveSets};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_intersection_has_the_moves_that_fit_every_literal(
            sets in prop::collection::vec((prop::collection::btree_set(0u32..20, 0..20), any::<bool>()), 0..6)
        ) {
            let mut known = MoveSets::new(&[20]);
            let literals: Vec<(u32, bool)> = sets
                .iter()
                .map(|(members, negated)| {
                    let members = members.iter().copied().collect();
                    (known.intern(MoveSet { role: 0, members }), *negated)
                })
                .collect();
            let fits = |mv: &u32| sets.iter().all(|(members, negated)| members.contains(mv) != *negated);
            let expected: Vec<u32> = (0..20).filter(fits).collect();
            let (members, negated) = known.intersection(0, &literals);
            let found = if negated { MoveSet::complement(&members, 20) } else { members };
            prop_assert_eq!(found, expected);
        }
    }
}
