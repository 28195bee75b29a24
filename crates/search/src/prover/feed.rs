//! The prover's tasks from the tree, and its proofs into the tree.

use super::graph::Phase as Known;
use super::{LANES, Prover, ProverCounts, Sweep};
use crate::bounds::Bounds;
use crate::descent::Descent;
use crate::id::NodeId;
use crate::node::{Chooser, Phase};
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{EvalError, Playouts, Role};

/// States that the prover asks about for each descent of the search.
const STATES_PER_DESCENT: f64 = 1.0;

/// The prover takes nodes up to this depth below the root.
const DEPTH: usize = 8;

/// The number of nodes that one sweep serves.
const TASKS: usize = 8;

/// The prover leaves propositions with a larger proof number: no forced sequence proves them.
const LIMIT: u32 = 32;

/// The part of the search's memory bound that the prover may use is one by this number.
const PART_OF_MEMORY: usize = 8;

fn tuned(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

impl<M: Playouts> Search<M> {
    /// The prover for the game of `machine`; `None` if the game or the machine does not suit it.
    pub(crate) fn prover_for(machine: &M, options: &crate::MctsOptions) -> Option<Prover<M::State>> {
        let game = machine.game();
        let suits = options.has(Technique::Prover)
            && options.has(Technique::Solver)
            && game.role_count() == 2
            && game.nature().is_none();
        if !suits {
            return None;
        }
        let goals = [machine.goal_values(Role(0)), machine.goal_values(Role(1))];
        Prover::new([&goals[0], &goals[1]], options.memory_bytes() / PART_OF_MEMORY, options.seed())
    }

    /// What the prover has done so far; `None` without a prover.
    pub fn prover_counts(&self) -> Option<ProverCounts> {
        self.prover.as_ref().map(|prover| prover.counts)
    }

    /// Lets the prover work after a batch of `descents` descents.
    pub(crate) fn run_prover(&mut self) -> Result<(), EvalError> {
        let Some(mut prover) = self.prover.take() else { return Ok(()) };
        let proved = self.prove_hot_nodes(&mut prover);
        if prover.has_one_sum {
            self.prover = Some(prover);
        }
        proved
    }

    fn prove_hot_nodes(&mut self, prover: &mut Prover<M::State>) -> Result<(), EvalError> {
        let descents = self.worker.batch.descents.len();
        prover.credit += tuned("PROVER_SHARE", STATES_PER_DESCENT) * descents as f64;
        while prover.credit > 0.0 && prover.has_one_sum {
            if prover.graph.is_full() {
                prover.graph.clear();
            }
            if !self.run_round(prover)? {
                break;
            }
        }
        prover.credit = prover.credit.min(0.0);
        Ok(())
    }

    /// Expands states below a few nodes of the tree, and brings what is proved into the tree. Returns whether there
    /// was anything to expand.
    fn run_round(&mut self, prover: &mut Prover<M::State>) -> Result<bool, EvalError> {
        let depth = tuned("PROVER_DEPTH", DEPTH as f64) as usize;
        let limit = tuned("PROVER_LIMIT", f64::from(LIMIT)) as u32;
        // 1. Nodes on the ways of random descents.
        let descents = self.worker.batch.descents.len();
        let mut ways: Vec<&[NodeId]> = Vec::new();
        for _ in 0..TASKS {
            let Descent { path, .. } = &self.worker.batch.descents[prover.random.below(descents)];
            let end = path.nodes().len().min(depth);
            if end == 0 {
                continue;
            }
            let way = &path.nodes()[..=prover.random.below(end)];
            let Some(&id) = way.last() else { continue };
            let is_open = self.tree[id].phase == Phase::Open && !self.tree.is_exact(id);
            if is_open && matches!(self.tree[id].chooser, Chooser::One(_)) && !ways.contains(&way) {
                ways.push(way);
            }
        }
        let ways: Vec<Vec<NodeId>> = ways.into_iter().map(<[NodeId]>::to_vec).collect();
        let last = |way: &Vec<NodeId>| way[way.len() - 1];
        let states: Vec<&M::State> = ways.iter().map(|way| &self.tree[last(way)].state).collect();
        let starts = prover.intern(&mut self.worker.machine, &states)?;
        // 2. The role that is the more likely to win attacks.
        let mut sweep = Sweep::default();
        for (number, (way, &start)) in ways.iter().zip(&starts).enumerate() {
            let mean = self.tree.mean(last(way), 0);
            let drawn = usize::from(prover.random.between(0.0..1.0) >= mean);
            let is_open = |attacker: usize| {
                let numbers = prover.graph.numbers(start, attacker);
                !numbers.is_settled() && numbers.proof <= limit
            };
            if let Some(attacker) = [drawn, 1 - drawn].into_iter().find(|&attacker| is_open(attacker)) {
                prover.counts.tasks += 1;
                prover.collect(start, attacker, LANES * (number + 1) / ways.len(), &mut sweep);
            }
        }
        // 3. Expansion.
        if !sweep.leaves.is_empty() {
            prover.run_sweep(&mut self.worker.machine, &sweep)?;
        }
        // 4. Proofs.
        if prover.has_one_sum {
            for (way, &start) in ways.iter().zip(&starts) {
                if let Chooser::One(role) = self.tree[last(way)].chooser
                    && (0..2).any(|attacker| prover.is_settled(start, attacker))
                {
                    self.adopt(prover, start, way, role);
                }
            }
        }
        Ok(!sweep.leaves.is_empty())
    }

    /// Narrows the bounds of the last node of `way`, whose place is `start`, and of the nodes above.
    fn adopt(&mut self, prover: &mut Prover<M::State>, start: NodeId, way: &[NodeId], mover: Role) {
        let Some(&id) = way.last() else { return };
        let before: Vec<Bounds> = self.tree.stats(id).iter().map(|stats| stats.bounds).collect();
        let bounds = prover.bounds(start);
        for (role, bounds) in bounds.into_iter().enumerate() {
            self.tree.narrow(id, role, bounds.low, bounds.high);
        }
        if self.tree.is_exact(id) {
            self.tree[id].distance = prover.graph[start].distance;
        }
        let after = self.tree.stats(id).iter().map(|stats| stats.bounds);
        if after.eq(before) {
            return;
        }
        prover.counts.proofs += 1;
        let mut way = way.to_vec();
        // The winning move, or at the root all settled moves.
        let is_root = way.len() == 1;
        let edges = prover.graph[start].edges.clone();
        let mut adopted = None;
        if prover.graph[start].phase == Known::Expanded {
            for edge in &edges {
                let bounds = prover.bounds(edge.child);
                let wins = bounds[mover.index()].low == prover.best[mover.index()];
                if wins || is_root && bounds.iter().all(|bounds| bounds.low == bounds.high) {
                    adopted = self.adopt_child(prover, id, edge.mv, edge.child, mover).or(adopted);
                    if wins && !is_root {
                        break;
                    }
                }
            }
        }
        way.extend(adopted);
        self.tree.prove_above(&way, self.chance);
    }

    fn adopt_child(
        &mut self,
        prover: &Prover<M::State>,
        id: NodeId,
        mv: ggp_game::Move,
        place: NodeId,
        mover: Role,
    ) -> Option<NodeId> {
        let range = self.tree.arm_range(id, mover);
        let arm = range.clone().find(|&arm| self.tree[id].arms[arm].mv == mv)?;
        let mut child = self.tree[id].arms[arm].child;
        if !child.is_some() {
            let state = &prover.graph[place].state;
            child = match self.tree.find(state) {
                Some(child) => child,
                None => {
                    let heap = self.worker.machine.heap_bytes(state);
                    self.tree.add(state.clone(), heap)
                }
            };
            let other = 1 - mover.index();
            let mut chosen = [0u32; 2];
            chosen[mover.index()] = arm as u32;
            chosen[other] = self.tree.arm_range(id, Role(other as u8)).start as u32;
            self.tree.link(id, &chosen, child);
        }
        let bounds = prover.bounds(place);
        for (role, bounds) in bounds.into_iter().enumerate() {
            self.tree.narrow(child, role, bounds.low, bounds.high);
        }
        if self.tree.is_exact(child) {
            self.tree[child].distance = prover.graph[place].distance;
        }
        Some(child)
    }
}

impl<S: Clone + Eq + std::hash::Hash> Prover<S> {
    fn is_settled(&self, id: NodeId, attacker: usize) -> bool {
        self.graph.numbers(id, attacker).is_settled()
    }

    /// The bounds of both roles' goals that the numbers of a place prove.
    fn bounds(&self, id: NodeId) -> [Bounds; 2] {
        let sum = self.sum.unwrap_or(100) as u8;
        let mut bounds = [Bounds::UNKNOWN; 2];
        for role in 0..2 {
            let numbers = self.graph.numbers(id, role);
            let other = 1 - role;
            if numbers.proof == 0 {
                bounds[role] = Bounds::exact(self.best[role]);
                bounds[other] = Bounds::exact(sum.saturating_sub(self.best[role]));
            } else if numbers.disproof == 0 {
                bounds[role].high = bounds[role].high.min(self.next[role]);
                bounds[other].low = bounds[other].low.max(sum.saturating_sub(self.next[role]));
            }
        }
        bounds
    }
}
