//! Tests of the solver.

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
        assert_eq!(solution.best, (goal == 100).then_some(Move(u32::from(size % 4))).filter(|_| size > 1));
    }
}

#[test]
fn the_largest_of_several_goals_is_proved() {
    let (halt, solution) = solved(test_games::ill_formed(4), 0, 1 << 16);
    assert_eq!((halt, value(&solution), solution.best), (Halt::Decided, (100, 100), Some(Move(3))));
    // The second role's goal depends on the first role's move: it may get no goal, or the smallest of its
    // goals.
    assert_eq!(value(&solved(test_games::ill_formed(4), 1, 1 << 16).1), (0, 0));
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
fn a_ring_is_solved_and_a_limited_run_gives_bounds() {
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

/// A function from the indices of all roles' moves to the first role's goal. The joint move ends the game.
type Payoff = fn(&[u32]) -> u8;

/// A game in which all roles choose simultaneously among the same number of moves. It ends after one step, or
/// never.
#[derive(Clone)]
struct Wide {
    moves: u32,
    /// The goal after a joint move; `None` if the game does not end.
    goal: Option<Payoff>,
    /// The number of states created so far, over all clones.
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
        let digits = joint.iter().fold(before, |n, &mv| n.wrapping_mul(31).wrapping_add(u64::from(mv) + 1));
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

/// Six roles have 729,000,000 joint moves in this game; four roles have 810,000.
#[test]
fn one_reply_refutes_without_all_joint_moves() {
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
    assert!(matches!(solver.begin_pass(), Ok(Step::Continue)));
    let mut most = 0;
    while let Ok(Step::Continue) = solver.step() {
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
fn full_memory_ends_the_run_within_its_bound() {
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
