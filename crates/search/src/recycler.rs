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
    /// The threshold of the next thinning. Each thinning adapts it at its end.
    pub(crate) least_visits: u32,
}

/// The stage that recycling has reached.
#[derive(Debug, Default)]
pub(crate) enum Work {
    #[default]
    Idle,
    /// Marking. Holds the marked nodes whose children are still to be marked.
    Marking(Vec<NodeId>),
    /// Sweeping. Holds the id of the next node to examine.
    Sweeping(u32),
}

impl Recycler {
    /// The current epoch. New nodes get it as their mark.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The smallest mark of live nodes. Links may be added to live nodes only.
    pub(crate) fn live_from(&self) -> u32 {
        self.live_from
    }

    /// Starts recycling from a new root. The caller marks the root with the returned epoch. A sweep in
    /// progress is finished first. Otherwise no node would ever be freed in a match whose moves come faster
    /// than sweeps finish.
    pub(crate) fn begin(&mut self, root: NodeId) -> u32 {
        if let Work::Sweeping(_) = self.work {
            self.is_outdated = true;
        } else {
            self.epoch += 1;
            self.work = Work::Marking(vec![root]);
        }
        self.epoch
    }

    /// The tree calls this before it adds a link to `node`, whose mark is `mark`. Returns the new mark of
    /// `node`, or `None` if its mark stays. During marking, a node that is not marked yet is marked.
    pub(crate) fn revive(&mut self, node: NodeId, mark: u32) -> Option<u32> {
        match &mut self.work {
            Work::Marking(stack) if mark < self.epoch => {
                stack.push(node);
                Some(self.epoch)
            }
            _ => None,
        }
    }

    /// Whether no marking or sweeping is in progress.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.work, Work::Idle)
    }
}
