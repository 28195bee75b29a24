//! The statistics that a search learns from a batch and keeps outside the tree: the history of moves, the
//! prior of arms, and the preferred moves of playouts.

use crate::descent::Descent;
use crate::id::NodeId;
use crate::mast::preference;
use crate::node::Phase;
use crate::prior::PriorModel;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::Playouts;
use std::sync::Arc;

impl<M: Playouts> Search<M> {
    /// Updates the history from the log of the batch, and the prior from the batch's `descents`. Each
    /// descent has `per_leaf` playouts. Then updates the preferred moves of playouts and the advantages of
    /// the root's arms.
    pub(crate) fn learn(&mut self, descents: &[Descent<M::State>], per_leaf: usize) {
        let x = self.options.x;
        let log = &self.worker.simulation.log;
        self.history.add_log(log, x[0] != 2.0);
        self.mast.add_log(log, x[0] == 0.0);
        if log.counts[0] > 0.0 && log.counts[1] > 0.0 {
            for (gap, of) in self.gap.iter_mut().zip(&log.gap) {
                let d = of[1] / log.counts[1] - of[0] / log.counts[0];
                *gap += 0.25 * (d - *gap);
            }
        }
        let playing = descents.iter().filter(|d| matches!(d.progress, crate::descent::DescentState::Playing));
        for (descent, sums) in playing.zip(&self.worker.simulation.log.by_start) {
            if sums[1] >= 1.0 && sums[3] >= 1.0 {
                self.ring.push((descent.path.leaf(), *sums));
            }
        }
        if x[7] > 0.0 {
            let tree = &self.tree;
            let errors = &mut self.errors;
            self.ring.retain(|&(id, sums)| {
                let Some(node) = tree.get(id) else { return false };
                let stats = tree.stats(id)[0];
                let v = match stats.bounds.proven() {
                    Some(goal) => f64::from(goal) / 100.0,
                    None if node.visits < 20 => return true,
                    None => (stats.total - (sums[0] + sums[2]) / (sums[1] + sums[3])) / f64::from(node.visits - 1),
                };
                for (at, error) in errors.iter_mut().enumerate().take(2) {
                    let (mean, count) = (sums[2 * at] / sums[2 * at + 1], sums[2 * at + 1]);
                    *error += (mean - v).powi(2) - v * (1.0 - v) / count;
                }
                errors[2] += 1.0;
                false
            });
            if self.ring.len() > 4096 {
                let old = self.ring.len() - 2048;
                self.ring.drain(..old);
            }
            if errors[2] > 1000.0 {
                for error in errors {
                    *error /= 2.0;
                }
            }
        }
        self.fit_prior(descents, per_leaf);
        self.update_preference();
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Open {
            self.set_advantages(root);
        }
    }

    /// For each of `descents`, adds the arms of one node on its path to the regression; the depth of this
    /// node varies from descent to descent. Then fits the prior again. Each descent has `per_leaf` playouts.
    fn fit_prior(&mut self, descents: &[Descent<M::State>], per_leaf: usize) {
        for (number, Descent { path, .. }) in descents.iter().enumerate() {
            let id = path.nodes()[number % path.nodes().len()];
            for role in self.tree.each_role() {
                let range = self.tree.arm_range(id, role);
                if range.len() > 1 && self.chance != Some(role) {
                    let mean = self.tree.mean(id, role.index());
                    self.regression.add(&self.tree[id].arms[range], mean, per_leaf as f64);
                }
            }
        }
        self.prior_model = self.regression.fit();
        if let Some(weight) = self.options.prior_weight {
            self.prior_model = PriorModel { weight, ..PriorModel::default() };
        }
    }

    /// Trial.
    pub fn trial_forecast(&self) -> String {
        let mut text = format!("errors {:.3} {:.3} {} gap {:.1} {:.1} slope {:.2}", self.errors[0] / self.errors[2], self.errors[1] / self.errors[2], self.errors[2], self.gap[0] * 100.0, self.gap[1] * 100.0, self.prior_model.slope);
        for proved in [false, true] {
            // n, v, v², then for u and p: x, x², xv, noise, squared error
            let (mut n, mut sv, mut svv) = (0.0, 0.0, 0.0);
            let mut of = [[0.0f64; 5]; 2];
            for (id, sums) in &self.ring {
                let Some(node) = self.tree.get(*id) else { continue };
                let bounds = self.tree.stats(*id)[0].bounds;
                let v = if proved {
                    let Some(goal) = bounds.proven() else { continue };
                    f64::from(goal) / 100.0
                } else {
                    if node.visits < 20 || bounds.proven().is_some() {
                        continue;
                    }
                    let own = (sums[0] + sums[2]) / (sums[1] + sums[3]);
                    (self.tree.stats(*id)[0].total - own) / f64::from(node.visits - 1)
                };
                n += 1.0;
                sv += v;
                svv += v * v;
                for (at, of) in of.iter_mut().enumerate() {
                    let (x, count) = (sums[2 * at] / sums[2 * at + 1], sums[2 * at + 1]);
                    let noise = x * (1.0 - x) / (count - 1.0);
                    of[0] += x;
                    of[1] += x * x;
                    of[2] += x * v;
                    of[3] += noise;
                    of[4] += (x - v) * (x - v) - noise;
                }
            }
            let var_v = svv / n - (sv / n) * (sv / n);
            text += &format!(" | n {n:5}");
            for (of, name) in of.iter().zip(["u", "p"]) {
                let var = of[1] / n - (of[0] / n).powi(2) - of[3] / n;
                let cov = of[2] / n - of[0] / n * sv / n;
                text += &format!(" {name}: r {:.3} rms {:.3}", cov / (var.max(1e-9) * var_v.max(1e-9)).sqrt(), (of[4] / n).max(0.0).sqrt());
            }
        }
        text
    }

    /// Updates the preferred moves of the next playouts from the history.
    fn update_preference(&mut self) {
        if self.options.has(Technique::Mast) {
            let x = self.options.x;
            let most = if x[1] > 0.0 { x[1] } else { 0.75 };
            let gap = self.gap.iter().map(|g| g.abs()).fold(0.0, f64::max);
            let share = if x[2] > 0.0 && gap * 100.0 > x[2] { 0.0625 } else { most * self.prior_model.slope.min(1.0) };
            let share = if x[2] < 0.0 { most * ((self.prior_model.slope + x[2]) / -x[2]).clamp(0.0, 1.0) } else { share };
            let misleads = x[7] > 0.0 && (self.errors[2] < 32.0 || self.errors[1] > self.errors[0]);
            let share = if misleads { share.min(0.125) } else { share };
            self.preferred = preference(&self.mast, share).map(Arc::new);
        }
    }

    /// In the open node `id`, sets the advantages of the arms of each role that has a choice. The advantages
    /// come from the history of moves. Does nothing if the search keeps no history.
    pub(crate) fn set_advantages(&mut self, id: NodeId) {
        if !self.has_history() {
            return;
        }
        for role in self.tree.each_role() {
            let range = self.tree.arm_range(id, role);
            if range.len() > 1 {
                let arms = &mut self.tree[id].arms[range];
                self.history.advantages(role, arms.iter().map(|arm| arm.mv), &mut self.advantages);
                for (arm, &advantage) in arms.iter_mut().zip(&self.advantages) {
                    arm.advantage = advantage;
                }
            }
        }
    }
}
