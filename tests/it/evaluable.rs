//! What the checks let pass can be evaluated: the language crate and the evaluator agree on which
//! rules have a meaning, though each splits relations in its own way.

use ggp_game::Game;
use ggp_gdl::{Severity, Strictness, check, parse};
use proptest::collection::vec;
use proptest::prelude::*;

const GAME: &str = "(role white) (role black) (legal black go) (goal black 0) (init (step 1)) (<= (next (step 2)) (true (step 1))) (legal white go)
    (<= terminal (true (step 2))) (goal white 100) (n a) (n b)";

/// Rules of few relations with constants here and there, so that cycles are common and some of
/// them are kept apart by constants only.
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn what_is_checked_has_a_meaning(rules in rules()) {
        let description = parse(format!("{GAME}\n{rules}").as_bytes()).expect("it is well formed");
        let findings = check(&description, Strictness::Default);
        if findings.iter().all(|d| d.severity < Severity::Error) {
            let game = Game::new(description);
            prop_assert!(game.is_ok(), "{:?}", game.err());
        }
    }
}
