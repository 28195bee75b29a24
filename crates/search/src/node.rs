//! A state in the tree.

use crate::arm::Arm;
use crate::regret::Regret;
use ggp_game::Role;
use rustc_hash::FxHashMap;

/// A node of a tree, by its place in the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// No node.
    pub(crate) const NONE: NodeId = NodeId(u32::MAX);

    /// Whether it is a node at all.
    pub(crate) fn is_some(self) -> bool {
        self != NodeId::NONE
    }
}

/// How much is known of a node's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Not terminal; its legal moves have not been asked for.
    Leaf,
    /// Its legal moves are its arms.
    Open,
    /// The game is over here (terminal, or some role has no move); its bounds are its goals.
    Ended,
}

/// Who decides what follows a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chooser {
    /// Nobody: every role has one legal move.
    Nobody,
    /// One role has more than one legal move.
    One(Role),
    /// Several roles choose at once.
    Several,
}

/// A node. Its per-role figures are [`RoleStats`], kept beside it by the tree.
#[derive(Debug)]
pub(crate) struct Node<S> {
    /// The state.
    pub(crate) state: S,
    /// The legal moves of every role, one role after the other, each role's in random order.
    pub(crate) arms: Box<[Arm]>,
    /// Where joint moves lead when several roles choose: [`joint_key`] to node.
    pub(crate) joints: Option<Box<FxHashMap<u64, NodeId>>>,
    /// What the roles think of their arms when several choose and have drawn by regret; else empty.
    pub(crate) regrets: Box<[Regret]>,
    /// Descents backed up through it.
    pub(crate) visits: u32,
    /// Descents through it that have not been backed up yet.
    pub(crate) pending: u32,
    /// The recycling epoch in which it was last known to be reachable.
    pub(crate) mark: u32,
    /// Once the goals are proved: in how many steps the game ends.
    pub(crate) distance: u16,
    pub(crate) phase: Phase,
    pub(crate) chooser: Chooser,
}

/// What a node knows of one role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoleStats {
    /// The sum of the shares backed up.
    pub(crate) total: f64,
    /// One past the role's last arm in its node.
    pub(crate) end: u32,
    /// The goals that the role can still come to from here, proved.
    pub(crate) bounds: Bounds,
}

impl Default for RoleStats {
    fn default() -> RoleStats {
        RoleStats { total: 0.0, end: 0, bounds: Bounds::UNKNOWN }
    }
}

/// What a role's goal will be at least and at most when all play on with reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: u8,
    pub(crate) high: u8,
}

impl Bounds {
    /// Anything.
    pub(crate) const UNKNOWN: Bounds = Bounds { low: 0, high: 100 };

    /// Exactly `goal`.
    pub(crate) fn exact(goal: u8) -> Bounds {
        Bounds { low: goal, high: goal }
    }

    /// The least goal as a share.
    pub(crate) fn low_share(self) -> f64 {
        f64::from(self.low) / 100.0
    }

    /// The goal, when only one is left.
    pub(crate) fn proven(self) -> Option<u8> {
        (self.low == self.high).then_some(self.low)
    }
}

impl<S> Node<S> {
    /// A node of `state` that nothing is known of.
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
            phase: Phase::Leaf,
            chooser: Chooser::Nobody,
        }
    }

    /// The child reached by the chosen arms (absolute positions in [`Node::arms`], role by role).
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

    /// Notes the child reached by the chosen arms. Returns the bytes that this took.
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

    /// Bytes held beside the node itself and the state's own heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let joints = self.joints.as_ref().map_or(0, |joints| joints.len() * JOINT_BYTES);
        size_of_val(&*self.arms) + size_of_val(&*self.regrets) + joints
    }
}

/// An entry of a hash map, with the room that the map keeps free.
pub(crate) const JOINT_BYTES: usize = 32;

/// One number for the arms chosen out of `arms`: exact as long as it fits in 64 bits, mixed (with
/// a chance of collision near 2⁻⁶⁴) beyond.
pub(crate) fn joint_key(chosen: &[u32], arms: usize) -> u64 {
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
