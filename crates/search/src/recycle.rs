//! Giving back the nodes that a new root no longer reaches, a few at a time, so that no move has
//! to wait for a sweep of the whole tree (incremental mark and sweep, Dijkstra et al. 1978).
//!
//! Invariant: a node whose mark is at least [`Recycler::live_from`] has all its children in their
//! places. While marking goes on, a node that is linked to is marked too; once sweeping has begun
//! an unmarked node is dead and may not be linked to.

use crate::node::NodeId;
use crate::tree::Tree;
use std::hash::Hash;

/// Where recycling is.
#[derive(Debug, Default)]
pub(crate) struct Recycler {
    epoch: u32,
    live_from: u32,
    work: Work,
}

#[derive(Debug, Default)]
enum Work {
    #[default]
    Idle,
    /// Nodes that are marked and whose children may not be.
    Marking(Vec<NodeId>),
    /// The next node to look at.
    Sweeping(u32),
}

impl Recycler {
    /// What new nodes are marked with.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The least mark of a node that may be linked to.
    pub(crate) fn live_from(&self) -> u32 {
        self.live_from
    }

    /// Starts over from a new root, which the caller marks with the epoch returned.
    pub(crate) fn begin(&mut self, root: NodeId) -> u32 {
        self.epoch += 1;
        self.work = Work::Marking(vec![root]);
        self.epoch
    }

    /// A node of that mark is being linked to: the mark that it must get, if it lacks it.
    pub(crate) fn revive(&mut self, node: NodeId, mark: u32) -> Option<u32> {
        match &mut self.work {
            Work::Marking(stack) if mark < self.epoch => {
                stack.push(node);
                Some(self.epoch)
            }
            _ => None,
        }
    }

    /// Whether there is nothing left to give back.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.work, Work::Idle)
    }
}

impl<S: Eq + Hash> Tree<S> {
    /// Does up to `budget` nodes' worth of recycling; `heap` says what a state holds outside
    /// itself.
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
                    let epoch = self.recycler.epoch;
                    let children: Vec<NodeId> = self[id].children().collect();
                    for child in children {
                        if self[child].mark < epoch {
                            self[child].mark = epoch;
                            stack.push(child);
                        }
                    }
                }
                Work::Sweeping(next) => {
                    let id = NodeId(*next);
                    if *next >= self.high_water() {
                        work = Work::Idle;
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
    use crate::node::NodeId;
    use crate::tree::Tree;
    use ggp_game::Move;

    const BOUND: usize = 1 << 20;

    /// A complete binary tree of `depth` levels under a new node.
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

    fn count(tree: &Tree<u32>, from: NodeId) -> usize {
        1 + tree[from].children().map(|child| count(tree, child)).sum::<usize>()
    }

    #[test]
    fn what_the_new_root_does_not_reach_is_given_back_and_used_again() {
        let mut tree = Tree::new(1, BOUND, false);
        let root = grow(&mut tree, 1, 8);
        tree.set_root(root);
        tree.recycle(100_000, |_| 0);
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
    fn a_node_found_again_while_marking_lives_with_all_below_it() {
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
            // Finding it revives it, so each round starts from the root again.
            tree.set_root(left);
            tree.recycle(9, |_| 0);
            steps += 1;
        }
        assert_eq!(tree.find(&3), None);
        // Starting over in the middle of a sweep must not bring it back.
        tree.set_root(left);
        assert_eq!(tree.find(&3), None);
        assert!(tree.find(&4).is_some());
        tree.recycle(1000, |_| 0);
        assert_eq!(tree.len(), 7);
    }
}
