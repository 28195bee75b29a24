//! `Search`: one machine, the tree of states below the current state, and the learned statistics.
//!
//! If a run has one thread, and a number of iterations as its only limit, its result depends only on the
//! options, the machine and the previous calls. Machines with the same rules and the same number of lanes
//! (playouts at once) give the same result.

use crate::beam::Beam;
use crate::conditions::ConditionSearch;
use crate::descend::Selection;
use crate::evaluation::Evaluation;
use crate::history::History;
use crate::id::NodeId;
use crate::options::MctsOptions;
use crate::prior::{PriorModel, Regression};
use crate::regret::REGRET_HORIZON;
use crate::select::Exploration;
use crate::subgames::Subgames;
use crate::technique::{Technique, Techniques};
use crate::time_estimate::TimeEstimate;
use crate::tree::Tree;
use crate::variation::Variation;
use crate::worker::Worker;
use crate::worker_pool::WorkerPool;
use ggp_game::{Draft, Goals, Move, Playouts, Preference, Role};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A search that can be run, queried, continued, and advanced with a match.
///
/// [`Search::run`] grows the tree until a limit is reached. [`Search::best_move`], [`Search::strategy`] and
/// [`Search::report`] give the result for one role. [`Search::advance`] advances the root by a joint move of
/// the match.
#[derive(Debug)]
pub struct Search<M: Playouts> {
    pub(crate) tree: Tree<M::State>,
    pub(crate) options: MctsOptions,
    /// The working data of the thread that currently holds the lock of the tree.
    pub(crate) worker: Worker<M>,
    /// The thread pool and the working data of its threads; see [`crate::parallel`].
    pub(crate) pool: WorkerPool<M>,
    /// A buffer that holds one move from each equivalence class of a role's moves.
    pub(crate) distinct: Vec<Move>,
    pub(crate) goals: Vec<Goals>,
    pub(crate) chance: Option<Role>,
    /// The measured time of one batch.
    pub(crate) batch_time: TimeEstimate,
    pub(crate) counts: RunCounts,
    /// The enabled techniques if the game has two roles beside chance, otherwise none. Techniques that suit
    /// only two players are looked up in this set instead of the options: regret matching converges to an
    /// equilibrium only in zero-sum games, and decisive moves, the secure child and security levels are
    /// unsound when a third role can intervene.
    pub(crate) two_player: Techniques,
    /// The largest number of steps from the root to the end of a playout. The number for a batch is the depth
    /// of its deepest descent plus the length of its longest playout. `usize::MAX` before the first batch
    /// from this root.
    pub(crate) horizon: usize,
    /// The best variation found, in games of one role.
    pub(crate) best_variation: Option<Variation>,
    /// The beam search, in games of one role.
    pub(crate) beam: Option<Beam<M::State>>,
    /// The search over the conditions of the goal, in games of one role.
    pub(crate) conditions: Option<ConditionSearch<M::State>>,
    /// The width with which the next beam search starts: half of the final width of the beam search from
    /// the previous root. `None` if no beam search has run yet.
    pub(crate) beam_width: Option<usize>,
    /// The searches of the independent subgames, in games of one role. `None` if the game has no subgames.
    pub(crate) subgames: Option<Subgames<M>>,
    /// The history of the moves in playouts and on the paths of their descents.
    pub(crate) history: History,
    /// The history of the moves on the paths of descents alone.
    pub(crate) descended: History,
    pub(crate) regression: Regression,
    pub(crate) prior_model: PriorModel,
    /// A buffer for the advantages of one role's arms.
    pub(crate) advantages: Vec<f32>,
    /// The moves that playouts prefer (MAST).
    pub(crate) preferred: Option<Arc<Preference>>,
    /// The role whose best move a run writes to a draft, and the time of the last such move. `None` without a draft.
    pub(crate) draft: Option<(Role, Draft, Instant)>,
    /// The learnt policy.
    pub(crate) policy: Option<Arc<crate::policy::Policy>>,
    /// The evaluation of leaves for minimax values; `None` if the search does without them.
    pub(crate) evaluation: Option<Evaluation>,
    /// The nodes that have enough visits for the policy, which has not been asked about them yet.
    pub(crate) awaiting_policy: Vec<NodeId>,
    /// The number of batches begun so far.
    pub(crate) batches: u64,
    /// The number of iterations that have begun and are not backed up yet.
    pub(crate) in_flight: u64,
}

/// The work done since the counts were last reset.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RunCounts {
    pub(crate) iterations: u64,
    pub(crate) playouts: u64,
    pub(crate) elapsed: Duration,
}

impl<M: Playouts> Search<M> {
    /// The machine of the search.
    pub fn machine(&mut self) -> &mut M {
        &mut self.worker.machine
    }

    /// The state of the root.
    pub fn state(&self) -> &M::State {
        &self.tree[self.tree.root()].state
    }

    /// The selection parameters of the next batch.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            exploration: Exploration {
                constant: self.options.exploration,
                many_arms: if self.two_player.has(Technique::Breadth) {
                    self.options.constants.many_arms
                } else {
                    f64::INFINITY
                },
                certainty: self.options.constants.certainty as f32,
            },
            chance: self.chance,
            uses_regrets: self.uses_regrets(),
            stops_at_proofs: self.options.has(Technique::Solver),
            uses_security_levels: self.two_player.has(Technique::Floor),
            prior: self.has_history().then_some(self.prior_model),
        }
    }

    /// Whether roles with simultaneous moves choose by regret matching. They do so only if no playout so far
    /// has ended more than [`crate::regret::REGRET_HORIZON`] steps below the root.
    pub(crate) fn uses_regrets(&self) -> bool {
        self.two_player.has(Technique::Regret) && self.horizon <= REGRET_HORIZON
    }

    /// The number of iterations that [`Search::report`] gives.
    pub fn iterations(&self) -> u64 {
        self.counts.iterations
    }

    /// The number of nodes in the tree.
    pub fn nodes(&self) -> usize {
        self.tree.len()
    }

    /// The size of the tree in bytes.
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// The number of playouts started since the search was created.
    pub fn playouts(&self) -> u64 {
        let others = self.pool.workers.iter().map(|worker| worker.simulation.started()).sum::<u64>();
        self.worker.simulation.started() + others
    }

    /// Whether the prior of arms comes from the history of moves. Games of one role do not use it: such a game
    /// needs one good variation, and the mean of a move says little about its best continuation.
    pub(crate) fn has_history(&self) -> bool {
        self.options.has(Technique::History) && self.tree.roles() > 1
    }

    /// The number of threads that search. It is 1 in games of one role, and on machines whose clones cannot
    /// exchange states and moves.
    pub fn threads(&self) -> usize {
        if self.tree.roles() > 1 && self.worker.machine.clones_agree() { self.options.threads } else { 1 }
    }
}
