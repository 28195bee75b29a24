//! The errors of building a program and of evaluating a program.

use crate::rule::RelationId;

/// The reason why a set of rules cannot become a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A variable occurs in the rule, but no literal of the body binds it.
    #[error("rule {label}: variable {variable} is not bound by any positive literal")]
    Unsafe {
        /// The rule's label.
        label: u32,
        /// The index of the unbound variable within the rule.
        variable: u32,
    },
    /// These relations depend on themselves through negation.
    #[error("relations depend on themselves through negation: {0:?}")]
    NotStratified(Vec<RelationId>),
}

/// The reason why an evaluation ends early. Static checks cannot exclude these errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// The rule that was running made a new term, and the number of terms exceeds the bound.
    #[error("rule {label} makes terms without end (bound: {bound})")]
    TooManyTerms {
        /// The rule's label.
        label: u32,
        /// The bound, which is [`crate::Limits::terms`].
        bound: usize,
    },
    /// The rule made a term that is nested deeper than the bound.
    #[error("rule {label} nests terms without end (bound: {bound})")]
    TooDeep {
        /// The rule's label.
        label: u32,
        /// The bound, which is [`crate::Limits::depth`].
        bound: u32,
    },
    /// The rule made a term whose text is longer than the bound.
    #[error("rule {label} makes terms that double without end (bound: {bound} bytes of text)")]
    TooLong {
        /// The rule's label.
        label: u32,
        /// The bound in bytes, which is [`crate::Limits::text`].
        bound: u32,
    },
    /// The rule that was running made a new tuple, and the number of tuples exceeds the bound.
    #[error("rule {label} makes too many tuples (bound: {bound})")]
    TooManyTuples {
        /// The rule's label.
        label: u32,
        /// The bound, which is [`crate::Limits::tuples`].
        bound: usize,
    },
    /// The work exceeds the bound. Work is counted in rows, see [`crate::Limits::rows`]. `label` identifies
    /// the rule that was running.
    #[error("rule {label} takes too much work (bound: {bound} rows)")]
    TooMuchWork {
        /// The rule's label.
        label: u32,
        /// The bound, which is [`crate::Limits::rows`].
        bound: u64,
    },
    /// The interrupt flag in [`crate::Limits`] was set.
    #[error("interrupted")]
    Interrupted,
}
