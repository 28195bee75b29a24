//! The prior of arms without visits, fitted by linear regression on the visited arms.
//!
//! The prior predicts an arm's lead over its node's mean from its move's advantage in the history. The slope
//! is small where the values of moves depend on the state. The offset is usually negative, because the arms
//! that the search prefers dominate the node's mean. The residual variance gives the prior's weight in
//! visits, as in empirical Bayes: the variance of one visit divided by the variance of the prediction.

use crate::arm::Arm;

/// An arm with fewer playouts than this is not used for the regression.
const LEAST_PLAYOUTS: f64 = 8.0;

/// If the regression has fewer arms than this, the model is [`PriorModel::default`].
const LEAST_ARMS: f64 = 64.0;

/// When the regression has more arms than this, all sums are halved, so that recent arms count more.
const MEMORY: f64 = 20_000.0;

/// The limits of the prior's weight in visits.
const WEIGHT: std::ops::RangeInclusive<f64> = 1.0..=50.0;

/// A linear model of the prior of an arm: the node's mean plus `offset + slope · advantage`, in shares. The
/// prior counts as much as `weight` visits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriorModel {
    pub(crate) offset: f64,
    pub(crate) slope: f64,
    pub(crate) weight: f64,
}

impl Default for PriorModel {
    fn default() -> PriorModel {
        PriorModel { offset: 0.0, slope: 1.0, weight: 8.0 }
    }
}

/// The prior of the arms of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    /// The mean share of the role in the node.
    pub(crate) mean: f64,
    /// The model of the arms' leads over that mean. With a weight of 0, unvisited arms are selected first.
    pub(crate) model: PriorModel,
}

impl Prior {
    /// No prior.
    pub(crate) const NONE: Prior =
        Prior { mean: 0.0, model: PriorModel { offset: 0.0, slope: 0.0, weight: 0.0 } };
}

/// The sums over arms for a linear regression that predicts an arm's lead over its node's mean from the
/// advantage of the arm's move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Regression {
    arms: f64,
    lead: f64,
    advantage: f64,
    advantage_squared: f64,
    product: f64,
    lead_squared: f64,
    /// The sum, over the arms, of the variance of the arm's mean share.
    noise: f64,
    /// The sum, over the arms, of the variance of the share of one visit of the arm.
    visit: f64,
}

impl Regression {
    /// Adds one role's arms in a node where the role's mean is `mean`. One visit is the mean of about `playouts` playouts.
    pub(crate) fn add(&mut self, arms: &[Arm], mean: f64, playouts: f64) {
        if self.arms > MEMORY {
            self.halve();
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

    fn halve(&mut self) {
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

    /// Fits the model.
    pub(crate) fn fit(&self) -> PriorModel {
        if self.arms < LEAST_ARMS {
            return PriorModel::default();
        }
        let mean = |sum: f64| sum / self.arms;
        let spread = mean(self.advantage_squared) - mean(self.advantage).powi(2);
        let together = mean(self.product) - mean(self.advantage) * mean(self.lead);
        let slope = if spread > 1e-9 { (together / spread).max(0.0) } else { 0.0 };
        let offset = mean(self.lead) - slope * mean(self.advantage);
        let scatter = mean(self.lead_squared) - mean(self.lead).powi(2) - slope * together - mean(self.noise);
        let weight = mean(self.visit) / scatter.max(1e-9);
        PriorModel { offset, slope, weight: weight.clamp(*WEIGHT.start(), *WEIGHT.end()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Regression;
    use crate::arm::Arm;
    use ggp_game::Move;

    /// A regression over arms in a node with the mean 0.5. The mean of an arm is
    /// `0.5 + offset + slope · advantage`, plus or minus `scatter`.
    fn regression(offset: f64, slope: f64, scatter: f64) -> Regression {
        let mut regression = Regression::default();
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
            regression.add(&[arm], 0.5, 1.0);
        }
        regression
    }

    #[test]
    fn offset_slope_and_weight_are_found() {
        let model = regression(-0.1, 0.7, 0.1).fit();
        assert!((model.offset + 0.1).abs() < 0.01, "{model:?}");
        assert!((model.slope - 0.7).abs() < 0.05, "{model:?}");
        // The variance of a visit is nearly 1/4, and the variance of the prediction is 1/100.
        assert!((20.0..30.0).contains(&model.weight), "{model:?}");
        assert!(regression(-0.1, 0.7, 0.02).fit().weight > 49.0);
    }

    #[test]
    fn a_negative_slope_counts_as_none() {
        let model = regression(0.0, -0.5, 0.1).fit();
        assert!(model.slope.abs() < 1e-9, "{model:?}");
    }
}
