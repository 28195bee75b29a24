//! The root of a search: its creation, and its advance with a match.

use crate::history::History;
use crate::id::NodeId;
use crate::node::Phase;
use crate::options::MctsOptions;
use crate::prior::{PriorModel, Regression};
use crate::search::{RunCounts, Search};
use crate::subgames::Subgames;
use crate::technique::{Technique, Techniques};
use crate::time_estimate::TimeEstimate;
use crate::tree::Tree;
use crate::worker::Worker;
use crate::worker_pool::WorkerPool;
use ggp_game::{EvalError, Goals, Move, Playouts, Role};

impl<M: Playouts> Search<M> {
    /// Creates a search from the machine's initial state.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn new(mut machine: M, options: &MctsOptions) -> Result<Search<M>, EvalError> {
        let initial = machine.initial_state()?;
        Search::from_state(machine, options, initial)
    }

    /// Creates a search from `state`.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn from_state(
        mut machine: M,
        options: &MctsOptions,
        state: M::State,
    ) -> Result<Search<M>, EvalError> {
        if options.has(Technique::Decisive) {
            machine.prepare_decisive();
        }
        let subgames = if options.has(Technique::Subgames) { Subgames::of(&mut machine) } else { None };
        let game = machine.game().clone();
        let roles = game.role_count();
        let chance = game.nature();
        let are_two = roles - usize::from(chance.is_some()) == 2;
        let mut search = Search {
            tree: Tree::new(roles, options.memory_bytes(), options.has(Technique::Transpositions)),
            options: options.clone(),
            worker: Worker::new(machine, options.seed(), options.has(Technique::Decisive)),
            pool: WorkerPool::default(),
            distinct: Vec::new(),
            goals: vec![Goals::None; roles],
            chance,
            two_player: if are_two { options.techniques } else { Techniques::none() },
            batch_time: TimeEstimate::default(),
            counts: RunCounts::default(),
            horizon: usize::MAX,
            best_variation: None,
            beam: None,
            conditions: None,
            beam_width: None,
            subgames,
            history: History::new(roles),
            descended: History::new(roles),
            regression: Regression::default(),
            prior_model: PriorModel::default(),
            advantages: Vec::new(),
            preferred: None,
            draft: None,
            policy: None,
            evaluation: None,
            awaiting_policy: Vec::new(),
            batches: 0,
            in_flight: 0,
        };
        search.restart(state)?;
        Ok(search)
    }

    /// Makes `state` the root. Keeps the part of the tree below the new root.
    ///
    /// # Errors
    /// The machine's errors. The search is then unchanged.
    pub fn restart(&mut self, state: M::State) -> Result<(), EvalError> {
        let root = self.node_of(state)?;
        self.best_variation = None;
        self.set_root(root);
        Ok(())
    }

    /// Makes the state after `joint` the root. `joint` holds one move for each role; these need not be the
    /// moves that the search prefers. Keeps the tree below the new root and recycles the rest
    /// incrementally.
    ///
    /// ```
    /// use ggp_game::{Game, Interpreter, Role, StateMachine};
    /// use ggp_search::{Limits, MctsOptions, Search};
    /// use std::sync::Arc;
    ///
    /// let rules = "(role you) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (<= (at ?n) (true (at ?n)))
    ///     (legal you walk) (legal you rest) (<= terminal (at 3)) (<= (goal you 100) (at 3))
    ///     (<= (goal you 0) (not (at 3))) (<= (next (at ?n)) (does you rest) (at ?n))
    ///     (<= (next (at ?m)) (does you walk) (at ?n) (succ ?n ?m))";
    /// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    /// let mut search = Search::new(Interpreter::new(&game), &MctsOptions::default()).unwrap();
    /// search.run(&Limits::iterations(50));
    /// assert_eq!(search.choices(Role(0)), Ok(2));
    /// let walk = search.machine().parse_move("walk").unwrap();
    /// for _ in 0..3 {
    ///     search.advance(&[walk]).unwrap();
    /// }
    /// // The game is over at the new root.
    /// assert_eq!(search.choices(Role(0)), Ok(0));
    /// ```
    ///
    /// # Errors
    /// The machine's errors. The root is then unchanged.
    pub fn advance(&mut self, joint: &[Move]) -> Result<(), EvalError> {
        let mut root = self.child_after(joint);
        if !root.is_some() {
            let next = self.worker.machine.next_state(&self.tree[self.tree.root()].state, joint)?;
            root = self.node_of(next)?;
        }
        self.best_variation = self.best_variation.take().and_then(|variation| variation.after(joint[0]));
        self.set_root(root);
        self.history.decay();
        self.descended.decay();
        Ok(())
    }

    /// Replaces the search by a new one that starts from the current state. The new search works on a clone
    /// of the machine whose move table has been emptied, to free memory.
    ///
    /// # Errors
    /// The machine's errors. The search is then unchanged.
    pub(crate) fn renew(&mut self) -> Result<(), EvalError> {
        let mut machine = self.worker.machine.clone();
        machine.release_moves();
        *self = Search::from_state(machine, &self.options, self.state().clone())?;
        Ok(())
    }

    /// Makes `root` the root of the tree and discards the beam search and the search over
    /// conditions. The next beam search starts with half of
    /// the width that the discarded one reached.
    fn set_root(&mut self, root: NodeId) {
        self.tree.set_root(root);
        self.horizon = usize::MAX;
        if let Some(beam) = self.beam.take() {
            self.beam_width = Some(beam.width() / 2);
        }
        self.conditions = None;
        if let Some(subgames) = &mut self.subgames {
            subgames.restart();
        }
    }

    /// The node of the state that `joint` leads to from the root; [`NodeId::NONE`] if that state has no
    /// node yet.
    fn child_after(&self, joint: &[Move]) -> NodeId {
        let root = self.tree.root();
        if self.tree[root].phase != Phase::Open {
            return NodeId::NONE;
        }
        let arm_of = |(role, &mv): (usize, &Move)| {
            let mut range = self.tree.arm_range(root, Role(role as u8));
            range.find(|&arm| self.tree[root].arms[arm].mv == mv).map(|arm| arm as u32)
        };
        let chosen: Option<Vec<u32>> = joint.iter().enumerate().map(arm_of).collect();
        chosen.map_or(NodeId::NONE, |chosen| self.tree[root].child(&chosen))
    }

    /// The number of legal moves of `role` at the root; 0 if the game is over there.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn choices(&mut self, role: Role) -> Result<usize, EvalError> {
        self.open_root()?;
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Ended {
            return Ok(0);
        }
        Ok(self.tree.arms(root, role).len())
    }
}
