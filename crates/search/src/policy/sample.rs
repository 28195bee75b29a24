//! A sample: what a search has found out about the moves of one role in one state.

use ggp_game::Role;
use serde::{Deserialize, Serialize};

/// The arms of the role that chooses in a state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// The fluents of the state.
    pub(crate) before: Box<[u64]>,
    #[serde(with = "RoleNumber")]
    pub(crate) role: Role,
    pub(crate) arms: Vec<SampleArm>,
}

/// A move with what the search has found out about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

/// A role as its number.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Role")]
struct RoleNumber(u8);

impl Sample {
    /// Whether a policy of `roles` roles and `fluents` fluents can train with the sample, as with every one that a search
    /// of its game has made.
    pub(crate) fn is_sound(&self, roles: usize, fluents: usize) -> bool {
        let is_state = |words: &[u64]| {
            let past = fluents % 64;
            words.len() == fluents.div_ceil(64)
                && (past == 0 || words.last().is_none_or(|last| last >> past == 0))
        };
        let is_sound = |arm: &SampleArm| {
            is_state(&arm.after)
                && arm.share.is_finite()
                && arm.advantage.is_finite()
                && arm.weight > 0.0
                && arm.weight <= 1.0
        };
        self.role.index() < roles
            && is_state(&self.before)
            && self.arms.len() > 1
            && self.arms.iter().all(is_sound)
    }

    /// The size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.before.len() * (self.arms.len() + 1);
        size_of::<Sample>() + self.arms.len() * size_of::<SampleArm>() + 8 * words
    }
}
