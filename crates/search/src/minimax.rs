//! Minimax values beside the means, as in implicit minimax backups (Lanctot, Winands, Pepels & Sturtevant 2014). The value
//! of a leaf mixes an [`Evaluation`] with the mean of its first playouts; a node has the value of its best move so far.
//! The mean of a node also counts the visits to moves that turned out bad, which its minimax value forgets at once. This
//! decides games of long exchanges, where one move wins or loses several points. Elsewhere it misleads, so a trial
//! decides game by game ([`Search::try_minimax`]).

use crate::evaluation::Evaluation;
use crate::id::NodeId;
use crate::node::{Chooser, Phase};
use crate::path::Path;
use crate::search::Search;
use crate::tree::Tree;
use ggp_game::{Playouts, Role};
use std::hash::Hash;

/// The weight of the playouts in the value of a leaf; the evaluation has the rest.
const PLAYED: f32 = 0.3;

/// Values that differ by no more than this are taken for equal, since `1 - (1 - x)` is rounded.
const ROUNDING: f32 = 1e-6;

/// The share of `role` where the first of two roles has `share`, in a game of constant sum.
fn of_role(share: f32, role: Role) -> f32 {
    if role.index() == 0 { share } else { 1.0 - share }
}

/// An evaluation for minimax values in the game on `machine` that has learnt nothing. `None` in games that have not exactly
/// two roles, in games with chance, and on machines that do not keep their states as bits.
pub(crate) fn new_evaluation<M: Playouts>(machine: &M) -> Option<Evaluation> {
    let (game, fluents) = (machine.game(), machine.fluents().len());
    let is_possible = game.role_count() == 2 && game.nature().is_none() && fluents > 0;
    is_possible.then(|| Evaluation::new(fluents))
}

impl<M: Playouts> Search<M> {
    /// Whether the search uses minimax values.
    pub fn has_minimax(&self) -> bool {
        self.evaluation.is_some()
    }

    /// Backs up minimax values along `path`, the descent with the index `number` of its batch. Does nothing unless the
    /// search uses them.
    pub(crate) fn back_up_minimax(&mut self, path: &Path, number: usize) {
        let Some(mut evaluation) = self.evaluation.take() else { return };
        // 1. One node of the path teaches the evaluation; its depth varies from descent to descent.
        let nodes = path.nodes();
        let id = nodes[number % nodes.len()];
        let taught = &self.tree[id];
        if taught.phase != Phase::Ended && taught.visits > 0 {
            let mean = self.tree.mean(id, 0) as f32;
            evaluation.train(self.worker.machine.fluent_words(&taught.state), mean, taught.visits);
        }
        // 2. From the leaf to the root, each arm gets the value of the node below, and each node that of its best arm.
        if evaluation.is_ready() {
            let mut below = self.value_of_leaf(path.leaf(), &evaluation);
            self.tree[path.leaf()].minimax = below;
            for (depth, &id) in nodes.iter().enumerate().rev().skip(1) {
                below = self.tree.back_up_minimax(id, path.chosen(depth), below);
            }
        }
        self.evaluation = Some(evaluation);
    }

    /// The minimax value of the last node of a path for the first role. It remains what it was at the first visit until
    /// descents go on below.
    fn value_of_leaf(&self, id: NodeId, evaluation: &Evaluation) -> f32 {
        let node = &self.tree[id];
        match self.tree.stats(id)[0].bounds.proven() {
            Some(goal) => f32::from(goal) / 100.0,
            None if node.minimax.is_nan() => {
                let share = evaluation.share(self.worker.machine.fluent_words(&node.state));
                share + PLAYED * (self.tree.mean(id, 0) as f32 - share)
            }
            None => node.minimax,
        }
    }
}

impl<S: Eq + Hash> Tree<S> {
    /// Gives the arm among `chosen` that leads on from the node `id` the value `below` of its child, and returns the value
    /// that the node then has. Both are for the first role.
    fn back_up_minimax(&mut self, id: NodeId, chosen: &[u32], below: f32) -> f32 {
        let proven = self.stats(id)[0].bounds.proven();
        let value = match (proven, self[id].chooser) {
            (Some(goal), _) => f32::from(goal) / 100.0,
            (None, Chooser::One(role)) => {
                let best = of_role(self[id].minimax, role);
                let value = of_role(below, role);
                let before =
                    std::mem::replace(&mut self[id].arms[chosen[role.index()] as usize].minimax, value);
                // Only a fall of the best arm, and the first value of an arm, need a look at the others. Until an arm has a
                // value, the node has that of a leaf. Comparisons with no number are false.
                if before < best - ROUNDING && value < best {
                    self[id].minimax
                } else if before <= best + ROUNDING && value >= best {
                    below
                } else {
                    let values = self.arms(id, role).iter().map(|arm| arm.minimax);
                    // The maximum of a value and no number is the value.
                    of_role(values.fold(f32::NAN, f32::max), role)
                }
            }
            (None, _) => below,
        };
        self[id].minimax = value;
        value
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::Tree;
    use ggp_game::Move;

    #[test]
    fn a_node_has_the_value_of_its_best_arm_and_forgets_a_refuted_one() {
        let mut tree = Tree::new(2, 1 << 20, true);
        let near = |value: f32, expected: f32| (value - expected).abs() < 1e-6;
        let root = tree.add(0u32, 0);
        tree.set_root(root);
        tree.open(root, &[vec![Move(0), Move(1)], vec![Move(9)]]);
        tree[root].minimax = 0.9;
        assert!(near(tree.back_up_minimax(root, &[0, 2], 0.4), 0.4), "that of a leaf is forgotten");
        assert!(near(tree.back_up_minimax(root, &[1, 2], 0.7), 0.7));
        assert!(near(tree.back_up_minimax(root, &[0, 2], 0.6), 0.7), "another arm is better");
        assert!(near(tree.back_up_minimax(root, &[1, 2], 0.1), 0.6), "the best arm is refuted");
        // The other role prefers what is bad for the first.
        let reply = tree.add(1, 0);
        tree.open(reply, &[vec![Move(9)], vec![Move(0), Move(1)]]);
        assert!(near(tree.back_up_minimax(reply, &[0, 1], 0.8), 0.8));
        assert!(near(tree.back_up_minimax(reply, &[0, 2], 0.3), 0.3));
        assert!(near(tree.back_up_minimax(reply, &[0, 1], 0.6), 0.3), "another arm is better");
        // A thousand falls of its best arm, whose values are rounded.
        for step in 0..1000 {
            let share = 0.6 + 0.0003 * step as f32;
            tree.back_up_minimax(reply, &[0, 1], share);
            assert!((tree.back_up_minimax(reply, &[0, 2], share - 0.0001) - share).abs() < 2e-4, "{share}");
        }
    }
}
