use super::Reasoner;
use crate::background::BackgroundBuild;
use crate::build::{Build, BuildError, Choice};
use crate::machine::BuiltMachine;
use ggp_compiled::CompiledMachine;
use ggp_game::{Deadline, StateMachine, StopToken};
use std::time::Duration;

#[test]
fn the_compiled_evaluator_takes_over_where_there_is_no_network() {
    let game = crate::parse(include_str!("../../../../games/nim.kif")).expect("a game");
    let machine = CompiledMachine::new(&game, &StopToken::new()).expect("nim can be compiled");
    let why = BuildError::TimeOut(Duration::ZERO);
    let built = BuiltMachine { machine: machine.into(), instead_of: Some(why.clone()) };
    let mut reasoner = Reasoner::interpreter(&game);
    let before = reasoner.initial_state().expect("a state");
    reasoner.coming = Some(BackgroundBuild::of_outcome(Ok(built)));
    assert!(reasoner.wait(Deadline::never(), &StopToken::new()));
    assert_eq!((reasoner.name(), reasoner.fallback()), ("compiled", Some(&why)));
    let state = reasoner.initial_state().expect("a state");
    assert_eq!(reasoner.facts_of(&before), reasoner.facts_of(&state), "a state from before is still valid");
}

#[test]
fn a_game_that_neither_can_take_stays_on_the_interpreter() {
    let rules = "(role a) (init (count z)) (legal a step) (<= (next (count (s ?n))) (true (count ?n)))
        (<= terminal (true (count (s (s z))))) (goal a 100)";
    let game = crate::parse(rules).expect("a game");
    let build = Build::within(Duration::ZERO);
    let reasoner = build.reasoner(&game).expect("a machine");
    assert_eq!((reasoner.name(), reasoner.fallback().is_some()), ("datalog", true));
    let refused = Build { choice: Choice::Compiled, ..build }.reasoner(&game);
    assert!(matches!(refused, Err(BuildError::Refused(_))));
}
