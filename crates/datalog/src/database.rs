//! A database: the tuples of all relations, the terms in them, and what has been evaluated.

use crate::join::Scratch;
use crate::program::Program;
use crate::relation::Relation;
use crate::rule::RelationId;
use crate::value::{Functor, Value, Values};

/// Everything that an evaluation reads and writes. Clone it for another thread.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) values: Values,
    pub(crate) relations: Vec<Relation>,
    /// Which strata are complete.
    pub(crate) complete: Vec<bool>,
    /// The number of tuples in all relations, wide ones counting for more.
    pub(crate) tuples: usize,
    /// The rows that joins have tried to derive each relation, since it was last reset.
    pub(crate) work: Vec<u64>,
    pub(crate) total_work: u64,
    /// The relation that was being derived when an evaluation last failed.
    pub(crate) failed: Option<RelationId>,
    pub(crate) scratch: Scratch,
}

impl Database {
    /// An empty database for `program`, whose rules' values are those of `values`.
    pub fn new(program: &Program, values: Values) -> Database {
        let relation = |number| Relation::new(program.arity(number), program.indexes.of(number));
        Database {
            values,
            relations: (0..program.relation_count()).map(relation).collect(),
            complete: vec![false; program.strata().len()],
            tuples: 0,
            work: vec![0; program.relation_count()],
            total_work: 0,
            failed: None,
            scratch: Scratch::default(),
        }
    }

    /// The terms.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The terms, to add some.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    /// The tuples of `relation`.
    pub fn relation(&self, relation: RelationId) -> &Relation {
        &self.relations[relation.index()]
    }

    /// Like [`Database::clear_from`], and forgets the passing terms. Nothing that is kept, here or by the caller,
    /// may contain one.
    pub fn release_from(&mut self, program: &Program, level: u8) {
        self.clear_from(program, level);
        self.values.release();
    }

    /// Adds a tuple to an input; whether it is new. What depends on the input must not have been
    /// evaluated since it was last cleared.
    pub fn insert(&mut self, relation: RelationId, tuple: &[Value]) -> bool {
        let relation = &mut self.relations[relation.index()];
        let new = relation.insert(tuple);
        self.tuples += usize::from(new) * relation.weight();
        new
    }

    /// Adds the tuple of `prefix` and the arguments of `term`.
    pub fn insert_parts(&mut self, relation: RelationId, prefix: &[Value], term: Value) -> bool {
        let mut tuple = std::mem::take(&mut self.scratch.tuple);
        tuple.clear();
        tuple.extend_from_slice(prefix);
        tuple.extend_from_slice(self.values.arguments(term));
        let new = self.insert(relation, &tuple);
        self.scratch.tuple = tuple;
        new
    }

    /// Adds the tuple of `prefix` and `term`.
    pub fn insert_whole(&mut self, relation: RelationId, prefix: &[Value], term: Value) -> bool {
        let mut tuple = std::mem::take(&mut self.scratch.tuple);
        tuple.clear();
        tuple.extend_from_slice(prefix);
        tuple.push(term);
        let new = self.insert(relation, &tuple);
        self.scratch.tuple = tuple;
        new
    }

    /// The term `functor` applied to the columns of a row from `first` on.
    pub fn term_of_row(&mut self, functor: Functor, relation: RelationId, row: usize, first: usize) -> Value {
        self.values.term(functor, &self.relations[relation.index()].row(row)[first..])
    }

    /// The rows that joins have tried, for each relation to be derived, since the last reset.
    pub fn work(&self) -> &[u64] {
        &self.work
    }

    /// The relation that was being derived when an evaluation last failed.
    pub fn failed(&self) -> Option<RelationId> {
        self.failed
    }

    /// The same for all relations together.
    pub fn total_work(&self) -> u64 {
        self.total_work
    }

    /// Counts work from zero.
    pub fn reset_work(&mut self) {
        self.work.fill(0);
        self.total_work = 0;
    }

    /// Forgets the tuples of all inputs of `level` or above, and of all that depends on them.
    pub fn clear_from(&mut self, program: &Program, level: u8) {
        for &relation in program.relations_from(level) {
            let relation = &mut self.relations[relation.index()];
            self.tuples -= relation.len() * relation.weight();
            relation.clear();
        }
        for &stratum in program.strata_from(level) {
            self.complete[stratum as usize] = false;
        }
    }

    /// Builds the indexes of `program`, which has been planned anew, and drops all others.
    pub fn reindex(&mut self, program: &Program) {
        for (number, relation) in self.relations.iter_mut().enumerate() {
            relation.set_indexes(program.indexes.of(number));
        }
    }

    /// Builds the indexes of `of` that `program` has more than this database.
    pub(crate) fn add_indexes(&mut self, program: &Program, of: impl Iterator<Item = RelationId>) {
        for number in of.map(RelationId::index) {
            let wanted = program.indexes.of(number);
            if self.relations[number].index_count() < wanted.len() {
                self.relations[number].set_indexes(wanted);
            }
        }
    }

    /// Makes the database usable after an evaluation failed: forgets all that depends on inputs
    /// of `level` or above, as [`Database::clear_from`], and the terms made since there were
    /// `terms` of them. Nothing that is kept, here or by the caller, may contain those.
    pub fn roll_back(&mut self, program: &Program, level: u8, terms: usize) {
        self.clear_from(program, level);
        self.values.truncate(terms);
    }
}
