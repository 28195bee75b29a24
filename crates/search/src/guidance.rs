//! The learnt policy in selection: it multiplies the exploration constant of each arm, as the priors of PUCT do (Rosin
//! 2011; Silver et al. 2016), so that the search looks more often at the moves that the policy prefers. Means stay what
//! the playouts say.

use crate::id::NodeId;
use crate::node::{Chooser, Phase};
use crate::path::Path;
use crate::policy::Policy;
use crate::search::Search;
use ggp_game::{EvalError, Playouts, Role};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// The policy is asked about a node once it has so many visits. Most nodes never get them, and the states after all moves
/// of a node cost as much as several descents.
const LEAST_VISITS: u32 = 8;
/// The range of the factors.
const FACTORS: RangeInclusive<f32> = 0.25..=4.0;

/// The factor of an arm that leads by `lead` standard deviations. The visits of an arm grow with the square of its factor,
/// and so as `exp(2 * lead)`: predicted leads are small, since they explain a small part of the variance.
fn factor(lead: f32) -> f32 {
    lead.exp().clamp(*FACTORS.start(), *FACTORS.end())
}

impl<M: Playouts> Search<M> {
    /// Uses `policy` in all nodes from now on.
    ///
    /// # Errors
    /// The machine's errors.
    pub(crate) fn use_policy(&mut self, policy: Arc<Policy>) -> Result<(), EvalError> {
        self.policy = Some(policy);
        self.awaiting_policy.clear();
        self.awaiting_policy.extend(self.tree.ids());
        self.ask_policy()
    }

    /// Uses no policy from now on.
    pub(crate) fn forget_policy(&mut self) {
        self.policy = None;
        self.awaiting_policy.clear();
        for id in self.tree.ids() {
            if self.tree.get(id).is_some() {
                self.tree[id].arms.iter_mut().for_each(|arm| arm.exploration = 1.0);
            }
        }
    }

    /// Whether this search uses a learnt policy.
    pub fn has_policy(&self) -> bool {
        self.policy.is_some()
    }

    /// Notes that each node on `path` has got one more visit.
    pub(crate) fn note_visits(&mut self, path: &Path) {
        if self.policy.is_some() {
            let has_enough = |id: &&NodeId| self.tree[**id].visits == LEAST_VISITS;
            self.awaiting_policy.extend(path.nodes().iter().filter(has_enough));
        }
    }

    /// Sets the factors of the arms in the nodes that have got enough visits since the last call, if one role chooses there
    /// alone. Does nothing without a policy.
    ///
    /// # Errors
    /// The machine's errors.
    pub(crate) fn ask_policy(&mut self) -> Result<(), EvalError> {
        let Some(policy) = self.policy.clone().filter(|_| !self.awaiting_policy.is_empty()) else {
            return Ok(());
        };
        // 1. The states after the moves of all these nodes, in one batch.
        let mut asked: Vec<(NodeId, Role, Range<usize>)> = Vec::new();
        let mut joints = Vec::new();
        for id in self.awaiting_policy.drain(..) {
            let Some(node) = self.tree.get(id) else { continue };
            let (Phase::Open, Chooser::One(role)) = (node.phase, node.chooser) else { continue };
            if node.visits >= LEAST_VISITS && self.chance != Some(role) {
                let moves = self.tree.arms(id, role).iter().map(|arm| arm.mv);
                self.tree.append_joints(id, role, moves, &mut joints);
                asked.push((id, role, self.tree.arm_range(id, role)));
            }
        }
        let before = asked.iter().flat_map(|(id, _, range)| range.clone().map(|_| &self.tree[*id].state));
        let before: Vec<&M::State> = before.collect();
        let (mut after, mut values) = (Vec::new(), Vec::new());
        self.worker.machine.next_states(&before, &joints, &mut after)?;
        // 2. The factors, from the leads over the mean of the node.
        let mut after = after.iter();
        for (id, role, range) in asked {
            values.clear();
            let machine = &self.worker.machine;
            let before = machine.fluent_words(&self.tree[id].state);
            let of_arms = after.by_ref().take(range.len());
            values.extend(of_arms.map(|after| policy.value(before, machine.fluent_words(after), role)));
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            for (arm, value) in self.tree[id].arms[range].iter_mut().zip(&values) {
                arm.exploration = factor(value - mean);
            }
        }
        Ok(())
    }
}
