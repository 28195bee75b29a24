//! States of the interpreter, which outlive the terms that it releases.

use crate::EvalError;
use crate::move_table::too_much_text;
use ggp_datalog::{Value, Values};
use std::sync::Arc;

/// The most that a state's passing terms may take when they are written out, in bytes.
const MOST_WRITTEN: usize = 256 << 20;

/// A state of the [`Interpreter`](crate::Interpreter): the fluents that hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FluentSet(Fluents);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Fluents {
    /// Lasting terms only, sorted.
    Lasting(Arc<[Value]>),
    /// Passing terms as well.
    Mixed(Arc<Mixed>),
}

/// Fluents of which at least one is a passing term.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Mixed {
    /// Those that are lasting terms, sorted.
    lasting: Box<[Value]>,
    /// The others, written out and sorted.
    written: Box<[u32]>,
}

impl FluentSet {
    /// The state of `fluents`, which are sorted and different.
    ///
    /// # Errors
    /// When passing terms take more than [`MOST_WRITTEN`].
    pub(crate) fn new(fluents: Vec<Value>, terms: &Values) -> Result<FluentSet, EvalError> {
        let (lasting, passing) = fluents.split_at(fluents.partition_point(|&f| terms.is_lasting(f)));
        if passing.is_empty() {
            return Ok(FluentSet(Fluents::Lasting(fluents.into())));
        }
        // A term that is written out has at most as many words as its text has bytes, and one more.
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

    /// The fluents, in `buffer` if they are not at hand; passing terms are made anew.
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

    /// The bytes that it holds on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        // The two counters of an `Arc` stand before its content.
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
