//! A prover beside the search: proof-number search (Allis et al. 1994) for games of two roles that move in turn
//! and whose goals have a constant sum.
//!
//! The propositions are that the first role wins and that the second role wins: that it gets its best goal.

mod expand;
mod feed;
mod graph;
mod numbers;

use self::expand::Answers;
use self::graph::{Graph, Phase};
use self::numbers::Numbers;
use crate::id::NodeId;
use ggp_game::rng::Sequence;
use ggp_game::{EvalError, Playouts};
use std::hash::Hash;

/// The prover of one search.
#[derive(Debug)]
pub(crate) struct Prover<S> {
    graph: Graph<S>,
    answers: Answers<S>,
    random: Sequence,
    /// The best goal of each role.
    best: [u8; 2],
    /// The largest goal of each role below its best.
    next: [u8; 2],
    /// The sum of goals at the ends of the game.
    sum: Option<u32>,
    /// Whether all ends have this sum.
    has_one_sum: bool,
    /// Whether each role has two goals, so that one wins where the other does not.
    is_two_valued: bool,
    /// The states that the prover may still ask about.
    credit: f64,
    pub(crate) counts: ProverCounts,
    path: Vec<NodeId>,
}

/// What the prover has done.
#[derive(Clone, Copy, Default, Debug)]
pub struct ProverCounts {
    /// States after moves.
    pub states: u64,
    /// Expanded states.
    pub expanded: u64,
    /// Searches from a node of the tree.
    pub tasks: u64,
    /// Nodes of the tree whose bounds the prover narrowed.
    pub proofs: u64,
}

/// The states of one sweep.
const LANES: usize = 64;

impl<S: Clone + Eq + Hash> Prover<S> {
    /// A prover for roles with these goals. `bound` is its memory in bytes. `None` if a role has a single goal.
    pub(crate) fn new(goals: [&[u8]; 2], bound: usize, seed: u64) -> Option<Prover<S>> {
        let best = |goals: &[u8]| goals.iter().copied().max();
        let below = |goals: &[u8], best| goals.iter().copied().filter(|&goal| goal < best).max().unwrap_or(0);
        let best = [best(goals[0])?, best(goals[1])?];
        let next = [below(goals[0], best[0]), below(goals[1], best[1])];
        if best.contains(&0) {
            return None;
        }
        Some(Prover {
            graph: Graph::new(bound),
            answers: Answers::default(),
            random: Sequence::new(seed),
            best,
            next,
            sum: None,
            has_one_sum: true,
            is_two_valued: goals.iter().all(|goals| goals.len() <= 2),
            credit: 0.0,
            counts: ProverCounts::default(),
            path: Vec::new(),
        })
    }

    /// Descends from `start` to the open state that matters most for the proposition that `attacker` wins. The
    /// way is left in `path`. `None` if there is none.
    fn descend(&mut self, start: NodeId, attacker: usize) -> Option<NodeId> {
        self.path.clear();
        let mut id = start;
        loop {
            self.path.push(id);
            let place = &self.graph[id];
            match place.phase {
                Phase::Open => return Some(id),
                Phase::Expanded if !self.graph.numbers(id, attacker).is_settled() => {}
                _ => return None,
            }
            let is_own = usize::from(place.mover) == attacker;
            let key = |child: NodeId| {
                let numbers = self.graph.numbers(child, attacker);
                if is_own { numbers.proof } else { numbers.disproof }
            };
            let children = place.edges.iter().map(|edge| edge.child);
            id = children.filter(|child| !self.path.contains(child)).min_by_key(|&child| key(child))?;
        }
    }

    /// Sets the numbers of a state for both propositions.
    fn set(&mut self, id: NodeId, attacker: usize, numbers: Numbers) {
        let is_two_valued = self.is_two_valued && self.has_one_sum;
        let both = self.graph.numbers_mut(id);
        both[attacker] = numbers;
        if is_two_valued {
            both[1 - attacker] = numbers.swapped();
        } else if numbers.proof == 0 {
            both[1 - attacker] = Numbers::REFUTED;
        }
    }

    /// Computes the numbers along `path` anew, from its end to its start, or with
    /// `whole` unset up to the first that stay. Returns whether some changed.
    fn update(&mut self, path: &[NodeId], attacker: usize, whole: bool) -> bool {
        let mut has_changed = false;
        for &id in path.iter().rev() {
            if self.graph[id].phase == Phase::Expanded {
                let numbers = self.graph.backed_up(id, attacker);
                if numbers == self.graph.numbers(id, attacker) {
                    if whole { continue } else { break }
                }
                has_changed = true;
                self.set(id, attacker, numbers);
                if numbers.is_settled() {
                    self.graph[id].distance = self.graph.distance_from(id, attacker);
                }
            }
        }
        has_changed
    }

    /// Adds to `sweep` the open states below `start` that matter most for the proposition that `attacker` wins, as
    /// long as it has fewer than `lanes` moves.
    fn collect(&mut self, start: NodeId, attacker: usize, lanes: usize, sweep: &mut Sweep) {
        while sweep.lanes < lanes {
            let Some(leaf) = self.descend(start, attacker) else {
                // Another way has settled the state at the end of this one.
                let path = std::mem::take(&mut self.path);
                let is_stale = self.update(&path, attacker, true);
                self.path = path;
                if is_stale && !self.graph.numbers(start, attacker).is_settled() { continue } else { return }
            };
            if sweep.leaves.contains(&leaf) {
                return;
            }
            sweep.lanes += self.graph[leaf].edges.len();
            sweep.leaves.push(leaf);
            let path = std::mem::take(&mut self.path);
            // Descents that follow look for other states.
            let raised = self.graph.numbers(leaf, attacker).raised();
            self.graph.numbers_mut(leaf)[attacker] = raised;
            for &id in path.iter().rev().skip(1) {
                let numbers = self.graph.backed_up(id, attacker);
                let known = &mut self.graph.numbers_mut(id)[attacker];
                if std::mem::replace(known, numbers) == numbers {
                    break;
                }
            }
            sweep.paths.push((path, attacker));
        }
    }

    /// Expands the states of `sweep`, and computes the numbers on the ways to them anew.
    fn run_sweep<M: Playouts<State = S>>(&mut self, machine: &mut M, sweep: &Sweep) -> Result<(), EvalError> {
        self.counts.expanded += sweep.leaves.len() as u64;
        self.credit -= sweep.lanes as f64;
        self.expand(machine, &sweep.leaves)?;
        for (path, attacker) in sweep.paths.iter().rev() {
            self.update(path, *attacker, false);
        }
        Ok(())
    }
}

/// The states that one sweep expands, and the ways to them with the attacker for whom they were sought.
#[derive(Debug, Default)]
struct Sweep {
    leaves: Vec<NodeId>,
    paths: Vec<(Vec<NodeId>, usize)>,
    lanes: usize,
}

#[cfg(test)]
mod tests {
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::test_games;
    use ggp_game::{Move, Role};

    fn options(prover: bool) -> MctsOptions {
        MctsOptions {
            techniques: Techniques::all().with(Technique::Prover, prover),
            ..MctsOptions::default()
        }
    }

    #[test]
    fn a_forced_win_is_found_and_played() {
        for size in 1..=40u8 {
            let mut search = Search::new(test_games::heap(size, 2), &options(true)).unwrap();
            assert_eq!(search.run(&Limits::iterations(3000)), Halt::Decided, "a heap of {size}");
            let wins = size % 4 != 0;
            let goals = search.tree.stats(search.tree.root()).iter().map(|stats| stats.bounds.proven());
            let truth = if wins { [Some(100), Some(0)] } else { [Some(0), Some(100)] };
            assert!(goals.eq(truth), "a heap of {size}");
            if wins && size > 3 {
                assert_eq!(
                    search.best_move(Role(0)),
                    Ok(Some(Move(u32::from(size % 4)))),
                    "a heap of {size}"
                );
            }
        }
    }

    #[test]
    fn a_drawn_game_is_proved_drawn() {
        let mut search = Search::new(test_games::tic_tac_toe(), &options(true)).unwrap();
        assert_eq!(search.run(&Limits::iterations(20_000)), Halt::Decided);
        let bounds = search.tree.stats(search.tree.root())[0].bounds;
        assert_eq!(bounds.proven(), Some(50));
        assert!(search.prover_counts().unwrap().proofs > 0);
    }

    #[test]
    fn games_of_other_kinds_have_no_prover() {
        assert!(Search::new(test_games::heap(9, 3), &options(true)).unwrap().prover.is_none());
        assert!(Search::new(test_games::gamble(), &options(true)).unwrap().prover.is_none());
        assert!(Search::new(test_games::heap(9, 2), &options(false)).unwrap().prover.is_none());
    }
}
