//! The exchange of statistics between searches of the same state, each in a process of its own (slow tree parallelisation,
//! Bourki et al. 2010).
//!
//! Every search has a whole tree. Now and then it tells the others what descents have added to its nodes since it last did so,
//! and adds what the others tell to its own nodes; it creates those that it does not have. So all trees grow to nearly the
//! same one.
//!
//! Invariant: no descent is told twice to the same search. What a search has heard of a node counts as told.

use crate::id::NodeId;
use crate::node::{Chooser, Phase, RoleStats};
use crate::prove::for_each_joint;
use crate::search::Search;
use crate::table::hash_of;
use crate::told::Told;
use crate::tree::Tree;
use ggp_game::{Move, Playouts, Role};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::hash::Hash;

/// No node is added to an update of about so many bytes; the nearest to the root come first. So an update fits into a datagram,
/// unless a node has thousands of arms.
const MOST_BYTES: usize = 45_000;

/// What is told of nodes that are no longer there is forgotten when so many nodes were told.
const MOST_TOLD: usize = 20_000;

/// Below a node with more joint moves than this, an update has no nodes if several roles choose in it.
const MOST_JOINTS: usize = 256;

/// What the descents of one search have added to the nodes of its tree since its last update.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TreeUpdate {
    /// The texts of the moves in the update.
    moves: Vec<String>,
    /// The root, and after each node some of its children.
    nodes: Vec<NodeUpdate>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct NodeUpdate {
    /// The index of the node from which `joint` leads here. For the root, no meaning.
    parent: u32,
    /// For each role, the index of its move in [`TreeUpdate::moves`].
    joint: Vec<u32>,
    visits: u32,
    /// The sum of each role's shares.
    totals: Vec<f64>,
    arms: Vec<ArmUpdate>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct ArmUpdate {
    role: u8,
    /// An index into [`TreeUpdate::moves`].
    mv: u32,
    visits: u32,
    sum: f64,
}

impl NodeUpdate {
    /// About so many bytes are written for the node.
    fn bytes(&self) -> usize {
        8 + 3 * self.joint.len() + 8 * self.totals.len() + 14 * self.arms.len()
    }
}

impl TreeUpdate {
    /// The update as bytes, for another process.
    ///
    /// # Panics
    /// Never: every update has bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("an update can be serialised")
    }

    /// The update that [`TreeUpdate::to_bytes`] has written; `None` if `bytes` are no update.
    pub fn from_bytes(bytes: &[u8]) -> Option<TreeUpdate> {
        let (update, rest) = postcard::take_from_bytes::<TreeUpdate>(bytes).ok()?;
        (rest.is_empty() && update.is_sound()).then_some(update)
    }

    /// Whether parents come before children, and statistics are numbers of a possible size.
    fn is_sound(&self) -> bool {
        let is_move = |&mv: &u32| (mv as usize) < self.moves.len();
        let is_share = |sum: f64, visits: u32| sum >= 0.0 && sum <= f64::from(visits);
        self.nodes.iter().enumerate().all(|(index, node)| {
            (index == 0 || (node.parent as usize) < index)
                && node.joint.iter().all(is_move)
                && node.totals.iter().all(|&total| is_share(total, node.visits))
                && node.arms.iter().all(|arm| is_move(&arm.mv) && is_share(arm.sum, arm.visits))
        })
    }
}

impl<S: Eq + Hash> Tree<S> {
    /// Calls `see` with each child of the node `id` and the arms that lead to it, but for the children of a node in
    /// which several roles choose among more than [`MOST_JOINTS`] joint moves.
    fn for_each_child(&self, id: NodeId, mut see: impl FnMut(&[u32], NodeId)) {
        let node = &self[id];
        match node.chooser {
            _ if node.phase != Phase::Open => {}
            Chooser::Nobody | Chooser::One(_) => {
                let mut chosen: Vec<u32> =
                    self.each_role().map(|role| self.arm_range(id, role).start as u32).collect();
                let role = if let Chooser::One(role) = node.chooser { role } else { Role(0) };
                for arm in self.arm_range(id, role).filter(|&arm| node.arms[arm].child.is_some()) {
                    chosen[role.index()] = arm as u32;
                    see(&chosen, node.arms[arm].child);
                }
            }
            Chooser::Several => {
                let arms_of = |role: Role| self.arm_range(id, role).map(|arm| arm as u32).collect();
                let arms: Vec<Vec<u32>> = self.each_role().map(arms_of).collect();
                let joints = arms.iter().try_fold(1usize, |product, arms| product.checked_mul(arms.len()));
                if joints.is_some_and(|joints| joints <= MOST_JOINTS) {
                    for_each_joint(&arms, |chosen| {
                        let child = node.child(chosen);
                        if child.is_some() {
                            see(chosen, child);
                        }
                    });
                }
            }
        }
    }
}

impl<M: Playouts> Search<M> {
    /// What the descents of this search have added to its nodes since the last call, for searches of the same state in other
    /// processes.
    ///
    /// ```
    /// use ggp_game::{Game, Interpreter, Role};
    /// use ggp_search::{Limits, MctsOptions, Search, TreeUpdate};
    /// use std::sync::Arc;
    ///
    /// let rules = "(role a) (legal a x) (legal a y) (next over) (<= terminal (true over))
    ///     (role b) (legal b z) (<= (next won) (does a y)) (goal b 0) (<= (goal a 100) (true won))
    ///     (<= (goal a 0) (not (true won)))";
    /// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    /// let search = || Search::new(Interpreter::new(&game), &MctsOptions::uct()).unwrap();
    /// let (mut one, mut other) = (search(), search());
    /// one.run(&Limits::iterations(100));
    /// other.run(&Limits::iterations(50));
    /// let update = one.take_update().to_bytes();
    /// assert!(other.add_update(&TreeUpdate::from_bytes(&update).unwrap()));
    /// let visits: u64 = other.report(Role(0)).candidates.iter().map(|candidate| candidate.visits).sum();
    /// assert_eq!(visits, 150);
    /// ```
    pub fn take_update(&mut self) -> TreeUpdate {
        let mut update = TreeUpdate::default();
        let mut names = FxHashMap::default();
        let mut seen = FxHashSet::default();
        let mut waiting = VecDeque::new();
        if self.has_news(self.tree.root()) {
            waiting.push_back((self.tree.root(), 0, Vec::new()));
        }
        let mut bytes = 0;
        while let Some((id, parent, joint)) = waiting.pop_front() {
            if bytes > MOST_BYTES {
                break;
            }
            let index = update.nodes.len() as u32;
            let arms = &self.tree[id].arms;
            self.tree.for_each_child(id, |chosen, child| {
                if self.has_news(child) && seen.insert(child.0) {
                    let joint: Vec<Move> = chosen.iter().map(|&arm| arms[arm as usize].mv).collect();
                    waiting.push_back((child, index, joint));
                }
            });
            let joint = joint.iter().map(|&mv| self.name(mv, &mut names, &mut update.moves)).collect();
            let named = update.moves.len();
            let node = NodeUpdate { parent, joint, ..self.tell(id, &mut names, &mut update.moves) };
            bytes += node.bytes() + update.moves[named..].iter().map(String::len).sum::<usize>();
            update.nodes.push(node);
        }
        if self.told.len() > MOST_TOLD {
            let tree = &self.tree;
            let is_there = |id: u32, told: &Told| {
                tree.get(NodeId(id)).is_some_and(|node| hash_of(&node.state) == told.state)
            };
            self.told.retain(|&id, told| is_there(id, told));
        }
        update
    }

    /// Whether descents through the node `id` are not told yet.
    fn has_news(&self, id: NodeId) -> bool {
        let node = &self.tree[id];
        let told = self.told.get(&id.0);
        let is_told = |told: &Told| told.visits >= node.visits && told.state == hash_of(&node.state);
        node.visits > 0 && !told.is_some_and(is_told)
    }

    /// The index of `mv` in `moves`, to which its text is added if it is not there.
    fn name(&self, mv: Move, names: &mut FxHashMap<Move, u32>, moves: &mut Vec<String>) -> u32 {
        *names.entry(mv).or_insert_with(|| {
            moves.push(self.worker.machine.move_text(mv).to_owned());
            moves.len() as u32 - 1
        })
    }

    /// What is new in the node `id`. From now on it is told.
    fn tell(&mut self, id: NodeId, names: &mut FxHashMap<Move, u32>, moves: &mut Vec<String>) -> NodeUpdate {
        let mut told = self.take_told(id);
        let node = &self.tree[id];
        let mut arms = Vec::new();
        for role in self.tree.each_role() {
            for index in self.tree.arm_range(id, role) {
                let (arm, (visits, sum)) = (&node.arms[index], &mut told.arms[index]);
                let new = arm.visits.saturating_sub(*visits);
                if new > 0 {
                    let mv = self.name(arm.mv, names, moves);
                    let gained = (arm.sum - *sum).clamp(0.0, f64::from(new));
                    arms.push(ArmUpdate { role: role.index() as u8, mv, visits: new, sum: gained });
                    (*visits, *sum) = (arm.visits, arm.sum);
                }
            }
        }
        let visits = node.visits.saturating_sub(told.visits);
        let of_role = |(stats, told): (&RoleStats, &f64)| (stats.total - told).clamp(0.0, f64::from(visits));
        let totals = self.tree.stats(id).iter().zip(&told.totals).map(of_role).collect();
        told.visits = node.visits;
        told.totals = self.tree.stats(id).iter().map(|stats| stats.total).collect();
        self.told.insert(id.0, told);
        NodeUpdate { parent: 0, joint: Vec::new(), visits, totals, arms }
    }

    /// Takes what the other searches have of the node `id`.
    fn take_told(&mut self, id: NodeId) -> Told {
        let node = &self.tree[id];
        let (state, arms) = (hash_of(&node.state), node.arms.len());
        let told = self.told.remove(&id.0).filter(|told| told.state == state);
        let mut told = told.unwrap_or_else(|| Told {
            state,
            visits: 0,
            totals: vec![0.0; self.tree.roles()],
            arms: Vec::new(),
        });
        // The node may have been opened in the meantime.
        told.arms.resize(arms, (0, 0.0));
        told
    }

    /// Adds what another search of the same state has told. Returns false, and adds nothing, if the update is not one of this
    /// game and root. Nodes that this search does not have are created if the memory suffices and the machine can evaluate
    /// them, and else left out.
    pub fn add_update(&mut self, update: &TreeUpdate) -> bool {
        let machine = &mut self.worker.machine;
        let mut moves: Vec<Option<Move>> = Vec::with_capacity(update.moves.len());
        for text in &update.moves {
            moves.push(machine.parse_move(text));
        }
        let roles = self.tree.roles();
        let fits = |(index, node): (usize, &NodeUpdate)| {
            node.totals.len() == roles && (index == 0 || node.joint.len() == roles)
        };
        if !update.nodes.iter().enumerate().all(fits) || !self.fits_root(update, &moves) {
            return false;
        }
        // The nodes of one depth after the other: a depth needs the nodes above, and the machine evaluates all at once.
        let mut ids: Vec<NodeId> = Vec::with_capacity(update.nodes.len());
        while ids.len() < update.nodes.len() {
            let first = ids.len();
            let rest = update.nodes[first..].iter();
            let depth = rest.take_while(|node| first == 0 || (node.parent as usize) < first);
            let nodes: Vec<&NodeUpdate> = if first == 0 { vec![&update.nodes[0]] } else { depth.collect() };
            if first == 0 {
                ids.push(self.tree.root());
            } else {
                self.enter(&nodes, &moves, &mut ids);
            }
            let is_unopened = |id: NodeId| id.is_some() && self.tree[id].phase == Phase::Leaf;
            let found = ids[first..].iter().zip(&nodes);
            let mut leaves: Vec<NodeId> = found
                .filter(|(id, node)| !node.arms.is_empty() && is_unopened(**id))
                .map(|(&id, _)| id)
                .collect();
            leaves.sort_unstable_by_key(|id| id.0);
            leaves.dedup();
            // Without arms, the node itself still hears.
            let _ = self.open_all(&leaves);
            for (index, node) in (first..).zip(nodes) {
                if ids[index].is_some() {
                    self.hear(ids[index], node, &moves);
                }
            }
        }
        true
    }

    /// Appends to `ids` the nodes to which the joint moves of `nodes` lead from their parents in `ids`. Creates nodes that are
    /// not there; [`NodeId::NONE`] where that is not possible.
    fn enter(&mut self, nodes: &[&NodeUpdate], moves: &[Option<Move>], ids: &mut Vec<NodeId>) {
        let (first, mut missing, mut joints) = (ids.len(), Vec::new(), Vec::new());
        for (index, node) in (first..).zip(nodes) {
            let parent = ids[node.parent as usize];
            let is_open = parent.is_some() && self.tree[parent].phase == Phase::Open;
            let joint = node.joint.iter().map(|&mv| moves[mv as usize]);
            let chosen = is_open.then(|| self.arms_of(parent, joint)).flatten();
            let child = chosen.as_ref().map_or(NodeId::NONE, |chosen| self.tree[parent].child(chosen));
            if let (Some(chosen), false) = (chosen, child.is_some()) {
                joints.extend(chosen.iter().map(|&arm| self.tree[parent].arms[arm as usize].mv));
                missing.push((index, parent, chosen));
            }
            ids.push(child);
        }
        let parents: Vec<&M::State> =
            missing.iter().map(|(_, parent, _)| &self.tree[*parent].state).collect();
        let (mut states, mut over, mut goals) = (Vec::new(), Vec::new(), Vec::new());
        let machine = &mut self.worker.machine;
        let created = machine.next_states(&parents, &joints, &mut states);
        let all: Vec<&M::State> = states.iter().collect();
        if missing.is_empty() || created.and_then(|()| machine.outcomes(&all, &mut over, &mut goals)).is_err()
        {
            return;
        }
        let ends = over.iter().zip(goals.chunks_exact(self.tree.roles()));
        for (((index, parent, chosen), state), (&over, goals)) in missing.into_iter().zip(states).zip(ends) {
            ids[index] = self.create_child(parent, &chosen, &state, over.then_some(goals));
        }
    }

    /// Whether the root of the update has moves of this search's root alone.
    fn fits_root(&self, update: &TreeUpdate, moves: &[Option<Move>]) -> bool {
        let root = self.tree.root();
        let has = |arm: &ArmUpdate| {
            (arm.role as usize) < self.tree.roles()
                && self
                    .tree
                    .arms(root, Role(arm.role))
                    .iter()
                    .any(|own| Some(own.mv) == moves[arm.mv as usize])
        };
        self.tree[root].phase == Phase::Open
            && update.nodes.first().is_none_or(|node| node.arms.iter().all(has))
    }

    /// The arms of the open node `id` that a joint move chooses; `None` if it is not legal there.
    fn arms_of(&self, id: NodeId, joint: impl Iterator<Item = Option<Move>>) -> Option<Vec<u32>> {
        let node = &self.tree[id];
        let arm_of = |(role, mv): (Role, Option<Move>)| {
            self.tree.arm_range(id, role).find(|&arm| Some(node.arms[arm].mv) == mv).map(|arm| arm as u32)
        };
        self.tree.each_role().zip(joint).map(arm_of).collect()
    }

    /// Adds what another search has told of the node `id`.
    fn hear(&mut self, id: NodeId, update: &NodeUpdate, moves: &[Option<Move>]) {
        let (mut told, roles) = (self.take_told(id), self.tree.roles());
        let is_open = self.tree[id].phase == Phase::Open;
        for heard in update.arms.iter().filter(|heard| is_open && (heard.role as usize) < roles) {
            let mut range = self.tree.arm_range(id, Role(heard.role));
            let node = &mut self.tree[id];
            if let Some(index) = range.find(|&arm| Some(node.arms[arm].mv) == moves[heard.mv as usize]) {
                let arm = &mut node.arms[index];
                arm.visits = arm.visits.saturating_add(heard.visits);
                arm.sum += heard.sum;
                told.arms[index].0 = told.arms[index].0.saturating_add(heard.visits);
                told.arms[index].1 += heard.sum;
            }
        }
        self.tree[id].visits = self.tree[id].visits.saturating_add(update.visits);
        told.visits = told.visits.saturating_add(update.visits);
        for ((stats, told), heard) in
            self.tree.stats_mut(id).iter_mut().zip(&mut told.totals).zip(&update.totals)
        {
            stats.total += heard;
            *told += heard;
        }
        self.told.insert(id.0, told);
    }
}

#[cfg(test)]
mod tests {
    use super::{ArmUpdate, NodeUpdate, TreeUpdate};
    use crate::limits::Limits;
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::test_games::{self, TestMachine, TicTacToe};
    use ggp_game::{Move, Role};

    fn search(seed: u64, iterations: u64) -> Search<TestMachine<TicTacToe>> {
        let options = MctsOptions { seed: Some(seed), ..MctsOptions::uct() };
        let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        search.run(&Limits::iterations(iterations));
        search
    }

    fn visits(search: &Search<TestMachine<TicTacToe>>) -> u64 {
        search.report(Role(0)).candidates.iter().map(|candidate| candidate.visits).sum()
    }

    #[test]
    fn no_descent_is_told_twice() {
        let mut searches = [search(1, 1000), search(2, 700), search(3, 300)];
        for more in [0, 500, 0] {
            let before: u64 = searches.iter().map(|search| search.report(Role(0)).iterations).sum();
            for search in &mut searches {
                search.run(&Limits::iterations(more));
            }
            let updates = searches.each_mut().map(Search::take_update);
            for (index, search) in searches.iter_mut().enumerate() {
                for (_, update) in updates.iter().enumerate().filter(|&(of, _)| of != index) {
                    assert!(search.add_update(&TreeUpdate::from_bytes(&update.to_bytes()).unwrap()));
                }
                assert_eq!(visits(search), before + 3 * more);
                let root = search.tree.root();
                assert_eq!(u64::from(search.tree[root].visits), before + 3 * more);
            }
        }
        let again = searches[0].take_update();
        assert!(again.nodes.iter().all(|node| node.visits == 0 && node.arms.is_empty()), "all was told");
    }

    #[test]
    fn below_the_root_of_the_next_move_what_was_heard_counts() {
        let (mut one, mut other) = (search(1, 5000), search(2, 5000));
        let before = one.tree[one.tree.root()].arms[0].clone();
        assert!(one.add_update(&other.take_update()));
        assert!(one.tree[one.tree.root()].arms[0].visits > before.visits);
        for search in [&mut one, &mut other] {
            search.advance(&[Move(4), Move(test_games::NOOP)]).unwrap();
        }
        assert!(visits(&one) > 3 * visits(&other) / 2, "{} of {}", visits(&one), visits(&other));
        // What was told before the move is not told again.
        assert!(other.take_update().nodes.first().is_none_or(|root| root.visits == 0));
    }

    #[test]
    fn a_child_is_worth_what_all_have_seen() {
        let (mut one, mut other) = (search(1, 3000), search(2, 3000));
        let update = other.take_update();
        assert!(one.add_update(&update));
        one.run(&Limits::iterations(1000));
        for id in one.tree.ids() {
            let Some(node) = one.tree.get(id) else { continue };
            for (index, stats) in one.tree.stats(id).iter().enumerate() {
                assert!(stats.total <= f64::from(node.visits) + 1e-6, "role {index}");
            }
            assert!(node.arms.iter().all(|arm| arm.sum <= f64::from(arm.visits) + 1e-6));
        }
    }

    #[test]
    fn trees_that_hear_of_each_other_become_one() {
        let (mut one, mut other) = (search(1, 500), search(2, 300));
        for _ in 0..50 {
            let updates = [one.take_update(), other.take_update()];
            assert!(one.add_update(&updates[1]) && other.add_update(&updates[0]));
            if updates == [TreeUpdate::default(), TreeUpdate::default()] {
                break;
            }
        }
        let nodes = |search: &Search<TestMachine<TicTacToe>>| {
            let all = search.tree.ids().filter_map(|id| search.tree.get(id));
            let mut all: Vec<(Vec<u8>, u32)> = all.map(|node| (node.state.clone(), node.visits)).collect();
            all.sort();
            all
        };
        assert!(nodes(&one).len() > 500);
        assert_eq!(nodes(&one), nodes(&other));
    }

    #[test]
    fn an_update_of_another_root_is_refused() {
        let (mut one, mut other) = (search(1, 500), search(2, 500));
        other.advance(&[Move(4), Move(test_games::NOOP)]).unwrap();
        other.run(&Limits::iterations(500));
        let before = visits(&one);
        assert!(!one.add_update(&other.take_update()));
        assert_eq!(visits(&one), before);
        assert!(one.add_update(&TreeUpdate::default()), "nothing new");
    }

    #[test]
    fn bytes_of_another_origin_are_refused() {
        let update = search(1, 500).take_update();
        let bytes = update.to_bytes();
        assert_eq!(TreeUpdate::from_bytes(&bytes), Some(update.clone()));
        for end in 0..bytes.len() {
            assert_eq!(TreeUpdate::from_bytes(&bytes[..end]), None, "{end}");
        }
        assert_eq!(TreeUpdate::from_bytes(&[&bytes[..], &[0]].concat()), None);
        let with = |change: &dyn Fn(&mut NodeUpdate)| {
            let mut update = update.clone();
            change(&mut update.nodes[1]);
            TreeUpdate::from_bytes(&update.to_bytes())
        };
        assert_eq!(with(&|node| node.parent = 1), None);
        assert_eq!(with(&|node| node.joint[0] = 1000), None);
        assert_eq!(with(&|node| node.totals[0] = f64::NAN), None);
        assert_eq!(with(&|node| node.arms.push(ArmUpdate { role: 0, mv: 0, visits: 1, sum: 2.0 })), None);
        let stranger = with(&|node| node.joint.clear()).unwrap();
        assert!(!search(1, 500).add_update(&stranger));
        let stranger =
            with(&|node| node.arms.push(ArmUpdate { role: 9, mv: 0, visits: 1, sum: 1.0 })).unwrap();
        assert!(search(1, 500).add_update(&stranger), "an arm of no role is left out");
    }
}
