//! A rulesheet with a rule that cannot be read: the other rules are checked, and what the rule may say raises no alarm.

use ggp::Strictness;
use ggp_gdl::{Diagnostic, diagnose, parse};
use std::fs;
use std::path::Path;

/// Of so many places one is torn, for time.
const STEP: usize = 23;

/// What the checks find in a text beside its syntax errors, of which there is at least one.
fn beside_syntax(text: &str) -> Vec<Diagnostic> {
    let errors = parse(text.as_bytes()).expect_err("a syntax error").into_diagnostics();
    diagnose(text.as_bytes(), Strictness::Strict).split_off(errors.len())
}

/// Tears each game at every [`STEP`]th occurrence of `part` outside of comments: `tear` makes the torn text of what is
/// before the place and what begins there. Returns the number of torn texts.
fn tear_games(part: &str, tear: impl Fn(&str, &str) -> String) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games");
    let mut torn = 0;
    for entry in fs::read_dir(folder).expect("the folder of games") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "kif") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a game");
        for (at, _) in text.match_indices(part).step_by(STEP) {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            if text[line..at].contains(';') {
                continue;
            }
            let others: Vec<String> = beside_syntax(&tear(&text[..at], &text[at..]))
                .iter()
                .map(|finding| format!("{}: {}", finding.code, finding.message))
                .collect();
            assert!(others.is_empty(), "{} torn at {at}: {others:?}", path.display());
            torn += 1;
        }
    }
    torn
}

#[test]
fn a_missing_parenthesis_is_all_that_is_wrong_with_a_game() {
    let torn = tear_games(")", |before, after| format!("{before}{}", &after[1..]));
    assert!(torn > 100, "{torn}");
    let torn = tear_games("(", |before, after| format!("{before}{}", &after[1..]));
    assert!(torn > 100, "{torn}");
}

#[test]
fn a_surplus_parenthesis_is_all_that_is_wrong_with_a_game() {
    for parenthesis in ["(", ")"] {
        let torn = tear_games(")", |before, after| format!("{before}{parenthesis}{after}"));
        assert!(torn > 100, "{torn}");
    }
}

#[test]
fn a_rule_that_is_being_written_is_all_that_is_wrong_with_a_game() {
    for begun in ["(<= (legal ?r (", "(<= (next (", "(", "(<= terminal\n    (true (", "(init ("] {
        let torn = tear_games("\n(", |before, after| format!("{before}\n\n{begun}\n{after}"));
        assert!(torn > 30, "{begun}: {torn}");
    }
}

#[test]
fn the_rules_that_can_be_read_are_checked() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/tic_tac_toe.kif");
    let text = fs::read_to_string(path).expect("a game");
    let torn = format!("{text}\n(<= (next (control ?\n(<= terminal (not (true (control ?n))))\n");
    let codes: Vec<&str> =
        diagnose(torn.as_bytes(), Strictness::Default).iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["unclosed-parenthesis", "unsafe-variable"]);
}
