//! A rulesheet with a rule that cannot be read: the other rules are checked, and what the rule may say raises no alarm.

use ggp::Strictness;
use ggp_gdl::diagnose;
use std::fs;
use std::path::Path;

/// Of so many parentheses one is removed, for time.
const STEP: usize = 23;

#[test]
fn a_missing_parenthesis_is_all_that_is_wrong_with_a_game() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games");
    let mut torn = 0;
    for entry in fs::read_dir(folder).expect("the folder of games") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "kif") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a game");
        for (at, _) in text.match_indices(')').step_by(STEP) {
            // Comments have parentheses too.
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            if text[line..at].contains(';') {
                continue;
            }
            let broken = format!("{}{}", &text[..at], &text[at + 1..]);
            let findings = diagnose(broken.as_bytes(), Strictness::Strict);
            let others: Vec<String> = findings
                .iter()
                .filter(|finding| finding.code != "unclosed-parenthesis")
                .map(|finding| format!("{}: {}", finding.code, finding.message))
                .collect();
            assert!(others.is_empty(), "{} without the `)` at {at}: {others:?}", path.display());
            torn += usize::from(!findings.is_empty());
        }
    }
    assert!(torn > 100, "{torn}");
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
