//! Property tests of the language crate with arbitrary bytes: nothing panics, printed rules parse to the
//! same rules, and formatting is idempotent and keeps every word.
//!
//! A longer run: `cargo run --release -p ggp-tests --bin fuzz -- --seconds 600 games`.

use ggp_gdl::{Strictness, check, format, parse, print, render};
use ggp_tests::survival::{FRAGMENTS, exercise};
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn soup() -> impl Strategy<Value = String> {
    vec(prop::sample::select(FRAGMENTS), 0..60).prop_map(|tokens| tokens.concat())
}

/// Well-formed terms and conditions, which exercise the deeper parts more often.
fn rules() -> impl Strategy<Value = String> {
    let atoms = &[
        "p",
        "(p ?x)",
        "(q ?x ?y)",
        "(q a ?x)",
        "(p (f ?x))",
        "(true (c ?x))",
        "(does ?x m)",
        "(P b)",
        "terminal",
    ];
    let terms = &["?x", "?y", "a", "(f ?x)", "(f ?y)", "(f (g a ?y))", "?z"];
    let atom = prop::sample::select(&atoms[..]).prop_map(str::to_owned);
    let term = prop::sample::select(&terms[..]);
    let distinct = (term.clone(), term).prop_map(|(l, r)| format!("(distinct {l} {r})"));
    let condition = prop_oneof![4 => atom.clone(), 1 => distinct].prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| format!("(not {c})")),
            vec(inner.clone(), 1..3).prop_map(|c| format!("(or {})", c.join(" "))),
            vec(inner, 1..3).prop_map(|c| format!("(and {})", c.join(" "))),
        ]
    });
    let rule =
        (atom, vec(condition, 0..4)).prop_map(|(head, body)| format!("(<= {head} {})", body.join(" ")));
    vec(rule, 0..8).prop_map(|rules| rules.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn bytes(kif in vec(any::<u8>(), 0..200)) {
        exercise(&kif);
    }

    #[test]
    fn tokens(kif in soup()) {
        exercise(kif.as_bytes());
    }

    #[test]
    fn well_formed_rules(kif in rules()) {
        parse(kif.as_bytes()).expect("it is well formed");
        exercise(kif.as_bytes());
    }
}

#[test]
fn a_million_parentheses_are_an_error_message() {
    let nest = vec![b'('; 1_000_000];
    let errors = parse(&nest).expect_err("it is too deep").into_diagnostics();
    let shown = render(&errors, "nest.kif", &nest, false);
    assert!(shown.contains("nested more than 100000 deep"), "{shown}");
    assert!(shown.len() < 2000);
    assert!(format(&nest).is_err());
}

#[test]
fn functions_may_be_nested_deeply() {
    for depth in [10_000, 90_000] {
        let kif = format!("(role x) (init {}a{})", "(s ".repeat(depth), ")".repeat(depth));
        exercise(kif.as_bytes());
        let description = parse(kif.as_bytes()).expect("it parses");
        assert_eq!(description.terms.depth(description.rules[1].head.args[0]), depth);
    }
}

#[test]
fn odd_shapes_take_no_more_than_linear_time() {
    let n = 30_000;
    let many = |part: &str| part.repeat(n);
    let each = |part: fn(usize) -> String| (0..n).map(part).collect::<Vec<_>>().concat();
    let shapes = [
        many("(p a) "),
        many("(<= p q)\n"),
        many("(<= (p ?x) (q ?x) (not (r ?x)))\n"),
        format!("(<= p {})", many("(not q) ")),
        format!("(<= p {}q{})", many("(not "), many(")")),
        format!("(<= p {})", many("[not [not q]] ")),
        many("p(a).\n"),
        many("p :-\n"),
        format!("(<= (p {}) (q {}))", many("?x "), many("?x ")),
        format!("(<= p (or {}))", "q ".repeat(4000)),
        each(|i| format!("(<= (p {i}) (p {}))\n", i + 1)),
        each(|i| format!("(<= (p {i} ?x) (not (p ?x {i})) (q ?x))\n")),
        each(|i| format!("(<= (p{i}) (p{}))\n", i + 1)),
        format!("(<= (p) (q {}))", each(|i| format!("?v{i} "))),
        format!("(<= (p) {})", each(|i| format!("(p ?v{i}) "))),
        many(")"),
        many("; comment\n"),
    ];
    for kif in shapes {
        let start = Instant::now();
        if let Ok(description) = parse(kif.as_bytes()) {
            render(&check(&description, Strictness::Strict), "odd", kif.as_bytes(), false);
            print(&description);
        }
        let _ = format(kif.as_bytes());
        // Linear work takes milliseconds, quadratic work minutes. The limit leaves room for a busy
        // machine.
        assert!(start.elapsed() < Duration::from_secs(20), "{}: {:?}", &kif[..40], start.elapsed());
    }
}
