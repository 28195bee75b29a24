//! A depth-first search over the conditions of the best goal, for games of one role that fill in a puzzle: in each
//! state it branches over the moves that satisfy one condition, the condition with the fewest such moves, and it leaves
//! a state in which a condition has none (fail-first and forward checking, Haralick & Elliott 1980).
//!
//! The search is complete only where satisfied conditions stay satisfied, moves commute, and no move makes another one
//! legal. It is a heuristic elsewhere, so that it proves nothing. It runs only where each condition that it follows can
//! be satisfied from the root by one move.

use crate::children::{Child, children};
use crate::variation::Variation;
use ggp_game::rng::Sequence;
use ggp_game::{EvalError, GoalParts, Goals, Move, Playouts, Role};

/// The approximate number of children created at once: enough to fill the lanes, few enough to stop in time.
const CHILDREN: usize = 1024;

/// The number of states that the first descent evaluates before the search starts again with other random choices. Each
/// later descent evaluates twice as many.
const FIRST_LIMIT: usize = 2048;

/// The maximum depth. A descent does not go deeper.
const DEEPEST: usize = 1024;

/// The share of the conditions unsatisfied at the root that one move must be able to satisfy.
const FOLLOWED: f64 = 0.5;

/// A state that has been evaluated, with the states over which the search branches.
#[derive(Debug)]
struct Choice<S> {
    mv: Move,
    branch: Vec<Child<S>>,
    /// The choice with the highest order is followed first.
    order: f64,
}

/// The alternatives at one depth.
#[derive(Debug)]
struct Frame<S> {
    /// States that have not been evaluated.
    waiting: Vec<Child<S>>,
    /// Evaluated states that the search has not followed. Once none is waiting, they are in ascending order.
    ready: Vec<Choice<S>>,
}

/// A search from one root.
#[derive(Debug)]
pub(crate) struct ConditionSearch<S> {
    root: S,
    frames: Vec<Frame<S>>,
    /// The moves from the root to the states of the last frame.
    path: Vec<Move>,
    /// The conditions that the search follows, as bits.
    followed: Vec<u64>,
    /// The states evaluated since the last start, and the number at which the search starts again.
    evaluated: usize,
    limit: usize,
    branching: usize,
    is_finished: bool,
    legal: Vec<Vec<Move>>,
    parts: [GoalParts; 2],
}

/// The children of some states, and their ends.
struct Expanded<S> {
    children: Vec<Child<S>>,
    /// Whether each child is terminal.
    over: Vec<bool>,
    goals: Vec<Goals>,
}

impl<S> Expanded<S> {
    /// The best end, if its share exceeds `above`.
    fn best_end(&self, above: f64) -> Option<End> {
        let mut end: Option<End> = None;
        for (at, child) in self.children.iter().enumerate().filter(|&(at, _)| self.over[at]) {
            let share = self.goals[at].score().share();
            if share > end.as_ref().map_or(above, |end| end.share) {
                end = Some(End { parent: child.parent, mv: child.mv, share });
            }
        }
        end
    }
}

/// An end after one move from an evaluated state.
struct End {
    /// The number of the evaluated state.
    parent: usize,
    mv: Move,
    share: f64,
}

impl<S: Clone> ConditionSearch<S> {
    /// A search from `root`.
    pub(crate) fn new(root: S) -> ConditionSearch<S> {
        ConditionSearch {
            root,
            frames: Vec::new(),
            path: Vec::new(),
            followed: Vec::new(),
            evaluated: 0,
            limit: FIRST_LIMIT,
            branching: 1,
            is_finished: false,
            legal: Vec::new(),
            parts: Default::default(),
        }
    }

    /// Evaluates some states. Returns the variation to the best end found, if its share exceeds `above`.
    ///
    /// # Errors
    /// The machine's errors. A later call repeats the evaluation.
    pub(crate) fn step<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        above: f64,
        random: &mut Sequence,
    ) -> Result<Option<Variation>, EvalError> {
        if self.is_finished {
            return Ok(None);
        }
        if self.frames.is_empty() {
            return self.begin(machine, above);
        }
        // 1. Follow the best alternative of the last frame, or leave the frame.
        loop {
            let Some(frame) = self.frames.last_mut() else {
                // The whole tree has been searched.
                self.is_finished = true;
                return Ok(None);
            };
            if !frame.waiting.is_empty() {
                break;
            }
            if let Some(choice) = frame.ready.pop() {
                if self.frames.len() < DEEPEST {
                    self.path.push(choice.mv);
                    self.frames.push(Frame { waiting: choice.branch, ready: Vec::new() });
                }
            } else {
                self.frames.pop();
                self.path.pop();
            }
        }
        // 2. Evaluate some of its waiting states.
        let frame = self.frames.last_mut().expect("a frame is left");
        let count = (CHILDREN / self.branching.max(1)).max(1).min(frame.waiting.len());
        let from = frame.waiting.len() - count;
        let chosen = frame.waiting[from..].to_vec();
        let states: Vec<&S> = chosen.iter().map(|child| &child.state).collect();
        let expanded = self.expand(machine, &states)?;
        let branches = self.branches(count, &expanded);
        let frame = self.frames.last_mut().expect("a frame is left");
        frame.waiting.truncate(from);
        for (number, branch) in branches.into_iter().enumerate().filter(|(_, branch)| !branch.is_empty()) {
            let order = self.legal[number].len() as f64 * random.between(0.9..1.1);
            frame.ready.push(Choice { mv: chosen[number].mv, branch, order });
        }
        if frame.waiting.is_empty() {
            frame.ready.sort_by(|a, b| a.order.total_cmp(&b.order));
        }
        let variation = expanded.best_end(above).map(|end| {
            let moves = self.path.iter().copied().chain([chosen[end.parent].mv, end.mv]).collect();
            Variation::of(moves, end.share)
        });
        // 3. Start again where the first choices were unlucky.
        self.evaluated += count;
        if self.evaluated >= self.limit {
            self.limit *= 2;
            self.frames.clear();
            self.path.clear();
        }
        Ok(variation)
    }

    /// Evaluates the root. Before the first descent, chooses the conditions to follow.
    fn begin<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        above: f64,
    ) -> Result<Option<Variation>, EvalError> {
        self.evaluated = 0;
        let root = self.root.clone();
        if self.followed.is_empty() {
            machine.goal_parts(&[&root], Role(0), &mut self.parts[0])?;
            if self.parts[0].count() < 2 || machine.is_terminal(&root)? {
                self.is_finished = true;
                return Ok(None);
            }
        }
        let expanded = self.expand(machine, &[&root])?;
        if self.followed.is_empty() && !self.choose_conditions(expanded.children.len()) {
            self.is_finished = true;
            return Ok(None);
        }
        let branch = self.branches(1, &expanded).swap_remove(0);
        self.is_finished = branch.is_empty();
        if !self.is_finished {
            self.frames.push(Frame { waiting: branch, ready: Vec::new() });
        }
        Ok(expanded.best_end(above).map(|end| Variation::of(vec![end.mv], end.share)))
    }

    /// Chooses the conditions to follow once the root with its `children` children is expanded. Returns whether there
    /// are enough.
    fn choose_conditions(&mut self, children: usize) -> bool {
        let [own, after] = &self.parts;
        let mut followed = own.of(0).to_vec();
        for child in 0..children {
            followed.iter_mut().zip(after.of(child)).for_each(|(all, word)| *all |= word);
        }
        let count = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let (satisfied, all) = (count(own.of(0)), count(&followed));
        let open = own.count() - satisfied;
        self.followed = followed;
        open > 0 && (all - satisfied) as f64 >= FOLLOWED * open as f64
    }

    /// Creates the children of `states`, and finds the conditions that hold in these states and in the children.
    fn expand<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        states: &[&S],
    ) -> Result<Expanded<S>, EvalError> {
        machine.all_legal_moves(states, &mut self.legal)?;
        let children = children(machine, states, &self.legal)?;
        let all: Vec<&S> = children.iter().map(|child| &child.state).collect();
        let (mut over, mut goals) = (Vec::new(), Vec::new());
        machine.outcomes(&all, &mut over, &mut goals)?;
        let [own, after] = &mut self.parts;
        machine.goal_parts(states, Role(0), own)?;
        machine.goal_parts(&all, Role(0), after)?;
        self.branching = (children.len() / states.len()).max(1);
        Ok(Expanded { children, over, goals })
    }

    /// For each of the `count` states of `expanded`, the children over which the search branches: none if a condition
    /// cannot be satisfied.
    fn branches(&self, count: usize, expanded: &Expanded<S>) -> Vec<Vec<Child<S>>> {
        let Expanded { children, over, .. } = expanded;
        let [own, after] = &self.parts;
        let branch = |parent: usize| {
            let from = children.partition_point(|child| child.parent < parent);
            let to = children.partition_point(|child| child.parent <= parent);
            let open = (from..to).filter(|&at| !over[at]).map(|at| (at, after.of(at)));
            let branch = fewest(&self.followed, own.of(parent), open);
            branch.into_iter().map(|at| children[at].clone()).collect()
        };
        (0..count).map(branch).collect()
    }
}

/// The children that satisfy the unsatisfied condition with the fewest such children. Where no condition is left, all
/// children that satisfy them all. `own` are the conditions satisfied in the parent, `children` the children with those
/// satisfied in them.
fn fewest<'a>(
    followed: &[u64],
    own: &[u64],
    children: impl Iterator<Item = (usize, &'a [u64])> + Clone,
) -> Vec<usize> {
    let mut least: Option<(usize, usize, u64)> = None;
    for (word, (followed, own)) in followed.iter().zip(own).enumerate() {
        let mut open = followed & !own;
        while open != 0 {
            let bit = open & open.wrapping_neg();
            open ^= bit;
            let count = children.clone().filter(|(_, parts)| parts[word] & bit != 0).count();
            if least.is_none_or(|(fewest, ..)| count < fewest) {
                least = Some((count, word, bit));
            }
            if count == 0 {
                return Vec::new();
            }
        }
    }
    let satisfies = |parts: &[u64]| match least {
        Some((_, word, bit)) => parts[word] & bit != 0,
        None => followed.iter().zip(parts).all(|(followed, parts)| followed & !parts == 0),
    };
    children.filter(|(_, parts)| satisfies(parts)).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::{ConditionSearch, fewest};
    use crate::test_games;
    use crate::variation::Variation;
    use ggp_game::rng::Sequence;
    use ggp_game::{Role, StateMachine};

    /// Searches a Latin square. Returns the variation found, and the number of states evaluated.
    fn solve(given: [[u8; 4]; 4], steps: usize) -> (Option<Variation>, usize) {
        let mut machine = test_games::latin(given);
        let mut search = ConditionSearch::new(machine.initial_state().unwrap());
        let mut random = Sequence::new(1);
        let mut evaluated = 0;
        for _ in 0..steps {
            let found = search.step(&mut machine, 0.5, &mut random).unwrap();
            evaluated = evaluated.max(search.evaluated);
            if found.is_some() || search.is_finished {
                return (found, evaluated);
            }
        }
        (None, evaluated)
    }

    #[test]
    fn forced_cells_are_filled_first() {
        // Only this order fills the square: 1 2 3 4, 3 4 1 2, 2 1 4 3, 4 3 2 1.
        let (found, evaluated) = solve([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 3], [4, 0, 0, 0]], 1000);
        let mut machine = test_games::latin([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 3], [4, 0, 0, 0]]);
        let mut state = machine.initial_state().unwrap();
        for mv in found.expect("a solution").moves() {
            let mut legal = Vec::new();
            machine.legal_moves(&state, Role(0), &mut legal).unwrap();
            assert!(legal.contains(&mv));
            state = machine.next_state(&state, &[mv]).unwrap();
        }
        assert!(!state.contains(&0), "all cells are filled");
        assert!(evaluated <= 40, "{evaluated} states for ten cells");
    }

    #[test]
    fn a_square_without_a_solution_is_left() {
        // The first cell can hold no digit, so that no move from the root fills it; the others are not enough to follow.
        let (found, evaluated) = solve([[0, 1, 2, 3], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], 20_000);
        assert_eq!(found, None);
        assert!(evaluated > 0, "the other cells can be filled");
        assert_eq!(solve([[0, 1, 2, 3], [4, 3, 1, 2], [2, 4, 3, 1], [1, 2, 4, 0]], 10).0, None);
    }

    #[test]
    fn the_condition_with_the_fewest_moves_is_branched_over() {
        let children = [[0b0011u64], [0b0101], [0b1001], [0b1011]];
        let all = || children.iter().enumerate().map(|(at, parts)| (at, &parts[..]));
        assert_eq!(fewest(&[0b1111], &[0b0001], all()), [1], "one move satisfies the third condition");
        assert_eq!(fewest(&[0b1011], &[0b0001], all()), [0, 3], "the third condition is not followed");
        assert!(fewest(&[0b1_1111], &[0b0001], all()).is_empty(), "nothing satisfies the fifth condition");
        assert_eq!(fewest(&[0b0011], &[0b0011], all()), [0, 3], "the moves that keep all conditions");
    }
}
