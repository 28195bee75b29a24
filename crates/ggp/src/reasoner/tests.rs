use super::Reasoner;
use crate::build::{Build, BuildError, Choice};
use ggp_game::{Deadline, StateMachine, StopToken};
use std::time::Duration;

#[test]
fn the_compiled_evaluator_takes_over_where_there_is_no_network() {
    let game = crate::parse(include_str!("../../../../games/nim.kif")).expect("a game");
    let build = Build::within(Duration::ZERO);
    let mut reasoner = Reasoner::in_background(&game, &build).expect("a thread");
    let before = (reasoner.name() != "compiled").then(|| reasoner.initial_state().expect("a state"));
    reasoner.wait(Deadline::never(), &StopToken::new());
    assert_eq!(reasoner.name(), "compiled");
    assert_eq!(reasoner.fallback(), Some(&BuildError::TimeOut(Duration::ZERO)));
    let state = reasoner.initial_state().expect("a state");
    if let Some(before) = before {
        assert_eq!(
            reasoner.facts_of(&before),
            reasoner.facts_of(&state),
            "a state from before is still valid"
        );
    }
    let waited = build.reasoner(&game).expect("a machine");
    assert_eq!((waited.name(), waited.fallback()), ("compiled", reasoner.fallback()));
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
