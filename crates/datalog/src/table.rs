//! An open-addressing hash table of ids whose keys are stored elsewhere.
//!
//! The owner of the table keeps the keys (rows or terms) in an array, and uses the table to find the id of a
//! key. Each slot carries a stamp, and counts as filled only if its stamp equals the stamp of the table.
//! Clearing the table changes only the stamp of the table, so it takes constant time. This matters because
//! the relations of a state are cleared many thousand times a second.

#[derive(Clone, Copy, Debug)]
struct Slot {
    stamp: u32,
    hash: u32,
    id: u32,
}

const EMPTY: Slot = Slot { stamp: 0, hash: 0, id: 0 };
const SMALLEST: usize = 16;

/// A hash table from 32-bit hashes to ids, with linear probing and a load of at most one half.
#[derive(Clone, Debug)]
pub(crate) struct IdTable {
    slots: Vec<Slot>,
    /// The stamp that filled slots carry. The stamp is never 0.
    stamp: u32,
    /// The number of bits by which a hash is shifted right to get the index of its slot.
    shift: u32,
    len: usize,
}

impl Default for IdTable {
    fn default() -> Self {
        IdTable { slots: vec![EMPTY; SMALLEST], stamp: 1, shift: 32 - SMALLEST.ilog2(), len: 0 }
    }
}

impl IdTable {
    /// The id that has the hash `hash` and for which `matches` returns true; `None` if there is no such id.
    #[inline]
    pub(crate) fn find(&self, hash: u32, mut matches: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at];
            if slot.stamp != self.stamp {
                return None;
            }
            if slot.hash == hash && matches(slot.id) {
                return Some(slot.id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds the id `id` with the hash `hash`. The key of the id must not be in the table yet.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, id: u32) {
        if (self.len + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.place(hash, id);
        self.len += 1;
    }

    /// Looks for an id that has the hash `hash` and for which `matches` returns true. If there is one,
    /// replaces it by `id` and returns the replaced id. Otherwise adds `id` and returns `None`.
    #[inline]
    pub(crate) fn replace(
        &mut self,
        hash: u32,
        id: u32,
        mut matches: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = &mut self.slots[at];
            if slot.stamp != self.stamp {
                break;
            }
            if slot.hash == hash && matches(slot.id) {
                return Some(std::mem::replace(&mut slot.id, id));
            }
            at = (at + 1) & mask;
        }
        self.insert(hash, id);
        None
    }

    /// Empties the table. Takes constant time, except once in 2³² calls.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill(EMPTY);
            self.stamp = 1;
        }
    }

    #[inline]
    fn place(&mut self, hash: u32, id: u32) {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        while self.slots[at].stamp == self.stamp {
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot { stamp: self.stamp, hash, id };
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![EMPTY; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        self.shift -= 1;
        for slot in old {
            if slot.stamp == self.stamp {
                self.place(slot.hash, slot.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IdTable;
    use crate::value::{Value, hash_values};

    #[test]
    fn ids_are_found_until_the_table_is_cleared() {
        let mut table = IdTable::default();
        for id in 0..1000u32 {
            table.insert(hash_values(0, [Value(id)].into_iter()), id);
        }
        for id in 0..1000u32 {
            assert_eq!(table.find(hash_values(0, [Value(id)].into_iter()), |i| i == id), Some(id));
        }
        table.clear();
        assert_eq!(table.find(hash_values(0, [Value(7)].into_iter()), |_| true), None);
    }

    #[test]
    fn replace_gives_back_what_was_there() {
        let mut table = IdTable::default();
        assert_eq!(table.replace(9, 1, |_| true), None);
        assert_eq!(table.replace(9, 2, |_| true), Some(1));
        assert_eq!(table.find(9, |_| true), Some(2));
    }
}
