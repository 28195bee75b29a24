//! The path of one descent through the tree.

use crate::id::NodeId;

/// The nodes of a descent, and the arm that every role chose in each node except the last.
///
/// A path is cut at a node in which a role explores an arm whose upper confidence bound is below the goal of
/// another, proven arm of the role. When the descent is backed up, this node and the nodes above it, up to
/// the next cut, get the goals of the proven arm instead of the results of the playouts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    nodes: Vec<NodeId>,
    chosen: Vec<u32>,
    /// The depth of each node at which the path is cut, in increasing order. The depth of the root is 0.
    cuts: Vec<u32>,
    /// The proven goals of each cut, cut by cut and role by role.
    goals: Vec<u8>,
    roles: usize,
}

impl Path {
    /// Empties the path, for a game of `roles` roles.
    pub(crate) fn clear(&mut self, roles: usize) {
        self.nodes.clear();
        self.chosen.clear();
        self.cuts.clear();
        self.goals.clear();
        self.roles = roles;
    }

    /// Appends `node`.
    pub(crate) fn enter(&mut self, node: NodeId) {
        self.nodes.push(node);
    }

    /// Appends arms chosen in the last node, in role order. Each arm is an index into the node's arms.
    pub(crate) fn choose(&mut self, arms: impl IntoIterator<Item = u32>) {
        self.chosen.extend(arms);
    }

    /// Cuts the path at the last node, with `goals` for each role.
    pub(crate) fn cut(&mut self, goals: impl IntoIterator<Item = u8>) {
        self.cuts.push(self.nodes.len() as u32 - 1);
        self.goals.extend(goals);
    }

    /// The goals of the cut at `depth`; `None` if the path is not cut there. When the descent is backed up,
    /// the node at `depth` gets these goals, and so do the nodes above it up to the next cut.
    pub(crate) fn goals_of_cut(&self, depth: usize) -> Option<&[u8]> {
        let at = self.cuts.binary_search(&(depth as u32)).ok()?;
        self.goals.get(at * self.roles..(at + 1) * self.roles)
    }

    /// The nodes, from the root.
    pub(crate) fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The last node; [`NodeId::NONE`] if the path is empty.
    pub(crate) fn leaf(&self) -> NodeId {
        self.nodes.last().copied().unwrap_or(NodeId::NONE)
    }

    /// The arms chosen in the last node; empty if none has been chosen.
    pub(crate) fn last_chosen(&self) -> &[u32] {
        self.chosen(self.nodes.len().saturating_sub(1))
    }

    /// The arms chosen in the node at `depth`; empty if none has been chosen.
    pub(crate) fn chosen(&self, depth: usize) -> &[u32] {
        self.chosen.get(depth * self.roles..(depth + 1) * self.roles).unwrap_or(&[])
    }
}
