//! The report of a search: candidate moves and the principal variation.

use crate::id::NodeId;
use crate::node::{Chooser, Phase};
use crate::regret::is_mixed;
use crate::search::Search;
use ggp_game::{Candidate, Move, Playouts, Role, SearchReport};
use std::cmp::Reverse;

/// The maximum length of the principal variation, in joint moves.
const PRINCIPAL_STEPS: usize = 32;

/// The principal variation ends at a node with fewer visits than this: such statistics are noise.
const PRINCIPAL_VISITS: u32 = 4;

impl<M: Playouts> Search<M> {
    /// Reports the statistics of `role`'s moves at the root. The first candidate is the move that the
    /// search plays, except where the role draws its move from a mixed strategy; each candidate then has its
    /// probability. The other candidates are sorted by visits, then by text. The list of candidates is empty
    /// while the root's legal moves are unknown.
    pub fn report(&self, role: Role) -> SearchReport {
        let root = self.tree.root();
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut best = None;
        if self.tree[root].phase == Phase::Open {
            best = self.deterministic_move(role).map(|mv| self.worker.machine.move_text(mv));
            let mixed = self.mixed_strategy(role).filter(|strategy| is_mixed(strategy));
            candidates.extend(self.tree.arms(root, role).iter().enumerate().map(|(place, arm)| Candidate {
                mv: self.worker.machine.move_text(arm.mv).to_owned(),
                visits: u64::from(arm.visits),
                score: arm.mean().map(|mean| mean * 100.0),
                proven: self.proven_by_variation(arm.mv).or(arm.bounds.proven()),
                probability: mixed.as_ref().map(|strategy| strategy[place]),
            }));
            if let [only] = &mut candidates[..] {
                // A role's only move keeps no statistics, so the node's statistics are reported.
                only.visits = u64::from(self.tree[root].visits);
                only.proven = self.tree.stats(root)[role.index()].bounds.proven();
                only.score = (only.visits > 0).then(|| self.tree.mean(root, role.index()) * 100.0);
            }
        }
        candidates.sort_by_cached_key(|one| (best != Some(&one.mv), Reverse(one.visits), one.mv.clone()));
        SearchReport {
            candidates,
            iterations: self.counts.iterations,
            playouts: self.counts.playouts,
            nodes: self.nodes() as u64,
            elapsed: self.counts.elapsed,
            principal: self.principal_variation(),
        }
    }

    /// The goal 100 if the best variation begins with `mv` and reaches the goal 100; otherwise `None`.
    fn proven_by_variation(&self, mv: Move) -> Option<u8> {
        let best = self.best_variation.as_ref()?;
        (best.share >= 1.0 && best.next() == Some(mv)).then_some(100)
    }

    /// The principal variation. In games of one role it is the best variation found. Otherwise it consists of
    /// the best arms at the root and the most visited arms below the root. Even for a
    /// role that plays a mixed strategy, it shows the best arm, not a random draw.
    fn principal_variation(&self) -> Vec<Vec<String>> {
        let text = |mv: Move| self.worker.machine.move_text(mv).to_owned();
        if let Some(best) = &self.best_variation {
            return best.moves().take(PRINCIPAL_STEPS).map(|mv| vec![text(mv)]).collect();
        }
        let mut line = Vec::new();
        let mut id = self.tree.root();
        while line.len() < PRINCIPAL_STEPS {
            let node = &self.tree[id];
            if node.phase != Phase::Open || node.visits < PRINCIPAL_VISITS {
                break;
            }
            let most = |role| self.most_visited(id, role);
            let best = |role| self.best_arm(Role(role as u8)).map_or_else(|| most(role), |arm| arm as u32);
            let is_root = id == self.tree.root();
            let chosen = (0..self.tree.roles()).map(|role| if is_root { best(role) } else { most(role) });
            let chosen: Vec<u32> = chosen.collect();
            line.push(chosen.iter().map(|&arm| text(node.arms[arm as usize].mv)).collect());
            id = node.child(&chosen);
            if !id.is_some() {
                break;
            }
        }
        line
    }

    fn most_visited(&self, id: NodeId, role: usize) -> u32 {
        let range = self.tree.arm_range(id, Role(role as u8));
        let node = &self.tree[id];
        let first = range.start;
        if node.chooser == Chooser::Nobody {
            return first as u32;
        }
        range.max_by_key(|&arm| (node.arms[arm].visits, Reverse(node.arms[arm].mv))).unwrap_or(first) as u32
    }
}
