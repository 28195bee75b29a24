//! Observed sizes of relations, from which the planner chooses the join order.

use crate::relation::Relation;
use crate::rule::RelationId;
use crate::value::Value;

/// For each relation, the mean number of tuples and the mean number of distinct values in each column.
#[derive(Clone, Debug)]
pub struct Statistics {
    relations: Vec<Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    /// How many times the size of the relation has been observed.
    observations: f64,
    /// The number of tuples at each observation, summed over all observations.
    tuples: f64,
    /// For each column, the number of distinct values at each observation, summed over all observations.
    distinct: Vec<f64>,
}

/// Counts the distinct values of a sequence.
#[derive(Clone, Default, Debug)]
pub(crate) struct DistinctCounter {
    /// For each value, the number of the count in which it occurred last; 0 if it has not occurred yet.
    /// Values are indices into the table of terms, so an array by value is smaller and faster than a hash set.
    last: Vec<u32>,
    counts: u32,
}

impl DistinctCounter {
    /// The number of distinct values in `values`.
    pub(crate) fn count(&mut self, values: impl Iterator<Item = Value>) -> usize {
        self.counts = self.counts.checked_add(1).unwrap_or_else(|| {
            self.last.clear();
            1
        });
        let mut distinct = 0;
        for value in values {
            let at = value.index();
            if at >= self.last.len() {
                self.last.resize(at + 1, 0);
            }
            distinct += usize::from(self.last[at] != self.counts);
            self.last[at] = self.counts;
        }
        distinct
    }
}

/// The assumed size of a relation that has never been observed: the number of tuples, and the number of
/// distinct values in each column.
const UNSEEN: (f64, f64) = (1000.0, 10.0);

/// The assumed number of tuples of a relation that was empty at every observation.
const RARE: f64 = 0.25;

impl Statistics {
    /// Empty statistics: no sizes have been observed yet. `arities` holds the arity of each relation, in the
    /// order of the relations.
    pub(crate) fn new(arities: impl Iterator<Item = usize>) -> Statistics {
        let unseen = |arity| Seen { observations: 0.0, tuples: 0.0, distinct: vec![0.0; arity] };
        Statistics { relations: arities.map(unseen).collect() }
    }

    /// Adds one relation for each arity in `arities`, after the existing relations. The sizes of the new
    /// relations have not been observed yet.
    pub fn extend(&mut self, arities: impl Iterator<Item = usize>) {
        self.relations.extend(Statistics::new(arities).relations);
    }

    /// Records the size of each of `relations`, which must be completely evaluated.
    pub(crate) fn observe<'a>(
        &mut self,
        relations: impl Iterator<Item = (RelationId, &'a Relation)>,
        counter: &mut DistinctCounter,
    ) {
        for (id, relation) in relations {
            let seen = &mut self.relations[id.index()];
            seen.observations += 1.0;
            seen.tuples += relation.len() as f64;
            for (column, distinct) in seen.distinct.iter_mut().enumerate() {
                *distinct += counter.count(relation.rows().map(|row| row[column])) as f64;
            }
        }
    }

    /// The expected number of tuples that a lookup in `relation` finds if its key consists of the columns for
    /// which `bound` holds. The estimate assumes that the columns are independent, and is too low if they are
    /// not. This is accepted: a lookup whose key determines the whole tuple still gets a lower estimate than
    /// a scan of a small relation.
    pub(crate) fn fan_out(&self, relation: RelationId, bound: impl Fn(usize) -> bool) -> f64 {
        let seen = &self.relations[relation.index()];
        let columns = (0..seen.distinct.len()).filter(|&c| bound(c));
        if seen.observations == 0.0 {
            return columns.fold(UNSEEN.0, |tuples, _| tuples / UNSEEN.1);
        }
        columns.fold((seen.tuples / seen.observations).max(RARE), |tuples, c| {
            tuples / (seen.distinct[c] / seen.observations).max(1.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_values_are_counted_anew_each_time() {
        let mut counter = DistinctCounter::default();
        let mut count = |values: &[u32]| counter.count(values.iter().map(|&v| Value(v)));
        assert_eq!([count(&[3, 0, 3]), count(&[]), count(&[0, 0, 7]), count(&[3, 3])], [2, 0, 2, 1]);
        counter.counts = u32::MAX;
        assert_eq!(counter.count([Value(3), Value(3)].into_iter()), 1);
    }
}
