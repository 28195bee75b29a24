//! Explanations agree with the interpreter and are consistent.

use ggp_explain::{Because, Explainer, Explanation, Verdict};
use ggp_game::{Fact, Goals, Interpreter, StateMachine, rng};

/// Number of steps of the playout whose states are explained.
const STEPS: u32 = 4;

/// Checks an explanation: if a fact holds by a rule, all its conditions hold; if it fails, exactly one
/// condition fails and the later ones are not tried.
fn assert_consistent(e: &Explanation) {
    match e.because {
        Because::Rule(_) => {
            assert_eq!(e.verdict, Verdict::Holds, "{}", e.text);
            assert!(e.parts.iter().all(|part| part.verdict == Verdict::Holds), "{e:?}");
        }
        Because::Nearest { .. } => {
            assert_eq!(e.verdict, Verdict::Fails, "{}", e.text);
            let fails = e.parts.iter().position(|part| part.verdict == Verdict::Fails).expect(&e.text);
            assert!(e.parts[..fails].iter().all(|part| part.verdict == Verdict::Holds), "{e:?}");
            assert!(e.parts[fails + 1..].iter().all(|part| part.verdict == Verdict::Untried), "{e:?}");
        }
        _ => {}
    }
    e.parts.iter().for_each(assert_consistent);
}

#[test]
fn what_holds_is_explained_and_what_fails_is_too() {
    for name in ggp_tests::rulesheets() {
        let game = ggp_tests::game(&ggp_tests::rulesheet(&name));
        let mut machine = Interpreter::new(&game);
        let mut explainer = Explainer::new(&game);
        let mut state = machine.initial_state().expect("an initial state");
        let stream = rng::Stream::new(1, 0);
        for step in 0..STEPS {
            let mut facts = Vec::new();
            machine.facts(&state, &mut facts).expect("facts");
            explainer.load(&facts, &[]).expect("a state");
            let mut explain = |fact: &str, holds: bool| {
                let explanation = explainer.explain(fact).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(explanation.text, fact, "{name}");
                assert_eq!(explanation.verdict == Verdict::Holds, holds, "{name}: {fact}");
                assert_consistent(&explanation);
            };
            let is_terminal = machine.is_terminal(&state).expect("a verdict");
            explain("terminal", is_terminal);
            let mut joint = Vec::new();
            let mut by_role = Vec::new();
            for role in game.roles() {
                let mut legal = Vec::new();
                machine.legal_moves(&state, role, &mut legal).expect("moves");
                // A terminal state may have no legal moves.
                if !is_terminal {
                    joint.push(legal[stream.below(step, role, legal.len() as u32) as usize]);
                }
                by_role.push(legal);
            }
            // Every role's moves are also asked for the other roles, which mostly do not have them.
            for role in game.roles() {
                for mv in by_role.iter().flat_map(|legal| legal.iter().take(3)) {
                    let fact = format!("(legal {} {})", game.role_name(role), machine.move_text(*mv));
                    explain(&fact, by_role[role.index()].contains(mv));
                }
            }
            let mut goals = vec![Goals::None; game.role_count()];
            machine.goals(&state, &mut goals).expect("goals");
            for (role, goals) in game.roles().zip(goals) {
                let goal =
                    goals.largest().unwrap_or_else(|| panic!("{name}: {} has no goal", game.role_name(role)));
                explain(&format!("(goal {} {goal})", game.role_name(role)), true);
            }
            if is_terminal {
                break;
            }
            let texts: Vec<String> = joint.iter().map(|&mv| machine.move_text(mv).to_owned()).collect();
            state = machine.next_state(&state, &joint).expect("a next state");
            let mut after: Vec<Fact> = Vec::new();
            machine.facts(&state, &mut after).expect("facts");
            explainer.load(&facts, &texts).expect("a state");
            for fact in after.iter().chain(&facts).step_by(5) {
                let next = format!("(next {fact})");
                let explanation = explainer.explain(&next).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(explanation.verdict == Verdict::Holds, after.contains(fact), "{name}: {next}");
                assert_consistent(&explanation);
            }
        }
    }
}
