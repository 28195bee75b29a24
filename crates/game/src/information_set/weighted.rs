//! States with weights: sums over equal states, resampling and union.

use crate::rng::Sequence;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Distinct states with their weights, in the order in which they were found.
pub(super) struct Weighted<S> {
    /// The index of each state in `states`.
    index: FxHashMap<S, usize>,
    states: Vec<(S, f64)>,
}

impl<S> Default for Weighted<S> {
    fn default() -> Weighted<S> {
        Weighted { index: FxHashMap::default(), states: Vec::new() }
    }
}

impl<S: Clone + Eq + Hash> Weighted<S> {
    /// Adds `state`, or adds `weight` to its weight if it is there.
    pub(super) fn insert(&mut self, state: S, weight: f64) {
        if let Some(&at) = self.index.get(&state) {
            self.states[at].1 += weight;
        } else {
            self.index.insert(state.clone(), self.states.len());
            self.states.push((state, weight));
        }
    }

    /// The number of distinct states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn into_states(self) -> Vec<(S, f64)> {
        self.states
    }
}

/// Reduces `states` to at most `bound` by systematic resampling (Kitagawa 1996): the expected new weight of a
/// state is its old one. Fewer states than the bound stay as they are.
pub(super) fn reduce<S>(states: &mut Vec<(S, f64)>, bound: usize, random: &mut Sequence) {
    if states.len() <= bound {
        return;
    }
    normalise(states);
    let mut next = random.between(0.0..1.0);
    let mut passed = 0.0;
    states.retain_mut(|(_, weight)| {
        passed += *weight * bound as f64;
        let mut copies = 0.0;
        while next < passed {
            copies += 1.0;
            next += 1.0;
        }
        *weight = copies;
        copies > 0.0
    });
    states.truncate(bound);
}

/// The union of two samples of states. Each sample counts in proportion to its number of states.
pub(super) fn merge<S: Clone + Eq + Hash>(one: Vec<(S, f64)>, other: Vec<(S, f64)>) -> Vec<(S, f64)> {
    let mut union = Weighted::default();
    for mut sample in [one, other] {
        let count = sample.len() as f64;
        normalise(&mut sample);
        for (state, weight) in sample {
            union.insert(state, weight * count);
        }
    }
    union.into_states()
}

/// Scales the weights so that they sum to 1.
pub(super) fn normalise<S>(states: &mut [(S, f64)]) {
    let sum: f64 = states.iter().map(|(_, weight)| weight).sum();
    for (_, weight) in states {
        *weight /= sum;
    }
}
