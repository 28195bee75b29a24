//! Sets of rows, each with a number.

use rustc_hash::FxHashMap;

/// Distinct sets of rows. The number 0 is the empty set.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    rows: Vec<u32>,
    spans: Vec<(u32, u32)>,
    numbers: FxHashMap<Box<[u32]>, u32>,
}

impl Default for Sets {
    fn default() -> Sets {
        let numbers = std::iter::once((Box::from([]), 0)).collect();
        Sets { rows: Vec::new(), spans: vec![(0, 0)], numbers }
    }
}

impl Sets {
    /// The number of the set with these rows, one after the other. They are sorted and distinct.
    pub(crate) fn number(&mut self, rows: &[u32]) -> u32 {
        if let Some(&known) = self.numbers.get(rows) {
            return known;
        }
        let (number, start) = (self.spans.len() as u32, self.rows.len() as u32);
        self.rows.extend_from_slice(rows);
        self.spans.push((start, self.rows.len() as u32));
        self.numbers.insert(rows.into(), number);
        number
    }

    /// The rows of a set.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u32] {
        let (start, end) = self.span(number);
        &self.rows[start as usize..end as usize]
    }

    /// The place of the rows of a set in [`Sets::rows`].
    #[inline]
    pub(crate) fn span(&self, number: u32) -> (u32, u32) {
        self.spans[number as usize]
    }

    /// The rows of all sets.
    #[inline]
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of sets.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Sets;

    #[test]
    fn equal_sets_have_one_number() {
        let mut sets = Sets::default();
        assert_eq!((sets.number(&[]), sets.number(&[3, 4]), sets.number(&[5])), (0, 1, 2));
        assert_eq!((sets.number(&[3, 4]), sets.get(1), sets.len()), (1, &[3, 4][..], 3));
        assert_eq!(sets.get(0), &[] as &[u32]);
    }
}
