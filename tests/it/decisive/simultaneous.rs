//! Decisive moves where several roles choose at the same time. A role avoids moves that end the game without a win,
//! whatever the others do. In games of two roles it makes moves that win unless the other role wins too, and prevents
//! those of the other role.

use super::{decider, in_random_games, is_won, legal_moves};
use ggp_game::{Hints, Move, StateMachine, Verdict};
use ggp_propnet::{BitState, PropNetMachine};
use ggp_tests::network;

/// The possible states after the move `mv` of `role` in `state`.
fn replies(
    machine: &mut PropNetMachine,
    state: &BitState,
    legal: &[Vec<Move>],
    role: usize,
    mv: Move,
) -> Vec<BitState> {
    let mut joints = vec![Vec::new()];
    for (number, moves) in legal.iter().enumerate() {
        let moves = if number == role { std::slice::from_ref(&mv) } else { moves };
        joints = joints
            .iter()
            .flat_map(|joint: &Vec<Move>| moves.iter().map(|&mv| joint.iter().copied().chain([mv]).collect()))
            .collect();
    }
    joints.iter().map(|joint| machine.next_state(state, joint).expect("legal moves")).collect()
}

/// Plays random games and checks `decisive_moves` in states where several roles choose: a move may be
/// removed only if it ends the game without a win, whatever the others do. Returns the number of removed
/// moves, and the number of such moves that remain although the role has others.
fn look_at_joint_choices(machine: &mut PropNetMachine, name: &str, games: u64) -> (usize, usize) {
    let (mut missing, mut overlooked) = (0, 0);
    let mut restricted = Vec::new();
    in_random_games(machine, games, |machine, state, legal, game| {
        machine.decisive_moves(&[state], &mut restricted).expect("a state");
        let narrowed: Vec<Vec<Move>> = restricted.iter().map(|one| one.moves.clone()).collect();
        for (role, left) in narrowed.iter().enumerate().filter(|_| decider(&legal).is_none()) {
            let mut is_lost = |mv| {
                replies(machine, state, &legal, role, mv)
                    .iter()
                    .all(|next| machine.is_terminal(next).expect("a state") && !is_won(machine, next, role))
            };
            let (lost, other): (Vec<Move>, Vec<Move>) = legal[role].iter().partition(|&&mv| is_lost(mv));
            let gone = legal[role].iter().filter(|mv| !left.contains(mv));
            let gone: Vec<Move> = gone.copied().collect();
            assert!(gone.iter().all(|mv| lost.contains(mv)), "{name}: {gone:?} of {legal:?}, {lost:?} lose");
            assert!(!left.is_empty(), "{name}: nothing is left of {legal:?}");
            missing += gone.len();
            overlooked += if other.is_empty() { 0 } else { lost.len() - gone.len() };
        }
        // Half of the games continue with any legal moves, to reach more kinds of states.
        if game % 2 == 0 { legal } else { narrowed }
    });
    (missing, overlooked)
}

/// Two runners, each on a plank of five cells, move at the same time left, right, or not at all. A runner
/// that steps off loses; the game is drawn after six steps.
const PLANKS: &str = "(role a) (role b)
    (init (at a 3)) (init (at b 3)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r)) (<= (legal ?r stay) (role ?r))
    (<= (next (at ?r ?m)) (does ?r left) (true (at ?r ?n)) (succ ?m ?n))
    (<= (next (at ?r ?m)) (does ?r right) (true (at ?r ?n)) (succ ?n ?m))
    (<= (next (at ?r ?n)) (does ?r stay) (true (at ?r ?n)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (off ?r) (true (at ?r 0))) (<= (off ?r) (true (at ?r 6)))
    (<= terminal (off ?r)) (<= terminal (true (step 6)))
    (<= (goal ?r 100) (role ?r) (role ?o) (distinct ?r ?o) (off ?o) (not (off ?r)))
    (<= (goal ?r 0) (off ?r) (role ?o) (distinct ?r ?o) (not (off ?o)))
    (<= (goal ?r 50) (off ?r) (role ?o) (distinct ?r ?o) (off ?o))
    (<= (goal ?r 50) (role ?r) (not (off a)) (not (off b)))";

#[test]
fn nobody_runs_into_the_open_while_others_choose() {
    let mut machine = network(PLANKS);
    let (missing, overlooked) = look_at_joint_choices(&mut machine, "planks", 40);
    assert!(missing > 0 && overlooked == 0, "{missing} missing, {overlooked} overlooked");
}

#[test]
fn nobody_does_so_in_published_games() {
    for name in ["tron_10x10", "snake2p"] {
        let Some(kif) = ggp_tests::published(name) else { return };
        let mut machine = network(&kif);
        let (missing, overlooked) = look_at_joint_choices(&mut machine, name, 6);
        assert!(missing > 0 && overlooked == 0, "{name}: {missing} missing, {overlooked} overlooked");
    }
}

/// Two rows of five cells. In each step each role marks a cell of one row, and the roles change rows after it. Two marks of
/// a role side by side win, unless both roles have them.
const ROWS: &str = "(role a) (role b) (row 1) (row 2) (cell 1) (cell 2) (cell 3) (cell 4) (cell 5)
    (init (at a 1)) (init (at b 2)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (<= (marked ?row ?cell) (true (mark ?row ?cell ?any)))
    (<= (legal ?r (set ?row ?cell)) (true (at ?r ?row)) (cell ?cell) (not (marked ?row ?cell)))
    (<= (next (mark ?row ?cell ?r)) (does ?r (set ?row ?cell)))
    (<= (next (mark ?row ?cell ?r)) (true (mark ?row ?cell ?r)))
    (<= (next (at ?r ?other)) (true (at ?r ?row)) (row ?other) (distinct ?row ?other))
    (<= (pair ?r) (true (mark ?row ?x ?r)) (succ ?x ?y) (true (mark ?row ?y ?r)))
    (<= open (row ?row) (cell ?cell) (not (marked ?row ?cell)))
    (<= terminal (pair ?r)) (<= terminal (not open))
    (<= (goal ?r 100) (pair ?r) (role ?o) (distinct ?r ?o) (not (pair ?o)))
    (<= (goal ?r 0) (role ?r) (not (pair ?r)) (pair ?o))
    (<= (goal ?r 50) (pair ?r) (role ?o) (distinct ?r ?o) (pair ?o))
    (<= (goal ?r 50) (role ?r) (not (pair a)) (not (pair b)))";

/// The moves of `role` in [`ROWS`] that give it two marks side by side. They win unless the other role makes such a move
/// too.
fn pairing_moves(
    machine: &mut PropNetMachine,
    state: &BitState,
    legal: &[Vec<Move>],
    role: usize,
) -> Vec<Move> {
    let own = ["a", "b"][role];
    let mut is_pairing = |mv: Move| {
        let next = replies(machine, state, legal, role, mv).swap_remove(0);
        let facts = machine.facts_of(&next).expect("a state");
        let has =
            |row: u32, cell: u32| facts.iter().any(|f| f.as_str() == format!("(mark {row} {cell} {own})"));
        (1..=2).any(|row| (1..5).any(|cell| has(row, cell) && has(row, cell + 1)))
    };
    legal[role].iter().copied().filter(|&mv| is_pairing(mv)).collect()
}

#[test]
fn beside_simultaneous_moves_wins_are_made_and_prevented() {
    let mut machine = network(ROWS);
    let (mut won, mut prevented) = (0, 0);
    let mut restricted = Vec::new();
    in_random_games(&mut machine, 60, |machine, state, legal, game| {
        machine.decisive_moves(&[state], &mut restricted).expect("a state");
        for role in 0..2 {
            let wins = pairing_moves(machine, state, &legal, role);
            let mut allows_win = |mv: Move| {
                let mut next = replies(machine, state, &legal, role, mv);
                next.retain(|next| !machine.is_terminal(next).expect("a state"));
                let wins = |next: &BitState| {
                    let legal = legal_moves(machine, next).expect("legal moves");
                    !pairing_moves(machine, next, &legal, 1 - role).is_empty()
                };
                !next.is_empty() && next.iter().all(wins)
            };
            let safe: Vec<Move> = legal[role].iter().copied().filter(|&mv| !allows_win(mv)).collect();
            let is_last = legal.iter().all(|moves| moves.len() == 1);
            let expected = match () {
                () if !wins.is_empty() => &wins,
                () if !safe.is_empty() => &safe,
                () => &legal[role],
            };
            assert!(
                is_last || &restricted[role].moves == expected,
                "game {game}, role {role}: {:?} instead of {expected:?} of {legal:?}, {}",
                restricted[role].moves,
                machine.facts_of(state).expect("a state").iter().map(ToString::to_string).collect::<String>()
            );
            assert_eq!(restricted[role].verdict, Verdict::Open, "no proof beside simultaneous moves");
            won += usize::from(!wins.is_empty());
            prevented += usize::from(wins.is_empty() && (1..legal[role].len()).contains(&safe.len()));
        }
        legal
    });
    assert!(won > 20 && prevented > 20, "{won} won, {prevented} prevented");
}
