//! Sizes of a program after each step of its compilation.

/// Gates of one program after each compilation step, goals included. The counts before `mapped` are in
/// two-input gates, the others in gates of two or three inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Gates that the terminal condition, goals, legal moves and relevant fluents need, with constant
    /// fluents and those determined by the phase replaced by their values.
    pub needed: usize,
    /// After replacing each move set by a disjunction of single moves.
    pub lowered: usize,
    /// After merging each conjunction into its reader if its only reader is a conjunction.
    pub flattened: usize,
    /// After factoring out common literals.
    pub factored: usize,
    /// After sharing common pairs of inputs.
    pub shared: usize,
    /// Gates of two or three inputs. Gates needed by two sections of a step may count twice.
    pub mapped: usize,
    /// After adding gates that copy bits to their target rows: the gates that run.
    pub scheduled: usize,
}
