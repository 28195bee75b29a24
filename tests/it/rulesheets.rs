//! Properties of the project's rulesheets in random playouts: every fluent is a `base` fact, every legal
//! move is an `input`, every role always has a legal move and exactly one goal in every state, goals
//! never fall, and each game ends.

use ggp_game::rng::Stream;
use ggp_game::{Goals, Interpreter, Role, StateMachine};
use ggp_gdl::{Strictness, diagnose, format, render};
use std::collections::BTreeSet;

/// The playouts of each rulesheet in short tests and in long ones.
const PLAYOUTS: (u64, u64) = (5, 200);

/// No further playout of a game begins after so many steps. Playouts of chess have about 400 steps, and the interpreter
/// needs a millisecond and more for each.
const STEPS: u64 = 8_000;

/// The facts of `base` and the moves of `input`. They are read as the initial state and the legal moves
/// of a game in which they replace `init` and `legal`.
fn base_and_inputs(text: &str) -> (BTreeSet<String>, Vec<BTreeSet<String>>) {
    let freed = text.replace("(init ", "(initially ").replace("(legal ", "(lawful ");
    let derived = freed.replace("(base ", "(init ").replace("(input ", "(legal ");
    let mut machine = Interpreter::new(&ggp_tests::game(&derived));
    let everything = machine.initial_state().expect("evaluates");
    let mut facts = Vec::new();
    machine.facts(&everything, &mut facts).expect("evaluates");
    let base = facts.iter().map(|fact| fact.as_str().to_owned()).collect();
    let inputs = machine.game().clone().roles().map(|role| {
        let mut legal = Vec::new();
        machine.legal_moves(&everything, role, &mut legal).expect("evaluates");
        legal.iter().map(|&mv| machine.move_text(mv).to_owned()).collect()
    });
    (base, inputs.collect())
}

#[test]
fn random_playouts_find_nothing_wrong() {
    let playouts = if ggp_tests::plays_long() { PLAYOUTS.1 } else { PLAYOUTS.0 };
    for name in ggp_tests::rulesheets() {
        let text = ggp_tests::rulesheet(&name);
        let (base, inputs) = base_and_inputs(&text);
        let mut machine = Interpreter::new(&ggp_tests::game(&text));
        let mut steps = 0;
        for number in 0..playouts {
            if steps >= STEPS {
                break;
            }
            steps += playout(&name, &mut machine, Stream::new(1, number), &base, &inputs);
        }
    }
}

/// One playout. Returns the number of its steps.
fn playout(
    name: &str,
    machine: &mut Interpreter,
    stream: Stream,
    base: &BTreeSet<String>,
    inputs: &[BTreeSet<String>],
) -> u64 {
    let roles = machine.game().role_count();
    let mut state = machine.initial_state().expect("evaluates");
    let (mut facts, mut legal) = (Vec::new(), Vec::new());
    let (mut goals, mut before) = (vec![Goals::None; roles], vec![0; roles]);
    for step in 0..1_000 {
        machine.facts(&state, &mut facts).expect("evaluates");
        for fact in &facts {
            assert!(base.contains(fact.as_str()), "{name}: `{fact}` is missing in base");
        }
        machine.goals(&state, &mut goals).expect("evaluates");
        for (goal, before) in goals.iter().zip(&mut before) {
            let goal =
                goal.only().unwrap_or_else(|| panic!("{name}: a role without a goal in {facts:?}")).value();
            assert!(goal >= *before, "{name}: a goal falls in {facts:?}");
            *before = goal;
        }
        if machine.is_terminal(&state).expect("evaluates") {
            return step.into();
        }
        let mut joint = Vec::with_capacity(roles);
        for (number, inputs) in inputs.iter().enumerate() {
            let role = Role(number as u8);
            machine.legal_moves(&state, role, &mut legal).expect("evaluates");
            assert!(!legal.is_empty(), "{name}: a role without a move in {facts:?}");
            for &mv in &legal {
                let mv = machine.move_text(mv);
                assert!(inputs.contains(mv), "{name}: `{mv}` is missing in input");
            }
            joint.push(legal[stream.below(step, role, legal.len() as u32) as usize]);
        }
        state = machine.next_state(&state, &joint).expect("evaluates");
    }
    panic!("{name}: no end after 1,000 steps");
}

#[test]
fn the_strict_check_finds_nothing() {
    for name in ggp_tests::rulesheets() {
        let text = ggp_tests::rulesheet(&name);
        let findings = diagnose(text.as_bytes(), Strictness::Strict);
        assert!(findings.is_empty(), "{}", render(&findings, &name, text.as_bytes(), false));
    }
}

#[test]
fn rulesheets_have_the_canonical_layout() {
    for name in ggp_tests::rulesheets() {
        let text = ggp_tests::rulesheet(&name);
        let laid_out = format(text.as_bytes()).expect("it parses");
        assert!(laid_out == text.as_bytes(), "{name}: `ggp fmt` would change it");
    }
}
