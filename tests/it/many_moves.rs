//! Roles with moves by the thousand: the next state reads sets of moves in place of single moves.

use ggp_game::{Interpreter, StopToken};
use ggp_propnet::{Cpu, PropNetMachine};
use ggp_tests::{game, network, playouts, walk};

/// Both roles put a stone into a box at once, for some steps. `a` may pass.
const BOXES: &str = "(role a) (role b) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (at 1) (at 2) (at 3) (at 4) (at 5) (at 6) (at 7) (at 8) (at 9) (colour red) (colour blue)
    (<= (box (b ?x ?y ?z)) (at ?x) (at ?y) (at ?z))
    (<= (legal ?r (put ?c (b ?x ?y ?z))) (role ?r) (colour ?c) (box (b ?x ?y ?z)) (not (closed ?x ?y)))
    (<= (legal a pass) (true (step ?n)))
    (<= (closed ?x ?y) (true (stone red (b ?x ?y ?z))) (true (stone blue (b ?v ?w ?z))))
    (<= (closed ?x ?x) (at ?x) (true (step 1)))
    (<= (next (stone ?c ?b)) (does ?r (put ?c ?b)))
    (<= (next (stone ?c ?b)) (true (stone ?c ?b)) (not (moved ?b)))
    (<= (moved ?b) (does ?r (put ?c ?b)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next (won ?r)) (does ?r (put red (b ?x ?x ?z)))) (<= (next (won b)) (does a pass))
    (<= (sees ?r (put ?z)) (role ?r) (does ?s (put red (b ?x ?y ?z))))
    (<= terminal (true (step 5))) (<= terminal (true (won a)))
    (<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))";

#[test]
fn games_of_many_moves_mean_the_same_to_network_and_interpreter() {
    let mut interpreter = Interpreter::new(&game(BOXES));
    let mut machine = network(BOXES);
    assert!(machine.net().roles().iter().all(|role| role.moves.len() > 1400));
    walk::agree(&mut interpreter, &mut machine, 20, 3).expect("agreement");
    playouts::agree(&mut interpreter, &machine, 40, 5).expect("agreement");
    // The rows of sets are part of the bytes of a network.
    let bytes = machine.to_bytes();
    let mut same = PropNetMachine::from_bytes(&game(BOXES), &bytes, Cpu::detect(), &StopToken::new())
        .expect("a network");
    assert_eq!(same.to_bytes(), bytes);
    playouts::agree(&mut same, &machine, 600, 5).expect("agreement");
}
