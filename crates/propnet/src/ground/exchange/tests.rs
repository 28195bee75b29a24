//! The exchange keeps the meaning of the rules, and is refused where a choice may have two fluents.

use super::{Exchanged, exchange, may_apply};
use crate::cpu::Cpu;
use crate::ground::relax::Rules;
use crate::ground::{GroundError, GroundLimits, of_exchanged};
use crate::machine::PropNetMachine;
use ggp_game::{EvalError, Fact, Game, Interpreter, Role, StateMachine, StopToken};
use std::collections::BTreeSet;
use std::sync::Arc;

/// White has a king and two pawns on a row of six squares, black has a rook. No pawn may leave its square while
/// the rook would then stand beside the king: a capture of the rook is allowed.
const RULES: &str = "(role white) (role black) (init (control white)) (init (step 1))
    (init (cell 1 k)) (init (cell 2 p)) (init (cell 3 e)) (init (cell 4 p)) (init (cell 5 e)) (init (cell 6 r))
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x))
    (owner white k) (owner white p) (owner black r)
    (enemy white black) (enemy black white) (royal white k)
    (<= (square ?x) (near ?x ?y))
    (<= (free ?x ?role) (true (cell ?x e)) (role ?role))
    (<= (free ?x ?role) (enemy ?role ?other) (owner ?other ?m) (true (cell ?x ?m)) (distinct ?m k))
    (<= (attacked ?x ?to ?from) (true (cell ?r r)) (near ?r ?x) (distinct ?r ?to) (square ?to) (square ?from))
    (<= (attacked ?x ?to ?from) (true (cell ?r r)) (near ?r ?from) (near ?from ?x) (distinct ?r ?x)
        (distinct ?r ?to) (square ?to))
    (<= (attacked ?x ?to ?from) (true (cell ?r r)) (near ?r ?z) (true (cell ?z e)) (near ?z ?x) (distinct ?r ?x)
        (distinct ?r ?to) (square ?to) (square ?from))
    (<= (legal ?role (move p ?x ?y)) (true (control ?role)) (owner ?role p) (true (cell ?x p)) (near ?x ?y)
        (free ?y ?role) (royal ?role ?king) (true (cell ?k ?king)) (not (attacked ?k ?y ?x)))
    (<= (legal white (move k ?x ?y)) (true (control white)) (true (cell ?x k)) (near ?x ?y) (free ?y white))
    (<= (legal black (move r ?x ?y)) (true (control black)) (true (cell ?x r)) (square ?y) (free ?y black))
    (<= (legal ?role wait) (role ?role) (not (true (control ?role))))
    (<= (legal ?role pass) (true (control ?role)))
    (<= (next (cell ?y ?m)) (does ?role (move ?m ?x ?y)))
    (<= (next (cell ?x e)) (does ?role (move ?m ?x ?y)))
    (<= (next (cell ?z ?m)) (true (cell ?z ?m)) (does ?role (move ?n ?x ?y)) (distinct ?z ?x) (distinct ?z ?y))
    (<= (next (cell ?z ?m)) (true (cell ?z ?m)) (true (control ?role)) (does ?role pass))
    (<= (next (control ?other)) (true (control ?role)) (enemy ?role ?other))
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
    (<= terminal (true (step 6)))
    (<= (alive r) (true (cell ?x r)))
    (<= (goal white 100) (not (alive r))) (<= (goal white 50) (alive r))
    (<= (goal black 0) (not (alive r))) (<= (goal black 50) (alive r))";

/// The game of `rules`, and its exchanged rules if the exchange applies.
fn exchanged(rules: &str) -> (Arc<Game>, Option<Exchanged>) {
    let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).expect("GDL")).expect("a game"));
    let rules = Rules::of(&game);
    assert_eq!(may_apply(&rules, &StopToken::new()), Ok(true), "the rules have a choice");
    let done = exchange(&game, &rules, &GroundLimits::default(), &StopToken::new()).expect("quick");
    (game, done)
}

#[test]
fn the_search_for_choices_can_be_stopped() {
    let game = Game::new(ggp_gdl::parse(RULES.as_bytes()).expect("GDL")).expect("a game");
    let stop = StopToken::new();
    stop.stop();
    assert_eq!(may_apply(&Rules::of(&game), &stop), Err(GroundError::Interrupted));
}

/// The legal moves of each role, the goals and the end in the state of `facts`, with the facts after each joint
/// move.
type Position = (Vec<Vec<String>>, Vec<String>, bool, Vec<BTreeSet<Fact>>);

fn position<M: StateMachine>(machine: &mut M, facts: &[Fact]) -> Position {
    let state = machine.state_of(facts).expect("a state");
    let roles = machine.game().role_count();
    let legal: Vec<Vec<String>> = (0..roles)
        .map(|role| {
            let mut texts = machine.legal_texts(&state, Role(role as u8)).expect("moves");
            texts.sort_unstable();
            texts
        })
        .collect();
    let goals = machine.goals_of(&state).expect("goals").iter().map(|goals| format!("{goals:?}")).collect();
    let terminal = machine.is_terminal(&state).expect("an answer");
    let mut after = Vec::new();
    if !terminal {
        for one in &legal[0] {
            for two in &legal[1] {
                let joint = machine.parse_joint(&[one, two]).expect("legal moves");
                let next = machine.next_state(&state, &joint).expect("a state");
                after.push(machine.facts_of(&next).expect("facts").into_iter().collect());
            }
        }
    }
    (legal, goals, terminal, after)
}

#[test]
fn the_network_after_an_exchange_agrees_with_the_interpreter_in_each_reachable_state() {
    let (game, exchanged) = exchanged(RULES);
    let exchanged = exchanged.expect("at most one king");
    let kings = |set: &Vec<Fact>| set.iter().all(|fact| fact.as_str().ends_with(" k)"));
    assert!(exchanged.exclusive.iter().any(|set| set.len() == 6 && kings(set)), "{:?}", exchanged.exclusive);
    let net = of_exchanged(&game, exchanged, &GroundLimits::default(), &StopToken::new()).expect("small");
    let mut network = PropNetMachine::new(net).expect("compiled");
    let mut interpreter = Interpreter::new(&game);
    let start = interpreter.initial_state().expect("a state");
    let start: BTreeSet<Fact> = interpreter.facts_of(&start).expect("facts").into_iter().collect();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    let mut refused = 0;
    while let Some(facts) = open.pop() {
        let facts: Vec<Fact> = facts.into_iter().collect();
        let expected = position(&mut interpreter, &facts);
        assert_eq!(position(&mut network, &facts), expected, "{facts:?}");
        let white = &expected.0[0];
        let has_control = white.iter().any(|text| text == "pass");
        refused += usize::from(has_control && white.iter().all(|text| !text.starts_with("(move p")));
        for next in expected.3 {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    assert!(seen.len() > 200 && refused > 5, "{} states, {refused} without a pawn's move", seen.len());
}

#[test]
fn a_state_with_two_fluents_of_a_choice_is_refused_by_the_network() {
    let (game, exchanged) = exchanged(RULES);
    let limits = GroundLimits::default();
    let net = of_exchanged(&game, exchanged.expect("at most one king"), &limits, &StopToken::new());
    let mut network = PropNetMachine::new(net.expect("small")).expect("compiled");
    let facts =
        |texts: &[&str]| -> Vec<Fact> { texts.iter().map(|text| Fact::from_canonical(*text)).collect() };
    let two = network.state_of(&facts(&["(cell 1 k)", "(cell 3 k)", "(control white)"]));
    let never = EvalError::NeverTogether("(cell 1 k)".to_owned(), "(cell 3 k)".to_owned());
    assert_eq!(two.err(), Some(never.clone()));
    // The machine relies on the same sets after it has been written and read.
    let bytes = network.to_bytes();
    let read = PropNetMachine::from_bytes(&game, &bytes, Cpu::detect(), &StopToken::new());
    let two = read.expect("the same form").state_of(&facts(&["(cell 1 k)", "(cell 3 k)", "(control white)"]));
    assert_eq!(two.err(), Some(never));
    assert!(network.state_of(&facts(&["(cell 1 k)", "(cell 3 p)", "(control white)"])).is_ok());
}

/// Whether the exchange applies to [`RULES`] with `old` replaced by `new`.
fn applies_with(old: &str, new: &str) -> bool {
    assert!(RULES.contains(old));
    exchanged(&RULES.replace(old, new)).1.is_some()
}

#[test]
fn no_exchange_if_two_fluents_of_the_choice_may_hold() {
    assert!(applies_with("(init (cell 3 e))", "(init (cell 3 e))"));
    // Two kings from the start.
    assert!(!applies_with("(init (cell 3 e))", "(init (cell 3 k))"));
    // The rook becomes a king.
    assert!(!applies_with(
        "(<= (next (cell ?x e))",
        "(<= (next (cell ?y k)) (does black (move r ?x ?y))) (<= (next (cell ?x e))"
    ));
    // The king stays where it was.
    assert!(!applies_with(
        "(<= (next (cell ?x e)) (does ?role (move ?m ?x ?y)))",
        "(<= (next (cell ?x k)) (does white (move k ?x ?y)))"
    ));
    // A king comes into being in the first step, wherever the other one is.
    assert!(!applies_with("(<= terminal", "(<= (next (cell 6 k)) (true (step 1))) (<= terminal"));
}

#[test]
fn no_exchange_if_both_roles_move_the_chosen_man_at_once() {
    let both = RULES.replace(
        "(<= (legal white (move k ?x ?y)) (true (control white))",
        "(<= (legal ?role (move k ?x ?y)) (role ?role)",
    );
    assert_ne!(both, RULES);
    assert!(exchanged(&both).1.is_none());
}
