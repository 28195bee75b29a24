//! The arena of nodes, with its memory use and the root.
//!
//! Nodes are allocated in chunks, so growth never moves them. Invariant: every node reachable from the root
//! is allocated. Every other position is free or holds a node that has not been recycled yet (see
//! [`crate::recycle`]).

use crate::arm::Arm;
use crate::bounds::Bounds;
use crate::id::NodeId;
use crate::node::{Chooser, Node, Phase, RoleStats};
use crate::recycler::Recycler;
use crate::regret::Regret;
use crate::table::{Table, hash_of};
use ggp_game::{Goals, Move, Role};
use std::hash::Hash;
use std::ops::{Index, IndexMut, Range};

const CHUNK: usize = 1 << 12;

/// The transposition table gets one slot for each group of this many bytes of the tree's memory bound. With
/// so many slots, buckets seldom overflow.
const BYTES_PER_SLOT: usize = 512;

#[derive(Debug)]
struct Chunk<S> {
    nodes: Vec<Option<Node<S>>>,
    stats: Vec<RoleStats>,
}

/// A tree of states below a root; with transpositions, a directed graph that may have cycles.
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
    /// Creates an empty tree for `roles` roles with a memory bound of `bound` bytes. With `transpositions`,
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

    /// The number of roles.
    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// The roles, in order.
    pub(crate) fn each_role(&self) -> impl Iterator<Item = Role> + use<S> {
        (0..self.roles).map(|role| Role(role as u8))
    }

    /// The number of allocated nodes.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// The bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory bound in bytes.
    pub(crate) fn bound(&self) -> usize {
        self.bound
    }

    /// Whether three quarters of the memory bound are in use.
    pub(crate) fn is_crowded(&self) -> bool {
        self.bytes >= self.bound / 4 * 3
    }

    /// Whether the memory bound is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= self.bound
    }

    /// The root; [`NodeId::NONE`] before [`Tree::set_root`].
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// Makes `root` the root. Nodes that the new root does not reach are recycled incrementally.
    pub(crate) fn set_root(&mut self, root: NodeId) {
        self.root = root;
        let epoch = self.recycler.begin(root);
        self[root].mark = epoch;
    }

    /// The smallest node id that has never been in use.
    pub(crate) fn high_water(&self) -> u32 {
        self.chunks.last().map_or(0, |last| ((self.chunks.len() - 1) * CHUNK + last.nodes.len()) as u32)
    }

    /// The ids of all positions, free ones included.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<S> {
        (0..self.high_water()).map(NodeId)
    }

    /// Appends a joint move of the open node `id` for each of `moves` of `role`. The other roles make their first moves.
    pub(crate) fn append_joints(
        &self,
        id: NodeId,
        role: Role,
        moves: impl Iterator<Item = Move>,
        out: &mut Vec<Move>,
    ) {
        for mv in moves {
            let other = |other: Role| if other == role { mv } else { self.arms(id, other)[0].mv };
            out.extend(self.each_role().map(other));
        }
    }

    /// The node at `id`; `None` if that position is free.
    pub(crate) fn get(&self, id: NodeId) -> Option<&Node<S>> {
        let chunk = self.chunks.get(id.0 as usize / CHUNK)?;
        chunk.nodes.get(id.0 as usize % CHUNK)?.as_ref()
    }

    /// Finds a live node of `state`, that is, one to which links may be added. Keeps the node from being
    /// recycled in the current epoch. Returns `None` if `state` has no live node, and always if the tree
    /// does not use transpositions.
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

    /// Adds a leaf for `state`. `heap` is the number of heap bytes of the state.
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

    /// Adds `bytes` to the bytes in use.
    pub(crate) fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Subtracts `bytes` from the bytes in use.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        self.bytes -= bytes;
    }

    /// The size of one node with its statistics of all roles.
    fn node_bytes(&self) -> usize {
        size_of::<Option<Node<S>>>() + self.roles * size_of::<RoleStats>()
    }

    /// Frees a node. `heap` returns the number of heap bytes of a state.
    pub(crate) fn remove(&mut self, id: NodeId, heap: impl Fn(&S) -> usize) {
        let place = id.0 as usize % CHUNK;
        if let Some(node) = self.chunks[id.0 as usize / CHUNK].nodes[place].take() {
            self.bytes -= self.node_bytes() + node.heap_bytes() + heap(&node.state);
            self.live -= 1;
            self.free.push(id);
        }
    }

    /// Opens a leaf with its legal moves, one list for each role, in the order in which selection tries them.
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

    /// Defers `role`'s arms whose moves are not in `distinct`, which holds one move of each equivalence class, and
    /// those whose moves are not in `first`. Sorts both lists. Defers no arm because of an empty `first`.
    pub(crate) fn defer(&mut self, id: NodeId, role: Role, distinct: &mut [Move], first: &mut [Move]) {
        let range = self.arm_range(id, role);
        let is_whole = |list: &[Move]| list.len() == range.len();
        // Few nodes have anything to defer.
        if is_whole(distinct) && (first.is_empty() || is_whole(first)) {
            return;
        }
        distinct.sort_unstable();
        first.sort_unstable();
        for arm in &mut self[id].arms[range] {
            arm.is_redundant = distinct.binary_search(&arm.mv).is_err();
            let is_later = !first.is_empty() && first.binary_search(&arm.mv).is_err();
            arm.deferred = arm.is_redundant || is_later;
        }
    }

    /// Allocates the regrets of an open node where several roles choose. Does nothing if the regrets exist.
    pub(crate) fn allocate_regrets(&mut self, id: NodeId) {
        if self[id].regrets.is_empty() {
            let regrets = vec![Regret::default(); self[id].arms.len()].into_boxed_slice();
            self.grow(size_of_val(&*regrets));
            self[id].regrets = regrets;
        }
    }

    /// Marks a node as the end of the game, with these goals.
    pub(crate) fn end(&mut self, id: NodeId, goals: &[Goals]) {
        for (stats, goal) in self.stats_mut(id).iter_mut().zip(goals) {
            stats.bounds = Bounds::exact(goal.score().value());
        }
        self[id].phase = Phase::Ended;
    }

    /// Makes `child` the child of `parent` that the arms `chosen` lead to.
    pub(crate) fn link(&mut self, parent: NodeId, chosen: &[u32], child: NodeId) {
        let bytes = self[parent].set_child(chosen, child);
        self.bytes += bytes;
    }

    /// The statistics of each role in a node.
    pub(crate) fn stats(&self, id: NodeId) -> &[RoleStats] {
        let first = id.0 as usize % CHUNK * self.roles;
        &self.chunks[id.0 as usize / CHUNK].stats[first..first + self.roles]
    }

    /// The mutable statistics of each role in a node.
    pub(crate) fn stats_mut(&mut self, id: NodeId) -> &mut [RoleStats] {
        let first = id.0 as usize % CHUNK * self.roles;
        &mut self.chunks[id.0 as usize / CHUNK].stats[first..first + self.roles]
    }

    /// A role's mean share in a node. It is 0 if the node has no visits.
    pub(crate) fn mean(&self, id: NodeId, role: usize) -> f64 {
        let visits = self[id].visits.max(1);
        self.stats(id)[role].total / f64::from(visits)
    }

    /// The share of a role in a node: its proven goal, else its mean.
    pub(crate) fn share(&self, id: NodeId, role: usize) -> f64 {
        let proven = self.stats(id)[role].bounds.proven();
        proven.map_or_else(|| self.mean(id, role), |goal| f64::from(goal) / 100.0)
    }

    /// Whether the goals of all roles are proved in the node `id`.
    pub(crate) fn is_exact(&self, id: NodeId) -> bool {
        self.stats(id).iter().all(|stats| stats.bounds.proven().is_some())
    }

    /// The range of a role's arms in an open node.
    pub(crate) fn arm_range(&self, id: NodeId, role: Role) -> Range<usize> {
        let stats = self.stats(id);
        let start = role.index().checked_sub(1).map_or(0, |before| stats[before].end as usize);
        start..stats[role.index()].end as usize
    }

    /// The security level of a role in an open node: the goal that it is proved to be able to guarantee.
    pub(crate) fn security_level(&self, id: NodeId, role: Role) -> u8 {
        self.arms(id, role).iter().map(|arm| arm.bounds.low).max().unwrap_or(0)
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
