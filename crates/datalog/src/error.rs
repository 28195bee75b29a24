//! Errors of building a program and of evaluating it.

use crate::rule::RelationId;

/// The reason why a set of rules is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A variable of the head, of a negative literal or of a `Distinct` literal is not bound.
    #[error("rule {label}: variable {variable} is not bound by any positive literal")]
    Unsafe {
        /// The rule's label.
        label: u32,
        /// The number of the variable that is not bound.
        variable: u32,
    },
    /// These relations depend on themselves through negation.
    #[error("relations depend on themselves through negation: {0:?}")]
    NotStratified(Vec<RelationId>),
}

/// The reason why an evaluation ends early. Static checks cannot exclude these errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// The rule makes more terms than the bound.
    #[error("rule {label} makes terms without end (bound: {bound})")]
    TooManyTerms {
        /// The rule's label.
        label: u32,
        /// The largest number of terms.
        bound: usize,
    },
    /// The rule makes a term nested deeper than the bound.
    #[error("rule {label} nests terms without end (bound: {bound})")]
    TooDeep {
        /// The rule's label.
        label: u32,
        /// The largest depth.
        bound: u32,
    },
    /// The rule makes a term with a longer text than the bound.
    #[error("rule {label} makes terms that double without end (bound: {bound} bytes of text)")]
    TooLong {
        /// The rule's label.
        label: u32,
        /// The largest length of a term's text in bytes.
        bound: u32,
    },
    /// The rule makes more tuples than the bound.
    #[error("rule {label} makes too many tuples (bound: {bound})")]
    TooManyTuples {
        /// The rule's label.
        label: u32,
        /// The largest number of tuples.
        bound: usize,
    },
    /// Joins tried more rows than the bound. The label names the rule that was being evaluated.
    #[error("rule {label} takes too much work (bound: {bound} rows)")]
    TooMuchWork {
        /// The rule's label.
        label: u32,
        /// The largest number of rows.
        bound: u64,
    },
    /// The interrupt flag in [`crate::Limits`] was set.
    #[error("interrupted")]
    Interrupted,
}
