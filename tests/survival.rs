//! Properties of the language crate for arbitrary bytes.
//!
//! No input causes a panic. The printed form of rules parses to the same rules. Formatting is idempotent
//! and keeps every word and comment.

use ggp_gdl::lexer::{Lexer, TokenKind};
use ggp_gdl::{Strictness, check, format, locate, parse, parse_rules, print, render};

/// Fragments for random texts. Parentheses occur several times, so that random texts contain lists.
pub const FRAGMENTS: &[&str] = &[
    "(",
    "(",
    "(",
    ")",
    ")",
    ")",
    "(<= ",
    "(<= p ",
    "(not ",
    "(or ",
    "(and ",
    "(distinct ",
    "(true ",
    "(does ",
    "(next ",
    "(init ",
    "(legal ",
    "(goal ",
    "(role ",
    "(base ",
    "(input ",
    "(sees ",
    " terminal ",
    " ?x ",
    " ?y ",
    " p ",
    "(q ",
    "(f ",
    " 1 ",
    " 100 ",
    " white ",
    " White ",
    "; comment (\n",
    ";\r",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "()",
    "((",
    "))",
    "(<=)",
    "(p a) ",
    "(q ?x ?y) ",
    " ?n++ ",
    "(lock) ",
    " <= ",
    " not ",
    "?",
    "\u{e9}",
    "\u{a0}",
    "\u{feff}",
    "\u{0}",
    "(not (distinct ?x ?y))",
];

/// Checks all properties on one text. Returns whether the text is a valid rulesheet.
///
/// # Panics
/// If a property is violated.
pub fn exercise(kif: &[u8]) -> bool {
    let words = |text: &[u8]| -> Vec<(TokenKind, Vec<u8>)> {
        Lexer::new(text).map(|t| (t.kind, text[t.span.range()].trim_ascii_end().to_vec())).collect()
    };
    if let Ok(once) = format(kif) {
        assert!(words(kif) == words(&once), "laying out changed a word");
        assert!(format(&once).expect("it is laid out") == once, "laying out did not settle");
    }
    let _ = parse_rules(kif);
    match parse(kif) {
        Err(errors) => {
            let findings = errors.into_diagnostics();
            assert!(!findings.is_empty(), "no reason given");
            render(&findings, "any", kif, true);
            locate(&findings, "any", kif);
            false
        }
        Ok(description) => {
            for strictness in [Strictness::Lenient, Strictness::Default, Strictness::Strict] {
                let findings = check(&description, strictness);
                render(&findings, "any", kif, false);
                locate(&findings, "any", kif);
            }
            let printed = print(&description);
            let again = parse(printed.as_bytes()).expect("what is printed parses");
            assert!(printed == print(&again), "printing changed the rules");
            true
        }
    }
}
