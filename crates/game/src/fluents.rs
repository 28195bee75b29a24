//! States of the interpreter. A state remains valid after the interpreter releases the passing terms.

use crate::EvalError;
use crate::move_table::too_much_text;
use ggp_datalog::{Value, Values};
use std::sync::Arc;

/// The largest size of a state's serialised passing terms, in bytes.
const MOST_WRITTEN: usize = 256 << 20;

/// A state of the [`Interpreter`](crate::Interpreter): the set of fluents that are true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FluentSet(Fluents);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Fluents {
    /// All fluents are lasting terms; sorted.
    Lasting(Arc<[Value]>),
    /// At least one fluent is a passing term.
    Mixed(Arc<Mixed>),
}

/// A set of fluents of which at least one is a passing term.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Mixed {
    /// The fluents that are lasting terms, sorted.
    lasting: Box<[Value]>,
    /// The other fluents, serialised and sorted.
    written: Box<[u32]>,
}

impl FluentSet {
    /// The state of `fluents`, which are sorted and distinct.
    ///
    /// # Errors
    /// When the serialised passing terms exceed [`MOST_WRITTEN`].
    pub(crate) fn new(fluents: Vec<Value>, terms: &Values) -> Result<FluentSet, EvalError> {
        let (lasting, passing) = fluents.split_at(fluents.partition_point(|&f| terms.is_lasting(f)));
        if passing.is_empty() {
            return Ok(FluentSet(Fluents::Lasting(fluents.into())));
        }
        // The serialised form of a term has at most one word more than its text has bytes.
        let words = passing.iter().map(|&fluent| terms.text_len(fluent) as usize + 1).sum::<usize>();
        if words.saturating_mul(size_of::<u32>()) > MOST_WRITTEN {
            return Err(too_much_text("facts of a state", MOST_WRITTEN));
        }
        let mut written: Vec<Vec<u32>> = Vec::with_capacity(passing.len());
        for &fluent in passing {
            let mut words = Vec::new();
            terms.write(fluent, &mut words);
            written.push(words);
        }
        written.sort_unstable();
        let mixed = Mixed { lasting: lasting.into(), written: written.concat().into() };
        Ok(FluentSet(Fluents::Mixed(Arc::new(mixed))))
    }

    /// The fluents. If some are passing terms, their terms are interned again, and the result is in
    /// `buffer`.
    pub(crate) fn values<'a>(&'a self, terms: &mut Values, buffer: &'a mut Vec<Value>) -> &'a [Value] {
        match &self.0 {
            Fluents::Lasting(values) => values,
            Fluents::Mixed(mixed) => {
                buffer.clear();
                buffer.extend_from_slice(&mixed.lasting);
                terms.read(&mixed.written, buffer);
                buffer
            }
        }
    }

    /// The size of the heap data in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        // An `Arc` stores two reference counters in front of its content.
        let counters = 2 * size_of::<usize>();
        counters
            + match &self.0 {
                Fluents::Lasting(values) => size_of_val(&**values),
                Fluents::Mixed(mixed) => {
                    size_of::<Mixed>() + size_of_val(&*mixed.lasting) + size_of_val(&*mixed.written)
                }
            }
    }
}
