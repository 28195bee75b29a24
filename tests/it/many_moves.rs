//! Roles with moves by the thousand: the next state reads sets of moves in place of single moves.

use ggp_game::{Goals, Interpreter, PlayoutPlan, Playouts, Preference, Role, StopToken};
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

/// Both roles name a pair at once. Each move is legal by two conditions that many moves share.
fn pairs() -> String {
    let numbers: String = (1..=37).map(|number| format!("(n {number}) ")).collect();
    let open: String = (1..=37).step_by(3).map(|number| format!("(init (open a {number})) ")).collect();
    numbers
        + &open
        + "(role a) (role b) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (init (open b 2))
    (init (open b 9)) (init (shut b 4))
    (<= (legal ?r (go ?x ?y)) (n ?y) (true (open ?r ?x)) (not (true (shut ?r ?y))))
    (<= (next (open ?r ?y)) (does ?r (go ?x ?y)))
    (<= (next (open ?r ?x)) (true (open ?r ?x)) (not (left ?r ?x)))
    (<= (left ?r ?x) (does ?r (go ?x ?y)))
    (<= (next (shut ?s ?y)) (role ?s) (distinct ?r ?s) (does ?r (go ?x ?y)))
    (<= (next (shut ?r ?x)) (true (shut ?r ?x)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 5))) (<= terminal (true (open a 36)))
    (<= (goal ?r 100) (role ?r) (true (open ?r 5))) (<= (goal ?r 0) (role ?r) (not (true (open ?r 5))))"
}

/// The goals and the move texts of each playout in which even numbers are preferred as second of a pair.
fn preferring<M: Playouts>(machine: &mut M, count: usize) -> Vec<(Vec<Goals>, Vec<String>)> {
    let mut preference = Preference::new(2, 0.75);
    for (x, y) in (1..=37).flat_map(|x| (2..=37).step_by(2).map(move |y| (x, y))) {
        let mv = machine.parse_move(&format!("(go {x} {y})")).expect("a move");
        (0..2).for_each(|role| preference.add(Role(role), mv));
    }
    let start = [machine.initial_state().expect("a state")];
    let preferred = Some(&preference).filter(|preference| preference.has_effect());
    let plan = PlayoutPlan { per_start: count, moves: true, preferred, ..PlayoutPlan::new(8) };
    let mut made = vec![(Vec::new(), Vec::new()); count];
    let mut store = |playout: ggp_game::Playout<'_>| {
        made[playout.index] = (playout.goals.to_vec(), playout.moves.to_vec());
    };
    machine.playouts(&start, plan, &mut store).expect("playouts");
    let text = |&mv: &ggp_game::Move| machine.move_text(mv).to_owned();
    made.iter().map(|(goals, moves)| (goals.clone(), moves.iter().map(text).collect())).collect()
}

#[test]
fn moves_chosen_leaf_by_leaf_mean_the_same_to_network_and_interpreter() {
    let rules = &pairs();
    let mut interpreter = Interpreter::new(&game(rules));
    let mut machine = network(rules);
    assert!(machine.program_counts().chooses_by_leaf);
    walk::agree(&mut interpreter, &mut machine, 20, 3).expect("agreement");
    playouts::agree(&mut interpreter, &machine, 200, 5).expect("agreement");
    let bytes = machine.to_bytes();
    let mut same = PropNetMachine::from_bytes(&game(rules), &bytes, Cpu::detect(), &StopToken::new())
        .expect("a network");
    assert_eq!(same.to_bytes(), bytes);
    playouts::agree(&mut same, &machine, 600, 5).expect("agreement");
    let expected = preferring(&mut interpreter, 100);
    let is_even = |text: &&String| text.trim_end_matches(')').ends_with(['0', '2', '4', '6', '8']);
    let moves = || expected.iter().flat_map(|(_, moves)| moves);
    assert!(moves().filter(is_even).count() * 10 > moves().count() * 6, "preferred moves are frequent");
    for cpu in Cpu::available() {
        let mut lanes = machine.clone().limited_to(cpu);
        assert_eq!(preferring(&mut lanes, 100), expected, "{}", cpu.name());
    }
}

/// One role picks a value and the other one a pair of values at once. The legal moves of the first role are inputs of those
/// of the second one, whose moves are computed when it chooses.
fn shared_conditions() -> String {
    let values: String = (1..=40).map(|value| format!("(v {value}) (init (open {value})) ")).collect();
    values
        + "(role b) (role a) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (init (hot 7))
    (<= (free ?x) (true (open ?x)) (not (true (hot ?x))))
    (<= (legal b (pick ?x)) (free ?x))
    (<= (legal a (put ?x ?y)) (v ?y) (free ?x) (not (true (wet ?y))))
    (init (wet 3)) (<= (next (wet ?x)) (does b (pick ?x)))
    (<= (next (open ?x)) (true (open ?x)) (not (does b (pick ?x))))
    (<= (next (hot ?y)) (does a (put ?x ?y)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 5)))
    (<= (goal ?r 100) (role ?r) (true (hot 5))) (<= (goal ?r 0) (role ?r) (not (true (hot 5))))"
}

#[test]
fn moves_of_another_role_that_are_read_in_a_choice_are_not_overwritten() {
    let rules = &shared_conditions();
    let mut interpreter = Interpreter::new(&game(rules));
    let machine = network(rules);
    assert!(machine.program_counts().chooses_by_leaf);
    playouts::agree(&mut interpreter, &machine, 200, 5).expect("agreement");
}
