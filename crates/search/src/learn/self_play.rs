//! Matches of a search against itself, whose nodes are the training data.

use crate::arm::Arm;
use crate::limits::{Halt, Limits};
use crate::node::Phase;
use crate::options::MctsOptions;
use crate::policy::{Policy, Sample};
use crate::search::Search;
use ggp_game::rng::{Sequence, mix};
use ggp_game::{EvalError, Move, Playouts};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The largest number of random steps at the beginning of a match.
pub(super) const OPENING: usize = 6;
/// Of so many matches, one is held out and tests the policy, one scales it, and the others train it.
const CYCLE: u64 = 8;

/// One match of self-play: what its searches have found out, as training data.
#[derive(Debug, Serialize, Deserialize)]
pub struct SelfPlayMatch {
    /// What the samples are for follows from it.
    pub(super) number: u64,
    /// A digest of the fluents in the order of the samples, for a learner in another process.
    pub(super) fluents: [u8; 32],
    pub(super) samples: Vec<Sample>,
    pub(super) descents: u64,
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

/// Plays the match `number`, whose searches use `policy`.
pub(super) fn play<M: Playouts>(
    machine: &M,
    options: &MctsOptions,
    policy: Option<Arc<Policy>>,
    number: u64,
    limits: &Limits,
) -> Result<SelfPlayMatch, EvalError> {
    let seed = mix(options.seed() ^ mix(number));
    let mut random = Sequence::new(seed);
    let mut opening = random.below(OPENING + 1);
    let mut search = Search::new(machine.clone(), &MctsOptions { seed: Some(seed), ..options.clone() })?;
    if let Some(policy) = policy {
        search.use_policy(policy)?;
    }
    let limits = Limits { iterations: options.iterations, ..limits.clone() };
    let mut played = SelfPlayMatch { number, fluents: [0; 32], samples: Vec::new(), descents: 0 };
    loop {
        search.open_root()?;
        let root = search.tree.root();
        if search.tree[root].phase == Phase::Ended {
            return Ok(played);
        }
        let draws_uniformly = opening > 0;
        if draws_uniformly {
            opening -= 1;
        } else {
            let halt = search.run(&limits);
            played.descents += options.iterations.unwrap_or_default();
            search.append_samples(&mut played.samples)?;
            if halt != Halt::Iterations {
                return Ok(played);
            }
        }
        let joint = search.draw_joint(draws_uniformly, &mut random);
        search.advance(&joint)?;
    }
}

impl<M: Playouts> Search<M> {
    /// A joint move at the root, for variety in self-play: drawn uniformly from the legal moves, or in proportion to the
    /// squares of the visits.
    pub(super) fn draw_joint(&self, uniformly: bool, random: &mut Sequence) -> Vec<Move> {
        let root = self.tree.root();
        let mut draw = |role| {
            let arms = self.tree.arms(root, role);
            let weight = |arm: &Arm| if uniformly { 1.0 } else { f64::from(arm.visits).powi(2) + 1e-9 };
            let mut left = random.between(0.0..arms.iter().map(weight).sum());
            let drawn = arms.iter().find(|arm| {
                left -= weight(arm);
                left < 0.0
            });
            drawn.unwrap_or(&arms[0]).mv
        };
        self.tree.each_role().map(&mut draw).collect()
    }
}
