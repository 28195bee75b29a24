//! Stratified, semi-naive, bottom-up Datalog over interned ground terms.
//!
//! Knows nothing of games. A [`Program`] is a set of [`Rule`]s in strata, each rule with a join
//! plan; a [`Database`] holds the tuples. The caller inserts tuples of the inputs and asks for
//! relations; only what those depend on is evaluated, and only once until it is cleared.
//!
//! Results and their order depend on the program and the order of insertion alone.

mod database;
pub mod decompose;
pub mod demand;
mod error;
mod fixpoint;
mod join;
mod plan;
mod program;
mod relation;
mod rule;
pub mod split;
mod statistics;
pub mod strata;
mod table;
mod value;

pub use database::Database;
pub use error::{EvalError, ProgramError};
pub use program::{Body, Program, Query};
pub use relation::Relation;
pub use rule::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
pub use statistics::Statistics;
pub use value::{Functor, Name, Value, Values};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bounds of an evaluation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Different terms, at the most (on average of no more than 16 arguments; wider ones count
    /// for more).
    pub terms: usize,
    /// How deep a term may be nested.
    pub depth: u32,
    /// How many bytes the text of a term may have: where a term stands several times in another, that
    /// doubles with each level.
    pub text: u32,
    /// Tuples in all relations together, at the most. One of more than 16 columns counts for more.
    pub tuples: usize,
    /// Rows that joins may try until [`Database::reset_work`]; no bound by default.
    pub rows: u64,
    /// When raised, evaluation stops with [`EvalError::Interrupted`].
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    /// 4 million terms, 100,000 levels, 1 MiB of text, 20 million tuples: about 2 GiB at the worst.
    fn default() -> Self {
        Limits {
            terms: 4_000_000,
            depth: 100_000,
            text: 1 << 20,
            tuples: 20_000_000,
            rows: u64::MAX,
            interrupt: None,
        }
    }
}

impl Limits {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
