//! The progress of a semi-naive evaluation (see [`crate::fixpoint`]).

/// A round of a recursive stratum. If a bound ends an evaluation, the next evaluation goes on with its round.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    /// The numbers of rows of the relations of the stratum before the round before.
    pub(crate) old: Vec<usize>,
    /// The numbers of rows after the round before.
    pub(crate) new: Vec<usize>,
    /// The number of rules that have run completely in this round.
    pub(crate) rules: usize,
}
