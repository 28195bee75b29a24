//! Step 1, selection: the arm that each role pulls in a node, by UCB1 (Auer, Cesa-Bianchi & Fischer 2002).
//! Simultaneous moves use decoupled UCT: each role selects independently (Finnsson & Björnsson 2008).

use crate::arm::Arm;
use crate::prior::{Prior, PriorModel};
use ggp_game::rng::Sequence;
use std::cmp::Ordering;

/// The exploration constant for shares from 0 to 1. The worst-case proof of UCB1 uses √2; shares of real
/// positions vary far less, and smaller constants play better.
pub(crate) const EXPLORATION: f64 = 0.5;

/// The weight of an arm's minimax value in its estimated share; the mean has the rest.
const MINIMAX: f32 = 0.2;

/// The upper confidence bounds of all arms of a node are computed again when the number of descents through
/// the node has grown by the fraction 1/`REFRESH`.
const REFRESH: u32 = 16;

/// How much selection explores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exploration {
    /// The exploration constant.
    pub(crate) constant: f64,
    /// [`Constants::many_arms`](crate::Constants::many_arms); infinite where the constant is the same in all nodes.
    pub(crate) many_arms: f64,
    /// [`Constants::certainty`](crate::Constants::certainty).
    pub(crate) certainty: f32,
}

impl Exploration {
    /// The same constant in all nodes.
    #[cfg(test)]
    fn constant(constant: f64) -> Exploration {
        Exploration {
            constant,
            many_arms: f64::INFINITY,
            certainty: crate::Constants::default().certainty as f32,
        }
    }

    /// The constant times `factor`.
    pub(crate) fn times(self, factor: f64) -> Exploration {
        Exploration { constant: self.constant * factor, ..self }
    }

    /// The square of the constant in a node of so many arms.
    fn squared(self, arms: usize) -> f64 {
        let breadth = (self.many_arms / arms as f64).min(1.0).sqrt();
        self.constant * self.constant * breadth
    }
}

/// A role's security level in a node: the goal that the role is proved to be able to guarantee (a lower bound
/// of its maximin value).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecurityLevel {
    /// The role's proven lower bound.
    pub(crate) goal: u8,
    /// Whether a proven arm attains the level while another arm may surpass it ([`may_surpass`]). Selection
    /// then skips the arms that cannot surpass the level.
    pub(crate) is_attained: bool,
}

impl SecurityLevel {
    /// Whether the level is attained and is above `bound`, which is a share.
    fn exceeds(self, bound: f32) -> bool {
        self.is_attained && f32::from(self.goal) / 100.0 > bound
    }
}

/// Whether some arm that selection may pull now has a proven upper bound above `goal`.
pub(crate) fn may_surpass(arms: &[Arm], goal: u8) -> bool {
    let is_open = |arm: &Arm| arm.bounds.high > goal;
    let plain = arms.iter().filter(|arm| !arm.deferred);
    plain.clone().any(is_open) || is_deferred_next(arms) && arms.iter().any(is_open)
}

/// Whether selection may pull deferred arms now, because all other arms are proved not to win.
fn is_deferred_next(arms: &[Arm]) -> bool {
    let is_no_win = |arm: &Arm| arm.bounds.proven().is_some_and(|goal| goal < 100);
    arms.iter().filter(|arm| !arm.deferred).all(is_no_win)
}

/// Computes the upper confidence bounds of the arms of one node.
///
/// Without a prior, an unvisited arm has an infinite bound. A proven arm needs no exploration. An arm that
/// cannot reach the role's security level is excluded, and so is a deferred arm until no other arm can win.
/// If a proven arm attains the level, only arms that may surpass the level are eligible.
struct UpperBounds {
    level: SecurityLevel,
    /// Whether deferred arms are eligible.
    all: bool,
    /// The prior share of an arm whose move has the advantage 0.
    expected: f32,
    /// The increase of an arm's prior share for each unit of its move's advantage.
    slope: f32,
    /// The weight of the prior in visits.
    weight: f32,
    /// The largest weight of the prior in the exploration term.
    certainty: f32,
    /// The square of the exploration constant in the node.
    scale: f32,
    /// The product of `scale` and the logarithm of the number of the node's descents.
    width: f32,
}

impl UpperBounds {
    /// Prepares the upper confidence bounds of `arms`. The node has had `total` descents, including those not
    /// backed up yet.
    fn new(
        arms: &[Arm],
        total: u32,
        exploration: Exploration,
        level: SecurityLevel,
        prior: Prior,
    ) -> UpperBounds {
        let Prior { mean, model: PriorModel { offset, slope, weight } } = prior;
        let mut upper_bounds = UpperBounds {
            level,
            all: is_deferred_next(arms),
            expected: (mean + offset) as f32,
            slope: slope as f32,
            weight: weight as f32,
            certainty: exploration.certainty,
            scale: exploration.squared(arms.len()) as f32,
            width: 0.0,
        };
        upper_bounds.set_total(total);
        upper_bounds
    }

    /// Updates the number of the node's descents.
    fn set_total(&mut self, total: u32) {
        self.width = self.scale * (total.max(1) as f32).ln();
    }

    /// The estimated share of `arm` and its exploration term. `more` pulls count in addition to the
    /// recorded pulls of the arm. Single precision separates arms as well as double precision, and halves
    /// the time of divisions and square roots.
    #[inline]
    fn of(&self, arm: &Arm, more: u32) -> (f32, f32) {
        let SecurityLevel { goal: level, is_attained } = self.level;
        if arm.bounds.high < level || is_attained && arm.bounds.high == level || arm.deferred && !self.all {
            return (f32::NEG_INFINITY, 0.0);
        }
        if let Some(goal) = arm.bounds.proven() {
            return (f32::from(goal) / 100.0, 0.0);
        }
        let pulls = arm.pulls() + more;
        if pulls == 0 && self.weight == 0.0 {
            return (f32::INFINITY, 0.0);
        }
        // Without a prior, an arm whose pulls are all in flight counts as one visit of share 0.
        let visits = (arm.visits as f32 + self.weight).max(1.0);
        let pulls = pulls as f32 + self.weight.min(self.certainty);
        // Divisions dominate the time, so one reciprocal serves both quotients.
        let both = 1.0 / (visits * pulls);
        let sum = arm.sum as f32 + self.weight * (self.expected + self.slope * arm.advantage);
        let (low, high) = (f32::from(arm.bounds.low) * 0.01, f32::from(arm.bounds.high) * 0.01);
        let mean = sum * pulls * both;
        let mean = if arm.minimax.is_nan() { mean } else { mean + MINIMAX * (arm.minimax - mean) };
        (mean.max(low).min(high), arm.exploration * (self.width * visits * both).sqrt())
    }
}

/// The best arm so far. Arms are in random order, so keeping the first of equal arms is a random tie-break.
struct BestArm {
    index: usize,
    bound: f32,
    pulls: u32,
}

impl BestArm {
    /// No arm yet.
    const NONE: BestArm = BestArm { index: 0, bound: f32::NEG_INFINITY, pulls: u32::MAX };

    /// Replaces the best arm by `arm` if `arm` is better. `bound` is the upper confidence bound of `arm`,
    /// and `more` pulls count in addition to its recorded pulls. Among proven arms of equal bound, the
    /// least pulled arm is better: the arms may differ for the other roles, whose scores then approach the
    /// mean over all these arms.
    #[inline]
    fn update(&mut self, index: usize, bound: f32, arm: &Arm, more: u32) {
        let is_better = match bound.partial_cmp(&self.bound) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => arm.bounds.proven().is_some() && arm.pulls() + more < self.pulls,
            _ => false,
        };
        if is_better {
            *self = BestArm { index, bound, pulls: arm.pulls() + more };
        }
    }
}

/// Selects the arm with the highest upper confidence bound. The node has had `total` descents, including
/// those not backed up yet. Returns the index of the arm and a flag. The flag is true if a proven arm attains
/// the security level and the selected arm's upper confidence bound is below that level.
pub(crate) fn choose_arm(
    arms: &[Arm],
    total: u32,
    exploration: Exploration,
    level: SecurityLevel,
    prior: Prior,
) -> (usize, bool) {
    let upper_bounds = UpperBounds::new(arms, total, exploration, level, prior);
    let mut best = BestArm::NONE;
    for (index, arm) in arms.iter().enumerate() {
        let (mean, margin) = upper_bounds.of(arm, 0);
        best.update(index, mean + margin, arm, 0);
    }
    (best.index, level.exceeds(best.bound))
}

/// Buffers for several consecutive selections in one node.
#[derive(Debug, Default)]
pub(crate) struct GroupChoice {
    /// The result of [`UpperBounds::of`] for each arm.
    bounds: Vec<(f32, f32)>,
    /// The number of times that each arm has been selected in this group.
    pub(crate) pulled: Vec<u32>,
    /// The selected arms in order, each with the flag that [`choose_arm`] returns.
    pub(crate) chosen: Vec<(u32, bool)>,
}

impl GroupChoice {
    /// Selects an arm as [`choose_arm`] does, once for each of `factors`. Each factor multiplies the
    /// exploration constant in its selection. Each selection counts as a pull of the selected arm in the
    /// selections that follow, so the bound of this arm is computed again. The bounds of all arms are
    /// computed again only when the number of descents through the node has grown by 1/[`REFRESH`].
    pub(crate) fn choose(
        &mut self,
        factors: impl Iterator<Item = f32>,
        arms: &[Arm],
        total: u32,
        exploration: Exploration,
        level: SecurityLevel,
        prior: Prior,
    ) {
        let mut upper_bounds = UpperBounds::new(arms, total, exploration, level, prior);
        self.chosen.clear();
        self.pulled.clear();
        self.pulled.resize(arms.len(), 0);
        let mut fresh_until = 0;
        for (total, factor) in (total..).zip(factors) {
            if total >= fresh_until {
                fresh_until = total + total / REFRESH + 1;
                upper_bounds.set_total(total);
                self.bounds.clear();
                self.bounds
                    .extend(arms.iter().zip(&self.pulled).map(|(arm, &more)| upper_bounds.of(arm, more)));
            }
            let mut best = BestArm::NONE;
            for (index, &(mean, margin)) in self.bounds.iter().enumerate() {
                best.update(index, mean + factor * margin, &arms[index], self.pulled[index]);
            }
            let BestArm { index, bound, .. } = best;
            self.chosen.push((index as u32, level.exceeds(bound)));
            self.pulled[index] += 1;
            self.bounds[index] = upper_bounds.of(&arms[index], self.pulled[index]);
        }
    }
}

/// The arm that chance pulls: a random one of the least pulled arms, so that all are pulled equally often.
pub(crate) fn choose_chance_arm(arms: &[Arm], random: &mut Sequence) -> usize {
    let least = arms.iter().map(Arm::pulls).min().unwrap_or(0);
    let ties = arms.iter().filter(|arm| arm.pulls() == least).count();
    let nth = random.below(ties.max(1));
    arms.iter().enumerate().filter(|(_, arm)| arm.pulls() == least).nth(nth).map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::{Exploration, SecurityLevel, choose_arm, choose_chance_arm, may_surpass};
    use crate::arm::Arm;
    use crate::bounds::Bounds;
    use crate::prior::{Prior, PriorModel};
    use ggp_game::Move;
    use ggp_game::rng::Sequence;

    fn arm(visits: u32, pending: u16, sum: f64) -> Arm {
        Arm { visits, pending, sum, ..Arm::new(Move(0)) }
    }

    /// Selects without a prior.
    fn choose(arms: &[Arm], total: u32, exploration: f64, low: u8) -> usize {
        let level = SecurityLevel { goal: low, is_attained: false };
        choose_arm(arms, total, Exploration::constant(exploration), level, Prior::NONE).0
    }

    #[test]
    fn an_arm_with_a_bad_prior_is_pulled_eventually() {
        let proved = Arm { bounds: Bounds::exact(50), ..arm(1000, 0, 500.0) };
        let doubtful = Arm { advantage: -0.2, ..arm(0, 0, 0.0) };
        let prior = Prior { mean: 0.5, model: PriorModel { offset: -0.1, slope: 1.0, weight: 50.0 } };
        let unattained = |goal| SecurityLevel { goal, is_attained: false };
        let half = Exploration::constant(0.5);
        assert_eq!(choose_arm(&[proved, doubtful], 1000, half, unattained(50), prior).0, 1);
        let (proved, doubtful) = (arm(20, 0, 10.0), Arm { advantage: -0.2, ..arm(0, 0, 0.0) });
        assert_eq!(choose_arm(&[proved, doubtful], 20, half, unattained(0), prior).0, 0, "but not at once");
    }

    #[test]
    fn unvisited_arms_come_first_then_the_bound_decides() {
        assert_eq!(choose(&[arm(9, 0, 9.0), arm(0, 0, 0.0)], 9, 0.6, 0), 1);
        assert_eq!(choose(&[arm(9, 0, 9.0), arm(9, 0, 1.0)], 18, 0.6, 0), 0);
        assert_eq!(choose(&[arm(1000, 0, 550.0), arm(2, 0, 1.0)], 1002, 0.6, 0), 1, "explored too little");
        assert_eq!(choose(&[arm(1000, 0, 550.0), arm(2, 0, 1.0)], 1002, 0.0, 0), 0, "no exploration");
    }

    #[test]
    fn nodes_of_many_arms_are_explored_less() {
        let by_breadth = Exploration { many_arms: 10.0, ..Exploration::constant(0.5) };
        assert!(
            (by_breadth.squared(10) - 0.25).abs() < 1e-9 && (by_breadth.squared(160) - 0.0625).abs() < 1e-9
        );
        assert!((by_breadth.times(2.0).squared(160) - 0.25).abs() < 1e-9);
        // Arms of 20 visits, of which the first leads by a tenth, after 40 more visits to it.
        let mut arms = vec![arm(20, 0, 10.0); 100];
        arms[0] = arm(60, 0, 36.0);
        let level = SecurityLevel { goal: 0, is_attained: false };
        let chosen = |exploration| choose_arm(&arms, 2040, exploration, level, Prior::NONE).0;
        assert_ne!(chosen(Exploration::constant(0.5)), 0);
        assert_eq!(chosen(by_breadth), 0);
    }

    #[test]
    fn a_proven_arm_counts_with_its_goal() {
        let proved = |low, high, visits| Arm { bounds: Bounds { low, high }, ..arm(visits, 0, 0.0) };
        assert_eq!(choose(&[arm(50, 0, 20.0), proved(50, 50, 0)], 50, 0.0, 50), 1, "better than the mean");
        assert_eq!(choose(&[arm(50, 0, 30.0), proved(50, 50, 0)], 50, 0.0, 50), 0, "worse than the mean");
        assert_eq!(choose(&[proved(0, 40, 0), arm(50, 0, 1.0)], 50, 0.6, 50), 1, "cannot be best");
    }

    #[test]
    fn a_minimax_value_is_a_part_of_the_estimate() {
        let with = |minimax| Arm { minimax, ..arm(100, 0, 50.0) };
        assert_eq!(choose(&[with(0.5), with(0.6)], 200, 0.1, 0), 1);
        assert_eq!(choose(&[arm(100, 0, 53.0), with(0.6)], 200, 0.1, 0), 0, "a fifth of the lead of a tenth");
    }

    #[test]
    fn a_deferred_arm_waits_until_no_other_arm_can_win() {
        let deferred = Arm { deferred: true, ..arm(0, 0, 0.0) };
        let proved = |goal| Arm { bounds: Bounds::exact(goal), ..arm(5, 0, 0.0) };
        assert_eq!(choose(&[deferred.clone(), arm(50, 0, 1.0), proved(0)], 55, 0.5, 0), 1);
        assert_eq!(choose(&[deferred.clone(), proved(50), proved(0)], 10, 0.5, 50), 0, "a draw is no win");
        assert_eq!(choose(&[deferred, proved(100), proved(0)], 10, 0.5, 100), 1);
    }

    #[test]
    fn arms_of_equal_proven_goal_are_pulled_equally_often() {
        let mut arms: Vec<Arm> =
            (0..3).map(|_| Arm { bounds: Bounds::exact(50), ..arm(0, 0, 0.0) }).collect();
        for total in 0..30 {
            let chosen = choose(&arms, total, 0.5, 50);
            arms[chosen].visits += 1;
        }
        assert!(arms.iter().all(|arm| arm.visits == 10), "{arms:?}");
    }

    #[test]
    fn at_an_attained_security_level_only_arms_that_may_surpass_it_are_pulled() {
        let proved = Arm { bounds: Bounds::exact(50), ..arm(1000, 0, 500.0) };
        let no_better = Arm { bounds: Bounds { low: 0, high: 50 }, ..arm(10, 0, 9.0) };
        let choose = |open: Arm| {
            let (half, level) = (Exploration::constant(0.5), SecurityLevel { goal: 50, is_attained: true });
            choose_arm(&[proved.clone(), no_better.clone(), open], 2010, half, level, Prior::NONE)
        };
        assert_eq!(choose(arm(1000, 0, 100.0)), (2, true), "0.1 and no more than a little");
        assert_eq!(choose(arm(10, 0, 1.0)), (2, false), "0.1, and hardly known");
        let all = [proved, no_better, arm(1000, 0, 100.0)];
        assert!(may_surpass(&all, 50) && !may_surpass(&all[..2], 50));
        let deferred = Arm { deferred: true, ..arm(0, 0, 0.0) };
        assert!(may_surpass(&[all[0].clone(), deferred.clone()], 50));
        assert!(!may_surpass(&[all[0].clone(), all[1].clone(), deferred], 50), "its turn has not come");
    }

    #[test]
    fn pending_descents_repel_others() {
        assert_eq!(choose(&[arm(10, 0, 5.0), arm(10, 0, 5.0)], 20, 0.6, 0), 0);
        assert_eq!(choose(&[arm(10, 1, 5.0), arm(10, 0, 5.0)], 21, 0.6, 0), 1);
        assert_eq!(choose(&[arm(0, 1, 0.0), arm(0, 0, 0.0)], 1, 0.6, 0), 1);
    }

    #[test]
    fn chance_pulls_all_arms_equally_often_whatever_they_score() {
        let mut random = Sequence::new(1);
        let mut arms = [arm(0, 0, 0.0), arm(0, 0, 0.0), arm(0, 0, 0.0)];
        for _ in 0..300 {
            let index = choose_chance_arm(&arms, &mut random);
            arms[index].visits += 1;
            arms[index].sum += index as f64 / 2.0;
        }
        assert_eq!(arms.map(|arm| arm.visits), [100; 3]);
    }
}
