//! A depth-first search over the conditions of the best goal, for games of one role that fill in a puzzle: in each
//! state it branches over the moves that satisfy one condition, the condition with the fewest such moves, and it leaves
//! a state in which a condition has none (fail-first and forward checking, Haralick & Elliott 1980).
//!
//! The search is complete only where satisfied conditions stay satisfied, moves commute, and no move makes another one
//! legal. It is a heuristic elsewhere, so that it proves nothing. It runs only where each condition that it follows can
//! be satisfied from the root by one move.

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

/// A state that a move leads to.
#[derive(Clone, Debug)]
struct Step<S> {
    mv: Move,
    state: S,
}

/// A state that has been evaluated, with the states over which the search branches.
#[derive(Debug)]
struct Choice<S> {
    mv: Move,
    branch: Vec<Step<S>>,
    /// The choice with the highest order is followed first.
    order: f64,
}

/// The alternatives at one depth.
#[derive(Debug)]
struct Frame<S> {
    /// States that have not been evaluated.
    waiting: Vec<Step<S>>,
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

/// What an evaluation says about one of the evaluated states.
enum Outlook<S> {
    /// A condition cannot be satisfied.
    Dead,
    /// The best way to go on: the moves that satisfy one condition, and the number of legal moves.
    Open(Vec<Step<S>>, usize),
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
        let states: Vec<&S> = chosen.iter().map(|step| &step.state).collect();
        let (outlooks, found) = self.evaluate(machine, &states, above)?;
        let frame = self.frames.last_mut().expect("a frame is left");
        frame.waiting.truncate(from);
        for (step, outlook) in chosen.iter().zip(outlooks) {
            if let Outlook::Open(branch, freedom) = outlook {
                let order = freedom as f64 * random.between(0.9..1.1);
                frame.ready.push(Choice { mv: step.mv, branch, order });
            }
        }
        if frame.waiting.is_empty() {
            frame.ready.sort_by(|a, b| a.order.total_cmp(&b.order));
        }
        let variation = found.map(|(number, mv, share)| {
            let moves = self.path.iter().copied().chain([chosen[number].mv, mv]).collect();
            Variation::of(moves, share)
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

    /// Evaluates the root.
    fn begin<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        above: f64,
    ) -> Result<Option<Variation>, EvalError> {
        self.evaluated = 0;
        let root = self.root.clone();
        if self.followed.is_empty() && !self.choose_conditions(machine)? {
            self.is_finished = true;
            return Ok(None);
        }
        let (mut outlooks, found) = self.evaluate(machine, &[&root], above)?;
        match outlooks.pop() {
            Some(Outlook::Open(branch, _)) => {
                self.frames.push(Frame { waiting: branch, ready: Vec::new() });
            }
            _ => self.is_finished = true,
        }
        Ok(found.map(|(_, mv, share)| Variation::of(vec![mv], share)))
    }

    /// Chooses the conditions to follow. Returns whether there are enough.
    fn choose_conditions<M: Playouts<State = S>>(&mut self, machine: &mut M) -> Result<bool, EvalError> {
        let root = &self.root;
        let [own, after] = &mut self.parts;
        machine.goal_parts(&[root], Role(0), own)?;
        if own.count() < 2 || machine.is_terminal(root)? {
            return Ok(false);
        }
        machine.all_legal_moves(&[root], &mut self.legal)?;
        let mut children = Vec::new();
        machine.next_states(&vec![root; self.legal[0].len()], &self.legal[0], &mut children)?;
        machine.goal_parts(&children.iter().collect::<Vec<_>>(), Role(0), after)?;
        let mut followed = own.of(0).to_vec();
        for child in 0..children.len() {
            followed.iter_mut().zip(after.of(child)).for_each(|(all, word)| *all |= word);
        }
        let satisfied: u32 = own.of(0).iter().map(|word| word.count_ones()).sum();
        let open = own.count() - satisfied as usize;
        let count = followed.iter().map(|word| word.count_ones()).sum::<u32>() as usize;
        self.followed = followed;
        Ok(open > 0 && (count - satisfied as usize) as f64 >= FOLLOWED * open as f64)
    }

    /// For each of `states`, how to go on; also the state, the move and the share of the best end after one move, if its
    /// share exceeds `above`.
    #[expect(clippy::type_complexity, reason = "two results of one evaluation")]
    fn evaluate<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        states: &[&S],
        above: f64,
    ) -> Result<(Vec<Outlook<S>>, Option<(usize, Move, f64)>), EvalError> {
        machine.all_legal_moves(states, &mut self.legal)?;
        let pairs = || {
            states
                .iter()
                .zip(&self.legal)
                .flat_map(|(&state, legal)| legal.iter().map(move |&mv| (state, mv)))
        };
        let (from, moves): (Vec<&S>, Vec<Move>) = pairs().unzip();
        let mut children = Vec::new();
        machine.next_states(&from, &moves, &mut children)?;
        let all: Vec<&S> = children.iter().collect();
        let (mut over, mut goals): (Vec<bool>, Vec<Goals>) = (Vec::new(), Vec::new());
        machine.outcomes(&all, &mut over, &mut goals)?;
        let [own, after] = &mut self.parts;
        machine.goal_parts(states, Role(0), own)?;
        machine.goal_parts(&all, Role(0), after)?;
        self.branching = (children.len() / states.len()).max(1);
        let (mut best, mut found) = (above, None);
        let mut outlooks = Vec::with_capacity(states.len());
        let mut first = 0;
        for (number, legal) in self.legal[..states.len()].iter().enumerate() {
            let range = first..first + legal.len();
            first = range.end;
            for at in range.clone().filter(|&at| over[at]) {
                let share = goals[at].score().share();
                if share > best {
                    (best, found) = (share, Some((number, moves[at], share)));
                }
            }
            let open = range.clone().filter(|&at| !over[at]);
            let branch = fewest(&self.followed, own.of(number), open.clone().map(|at| (at, after.of(at))));
            outlooks.push(if branch.is_empty() {
                Outlook::Dead
            } else {
                let step = |at: usize| Step { mv: moves[at], state: children[at].clone() };
                Outlook::Open(branch.into_iter().map(step).collect(), legal.len())
            });
        }
        Ok((outlooks, found))
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
