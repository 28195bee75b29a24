//! The statistics of one information set: its arms, and how the role that decides there draws among them.

use crate::draw::{index_at, normalised, purified};
use ggp_game::Move;
use ggp_game::rng::Sequence;

/// The probability with which the role whose statistics are updated draws an arm uniformly instead of by
/// regret matching.
const EXPLORED: f64 = 0.4;

/// The final strategy drops the arms whose probability is below this fraction of the largest one. Exploration
/// alone can explain so small a probability.
const PURIFIED: f64 = 0.15;

/// The final choice of a role that alone chooses is among the arms with this share of the largest number of
/// values.
const MANY: f64 = 0.9;

/// The node of an information set in which a role has a choice.
#[derive(Clone, Debug)]
pub(super) struct Node {
    moves: Box<[Move]>,
    arms: Box<[Arm]>,
    visits: u32,
}

/// The statistics of a legal move.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Arm {
    /// The number of values in `sum`, including the pending ones of the current batch.
    count: f64,
    /// The sum of the values, as shares from 0 to 1.
    sum: f64,
    /// The cumulative regret for not having made the move, never below 0 (regret matching+, Tammelin 2014).
    regret: f64,
    /// The sum of the move's probabilities over the visits, each weighted by the number of the visit.
    weight: f64,
}

impl Arm {
    pub(super) fn count(&self) -> f64 {
        self.count
    }

    /// The mean value. `None` without values.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl Node {
    pub(super) fn new(moves: &[Move]) -> Node {
        Node { moves: moves.into(), arms: vec![Arm::default(); moves.len()].into(), visits: 0 }
    }

    /// The memory in bytes of a node with `arms` arms, including its entry in a hash table.
    pub(super) fn bytes(arms: usize) -> usize {
        2 * (size_of::<Node>() + size_of::<u64>()) + arms * (size_of::<Arm>() + size_of::<Move>())
    }

    pub(super) fn moves(&self) -> &[Move] {
        &self.moves
    }

    pub(super) fn arms(&self) -> &[Arm] {
        &self.arms
    }

    pub(super) fn visits(&self) -> u32 {
        self.visits
    }

    /// The probability of arm `index` in the current strategy, which draws in proportion to the regrets.
    pub(super) fn probability(&self, index: usize) -> f64 {
        self.share(index, self.regrets())
    }

    /// The probability of arm `index`, if the sum of all regrets is `regrets`.
    fn share(&self, index: usize, regrets: f64) -> f64 {
        if regrets > 0.0 { self.arms[index].regret / regrets } else { 1.0 / self.arms.len() as f64 }
    }

    fn regrets(&self) -> f64 {
        self.arms.iter().map(|arm| arm.regret).sum()
    }

    /// Draws an arm by the current strategy.
    pub(super) fn draw(&self, random: &mut Sequence) -> usize {
        let regrets = self.regrets();
        let shares = (0..self.arms.len()).map(|index| self.share(index, regrets));
        index_at(random.between(0.0..1.0), shares).unwrap_or(self.arms.len() - 1)
    }

    /// Draws an arm by the current strategy with exploration. Returns the arm and the probability with which
    /// it is drawn.
    pub(super) fn explore(&self, random: &mut Sequence) -> (usize, f64) {
        let uniform = 1.0 / self.arms.len() as f64;
        let index = if random.between(0.0..1.0) < EXPLORED {
            random.below(self.arms.len())
        } else {
            self.draw(random)
        };
        (index, EXPLORED * uniform + (1.0 - EXPLORED) * self.probability(index))
    }

    /// The arm with the largest upper confidence bound (UCB1; Auer, Cesa-Bianchi & Fischer 2002) with the
    /// exploration constant `exploration`.
    pub(super) fn ucb(&self, exploration: f64) -> usize {
        let total: f64 = self.arms.iter().map(Arm::count).sum();
        let bound = |arm: &Arm| match arm.mean() {
            Some(mean) => mean + exploration * (total.ln() / arm.count()).sqrt(),
            None => f64::INFINITY,
        };
        best(self.arms.iter().map(bound))
    }

    /// Counts a visit of arm `index` whose value is pending, as a loss (virtual loss; Chaslot et al. 2008).
    pub(super) fn expect(&mut self, index: usize) {
        self.arms[index].count += 1.0;
    }

    /// Takes back a visit of arm `index` that gets no value.
    pub(super) fn withdraw(&mut self, index: usize) {
        self.arms[index].count -= 1.0;
    }

    /// Adds the pending value of arm `index`.
    pub(super) fn resolve(&mut self, index: usize, value: f64) {
        self.visits += 1;
        self.arms[index].sum += value;
    }

    /// Adds one value for each arm, and updates the regrets. `reach` is the probability with which the role's
    /// own strategy reaches the information set, divided by the probability with which the search has reached
    /// it. Returns the value of the current strategy.
    pub(super) fn observe_all(&mut self, values: &[f64], reach: f64) -> f64 {
        for (arm, &value) in self.arms.iter_mut().zip(values) {
            arm.count += 1.0;
            arm.sum += value;
        }
        self.update_regrets(values, reach)
    }

    /// Adds the value of arm `index`, which was drawn with `probability`, and updates the regrets. Estimates the
    /// values of the other arms by their means (a control variate; Schmid et al. 2019). Returns the estimate
    /// of the value of the current strategy. `reach` is as in [`Node::observe_all`].
    pub(super) fn observe(&mut self, index: usize, value: f64, probability: f64, reach: f64) -> f64 {
        let mut values: Vec<f64> = self.arms.iter().map(|arm| arm.mean().unwrap_or(value)).collect();
        values[index] += (value - values[index]) / probability;
        let arm = &mut self.arms[index];
        arm.count += 1.0;
        arm.sum += value;
        self.update_regrets(&values, reach)
    }

    fn update_regrets(&mut self, values: &[f64], reach: f64) -> f64 {
        self.visits += 1;
        let regrets = self.regrets();
        let probabilities: Vec<f64> = (0..self.arms.len()).map(|index| self.share(index, regrets)).collect();
        let mean: f64 =
            probabilities.iter().zip(values).map(|(probability, value)| probability * value).sum();
        let weight = f64::from(self.visits) * reach;
        for ((arm, probability), value) in self.arms.iter_mut().zip(probabilities).zip(values) {
            arm.regret = (arm.regret + value - mean).max(0.0);
            arm.weight += weight * probability;
        }
        mean
    }

    /// The probability of arm `index` in the average strategy. All arms have the same one if no visit counts.
    pub(super) fn average(&self, index: usize) -> f64 {
        let sum: f64 = self.arms.iter().map(|arm| arm.weight).sum();
        if sum > 0.0 { self.arms[index].weight / sum } else { 1.0 / self.arms.len() as f64 }
    }

    /// The probability of each arm in the average strategy without the arms that only exploration explains.
    pub(super) fn purified_strategy(&self) -> Vec<f64> {
        normalised(purified(self.arms.iter().map(|arm| arm.weight), PURIFIED))
    }

    /// The arm that `point`, from 0 to 1, selects from [`Node::purified_strategy`].
    pub(super) fn draw_purified(&self, point: f64) -> usize {
        let strategy = self.purified_strategy();
        index_at(point, strategy.iter().copied()).unwrap_or_else(|| best(strategy.iter().copied()))
    }

    /// The arm with the best mean among those with at least [`MANY`] of the largest number of values.
    pub(super) fn most_visited(&self) -> usize {
        let most = self.arms.iter().map(Arm::count).fold(0.0, f64::max);
        let eligible = |arm: &&Arm| arm.count() >= MANY * most;
        best(
            self.arms
                .iter()
                .map(|arm| Some(arm).filter(eligible).and_then(Arm::mean).unwrap_or(f64::NEG_INFINITY)),
        )
    }
}

/// The index of the first largest value.
pub(super) fn best(values: impl Iterator<Item = f64>) -> usize {
    let larger = |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
    values.enumerate().reduce(larger).map_or(0, |(index, _)| index)
}
