//! One move of one role in one node, as an arm of a multi-armed bandit (Kocsis & Szepesvári 2006).

use crate::bounds::Bounds;
use crate::id::NodeId;
use ggp_game::Move;

/// A move with its statistics for the role that makes it.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// The move.
    pub(crate) mv: Move,
    /// The child node after the move, if this role is the only one with a choice in the node. If no role has
    /// a choice, the first arm of the node holds the only child. [`NodeId::NONE`] if several roles choose, or
    /// if the child does not exist.
    pub(crate) child: NodeId,
    /// The number of descents through the arm that have been backed up.
    pub(crate) visits: u32,
    /// The number of descents through the arm that are not backed up yet. They count as pulls in the exploration
    /// term and leave the mean as it is (WU-UCT; Liu et al. 2020).
    pub(crate) pending: u16,
    /// The proven bounds of the role's goal after the move.
    pub(crate) bounds: Bounds,
    /// The sum of the role's shares (goals divided by 100) over all visits.
    pub(crate) sum: f64,
    /// The advantage of the move, in shares: the mean of the move in [`History`](crate::history::History),
    /// minus the average of such means over all arms of the role in this node.
    pub(crate) advantage: f32,
    /// The factor of the exploration constant by the learnt policy; 1 without one.
    pub(crate) exploration: f32,
    /// The minimax value of the child for the role, in shares; not a number if there is none.
    pub(crate) minimax: f32,
    /// Whether the arm is deferred: selection skips it until all arms that are not deferred are proved not
    /// to win. An arm is deferred if another arm wins at once, if its own move lets another role win at
    /// once, if the node has an equivalent arm that is not deferred, or while a run keeps to other moves of the
    /// root.
    pub(crate) deferred: bool,
    /// Whether the node has an equivalent arm, which gives all roles the same goals. Proofs leave this arm out.
    pub(crate) is_redundant: bool,
}

impl Arm {
    pub(crate) fn new(mv: Move) -> Arm {
        Arm {
            mv,
            child: NodeId::NONE,
            visits: 0,
            pending: 0,
            bounds: Bounds::UNKNOWN,
            sum: 0.0,
            advantage: 0.0,
            exploration: 1.0,
            minimax: f32::NAN,
            deferred: false,
            is_redundant: false,
        }
    }

    /// The number of descents through the arm, backed up or not.
    pub(crate) fn pulls(&self) -> u32 {
        self.visits.saturating_add(u32::from(self.pending))
    }

    /// The mean share over all visits. `None` if the arm has no visits.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum / f64::from(self.visits))
    }
}
