//! A policy that is learnt from searches: it predicts by how much a move leads over its siblings, in standard deviations
//! of the siblings' values.
//!
//! The prediction is linear in the fluents that the move changes. A fluent that appears adds its own weight and one
//! weight for each fluent of its context ([`Hints::fluent_contexts`]) that holds after the move; a fluent that
//! vanishes subtracts those of its context before the move. Each role has its own weights. What all moves of a state
//! have in common cancels out, because only differences between siblings are learnt and used (as in `TreeStrap`, Veness
//! et al. 2009, and in comparison training, Tesauro 1989).
//!
//! [`Hints::fluent_contexts`]: ggp_game::Hints::fluent_contexts

mod sample;

pub(crate) use self::sample::{Sample, SampleArm};
use crate::adagrad::step;
use ggp_game::Role;
use std::sync::Arc;

/// The size of the first steps of a weight.
const RATE: f32 = 0.04;
/// The weight decay of a step.
const DECAY: f32 = 1e-3;
/// The variance of the arms' values that counts as noise, in squared shares: where the values of a sample differ by less
/// than one hundredth, their leads stay small.
const NOISE: f32 = 1e-4;

/// The fluents of one 64-bit word of a state that belong to the context of a fluent.
#[derive(Clone, Copy, Debug)]
struct Part {
    word: u32,
    mask: u64,
    /// The index of the weight of the lowest fluent of `mask`, within a role.
    first: u32,
}

/// The fluents with their contexts: the numbering of the weights of a role.
#[derive(Debug)]
pub(crate) struct Features {
    /// For each fluent, the fluents of its context in ascending order. The weights of these pairs follow the weights of
    /// the single fluents, in this order.
    pub(crate) contexts: Vec<Vec<u32>>,
    /// The parts of all contexts, fluent by fluent.
    parts: Vec<Part>,
    /// For each fluent, the index after its last part.
    ends: Vec<u32>,
    /// The number of weights of a role. The first weights are those of the fluents themselves.
    pub(crate) size: usize,
}

impl Features {
    /// The features of fluents whose contexts, in ascending order, are `contexts`.
    pub(crate) fn new(contexts: Vec<Vec<u32>>) -> Features {
        let size = contexts.len();
        let mut features = Features { contexts, parts: Vec::new(), ends: Vec::new(), size };
        for context in &features.contexts {
            for of_word in context.chunk_by(|a, b| a >> 6 == b >> 6) {
                let mask = of_word.iter().fold(0, |mask, fluent| mask | 1 << (fluent & 63));
                features.parts.push(Part { word: of_word[0] >> 6, mask, first: features.size as u32 });
                features.size += of_word.len();
            }
            features.ends.push(features.parts.len() as u32);
        }
        features
    }

    fn parts(&self, fluent: usize) -> &[Part] {
        let start = if fluent == 0 { 0 } else { self.ends[fluent - 1] };
        &self.parts[start as usize..self.ends[fluent] as usize]
    }

    /// Calls `add` with the index of each weight that the step from the state `before` to the state `after` counts, and
    /// with its sign.
    #[inline]
    fn each(&self, before: &[u64], after: &[u64], mut add: impl FnMut(usize, f32)) {
        for (word, (&old, &new)) in before.iter().zip(after).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let fluent = word << 6 | bit as usize;
                let (state, sign) = if new >> bit & 1 == 1 { (after, 1.0) } else { (before, -1.0) };
                add(fluent, sign);
                for part in self.parts(fluent) {
                    let mut holding = state[part.word as usize] & part.mask;
                    while holding != 0 {
                        let below = holding & holding.wrapping_neg();
                        holding &= holding - 1;
                        add(part.first as usize + (part.mask & (below - 1)).count_ones() as usize, sign);
                    }
                }
            }
        }
    }
}

/// The weights of all roles, with the state of their optimiser.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) features: Arc<Features>,
    /// The weights, role by role.
    pub(crate) weights: Vec<f32>,
    /// For each weight, the sum of the squares of its slopes so far.
    pub(crate) squares: Vec<f32>,
    gradient: Gradient,
}

/// The gradient of one sample: the sum for each weight, and the weights whose sums are not zero.
#[derive(Clone, Default, Debug)]
struct Gradient {
    sums: Vec<f32>,
    touched: Vec<u32>,
}

impl Gradient {
    fn add(&mut self, weight: usize, value: f32) {
        if self.sums[weight] == 0.0 {
            self.touched.push(weight as u32);
        }
        self.sums[weight] += value;
    }
}

/// One arm of a sample: what the policy predicts and what the search has found, both as a lead over the mean of the
/// sample in standard deviations, and the weight of the arm.
struct Prediction {
    value: f32,
    target: f32,
    weight: f32,
}

impl Policy {
    /// A policy of `roles` roles that predicts no lead.
    pub(crate) fn new(features: Arc<Features>, roles: usize) -> Policy {
        let size = features.size * roles;
        Policy {
            features,
            weights: vec![0.0; size],
            squares: vec![0.0; size],
            gradient: Gradient { sums: vec![0.0; size], touched: Vec::new() },
        }
    }

    /// The value of a move of `role` that leads from the state `before` to the state `after`. Values of the moves of a state
    /// differ by the leads that the policy predicts, in standard deviations.
    pub(crate) fn value(&self, before: &[u64], after: &[u64], role: Role) -> f32 {
        let weights = &self.weights[role.index() * self.features.size..];
        let mut sum = 0.0;
        self.features.each(before, after, |weight, sign| sum += sign * weights[weight]);
        sum
    }

    /// The predictions for the arms of `sample`.
    fn predict(&self, sample: &Sample) -> Vec<Prediction> {
        Policy::predictions(sample, |arm| self.value(&sample.before, &arm.after, sample.role))
    }

    /// The predictions that `value` makes for the arms of `sample`.
    fn predictions(sample: &Sample, value: impl Fn(&SampleArm) -> f32) -> Vec<Prediction> {
        let mut all: Vec<Prediction> = sample
            .arms
            .iter()
            .map(|arm| Prediction { value: value(arm), target: arm.share, weight: arm.weight })
            .collect();
        let weight: f32 = all.iter().map(|one| one.weight).sum();
        let mean =
            |of: fn(&Prediction) -> f32| all.iter().map(|one| one.weight * of(one)).sum::<f32>() / weight;
        let (values, targets) = (mean(|one| one.value), mean(|one| one.target));
        for one in &mut all {
            one.value -= values;
            one.target -= targets;
        }
        let variance = all.iter().map(|one| one.weight * one.target * one.target).sum::<f32>() / weight;
        let deviation = (variance + NOISE).sqrt();
        for one in &mut all {
            one.target /= deviation;
        }
        all
    }

    /// The factor for all weights of fluents, from 0 to 1, with which the policy predicts `samples` best. It undoes a part
    /// of what few samples teach too well.
    pub(crate) fn best_scale(&self, samples: &[&Sample]) -> f32 {
        best_factor(samples.iter().flat_map(|sample| self.predict(sample))).min(1.0)
    }

    /// The policy with all weights of fluents multiplied by `scale`.
    pub(crate) fn scaled(&self, scale: f32) -> Policy {
        let mut scaled = self.clone();
        scaled.weights.iter_mut().for_each(|weight| *weight *= scale);
        scaled
    }

    /// One step of gradient descent for the squared errors of `sample`.
    pub(crate) fn train(&mut self, sample: &Sample) {
        let mut gradient = std::mem::take(&mut self.gradient);
        let first = sample.role.index() * self.features.size;
        for (arm, one) in sample.arms.iter().zip(self.predict(sample)) {
            let error = (one.value - one.target) * one.weight;
            self.features.each(&sample.before, &arm.after, |weight, sign| {
                gradient.add(first + weight, error * sign);
            });
        }
        for weight in gradient.touched.drain(..) {
            let weight = weight as usize;
            let slope = std::mem::take(&mut gradient.sums[weight]) + DECAY * self.weights[weight];
            step(&mut self.weights[weight], &mut self.squares[weight], slope, RATE);
        }
        self.gradient = gradient;
    }

    /// The share of the variance of the arms' leads that the policy explains. At most 1, negative if the policy is worse
    /// than no prediction at all.
    pub(crate) fn explained(&self, samples: &[&Sample]) -> f64 {
        explained(samples.iter().flat_map(|sample| self.predict(sample)))
    }
}

/// The share of the variance of the arms' leads that the history of moves explains, with the weight `weight`.
pub(crate) fn explained_by_history(samples: &[&Sample], weight: f32) -> f64 {
    explained(samples.iter().flat_map(|sample| Policy::predictions(sample, |arm| weight * arm.advantage)))
}

/// The weight with which the history of moves explains most of the variance of the arms' leads; not below 0.
pub(crate) fn weight_of_history(samples: &[&Sample]) -> f32 {
    best_factor(samples.iter().flat_map(|sample| Policy::predictions(sample, |arm| arm.advantage)))
}

/// The factor with which `predictions` explain most of the variance; not below 0.
fn best_factor(predictions: impl Iterator<Item = Prediction>) -> f32 {
    let (mut product, mut square) = (0.0, 0.0);
    for one in predictions {
        product += f64::from(one.weight * one.value * one.target);
        square += f64::from(one.weight * one.value * one.value);
    }
    if square > 0.0 { (product / square).max(0.0) as f32 } else { 0.0 }
}

fn explained(predictions: impl Iterator<Item = Prediction>) -> f64 {
    let (mut errors, mut all) = (0.0, 0.0);
    for one in predictions {
        errors += f64::from(one.weight * (one.value - one.target).powi(2));
        all += f64::from(one.weight * one.target.powi(2));
    }
    if all > 0.0 { 1.0 - errors / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Features, Policy, Sample, SampleArm, explained_by_history, weight_of_history};
    use ggp_game::Role;
    use ggp_game::rng::Sequence;

    /// States of 15 fluents. A move sets one of the first six fluents and clears its twin among the next six. What it is
    /// worth depends on the fluent that it sets, and more if the twin of the next fluent holds. The last three do not count.
    fn samples(count: usize, seed: u64) -> Vec<Sample> {
        let mut random = Sequence::new(seed);
        let mut sample = |role: u8| {
            // With half of the twins, all states have about the same deviation, so leads in deviations are linear, too.
            let before = loop {
                let twins = (random.below(1 << 6) as u64) << 6;
                if twins.count_ones() == 3 {
                    break twins;
                }
            };
            let before = before | (random.below(1 << 3) as u64) << 12;
            let arms = (0..6).map(|fluent| {
                let next = before & 1 << (6 + (fluent + 1) % 6) != 0;
                let worth = 0.02 * fluent as f32 + if next { 0.2 } else { 0.0 };
                SampleArm {
                    after: Box::new([(before | 1 << fluent) & !(1 << (6 + fluent))]),
                    share: if role == 0 { 0.4 + worth } else { 0.6 - worth },
                    advantage: if role == 0 { 0.02 * fluent as f32 } else { -0.02 * fluent as f32 },
                    weight: 1.0,
                }
            });
            Sample { before: Box::new([before]), role: Role(role), arms: arms.collect() }
        };
        (0..count).map(|number| sample(number as u8 % 2)).collect()
    }

    /// The context of each fluent is all others.
    fn policy() -> Policy {
        let others = |fluent| (0..15).filter(|&other| other != fluent).collect();
        Policy::new(Features::new((0..15).map(others).collect()).into(), 2)
    }

    fn all(samples: &[Sample]) -> Vec<&Sample> {
        samples.iter().collect()
    }

    #[test]
    fn pairs_of_fluents_are_learnt_by_each_role_on_its_own() {
        let (known, new) = (samples(2000, 1), samples(200, 2));
        let new = all(&new);
        let mut policy = policy();
        let by_history = explained_by_history(&new, weight_of_history(&all(&known)));
        assert!(policy.explained(&new).abs() < 1e-6, "nothing learnt yet");
        for _ in 0..10 {
            for sample in &known {
                policy.train(sample);
            }
        }
        let by_policy = policy.explained(&new);
        assert!(by_history < 0.5 && by_policy > 0.9, "{by_history} {by_policy}");
    }

    #[test]
    fn a_policy_of_few_samples_is_shrunk() {
        let (few, other, new) = (samples(12, 3), samples(100, 4), samples(400, 5));
        let (other, new) = (all(&other), all(&new));
        let mut policy = policy();
        for _ in 0..2000 {
            for sample in &few {
                policy.train(sample);
            }
        }
        let shrunk = policy.scaled(policy.best_scale(&other));
        assert!(shrunk.explained(&new) > policy.explained(&new));
        assert!(shrunk.explained(&other) >= 0.0);
    }
}
