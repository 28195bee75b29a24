//! What can be wrong with a program, and what can go wrong while it runs.

use crate::rule::RelationId;

/// Why a set of rules is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A variable of the head, of a negative literal or of a `Distinct` is bound by nothing.
    #[error("rule {label}: variable {variable} is not bound by any positive literal")]
    Unsafe {
        /// The rule's label.
        label: u32,
        /// The variable's number.
        variable: u32,
    },
    /// These relations depend on each other through negation.
    #[error("relations depend on themselves through negation: {0:?}")]
    NotStratified(Vec<RelationId>),
}

/// What checks cannot exclude while rules are evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// More terms than the bound, in the rule of this label.
    #[error("rule {label} makes terms without end (bound: {bound})")]
    TooManyTerms {
        /// The rule's label.
        label: u32,
        /// The bound.
        bound: usize,
    },
    /// A term nested deeper than the bound, in the rule of this label.
    #[error("rule {label} nests terms without end (bound: {bound})")]
    TooDeep {
        /// The rule's label.
        label: u32,
        /// The bound.
        bound: u32,
    },
    /// A term whose text is longer than the bound, in the rule of this label.
    #[error("rule {label} makes terms that double without end (bound: {bound} bytes of text)")]
    TooLong {
        /// The rule's label.
        label: u32,
        /// The bound.
        bound: u32,
    },
    /// More tuples than the bound, in the rule of this label.
    #[error("rule {label} makes too many tuples (bound: {bound})")]
    TooManyTuples {
        /// The rule's label.
        label: u32,
        /// The bound.
        bound: usize,
    },
    /// Joins tried more rows than the bound, in the rule of this label.
    #[error("rule {label} takes too much work (bound: {bound} rows)")]
    TooMuchWork {
        /// The rule's label.
        label: u32,
        /// The bound.
        bound: u64,
    },
    /// The flag in [`crate::Limits`] was raised.
    #[error("interrupted")]
    Interrupted,
}
