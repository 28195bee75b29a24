//! The tuples of a large relation as bits, so that a tuple that is derived again is found without a look at
//! the relation's rows.
//!
//! Joins over large relations derive the same tuple many times, and each look into a hash table of some
//! megabytes misses the processor's caches. If the columns have few values, one bit for each combination of
//! them takes much less space.

use crate::value::Value;

/// A relation has this many tuples before its bits are set up.
pub(crate) const LEAST_TUPLES: usize = 1 << 14;

/// The maximum number of bits, as a power of two.
const MOST_BITS: u32 = 26;

/// The maximum number of bits for each tuple, so that the bits of all relations stay within a bound.
const BITS_PER_TUPLE: usize = 256;

/// Values with larger indices than this have no number.
const MOST_VALUES: usize = 1 << 14;

/// The numbers of the values of one column.
#[derive(Clone, Debug, Default)]
struct Column {
    /// For each value, its number plus one; 0 for a value that has not occurred.
    numbers: Vec<u16>,
    /// The count of values that have occurred.
    count: u16,
    /// The number of bits that hold a number of this column.
    bits: u32,
}

impl Column {
    /// The number of `value`, which gets the next number if it is new. `None` if the value can have no number.
    fn number(&mut self, value: Value) -> Option<usize> {
        let index = value.index();
        if index >= self.numbers.len() {
            if index >= MOST_VALUES {
                return None;
            }
            self.numbers.resize(index + 1, 0);
        }
        let number = &mut self.numbers[index];
        if *number == 0 {
            self.count += 1;
            *number = self.count;
        }
        Some(usize::from(*number - 1))
    }
}

/// One bit for each tuple of a relation.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    columns: Vec<Column>,
    words: Vec<u64>,
}

impl Seen {
    /// The bits of `tuples`, all of length `arity`. `None` if there would be too many bits.
    pub(crate) fn of<'a>(
        arity: usize,
        tuples: impl ExactSizeIterator<Item = &'a [Value]> + Clone,
    ) -> Option<Seen> {
        let mut columns = vec![Column::default(); arity];
        for tuple in tuples.clone() {
            for (column, &value) in columns.iter_mut().zip(tuple) {
                column.number(value)?;
            }
        }
        let mut total = 0;
        for column in &mut columns {
            column.bits = u16::BITS - (column.count.max(1) - 1).leading_zeros();
            total += column.bits;
        }
        let fits = |total: u32| total <= MOST_BITS && 1 << total <= tuples.len() * BITS_PER_TUPLE;
        if !fits(total) {
            return None;
        }
        // Space for as many values again, as far as the bounds allow.
        for column in &mut columns {
            if fits(total + 1) {
                column.bits += 1;
                total += 1;
            }
        }
        let words = vec![0; (1usize << total).div_ceil(64)];
        let mut seen = Seen { columns, words };
        for tuple in tuples {
            seen.insert(tuple)?;
        }
        Some(seen)
    }

    /// Adds `tuple` and returns whether it is new. `None` if a value of the tuple has no number or no space, so
    /// that the bits must be set up again.
    #[inline]
    pub(crate) fn insert(&mut self, tuple: &[Value]) -> Option<bool> {
        let mut place = 0;
        for (column, &value) in self.columns.iter_mut().zip(tuple) {
            let number = column.number(value)?;
            if number >> column.bits != 0 {
                return None;
            }
            place = place << column.bits | number;
        }
        let (word, bit) = (&mut self.words[place / 64], 1 << (place % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        Some(is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_VALUES, Seen};
    use crate::value::Value;

    fn tuple(values: [u32; 2]) -> [Value; 2] {
        values.map(Value)
    }

    #[test]
    fn a_tuple_is_new_once() {
        let rows = [tuple([7, 0]), tuple([9, 3]), tuple([7, 3])];
        let mut seen = Seen::of(2, rows.iter().map(|row| &row[..])).expect("few bits");
        assert_eq!(rows.map(|row| seen.insert(&row)), [Some(false); 3]);
        assert_eq!([seen.insert(&tuple([9, 0])), seen.insert(&tuple([9, 0]))], [Some(true), Some(false)]);
    }

    #[test]
    fn values_without_space_are_refused() {
        let rows = [tuple([1, 1]), tuple([2, 2])];
        let mut seen = Seen::of(2, rows.iter().map(|row| &row[..])).expect("few bits");
        // There is space for four values in each column.
        assert_eq!([3, 4, 5].map(|value| seen.insert(&tuple([value, 1]))), [Some(true), Some(true), None]);
        assert_eq!(seen.insert(&tuple([1, MOST_VALUES as u32])), None);
        let wide: Vec<[Value; 2]> = (0..MOST_VALUES as u32 - 1).map(|v| tuple([v, v])).collect();
        assert!(Seen::of(2, wide.iter().map(|row| &row[..])).is_none());
    }
}
