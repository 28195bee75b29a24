//! How large relations are, as seen so far: what join order is chosen by.

use crate::database::Database;
use crate::rule::RelationId;
use rustc_hash::FxHashSet;

/// Mean sizes of relations, and mean numbers of different values in their columns.
#[derive(Clone, Debug)]
pub struct Statistics {
    relations: Vec<Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    /// How often it was observed.
    observations: f64,
    tuples: f64,
    distinct: Vec<f64>,
}

/// What a relation that nobody has seen is taken for: tuples, and different values in a column.
const UNSEEN: (f64, f64) = (1000.0, 10.0);

/// What a relation that was always empty is taken for, in tuples.
const RARE: f64 = 0.25;

impl Statistics {
    /// Of relations with these arities, none of which has been seen.
    pub(crate) fn new(arities: impl Iterator<Item = usize>) -> Statistics {
        let unseen = |arity| Seen { observations: 0.0, tuples: 0.0, distinct: vec![0.0; arity] };
        Statistics { relations: arities.map(unseen).collect() }
    }

    /// Also of relations with these arities, numbered on, which nobody has seen.
    pub fn extend(&mut self, arities: impl Iterator<Item = usize>) {
        self.relations.extend(Statistics::new(arities).relations);
    }

    /// Takes note of `relations`, which must be complete in `database`.
    pub fn observe(&mut self, database: &Database, relations: impl Iterator<Item = RelationId>) {
        for id in relations {
            let relation = database.relation(id);
            let seen = &mut self.relations[id.index()];
            seen.observations += 1.0;
            seen.tuples += relation.len() as f64;
            for (column, distinct) in seen.distinct.iter_mut().enumerate() {
                let values: FxHashSet<_> = relation.rows().map(|row| row[column]).collect();
                *distinct += values.len() as f64;
            }
        }
    }

    /// How many tuples of `relation` are expected to match when the columns that `bound` names
    /// have given values. Columns are taken to be independent, so this is too low where they are
    /// not; a full key is worth more than a small relation all the same.
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
