//! State variables: the fluents of a family, grouped by some of their arguments.
//!
//! The variable of a group has as its value the set of the group's fluents that hold. Where the rules keep one
//! fluent of each group true, such as the piece on a square, a group is a variable in the usual sense. Grouping by
//! fewer or by more arguments is also correct, but slower.

use crate::compiled::Compiled;
use crate::encoding::Encoding;
use crate::key::{DirectColumn, NONE, direct_index};
use std::sync::Arc;

/// The maximum number of state variables.
const MOST_VARIABLES: usize = 1 << 15;

/// The grouping of the fluents of one family.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The number of the first variable.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The columns whose values select a variable, each with the distance between two variables.
    pub(crate) keys: Vec<(usize, u32)>,
    /// The other columns.
    pub(crate) rest: Vec<usize>,
}

/// The way from a key that names one variable to the variable.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    first: u32,
    /// For each key column of the group, the position of its value in the key.
    positions: Box<[usize]>,
    /// For each of them, its numbering, and the distance between the variables of two successive numbers.
    columns: Box<[DirectColumn]>,
}

impl Place {
    /// The variable that `key` names. `None` if a value cannot occur in its column.
    #[inline]
    pub(crate) fn variable(&self, key: impl Fn(usize) -> u32) -> Option<u32> {
        let number = direct_index(&self.columns, self.positions.iter().map(|&position| key(position)))?;
        Some(self.first + number as u32)
    }
}

/// The grouping of all fluents.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// One group for each family.
    pub(crate) groups: Vec<Group>,
    pub(crate) variables: usize,
}

impl Layout {
    /// Groups the fluents such that each group has at most one fluent in each of the `samples`, which are sorted
    /// lists of codes. `None` if there are too many groups.
    pub(crate) fn new(fluents: &Encoding, samples: &[Vec<u32>]) -> Option<Layout> {
        let mut digits: Vec<Vec<(usize, Vec<u32>)>> = vec![Vec::new(); fluents.families.len()];
        let mut args = Vec::new();
        for (number, sample) in samples.iter().enumerate() {
            for &code in sample {
                args.clear();
                let family = fluents.decode(code, &mut args);
                digits[family].push((number, args.clone()));
            }
        }
        let mut groups = Vec::with_capacity(fluents.families.len());
        let mut first = 0usize;
        for (family, seen) in fluents.families.iter().zip(&digits) {
            let mut is_key = vec![true; family.columns.len()];
            for column in (0..is_key.len()).rev() {
                is_key[column] = false;
                let mut keys: Vec<(usize, Vec<u32>)> = seen
                    .iter()
                    .map(|(sample, args)| {
                        (
                            *sample,
                            args.iter().zip(&is_key).filter(|(_, key)| **key).map(|(a, _)| *a).collect(),
                        )
                    })
                    .collect();
                let all = keys.len();
                keys.sort_unstable();
                keys.dedup();
                if keys.len() < all || seen.is_empty() {
                    is_key[column] = true;
                }
            }
            let mut count = 1usize;
            let mut keys = Vec::new();
            for (column, _) in is_key.iter().enumerate().filter(|(_, key)| **key) {
                keys.push((column, count as u32));
                count = count.saturating_mul(family.columns[column].values.len());
                if first.saturating_add(count) > MOST_VARIABLES {
                    return None;
                }
            }
            let rest = (0..is_key.len()).filter(|&column| !is_key[column]).collect();
            groups.push(Group { first: first as u32, count: count as u32, keys, rest });
            first += count;
        }
        Some(Layout { groups, variables: first })
    }

    /// The variable of the fluent with this code, and the part of the code that the key columns do not give.
    pub(crate) fn locate(&self, fluents: &Encoding, code: u32) -> (u32, u32) {
        let number = fluents.family_of(code);
        let (family, group) = (&fluents.families[number], &self.groups[number]);
        let digit = |column: usize| {
            let column = &family.columns[column];
            (code - family.first) / column.stride % column.values.len() as u32
        };
        let variable = group.keys.iter().map(|&(column, step)| digit(column) * step).sum::<u32>();
        let rest = group.rest.iter().map(|&c| digit(c) * family.columns[c].stride).sum();
        (group.first + variable, rest)
    }

    /// The family of a variable.
    pub(crate) fn family(&self, variable: u32) -> usize {
        self.groups.partition_point(|group| group.first + group.count <= variable)
    }

    /// The smallest code of the fluents of a variable.
    pub(crate) fn base(&self, fluents: &Encoding, variable: u32) -> u32 {
        let number = self.family(variable);
        let (family, group) = (&fluents.families[number], &self.groups[number]);
        let digit = |column: usize, step: u32| {
            (variable - group.first) / step % family.columns[column].values.len() as u32
        };
        let own = |&(column, step): &(usize, u32)| digit(column, step) * family.columns[column].stride;
        family.first + group.keys.iter().map(own).sum::<u32>()
    }

    /// The place of the variable that contains the fluents of `family` with given values of `columns`. `None` if they
    /// can be in several variables.
    pub(crate) fn place(&self, fluents: &Encoding, family: usize, columns: &[usize]) -> Option<Place> {
        let (group, own) = (&self.groups[family], &fluents.families[family].columns);
        if own.iter().any(|column| column.values.is_empty()) {
            return None;
        }
        let position = |&(column, _): &(usize, u32)| columns.iter().position(|&known| known == column);
        let positions = group.keys.iter().map(position).collect::<Option<_>>()?;
        let column = |&(column, step): &(usize, u32)| (Arc::clone(&own[column].numbering.numbers), step);
        let columns = group.keys.iter().map(column).collect();
        Some(Place { first: group.first, positions, columns })
    }

    /// Appends the variables that contain the fluents of `family` for which `known` gives the values of some
    /// columns. The order is ascending.
    pub(crate) fn variables(
        &self,
        fluents: &Encoding,
        family: usize,
        known: impl Fn(usize) -> Option<u32>,
        out: &mut Vec<u32>,
    ) {
        let (columns, group) = (&fluents.families[family].columns, &self.groups[family]);
        let start = out.len();
        out.push(group.first);
        for &(column, step) in &group.keys {
            let numbering = &columns[column].numbering;
            if let Some(value) = known(column) {
                let digit = numbering.numbers.get(value as usize).copied().unwrap_or(NONE);
                if digit == NONE {
                    out.truncate(start);
                    return;
                }
                out[start..].iter_mut().for_each(|variable| *variable += digit * step);
            } else {
                let end = out.len();
                for digit in 1..columns[column].values.len() as u32 {
                    for at in start..end {
                        out.push(out[at] + digit * step);
                    }
                }
            }
        }
        if columns.iter().any(|column| column.values.is_empty()) {
            out.truncate(start);
        }
    }
}

impl Compiled {
    /// Whether all fluents and moves are read and written by their root functions.
    pub(crate) fn is_flat(&self) -> bool {
        let by_family = |asked: &[crate::compiled::Asked]| asked.iter().all(|asked| asked.family.is_some());
        self.whole_fluents.is_none()
            && self.whole_moves.is_none()
            && self.moves.is_ordered
            && by_family(&self.next)
            && by_family(&self.legal)
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::encoding::Encoding;

    #[test]
    fn a_fluent_is_found_by_its_variable_and_the_rest_of_its_code() {
        // 2 rows of 3 squares with one of 2 pieces each, and the player to move.
        let fluents = Encoding::of_sizes(&[&[2, 3, 2], &[2]]);
        let piece = |row: u32, square: u32, piece: u32| row * 6 + square * 2 + piece;
        let all =
            |last: u32| (0..2).flat_map(move |row| (0..3).map(move |s| piece(row, s, (row + s + last) % 2)));
        let samples = [0, 1].map(|turn| all(turn).chain([12 + turn]).collect());
        let layout = Layout::new(&fluents, &samples).expect("few variables");
        assert_eq!(layout.variables, 7);
        let mut seen = Vec::new();
        for code in 0..14 {
            let (variable, rest) = layout.locate(&fluents, code);
            assert_eq!(layout.base(&fluents, variable) + rest, code);
            assert_eq!(layout.family(variable), usize::from(code >= 12));
            seen.push(variable);
        }
        seen.dedup();
        seen.sort_unstable();
        assert_eq!(seen, (0..7).collect::<Vec<u32>>(), "two fluents each");
        let mut found = Vec::new();
        layout.variables(&fluents, 0, |column| (column == 1).then_some(2), &mut found);
        let expected: Vec<u32> = [0, 1].map(|row| layout.locate(&fluents, piece(row, 2, 0)).0).to_vec();
        assert_eq!(found, expected, "the last square of each row");
        assert!(layout.place(&fluents, 0, &[1]).is_none(), "each row has such a square");
        let place = layout.place(&fluents, 0, &[1, 0]).expect("the square is known");
        let whole: Vec<Option<u32>> = [0, 1].map(|row| place.variable(|at| [2, row][at])).to_vec();
        assert_eq!(whole, expected.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(place.variable(|at| [9, 0][at]), None, "there is no such square");
        found.clear();
        layout.variables(&fluents, 0, |column| (column == 1).then_some(9), &mut found);
        assert!(found.is_empty(), "there is no such square");
    }
}
