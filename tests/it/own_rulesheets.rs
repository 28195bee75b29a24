//! Our own rulesheets are models: nothing to say about them at the strict level, and laid out.

use ggp_gdl::{Strictness, diagnose, format, render};
use std::fs;

#[test]
fn they_are_strictly_valid_and_laid_out() {
    let games = ggp_tests::workspace().join("games");
    let mut count = 0;
    for entry in fs::read_dir(games).expect("games can be read") {
        let path = entry.expect("an entry of games").path();
        if path.extension().is_none_or(|e| e != "kif") {
            continue;
        }
        let name = path.display().to_string();
        let kif = fs::read(&path).expect("a rulesheet can be read");
        let findings = diagnose(&kif, Strictness::Strict);
        assert!(findings.is_empty(), "{}", render(&findings, &name, &kif, false));
        assert!(format(&kif).expect("it parses") == kif, "{name} is not laid out: run `ggp fmt` on it");
        count += 1;
    }
    assert!(count >= 13, "only {count} rulesheets in games");
}
