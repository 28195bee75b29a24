//! The arena of nodes: who is where, how much memory they take, and which of them is the root.
//!
//! Nodes live in chunks, so that growing never moves them. Invariant: every node reachable from
//! the root is in its place; everything else is either in its place and waiting to be recycled
//! (see [`crate::recycle`]) or free.

use crate::arm::Arm;
use crate::node::{Bounds, Chooser, Node, NodeId, Phase, RoleStats};
use crate::recycle::Recycler;
use crate::table::{Table, hash_of};
use ggp_game::{Goals, Move, Role};
use std::hash::Hash;
use std::ops::{Index, IndexMut, Range};

const CHUNK: usize = 1 << 12;

/// Nodes for each slot of the table; few enough that buckets seldom overflow.
const BYTES_PER_SLOT: usize = 512;

#[derive(Debug)]
struct Chunk<S> {
    nodes: Vec<Option<Node<S>>>,
    stats: Vec<RoleStats>,
}

/// A tree (or, with transpositions, an acyclic or cyclic graph) of states under a root.
#[derive(Debug)]
pub(crate) struct Tree<S> {
    chunks: Vec<Chunk<S>>,
    free: Vec<NodeId>,
    roles: usize,
    live: usize,
    bytes: usize,
    bound: usize,
    root: NodeId,
    table: Option<Table>,
    pub(crate) recycler: Recycler,
}

impl<S: Eq + Hash> Tree<S> {
    /// An empty tree for `roles` roles that is to stay below `bound` bytes. With `transpositions`
    /// equal states share a node.
    pub(crate) fn new(roles: usize, bound: usize, transpositions: bool) -> Tree<S> {
        let table = transpositions.then(|| Table::new(bound / BYTES_PER_SLOT));
        Tree {
            chunks: Vec::new(),
            free: Vec::new(),
            roles,
            live: 0,
            bytes: table.as_ref().map_or(0, Table::bytes),
            bound,
            root: NodeId::NONE,
            table,
            recycler: Recycler::default(),
        }
    }

    /// How many roles the game has.
    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// The roles, in order.
    pub(crate) fn each_role(&self) -> impl Iterator<Item = Role> + use<S> {
        (0..self.roles).map(|role| Role(role as u8))
    }

    /// Nodes in their place.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes that it is to stay below.
    pub(crate) fn bound(&self) -> usize {
        self.bound
    }

    /// Whether room gets short.
    pub(crate) fn is_crowded(&self) -> bool {
        self.bytes >= self.bound / 4 * 3
    }

    /// Whether there is no room for another node.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= self.bound
    }

    /// The root; [`NodeId::NONE`] before [`Tree::set_root`].
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// Makes `root` the root. What it does not reach is recycled little by little.
    pub(crate) fn set_root(&mut self, root: NodeId) {
        self.root = root;
        let epoch = self.recycler.begin(root);
        self[root].mark = epoch;
    }

    /// One past the largest node id in use.
    pub(crate) fn high_water(&self) -> u32 {
        self.chunks.last().map_or(0, |last| ((self.chunks.len() - 1) * CHUNK + last.nodes.len()) as u32)
    }

    /// The node in a place, if there is one.
    pub(crate) fn get(&self, id: NodeId) -> Option<&Node<S>> {
        let chunk = self.chunks.get(id.0 as usize / CHUNK)?;
        chunk.nodes.get(id.0 as usize % CHUNK)?.as_ref()
    }

    /// The node of `state`, if there is one that may be linked to. Always `None` without
    /// transpositions.
    pub(crate) fn find(&mut self, state: &S) -> Option<NodeId> {
        let table = self.table.as_ref()?;
        let live_from = self.recycler.live_from();
        let found = table.find(hash_of(state), |id| {
            self.get(id).is_some_and(|node| node.mark >= live_from && node.state == *state)
        })?;
        if let Some(epoch) = self.recycler.revive(found, self[found].mark) {
            self[found].mark = epoch;
        }
        Some(found)
    }

    /// Adds a node of `state`, which holds `heap` bytes outside itself.
    pub(crate) fn add(&mut self, state: S, heap: usize) -> NodeId {
        let hash = self.table.is_some().then(|| hash_of(&state));
        let node = Node::new(state, self.recycler.epoch());
        let id = self.free.pop().unwrap_or_else(|| {
            if self.chunks.last().is_none_or(|last| last.nodes.len() == CHUNK) {
                self.chunks.push(Chunk {
                    nodes: Vec::with_capacity(CHUNK),
                    stats: Vec::with_capacity(CHUNK * self.roles),
                });
            }
            let id = NodeId(self.high_water());
            let roles = self.roles;
            if let Some(last) = self.chunks.last_mut() {
                last.nodes.push(None);
                last.stats.resize(last.stats.len() + roles, RoleStats::default());
            }
            id
        });
        let place = id.0 as usize % CHUNK;
        self.chunks[id.0 as usize / CHUNK].nodes[place] = Some(node);
        self.stats_mut(id).fill(RoleStats::default());
        self.live += 1;
        self.bytes += self.node_bytes() + heap;
        if let (Some(hash), Some(mut table)) = (hash, self.table.take()) {
            let live_from = self.recycler.live_from();
            table.insert(hash, id, |other| self.get(other).is_some_and(|node| node.mark >= live_from));
            self.table = Some(table);
        }
        id
    }

    /// Takes note of `bytes` more in use.
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Takes note of `bytes` less in use.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        self.bytes -= bytes;
    }

    /// Bytes of a node's place.
    fn node_bytes(&self) -> usize {
        size_of::<Option<Node<S>>>() + self.roles * size_of::<RoleStats>()
    }

    /// Takes a node out, `heap` being what its state holds outside itself.
    pub(crate) fn remove(&mut self, id: NodeId, heap: impl Fn(&S) -> usize) {
        let place = id.0 as usize % CHUNK;
        if let Some(node) = self.chunks[id.0 as usize / CHUNK].nodes[place].take() {
            self.bytes -= self.node_bytes() + node.heap_bytes() + heap(&node.state);
            self.live -= 1;
            self.free.push(id);
        }
    }

    /// Gives a leaf its legal moves, one list a role, in the order in which they will be tried.
    pub(crate) fn open(&mut self, id: NodeId, legal: &[Vec<Move>]) {
        let arms: Box<[Arm]> = legal.iter().flatten().map(|&mv| Arm::new(mv)).collect();
        let mut end = 0;
        for (stats, moves) in self.stats_mut(id).iter_mut().zip(legal) {
            end += moves.len() as u32;
            stats.end = end;
        }
        let mut choosers = (0..legal.len()).filter(|&role| legal[role].len() > 1);
        let chooser = match (choosers.next(), choosers.next()) {
            (None, _) => Chooser::Nobody,
            (Some(role), None) => Chooser::One(Role(role as u8)),
            (Some(_), Some(_)) => Chooser::Several,
        };
        let node = &mut self[id];
        node.arms = arms;
        node.chooser = chooser;
        node.phase = Phase::Open;
        let bytes = self[id].heap_bytes();
        self.bytes += bytes;
    }

    /// Defers the arms of `role` in an open node whose moves are not among `first`, if there are any of those.
    pub(crate) fn defer(&mut self, id: NodeId, role: Role, first: &[Move]) {
        let range = self.arm_range(id, role);
        if !first.is_empty() && first.len() < range.len() {
            for arm in &mut self[id].arms[range] {
                arm.deferred = !first.contains(&arm.mv);
            }
        }
    }

    /// Notes that the game is over in a node, with these goals.
    pub(crate) fn end(&mut self, id: NodeId, goals: &[Goals]) {
        for (stats, goal) in self.stats_mut(id).iter_mut().zip(goals) {
            stats.bounds = Bounds::exact(goal.score().value());
        }
        self[id].phase = Phase::Ended;
    }

    /// Links `parent` to `child` by the chosen arms.
    pub(crate) fn link(&mut self, parent: NodeId, chosen: &[u32], child: NodeId) {
        let bytes = self[parent].set_child(chosen, child);
        self.bytes += bytes;
    }

    /// What a node knows of each role.
    pub(crate) fn stats(&self, id: NodeId) -> &[RoleStats] {
        let first = id.0 as usize % CHUNK * self.roles;
        &self.chunks[id.0 as usize / CHUNK].stats[first..first + self.roles]
    }

    /// What a node knows of each role.
    pub(crate) fn stats_mut(&mut self, id: NodeId) -> &mut [RoleStats] {
        let first = id.0 as usize % CHUNK * self.roles;
        &mut self.chunks[id.0 as usize / CHUNK].stats[first..first + self.roles]
    }

    /// The positions of a role's arms in an open node.
    pub(crate) fn arm_range(&self, id: NodeId, role: Role) -> Range<usize> {
        let stats = self.stats(id);
        let start = role.index().checked_sub(1).map_or(0, |before| stats[before].end as usize);
        start..stats[role.index()].end as usize
    }

    /// A role's arms in an open node.
    pub(crate) fn arms(&self, id: NodeId, role: Role) -> &[Arm] {
        &self[id].arms[self.arm_range(id, role)]
    }
}

impl<S> Index<NodeId> for Tree<S> {
    type Output = Node<S>;

    fn index(&self, id: NodeId) -> &Node<S> {
        let place = &self.chunks[id.0 as usize / CHUNK].nodes[id.0 as usize % CHUNK];
        place.as_ref().expect("a node that is reachable is in its place")
    }
}

impl<S> IndexMut<NodeId> for Tree<S> {
    fn index_mut(&mut self, id: NodeId) -> &mut Node<S> {
        let place = &mut self.chunks[id.0 as usize / CHUNK].nodes[id.0 as usize % CHUNK];
        place.as_mut().expect("a node that is reachable is in its place")
    }
}
