//! Reports variables that are probably misspelled: those that stand once in their rule, one letter away from another
//! variable of it.
//!
//! GDL has no anonymous variable, so a variable that stands once is no mistake by itself.

use super::typos::edited;
use super::{Checker, Weight};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::domains::Place;
use crate::lexer::{Lexer, TokenKind};
use crate::symbol::Symbol;

/// The maximum number of variables in a rule that is looked at. It keeps the comparison of all pairs short.
const VARIABLES: usize = 64;

pub(super) fn check(checker: &mut Checker<'_>) {
    let mut last = None;
    for (index, rule) in checker.rules() {
        // The alternatives of one source rule have the same text.
        if last.replace(rule.span) == Some(rule.span) {
            continue;
        }
        let words = words(checker, rule.span);
        if words.len() > VARIABLES {
            continue;
        }
        for &(name, span, count) in &words {
            if count != 1 {
                continue;
            }
            // Of two variables that stand once each, the later one is suspect.
            let others = words.iter().filter(|&&(_, first, count)| count > 1 || first < span);
            let similar = others.filter(|&&(other, ..)| is_variable_slip(name, other));
            let similar = similar.filter(|&&(other, ..)| may_be_equal(checker, index, name, other));
            let Some(&(other, first, count)) = similar.max_by_key(|&&(.., count)| count) else { continue };
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let message = format!("`{name}` stands once in this rule, and `{other}` {times}");
            let diagnostic = Diagnostic::warning("single-variable", span, message)
                .and_at(first, format!("`{other}` stands here"))
                .did_you_mean(span, other);
            checker.report(Weight::Lint, diagnostic);
        }
    }
}

/// The variables in the text of a rule, each with its first place and the number of its places.
fn words<'a>(checker: &Checker<'a>, rule: Span) -> Vec<(&'a str, Span, usize)> {
    let source = &checker.description.source;
    let mut words: Vec<(&str, Span, usize)> = Vec::new();
    for token in Lexer::within(source, rule).filter(|token| token.kind == TokenKind::Word) {
        let Ok(word) = std::str::from_utf8(&source[token.span.range()]) else { continue };
        if !word.starts_with('?') {
            continue;
        }
        match words.iter().position(|(known, ..)| *known == word) {
            Some(at) => words[at].2 += 1,
            None if words.len() > VARIABLES => break,
            None => words.push((word, token.span, 1)),
        }
    }
    words
}

/// Whether the variable `name` is probably a misspelling of `right`. Names that differ in their first or their last letter,
/// in a digit, or by a prefix or a plural `s` are usually different on purpose: `?fromx` and `?fromy`, `?x` and `?tx`.
fn is_variable_slip(name: &str, right: &str) -> bool {
    let (name, right) = (&name[1..], &right[1..]);
    let Some((before, left, other)) = edited(name, right) else { return false };
    if !left.chars().chain(other.chars()).all(char::is_alphabetic) {
        return false;
    }
    let is_at_end = before + left.len() == name.len();
    let letters = name.chars().count().min(right.chars().count());
    match (left.chars().count(), other.chars().count()) {
        (1, 1) => letters >= 3 && before > 0 && !is_at_end,
        (2, 2) => letters >= 3,
        _ => letters >= 2 && before > 0 && !(is_at_end && (left == "s" || other == "s")),
    }
}

/// Whether conditions give values to two variables of a rule, and the same one to both. A variable without a value is
/// an error of its own.
fn may_be_equal(checker: &Checker<'_>, rule: usize, name: &str, other: &str) -> bool {
    let description = checker.description;
    let clause = &checker.inference.clauses.all[rule];
    let symbol = |name: &str| description.symbols.get(name);
    let places = |name: Option<Symbol>| -> Vec<Place> {
        let variable = clause.variables.iter().find(|variable| Some(variable.name) == name);
        variable.map_or(Vec::new(), |variable| variable.from.iter().map(|&(_, place)| place).collect())
    };
    let (one, two) = (places(symbol(name)), places(symbol(other)));
    !one.is_empty() && !two.is_empty() && checker.inference.wide.has_value(&[one, two].concat())
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings;
    use super::is_variable_slip;

    #[test]
    fn variables_may_differ_in_their_ends() {
        for (name, right) in [
            ("?playr", "?player"),
            ("?plyaer", "?player"),
            ("?plaxer", "?player"),
            ("?pplayer", "?player"),
            ("?rol", "?role"),
            ("?x22", "?x2"),
            ("?x2q", "?x2"),
        ] {
            assert_eq!(is_variable_slip(name, right), name != "?x22", "{name}");
        }
        for (name, right) in [
            ("?x", "?y"),
            ("?xy", "?yx"),
            ("?fromx", "?fromy"),
            ("?xany", "?yany"),
            ("?type", "?ptype"),
            ("?coin", "?coins"),
            ("?x1", "?x2"),
            ("?x", "?xq"),
            ("?player", "?Player"),
        ] {
            assert!(!is_variable_slip(name, right) && !is_variable_slip(right, name), "{name}");
        }
    }

    #[test]
    fn a_lone_variable_beside_a_similar_one_is_suspect() {
        let rules = |rule: &str| findings(&format!("{rule} (before 1 2) (colour red)"));
        assert_eq!(
            rules("(<= (next (step ?next)) (true (step ?this)) (before ?thsi ?next))"),
            ["warning single-variable ?thsi"]
        );
        assert_eq!(
            rules("(<= (next (step ?next)) (true (step ?stepp)) (before ?step ?next) (true (step ?step)))"),
            ["warning single-variable ?stepp"]
        );
        // A colour is no step.
        assert!(rules("(<= (next (step ?step)) (true (step ?step)) (colour ?steep))").is_empty());
    }
}
