//! A sample: what a search has found out about the moves of one role in one state.

use ggp_game::Role;

/// The arms of the role that chooses in a state.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The fluents of the state.
    pub(crate) before: Box<[u64]>,
    pub(crate) role: Role,
    pub(crate) arms: Vec<SampleArm>,
}

/// A move with what the search has found out about it.
#[derive(Clone, Debug)]
pub(crate) struct SampleArm {
    /// The fluents of the state after the move.
    pub(crate) after: Box<[u64]>,
    /// The mean share of the role, or its proven share.
    pub(crate) share: f32,
    /// The advantage of the move in the history.
    pub(crate) advantage: f32,
    /// The weight of the arm, from 0 to 1.
    pub(crate) weight: f32,
}

impl Sample {
    /// The size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.before.len() * (self.arms.len() + 1);
        size_of::<Sample>() + self.arms.len() * size_of::<SampleArm>() + 8 * words
    }
}
