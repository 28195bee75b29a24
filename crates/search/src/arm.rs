//! One move of one role in one node, as the arm of a bandit (Kocsis & Szepesvári 2006).

use crate::node::{Bounds, NodeId};
use ggp_game::Move;

/// A move with its statistics, for its own role.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// The move.
    pub(crate) mv: Move,
    /// Where it leads, when this role alone decides that and the node has been made; else
    /// [`NodeId::NONE`].
    pub(crate) child: NodeId,
    /// Descents backed up through it.
    pub(crate) visits: u32,
    /// Descents through it that have not been backed up yet.
    pub(crate) pending: u16,
    /// The goals of its role that it can still lead to, proved.
    pub(crate) bounds: Bounds,
    /// The sum of those descents' shares for its role.
    pub(crate) sum: f64,
    /// By how much it is thought to be better than the mean of its role's arms, in shares.
    pub(crate) advantage: f32,
    /// Whether another arm wins at once, or this one lets another role do so: it is pulled only once all
    /// that are not deferred are proved to be no win.
    pub(crate) deferred: bool,
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
            deferred: false,
        }
    }

    /// Pulls, backed up or not.
    pub(crate) fn pulls(&self) -> u32 {
        self.visits.saturating_add(u32::from(self.pending))
    }

    /// The mean share, if it has been visited.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.sum / f64::from(self.visits))
    }
}
