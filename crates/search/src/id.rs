//! The identifier of a node.

/// The position of a node in the tree's arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    /// No node.
    pub(crate) const NONE: NodeId = NodeId(u32::MAX);

    /// Whether the identifier refers to a node.
    pub(crate) fn is_some(self) -> bool {
        self != NodeId::NONE
    }
}
