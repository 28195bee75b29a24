//! `Search`: one machine, the tree of states below the current state, and the learned statistics.
//!
//! A run that is limited by iterations alone, with one thread, depends only on the options, the machine and
//! the calls made before. Machines with the same rules and the same number of lanes give the same result.

use crate::beam::Beam;
use crate::belief::{Belief, Evidence};
use crate::crew::Crew;
use crate::descend::Selection;
use crate::descent::Stand;
use crate::history::History;
use crate::id::NodeId;
use crate::limits::{Halt, Limits};
use crate::line::Line;
use crate::node::Phase;
use crate::options::MctsOptions;
use crate::pace::Pace;
use crate::regret::DRAWN_HORIZON;
use crate::subgames::Subgames;
use crate::technique::{Technique, Techniques};
use crate::tree::Tree;
use crate::worker::{Part, Worker};
use ggp_game::{EvalError, Goals, Move, Playouts, Preference, Role};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A search that can be run, queried, continued, and advanced with a match.
#[derive(Debug)]
pub struct Search<M: Playouts> {
    pub(crate) tree: Tree<M::State>,
    pub(crate) options: MctsOptions,
    /// The working data of the thread that holds the tree's lock.
    pub(crate) own: Worker<M>,
    /// The thread pool and the working data of the other threads; see [`crate::crew`].
    pub(crate) crew: Crew<M>,
    /// Scratch: one move of each equivalence class of a role's moves.
    pub(crate) first: Vec<Move>,
    pub(crate) goals: Vec<Goals>,
    pub(crate) chance: Option<Role>,
    /// The measured time of a batch.
    pub(crate) pace: Pace,
    pub(crate) counts: Counts,
    /// The enabled techniques if the game has two roles beside chance, else none. Two-player techniques read
    /// this set: regret matching converges to an equilibrium only in zero-sum games, and decisive moves, the
    /// secure child and floors are unsound when a third role can intervene.
    pub(crate) of_two: Techniques,
    /// The number of steps to the latest end of the game seen from the root; `usize::MAX` before the first
    /// batch.
    pub(crate) horizon: usize,
    /// The best line found, in games of one role.
    pub(crate) line: Option<Line>,
    /// The beam search, in games of one role.
    pub(crate) beam: Option<Beam<M::State>>,
    /// Half the final width of the previous root's beam search.
    pub(crate) beam_width: Option<usize>,
    /// The search of the independent subgames, in games of one role that have them.
    pub(crate) subgames: Option<Subgames<M>>,
    pub(crate) history: History,
    pub(crate) evidence: Evidence,
    pub(crate) belief: Belief,
    /// Scratch: the advantages of one role's arms.
    pub(crate) advantages: Vec<f32>,
    /// The moves that playouts prefer (MAST).
    pub(crate) preferred: Option<Arc<Preference>>,
    /// The number of batches begun so far.
    pub(crate) batches: u64,
    /// The number of iterations begun and not yet backed up.
    pub(crate) under_way: u64,
}

/// The work done since the counts were last reset.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    pub(crate) iterations: u64,
    pub(crate) playouts: u64,
    pub(crate) elapsed: Duration,
}

impl<M: Playouts> Search<M> {
    /// Creates a search from the machine's initial state.
    ///
    /// # Errors
    /// Those of the machine.
    pub fn new(mut machine: M, options: &MctsOptions) -> Result<Search<M>, EvalError> {
        let initial = machine.initial_state()?;
        Search::from_state(machine, options, initial)
    }

    /// Creates a search from `state`.
    ///
    /// # Errors
    /// Those of the machine.
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
            own: Worker::new(machine, options.seed(), options.has(Technique::Decisive)),
            crew: Crew::default(),
            first: Vec::new(),
            goals: vec![Goals::None; roles],
            chance,
            of_two: if are_two { options.techniques } else { Techniques::none() },
            pace: Pace::default(),
            counts: Counts::default(),
            horizon: usize::MAX,
            line: None,
            beam: None,
            beam_width: None,
            subgames,
            history: History::new(roles),
            evidence: Evidence::default(),
            belief: Belief::default(),
            advantages: Vec::new(),
            preferred: None,
            batches: 0,
            under_way: 0,
        };
        search.restart(state)?;
        Ok(search)
    }

    /// The machine of the search.
    pub fn machine(&mut self) -> &mut M {
        &mut self.own.machine
    }

    /// The state of the root.
    pub fn state(&self) -> &M::State {
        &self.tree[self.tree.root()].state
    }

    /// Makes `state` the root. Keeps the part of the tree below it.
    ///
    /// # Errors
    /// Those of the machine; the search is unchanged then.
    pub fn restart(&mut self, state: M::State) -> Result<(), EvalError> {
        let root = self.node_of(state)?;
        self.line = None;
        self.stand_in(root);
        Ok(())
    }

    /// Makes the state after `joint`, one move for each role, the root. The joint move need not be the one
    /// that the search prefers. Keeps the tree below the new root and recycles the rest incrementally.
    ///
    /// # Errors
    /// Those of the machine; the root is unchanged then.
    pub fn advance(&mut self, joint: &[Move]) -> Result<(), EvalError> {
        let line = self.line.take().and_then(|line| line.after(joint[0]));
        let mut root = self.child_by(joint);
        if !root.is_some() {
            let next = self.own.machine.next_state(&self.tree[self.tree.root()].state, joint)?;
            root = self.node_of(next)?;
        }
        self.line = line;
        self.stand_in(root);
        self.history.fade();
        Ok(())
    }

    /// Replaces the search by a new one from the current state, on a clone of the machine that has released
    /// its moves.
    ///
    /// # Errors
    /// Those of the machine; the search is unchanged then.
    pub(crate) fn renew(&mut self) -> Result<(), EvalError> {
        let mut machine = self.own.machine.clone();
        machine.release_moves();
        *self = Search::from_state(machine, &self.options, self.state().clone())?;
        Ok(())
    }

    /// Makes `root` the root of this tree and discards the beam search. The next beam search starts with half
    /// the width that the discarded one reached.
    fn stand_in(&mut self, root: NodeId) {
        self.tree.set_root(root);
        self.horizon = usize::MAX;
        if let Some(beam) = self.beam.take() {
            self.beam_width = Some(beam.width() / 2);
        }
        if let Some(subgames) = &mut self.subgames {
            subgames.restart();
        }
    }

    /// The root's child by `joint`; [`NodeId::NONE`] if it has no node yet.
    fn child_by(&self, joint: &[Move]) -> NodeId {
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

    /// Searches until a limit is reached.
    pub fn run(&mut self, limits: &Limits) -> Halt {
        let began = Instant::now();
        let halt = if self.threads() > 1 { self.iterate_together(limits) } else { self.iterate(limits) };
        self.counts.elapsed += began.elapsed();
        halt
    }

    /// The selection parameters of the next batch.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            exploration: self.options.exploration,
            chance: self.chance,
            draws: self.draws(),
            stops_at_proofs: self.options.has(Technique::Solver),
            has_floors: self.of_two.has(Technique::Floor),
            belief: self.has_history().then_some(self.belief),
        }
    }

    /// Whether roles with simultaneous moves draw by regret matching: the end of the game is near, as far as
    /// playouts have seen.
    pub(crate) fn draws(&self) -> bool {
        self.of_two.has(Technique::Regret) && self.horizon <= DRAWN_HORIZON
    }

    /// Removes the virtual loss of the current batch's descents.
    pub(crate) fn retreat(&mut self) {
        for descent in &self.own.part.descents {
            self.tree.retreat(&descent.path);
        }
    }

    /// Step 4, backpropagation, for all descents of the batch.
    pub(crate) fn back_up(&mut self, per_leaf: usize) {
        self.look_ahead();
        let logs = self.own.simulation.logs;
        let part = std::mem::take(&mut self.own.part);
        self.back_up_part(&part, per_leaf, logs);
        if logs {
            self.history.learn(&self.own.simulation.log);
            self.weigh(&part.descents, per_leaf);
            self.prefer();
            let root = self.tree.root();
            if self.tree[root].phase == Phase::Open {
                self.expect(root);
            }
        }
        self.own.part = part;
    }

    fn back_up_part(&mut self, part: &Part<M::State>, per_leaf: usize, logs: bool) {
        if self.options.has(Technique::Line) && self.tree.roles() == 1 {
            self.keep_line(&part.descents);
        }
        let mut played = part.shares.chunks_exact(self.tree.roles());
        let shared = self.options.has(Technique::Transpositions);
        let regrets = self.draws();
        for descent in &part.descents {
            if let Stand::Playing = descent.stand {
                let shares = played.next().unwrap_or(&[]);
                self.tree.back_up(&descent.path, shares, shared, regrets);
                if logs {
                    self.history.remember(&self.tree, &descent.path, shares, per_leaf);
                }
            } else {
                let stats = self.tree.stats(descent.path.leaf()).iter();
                let known: Vec<f64> = stats.map(|stats| stats.bounds.low_share()).collect();
                self.tree.back_up(&descent.path, &known, shared, regrets);
            }
            if self.options.has(Technique::Solver) {
                self.tree.prove(&descent.path, self.chance);
            }
        }
    }

    /// Updates the horizon from the depths of the batch's descents and its longest playout.
    fn look_ahead(&mut self) {
        let depths = self.own.part.descents.iter().map(|descent| descent.path.nodes().len());
        let (deepest, longest) = (depths.max().unwrap_or(1), self.own.simulation.longest);
        let seen = deepest - 1 + longest as usize;
        self.horizon = if self.horizon == usize::MAX { seen } else { self.horizon.max(seen) };
    }

    /// The number of legal moves of `role` at the root; 0 if the game is over there.
    ///
    /// # Errors
    /// Those of the machine.
    pub fn choices(&mut self, role: Role) -> Result<usize, EvalError> {
        self.open_root()?;
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Ended {
            return Ok(0);
        }
        Ok(self.tree.arms(root, role).len())
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
        let crew = self.crew.workers.iter().map(|worker| worker.simulation.started()).sum::<u64>();
        self.own.simulation.started() + crew
    }
}

#[cfg(test)]
mod tests {
    use super::Search;
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::technique::Technique;
    use crate::toys::{self, Rules, Toy};
    use ggp_game::{Move, Report, Role};
    use std::time::Duration;

    fn options() -> [MctsOptions; 2] {
        [MctsOptions::default(), MctsOptions::uct()]
    }

    fn searched<R: Rules>(machine: Toy<R>, options: &MctsOptions, iterations: u64) -> Search<Toy<R>> {
        let mut search = Search::new(machine, options).unwrap();
        search.run(&Limits::iterations(iterations));
        search
    }

    #[test]
    fn it_wins_and_blocks_in_one() {
        for options in options() {
            for (cells, best) in [([1, 1, 0, 2, 2, 0, 0, 0, 0], 2), ([1, 0, 0, 2, 2, 0, 1, 0, 0], 5)] {
                let mut state = cells.to_vec();
                state.push(0);
                let mut search = Search::from_state(toys::tic_tac_toe(), &options, state).unwrap();
                search.run(&Limits::iterations(800));
                assert_eq!(search.best_move(Role(0)), Ok(Some(Move(best))), "{:?}", search.report(Role(0)));
            }
        }
    }

    #[test]
    fn equal_seeds_give_equal_searches() {
        let report = |seed, iterations| -> Report {
            let options = MctsOptions { seed: Some(seed), ..MctsOptions::default() };
            let report = searched(toys::tic_tac_toe(), &options, iterations).report(Role(0));
            Report { elapsed: Duration::ZERO, ..report }
        };
        assert_eq!(report(1, 700), report(1, 700));
        assert_ne!(report(1, 700), report(2, 700));
    }

    #[test]
    fn a_run_in_pieces_is_the_same_run() {
        let mut pieces = Search::new(toys::tic_tac_toe(), &MctsOptions::default()).unwrap();
        for _ in 0..7 {
            assert_eq!(pieces.run(&Limits::iterations(100)), Halt::Iterations);
        }
        let whole = searched(toys::tic_tac_toe(), &MctsOptions::default(), 700).report(Role(0));
        assert_eq!(pieces.report(Role(0)).candidates, whole.candidates);
    }

    #[test]
    fn three_roles_each_want_their_own() {
        // The player who faces three or fewer takes all and wins. From 3 the win is immediate.
        let mut search = searched(toys::heap(3, 3), &MctsOptions::default(), 300);
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(3))));
        assert_eq!(search.choices(Role(1)), Ok(1));
    }

    #[test]
    fn ends_without_a_goal_or_with_several_count_as_in_playouts() {
        // Playouts start only from the root; the other states are terminal.
        let plain = searched(toys::ragged(4), &MctsOptions::uct(), 400);
        for candidate in plain.report(Role(0)).candidates {
            let state: usize = candidate.mv.parse().unwrap();
            let expected = 100.0 * toys::RAGGED[state - 1][0];
            assert!((candidate.score.unwrap() - expected).abs() < 1e-6, "{candidate:?}");
        }
        let mut proved = Search::new(toys::ragged(4), &MctsOptions::default()).unwrap();
        assert_eq!(proved.run(&Limits::iterations(100)), Halt::Decided);
        assert_eq!(proved.best_move(Role(0)), Ok(Some(Move(3))));
        assert_eq!(proved.report(Role(0)).candidates[0].proven, Some(100));
    }

    #[test]
    fn chance_is_averaged_and_not_wished_for() {
        for options in options() {
            let mut search = searched(toys::gamble(), &options, 2000);
            assert_eq!(search.best_move(Role(0)), Ok(Some(Move(1))));
            let report = search.report(Role(0));
            let coin = report.candidates.iter().find(|candidate| candidate.mv == "2").unwrap();
            // The solver proves 60 for the safe move, so the coin is tried only until it scores worse.
            assert!(options.has(Technique::Solver) || (coin.score.unwrap() - 53.3).abs() < 4.0, "{coin:?}");
        }
    }

    #[test]
    fn simultaneous_moves_mix_where_nothing_dominates_and_settle_where_they_can() {
        let (all, none) = ([100, 100], [0, 0]);
        let mut coordination =
            searched(toys::matrix(&[&[all, none], &[none, all]]), &MctsOptions::default(), 3000);
        assert_eq!(coordination.best_move(Role(0)), coordination.best_move(Role(1)));
        assert!(coordination.report(Role(0)).candidates[0].score > Some(95.0));

        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let rps =
            searched(toys::matrix(&[&[d, l, w], &[w, d, l], &[l, w, d]]), &MctsOptions::default(), 6000);
        for role in [Role(0), Role(1)] {
            for candidate in rps.report(role).candidates {
                assert!((1000..=3000).contains(&candidate.visits), "{candidate:?}");
            }
        }
    }

    #[test]
    fn a_game_that_goes_in_circles_is_searched_to_its_end() {
        for options in options() {
            let options =
                MctsOptions { techniques: options.techniques.with(Technique::Line, false), ..options };
            let search = searched(toys::ring(), &options, 2000);
            let report = search.report(Role(0));
            assert!(report.candidates.iter().all(|c| c.score > Some(80.0)), "{report:?}");
            assert_eq!(
                options.has(Technique::Transpositions),
                search.nodes() <= 10,
                "{} nodes",
                search.nodes()
            );
        }
    }

    #[test]
    fn the_tree_goes_along_with_the_match() {
        for options in options() {
            let mut search = searched(toys::tic_tac_toe(), &options, 2000);
            let before = search.nodes();
            search.advance(&[Move(4), Move(toys::NOOP)]).unwrap();
            assert_eq!(search.state()[4], 1);
            let kept: u64 = search.report(Role(1)).candidates.iter().map(|c| c.visits).sum();
            assert!(kept > 200, "{kept}");
            search.run(&Limits::iterations(1000));
            let most = kept as usize + 1010;
            assert!(search.nodes() < most.min(before + 1000), "{} of {before}, {kept} kept", search.nodes());
            for mv in [[toys::NOOP, 0], [1, toys::NOOP], [toys::NOOP, 2], [7, toys::NOOP]] {
                search.advance(&mv.map(Move)).unwrap();
            }
            assert_eq!(search.run(&Limits::iterations(10)), Halt::Decided);
            assert_eq!(search.best_move(Role(0)), Ok(Some(Move(toys::NOOP))), "not in control, still legal");
        }
    }

    #[test]
    fn a_tree_that_has_no_room_still_grows_where_it_matters() {
        let options = MctsOptions { memory: 1, ..MctsOptions::uct() };
        let mut search = Search::new(toys::tic_tac_toe(), &options).unwrap();
        let mut most = 0;
        let mut least = usize::MAX;
        for _ in 0..60 {
            search.run(&Limits::iterations(1000));
            most = most.max(search.nodes());
            least = if search.nodes() < most { least.min(search.nodes()) } else { least };
            assert!(search.bytes() < 1 << 20, "{}", search.bytes());
        }
        assert!(least < most / 2, "{least} of {most}: nothing was given up");
        // All frequently visited nodes are kept: the best line down to the end of the game.
        let root = search.tree.root();
        let (mut id, mut depth) = (root, 0);
        while let Some(arm) = search.tree[id].arms.iter().max_by_key(|arm| arm.visits)
            && arm.child.is_some()
        {
            (id, depth) = (arm.child, depth + 1);
        }
        assert!(depth >= 6, "{depth}");
    }

    #[test]
    fn memory_is_bounded_and_the_search_goes_on_without_growing() {
        let options = MctsOptions { memory: 1, ..MctsOptions::uct() };
        let mut search = Search::new(toys::tic_tac_toe(), &options).unwrap();
        assert_eq!(search.run(&Limits::iterations(30_000)), Halt::Iterations);
        assert!(search.bytes() < (1 << 20) + 4096, "{}", search.bytes());
        assert_eq!(search.run(&Limits::default().or_when_full()), Halt::Full);
        let full = search.nodes();
        search.run(&Limits::iterations(1000));
        assert!(search.nodes() <= full);
    }
}
