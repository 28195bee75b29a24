//! The search in a running match.

use super::InformationSetOptions;
use super::belief::Belief;
use super::descend::{Descent, End, Selection};
use super::node::{Node, best};
use super::tree::Tree;
use crate::regret::is_mixed;
use crate::turn::DRAFT_EVERY;
use ggp_game::rng::Sequence;
use ggp_game::{
    Clocks, Deadline, Draft, EvalError, InformationSet, Move, Observation, PlayError, PlayoutPlan, Playouts,
    Recall, Recalled, Role, StateMachine, StopToken,
};
use std::time::{Duration, Instant};

/// The maximum number of states in the information set of the player's role.
const STATES: usize = 1000;

/// The number of descents whose playouts are played together.
const BATCH: u64 = 8;

/// In a match in which several roles choose, one of this many iterations begins at the start.
const FROM_START: u64 = 4;

/// The first number of iterations after which the states are weighed again. Later numbers are powers of 2 times
/// it.
const WEIGHED_AFTER: u64 = 64;

/// The player's data for its current match.
pub(super) struct RunningMatch<M: Playouts> {
    pub(super) recall: Recall<M>,
    pub(super) belief: Belief<M>,
    /// The roles that choose moves: all but `random`.
    choosers: Vec<Role>,
    pub(super) tree: Tree,
    pub(super) clocks: Clocks,
    pub(super) random: Sequence,
    pub(super) selection: Selection,
    playouts: u64,
    iterations: u64,
    /// The arms whose visits of the current batch count without a value so far, each with the key of its node.
    pub(super) pending: Vec<(u64, usize)>,
}

impl<M: Playouts> RunningMatch<M> {
    /// A match that begins now. The player has `role`.
    pub(super) fn new(
        machine: M,
        role: Role,
        clocks: Clocks,
        options: &InformationSetOptions,
    ) -> Result<RunningMatch<M>, EvalError> {
        let mut recall = Recall::new(machine);
        let half = options.memory / 2;
        let set = InformationSet::initial_within(&mut recall, role, STATES, half)?;
        let game = recall.game();
        let choosers: Vec<Role> = game.roles().filter(|&role| Some(role) != game.nature()).collect();
        let selection = match choosers[..] {
            [_] => Selection::Ucb(options.exploration),
            _ => Selection::RegretMatching,
        };
        Ok(RunningMatch {
            recall,
            belief: Belief::new(set),
            choosers,
            tree: Tree::new(half),
            clocks,
            random: Sequence::new(options.seed),
            selection,
            playouts: 0,
            iterations: 0,
            pending: Vec::new(),
        })
    }

    /// Updates the information set with an observation.
    pub(super) fn update_states(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let seed = match seen {
            Observation::Percepts { .. } => self.random.below(1 << 30) as u64,
            // Nothing is sampled.
            Observation::Start | Observation::Moves(_) => 0,
        };
        self.belief.set.follow(&mut self.recall, seen, seed)
    }

    /// Frees memory before the search for a move, if much of it is in use.
    pub(super) fn free_memory(&mut self) {
        let has_many_moves = self.recall.has_many_moves();
        if has_many_moves {
            self.recall.release_moves();
        }
        // The nodes hold moves.
        if has_many_moves || self.tree.is_half_full() {
            self.tree.clear();
        }
    }

    /// Replaces `own` by the legal moves of the player's role.
    pub(super) fn legal_moves(&mut self, own: &mut Vec<Move>) -> Result<(), EvalError> {
        self.belief.set.legal_moves(&mut self.recall, own)
    }

    /// The state in which the next descent begins, and the role whose statistics it updates. `None` if no state
    /// is possible.
    ///
    /// Most descents begin in a state that the player's role considers possible, and update this role. Another
    /// role considers other states possible. If it learnt in the states of the player's information set, it
    /// would learn to answer moves that it cannot see. Its strategy is therefore updated only by descents from
    /// the start, which also update the choices that the player's role would have had with other percepts.
    fn root(&mut self) -> Option<(Recalled<M::State>, Role)> {
        let number = self.iterations;
        self.iterations += 1;
        if self.choosers.len() > 1 {
            let is_at_start = self.belief.set.history().is_empty();
            if is_at_start || number.is_multiple_of(FROM_START) {
                let cycle = if is_at_start { number } else { number / FROM_START };
                let role = self.choosers[(cycle % self.choosers.len() as u64) as usize];
                return Some((self.belief.set.start().clone(), role));
            }
        }
        self.belief.draw(&mut self.random).map(|state| (state.clone(), self.belief.set.role()))
    }

    /// Makes `count` iterations. After an error, the statistics are those before it.
    fn iterate(&mut self, count: u64) -> Result<(), EvalError> {
        self.pending.clear();
        let made = self.play_batch(count);
        if made.is_err() {
            for (key, arm) in self.pending.drain(..) {
                if let Some(node) = self.tree.get_mut(key) {
                    node.withdraw(arm);
                }
            }
        }
        made
    }

    fn play_batch(&mut self, count: u64) -> Result<(), EvalError> {
        // 1. Descend.
        let mut descents = Vec::new();
        let mut starts = Vec::new();
        for _ in 0..count {
            let Some((state, role)) = self.root() else { break };
            let mut descent = self.descend(state, role)?;
            if let End::Choice { after, .. } = &mut descent.end {
                starts.append(after);
            }
            descents.push(descent);
        }
        // 2. Play one playout after each move of each choice.
        let plan =
            PlayoutPlan { first: self.playouts, ..PlayoutPlan::new(self.random.below(1 << 30) as u64) };
        self.playouts += starts.len() as u64;
        let mut roles = Vec::with_capacity(starts.len());
        for descent in &descents {
            if let End::Choice { moves, .. } = &descent.end {
                roles.extend(moves.iter().map(|_| descent.role.index()));
            }
        }
        let mut values = vec![0.0; starts.len()];
        self.recall.machine().playouts(&starts, plan, &mut |playout| {
            let goals = playout.goals[roles[playout.index]];
            let cut_off = !playout.terminal && playout.steps >= plan.max_steps;
            values[playout.index] = if cut_off { goals.estimate() } else { goals.score() }.share();
        })?;
        // 3. Update the statistics.
        let mut values = values.as_slice();
        for descent in &descents {
            let count = if let End::Choice { moves, .. } = &descent.end { moves.len() } else { 0 };
            let (own, rest) = values.split_at(count);
            values = rest;
            self.backpropagate(descent, own);
        }
        Ok(())
    }

    /// Updates the statistics with a descent. `values` has the value of each move of the choice in which the
    /// descent ends.
    fn backpropagate(&mut self, descent: &Descent<M::State>, values: &[f64]) {
        let mut value = match &descent.end {
            End::Valued(value) => *value,
            End::Choice { key, moves, reach, .. } => {
                let uniform = values.iter().sum::<f64>() / values.len() as f64;
                match self.tree.node(*key, moves) {
                    Some(node) if node.moves().len() == values.len() => {
                        let greedy = best(node.arms().iter().map(|arm| arm.mean().unwrap_or(0.0)));
                        let mean = node.observe_all(values, *reach);
                        match self.selection {
                            Selection::RegretMatching => mean,
                            Selection::Ucb(_) if node.visits() > 1 => values[greedy],
                            Selection::Ucb(_) => uniform,
                        }
                    }
                    _ => uniform,
                }
            }
        };
        for step in descent.steps.iter().rev() {
            let Some(node) = self.tree.get_mut(step.key) else { continue };
            match self.selection {
                Selection::Ucb(_) => node.resolve(step.arm, value),
                Selection::RegretMatching => {
                    value = node.observe(step.arm, value, step.probability, step.reach);
                }
            }
        }
    }

    /// Searches until `iterations` are done, `stop` is raised, or the next batch might end after `deadline`. Keeps
    /// `draft` up to date, with a choice among the moves `own`. Returns the number of iterations done.
    pub(super) fn search(
        &mut self,
        own: &[Move],
        iterations: Option<u64>,
        deadline: Deadline,
        stop: &StopToken,
        draft: &Draft,
    ) -> Result<u64, EvalError> {
        // A draft must not take numbers of the search's random stream: it depends on the time.
        let point = self.random.clone().between(0.0..1.0);
        let mut drafted: Option<Instant> = None;
        // A batch is expected to take as long as the longest batch so far, and starts only if twice that
        // time is left.
        let mut longest = Duration::ZERO;
        let mut done = 0;
        let mut weighed_at = 0;
        while !stop.is_stopped() && deadline.remaining().is_none_or(|left| left > 2 * longest) {
            let left = iterations.map_or(BATCH, |all| BATCH.min(all - done));
            if left == 0 {
                break;
            }
            if done >= weighed_at {
                self.belief.weigh(&self.recall, &self.tree);
                weighed_at = (2 * done).max(WEIGHED_AFTER);
            }
            let batch = Instant::now();
            match self.iterate(left) {
                // The statistics of the earlier batches stand.
                Err(EvalError::Interrupted) => break,
                iterated => iterated?,
            }
            done += left;
            longest = longest.max(batch.elapsed());
            if drafted.is_none_or(|last| last.elapsed() >= DRAFT_EVERY) {
                let text = |at: usize| self.recall.move_text(own[at]).to_owned();
                draft.set(self.preferred(own, point).map(text));
                drafted = Some(Instant::now());
            }
        }
        Ok(done)
    }

    /// The node of the current choice.
    pub(super) fn node(&self) -> Option<&Node> {
        let (state, _) = self.belief.set.states().first()?;
        self.tree.get(state.observed(self.belief.set.role()).key())
    }

    /// The chosen move among `own`, by its index. It is drawn by the average strategy if several roles choose,
    /// otherwise it has the best mean among the moves with the most visits. Without statistics, it is a random
    /// move.
    pub(super) fn choose(&mut self, own: &[Move]) -> usize {
        let random = self.random.between(0.0..1.0);
        let any = ((random * own.len() as f64) as usize).min(own.len() - 1);
        self.preferred(own, random).unwrap_or(any)
    }

    /// The probability with which [`RunningMatch::choose`] draws each of `own`. `None` if the choice is no draw.
    pub(super) fn strategy(&self, own: &[Move]) -> Option<Vec<f64>> {
        let node = self.known(own).filter(|_| matches!(self.selection, Selection::RegretMatching))?;
        Some(node.purified_strategy()).filter(|strategy| is_mixed(strategy))
    }

    /// The node of the role's present state, if it has statistics of the moves `own`.
    fn known(&self, own: &[Move]) -> Option<&Node> {
        self.node().filter(|node| node.visits() > 0 && node.moves() == own)
    }

    /// The index of the move that the statistics choose among `own`; `random` is a point from 0 to 1 for the draw.
    fn preferred(&self, own: &[Move], random: f64) -> Option<usize> {
        let node = self.known(own)?;
        Some(match self.selection {
            Selection::RegretMatching => node.draw_purified(random),
            Selection::Ucb(_) => node.most_visited(),
        })
    }

    /// The number of playouts since the start of the match.
    pub(super) fn playouts(&self) -> u64 {
        self.playouts
    }
}
