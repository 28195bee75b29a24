//! Step 1, select, in all nodes from the root to a leaf.

use crate::descent::{Descent, Stand};
use crate::node::{Chooser, NodeId, Phase};
use crate::regret::{DRAWN_HORIZON, draw_arm};
use crate::search::Search;
use crate::select::{Prior, choose_arm, choose_chance_arm};
use crate::technique::Technique;
use ggp_game::{Playouts, Role};
use std::ops::Range;

/// Where several roles choose at once, each one's exploration constant is drawn anew from this
/// range, relative to the set one. Left constant, roles whose statistics are alike move in step
/// and never see what would happen if only one of them moved differently.
const SWAY: Range<f64> = 0.5..1.5;

impl<M: Playouts> Search<M> {
    /// From the root down to where something has to be found out: see [`Stand`].
    pub(crate) fn descend(&mut self, descent: &mut Descent<M::State>) {
        self.descents = self.descents.wrapping_add(1);
        let path = &mut descent.path;
        path.clear(self.tree.roles());
        let mut id = self.tree.root();
        descent.stand = loop {
            if self.tree[id].descent == self.descents {
                // The game goes in a circle here: play out from where it closes.
                break Stand::Ready(self.tree[id].state.clone());
            }
            let is_root = path.nodes().is_empty();
            path.enter(id);
            let full = self.tree.is_full();
            let node = &mut self.tree[id];
            node.descent = self.descents;
            node.pending += 1;
            match node.phase {
                Phase::Leaf if !is_root && (node.visits == 0 || full) => {
                    break Stand::Ready(node.state.clone());
                }
                Phase::Leaf => break Stand::Unopened,
                Phase::Ended => break Stand::Known,
                Phase::Open => {}
            }
            if !is_root && self.options.has(Technique::Solver) && self.tree.is_exact(id) {
                break Stand::Known;
            }
            self.choose_arms(id);
            path.choose(&self.chosen);
            let child = self.tree[id].child(&self.chosen);
            if !child.is_some() {
                break Stand::Childless;
            }
            id = child;
        };
    }

    /// Chooses an arm for every role in an open node, into `chosen`.
    pub(crate) fn choose_arms(&mut self, id: NodeId) {
        let several = self.tree[id].chooser == Chooser::Several;
        let drawn = several && self.draws_by_regret && self.horizon <= DRAWN_HORIZON;
        for role in self.tree.each_role() {
            let range = self.tree.arm_range(id, role);
            let low = self.tree.stats(id)[role.index()].bounds.low;
            if drawn && range.len() > 1 && self.chance != Some(role) {
                let first = range.start;
                let mut regrets = std::mem::take(&mut self.regrets);
                regrets.clear();
                regrets.extend_from_slice(self.tree.regrets_mut(id, range.clone()));
                let node = &self.tree[id];
                let arms = &node.arms[range.clone()];
                let arm = first + draw_arm(arms, &mut regrets, node.visits, low, &mut self.dice);
                self.tree.regrets_mut(id, range).copy_from_slice(&regrets);
                self.regrets = regrets;
                self.tree[id].arms[arm].pending += 1;
                self.chosen[role.index()] = arm as u32;
                continue;
            }
            let node = &self.tree[id];
            let arms = &node.arms[range.clone()];
            let choice = if arms.len() == 1 {
                0
            } else if self.chance == Some(role) {
                choose_chance_arm(arms, &mut self.dice)
            } else {
                // The descent under way is not yet one of the arms' pulls.
                let total = node.visits.saturating_add(node.pending).saturating_sub(1);
                let sway = if several { self.dice.between(SWAY) } else { 1.0 };
                choose_arm(arms, total, self.options.exploration * sway, low, self.prior(id, role))
            };
            let arm = range.start + choice;
            if several || range.len() > 1 {
                self.tree[id].arms[arm].pending += 1;
            }
            self.chosen[role.index()] = arm as u32;
        }
    }

    /// What is expected of `role`'s arms before they are tried.
    fn prior(&self, id: NodeId, role: Role) -> Prior {
        if self.has_history() && self.tree[id].visits > 0 {
            Prior { mean: self.tree.mean(id, role.index()), belief: self.belief }
        } else {
            Prior::NONE
        }
    }
}
