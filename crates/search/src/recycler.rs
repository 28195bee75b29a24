//! The progress of recycling the nodes of a tree; see [`crate::recycle`].

use crate::id::NodeId;

/// The progress of recycling.
#[derive(Debug, Default)]
pub(crate) struct Recycler {
    pub(crate) epoch: u32,
    pub(crate) live_from: u32,
    pub(crate) work: Work,
    /// Whether the root has changed since sweeping began.
    pub(crate) is_outdated: bool,
    /// The threshold of the current thinning: nodes with fewer visits are freed. `None` if the tree is not
    /// being thinned.
    pub(crate) thins: Option<u32>,
    /// The threshold of the last thinning.
    pub(crate) least_visits: u32,
}

/// What is under way.
#[derive(Debug, Default)]
pub(crate) enum Work {
    #[default]
    Idle,
    /// Marked nodes whose children may be unmarked.
    Marking(Vec<NodeId>),
    /// The next position to examine.
    Sweeping(u32),
}

impl Recycler {
    /// The mark of new nodes.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The smallest mark of a node that may be linked to.
    pub(crate) fn live_from(&self) -> u32 {
        self.live_from
    }

    /// Restarts from a new root, which the caller marks with the returned epoch. A sweep under way finishes
    /// first: otherwise a match whose moves come faster than sweeps finish would never free any node.
    pub(crate) fn begin(&mut self, root: NodeId) -> u32 {
        if let Work::Sweeping(_) = self.work {
            self.is_outdated = true;
        } else {
            self.epoch += 1;
            self.work = Work::Marking(vec![root]);
        }
        self.epoch
    }

    /// Called when `node`, with mark `mark`, is linked to. Returns the mark that the node must get, if that
    /// differs.
    pub(crate) fn revive(&mut self, node: NodeId, mark: u32) -> Option<u32> {
        match &mut self.work {
            Work::Marking(stack) if mark < self.epoch => {
                stack.push(node);
                Some(self.epoch)
            }
            _ => None,
        }
    }

    /// Whether no recycling is under way.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.work, Work::Idle)
    }
}
