//! The nodes of the search: one for each information set in which the search has evaluated a role's choice.

use super::node::Node;
use ggp_game::{Move, Playouts, Recall, StateMachine};
use rustc_hash::FxHashMap;

/// The nodes by the keys of their information sets ([`ggp_game::Observed::key`]). The roles have separate nodes
/// (multiple-observer ISMCTS).
pub(super) struct Tree {
    nodes: FxHashMap<u64, Node>,
    bytes: usize,
    bound: usize,
}

/// The probability with which the other roles are assumed to move uniformly at random instead of by the
/// strategies of the search, so that no state becomes impossible.
const RANDOM: f64 = 0.1;

impl Tree {
    /// An empty tree that takes at most `bound` bytes.
    pub(super) fn new(bound: usize) -> Tree {
        Tree { nodes: FxHashMap::default(), bytes: 0, bound }
    }

    pub(super) fn get(&self, key: u64) -> Option<&Node> {
        self.nodes.get(&key)
    }

    pub(super) fn get_mut(&mut self, key: u64) -> Option<&mut Node> {
        self.nodes.get_mut(&key)
    }

    /// The node of the information set `key`, in which `moves` are legal. `None` if the tree is full.
    pub(super) fn node(&mut self, key: u64, moves: &[Move]) -> Option<&mut Node> {
        if !self.nodes.contains_key(&key) {
            let bytes = Node::bytes(moves.len());
            if self.bytes + bytes > self.bound {
                return None;
            }
            self.bytes += bytes;
            self.nodes.insert(key, Node::new(moves));
        }
        self.nodes.get_mut(&key)
    }

    /// Whether less than half of the memory is left.
    pub(super) fn is_half_full(&self) -> bool {
        self.bytes > self.bound / 2
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.bytes = 0;
    }

    /// The probability of the move with the text `own` in the information set `key`, by the average strategy,
    /// divided by its probability in a uniform draw. 1 without statistics.
    pub(super) fn likelihood<M: Playouts>(&self, recall: &Recall<M>, key: u64, own: &str) -> f64 {
        let Some(node) = self.nodes.get(&key) else { return 1.0 };
        let Some(index) = node.moves().iter().position(|&mv| recall.move_text(mv) == own) else { return 1.0 };
        RANDOM + (1.0 - RANDOM) * node.average(index) * node.moves().len() as f64
    }
}
