//! Stratified, semi-naive, bottom-up Datalog over interned ground terms. The crate knows nothing of games. A
//! [`Program`] is a set of [`Rule`]s, grouped into strata, with a join plan for each rule. A [`Database`]
//! holds the tuples. The caller inserts the tuples of the input relations and evaluates a [`Query`].
//!
//! Invariants: evaluating a query evaluates only the strata on which its relations depend. No stratum is
//! evaluated a second time before the database is cleared. Results and their order depend only on the program
//! and on the order of insertion.
//!
//! # Examples
//! ```
//! use ggp_datalog::{
//!     Argument, Atom, Database, Limits, Literal, Program, RelationId, Rule, Signature, Values, Variable,
//! };
//! // reach(x) <- start(x);  reach(y) <- reach(x), edge(x, y)
//! let relation = |name: &str, arity| Signature { name: name.into(), arity, level: 0 };
//! let signatures = vec![relation("start", 1), relation("edge", 2), relation("reach", 1)];
//! let [start, edge, reach] = [0, 1, 2].map(RelationId);
//! let (x, y) = (Argument::Variable(Variable(0)), Argument::Variable(Variable(1)));
//! let atom = |relation, args: &[Argument]| Atom { relation, args: args.into() };
//! let rule = |head, body: Vec<Atom>, variables| Rule {
//!     head,
//!     body: body.into_iter().map(Literal::Positive).collect(),
//!     variables,
//!     label: 0,
//! };
//! let program = Program::new(
//!     signatures,
//!     vec![
//!         rule(atom(reach, &[x]), vec![atom(start, &[x])], 1),
//!         rule(atom(reach, &[y]), vec![atom(reach, &[x]), atom(edge, &[x, y])], 2),
//!     ],
//! )
//! .unwrap();
//! let mut values = Values::default();
//! let [a, b, c] = ["a", "b", "c"].map(|name| values.constant(name));
//! let mut database = Database::new(&program, values);
//! database.insert(start, &[a]);
//! database.insert(edge, &[a, b]);
//! database.insert(edge, &[b, c]);
//! program.evaluate(&mut database, &program.query(&[reach]), &Limits::default()).unwrap();
//! assert_eq!(database.relation(reach).len(), 3);
//! ```

mod body;
mod database;
pub mod decompose;
pub mod demand;
mod error;
mod evaluate;
mod fixpoint;
mod forecast;
mod join;
mod plan;
mod program;
mod relation;
mod round;
mod rule;
mod scratch;
mod seen;
pub mod split;
mod statistics;
pub mod strata;
mod table;
mod value;

pub use body::Body;
pub use database::Database;
pub use error::{EvalError, ProgramError};
pub use program::{Program, Query};
pub use relation::Relation;
pub use rule::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
pub use statistics::Statistics;
pub use value::{Functor, Name, Value, Values};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bounds on an evaluation. An evaluation that exceeds one of them fails with an [`EvalError`].
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum number of distinct terms. If terms have more than 16 arguments on average, the bound
    /// applies to a sixteenth of the total number of arguments instead.
    pub terms: usize,
    /// The maximum nesting depth of a term. A constant has depth 1.
    pub depth: u32,
    /// The maximum length of a term's text, in bytes. The text of a term that contains a subterm several
    /// times can double in length with each level of nesting.
    pub text: u32,
    /// The maximum number of tuples in all relations together. A tuple of 16 or more columns counts as more
    /// than one.
    pub tuples: usize,
    /// The maximum work between two calls of [`Database::reset_work`]. The unit of work is one row that a
    /// join tries. Inserting a derived tuple counts as two rows, or more if the tuple has 16 or more columns.
    /// By default there is no bound.
    pub rows: u64,
    /// The cancellation flag. Once it is true, evaluation stops with [`EvalError::Interrupted`].
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    /// The default bounds are 4 million terms, 100,000 levels of nesting, 1 MiB of text and 20 million
    /// tuples. With these bounds, an evaluation takes at most about 2 GiB of memory.
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
