//! A database: the tuples of all relations, the terms that occur in them, and which strata are completely
//! evaluated.

use crate::program::Program;
use crate::relation::Relation;
use crate::round::Round;
use crate::rule::RelationId;
use crate::scratch::Scratch;
use crate::statistics::{DistinctCounter, Statistics};
use crate::value::{Functor, Value, Values};

/// The mutable state of an evaluation. Each thread evaluates its own clone.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) values: Values,
    pub(crate) relations: Vec<Relation>,
    /// For each stratum of the program, whether it is completely evaluated.
    pub(crate) complete: Vec<bool>,
    /// The recursive stratum and the round in which an evaluation failed.
    pub(crate) unfinished: Option<(usize, Round)>,
    /// The number of tuples in all relations together; a tuple of 16 or more columns counts as more than one.
    pub(crate) tuples: usize,
    /// For each relation, the work since the last call of [`Database::reset_work`]: the rows that joins tried
    /// in order to derive its tuples, plus the cost of inserting these tuples.
    pub(crate) work: Vec<u64>,
    pub(crate) total_work: u64,
    /// The head relation of the rule whose evaluation failed last; `None` if no evaluation has failed.
    pub(crate) failed: Option<RelationId>,
    pub(crate) scratch: Scratch,
    counter: DistinctCounter,
}

impl Database {
    /// An empty database for `program`. `values` must contain the terms that occur in the program's rules.
    pub fn new(program: &Program, values: Values) -> Database {
        let relation = |number| Relation::new(program.arity(number), program.indexes.of(number));
        Database {
            values,
            relations: (0..program.relation_count()).map(relation).collect(),
            complete: vec![false; program.strata().len()],
            unfinished: None,
            tuples: 0,
            work: vec![0; program.relation_count()],
            total_work: 0,
            failed: None,
            scratch: Scratch::default(),
            counter: DistinctCounter::default(),
        }
    }

    /// The table of the terms that occur in tuples and rules.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The table of terms for mutation, so that the caller can intern more terms.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// The tuples of `relation`.
    pub fn relation(&self, relation: RelationId) -> &Relation {
        &self.relations[relation.index()]
    }

    /// Records the current sizes of `relations` in `statistics`. These relations must be completely
    /// evaluated.
    pub fn observe(&mut self, statistics: &mut Statistics, relations: impl Iterator<Item = RelationId>) {
        let relations = relations.map(|id| (id, &self.relations[id.index()]));
        statistics.observe(relations, &mut self.counter);
    }

    /// Removes the tuples that [`Database::clear_from`] removes, and then the temporary terms from the table
    /// of terms (see [`Values::release`]). The caller must ensure that no other tuple contains a temporary
    /// term, and must no longer use temporary terms.
    pub fn release_from(&mut self, program: &Program, level: u8) {
        self.clear_from(program, level);
        self.values.release();
    }

    /// Adds a tuple to an input relation and returns whether the tuple is new. Each relation that depends on
    /// this input must be cleared (see [`Database::clear_from`]) or not yet evaluated.
    pub fn insert(&mut self, relation: RelationId, tuple: &[Value]) -> bool {
        let relation = &mut self.relations[relation.index()];
        let new = relation.insert(tuple);
        self.tuples += usize::from(new) * relation.weight();
        new
    }

    /// Inserts into `relation` the tuple that consists of the values in `prefix`, followed by the arguments
    /// of `term`. Returns whether the tuple is new.
    pub fn insert_parts(&mut self, relation: RelationId, prefix: &[Value], term: Value) -> bool {
        let mut tuple = std::mem::take(&mut self.scratch.tuple);
        tuple.clear();
        tuple.extend_from_slice(prefix);
        tuple.extend_from_slice(self.values.arguments(term));
        let new = self.insert(relation, &tuple);
        self.scratch.tuple = tuple;
        new
    }

    /// Inserts into `relation` the tuple that consists of the values in `prefix`, followed by `term` itself
    /// as the last column. Returns whether the tuple is new.
    pub fn insert_whole(&mut self, relation: RelationId, prefix: &[Value], term: Value) -> bool {
        let mut tuple = std::mem::take(&mut self.scratch.tuple);
        tuple.clear();
        tuple.extend_from_slice(prefix);
        tuple.push(term);
        let new = self.insert(relation, &tuple);
        self.scratch.tuple = tuple;
        new
    }

    /// Interns and returns the term that applies `functor` to values of one row of `relation`. The row has
    /// the index `row`. Its values in the columns from index `first` on become the arguments of the term.
    pub fn term_of_row(&mut self, functor: Functor, relation: RelationId, row: usize, first: usize) -> Value {
        self.values.term(functor, &self.relations[relation.index()].row(row)[first..])
    }

    /// The work for each relation, in the order of the relations, since the last call of
    /// [`Database::reset_work`]. The unit is one row that a join tries. Inserting a derived tuple counts as
    /// two rows, or more if the tuple has 16 or more columns.
    pub fn work(&self) -> &[u64] {
        &self.work
    }

    /// The head relation of the rule whose evaluation failed last; `None` if no evaluation has failed so far.
    pub fn failed(&self) -> Option<RelationId> {
        self.failed
    }

    /// The total work since the last call of [`Database::reset_work`], in the unit of [`Database::work`]. The
    /// total includes the rows that [`crate::Body::for_each`] tried.
    pub fn total_work(&self) -> u64 {
        self.total_work
    }

    /// Resets the work counters to 0.
    pub fn reset_work(&mut self) {
        self.work.fill(0);
        self.total_work = 0;
    }

    /// Removes the tuples of all input relations of level `level` or above (see [`crate::Signature::level`]),
    /// and of all relations that depend on such input relations.
    pub fn clear_from(&mut self, program: &Program, level: u8) {
        for &relation in program.relations_from(level) {
            let relation = &mut self.relations[relation.index()];
            self.tuples -= relation.len() * relation.weight();
            relation.clear();
        }
        self.unfinished = None;
        for &stratum in program.strata_from(level) {
            self.complete[stratum as usize] = false;
        }
    }

    /// Replaces the indexes of all relations by the indexes that `program` needs. Call this after the program
    /// has been planned again.
    pub fn reindex(&mut self, program: &Program) {
        for (number, relation) in self.relations.iter_mut().enumerate() {
            relation.set_indexes(program.indexes.of(number));
        }
    }

    /// Adds to the relations in `of` the indexes that `program` needs and that they do not have yet.
    pub(crate) fn add_indexes(&mut self, program: &Program, of: impl Iterator<Item = RelationId>) {
        for number in of.map(RelationId::index) {
            let wanted = program.indexes.of(number);
            if self.relations[number].index_count() < wanted.len() {
                self.relations[number].set_indexes(wanted);
            }
        }
    }

    /// Makes the database usable again after a failed evaluation. Removes the tuples that
    /// [`Database::clear_from`] removes, and then all terms but the first `terms` from the table of terms.
    /// The caller must ensure that no other tuple contains a removed term, and must no longer use removed
    /// terms.
    pub fn roll_back(&mut self, program: &Program, level: u8, terms: usize) {
        self.clear_from(program, level);
        self.values.truncate(terms);
    }
}
