//! Keys: the values of some columns of a relation. A key is turned into an index, either directly, where the
//! columns have few values, or by a hash table.
//!
//! Both kinds of tables are emptied in constant time: each slot carries the number of the epoch in which it was
//! written, and a slot of an earlier epoch counts as empty.

use std::sync::Arc;

/// The absence of an item in a slot, a chain or a numbering.
pub(crate) const NONE: u32 = u32::MAX;

/// The numbers of the values that can occur in a column, from 0. Other values have the number [`NONE`], or
/// lie behind the end.
#[derive(Clone, Debug)]
pub(crate) struct Numbering {
    pub(crate) numbers: Arc<[u32]>,
    pub(crate) count: usize,
}

impl Numbering {
    /// Numbers `values` in their order. The values must be distinct.
    pub(crate) fn of(values: &[u32]) -> Numbering {
        let end = values.iter().max().map_or(0, |&last| last as usize + 1);
        let mut numbers = vec![NONE; end];
        for (number, &value) in values.iter().enumerate() {
            numbers[value as usize] = number as u32;
        }
        Numbering { numbers: numbers.into(), count: values.len() }
    }
}

/// A column of a direct key: the numbers of its values, and its stride.
pub(crate) type DirectColumn = (Arc<[u32]>, u32);

/// The way in which the keys of some columns become indices.
#[derive(Clone, Debug)]
pub(crate) enum KeySpace {
    /// The index is the sum of each column's number times the column's stride.
    Direct {
        columns: Box<[DirectColumn]>,
        /// The exclusive upper bound of the indices.
        size: usize,
    },
    /// The key is hashed.
    Hashed,
}

impl KeySpace {
    /// The space of the keys over columns with these numberings: direct if there are at most `most` keys. A
    /// column without a numbering can have any value.
    pub(crate) fn new(columns: &[Option<&Numbering>], most: usize) -> KeySpace {
        let mut size = 1usize;
        let mut direct = Vec::with_capacity(columns.len());
        for column in columns {
            let Some(numbering) = column else { return KeySpace::Hashed };
            direct.push((Arc::clone(&numbering.numbers), size as u32));
            size = size.saturating_mul(numbering.count);
            if size > most {
                return KeySpace::Hashed;
            }
        }
        KeySpace::Direct { columns: direct.into(), size }
    }
}

/// The index of `key` in a direct space with these columns. `None` if a value cannot occur in its column.
#[inline]
pub(crate) fn direct_index(columns: &[DirectColumn], mut key: impl Iterator<Item = u32>) -> Option<usize> {
    let mut index = 0;
    for (numbers, stride) in columns {
        let number = *numbers.get(key.next()? as usize)?;
        if number == NONE {
            return None;
        }
        index += number * stride;
    }
    Some(index as usize)
}

/// A multiplicative hash of a sequence of values. Its upper bits are distributed best.
#[inline]
pub(crate) fn hash(values: impl Iterator<Item = u32>) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = K;
    for value in values {
        hash = (hash.rotate_left(26) ^ u64::from(value)).wrapping_mul(K);
    }
    (hash >> 32) as u32
}

/// An item in a slot, with the epoch in which it was written, and some bits of its hash. Items with other bits need not
/// be compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    epoch: u16,
    tag: u16,
    item: u32,
}

const EMPTY: Slot = Slot { epoch: 0, tag: 0, item: NONE };

/// The bits of a hash that a slot holds. They are not among those that give the place in a table of less than 2^16 slots.
const fn tag(hash: u32) -> u16 {
    (hash >> 16) as u16
}

/// Slots that are addressed directly or by a hash, and emptied in constant time.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    array: Vec<Slot>,
    epoch: u16,
    len: usize,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots { array: Vec::new(), epoch: 1, len: 0 }
    }
}

impl Slots {
    /// Empties all slots.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.array.fill(EMPTY);
            self.epoch = 1;
        }
    }

    /// Makes room for direct addressing with indices below `size`.
    pub(crate) fn allocate(&mut self, size: usize) {
        if self.array.len() < size {
            self.array.resize(size, EMPTY);
        }
    }

    /// The item at `index`, or [`NONE`].
    #[inline]
    pub(crate) fn get(&self, index: usize) -> u32 {
        match self.array.get(index) {
            Some(slot) if slot.epoch == self.epoch => slot.item,
            _ => NONE,
        }
    }

    /// Writes `item` at `index`, which must be below the allocated size.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, item: u32) {
        self.array[index] = Slot { epoch: self.epoch, tag: 0, item };
    }

    /// The item with this hash for which `is_it` holds, or [`NONE`].
    #[inline]
    pub(crate) fn find(&self, hash: u32, mut is_it: impl FnMut(u32) -> bool) -> u32 {
        if self.array.is_empty() {
            return NONE;
        }
        let mask = self.array.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.array[at];
            if slot.epoch != self.epoch {
                return NONE;
            }
            if slot.tag == tag(hash) && is_it(slot.item) {
                return slot.item;
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds an item with this hash, which must not be there yet. `hash_of` gives the hash of each item that is
    /// there.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, item: u32, hash_of: impl Fn(u32) -> u32) {
        if (self.len + 1) * 4 > self.array.len() * 3 {
            self.grow(hash_of);
        }
        self.len += 1;
        self.place(hash, item);
    }

    fn place(&mut self, hash: u32, item: u32) {
        let mask = self.array.len() - 1;
        let mut at = hash as usize & mask;
        while self.array[at].epoch == self.epoch {
            at = (at + 1) & mask;
        }
        self.array[at] = Slot { epoch: self.epoch, tag: tag(hash), item };
    }

    #[cold]
    fn grow(&mut self, hash_of: impl Fn(u32) -> u32) {
        let size = (self.array.len() * 2).max(16);
        let old = std::mem::replace(&mut self.array, vec![EMPTY; size]);
        for slot in old {
            if slot.epoch == self.epoch {
                self.place(hash_of(slot.item), slot.item);
            }
        }
    }

    /// Replaces the item `from` with this hash by `to`, which has the same hash.
    #[inline]
    pub(crate) fn replace(&mut self, hash: u32, from: u32, to: u32) {
        let mask = self.array.len() - 1;
        let mut at = hash as usize & mask;
        while self.array[at].item != from || self.array[at].epoch != self.epoch {
            at = (at + 1) & mask;
        }
        self.array[at].item = to;
    }
}

#[cfg(test)]
mod tests {
    use super::{KeySpace, NONE, Numbering, Slots, direct_index, hash};

    #[test]
    fn keys_of_few_values_are_addressed_directly() {
        let (a, b) = (Numbering::of(&[7, 3]), Numbering::of(&[1, 2, 9]));
        let KeySpace::Direct { columns, size } = KeySpace::new(&[Some(&a), Some(&b)], 6) else {
            panic!("six keys are few")
        };
        let mut indices = Vec::new();
        for first in [7, 3] {
            indices
                .extend([1, 2, 9].map(|second| direct_index(&columns, [first, second].into_iter()).unwrap()));
        }
        indices.sort_unstable();
        assert_eq!((size, indices), (6, (0..6).collect()));
        assert_eq!(direct_index(&columns, [7, 3].into_iter()), None, "3 is not in the second column");
        assert_eq!(direct_index(&columns, [7, 100].into_iter()), None);
        assert!(matches!(KeySpace::new(&[Some(&a), Some(&b)], 5), KeySpace::Hashed));
        assert!(matches!(KeySpace::new(&[Some(&a), None], 100), KeySpace::Hashed));
    }

    #[test]
    fn slots_find_what_was_inserted_since_they_were_cleared() {
        let mut slots = Slots::default();
        // All items have one of three hashes, so that most of them collide.
        let hash_of = |item: u32| hash(std::iter::once(item % 3));
        for _ in 0..3 {
            for item in 0..50 {
                assert_eq!(slots.find(hash_of(item), |other| other == item), NONE);
                slots.insert(hash_of(item), item, hash_of);
            }
            slots.replace(hash_of(4), 4, 1000);
            assert_eq!(slots.find(hash_of(4), |other| other == 4), NONE);
            assert_eq!(slots.find(hash_of(4), |other| other == 1000), 1000);
            assert_eq!(slots.find(hash_of(49), |other| other == 49), 49);
            slots.clear();
        }
    }
}
