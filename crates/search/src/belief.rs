//! The prior of arms without visits, fitted by linear regression on the visited arms.
//!
//! The prior predicts an arm's lead over its node's mean from its move's advantage in the history. The slope
//! is small where the values of moves depend on the state. The offset is usually negative: the node's mean is
//! dominated by the arms that the search prefers. The residual variance gives the prior's weight in visits,
//! as in empirical Bayes: the variance of one visit divided by that of the prediction.

use crate::arm::Arm;
use crate::descent::Descent;
use crate::search::Search;
use ggp_game::Playouts;

/// Arms with fewer playouts than this are ignored.
const LEAST_PLAYOUTS: f64 = 8.0;

/// Below this number of arms, the prior is [`Belief::default`].
const LEAST_ARMS: f64 = 64.0;

/// Above this number of arms, the sums are halved.
const MEMORY: f64 = 20_000.0;

/// The limits of the prior's weight in visits.
const WEIGHT: std::ops::RangeInclusive<f64> = 1.0..=50.0;

/// The prior of an arm: its share is `offset + slope · advantage` above its node's mean, with the weight of
/// `weight` visits.
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

/// Sums over arms for the regression of their lead over the node's mean on their move's advantage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    arms: f64,
    lead: f64,
    advantage: f64,
    advantage_squared: f64,
    product: f64,
    lead_squared: f64,
    /// The variance of an arm's mean, and of a single visit.
    noise: f64,
    visit: f64,
}

impl Evidence {
    /// Adds one role's arms in a node where the role's mean is `mean`. One visit is the mean of about
    /// `playouts` playouts.
    pub(crate) fn note(&mut self, arms: &[Arm], mean: f64, playouts: f64) {
        if self.arms > MEMORY {
            self.fade();
        }
        for arm in arms.iter().filter(|arm| f64::from(arm.visits) * playouts >= LEAST_PLAYOUTS) {
            let visits = f64::from(arm.visits);
            let own = arm.sum / visits;
            let (lead, advantage) = (own - mean, f64::from(arm.advantage));
            // Smoothing towards 0.5 keeps the variance positive if a few visits all have the same score.
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

    /// Fits the prior.
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
    /// Updates the evidence from one node of each of `descents`, with `per_leaf` playouts each, and fits the
    /// prior again.
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
        if let Some(weight) = self.options.prior_weight {
            self.belief = Belief { weight, ..Belief::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Evidence;
    use crate::arm::Arm;
    use ggp_game::Move;

    /// Arms whose means are `offset + slope · advantage` above 0.5, plus or minus `scatter`.
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
        // The variance of a visit is nearly 1/4, that of the prediction 1/100.
        assert!((20.0..30.0).contains(&belief.weight), "{belief:?}");
        assert!(evidence(-0.1, 0.7, 0.02).belief().weight > 49.0);
    }

    #[test]
    fn advantages_that_mislead_are_not_believed() {
        let belief = evidence(0.0, -0.5, 0.1).belief();
        assert!(belief.slope.abs() < 1e-9, "{belief:?}");
    }
}
