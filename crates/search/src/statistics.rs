//! The statistics that a search learns from a batch and keeps outside the tree: the history of moves, the
//! prior of arms, and the preferred moves of playouts.

use crate::arm::Arm;
use crate::descent::Descent;
use crate::id::NodeId;
use crate::mast::preference;
use crate::node::{Chooser, Phase};
use crate::policy::Policy;
use crate::prior::PriorModel;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{EvalError, Playouts, Role};
use std::ops::Range;
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
                    self.regression.add(arms, mean, per_leaf as f64, |arm| arm.advantage);
                    if let Some(policy) = &self.policy {
                        let history = |arm: &Arm| (arm.advantage - arm.learnt) / policy.history;
                        self.regression_of_history.add(arms, mean, per_leaf as f64, history);
                    }
                }
            }
        }
        self.prior_model = self.regression.fit();
        if let Some(weight) = self.options.prior_weight {
            self.prior_model = PriorModel { weight, ..PriorModel::default() };
        }
    }

    /// Updates the preferred moves of the next playouts from the history.
    fn update_preference(&mut self) {
        if self.options.has(Technique::Mast) {
            // A policy knows states, and playouts prefer moves by their history alone.
            let of_history = || self.regression_of_history.fit();
            let model = if self.policy.is_some() { of_history() } else { self.prior_model };
            self.preferred = preference(&self.history, model).map(Arc::new);
        }
    }

    /// Uses `policy` for the arms of all nodes from now on.
    ///
    /// # Errors
    /// The machine's errors.
    pub(crate) fn use_policy(&mut self, policy: Arc<Policy>) -> Result<(), EvalError> {
        self.policy = Some(policy);
        let is_open = |id: &NodeId| self.tree.get(*id).is_some_and(|node| node.phase == Phase::Open);
        let opened: Vec<NodeId> = self.tree.ids().filter(is_open).collect();
        self.set_learnt(&opened)?;
        for id in opened {
            self.set_advantages(id);
        }
        Ok(())
    }

    /// Sets the learnt values of the arms in those of the open nodes `opened` in which one role chooses alone. Does
    /// nothing without a policy.
    ///
    /// # Errors
    /// The machine's errors.
    pub(crate) fn set_learnt(&mut self, opened: &[NodeId]) -> Result<(), EvalError> {
        let Some(policy) = self.policy.clone() else { return Ok(()) };
        let mut chosen: Vec<(NodeId, Role, Range<usize>)> = Vec::new();
        let mut joints = Vec::new();
        for &id in opened {
            let (Phase::Open, Chooser::One(role)) = (self.tree[id].phase, self.tree[id].chooser) else {
                continue;
            };
            if self.chance != Some(role) {
                let moves = self.tree.arms(id, role).iter().map(|arm| arm.mv);
                self.tree.append_joints(id, role, moves, &mut joints);
                chosen.push((id, role, self.tree.arm_range(id, role)));
            }
        }
        let before = chosen.iter().flat_map(|(id, _, range)| range.clone().map(|_| &self.tree[*id].state));
        let before: Vec<&M::State> = before.collect();
        let (mut after, mut values) = (Vec::new(), Vec::new());
        self.worker.machine.next_states(&before, &joints, &mut after)?;
        let mut after = after.iter();
        for (id, role, range) in chosen {
            values.clear();
            let machine = &self.worker.machine;
            let before = machine.fluent_words(&self.tree[id].state);
            let of_arms = after.by_ref().take(range.len());
            values.extend(of_arms.map(|after| policy.value(before, machine.fluent_words(after), role)));
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            for (arm, value) in self.tree[id].arms[range].iter_mut().zip(&values) {
                arm.learnt = value - mean;
            }
        }
        Ok(())
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
                let slope = self.policy.as_ref().map_or(1.0, |policy| policy.history);
                for (arm, &advantage) in arms.iter_mut().zip(&self.advantages) {
                    arm.advantage = slope * advantage + arm.learnt;
                }
            }
        }
    }
}
