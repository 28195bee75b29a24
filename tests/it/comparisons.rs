//! The comparisons of network and interpreter fail for two different games.

use ggp_game::Interpreter;
use ggp_tests::{game, network, perft_table, playouts, walk};

/// Two roles add one of two kinds three times; the last additions decide the goals.
const RULES: &str = "(role a) (role b) (kind x) (kind y) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal ?r (add ?k)) (role ?r) (kind ?k))
    (<= (next (n ?m)) (true (n ?n)) (succ ?n ?m))
    (<= (next crossed) (does a (add x)) (does b (add y)))
    (<= terminal (true (n 3)))
    (<= (goal ?r 100) (role ?r) (true crossed))
    (<= (goal ?r 0) (role ?r) (not (true crossed)))";

/// Whether the walk, the playouts and perft find `RULES` and `others` equal.
fn agree(others: &str) -> [bool; 3] {
    let (mut interpreter, mut network) = (Interpreter::new(&game(RULES)), network(others));
    [
        walk::agree(&mut interpreter, &mut network, 200, 1).is_ok(),
        playouts::agree(&mut interpreter, &network, 600, 1).is_ok(),
        perft_table::agree(&mut interpreter, &mut network, 100).is_ok(),
    ]
}

#[test]
fn one_game_is_no_difference() {
    assert_eq!(agree(RULES), [true; 3]);
    let (mut interpreter, mut network) = (Interpreter::new(&game(RULES)), network(RULES));
    let counts = playouts::agree(&mut interpreter, &network, 600, 1).expect("one game");
    assert_eq!((counts.playouts, counts.steps), (600, 1800));
    let counts = perft_table::agree(&mut interpreter, &mut network, 100).expect("one game");
    assert_eq!(counts, [1, 4, 16, 64, 0]);
}

#[test]
fn each_difference_is_seen() {
    for (old, new, expected) in [
        ("(goal ?r 100)", "(goal ?r 90)", [false, false, true]),
        ("(kind y)", "(kind y) (kind z)", [false; 3]),
        ("(kind y)", "(kind z)", [false, false, true]),
        ("terminal (true (n 3))", "terminal (true (n 2))", [false; 3]),
        ("(does a (add x)) (does b (add y))", "(does b (add x)) (does a (add y))", [false, false, true]),
        ("(does b (add y))", "(does b (add ?k))", [false, false, true]),
        ("(init (n 0))", "(init (n 0)) (init crossed)", [false, true, true]),
    ] {
        assert!(RULES.contains(old));
        assert_eq!(agree(&RULES.replace(old, new)), expected, "{new}");
    }
}
