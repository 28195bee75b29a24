//! States of the interpreter. The interpreter keeps permanent terms, but releases temporary terms between
//! evaluations (see [`crate::interpreter`]). A state holds temporary terms in serialised form, so it remains
//! valid.

use crate::EvalError;
use crate::move_table::too_much_text;
use ggp_datalog::{Value, Values};
use std::sync::Arc;

/// The largest size of the serialised temporary terms of a state, in bytes.
const MOST_WRITTEN: usize = 256 << 20;

/// A state of the [`Interpreter`](crate::Interpreter): the set of fluents that are true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FluentSet(Fluents);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Fluents {
    /// All fluents are permanent terms. They are sorted.
    Permanent(Arc<[Value]>),
    /// At least one fluent is a temporary term.
    Mixed(Arc<Mixed>),
}

/// A set of fluents of which at least one is a temporary term.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Mixed {
    /// The fluents that are permanent terms, sorted.
    permanent: Box<[Value]>,
    /// The fluents that are temporary terms, in serialised form and sorted.
    written: Box<[u32]>,
}

impl FluentSet {
    /// The state in which exactly `fluents` are true. `fluents` must be sorted and distinct.
    ///
    /// # Errors
    /// When the serialised temporary terms exceed [`MOST_WRITTEN`].
    pub(crate) fn new(fluents: Vec<Value>, terms: &Values) -> Result<FluentSet, EvalError> {
        let (permanent, temporary) = fluents.split_at(fluents.partition_point(|&f| terms.is_permanent(f)));
        if temporary.is_empty() {
            return Ok(FluentSet(Fluents::Permanent(fluents.into())));
        }
        // The serialised form of a term has at most one word more than its text has bytes.
        let words = temporary.iter().map(|&fluent| terms.text_len(fluent) as usize + 1).sum::<usize>();
        if words.saturating_mul(size_of::<u32>()) > MOST_WRITTEN {
            return Err(too_much_text("facts of a state", MOST_WRITTEN));
        }
        let mut written: Vec<Vec<u32>> = Vec::with_capacity(temporary.len());
        for &fluent in temporary {
            let mut words = Vec::new();
            terms.write(fluent, &mut words);
            written.push(words);
        }
        written.sort_unstable();
        let mixed = Mixed { permanent: permanent.into(), written: written.concat().into() };
        Ok(FluentSet(Fluents::Mixed(Arc::new(mixed))))
    }

    /// The fluents of the state. If some of them are temporary terms, the function interns these terms again,
    /// writes all fluents to `buffer`, and returns the content of `buffer`. Otherwise it does not use
    /// `buffer`.
    pub(crate) fn values<'a>(&'a self, terms: &mut Values, buffer: &'a mut Vec<Value>) -> &'a [Value] {
        match &self.0 {
            Fluents::Permanent(values) => values,
            Fluents::Mixed(mixed) => {
                buffer.clear();
                buffer.extend_from_slice(&mixed.permanent);
                terms.read(&mixed.written, buffer);
                buffer
            }
        }
    }

    /// The size of the state's heap data in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        // An `Arc` stores two reference counters in front of its content.
        let counters = 2 * size_of::<usize>();
        counters
            + match &self.0 {
                Fluents::Permanent(values) => size_of_val(&**values),
                Fluents::Mixed(mixed) => {
                    size_of::<Mixed>() + size_of_val(&*mixed.permanent) + size_of_val(&*mixed.written)
                }
            }
    }
}
