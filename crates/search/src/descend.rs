//! Step 1, select, in all nodes from the root to a leaf.

use crate::belief::Belief;
use crate::descent::{Descent, Stand};
use crate::dice::Dice;
use crate::node::{Chooser, NodeId, Phase};
use crate::regret::draw_arm;
use crate::select::{Prior, choose_arm, choose_chance_arm};
use crate::tree::Tree;
use ggp_game::Role;
use std::hash::Hash;
use std::ops::Range;

/// Where several roles choose at once, each one's exploration constant is drawn anew from this
/// range, relative to the set one. Left constant, roles whose statistics are alike move in step
/// and never see what would happen if only one of them moved differently.
const SWAY: Range<f64> = 0.5..1.5;

/// How arms are chosen in one batch. The tree is only looked at, but for what is pending and drawn, so
/// that several threads can descend at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    pub(crate) exploration: f64,
    pub(crate) chance: Option<Role>,
    /// Whether roles that choose at once draw by regret.
    pub(crate) draws: bool,
    /// Whether a descent ends where all goals are proved.
    pub(crate) stops_at_proofs: bool,
    /// What is thought of arms before they are tried, if anything is.
    pub(crate) belief: Option<Belief>,
}

impl Selection {
    /// From the root down to where something has to be found out: see [`Stand`].
    pub(crate) fn descend<S: Eq + Hash + Clone>(
        self,
        tree: &Tree<S>,
        descent: &mut Descent<S>,
        dice: &mut Dice,
    ) {
        let path = &mut descent.path;
        path.clear(tree.roles());
        let full = tree.is_full();
        let mut id = tree.root();
        descent.stand = loop {
            if path.nodes().contains(&id) {
                // The game goes in a circle here: play out from where it closes.
                break Stand::Ready(tree[id].state.clone());
            }
            let is_root = path.nodes().is_empty();
            path.enter(id);
            let node = &tree[id];
            node.pending.add();
            match node.phase {
                Phase::Leaf if !is_root && (node.visits == 0 || full) => {
                    break Stand::Ready(node.state.clone());
                }
                Phase::Leaf => break Stand::Unopened,
                Phase::Ended => break Stand::Known,
                Phase::Open => {}
            }
            if !is_root && self.stops_at_proofs && tree.is_exact(id) {
                break Stand::Known;
            }
            path.choose(tree.each_role().map(|role| self.choose(tree, id, role, dice)));
            let child = node.child(path.last_chosen());
            if !child.is_some() {
                break Stand::Childless;
            }
            id = child;
        };
    }

    /// Chooses an arm for `role` in an open node; its position there.
    pub(crate) fn choose<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role, dice: &mut Dice) -> u32 {
        let node = &tree[id];
        let several = node.chooser == Chooser::Several;
        let range = tree.arm_range(id, role);
        let low = tree.stats(id)[role.index()].bounds.low;
        let arms = &node.arms[range.clone()];
        let choice = if arms.len() == 1 {
            0
        } else if self.chance == Some(role) {
            choose_chance_arm(arms, dice)
        } else if several && self.draws {
            draw_arm(arms, &tree.regrets(id)[range.clone()], node.visits, low, dice)
        } else {
            // The descent under way is not yet one of the arms' pulls.
            let total = node.visits.saturating_add(node.pending.get()).saturating_sub(1);
            let sway = if several { dice.between(SWAY) } else { 1.0 };
            choose_arm(arms, total, self.exploration * sway, low, self.prior(tree, id, role))
        };
        let arm = range.start + choice;
        if several || range.len() > 1 {
            node.arms[arm].pending.add();
        }
        arm as u32
    }

    /// What is expected of `role`'s arms before they are tried.
    fn prior<S: Eq + Hash>(self, tree: &Tree<S>, id: NodeId, role: Role) -> Prior {
        match self.belief {
            Some(belief) if tree[id].visits > 0 => Prior { mean: tree.mean(id, role.index()), belief },
            _ => Prior::NONE,
        }
    }
}
