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
    pub(crate) fn update_statistics(&mut self, descents: &[Descent<M::State>], per_leaf: usize) {
        self.history.add_log(&self.worker.simulation.log);
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
                    let arms = &self.tree[id].arms[range];
                    self.regression.add(arms, mean, per_leaf as f64);
                }
            }
        }
        self.prior_model = self.regression.fit();
        if let Some(weight) = self.options.prior_weight {
            self.prior_model = PriorModel { weight, ..PriorModel::default() };
        }
    }

    /// Updates the preferred moves of the next playouts from the histories.
    fn update_preference(&mut self) {
        if self.options.has(Technique::Mast) {
            let (model, constants) = (self.prior_model, &self.options.constants);
            self.preferred = preference(&self.history, &self.descended, model, constants).map(Arc::new);
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
