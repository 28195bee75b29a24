//! The states that the prover knows, with the proof numbers of both propositions.

use super::numbers::Numbers;
use crate::id::NodeId;
use crate::table::{Table, hash_of};
use ggp_game::Move;
use std::hash::Hash;

/// A state of the prover.
#[derive(Debug)]
pub(crate) struct Place<S> {
    pub(crate) state: S,
    /// The moves of the role that decides, with the states after them. Moves that the machine knows to lose at
    /// once are left out.
    pub(crate) edges: Box<[Edge]>,
    /// The only move of the other role.
    pub(crate) pass: Move,
    /// The index of the role that decides.
    pub(crate) mover: u8,
    pub(crate) phase: Phase,
    /// The number of steps to the end of the game, once a proposition is settled.
    pub(crate) distance: u16,
}

/// How much is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// The state has not been asked about.
    New,
    /// Its moves are known, but not the states after them.
    Open,
    /// The states after its moves are known.
    Expanded,
    /// The game is over, or the winning move is known.
    Ended,
    /// Both roles choose, or one has no move: the prover goes no further.
    Closed,
}

/// A move and the state after it; [`NodeId::NONE`] until the state is expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) mv: Move,
    pub(crate) child: NodeId,
}

/// All states, in an arena with a table of bounded size.
#[derive(Debug)]
pub(crate) struct Graph<S> {
    places: Vec<Place<S>>,
    /// The numbers of each state, for the propositions that the first role wins and that the second role wins.
    numbers: Vec<[Numbers; 2]>,
    table: Table,
    /// The bytes of states and edges.
    heap: usize,
    bound: usize,
}

/// One slot of the table for so many bytes of the bound.
const BYTES_PER_SLOT: usize = 128;

impl<S: Eq + Hash> Graph<S> {
    /// Creates a graph of at most about `bound` bytes.
    pub(crate) fn new(bound: usize) -> Graph<S> {
        let table = Table::new(bound / BYTES_PER_SLOT);
        Graph { places: Vec::new(), numbers: Vec::new(), table, heap: 0, bound }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.places.len() * (size_of::<Place<S>>() + size_of::<[Numbers; 2]>())
            + self.heap
            + self.table.bytes()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes() >= self.bound
    }

    /// Forgets all states.
    pub(crate) fn clear(&mut self) {
        let bound = self.bound;
        *self = Graph::new(bound);
    }

    pub(crate) fn find(&self, state: &S) -> Option<NodeId> {
        self.table.find(hash_of(state), |id| self[id].state == *state)
    }

    /// Adds `state`, which has `heap` heap bytes and is not in the graph.
    pub(crate) fn add(&mut self, state: S, heap: usize) -> NodeId {
        let id = NodeId(self.places.len() as u32);
        let hash = hash_of(&state);
        let place =
            Place { state, edges: Box::default(), pass: Move(0), mover: 0, phase: Phase::New, distance: 0 };
        self.places.push(place);
        self.numbers.push([Numbers { proof: 1, disproof: 1 }; 2]);
        self.heap += heap;
        self.table.insert(hash, id, |_| true);
        id
    }

    pub(crate) fn grow(&mut self, bytes: usize) {
        self.heap += bytes;
    }

    #[inline]
    pub(crate) fn numbers(&self, id: NodeId, attacker: usize) -> Numbers {
        self.numbers[id.0 as usize][attacker]
    }

    pub(crate) fn numbers_mut(&mut self, id: NodeId) -> &mut [Numbers; 2] {
        &mut self.numbers[id.0 as usize]
    }

    /// Computes the numbers of an expanded state for `attacker` from its children.
    #[inline]
    pub(crate) fn backed_up(&self, id: NodeId, attacker: usize) -> Numbers {
        let place = &self[id];
        let children = place.edges.iter().map(|edge| self.numbers(edge.child, attacker));
        if usize::from(place.mover) == attacker {
            Numbers::of_any(children)
        } else {
            Numbers::of_all(children)
        }
    }

    /// The number of steps to the end from an expanded state that is settled for `attacker`.
    pub(crate) fn distance_from(&self, id: NodeId, attacker: usize) -> u16 {
        let place = &self[id];
        let is_proved = self.numbers(id, attacker).proof == 0;
        let is_own = usize::from(place.mover) == attacker;
        let settled = place.edges.iter().filter(|edge| {
            let numbers = self.numbers(edge.child, attacker);
            if is_proved { numbers.proof == 0 } else { numbers.disproof == 0 }
        });
        let distances = settled.map(|edge| self[edge.child].distance);
        // The side that gets its way takes the short way, and the other side resists as long as possible.
        let best = if is_proved == is_own { distances.min() } else { distances.max() };
        best.unwrap_or(0).saturating_add(1)
    }
}

impl<S> std::ops::Index<NodeId> for Graph<S> {
    type Output = Place<S>;

    fn index(&self, id: NodeId) -> &Place<S> {
        &self.places[id.0 as usize]
    }
}

impl<S> std::ops::IndexMut<NodeId> for Graph<S> {
    fn index_mut(&mut self, id: NodeId) -> &mut Place<S> {
        &mut self.places[id.0 as usize]
    }
}
