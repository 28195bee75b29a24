//! Observed sizes of relations, from which the planner chooses the join order.

use crate::relation::Relation;
use crate::rule::RelationId;
use rustc_hash::FxHashSet;

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
    pub(crate) fn observe<'a>(&mut self, relations: impl Iterator<Item = (RelationId, &'a Relation)>) {
        for (id, relation) in relations {
            let seen = &mut self.relations[id.index()];
            seen.observations += 1.0;
            seen.tuples += relation.len() as f64;
            for (column, distinct) in seen.distinct.iter_mut().enumerate() {
                let values: FxHashSet<_> = relation.rows().map(|row| row[column]).collect();
                *distinct += values.len() as f64;
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
