//! How far the guess at an arm's worth may be trusted, learned from the arms that have been tried.
//!
//! The guess is a line: what an arm's mean lies above its node's, by its move's advantage elsewhere.
//! Its slope is small where moves are worth different things in different states, its offset tells
//! how much worse the average arm is than those that the search prefers, and the scatter around it
//! tells how many visits it is worth (as in empirical Bayes: the variance of a visit divided by that of
//! the guess).

use crate::arm::Arm;
use crate::descent::Descent;
use crate::search::Search;
use ggp_game::Playouts;

/// Arms with fewer playouts say too little.
const LEAST_PLAYOUTS: f64 = 8.0;

/// Before as many arms have been seen, the guess is that of [`Belief::default`].
const LEAST_ARMS: f64 = 64.0;

/// As many arms are remembered, older ones fading.
const MEMORY: f64 = 20_000.0;

/// A guess counts as at least and at most so many visits.
const WEIGHT: std::ops::RangeInclusive<f64> = 1.0..=50.0;

/// What is thought of an arm before it is tried: `offset + slope · advantage` above its node's mean,
/// worth `weight` visits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Belief {
    pub(crate) offset: f64,
    pub(crate) slope: f64,
    pub(crate) weight: f64,
}

impl Default for Belief {
    fn default() -> Belief {
        Belief { offset: 0.0, slope: 1.0, weight: 8.0 }
    }
}

/// Sums over arms for a regression of their lead over their node on their move's advantage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    arms: f64,
    lead: f64,
    advantage: f64,
    advantage_squared: f64,
    product: f64,
    lead_squared: f64,
    /// Of the mean of an arm, and of a single visit.
    noise: f64,
    visit: f64,
}

impl Evidence {
    /// Takes note of the arms of a role in a node where its mean is `mean`; a visit is the mean of
    /// about so many `playouts`.
    pub(crate) fn note(&mut self, arms: &[Arm], mean: f64, playouts: f64) {
        if self.arms > MEMORY {
            self.fade();
        }
        for arm in arms.iter().filter(|arm| f64::from(arm.visits) * playouts >= LEAST_PLAYOUTS) {
            let visits = f64::from(arm.visits);
            let own = arm.sum / visits;
            let (lead, advantage) = (own - mean, f64::from(arm.advantage));
            // Towards the middle, so that a few visits that all ended alike still leave doubt.
            let smooth = (arm.sum + 1.0) / (visits + 2.0);
            let visit = smooth * (1.0 - smooth) / playouts;
            self.arms += 1.0;
            self.lead += lead;
            self.advantage += advantage;
            self.advantage_squared += advantage * advantage;
            self.product += lead * advantage;
            self.lead_squared += lead * lead;
            self.noise += visit / visits;
            self.visit += visit;
        }
    }

    fn fade(&mut self) {
        for sum in [
            &mut self.arms,
            &mut self.lead,
            &mut self.advantage,
            &mut self.advantage_squared,
            &mut self.product,
            &mut self.lead_squared,
            &mut self.noise,
            &mut self.visit,
        ] {
            *sum /= 2.0;
        }
    }

    /// What follows from it.
    pub(crate) fn belief(&self) -> Belief {
        if self.arms < LEAST_ARMS {
            return Belief::default();
        }
        let mean = |sum: f64| sum / self.arms;
        let spread = mean(self.advantage_squared) - mean(self.advantage).powi(2);
        let together = mean(self.product) - mean(self.advantage) * mean(self.lead);
        let slope = if spread > 1e-9 { (together / spread).max(0.0) } else { 0.0 };
        let offset = mean(self.lead) - slope * mean(self.advantage);
        let scatter = mean(self.lead_squared) - mean(self.lead).powi(2) - slope * together - mean(self.noise);
        let weight = mean(self.visit) / scatter.max(1e-9);
        Belief { offset, slope, weight: weight.clamp(*WEIGHT.start(), *WEIGHT.end()) }
    }
}

impl<M: Playouts> Search<M> {
    /// Learns from one node of each of `descents`, of `per_leaf` playouts each, how far the guess at
    /// arms may be trusted.
    pub(crate) fn weigh(&mut self, descents: &[Descent<M::State>], per_leaf: usize) {
        for (number, Descent { path, .. }) in descents.iter().enumerate() {
            let id = path.nodes()[number % path.nodes().len()];
            for role in self.tree.each_role() {
                let range = self.tree.arm_range(id, role);
                if range.len() > 1 && self.chance != Some(role) {
                    let mean = self.tree.mean(id, role.index());
                    self.evidence.note(&self.tree[id].arms[range], mean, per_leaf as f64);
                }
            }
        }
        self.belief = self.evidence.belief();
        if let Some(weight) = self.options.belief {
            self.belief = Belief { weight, ..Belief::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Evidence;
    use crate::arm::Arm;
    use ggp_game::Move;

    /// Arms whose means are `offset + slope · advantage` above 0.5, give or take `scatter`.
    fn evidence(offset: f64, slope: f64, scatter: f64) -> Evidence {
        let mut evidence = Evidence::default();
        for number in 0..400u32 {
            let advantage = f64::from(number % 11) / 50.0 - 0.1;
            let scatter = if number % 2 == 0 { scatter } else { -scatter };
            let mean = 0.5 + offset + slope * advantage + scatter;
            let arm = Arm {
                visits: 10_000,
                sum: mean * 10_000.0,
                advantage: advantage as f32,
                ..Arm::new(Move(0))
            };
            evidence.note(&[arm], 0.5, 1.0);
        }
        evidence
    }

    #[test]
    fn the_line_and_its_worth_are_found() {
        let belief = evidence(-0.1, 0.7, 0.1).belief();
        assert!((belief.offset + 0.1).abs() < 0.01, "{belief:?}");
        assert!((belief.slope - 0.7).abs() < 0.05, "{belief:?}");
        // Visits vary by nearly a quarter, the guess by a hundredth.
        assert!((20.0..30.0).contains(&belief.weight), "{belief:?}");
        assert!(evidence(-0.1, 0.7, 0.02).belief().weight > 49.0);
    }

    #[test]
    fn advantages_that_mislead_are_not_believed() {
        let belief = evidence(0.0, -0.5, 0.1).belief();
        assert!(belief.slope.abs() < 1e-9, "{belief:?}");
    }
}
