//! Rules that pass the checks can be evaluated: the language crate and the evaluator agree on which rules
//! have a meaning, though each splits relations in its own way.

use ggp_game::Game;
use ggp_gdl::{Severity, Strictness, check, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

const GAME: &str = "(role white) (role black) (legal black go) (goal black 0) (init (step 1)) (<= (next (step 2)) (true (step 1))) (legal white go)
    (<= terminal (true (step 2))) (goal white 100) (n a) (n b)";

/// Rules of few relations with occasional constants. Cycles are frequent, and in some of them only
/// constants separate the relations.
fn rules() -> impl Strategy<Value = String> {
    let heads = [
        "(p a)",
        "(p b)",
        "(p ?x)",
        "(q a ?x)",
        "(q b ?x)",
        "(q ?x ?y)",
        "(r ?x)",
        "(r a)",
        "s",
        "(r (f ?x))",
        "(r (g ?x))",
        "(q (f ?y) ?x)",
        "(legal white a)",
        "(legal ?x (f ?y))",
        "(legal ?x (g a))",
        "(legal ?x ?y)",
        "(legal white ?x)",
        "(legal black ?y)",
        "(legal black (f ?y))",
        "(goal white 0)",
        "(goal ?x 100)",
        "(goal ?x ?y)",
    ];
    let head = prop::sample::select(heads.to_vec());
    let literal = (prop::sample::select(heads.to_vec()), any::<bool>())
        .prop_map(|(atom, negated)| if negated { format!("(not {atom})") } else { atom.to_owned() });
    let rule = (head, vec(literal, 1..3))
        .prop_map(|(head, body)| format!("(<= {head} (n ?x) (n ?y) {})", body.join(" ")));
    vec(rule, 1..7).prop_map(|rules| rules.join("\n"))
}

#[test]
fn what_is_checked_has_a_meaning() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) };
    let accepted = Cell::new(0);
    let outcome = TestRunner::new(config).run(&rules(), |rules| {
        let description = parse(format!("{GAME}\n{rules}").as_bytes()).expect("it is well formed");
        let findings = check(&description, Strictness::Default);
        if findings.iter().all(|d| d.severity < Severity::Error) {
            accepted.set(accepted.get() + 1);
            let game = Game::new(description);
            prop_assert!(game.is_ok(), "{:?}", game.err());
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(accepted.get() > 100, "only {} of 1,000 rulesheets pass the checks", accepted.get());
}
