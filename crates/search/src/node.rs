//! A node: one state in the tree.

use crate::arm::Arm;
use crate::bounds::Bounds;
use crate::id::NodeId;
use crate::regret::Regret;
use ggp_game::{Ending, Role};
use rustc_hash::FxHashMap;

/// How much the tree knows about a node's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// The state is not terminal, and its legal moves are not known yet.
    Leaf,
    /// The legal moves are known and form the node's arms.
    Open,
    /// The state is terminal, or some role has no legal move. Both bounds of each role then equal its goal.
    Ended,
}

/// The roles that decide the next state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chooser {
    /// No role: every role has one legal move.
    Nobody,
    /// Only this role has more than one legal move.
    One(Role),
    /// Several roles have more than one legal move.
    Several,
}

/// A node. The tree stores the [`RoleStats`] of each role separately.
#[derive(Debug)]
pub(crate) struct Node<S> {
    /// The state.
    pub(crate) state: S,
    /// The legal moves of all roles, grouped by role, in random order within each role.
    pub(crate) arms: Box<[Arm]>,
    /// The children of a node in which several roles choose. The key is the [`joint_key`] of the chosen arms.
    pub(crate) joints: Option<Box<FxHashMap<u64, NodeId>>>,
    /// The regrets of the arms in a node where several roles choose by regret matching; otherwise empty.
    pub(crate) regrets: Box<[Regret]>,
    /// The number of descents through the node that have been backed up.
    pub(crate) visits: u32,
    /// The number of descents through the node that are not backed up yet.
    pub(crate) pending: u32,
    /// The recycling epoch in which the node was last marked as reachable. A new node gets the epoch in
    /// which it was created.
    pub(crate) mark: u32,
    /// The number of steps to the end of the game, once the goals are proved.
    pub(crate) distance: u16,
    /// The minimax value for the first role, in shares; not a number if there is none.
    pub(crate) minimax: f32,
    /// The end of the game after those arms that have proven bounds but no child.
    pub(crate) ending: Option<Ending>,
    pub(crate) phase: Phase,
    pub(crate) chooser: Chooser,
}

/// The statistics of one role in one node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoleStats {
    /// The sum of the role's shares (goals divided by 100) over all visits of the node.
    pub(crate) total: f64,
    /// The index after the role's last arm in [`Node::arms`].
    pub(crate) end: u32,
    /// The proven bounds of the role's goal.
    pub(crate) bounds: Bounds,
}

impl Default for RoleStats {
    fn default() -> RoleStats {
        RoleStats { total: 0.0, end: 0, bounds: Bounds::UNKNOWN }
    }
}

impl<S> Node<S> {
    /// Creates an unvisited leaf.
    pub(crate) fn new(state: S, mark: u32) -> Node<S> {
        Node {
            state,
            arms: Box::default(),
            joints: None,
            regrets: Box::default(),
            visits: 0,
            pending: 0,
            mark,
            distance: 0,
            minimax: f32::NAN,
            ending: None,
            phase: Phase::Leaf,
            chooser: Chooser::Nobody,
        }
    }

    /// The child that the chosen arms lead to. `chosen` holds an index into [`Node::arms`] for each role.
    /// [`NodeId::NONE`] if there is no such child.
    pub(crate) fn child(&self, chosen: &[u32]) -> NodeId {
        match self.chooser {
            Chooser::Nobody => self.arms[0].child,
            Chooser::One(role) => self.arms[chosen[role.index()] as usize].child,
            Chooser::Several => self
                .joints
                .as_ref()
                .and_then(|joints| joints.get(&joint_key(chosen, self.arms.len())))
                .copied()
                .unwrap_or(NodeId::NONE),
        }
    }

    /// Links the child that the chosen arms lead to. Returns the number of bytes allocated.
    pub(crate) fn set_child(&mut self, chosen: &[u32], child: NodeId) -> usize {
        match self.chooser {
            Chooser::Nobody => self.arms[0].child = child,
            Chooser::One(role) => self.arms[chosen[role.index()] as usize].child = child,
            Chooser::Several => {
                let key = joint_key(chosen, self.arms.len());
                self.joints.get_or_insert_default().insert(key, child);
                return JOINT_BYTES;
            }
        }
        0
    }

    /// The heap bytes of the node, without the heap bytes of its state.
    pub(crate) fn heap_bytes(&self) -> usize {
        let joints = self.joints.as_ref().map_or(0, |joints| joints.len() * JOINT_BYTES);
        size_of_val(&*self.arms) + size_of_val(&*self.regrets) + joints
    }
}

/// The bytes counted for each entry of [`Node::joints`], with an allowance for free slots of the map.
pub(crate) const JOINT_BYTES: usize = 32;

/// A key for the arms that the roles have chosen in a node with `arms` arms. The key is unique while it
/// fits into 64 bits. Otherwise it is a hash, and the keys of two different choices are equal with a
/// probability of about 2⁻⁶⁴.
fn joint_key(chosen: &[u32], arms: usize) -> u64 {
    let base = arms as u64;
    chosen.iter().fold(0u64, |key, &arm| {
        match key.checked_mul(base).and_then(|k| k.checked_add(u64::from(arm))) {
            Some(exact) => exact,
            None => ggp_game::rng::mix(key ^ u64::from(arm)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::joint_key;
    use std::collections::HashSet;

    #[test]
    fn different_joint_moves_have_different_keys() {
        let mut keys = HashSet::new();
        for a in 0..20 {
            for b in 20..40 {
                for c in 40..60 {
                    assert!(keys.insert(joint_key(&[a, b, c], 60)));
                }
            }
        }
        let many: Vec<u32> = (0..40).map(|r| r * 9).collect();
        let mut other = many.clone();
        other[7] += 1;
        assert_ne!(joint_key(&many, 360), joint_key(&other, 360));
    }
}
