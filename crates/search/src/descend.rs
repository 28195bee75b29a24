//! Steps 1 and 2 together: the way down from the root to the node that is played out from.

use crate::node::Chooser;
use crate::node::{NodeId, Phase};
use crate::path::Path;
use crate::search::Search;
use crate::select::{choose_arm, choose_chance_arm};
use ggp_game::{EvalError, Playouts, Role};
use std::ops::Range;

/// Where several roles choose at once, each one's exploration constant is drawn anew from this
/// range, relative to the set one. Left constant, roles whose statistics are alike move in step
/// and never see what would happen if only one of them moved differently.
const SWAY: Range<f64> = 0.5..1.5;

impl<M: Playouts> Search<M> {
    /// Steps 1 and 2: from the root down to the state to play out from, whose node is made if
    /// there is room; `None` when the last node of `path` ends the game.
    ///
    /// # Errors
    /// Those of the machine; `path` is to be retreated from then.
    pub(crate) fn descend(&mut self, path: &mut Path) -> Result<Option<M::State>, EvalError> {
        self.descents = self.descents.wrapping_add(1);
        path.clear(self.tree.roles());
        let mut id = self.tree.root();
        loop {
            let repeated = self.tree[id].descent == self.descents;
            if repeated {
                // The game goes in a circle here: play out from where it closes.
                return Ok(Some(self.tree[id].state.clone()));
            }
            let is_root = path.nodes().is_empty();
            path.enter(id);
            let full = self.tree.is_full();
            let node = &mut self.tree[id];
            node.descent = self.descents;
            node.pending += 1;
            if node.phase == Phase::Leaf {
                if !is_root && (node.visits == 0 || full) {
                    return Ok(Some(node.state.clone()));
                }
                self.open(id)?;
            }
            if self.tree[id].phase == Phase::Ended {
                return Ok(None);
            }
            self.choose_arms(id);
            path.choose(&self.chosen);
            let known = self.tree[id].child(&self.chosen);
            if known.is_some() {
                id = known;
                continue;
            }
            let state = self.state_after(id)?;
            if self.tree.is_full() && self.tree.find(&state).is_none() {
                return Ok(Some(state));
            }
            let child = self.node_of(state)?;
            self.tree.link(id, &self.chosen, child);
            id = child;
        }
    }

    /// Chooses an arm for every role in an open node, into `chosen`.
    fn choose_arms(&mut self, id: NodeId) {
        for role in (0..self.tree.roles()).map(|role| Role(role as u8)) {
            let range = self.tree.arm_range(id, role);
            let node = &mut self.tree[id];
            let arms = &node.arms[range.clone()];
            let choice = if arms.len() == 1 {
                0
            } else if self.chance == Some(role) {
                choose_chance_arm(arms, &mut self.dice)
            } else {
                // The descent under way is not yet one of the arms' pulls.
                let total = node.visits.saturating_add(node.pending).saturating_sub(1);
                let exploration = match node.chooser {
                    Chooser::Several => self.options.exploration * self.dice.between(SWAY),
                    _ => self.options.exploration,
                };
                choose_arm(arms, total, exploration)
            };
            let arm = range.start + choice;
            if node.chooser == Chooser::Several || range.len() > 1 {
                node.arms[arm].pending += 1;
            }
            self.chosen[role.index()] = arm as u32;
        }
    }
}
