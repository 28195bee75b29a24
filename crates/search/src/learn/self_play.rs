//! [`SelfPlayMatch`]: the training data of one match of self-play.

use crate::policy::Sample;
use serde::{Deserialize, Serialize};

/// Of so many matches, one is held out and tests the policy, one scales it, and the others train it.
pub(super) const CYCLE: u64 = 8;

/// One match of self-play: what its searches have found out, as training data.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SelfPlayMatch {
    /// What the samples are for follows from it.
    pub(super) number: u64,
    /// A digest of the fluents in the order of the samples, for a learner in another process.
    pub(super) fluents: [u8; 32],
    pub(super) samples: Vec<Sample>,
    pub(super) descents: u64,
    /// The share of the role that had the policy ([`Trial::share`](super::Trial::share)); `None` if none had it, or a limit
    /// has ended the match.
    pub(super) share: Option<f64>,
}

/// What the samples of a match are for.
#[derive(PartialEq)]
pub(super) enum Purpose {
    Training,
    /// They find the scale of the weights.
    Scaling,
    /// They test the policy.
    Testing,
}

impl SelfPlayMatch {
    pub(super) fn purpose(&self) -> Purpose {
        match self.number % CYCLE {
            1 => Purpose::Testing,
            2 => Purpose::Scaling,
            _ => Purpose::Training,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.samples.iter().map(Sample::bytes).sum()
    }

    /// The match as bytes, for another process.
    ///
    /// # Panics
    /// Never: every match has bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("a match can be serialised")
    }

    /// The match that [`SelfPlayMatch::to_bytes`] has written. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<SelfPlayMatch> {
        postcard::from_bytes(bytes).ok()
    }
}
