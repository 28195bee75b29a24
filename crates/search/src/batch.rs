//! One thread's batch of descents.

use crate::descent::Descent;
use crate::id::NodeId;
use ggp_game::{Goals, Move, RestrictedMoves};

/// One thread's batch: its descents and the machine's answers for them.
#[derive(Debug)]
pub(crate) struct Batch<S> {
    pub(crate) descents: Vec<Descent<S>>,
    /// The leaves that descents have reached and whose legal moves are not known yet. Each leaf occurs once.
    pub(crate) unopened: Vec<NodeId>,
    /// The legal moves in the leaves of `unopened`: for each leaf, one list for each role.
    pub(crate) legal: Vec<Vec<Move>>,
    /// The decisive moves (moves that win at once, or prevent a loss at once) in the leaves of `unopened`:
    /// one entry for each list in `legal`, in the same order. Empty if the search does not use decisive moves
    /// or the machine does not compute them.
    pub(crate) decisive: Vec<RestrictedMoves>,
    /// The indices of the descents whose next state has no node yet.
    pub(crate) childless: Vec<usize>,
    /// The joint moves of the descents in `childless`: for each descent, one move for each role.
    pub(crate) joints: Vec<Move>,
    /// The next states of the descents in `childless`.
    pub(crate) states: Vec<S>,
    /// Whether each of `states` is terminal.
    pub(crate) over: Vec<bool>,
    /// The goals in each of `states`, role by role. They have a meaning only in terminal states.
    pub(crate) goals: Vec<Goals>,
    /// The start states of playouts, in the order of their descents.
    pub(crate) starts: Vec<S>,
    /// The mean shares (goals divided by 100) of the playouts: for each of `starts`, one mean for each role.
    pub(crate) shares: Vec<f64>,
}

impl<S> Default for Batch<S> {
    fn default() -> Batch<S> {
        Batch {
            descents: Vec::new(),
            unopened: Vec::new(),
            legal: Vec::new(),
            decisive: Vec::new(),
            childless: Vec::new(),
            joints: Vec::new(),
            states: Vec::new(),
            over: Vec::new(),
            goals: Vec::new(),
            starts: Vec::new(),
            shares: Vec::new(),
        }
    }
}
