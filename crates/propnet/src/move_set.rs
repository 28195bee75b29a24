//! Sets of one role's moves. A role makes exactly one move in a step, so a set is a proposition: "the
//! move made is in the set". The complement of the set is its negation.

use rustc_hash::FxHashMap;

/// A set of moves of one role.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MoveSet {
    /// The role's number.
    pub role: u32,
    /// Indices into the role's moves, ascending.
    pub members: Box<[u32]>,
}

impl MoveSet {
    /// The ascending numbers below `all` that are not in `members`, which are ascending too.
    pub(crate) fn complement(members: &[u32], all: usize) -> Vec<u32> {
        let mut rest = members.iter().copied().peekable();
        (0..all as u32).filter(|mv| rest.next_if_eq(mv).is_none()).collect()
    }
}

/// Interned move sets: equal sets have equal numbers.
#[derive(Clone, Debug)]
pub(crate) struct MoveSets {
    moves: Vec<usize>,
    sets: Vec<MoveSet>,
    index: FxHashMap<MoveSet, u32>,
}

impl MoveSets {
    pub(crate) fn new(moves: &[usize]) -> MoveSets {
        MoveSets { moves: moves.to_vec(), sets: Vec::new(), index: FxHashMap::default() }
    }

    pub(crate) fn move_count(&self, role: usize) -> usize {
        self.moves[role]
    }

    pub(crate) fn get(&self, number: u32) -> &MoveSet {
        &self.sets[number as usize]
    }

    pub(crate) fn intern(&mut self, set: MoveSet) -> u32 {
        let next = self.sets.len() as u32;
        let number = *self.index.entry(set.clone()).or_insert(next);
        if number == next {
            self.sets.push(set);
        }
        number
    }

    /// The intersection of the given sets; a `true` flag stands for the complement of its set.
    pub(crate) fn intersection(&self, role: usize, literals: &[(u32, bool)]) -> Vec<u32> {
        let mut within: Option<Vec<u32>> = None;
        for &(number, negated) in literals {
            let members = &self.get(number).members;
            if let Some(within) = &mut within {
                within.retain(|mv| members.binary_search(mv).is_ok() != negated);
            } else if negated {
                within = Some(MoveSet::complement(members, self.moves[role]));
            } else {
                within = Some(members.to_vec());
            }
        }
        within.unwrap_or_else(|| (0..self.moves[role] as u32).collect())
    }
}
