//! [`Evaluation`]: what a state is worth by its fluents, learnt by a search from its own tree.

use crate::adagrad::step;
use serde::{Deserialize, Serialize};

/// The size of the first steps of a weight.
const RATE: f32 = 0.03;
/// Before so many steps, the evaluation says nothing.
const LEAST_STEPS: u64 = 1_000;

/// The share of the first role as the logistic function of a sum of weights, one for each fluent that holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Evaluation {
    weights: Vec<f32>,
    /// For each weight, the sum of the squares of its slopes so far.
    squares: Vec<f32>,
    steps: u64,
}

impl Evaluation {
    /// An evaluation that has learnt nothing, for states of `fluents` fluents.
    pub(crate) fn new(fluents: usize) -> Evaluation {
        Evaluation { weights: vec![0.0; fluents], squares: vec![0.0; fluents], steps: 0 }
    }

    /// The evaluation for another numbering of the fluents. `to_old[new]` is the number here of a fluent there.
    pub(crate) fn renumbered(&self, to_old: &[u32]) -> Evaluation {
        let take = |values: &[f32]| to_old.iter().map(|&old| values[old as usize]).collect();
        Evaluation { weights: take(&self.weights), squares: take(&self.squares), steps: self.steps }
    }

    /// Whether it is one for states of `fluents` fluents, as every evaluation that this program has written.
    pub(crate) fn is_sound(&self, fluents: usize) -> bool {
        let are_sound =
            |values: &[f32]| values.len() == fluents && values.iter().all(|value| value.is_finite());
        are_sound(&self.weights) && are_sound(&self.squares)
    }

    /// The number of steps of learning.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether it has learnt enough to be asked.
    pub(crate) fn is_ready(&self) -> bool {
        self.steps >= LEAST_STEPS
    }

    /// The expected share of the first role in a state with the fluents `state`.
    pub(crate) fn share(&self, state: &[u64]) -> f32 {
        let mut sum = 0.0;
        each(state, |fluent| sum += self.weights[fluent]);
        1.0 / (1.0 + (-sum).exp())
    }

    /// One step of gradient descent towards `share`, a mean over `visits` visits.
    pub(crate) fn train(&mut self, state: &[u64], share: f32, visits: u32) {
        // One visit says little: its weight is a ninth.
        let weight = visits as f32 / (visits as f32 + 8.0);
        let slope = (self.share(state) - share) * weight;
        let (weights, squares) = (&mut self.weights, &mut self.squares);
        each(state, |fluent| step(&mut weights[fluent], &mut squares[fluent], slope, RATE));
        self.steps += 1;
    }
}

/// Calls `visit` with each fluent of `state`.
#[inline]
fn each(state: &[u64], mut visit: impl FnMut(usize)) {
    for (word, &bits) in state.iter().enumerate() {
        let mut left = bits;
        while left != 0 {
            visit(word << 6 | left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Evaluation;
    use ggp_game::rng::Sequence;

    #[test]
    fn the_share_follows_from_the_fluents_that_count() {
        let mut evaluation = Evaluation::new(70);
        let mut random = Sequence::new(1);
        // Of 70 fluents, the first adds to the share and the last takes from it.
        let worth = |state: &[u64]| 0.5 + 0.3 * (state[0] & 1) as f32 - 0.3 * (state[1] >> 5 & 1) as f32;
        let mut draw = || [random.below(1 << 30) as u64, random.below(1 << 6) as u64];
        assert!(!evaluation.is_ready());
        for _ in 0..4000 {
            let state = draw();
            evaluation.train(&state, worth(&state), 100);
        }
        assert!(evaluation.is_ready());
        for _ in 0..100 {
            let state = draw();
            assert!((evaluation.share(&state) - worth(&state)).abs() < 0.1);
        }
    }
}
