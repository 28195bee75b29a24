//! The transposition table: a hash table of fixed size with buckets (Zobrist 1970; Breuker 1998), so that
//! insertion never has to rehash.
//!
//! A slot may hold the node of a different state with the same hash, so the caller compares states. A node
//! whose slot has been replaced stays in the tree but is no longer found.

use crate::id::NodeId;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

const WAYS: usize = 4;

/// A hash table from the hash of a state to the id of its node.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    tag: u32,
    node: NodeId,
}

/// The hash under which the table stores the node of `state`.
pub(crate) fn hash_of<S: Hash>(state: &S) -> u64 {
    ggp_game::rng::mix(FxBuildHasher.hash_one(state))
}

impl Table {
    /// Creates a table with at least `slots` slots, rounded up to a power of two.
    pub(crate) fn new(slots: usize) -> Table {
        let slots = slots.max(WAYS).next_power_of_two();
        Table { slots: vec![Slot { tag: 0, node: NodeId::NONE }; slots] }
    }

    /// The size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }

    fn bucket(&self, hash: u64) -> std::ops::Range<usize> {
        let first = (hash as usize & (self.slots.len() - 1)) & !(WAYS - 1);
        first..first + WAYS
    }

    /// The first node with this hash for which `is_it` holds; `None` if there is no such node.
    pub(crate) fn find(&self, hash: u64, mut is_it: impl FnMut(NodeId) -> bool) -> Option<NodeId> {
        let tag = (hash >> 32) as u32;
        let bucket = &self.slots[self.bucket(hash)];
        bucket.iter().find(|s| s.tag == tag && s.node.is_some() && is_it(s.node)).map(|s| s.node)
    }

    /// Stores `node` in a slot of its bucket: an empty slot, or a slot whose node is not `live`. If the
    /// bucket has no such slot, `node` replaces another node of the bucket.
    pub(crate) fn insert(&mut self, hash: u64, node: NodeId, live: impl Fn(NodeId) -> bool) {
        let range = self.bucket(hash);
        let victim = range.start + (hash >> 30) as usize % WAYS;
        let free = range.clone().find(|&i| !self.slots[i].node.is_some() || !live(self.slots[i].node));
        self.slots[free.unwrap_or(victim)] = Slot { tag: (hash >> 32) as u32, node };
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, hash_of};
    use crate::id::NodeId;

    #[test]
    fn nodes_are_found_until_they_are_replaced() {
        let mut table = Table::new(1024);
        for i in 0..512u32 {
            table.insert(hash_of(&i), NodeId(i), |_| true);
        }
        let found = (0..512u32).filter(|&i| table.find(hash_of(&i), |n| n == NodeId(i)).is_some()).count();
        assert!(found > 480, "{found} of 512");
        assert_eq!(table.find(hash_of(&9999u32), |n| n == NodeId(9999)), None);
    }

    #[test]
    fn dead_nodes_make_room() {
        let mut table = Table::new(4);
        for i in 0..4u32 {
            table.insert(u64::from(i) << 32, NodeId(i), |_| true);
        }
        table.insert(77 << 32, NodeId(77), |n| n != NodeId(2));
        assert_eq!(table.find(77 << 32, |_| true), Some(NodeId(77)));
        assert_eq!(table.find(2 << 32, |_| true), None);
        assert_eq!(table.find(3 << 32, |_| true), Some(NodeId(3)));
    }
}
