//! A relation: distinct tuples in order of insertion, and the hash indexes for joins.
//!
//! Invariant: until the relation is cleared, rows are only appended, so a range of row indices always denotes
//! the same tuples. Semi-naive evaluation uses such ranges as deltas.

use crate::seen::{LEAST_TUPLES, Seen};
use crate::table::IdTable;
use crate::value::{COLUMNS_PER_UNIT, Value, hash_values};

/// Stands for "no row" in place of a row index, for example at the end of a linked list of rows.
pub(crate) const NONE: u32 = u32::MAX;

/// A set of tuples of one arity.
#[derive(Clone, Debug)]
pub struct Relation {
    arity: usize,
    len: usize,
    data: Vec<Value>,
    all: IdTable,
    indexes: Vec<Index>,
    /// The tuples as bits. `None` if the relation is small or its columns have many values.
    seen: Option<Box<Seen>>,
    /// The number of tuples at which the bits are set up.
    seen_from: usize,
}

/// A hash index on some columns. A key is a tuple of values in these columns. For each key the index holds a
/// linked list of the rows with this key, newest first.
#[derive(Clone, Debug)]
struct Index {
    columns: Box<[usize]>,
    newest: IdTable,
    older: Vec<u32>,
}

impl Index {
    fn new(columns: &[usize]) -> Index {
        Index { columns: columns.into(), newest: IdTable::default(), older: Vec::new() }
    }

    /// Enters `tuple`, the row with index `row`, which is the next one that this index lacks. `data` holds the
    /// earlier rows.
    #[inline]
    fn enter(&mut self, tuple: &[Value], row: u32, data: &[Value]) {
        let hash = hash_values(0, self.columns.iter().map(|&c| tuple[c]));
        let older = self.newest.replace(hash, row, |other| {
            self.columns.iter().all(|&c| data[other as usize * tuple.len() + c] == tuple[c])
        });
        self.older.push(older.unwrap_or(NONE));
    }
}

impl Relation {
    pub(crate) fn new(arity: usize, indexes: &[Vec<usize>]) -> Relation {
        Relation {
            arity,
            len: 0,
            data: Vec::new(),
            all: IdTable::default(),
            indexes: indexes.iter().map(|columns| Index::new(columns)).collect(),
            seen: None,
            seen_from: LEAST_TUPLES,
        }
    }

    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// How much each tuple of this relation counts towards the bound [`crate::Limits::tuples`].
    #[inline]
    pub(crate) fn weight(&self) -> usize {
        1 + self.arity / COLUMNS_PER_UNIT
    }

    /// Whether the relation has no tuples.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The tuple in the row with index `row`. The index must be below [`Relation::len`].
    #[inline]
    pub fn row(&self, row: usize) -> &[Value] {
        &self.data[row * self.arity..(row + 1) * self.arity]
    }

    /// The tuples, in order of insertion.
    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        (0..self.len).map(|row| self.row(row))
    }

    /// Whether the relation contains `tuple`.
    #[inline]
    pub fn contains(&self, tuple: &[Value]) -> bool {
        self.find(tuple).is_some()
    }

    /// The index of the row that holds `tuple`; `None` if the relation does not contain `tuple`.
    #[inline]
    pub fn find(&self, tuple: &[Value]) -> Option<usize> {
        let hash = hash_values(0, tuple.iter().copied());
        self.all.find(hash, |row| self.row(row as usize) == tuple).map(|row| row as usize)
    }

    /// Adds `tuple` and returns whether it is new. Updates all indexes.
    #[inline]
    pub(crate) fn insert(&mut self, tuple: &[Value]) -> bool {
        debug_assert_eq!(tuple.len(), self.arity);
        if self.len >= self.seen_from {
            self.set_up_seen();
        }
        let is_new = self.seen_insert(tuple);
        if is_new == Some(false) {
            return false;
        }
        let hash = hash_values(0, tuple.iter().copied());
        if is_new.is_none() {
            let (data, arity) = (&self.data, self.arity);
            let is_row = |row: u32| &data[row as usize * arity..(row as usize + 1) * arity] == tuple;
            if self.all.find(hash, is_row).is_some() {
                return false;
            }
        }
        let row = self.len as u32;
        self.all.insert(hash, row);
        self.data.extend_from_slice(tuple);
        self.len += 1;
        for index in &mut self.indexes {
            index.enter(tuple, row, &self.data);
        }
        true
    }

    /// Adds `tuple` to the bits and returns whether it is new. `None` if the relation has no bits.
    #[inline]
    fn seen_insert(&mut self, tuple: &[Value]) -> Option<bool> {
        let known = self.seen.as_mut()?.insert(tuple);
        if known.is_none() {
            // A column has used up its space, which is doubled.
            self.seen = None;
            self.set_up_seen();
            let again = self.seen.as_mut().and_then(|seen| seen.insert(tuple));
            if again.is_none() {
                self.seen = None;
            }
            return again;
        }
        known
    }

    /// Sets up the bits of all tuples, if the columns have few values, and determines when to try again.
    #[cold]
    fn set_up_seen(&mut self) {
        self.seen_from = self.len * 2;
        if self.seen.is_none() {
            let (data, arity) = (&self.data, self.arity);
            let rows = (0..self.len).map(|row| &data[row * arity..(row + 1) * arity]);
            self.seen = Seen::of(arity, rows).map(Box::new);
        }
    }

    /// The newest row with the key `key` in the hash index `self.indexes[index]`; [`NONE`] if there is no
    /// such row.
    #[inline]
    pub(crate) fn newest(&self, index: usize, key: &[Value]) -> u32 {
        let index = &self.indexes[index];
        let hash = hash_values(0, key.iter().copied());
        let row = index.newest.find(hash, |row| {
            index.columns.iter().zip(key).all(|(&c, &v)| self.data[row as usize * self.arity + c] == v)
        });
        row.unwrap_or(NONE)
    }

    /// The next older row that has the same key as `row` in the hash index `self.indexes[index]`; [`NONE`] if
    /// there is no such row.
    #[inline]
    pub(crate) fn older(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].older[row as usize]
    }

    pub(crate) fn clear(&mut self) {
        if self.len > 0 {
            self.len = 0;
            self.data.clear();
            self.all.clear();
            self.seen = None;
            self.seen_from = LEAST_TUPLES;
            for index in &mut self.indexes {
                index.newest.clear();
                index.older.clear();
            }
        }
    }

    pub(crate) fn index_count(&self) -> usize {
        self.indexes.len()
    }

    /// Sets the hash indexes to one for each list of columns in `indexes`. An index that exists already is kept;
    /// the existing rows are entered in the new ones.
    pub(crate) fn set_indexes(&mut self, indexes: &[Vec<usize>]) {
        let mut old = std::mem::take(&mut self.indexes);
        let index = |columns: &Vec<usize>| {
            let kept = old.iter().position(|index| *index.columns == **columns);
            kept.map_or_else(|| self.index_on(columns), |kept| old.swap_remove(kept))
        };
        self.indexes = indexes.iter().map(index).collect();
    }

    /// A hash index on `columns`, with all rows.
    fn index_on(&self, columns: &[usize]) -> Index {
        let mut index = Index::new(columns);
        (0..self.len).for_each(|row| index.enter(self.row(row), row as u32, &self.data));
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_comes_later_holds_the_earlier_rows() {
        let rows = [[1, 5], [2, 5], [1, 6]].map(|row| row.map(Value));
        let mut relation = Relation::new(2, &[vec![0]]);
        relation.insert(&rows[0]);
        relation.insert(&rows[1]);
        relation.set_indexes(&[vec![0], vec![1]]);
        relation.insert(&rows[2]);
        let is_row = |row: u32| (row != NONE).then_some(row);
        let rows_of = |index, key| -> Vec<u32> {
            let newest = is_row(relation.newest(index, &[Value(key)]));
            std::iter::successors(newest, |&row| is_row(relation.older(index, row))).collect()
        };
        assert_eq!(
            [rows_of(0, 1), rows_of(0, 2), rows_of(1, 5), rows_of(1, 6)],
            [vec![2, 0], vec![1], vec![1, 0], vec![2]]
        );
    }
}
