//! Step 4, backpropagate: what a playout says to every node and arm on the way to its leaf.

use crate::node::{Chooser, NodeId};
use crate::path::Path;
use crate::tree::Tree;
use std::hash::Hash;

impl<S: Eq + Hash> Tree<S> {
    /// Counts a visit to all of `path` for the mean `shares` of the descent's playouts, role by role,
    /// and takes the descent off what is pending.
    ///
    /// A descent counts once, however many playouts it was given: how much is known of an arm depends
    /// on how far the tree below it has grown, more than on how often its leaves were played out.
    ///
    /// With `regrets` roles that chose at once by regret learn what they regret now.
    ///
    /// Where nodes are shared, an arm's statistics are those of the node that it leads to, which
    /// has seen the playouts of all its parents (Childs, Brodeur & Kocsis 2008, UCT2). A node made anew, after
    /// it had been given up for room, has seen less than its arm.
    pub(crate) fn back_up(&mut self, path: &Path, shares: &[f64], shared: bool, regrets: bool) {
        for depth in (0..path.nodes().len()).rev() {
            let id = path.nodes()[depth];
            for (stats, share) in self.stats_mut(id).iter_mut().zip(shares) {
                stats.total += share;
            }
            let below = path.nodes().get(depth + 1).copied().unwrap_or(NodeId::NONE);
            let node = &mut self[id];
            node.visits = node.visits.saturating_add(1);
            node.pending = node.pending.saturating_sub(1);
            let chooser = node.chooser;
            if regrets && !node.regrets.is_empty() && !path.chosen(depth).is_empty() {
                self.regret(path, depth, shares);
            }
            for (role, &arm) in path.chosen(depth).iter().enumerate() {
                let decides = match chooser {
                    Chooser::Nobody => false,
                    Chooser::One(one) => one.index() == role,
                    Chooser::Several => true,
                };
                if !decides {
                    continue;
                }
                let arm = &mut self[id].arms[arm as usize];
                arm.pending = arm.pending.saturating_sub(1);
                arm.visits = arm.visits.saturating_add(1);
                arm.sum += shares[role];
                let pulls = arm.visits;
                if shared && below.is_some() && chooser != Chooser::Several && self[below].visits >= pulls {
                    let mean = self.mean(below, role);
                    self[id].arms[path.chosen(depth)[role] as usize].sum = mean * f64::from(pulls);
                }
            }
        }
    }

    /// Takes a descent that came to nothing off what is pending.
    pub(crate) fn retreat(&mut self, path: &Path) {
        for (depth, &id) in path.nodes().iter().enumerate() {
            let node = &mut self[id];
            node.pending = node.pending.saturating_sub(1);
            for &arm in path.chosen(depth) {
                let arm = &mut node.arms[arm as usize];
                arm.pending = arm.pending.saturating_sub(1);
            }
        }
    }

    /// A role's mean share in a node; 0 where it has not been visited.
    pub(crate) fn mean(&self, id: NodeId, role: usize) -> f64 {
        let visits = self[id].visits.max(1);
        self.stats(id)[role].total / f64::from(visits)
    }
}

#[cfg(test)]
mod tests {
    use crate::path::Path;
    use crate::tree::Tree;
    use ggp_game::Move;

    #[test]
    fn an_arm_remembers_what_a_node_made_anew_does_not() {
        let mut tree = Tree::new(1, 1 << 20, true);
        let root = tree.add(1u32, 0);
        tree.set_root(root);
        tree.open(root, &[vec![Move(0), Move(1)]]);
        let visit = |tree: &mut Tree<u32>, share| {
            let child = tree.find(&2).unwrap_or_else(|| tree.add(2, 0));
            tree.link(root, &[0], child);
            let mut path = Path::default();
            path.clear(1);
            path.enter(root);
            path.choose([0]);
            path.enter(child);
            tree.back_up(&path, &[share], true, false);
            tree[root].arms[0].mean().unwrap()
        };
        for _ in 0..3 {
            visit(&mut tree, 1.0);
        }
        // Another parent's descent is seen through the shared node.
        let child = tree.find(&2).unwrap();
        tree[child].visits += 4;
        assert!((visit(&mut tree, 1.0) - 0.5).abs() < 1e-9, "four of eight");
        tree.recycle(1000, |_| 0);
        tree[child].visits = 0;
        tree.thin();
        tree.recycle(1000, |_| 0);
        assert_eq!(tree.find(&2), None);
        assert!((visit(&mut tree, 0.0) - 0.4).abs() < 1e-9, "two of four, and one that was none");
    }
}
