//! A depth-first solver with a table of proven states.
//!
//! It proves the goal that one role can guarantee against all others. In turn-taking zero-sum games this is
//! the value of the game; for a single role it is the best reachable goal. Simultaneous moves give two
//! bounds: the lower bound assumes that all other roles know the role's move, the upper bound that the role
//! knows theirs. Chance counts as an adversary in the lower bound and as an ally in the upper one.
//!
//! Each pass asks whether the value is at least some goal, from the highest goal down (null windows with a
//! table as in MTD; Plaat et al. 1996). Invariant: all bounds, on the stack and in the table, are valid
//! whatever has not been examined. A state that repeats on the current path counts as unknown, so games with
//! cycles may remain unproved.
//!
//! Memory is bounded: the table of proven states and the states on the stack each have a part of it. The
//! children of a state are created in batches on demand. In states with very many joint moves, the children
//! that already reach the goal asked for are discarded again.

mod frame;

use crate::bounds::Bounds;
use crate::limits::{Halt, Limits};
use crate::table::hash_of;
use frame::{Child, Frame, Next, Place};
use ggp_game::{EvalError, Move, Playouts, Role};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// The proven result for a state, and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The role can guarantee this goal.
    pub low: u8,
    /// The role cannot guarantee more than this goal. The value is proved if both are equal.
    pub high: u8,
    /// The number of states expanded.
    pub states: u64,
    /// A move that guarantees `low`, if `low` is above 0 and the role has a choice.
    pub best: Option<Move>,
}

/// An incremental proof for one role and one state.
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
    /// The number of times that each move decided a state (history heuristic).
    history: FxHashMap<(u8, Move), u32>,
    states: u64,
    /// The bytes of the states on the stack.
    under_way: usize,
    /// The maximum number of bytes of those states and the history.
    most_under_way: usize,
}

/// The stack may use one part in this many of the memory, the table of proven states the rest.
const PART_UNDER_WAY: usize = 4;

/// The result of one step of a proof.
enum Step {
    /// The pass continues.
    On,
    /// The pass is over.
    Over,
    /// There is no memory for the next children of a state.
    Full,
}

impl<M: Playouts> Solver<M> {
    /// Creates a proof of what `role` can guarantee from `state`, in at most `memory` bytes beside the
    /// machine's own.
    pub fn new(machine: M, state: M::State, role: Role, memory: usize) -> Solver<M> {
        let most_under_way = memory / PART_UNDER_WAY;
        Solver {
            role,
            chance: machine.game().nature(),
            bounds: Bounds::UNKNOWN,
            best: None,
            stack: Vec::new(),
            on_stack: FxHashSet::default(),
            table: Proofs::new(memory - most_under_way, machine.heap_bytes(&state)),
            history: FxHashMap::default(),
            states: 0,
            under_way: 0,
            most_under_way,
            root: state,
            machine,
        }
    }

    /// The machine of the proof, which gives the text of the solution's move.
    pub fn machine(&mut self) -> &mut M {
        &mut self.machine
    }

    /// The result so far.
    pub fn solution(&self) -> Solution {
        let Bounds { low, high } = self.bounds;
        Solution { low, high, states: self.states, best: self.best }
    }

    /// The bytes in use, beside the machine's own.
    pub fn bytes(&self) -> usize {
        self.under_way + self.noted() + self.table.bytes()
    }

    /// The bytes of the history.
    fn noted(&self) -> usize {
        self.history.capacity() * (size_of::<((u8, Move), u32)>() + 1)
    }

    /// Continues the proof. Ends with [`Halt::Decided`] if the value is proved, or if repeated states leave
    /// it open after all states have been examined; with [`Halt::Full`] if there is no memory for the next
    /// children; or at a limit. One iteration expands one state.
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
            let step = if self.stack.is_empty() { self.begin() } else { self.step() };
            match step {
                Ok(Step::Over) if self.bounds == known => return Halt::Decided,
                Ok(Step::Over | Step::On) => {}
                Ok(Step::Full) => return Halt::Full,
                Err(EvalError::Interrupted) => return Halt::Stopped,
                Err(error) => return Halt::Failing(error),
            }
        }
    }

    /// The goal that this pass asks for.
    fn asked(&self) -> u8 {
        self.bounds.high
    }

    /// Begins a pass.
    fn begin(&mut self) -> Result<Step, EvalError> {
        let (mut over, mut goals) = (Vec::new(), Vec::new());
        self.machine.outcomes(&[&self.root], &mut over, &mut goals)?;
        if over[0] {
            self.bounds = Bounds::exact(goals[self.role.index()].score().value());
            return Ok(Step::Over);
        }
        self.enter(self.root.clone())?;
        Ok(Step::On)
    }

    /// Pushes a state that is not terminal on the stack.
    fn enter(&mut self, state: M::State) -> Result<(), EvalError> {
        self.states += 1;
        let mut legal = Vec::new();
        self.machine.all_legal_moves(&[&state], &mut legal)?;
        for (role, moves) in legal.iter_mut().enumerate() {
            let history = |mv: &Move| self.history.get(&(role as u8, *mv)).copied().unwrap_or(0);
            moves.sort_by_key(|mv| std::cmp::Reverse(history(mv)));
        }
        let chance = self.chance.is_some_and(|chance| chance != self.role && legal[chance.index()].len() > 1);
        // The set of states on the stack holds a second copy of the state.
        let of_state = size_of::<M::State>() + 2 * self.machine.heap_bytes(&state);
        self.on_stack.insert(state.clone());
        let mut frame = Frame::new(state, self.role, legal, chance);
        frame.bytes += of_state;
        self.under_way += frame.bytes;
        self.stack.push(frame);
        Ok(())
    }

    /// Creates the next children of the top of the stack, those of `row` first, with their known bounds.
    fn make(&mut self, row: usize) -> Result<Step, EvalError> {
        let (asked, noted) = (self.asked(), self.noted());
        let Some(frame) = self.stack.last_mut() else { return Ok(Step::Over) };
        let machine = &self.machine;
        let weigh = |state: &M::State| child_bytes(machine, state);
        let forgotten = frame.forget(row, weigh);
        frame.bytes -= forgotten;
        self.under_way -= forgotten;
        let room = self.most_under_way.saturating_sub(self.under_way + noted) / weigh(&frame.state);
        let cells = frame.unmade(row, frame.batch(row).min(room));
        if cells.is_empty() {
            return Ok(Step::Full);
        }
        let mut joints = Vec::new();
        for &cell in &cells {
            frame.push_joint(cell, &mut joints);
        }
        let parents = vec![&frame.state; cells.len()];
        let (mut states, mut over, mut goals) = (Vec::new(), Vec::new(), Vec::new());
        self.machine.next_states(&parents, &joints, &mut states)?;
        self.machine.outcomes(&states.iter().collect::<Vec<_>>(), &mut over, &mut goals)?;
        let own_goals = goals.iter().skip(self.role.index()).step_by(joints.len() / cells.len());
        for ((state, (row, _)), (over, goal)) in
            states.into_iter().zip(cells).zip(over.into_iter().zip(own_goals))
        {
            let bounds = if over { Bounds::exact(goal.score().value()) } else { self.table.get(&state) };
            let bytes = child_bytes(&self.machine, &state);
            frame.bytes += bytes;
            self.under_way += bytes;
            let done = state == frame.state || self.on_stack.contains(&state);
            frame.add(row, Child { state, bounds, done }, asked);
        }
        Ok(Step::On)
    }

    /// Performs one step at the top of the stack: enters a relevant child, creates more children, or returns
    /// the result to the parent.
    fn step(&mut self) -> Result<Step, EvalError> {
        let Some(frame) = self.stack.last_mut() else { return Ok(Step::Over) };
        match if frame.is_settled() { Next::Leave } else { frame.next() } {
            Next::Enter(place) => self.go_down(place),
            Next::Make(row) => self.make(row),
            Next::Leave => Ok(self.go_up()),
        }
    }

    fn go_down(&mut self, place: Place) -> Result<Step, EvalError> {
        let asked = self.asked();
        let Some(frame) = self.stack.last_mut() else { return Ok(Step::Over) };
        frame.at = place;
        let child = frame.child(place);
        // Another path may have proved bounds of the child since the last look-up.
        child.learn(self.table.get(&child.state));
        if child.is_decided(asked) || self.on_stack.contains(&child.state) {
            frame.close(place, asked);
        } else {
            let state = child.state.clone();
            self.enter(state)?;
        }
        Ok(Step::On)
    }

    fn go_up(&mut self) -> Step {
        let asked = self.asked();
        let Some(frame) = self.stack.pop() else { return Step::Over };
        self.on_stack.remove(&frame.state);
        self.under_way -= frame.bytes;
        let bounds = frame.bounds();
        if frame.is_settled()
            && let Some(joint) = frame.deciding(asked)
        {
            for (role, &mv) in joint.iter().enumerate() {
                *self.history.entry((role as u8, mv)).or_default() += 1;
            }
        }
        if let Some(below) = self.stack.last_mut() {
            let machine = &self.machine;
            self.table.put(frame.state, bounds, |state| machine.heap_bytes(state));
            let place = below.at;
            below.child(place).learn(bounds);
            below.close(place, asked);
            return Step::On;
        }
        if bounds.low > self.bounds.low {
            self.best = frame.best(bounds.low);
        }
        self.bounds.low = self.bounds.low.max(bounds.low);
        self.bounds.high = self.bounds.high.min(bounds.high);
        Step::Over
    }
}

/// The bytes of a child in its frame, with its column's counter.
fn child_bytes<M: Playouts>(machine: &M, state: &M::State) -> usize {
    size_of::<Child<M::State>>() + machine.heap_bytes(state) + 2 * size_of::<(usize, u32)>()
}

/// A table of fixed size with the bounds of states. A new state replaces the old one in its slot.
#[derive(Debug)]
struct Proofs<S> {
    entries: Vec<Option<(S, Bounds)>>,
    most: usize,
    /// The heap bytes of the states, and their maximum.
    heap: usize,
    most_heap: usize,
}

impl<S: std::hash::Hash + Eq> Proofs<S> {
    /// Creates a table of at most `memory` bytes for states with about `heap` heap bytes each.
    fn new(memory: usize, heap: usize) -> Proofs<S> {
        let most = (memory / (size_of::<Option<(S, Bounds)>>() + heap)).max(1);
        let most_heap = memory.saturating_sub(most * size_of::<Option<(S, Bounds)>>());
        Proofs { entries: Vec::new(), most, heap: 0, most_heap }
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + self.heap
    }

    fn place(&self, state: &S) -> usize {
        ((u128::from(hash_of(state)) * self.entries.len() as u128) >> 64) as usize
    }

    fn get(&self, state: &S) -> Bounds {
        let entry = self.entries.get(self.place(state)).and_then(Option::as_ref);
        entry.filter(|(known, _)| known == state).map_or(Bounds::UNKNOWN, |&(_, bounds)| bounds)
    }

    /// Adds or narrows the bounds of `state`; `weigh` gives a state's heap bytes. A state that exceeds the
    /// memory is not added.
    fn put(&mut self, state: S, bounds: Bounds, weigh: impl Fn(&S) -> usize) {
        if self.entries.is_empty() {
            self.entries.resize_with(self.most, || None);
        }
        let place = self.place(&state);
        let entry = &mut self.entries[place];
        if let Some((known, old)) = entry
            && *known == state
        {
            *old = Bounds { low: old.low.max(bounds.low), high: old.high.min(bounds.high) };
            return;
        }
        let replaced = entry.as_ref().map_or(0, |(known, _)| weigh(known));
        let heap = self.heap - replaced + weigh(&state);
        if heap <= self.most_heap {
            self.heap = heap;
            *entry = Some((state, bounds));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Solution, Solver, Step};
    use crate::limits::{Halt, Limits};
    use crate::test_games::{self, Rules, TestMachine};
    use ggp_game::{Move, Role, StateMachine};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn solved<R: Rules>(mut machine: TestMachine<R>, role: u8, memory: usize) -> (Halt, Solution) {
        let state = machine.initial_state().unwrap();
        let mut solver = Solver::new(machine, state, Role(role), memory);
        let halt = solver.run(&Limits::iterations(200_000));
        (halt, solver.solution())
    }

    fn value(solution: &Solution) -> (u8, u8) {
        (solution.low, solution.high)
    }

    #[test]
    fn tic_tac_toe_is_a_draw_with_little_memory_too() {
        for memory in [1 << 20, 32_000] {
            for role in 0..2 {
                let (halt, solution) = solved(test_games::tic_tac_toe(), role, memory);
                assert_eq!((halt, value(&solution)), (Halt::Decided, (50, 50)));
            }
        }
    }

    #[test]
    fn heaps_are_lost_for_multiples_of_four() {
        for size in 1..30 {
            let (_, solution) = solved(test_games::heap(size, 2), 0, 1 << 16);
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
        let (halt, solution) = solved(test_games::ragged(4), 0, 1 << 16);
        assert_eq!((halt, value(&solution), solution.best), (Halt::Decided, (100, 100), Some(Move(3))));
        // The second role depends on the first: it may get no goal, or the least of its goals.
        assert_eq!(value(&solved(test_games::ragged(4), 1, 1 << 16).1), (0, 0));
    }

    #[test]
    fn against_two_others_only_what_is_certain_counts() {
        assert_eq!(value(&solved(test_games::heap(3, 3), 0, 1 << 16).1), (100, 100));
        assert_eq!(value(&solved(test_games::heap(4, 3), 0, 1 << 16).1), (0, 0));
    }

    #[test]
    fn simultaneous_moves_and_chance_leave_bounds() {
        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let (halt, rps) = solved(test_games::matrix(&[&[d, l, w], &[w, d, l], &[l, w, d]]), 0, 1 << 16);
        assert_eq!((halt, value(&rps)), (Halt::Decided, (0, 100)));
        let (_, row) = solved(test_games::matrix(&[&[w, l, d], &[w, w, w]]), 0, 1 << 16);
        assert_eq!((value(&row), row.best), ((100, 100), Some(Move(1))));
        assert_eq!(value(&solved(test_games::gamble(), 0, 1 << 16).1), (60, 100));
    }

    #[test]
    fn a_ring_is_solved_and_a_limit_says_how_far_it_came() {
        assert_eq!(value(&solved(test_games::ring(), 0, 1 << 16).1), (100, 100));
        let mut machine = test_games::tic_tac_toe();
        let state = machine.initial_state().unwrap();
        let mut solver = Solver::new(machine, state, Role(0), 1 << 20);
        assert_eq!(solver.run(&Limits::iterations(50)), Halt::Iterations);
        assert_eq!(value(&solver.solution()), (0, 100));
        assert_eq!(solver.solution().states, 50);
        assert_eq!(solver.run(&Limits::default()), Halt::Decided);
        assert_eq!(value(&solver.solution()), (50, 50));
    }

    /// The first role's goal after a joint move that ends the game.
    type Payoff = fn(&[u32]) -> u8;

    /// All roles have the same number of simultaneous moves, in one step or in endlessly many.
    #[derive(Clone)]
    struct Wide {
        moves: u32,
        /// The goal after a joint move; `None` if the game does not end.
        goal: Option<Payoff>,
        /// The number of states created.
        made: Arc<AtomicUsize>,
    }

    impl Rules for Wide {
        fn initial(&self) -> Vec<u8> {
            vec![0; 8]
        }

        fn is_over(&self, state: &[u8]) -> bool {
            state.len() == 1
        }

        fn legal(&self, _: &[u8], _: usize) -> Vec<u32> {
            (0..self.moves).collect()
        }

        fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
            self.made.fetch_add(1, Ordering::Relaxed);
            if let Some(goal) = self.goal {
                return vec![goal(joint)];
            }
            // No state repeats.
            let before = u64::from_le_bytes(state.try_into().unwrap());
            let digits =
                joint.iter().fold(before, |n, &mv| n.wrapping_mul(31).wrapping_add(u64::from(mv) + 1));
            digits.to_le_bytes().to_vec()
        }

        fn goal(&self, state: &[u8], _: usize) -> Option<u8> {
            state.first().copied().filter(|_| state.len() == 1)
        }
    }

    fn wide(roles: usize, moves: u32, goal: Option<Payoff>) -> (TestMachine<Wide>, Arc<AtomicUsize>) {
        let made = Arc::new(AtomicUsize::new(0));
        let names = ["a", "b", "c", "d", "e", "f"];
        (TestMachine::new(Wide { moves, goal, made: Arc::clone(&made) }, &names[..roles]), made)
    }

    /// Six roles have 729,000,000 joint moves, four 810,000.
    #[test]
    fn what_one_reply_refutes_is_refuted_without_making_all_joint_moves() {
        // The first role gets 0 if all others make the same particular move, whatever it plays itself.
        fn all_play(joint: &[u32], reply: u32) -> u8 {
            if joint[1..].iter().all(|&mv| mv == reply) { 0 } else { 100 }
        }
        let cases: [(usize, Payoff, usize); 2] =
            [(4, |joint| all_play(joint, 2), 1862), (6, |joint| all_play(joint, 0), 0)];
        for (roles, goal, column) in cases {
            let (machine, made) = wide(roles, 30, Some(goal));
            let (halt, solution) = solved(machine, 0, 16 << 20);
            assert_eq!((halt, value(&solution)), (Halt::Decided, (0, 0)), "{roles} roles");
            let made = made.load(Ordering::Relaxed);
            assert!(made <= 30 * (2 * column).max(64), "{roles} roles: {made} made");
        }
    }

    /// The first role's move 3 wins against all replies. Each of its other moves has a refutation of its own.
    fn third_wins(joint: &[u32]) -> u8 {
        if joint[0] == 3 || joint[1] != joint[0] { 100 } else { 0 }
    }

    #[test]
    fn a_move_that_withstands_all_replies_is_proved_in_little_memory() {
        let (mut machine, made) = wide(4, 30, Some(third_wins));
        let state = machine.initial_state().unwrap();
        let memory = 1 << 20;
        let mut solver = Solver::new(machine, state, Role(0), memory);
        assert!(matches!(solver.begin(), Ok(Step::On)));
        let mut most = 0;
        while let Ok(Step::On) = solver.step() {
            most = most.max(solver.bytes());
        }
        assert_eq!((value(&solver.solution()), solver.solution().best), ((100, 100), Some(Move(3))));
        assert!(most > 0 && most <= memory, "{most} bytes");
        let made = made.load(Ordering::Relaxed);
        assert!((27_000..60_000).contains(&made), "{made} made");
    }

    #[test]
    fn bounds_are_the_best_of_the_worst_and_the_worst_of_the_best() {
        let goals: [Payoff; 3] = [
            |joint| {
                (joint.iter().fold(7, |sum: u32, &mv| sum.wrapping_mul(2_654_435_769) ^ (mv + 1)) >> 9) as u8
                    % 101
            },
            |joint| (30 + joint[0] + (joint[1] * 7 + joint[2] * 3) % 11) as u8,
            |joint| if joint[0] % 7 == 5 { 60 } else { ((joint[0] + joint[1] + joint[2]) % 19 * 5) as u8 },
        ];
        for goal in goals {
            for moves in [1, 2, 5, 12, 34, 40] {
                let (machine, _) = wide(3, moves, Some(goal));
                let row = |own: u32| {
                    let reply = move |mv: u32| (0..moves).map(move |other| goal(&[own, mv, other]));
                    (0..moves).flat_map(reply)
                };
                let low = (0..moves).map(|own| row(own).min().unwrap()).max().unwrap();
                let all: Vec<Vec<u8>> = (0..moves).map(|own| row(own).collect()).collect();
                let high = (0..all[0].len()).map(|column| all.iter().map(|row| row[column]).max().unwrap());
                let (halt, solution) = solved(machine, 0, 64 << 20);
                assert_eq!(halt, Halt::Decided);
                assert_eq!(value(&solution), (low, high.min().unwrap()), "{moves} moves");
                if let Some(Move(best)) = solution.best {
                    assert_eq!(row(best).min(), Some(low));
                }
            }
        }
    }

    #[test]
    fn where_memory_is_used_up_it_says_so_and_keeps_within_it() {
        for memory in [0, 100, 10_000, 1 << 20] {
            let (mut machine, made) = wide(6, 30, None);
            let state = machine.initial_state().unwrap();
            let mut solver = Solver::new(machine, state, Role(0), memory);
            for _ in 0..2 {
                assert_eq!(solver.run(&Limits::default()), Halt::Full, "{memory} bytes");
                assert_eq!(value(&solver.solution()), (0, 100));
                // The frame of the root is counted although it exceeds the memory.
                assert!(solver.bytes() <= memory + 4_096, "{} of {memory} bytes", solver.bytes());
            }
            let made = made.load(Ordering::Relaxed);
            assert!(made * 8 <= memory.max(1), "{made} made in {memory} bytes");
        }
    }
}
