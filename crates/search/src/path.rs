//! The way of one descent through the tree.

use crate::node::NodeId;

/// The nodes of a descent, and at each but the last the arm that every role chose.
///
/// Where an arm was chosen only to learn about it, though a better one is proved, the way is cut: the nodes down to
/// there see the goals of the better one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    nodes: Vec<NodeId>,
    chosen: Vec<u32>,
    /// The depths of the nodes at which the way is cut, from the root, and the goals that those see.
    cuts: Vec<u32>,
    goals: Vec<u8>,
    roles: usize,
}

impl Path {
    /// Empties it, for `roles` roles.
    pub(crate) fn clear(&mut self, roles: usize) {
        self.nodes.clear();
        self.chosen.clear();
        self.cuts.clear();
        self.goals.clear();
        self.roles = roles;
    }

    /// Goes on to `node`.
    pub(crate) fn enter(&mut self, node: NodeId) {
        self.nodes.push(node);
    }

    /// Leaves the last node by `arms`, one a role, as positions in the node's arms.
    pub(crate) fn choose(&mut self, arms: impl IntoIterator<Item = u32>) {
        self.chosen.extend(arms);
    }

    /// Cuts the way at the last node, which sees `goals`, one a role.
    pub(crate) fn cut(&mut self, goals: impl IntoIterator<Item = u8>) {
        self.cuts.push(self.nodes.len() as u32 - 1);
        self.goals.extend(goals);
    }

    /// The goals that a node at `depth` and those above it see, down to the next cut above; none where it is not cut.
    pub(crate) fn seen_from(&self, depth: usize) -> Option<&[u8]> {
        let at = self.cuts.binary_search(&(depth as u32)).ok()?;
        self.goals.get(at * self.roles..(at + 1) * self.roles)
    }

    /// The nodes, from the root.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The last node.
    pub(crate) fn leaf(&self) -> NodeId {
        self.nodes.last().copied().unwrap_or(NodeId::NONE)
    }

    /// The arms chosen in the last node; empty where none have been.
    pub(crate) fn last_chosen(&self) -> &[u32] {
        self.chosen(self.nodes.len().saturating_sub(1))
    }

    /// The arms chosen in the node at `depth`; empty where none has been.
    pub(crate) fn chosen(&self, depth: usize) -> &[u32] {
        self.chosen.get(depth * self.roles..(depth + 1) * self.roles).unwrap_or(&[])
    }
}
