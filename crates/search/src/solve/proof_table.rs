//! The table of proven states.

use crate::bounds::Bounds;
use crate::table::hash_of;
use std::hash::Hash;

/// A table of fixed size with the bounds of states. A new state replaces the old one in its slot.
#[derive(Debug)]
pub(super) struct ProofTable<S> {
    entries: Vec<Option<(S, Bounds)>>,
    /// The number of slots. They are allocated when the first state is stored.
    most: usize,
    /// The number of heap bytes of all states in the table.
    heap: usize,
    /// The maximum number of heap bytes of all states in the table.
    most_heap: usize,
}

impl<S: Hash + Eq> ProofTable<S> {
    /// Creates a table of at most `memory` bytes. Each state is expected to have about `heap` heap bytes.
    pub(super) fn new(memory: usize, heap: usize) -> ProofTable<S> {
        let most = (memory / (size_of::<Option<(S, Bounds)>>() + heap)).max(1);
        let most_heap = memory.saturating_sub(most * size_of::<Option<(S, Bounds)>>());
        ProofTable { entries: Vec::new(), most, heap: 0, most_heap }
    }

    /// The size in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + self.heap
    }

    /// The index of the slot in which `state` is kept.
    fn place(&self, state: &S) -> usize {
        ((u128::from(hash_of(state)) * self.entries.len() as u128) >> 64) as usize
    }

    /// The bounds that the table has for `state`. [`Bounds::UNKNOWN`] if the state is not in the table.
    pub(super) fn get(&self, state: &S) -> Bounds {
        let entry = self.entries.get(self.place(state)).and_then(Option::as_ref);
        entry.filter(|(known, _)| known == state).map_or(Bounds::UNKNOWN, |&(_, bounds)| bounds)
    }

    /// Stores the bounds of `state`, or narrows those that are stored. `bytes_of` returns the number of
    /// heap bytes of a state. If the memory does not suffice, the state is not stored.
    pub(super) fn put(&mut self, state: S, bounds: Bounds, bytes_of: impl Fn(&S) -> usize) {
        if self.entries.is_empty() {
            self.entries.resize_with(self.most, || None);
        }
        let place = self.place(&state);
        let entry = &mut self.entries[place];
        if let Some((known, old)) = entry
            && *known == state
        {
            *old = Bounds { low: old.low.max(bounds.low), high: old.high.min(bounds.high) };
            return;
        }
        let replaced = entry.as_ref().map_or(0, |(known, _)| bytes_of(known));
        let heap = self.heap - replaced + bytes_of(&state);
        if heap <= self.most_heap {
            self.heap = heap;
            *entry = Some((state, bounds));
        }
    }
}
