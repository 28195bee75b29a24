//! Proving a state's value by going through the game: depth-first, with a table of states.
//!
//! The value is what one role can make sure of against all others. Where only one role chooses at
//! a time and one's gain is the other's loss, that is the value of the game; for one role alone it
//! is the best goal in reach. Where several roles choose at once it is bounded from below by what
//! the role can force when all others know its move, and from above by what it could force if it
//! knew theirs. Chance counts as an enemy for the lower bound, as a friend for the upper one.
//!
//! Each pass asks whether the value is at least some goal (Plaat et al. 1996, MTD: null windows
//! with a table), from the highest down. Invariant: every pair of bounds, on the stack or in the
//! table, holds whatever has been left out; a state that repeats on the way down counts as
//! anything, which is why games that go in circles may stay open.

use crate::limits::{Halt, Limits};
use crate::node::Bounds;
use crate::table::hash_of;
use ggp_game::{EvalError, JointMoves, Move, Playouts, Role};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// What is proved of a state, and at what cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The role can make sure of this goal.
    pub low: u8,
    /// It cannot make sure of more than this one; the value is proved when both are the same.
    pub high: u8,
    /// States gone through.
    pub states: u64,
    /// A move that makes sure of `low`, if that is above 0 and the state leaves a choice.
    pub best: Option<Move>,
}

/// A proof under way for one role and one state.
#[derive(Debug)]
pub struct Solver<M: Playouts> {
    machine: M,
    role: Role,
    chance: Option<Role>,
    root: M::State,
    bounds: Bounds,
    best: Option<Move>,
    stack: Vec<Frame<M::State>>,
    on_stack: FxHashSet<M::State>,
    table: Proofs<M::State>,
    /// How often a move decided a state.
    history: FxHashMap<(u8, Move), u32>,
    states: u64,
}

/// A state whose children are being gone through.
#[derive(Debug)]
struct Frame<S> {
    state: S,
    /// Row by row: a row for each of the role's moves, a column for each of the others' joint moves.
    children: Vec<Child<S>>,
    columns: usize,
    /// Whether chance moves here.
    chance: bool,
    /// The child that the frame above is about.
    at: usize,
}

#[derive(Debug)]
struct Child<S> {
    state: S,
    joint: Box<[Move]>,
    bounds: Bounds,
    /// Whether nothing more can be learnt of it in this pass.
    done: bool,
}

impl<M: Playouts> Solver<M> {
    /// A proof of what `role` can make sure of from `state`, keeping at most `memory` bytes of
    /// proved states.
    pub fn new(machine: M, state: M::State, role: Role, memory: usize) -> Solver<M> {
        let game = machine.game().clone();
        let entry = size_of::<Option<(M::State, Bounds)>>() + machine.heap_bytes(&state);
        Solver {
            role,
            chance: game.nature(),
            root: state,
            bounds: Bounds::UNKNOWN,
            best: None,
            stack: Vec::new(),
            on_stack: FxHashSet::default(),
            table: Proofs::new(memory / entry),
            history: FxHashMap::default(),
            states: 0,
            machine,
        }
    }

    /// The machine, which knows the moves of its solution.
    pub fn machine(&mut self) -> &mut M {
        &mut self.machine
    }

    /// What is proved so far.
    pub fn solution(&self) -> Solution {
        let Bounds { low, high } = self.bounds;
        Solution { low, high, states: self.states, best: self.best }
    }

    /// Goes on with the proof until it is done ([`Halt::Decided`], also when all has been gone
    /// through and states that repeat leave it open) or a limit is reached. An iteration is a
    /// state gone through.
    pub fn run(&mut self, limits: &Limits) -> Halt {
        let before = self.states;
        loop {
            if self.bounds.proven().is_some() {
                return Halt::Decided;
            }
            if let Some(halt) = limits.reached(self.states - before, Duration::ZERO) {
                return halt;
            }
            let known = self.bounds;
            let over = if self.stack.is_empty() { self.begin() } else { self.step() };
            match over {
                Ok(over) if over && self.bounds == known => return Halt::Decided,
                Ok(_) => {}
                Err(EvalError::Interrupted) => return Halt::Stopped,
                Err(error) => return Halt::Failing(error),
            }
        }
    }

    /// The goal asked for in this pass.
    fn asked(&self) -> u8 {
        self.bounds.high
    }

    /// Begins a pass; whether it is over already.
    fn begin(&mut self) -> Result<bool, EvalError> {
        let (mut over, mut goals) = (Vec::new(), Vec::new());
        self.machine.outcomes(&[&self.root], &mut over, &mut goals)?;
        if over[0] {
            self.bounds = Bounds::exact(goals[self.role.index()].score().value());
            return Ok(true);
        }
        self.enter(self.root.clone())?;
        Ok(false)
    }

    /// Puts a state that is not terminal on the stack, its children with what is known of them.
    fn enter(&mut self, state: M::State) -> Result<(), EvalError> {
        self.states += 1;
        let mut legal = Vec::new();
        self.machine.all_legal_moves(&[&state], &mut legal)?;
        for (role, moves) in legal.iter_mut().enumerate() {
            let history = |mv: &Move| self.history.get(&(role as u8, *mv)).copied().unwrap_or(0);
            moves.sort_by_key(|mv| std::cmp::Reverse(history(mv)));
        }
        // The role's own moves vary slowest, so that they are the rows.
        legal[..=self.role.index()].rotate_right(1);
        let rows = legal[0].len();
        let mut joints = Vec::new();
        let mut product = JointMoves::new(&legal);
        while let Some(joint) = product.next() {
            let start = joints.len();
            joints.extend_from_slice(joint);
            joints[start..=start + self.role.index()].rotate_left(1);
        }
        let roles = legal.len();
        let parents = vec![&state; joints.len() / roles];
        let (mut states, mut over, mut goals) = (Vec::new(), Vec::new(), Vec::new());
        self.machine.next_states(&parents, &joints, &mut states)?;
        self.machine.outcomes(&states.iter().collect::<Vec<_>>(), &mut over, &mut goals)?;
        let chance = self.chance.is_some_and(|chance| {
            let place = if chance < self.role { chance.index() + 1 } else { chance.index() };
            chance != self.role && legal[place].len() > 1
        });
        let mut children = Vec::with_capacity(states.len());
        for (number, child) in states.into_iter().enumerate() {
            let bounds = if over[number] {
                Bounds::exact(goals[number * roles + self.role.index()].score().value())
            } else {
                self.table.get(&child)
            };
            let done = bounds.proven().is_some() || child == state || self.on_stack.contains(&child);
            let joint = joints[number * roles..][..roles].into();
            children.push(Child { state: child, joint, bounds, done });
        }
        self.on_stack.insert(state.clone());
        let columns = children.len().checked_div(rows).unwrap_or(0);
        self.stack.push(Frame { state, children, columns, chance, at: 0 });
        Ok(())
    }

    /// Looks at the top of the stack: goes down into a child that matters, or up with what is
    /// proved. Whether the pass is over.
    fn step(&mut self) -> Result<bool, EvalError> {
        let asked = self.asked();
        let Some(frame) = self.stack.last_mut() else { return Ok(true) };
        let bounds = frame.bounds();
        let open = bounds.low < asked && bounds.high >= asked;
        if let Some(next) = open.then(|| frame.next(asked)).flatten() {
            frame.at = next;
            let state = frame.children[next].state.clone();
            // Another way may have led there since its bounds were looked up.
            let known = self.table.get(&state);
            let child = &mut frame.children[next];
            child.bounds.low = child.bounds.low.max(known.low);
            child.bounds.high = child.bounds.high.min(known.high);
            if child.bounds.low >= asked || child.bounds.high < asked || self.on_stack.contains(&state) {
                child.done = true;
            } else {
                self.enter(state)?;
            }
            return Ok(false);
        }
        let Some(frame) = self.stack.pop() else { return Ok(true) };
        self.on_stack.remove(&frame.state);
        if !open && let Some(child) = frame.deciding(asked) {
            for (role, &mv) in child.joint.iter().enumerate() {
                *self.history.entry((role as u8, mv)).or_default() += 1;
            }
        }
        if let Some(below) = self.stack.last_mut() {
            self.table.put(frame.state, bounds);
            let child = &mut below.children[below.at];
            child.bounds.low = child.bounds.low.max(bounds.low);
            child.bounds.high = child.bounds.high.min(bounds.high);
            child.done = true;
            return Ok(false);
        }
        if bounds.low > self.bounds.low {
            self.best = frame
                .rows()
                .find(|row| Frame::row_low(row) == bounds.low)
                .and_then(|row| (frame.rows().count() > 1).then(|| row[0].joint[self.role.index()]));
        }
        self.bounds.low = self.bounds.low.max(bounds.low);
        self.bounds.high = self.bounds.high.min(bounds.high);
        Ok(true)
    }
}

impl<S> Frame<S> {
    fn rows(&self) -> impl Iterator<Item = &[Child<S>]> {
        self.children.chunks(self.columns.max(1))
    }

    /// What a row makes sure of.
    fn row_low(row: &[Child<S>]) -> u8 {
        row.iter().map(|child| child.bounds.low).min().unwrap_or(0)
    }

    /// What its children prove of it.
    fn bounds(&self) -> Bounds {
        let low = self.rows().map(|row| Self::row_low(row)).max().unwrap_or(0);
        let column_high = |column: usize| self.rows().map(|row| row[column].bounds.high).max().unwrap_or(100);
        let highs = (0..self.columns).map(column_high);
        let high = if self.chance { highs.max() } else { highs.min() };
        Bounds { low, high: high.unwrap_or(100).max(low) }
    }

    /// The next child to go into: in a row that may still reach `asked`, one that may still fall
    /// short of it.
    fn next(&self, asked: u8) -> Option<usize> {
        let mut spare = None;
        for (row, children) in self.rows().enumerate() {
            let refuted = children.iter().any(|child| child.bounds.high < asked);
            for (column, child) in children.iter().enumerate() {
                if child.done || child.bounds.low >= asked || child.bounds.high < asked {
                    continue;
                }
                let number = row * self.columns + column;
                if !refuted {
                    return Some(number);
                }
                spare = spare.or(Some(number));
            }
        }
        spare
    }

    /// The child that shows that the goal asked for is or is not reached, if a single one does.
    fn deciding(&self, asked: u8) -> Option<&Child<S>> {
        let reached = self.bounds().low >= asked;
        self.children.iter().find(
            |child| {
                if reached { child.bounds.low >= asked } else { child.bounds.high < asked }
            },
        )
    }
}

/// States with what is proved of them, in a table of fixed size: the newer replaces the older.
#[derive(Debug)]
struct Proofs<S> {
    entries: Vec<Option<(S, Bounds)>>,
    most: usize,
}

impl<S: std::hash::Hash + Eq> Proofs<S> {
    fn new(most: usize) -> Proofs<S> {
        Proofs { entries: Vec::new(), most: most.max(1) }
    }

    fn place(&self, state: &S) -> usize {
        ((u128::from(hash_of(state)) * self.entries.len() as u128) >> 64) as usize
    }

    fn get(&self, state: &S) -> Bounds {
        let entry = self.entries.get(self.place(state)).and_then(Option::as_ref);
        entry.filter(|(known, _)| known == state).map_or(Bounds::UNKNOWN, |&(_, bounds)| bounds)
    }

    fn put(&mut self, state: S, bounds: Bounds) {
        if self.entries.is_empty() {
            self.entries.resize_with(self.most, || None);
        }
        let place = self.place(&state);
        let entry = &mut self.entries[place];
        let bounds = match entry {
            Some((known, old)) if *known == state => {
                Bounds { low: old.low.max(bounds.low), high: old.high.min(bounds.high) }
            }
            _ => bounds,
        };
        *entry = Some((state, bounds));
    }
}

#[cfg(test)]
mod tests {
    use super::{Solution, Solver};
    use crate::limits::{Halt, Limits};
    use crate::toys::{self, Rules, Toy};
    use ggp_game::{Move, Role, StateMachine};

    fn solved<R: Rules>(mut machine: Toy<R>, role: u8, memory: usize) -> (Halt, Solution) {
        let state = machine.initial_state().unwrap();
        let mut solver = Solver::new(machine, state, Role(role), memory);
        let halt = solver.run(&Limits::iterations(200_000));
        (halt, solver.solution())
    }

    fn value(solution: &Solution) -> (u8, u8) {
        (solution.low, solution.high)
    }

    #[test]
    fn tic_tac_toe_is_a_draw_however_little_memory_there_is() {
        for memory in [1 << 20, 2000] {
            for role in 0..2 {
                let (halt, solution) = solved(toys::tic_tac_toe(), role, memory);
                assert_eq!((halt, value(&solution)), (Halt::Decided, (50, 50)));
            }
        }
    }

    #[test]
    fn heaps_are_lost_for_multiples_of_four() {
        for size in 1..30 {
            let (_, solution) = solved(toys::heap(size, 2), 0, 1 << 16);
            let goal = if size % 4 == 0 { 0 } else { 100 };
            assert_eq!(value(&solution), (goal, goal), "a heap of {size}");
            assert_eq!(
                solution.best,
                (goal == 100).then_some(Move(u32::from(size % 4))).filter(|_| size > 1)
            );
        }
    }

    #[test]
    fn the_largest_of_several_goals_is_proved() {
        let (halt, solution) = solved(toys::ragged(4), 0, 1 << 16);
        assert_eq!((halt, value(&solution), solution.best), (Halt::Decided, (100, 100), Some(Move(3))));
        // The other is at the mercy of the first: no goal, or the least of those that it may get.
        assert_eq!(value(&solved(toys::ragged(4), 1, 1 << 16).1), (0, 0));
    }

    #[test]
    fn against_two_others_only_what_is_certain_counts() {
        assert_eq!(value(&solved(toys::heap(3, 3), 0, 1 << 16).1), (100, 100));
        assert_eq!(value(&solved(toys::heap(4, 3), 0, 1 << 16).1), (0, 0));
    }

    #[test]
    fn simultaneous_moves_and_chance_leave_bounds() {
        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let (halt, rps) = solved(toys::matrix(&[&[d, l, w], &[w, d, l], &[l, w, d]]), 0, 1 << 16);
        assert_eq!((halt, value(&rps)), (Halt::Decided, (0, 100)));
        let (_, row) = solved(toys::matrix(&[&[w, l, d], &[w, w, w]]), 0, 1 << 16);
        assert_eq!((value(&row), row.best), ((100, 100), Some(Move(1))));
        assert_eq!(value(&solved(toys::gamble(), 0, 1 << 16).1), (60, 100));
    }

    #[test]
    fn a_ring_is_solved_and_a_limit_says_how_far_it_came() {
        assert_eq!(value(&solved(toys::ring(), 0, 1 << 16).1), (100, 100));
        let mut machine = toys::tic_tac_toe();
        let state = machine.initial_state().unwrap();
        let mut solver = Solver::new(machine, state, Role(0), 1 << 20);
        assert_eq!(solver.run(&Limits::iterations(50)), Halt::Iterations);
        assert_eq!(value(&solver.solution()), (0, 100));
        assert_eq!(solver.solution().states, 50);
        assert_eq!(solver.run(&Limits::default()), Halt::Decided);
        assert_eq!(value(&solver.solution()), (50, 50));
    }
}
