//! Relations whose tuples are given: the static relations, which never change, and the inputs `true` and
//! `does`, which are filled with a state and with a joint move.

use crate::key::{KeySpace, NONE, Numbering, Slots, direct_index, hash};

/// The maximum number of keys of a direct index of a static relation, for each of its tuples, and the number
/// that is allowed in any case.
const DIRECT_PER_TUPLE: usize = 8;
const DIRECT_STATIC: usize = 1 << 16;

/// The maximum number of keys of a direct index of an input relation.
pub(crate) const DIRECT_INPUT: usize = 1 << 15;

/// A static relation.
#[derive(Clone, Debug)]
pub(crate) struct StaticTable {
    pub(crate) arity: usize,
    /// The number of tuples.
    pub(crate) len: usize,
    /// The tuples, one after the other.
    pub(crate) rows: Vec<u32>,
    numberings: Vec<Numbering>,
    pub(crate) indexes: Vec<StaticIndex>,
}

/// An index of a static relation: its tuples grouped by their keys.
#[derive(Clone, Debug)]
pub(crate) struct StaticIndex {
    pub(crate) columns: Vec<usize>,
    space: KeySpace,
    /// For each group, the index of its first tuple; at the end, the number of tuples. In a direct space, the
    /// key's index is the group.
    starts: Vec<u32>,
    slots: Slots,
    /// The tuples in the order of the groups.
    pub(crate) rows: Vec<u32>,
}

impl StaticTable {
    /// The relation with these tuples, which must be distinct. `rows` holds them one after the other.
    pub(crate) fn new(arity: usize, len: usize, rows: Vec<u32>) -> StaticTable {
        let numbering = |column: usize| {
            let mut values: Vec<u32> = (0..len).map(|row| rows[row * arity + column]).collect();
            values.sort_unstable();
            values.dedup();
            Numbering::of(&values)
        };
        let numberings = (0..arity).map(numbering).collect();
        StaticTable { arity, len, rows, numberings, indexes: Vec::new() }
    }

    /// The number of the index over `columns`, which is made if it does not exist.
    pub(crate) fn index(&mut self, columns: &[usize]) -> usize {
        if let Some(known) = self.indexes.iter().position(|index| index.columns == columns) {
            return known;
        }
        let numberings: Vec<Option<&Numbering>> =
            columns.iter().map(|&column| Some(&self.numberings[column])).collect();
        let space = KeySpace::new(&numberings, DIRECT_STATIC.max(self.len * DIRECT_PER_TUPLE));
        let row = |row: usize| &self.rows[row * self.arity..(row + 1) * self.arity];
        let key = |at: usize| columns.iter().map(move |&column| row(at)[column]);
        let mut order: Vec<usize> = (0..self.len).collect();
        let mut starts = Vec::new();
        let mut slots = Slots::default();
        match &space {
            KeySpace::Direct { columns, size } => {
                let group = |at: usize| direct_index(columns, key(at)).expect("all values are numbered");
                order.sort_by_key(|&at| group(at));
                starts = vec![0u32; size + 1];
                for &at in &order {
                    starts[group(at) + 1] += 1;
                }
                for at in 0..*size {
                    starts[at + 1] += starts[at];
                }
            }
            KeySpace::Hashed => {
                order.sort_by(|&a, &b| key(a).cmp(key(b)));
                let mut firsts: Vec<usize> = Vec::new();
                for (number, &at) in order.iter().enumerate() {
                    if firsts.last().is_none_or(|&first| !key(first).eq(key(at))) {
                        let group = firsts.len() as u32;
                        firsts.push(at);
                        starts.push(number as u32);
                        slots.insert(hash(key(at)), group, |group| hash(key(firsts[group as usize])));
                    }
                }
                starts.push(self.len as u32);
            }
        }
        let rows = order.iter().flat_map(|&at| row(at).iter().copied()).collect();
        self.indexes.push(StaticIndex { columns: columns.to_vec(), space, starts, slots, rows });
        self.indexes.len() - 1
    }

    /// The expected number of tuples that agree with a key over the columns for which `bound` holds.
    pub(crate) fn expected(&self, bound: impl Fn(usize) -> bool) -> f64 {
        let columns = (0..self.arity).filter(|&column| bound(column));
        columns.fold(self.len as f64, |rows, column| rows / self.numberings[column].count.max(1) as f64)
    }
}

impl StaticIndex {
    /// The range of the tuples with this key, as indices into the tuples of the index.
    #[inline]
    pub(crate) fn find(&self, arity: usize, key: impl Iterator<Item = u32> + Clone) -> (u32, u32) {
        let group = match &self.space {
            KeySpace::Direct { columns, .. } => match direct_index(columns, key) {
                Some(group) => group,
                None => return (0, 0),
            },
            KeySpace::Hashed => {
                let is_it = |group: u32| {
                    let first = self.starts[group as usize] as usize * arity;
                    let mut pairs = self.columns.iter().zip(key.clone());
                    pairs.all(|(&column, value)| self.rows[first + column] == value)
                };
                match self.slots.find(hash(key.clone()), is_it) {
                    NONE => return (0, 0),
                    group => group as usize,
                }
            }
        };
        (self.starts[group], self.starts[group + 1])
    }
}

/// The shape of an input relation.
#[derive(Clone, Debug)]
pub(crate) struct InputShape {
    pub(crate) arity: usize,
    /// For each column, its possible values; `None` if they are not bounded.
    pub(crate) columns: Vec<Option<Numbering>>,
    /// The columns and the key space of each index.
    pub(crate) indexes: Vec<(Vec<usize>, KeySpace)>,
}

impl InputShape {
    /// The number of the index over `columns`, which is made if it does not exist.
    pub(crate) fn index(&mut self, columns: &[usize]) -> usize {
        if let Some(known) = self.indexes.iter().position(|(own, _)| own == columns) {
            return known;
        }
        let numberings: Vec<Option<&Numbering>> =
            columns.iter().map(|&column| self.columns[column].as_ref()).collect();
        self.indexes.push((columns.to_vec(), KeySpace::new(&numberings, DIRECT_INPUT)));
        self.indexes.len() - 1
    }
}

/// The tuples of an input relation.
#[derive(Clone, Default, Debug)]
pub(crate) struct InputTable {
    pub(crate) rows: Vec<u32>,
    pub(crate) len: usize,
    /// In a traced evaluation, the variable of each tuple. The tuples are in their order.
    pub(crate) variables: Vec<u32>,
    indexes: Vec<InputIndex>,
}

/// An index of an input relation. Tuples with the same key form a chain.
#[derive(Clone, Default, Debug)]
struct InputIndex {
    /// The number of tuples that the index contains.
    indexed: usize,
    slots: Slots,
    /// For each tuple, the next one with the same key, or [`NONE`].
    next: Vec<u32>,
}

impl InputTable {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.variables.clear();
        self.len = 0;
        for index in &mut self.indexes {
            if index.indexed > 0 {
                index.indexed = 0;
                index.slots.clear();
                index.next.clear();
            }
        }
    }

    /// The first tuple with this key in the index `number`, or [`NONE`]. [`InputTable::next`] gives the
    /// others. An index is filled when it is first asked.
    #[inline]
    pub(crate) fn find(
        &mut self,
        shape: &InputShape,
        number: usize,
        key: impl Iterator<Item = u32> + Clone,
    ) -> u32 {
        if self.indexes.get(number).is_none_or(|index| index.indexed < self.len) {
            self.fill(shape, number);
        }
        if self.len == 0 {
            return NONE;
        }
        let (columns, space) = &shape.indexes[number];
        let index = &self.indexes[number];
        match space {
            KeySpace::Direct { columns, .. } => {
                direct_index(columns, key).map_or(NONE, |at| index.slots.get(at))
            }
            KeySpace::Hashed => {
                let is_it = |row: u32| {
                    let first = row as usize * shape.arity;
                    columns.iter().zip(key.clone()).all(|(&column, value)| self.rows[first + column] == value)
                };
                index.slots.find(hash(key.clone()), is_it)
            }
        }
    }

    /// The tuple after `row` with the same key in the index `number`, or [`NONE`].
    #[inline]
    pub(crate) fn next(&self, number: usize, row: u32) -> u32 {
        self.indexes[number].next[row as usize]
    }

    fn fill(&mut self, shape: &InputShape, number: usize) {
        if self.indexes.len() <= number {
            self.indexes.resize_with(number + 1, InputIndex::default);
        }
        let (columns, space) = &shape.indexes[number];
        let InputTable { rows, len, indexes, .. } = self;
        let index = &mut indexes[number];
        let arity = shape.arity;
        let key = |row: usize| columns.iter().map(move |&column| row * arity + column);
        let key = |row: usize| key(row).map(|at| rows[at]);
        if let KeySpace::Direct { size, .. } = space {
            index.slots.allocate(*size);
        }
        for row in index.indexed..*len {
            let head = match space {
                KeySpace::Direct { columns, .. } => match direct_index(columns, key(row)) {
                    Some(at) => {
                        let head = index.slots.get(at);
                        index.slots.set(at, row as u32);
                        head
                    }
                    None => NONE,
                },
                KeySpace::Hashed => {
                    let hashed = hash(key(row));
                    let is_it = |other: u32| key(other as usize).eq(key(row));
                    let head = index.slots.find(hashed, is_it);
                    if head == NONE {
                        index.slots.insert(hashed, row as u32, |other| hash(key(other as usize)));
                    } else {
                        index.slots.replace(hashed, head, row as u32);
                    }
                    head
                }
            };
            index.next.push(head);
        }
        index.indexed = *len;
    }
}

#[cfg(test)]
mod tests {
    use super::{InputShape, InputTable, StaticTable};
    use crate::key::{NONE, Numbering};

    #[test]
    fn an_index_of_a_static_relation_groups_its_tuples() {
        let mut table = StaticTable::new(2, 4, vec![1, 5, 2, 5, 1, 6, 3, 7]);
        let number = table.index(&[0]);
        assert_eq!(table.index(&[0]), number, "one index for each choice of columns");
        let index = &table.indexes[number];
        let rows = |value: u32| {
            let (start, end) = index.find(2, std::iter::once(value));
            let mut rows = index.rows[start as usize * 2..end as usize * 2].to_vec();
            rows.sort_unstable();
            rows
        };
        assert_eq!((rows(1), rows(3)), (vec![1, 1, 5, 6], vec![3, 7]));
        assert_eq!((rows(5), rows(9)), (vec![], vec![]));
        let whole = table.index(&[]);
        assert_eq!(table.indexes[whole].find(2, std::iter::empty()), (0, 4));
    }

    #[test]
    fn an_input_is_indexed_anew_for_each_state() {
        let known = Numbering::of(&[1, 2, 3]);
        let mut shape = InputShape { arity: 2, columns: vec![Some(known), None], indexes: Vec::new() };
        let (direct, hashed) = (shape.index(&[0]), shape.index(&[1]));
        let mut table = InputTable::default();
        for rows in [vec![1, 10, 2, 20, 1, 30], vec![3, 10, 3, 20]] {
            table.clear();
            table.len = rows.len() / 2;
            table.rows.clone_from(&rows);
            for (number, column) in [(direct, 0), (hashed, 1)] {
                for value in [1, 2, 3, 10, 20, 30] {
                    let mut found = Vec::new();
                    let mut row = table.find(&shape, number, std::iter::once(value));
                    while row != NONE {
                        found.push(row as usize);
                        row = table.next(number, row);
                    }
                    found.sort_unstable();
                    let wanted = (0..table.len).filter(|row| rows[row * 2 + column] == value);
                    assert_eq!(found, wanted.collect::<Vec<_>>(), "{value} in column {column} of {rows:?}");
                }
            }
        }
    }
}
