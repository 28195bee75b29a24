//! Incremental recycling of nodes by mark and sweep (Dijkstra et al. 1978), so that no move waits for a
//! sweep of the whole tree. Recycling frees the nodes that the root no longer reaches. When memory is
//! nearly exhausted, it also frees rarely visited nodes, so that a tree of bounded size can still grow
//! below frequently visited nodes (compare node recycling, Powley, Cowling & Whitehouse 2017).
//!
//! A node's mark is a number, the epoch in which it was last marked. Invariant: if the mark of a node is at
//! least [`crate::recycler::Recycler::live_from`], then all children of this node are allocated. If a link to
//! a node is added during marking, the node is marked. After sweeping has begun, an unmarked node is dead,
//! and no link to it may be added.

use crate::bounds::Bounds;
use crate::id::NodeId;
use crate::node::JOINT_BYTES;
use crate::recycler::Work;
use crate::tree::Tree;
use std::hash::Hash;

/// The first thinning of the tree frees nodes with fewer visits than this.
const FEW_VISITS: u32 = 4;

impl<S: Eq + Hash> Tree<S> {
    /// Begins to thin the tree, that is, to free rarely visited nodes. Does nothing while recycling is in
    /// progress.
    pub(crate) fn thin(&mut self) {
        if self.recycler.is_idle() {
            self.recycler.least_visits = self.recycler.least_visits.max(FEW_VISITS);
            self.recycler.thins = Some(self.recycler.least_visits);
            self.set_root(self.root());
        }
    }

    /// Decides whether a child of a marked node is kept, and marks a child that is kept. Only a thinning
    /// drops children: those with few visits, but never nodes with proven bounds or nodes on current
    /// descents.
    fn keep_child(&mut self, child: NodeId, stack: &mut Vec<NodeId>) -> bool {
        let epoch = self.recycler.epoch;
        if self[child].mark >= epoch {
            return true;
        }
        let is_unknown = || self.stats(child).iter().all(|stats| stats.bounds == Bounds::UNKNOWN);
        let is_idle = self[child].pending == 0;
        if self.recycler.thins.is_some_and(|least| self[child].visits < least) && is_idle && is_unknown() {
            return false;
        }
        self[child].mark = epoch;
        stack.push(child);
        true
    }

    /// Marks the children of a marked node that are kept, and removes the links to the others.
    fn mark_children(&mut self, id: NodeId, stack: &mut Vec<NodeId>) {
        let mut arms = std::mem::take(&mut self[id].arms);
        for arm in arms.iter_mut().filter(|arm| arm.child.is_some()) {
            if !self.keep_child(arm.child, stack) {
                arm.child = NodeId::NONE;
            }
        }
        self[id].arms = arms;
        if let Some(mut joints) = self[id].joints.take() {
            let before = joints.len();
            joints.retain(|_, child| self.keep_child(*child, stack));
            self.shrink((before - joints.len()) * JOINT_BYTES);
            self[id].joints = Some(joints);
        }
    }

    /// Finishes a sweep. Restarts recycling from the new root if the root has changed during the sweep.
    fn end_sweep(&mut self) {
        self.recycler.work = Work::Idle;
        if self.recycler.thins.take().is_some() {
            // Adapts the threshold so that a thinning leaves between a quarter and half of the memory bound
            // in use.
            let least = self.recycler.least_visits;
            self.recycler.least_visits = match self.bytes() * 4 / self.bound() {
                0 => least / 2,
                1 => least,
                _ => least.saturating_mul(2),
            };
        }
        if std::mem::take(&mut self.recycler.is_outdated) {
            self.set_root(self.root());
        }
    }

    /// Marks or sweeps up to `budget` nodes. `heap` returns the number of heap bytes of a state.
    pub(crate) fn recycle(&mut self, budget: usize, heap: impl Fn(&S) -> usize) {
        let mut work = std::mem::take(&mut self.recycler.work);
        for _ in 0..budget {
            match &mut work {
                Work::Idle => break,
                Work::Marking(stack) => {
                    let Some(id) = stack.pop() else {
                        self.recycler.live_from = self.recycler.epoch;
                        work = Work::Sweeping(0);
                        continue;
                    };
                    self.mark_children(id, stack);
                }
                Work::Sweeping(next) => {
                    let id = NodeId(*next);
                    if *next >= self.high_water() {
                        self.end_sweep();
                        work = std::mem::take(&mut self.recycler.work);
                        continue;
                    }
                    *next += 1;
                    if self.get(id).is_some_and(|node| node.mark < self.recycler.epoch) {
                        self.remove(id, &heap);
                    }
                }
            }
        }
        self.recycler.work = work;
    }
}

#[cfg(test)]
mod tests {
    use super::FEW_VISITS;
    use crate::bounds::Bounds;
    use crate::id::NodeId;
    use crate::tree::Tree;
    use ggp_game::Move;

    const BOUND: usize = 1 << 20;

    /// Adds a complete binary tree of `depth` levels below a new node.
    fn grow(tree: &mut Tree<u32>, state: u32, depth: u32) -> NodeId {
        let id = tree.add(state, 0);
        if depth > 0 {
            tree.open(id, &[vec![Move(0), Move(1)]]);
            for arm in 0..2 {
                let child = grow(tree, state * 2 + arm, depth - 1);
                tree.link(id, &[arm], child);
            }
        }
        id
    }

    /// A tree of eight levels below its root, with no node to recycle.
    fn grown(transpositions: bool) -> (Tree<u32>, NodeId) {
        let mut tree = Tree::new(1, BOUND, transpositions);
        let root = grow(&mut tree, 1, 8);
        tree.set_root(root);
        tree.recycle(100_000, |_| 0);
        (tree, root)
    }

    fn count(tree: &Tree<u32>, from: NodeId) -> usize {
        let children = tree[from].arms.iter().map(|arm| arm.child).filter(|child| child.is_some());
        1 + children.map(|child| count(tree, child)).sum::<usize>()
    }

    #[test]
    fn nodes_that_the_new_root_does_not_reach_are_reused() {
        let (mut tree, root) = grown(false);
        assert!(tree.recycler.is_idle());
        assert_eq!(tree.len(), 511);
        let before = tree.bytes();

        let next = tree[root].child(&[1]);
        tree.set_root(next);
        for _ in 0..2000 {
            tree.recycle(1, |_| 0);
        }
        assert_eq!(tree.len(), 255);
        assert_eq!(count(&tree, next), 255);
        assert!(tree.bytes() * 2 < before + 1000, "{} of {before}", tree.bytes());

        let high = tree.high_water();
        grow(&mut tree, 9, 6);
        assert_eq!(tree.high_water(), high, "freed places come first");
    }

    #[test]
    fn thinning_keeps_visited_and_proven_nodes() {
        let (mut tree, root) = grown(true);
        // One path has many visits, and one node with few visits is proved.
        let mut way = root;
        for _ in 0..8 {
            tree[way].visits = FEW_VISITS;
            way = tree[way].child(&[1]);
        }
        let proved = tree[root].child(&[0]);
        tree.stats_mut(proved)[0].bounds = Bounds { low: 0, high: 50 };
        let before = tree.bytes();

        tree.thin();
        tree.recycle(100_000, |_| 0);
        assert!(tree.recycler.is_idle());
        assert_eq!(count(&tree, root), 9, "the root, seven nodes below it, and what is proved");
        assert_eq!(tree.len(), 9);
        assert_eq!(tree[root].child(&[0]), proved);
        assert_eq!(tree.find(&3), Some(tree[root].child(&[1])));
        assert_eq!(tree.find(&4), None, "below what is proved");
        assert!(tree.bytes() < before);
    }

    #[test]
    fn thinning_keeps_the_nodes_of_descents_in_flight() {
        let (mut tree, root) = grown(true);
        let under_way = tree[root].child(&[0]);
        let below = tree[under_way].child(&[1]);
        for id in [root, under_way, below] {
            tree[id].pending = 1;
        }
        tree.thin();
        tree.recycle(100_000, |_| 0);
        assert_eq!(tree.len(), 3);
        assert_eq!(tree[tree[root].child(&[0])].child(&[1]), below);
    }

    #[test]
    fn sweeps_end_although_moves_come_faster() {
        let (mut tree, root) = grown(false);
        let next = tree[root].child(&[1]);
        for _ in 0..4 {
            // The budget suffices to mark the remaining 255 nodes and for a part of the sweep.
            tree.set_root(next);
            tree.recycle(300, |_| 0);
        }
        assert_eq!(tree.len(), 255);
    }

    #[test]
    fn a_node_found_while_marking_lives_with_its_subtree() {
        let mut tree = Tree::new(1, BOUND, true);
        let root = grow(&mut tree, 1, 6);
        tree.set_root(root);
        let (left, right) = (tree[root].child(&[0]), tree[root].child(&[1]));
        tree.set_root(left);
        tree.recycle(3, |_| 0);
        let again = tree.find(&3).expect("still there");
        assert_eq!(again, right);
        tree.recycle(100_000, |_| 0);
        assert_eq!(count(&tree, right), 63);
    }

    #[test]
    fn a_dead_node_is_not_found_while_it_waits_to_be_swept() {
        let mut tree = Tree::new(1, BOUND, true);
        let root = grow(&mut tree, 1, 3);
        tree.set_root(root);
        let left = tree[root].child(&[0]);
        tree.set_root(left);
        let mut steps = 0;
        while tree.find(&3).is_some() && steps < 7 {
            // Finding the node revives it, so each round starts from the root again.
            tree.set_root(left);
            tree.recycle(9, |_| 0);
            steps += 1;
        }
        assert_eq!(tree.find(&3), None);
        // A restart in the middle of a sweep must not revive the node.
        tree.set_root(left);
        assert_eq!(tree.find(&3), None);
        assert!(tree.find(&4).is_some());
        tree.recycle(1000, |_| 0);
        assert_eq!(tree.len(), 7);
    }
}
