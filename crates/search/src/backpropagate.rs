//! Step 4, backpropagation: adds the result of a descent to every node and arm on its path.

use crate::batch::Batch;
use crate::descent::DescentState;
use crate::id::NodeId;
use crate::node::Chooser;
use crate::path::Path;
use crate::search::Search;
use crate::technique::Technique;
use crate::tree::Tree;
use ggp_game::{Playouts, Role};
use std::hash::Hash;

impl<S: Eq + Hash> Tree<S> {
    /// Adds one visit to every node and arm on `path`, where the descent is no longer pending. `shares`
    /// holds, for each role, the mean share (goal divided by 100) over the descent's playouts.
    ///
    /// A descent counts as one visit, however many playouts it has: the confidence in an arm depends more on the
    /// growth of the tree below it than on the number of playouts from its leaves.
    ///
    /// A path may be cut at some of its nodes (see [`Path`]). The path holds proven goals for each cut. A
    /// cut node, and the nodes above it up to the next cut, get these goals instead of `shares`. The arm
    /// that the descent pulled in the cut node gets what it would get without this cut.
    ///
    /// If `regrets` is true, the regrets are updated in each node where roles chose simultaneously by
    /// regret matching.
    ///
    /// `shared` tells whether equal states share a node. If so, an arm takes the mean of its child. That
    /// mean includes the descents that reach the child through other parents (UCT2; Childs, Brodeur &
    /// Kocsis 2008). An arm with more visits than its child keeps its own mean, because the child was
    /// recycled and created again.
    pub(crate) fn back_up(&mut self, path: &Path, shares: &[f64], shared: bool, regrets: bool) {
        let mut goals: Option<&[u8]> = None;
        let share_of = |goals: Option<&[u8]>, role: usize| match goals {
            Some(goals) => f64::from(goals[role]) / 100.0,
            None => shares[role],
        };
        for depth in (0..path.nodes().len()).rev() {
            let id = path.nodes()[depth];
            let below_goals = goals;
            goals = path.goals_of_cut(depth).or(goals);
            for (role, stats) in self.stats_mut(id).iter_mut().enumerate() {
                stats.total += share_of(goals, role);
            }
            let below = path.nodes().get(depth + 1).copied().unwrap_or(NodeId::NONE);
            let node = &mut self[id];
            node.visits = node.visits.saturating_add(1);
            node.pending = node.pending.saturating_sub(1);
            let chooser = node.chooser;
            if regrets && !node.regrets.is_empty() && !path.chosen(depth).is_empty() {
                let got: Vec<f64> = (0..shares.len()).map(|role| share_of(below_goals, role)).collect();
                self.update_regrets(path, depth, &got);
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
                arm.sum += share_of(below_goals, role);
                let pulls = arm.visits;
                if shared && below.is_some() && chooser != Chooser::Several && self[below].visits >= pulls {
                    let mean = self.mean(below, role);
                    self[id].arms[path.chosen(depth)[role] as usize].sum = mean * f64::from(pulls);
                }
            }
        }
    }

    /// Updates the regrets of all roles in the node at `depth` of `path`. `shares` holds the share that each
    /// role got after the chosen arms. Adds to the regret of each arm of a role what the role would have
    /// gained by pulling this arm while the other roles pulled the same arms as before: the value of the
    /// resulting child, minus the role's share.
    fn update_regrets(&mut self, path: &Path, depth: usize, shares: &[f64]) {
        let id = path.nodes()[depth];
        let mut chosen = path.chosen(depth).to_vec();
        for (role, &got) in shares.iter().enumerate() {
            let range = self.arm_range(id, Role(role as u8));
            if range.len() < 2 {
                continue;
            }
            let pulled = chosen[role];
            for arm in range {
                chosen[role] = arm as u32;
                let value = if arm as u32 == pulled { Some(got) } else { self.value(id, &chosen, role) };
                let value = value.or_else(|| self[id].arms[arm].mean()).unwrap_or(got);
                if let Some(regret) = self[id].regrets.get_mut(arm) {
                    regret.add(value - got);
                }
            }
            chosen[role] = pulled;
        }
    }

    /// The value for `role`, in shares, of the child that the arms `chosen` lead to from the node `id`.
    /// `None` if this child does not exist, or has neither visits nor a proven goal for `role`.
    fn value(&self, id: NodeId, chosen: &[u32], role: usize) -> Option<f64> {
        let child = Some(self[id].child(chosen)).filter(|child| child.is_some())?;
        let is_known = self[child].visits > 0 || self.stats(child)[role].bounds.proven().is_some();
        is_known.then(|| self.share(child, role))
    }

    /// Withdraws a descent that has no result: it is no longer pending.
    pub(crate) fn withdraw(&mut self, path: &Path) {
        for (depth, &id) in path.nodes().iter().enumerate() {
            let node = &mut self[id];
            node.pending = node.pending.saturating_sub(1);
            for &arm in path.chosen(depth) {
                let arm = &mut node.arms[arm as usize];
                arm.pending = arm.pending.saturating_sub(1);
            }
        }
    }
}

impl<M: Playouts> Search<M> {
    /// Step 4, backpropagation, for all descents of the current batch. `per_leaf` is the number of playouts
    /// from the leaf of each descent.
    pub(crate) fn back_up(&mut self, per_leaf: usize) {
        self.update_horizon();
        let logs = self.worker.simulation.logs;
        let batch = std::mem::take(&mut self.worker.batch);
        self.back_up_batch(&batch, per_leaf, logs);
        if logs {
            self.update_statistics(&batch.descents, per_leaf);
        }
        self.worker.batch = batch;
    }

    /// Adds the results of the batch's descents to the tree and to the best variation. If `logs` is true,
    /// also adds them to the history of moves.
    fn back_up_batch(&mut self, batch: &Batch<M::State>, per_leaf: usize, logs: bool) {
        if self.options.has(Technique::Line) && self.tree.roles() == 1 {
            self.update_best_variation(&batch.descents);
        }
        let mut played = batch.shares.chunks_exact(self.tree.roles());
        let shared = self.options.has(Technique::Transpositions);
        let regrets = self.uses_regrets();
        let prefers = self.has_history() && self.options.has(Technique::Mast);
        for (number, descent) in batch.descents.iter().enumerate() {
            if let DescentState::Playing = descent.progress {
                let shares = played.next().unwrap_or(&[]);
                self.tree.back_up(&descent.path, shares, shared, regrets);
                if logs {
                    self.history.add_path(&self.tree, &descent.path, shares, per_leaf);
                }
                if prefers {
                    self.descended.add_path(&self.tree, &descent.path, shares, per_leaf);
                }
            } else {
                let stats = self.tree.stats(descent.path.leaf()).iter();
                let known: Vec<f64> = stats.map(|stats| stats.bounds.low_share()).collect();
                self.tree.back_up(&descent.path, &known, shared, regrets);
            }
            if self.options.has(Technique::Solver) {
                self.tree.prove(&descent.path, self.chance);
            }
            self.note_visits(&descent.path);
            self.back_up_minimax(&descent.path, number);
        }
    }

    /// Updates [`Search::horizon`], the largest number of steps from the root to the end of a playout. The
    /// number for this batch is the depth of its deepest descent plus the length of its longest playout.
    fn update_horizon(&mut self) {
        let depths = self.worker.batch.descents.iter().map(|descent| descent.path.nodes().len());
        let (deepest, longest) = (depths.max().unwrap_or(1), self.worker.simulation.longest);
        let seen = deepest - 1 + longest as usize;
        self.horizon = if self.horizon == usize::MAX { seen } else { self.horizon.max(seen) };
    }

    /// Withdraws the descents of the current batch.
    pub(crate) fn withdraw_descents(&mut self) {
        for descent in &self.worker.batch.descents {
            self.tree.withdraw(&descent.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::path::Path;
    use crate::tree::Tree;
    use ggp_game::Move;

    #[test]
    fn an_arm_keeps_its_visits_when_its_child_is_recreated() {
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
        // Another parent's descent is visible through the shared node.
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

    #[test]
    fn nodes_above_a_cut_see_its_proven_goals() {
        let mut tree = Tree::new(2, 1 << 20, true);
        let nodes: Vec<_> = (0..3u32).map(|state| tree.add(state, 0)).collect();
        tree.set_root(nodes[0]);
        let mut path = Path::default();
        path.clear(2);
        let (noop, two) = (vec![Move(9)], vec![Move(0), Move(1)]);
        tree.open(nodes[0], &[two.clone(), noop.clone()]);
        path.enter(nodes[0]);
        path.choose([0, 2]);
        tree.open(nodes[1], &[noop, two]);
        path.enter(nodes[1]);
        path.choose([0, 1]);
        path.cut([70, 30]);
        path.enter(nodes[2]);
        tree.back_up(&path, &[1.0, 0.0], true, false);
        let means = nodes.iter().map(|&id| [tree.mean(id, 0), tree.mean(id, 1)]);
        assert_eq!(means.collect::<Vec<_>>(), [[0.7, 0.3], [0.7, 0.3], [1.0, 0.0]]);
        assert_eq!(tree[nodes[0]].arms[0].mean(), Some(0.7));
        assert_eq!(tree[nodes[1]].arms[1].mean(), Some(0.0), "the arm pulled sees what came of it");
    }
}
