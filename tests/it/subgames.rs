//! One-player games that decompose into independent subgames. The network reveals them; the search solves
//! them separately and combines the results only where that is sound.

use ggp_game::Hints;
use ggp_game::{Goals, Role, StateMachine};
use ggp_propnet::PropNetMachine;
use ggp_search::{Limits, MctsOptions, Search, Technique};
use ggp_tests::network;

/// Three towers of Hanoi with four discs each, to be solved in the minimum of 45 moves.
fn towers() -> String {
    let mut rules = "(role one) (init (step 0)) (tower 1) (tower 2) (tower 3) (peg a) (peg b) (peg c)
        (disc 1) (disc 2) (disc 3) (disc 4)
        (less 1 2) (less 1 3) (less 1 4) (less 2 3) (less 2 4) (less 3 4)
        (<= (init (on ?t ?d a)) (tower ?t) (disc ?d))
        (<= (covered ?t ?d ?p) (true (on ?t ?e ?p)) (less ?e ?d))
        (<= (legal one (move ?t ?d ?p ?q)) (true (on ?t ?d ?p)) (peg ?q) (distinct ?p ?q)
            (not (covered ?t ?d ?p)) (not (above ?t ?d ?q)))
        (<= (above ?t ?d ?q) (disc ?d) (peg ?q) (covered ?t ?d ?q))
        (<= (next (on ?t ?d ?q)) (does one (move ?t ?d ?p ?q)))
        (<= (next (on ?t ?d ?p)) (true (on ?t ?d ?p)) (not (moved ?t ?d)))
        (<= (moved ?t ?d) (does one (move ?t ?d ?p ?q)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= done (not undone)) (<= undone (tower ?t) (disc ?d) (not (true (on ?t ?d c))))
        (<= terminal done) (<= terminal (true (step 45)))
        (<= (goal one 100) done) (<= (goal one 0) undone)"
        .to_owned();
    for step in 0..45 {
        rules.push_str(&format!("(succ {step} {}) ", step + 1));
    }
    rules
}

/// Lamps whose switches each turn one lamp on and another off: no decomposition.
const CROSSED: &str = "(role one) (lamp 1) (lamp 2) (lamp 3) (succ 1 2) (succ 2 3) (succ 3 1) (init (step 0))
    (then 0 1) (then 1 2) (then 2 3) (then 3 4)
    (<= (legal one (press ?n)) (lamp ?n))
    (<= (next (on ?n)) (does one (press ?n)))
    (<= (next (on ?n)) (true (on ?n)) (not (darkened ?n)))
    (<= (darkened ?n) (does one (press ?m)) (succ ?m ?n))
    (<= (next (step ?n)) (true (step ?m)) (then ?m ?n))
    (<= terminal (true (step 4)))
    (<= (goal one 100) (true (on 1)) (true (on 2)))
    (<= (goal one 0) (not (true (on 1)))) (<= (goal one 0) (not (true (on 2))))";

/// Lamps that burn for one step: each is a subgame, but no two can burn at the same time.
const SPARKS: &str = "(role one) (lamp 1) (lamp 2) (lamp 3) (init (step 0))
    (then 0 1) (then 1 2) (then 2 3) (then 3 4)
    (<= (legal one (press ?n)) (lamp ?n))
    (<= (next (on ?n)) (does one (press ?n)))
    (<= (next (step ?n)) (true (step ?m)) (then ?m ?n))
    (<= both (true (on 1)) (true (on 2)))
    (<= terminal (true (step 4))) (<= terminal both)
    (<= (goal one 100) both) (<= (goal one 20) (not both))";

fn parts(rules: &str) -> Vec<PropNetMachine> {
    network(rules).subgames()
}

/// The goal that a search reaches with `iterations` before the first move and 10 more before every move.
fn reached(rules: &str, options: &MctsOptions, iterations: u64) -> u8 {
    let machine = network(rules);
    let mut referee = machine.clone();
    let mut search = Search::new(machine, options).expect("a search");
    search.run(&Limits::iterations(iterations));
    while !referee.is_terminal(search.state()).expect("a state") {
        search.run(&Limits::iterations(10));
        let mv = search.best_move(Role(0)).expect("evaluable").expect("a move");
        search.advance(&[mv]).expect("a legal move");
    }
    let mut goals = [Goals::None];
    referee.goals(search.state(), &mut goals).expect("a state");
    goals[0].only().expect("a goal").value()
}

#[test]
fn towers_side_by_side_are_moved_one_after_the_other() {
    let mut towers_apart = parts(&towers());
    assert_eq!(towers_apart.len(), 3);
    let mut moves = Vec::new();
    for apart in &mut towers_apart {
        let state = apart.initial_state().expect("a state");
        apart.legal_moves(&state, Role(0), &mut moves).expect("a state");
        assert_eq!(moves.len(), 2, "the smallest disc may go to two pegs");
        let text = apart.move_text(moves[0]).to_owned();
        let next = apart.next_state(&state, &[moves[0]]).expect("a legal move");
        let mut facts = Vec::new();
        apart.facts(&next, &mut facts).expect("a state");
        assert_eq!(facts.len(), 4, "the other towers and the steps are left out: {facts:?} after {text}");
    }
    let options = MctsOptions { seed: Some(1), ..MctsOptions::default() };
    assert_eq!(reached(&towers(), &options, 20_000), 100);
    let without = MctsOptions { techniques: options.techniques.with(Technique::Subgames, false), ..options };
    assert_eq!(reached(&towers(), &without, 20_000), 0, "it would not take parts to solve this");
}

#[test]
fn what_moves_tie_together_is_one_part() {
    assert!(parts(CROSSED).is_empty());
    assert_eq!(reached(CROSSED, &MctsOptions::default(), 1000), 100);
}

#[test]
fn ways_that_do_not_go_together_are_not_taken_for_one() {
    assert_eq!(parts(SPARKS).len(), 2);
    assert_eq!(reached(SPARKS, &MctsOptions::default(), 1000), 20);
}

#[test]
fn games_of_two_roles_have_no_parts() {
    let nim = ggp_tests::rulesheet("nim");
    assert!(parts(&nim).is_empty());
}
