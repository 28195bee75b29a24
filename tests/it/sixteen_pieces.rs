//! A game of sixteen pieces with four binary properties each on a board of four by four, in two formulations:
//! pieces as constants whose properties are facts, and pieces as terms of four bits. Network and interpreter must
//! agree, and both must follow the rules.

use ggp_game::{Goals, Interpreter, StateMachine};
use ggp_tests::{game, network, perft_table, playouts, plays_long, walk};

const CONSTANTS: &str = include_str!("sixteen_pieces/constants.kif");
const TERMS: &str = include_str!("sixteen_pieces/terms.kif");

/// The numbers of sequences: 16 pieces to hand over, 16 cells, then 15 pieces and 15 cells. The fifth depth has
/// no line yet, so that its count is a product too.
const PERFT: [u64; 5] = [1, 16, 16 * 16, 16 * 16 * 15, 16 * 16 * 15 * 15];

/// Number of sequences that the interpreter counts, unless long tests count all.
const MOST: u64 = 4_000;

/// More playouts than the network also plays one by one.
const PLAYOUTS: usize = 40;

#[test]
fn both_formulations_mean_the_same_to_network_and_interpreter() {
    let most = if plays_long() { u64::MAX } else { MOST };
    for (rules, seed) in [(CONSTANTS, 1), (TERMS, 2)] {
        let (mut interpreter, mut network) = (Interpreter::new(&game(rules)), network(rules));
        perft_table::check(&mut interpreter, &PERFT, most).unwrap_or_else(|why| panic!("interpreter: {why}"));
        perft_table::check(&mut network, &PERFT, u64::MAX).unwrap_or_else(|why| panic!("network: {why}"));
        walk::agree(&mut interpreter, &mut network, 60, seed).unwrap_or_else(|why| panic!("{why}"));
        let counts = playouts::agree(&mut interpreter, &network, PLAYOUTS, seed).expect("agreement");
        assert_eq!(counts.goal_sums.iter().sum::<u64>(), 100 * PLAYOUTS as u64, "goals of constant sum");
    }
}

/// Plays the moves of `joints` from the initial state. Returns the goals of the last state if it is terminal.
fn play<M: StateMachine>(mut machine: M, joints: &[[&str; 2]]) -> Option<Vec<Goals>> {
    let mut state = machine.initial_state().expect("a state");
    for joint in joints {
        assert!(!machine.is_terminal(&state).expect("evaluates"), "over before {joint:?}");
        let joint = machine.parse_legal_joint(&state, joint).expect("legal moves");
        state = machine.next_state(&state, &joint).expect("evaluates");
    }
    let mut goals = vec![Goals::None; 2];
    machine.goals(&state, &mut goals).expect("evaluates");
    machine.is_terminal(&state).expect("evaluates").then_some(goals)
}

#[test]
fn who_completes_a_line_wins() {
    // Four solid pieces, which differ in all other properties, come to a diagonal.
    let constants = [
        ["(hand p2)", "noop"],
        ["noop", "(place 1 4)"],
        ["noop", "(hand p8)"],
        ["(place 2 3)", "noop"],
        ["(hand p12)", "noop"],
        ["noop", "(place 4 1)"],
        ["noop", "(hand p14)"],
        ["(place 3 2)", "noop"],
    ];
    let terms = [
        ["(give (piece 0 0 0 1))", "wait"],
        ["wait", "(put (piece 0 0 0 1) 1 4)"],
        ["wait", "(give (piece 0 1 1 1))"],
        ["(put (piece 0 1 1 1) 2 3)", "wait"],
        ["(give (piece 1 0 1 1))", "wait"],
        ["wait", "(put (piece 1 0 1 1) 4 1)"],
        ["wait", "(give (piece 1 1 0 1))"],
        ["(put (piece 1 1 0 1) 3 2)", "wait"],
    ];
    for (rules, mut joints) in [(CONSTANTS, constants), (TERMS, terms)] {
        let goals = play(network(rules), &joints).expect("a line ends the match");
        assert_eq!(goals.iter().map(|goals| goals.score().value()).collect::<Vec<_>>(), [100, 0]);
        assert_eq!(play(Interpreter::new(&game(rules)), &joints), Some(goals));
        // The last piece beside the diagonal completes nothing.
        joints[7][0] = if rules == CONSTANTS { "(place 3 3)" } else { "(put (piece 1 1 0 1) 3 3)" };
        assert_eq!(play(network(rules), &joints), None);
    }
}
