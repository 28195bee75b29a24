//! Reports names that differ only by case. Such names are different, which is seldom intended.
//!
//! KIF is case-insensitive. This project keeps the case of all names except keywords, as other general game
//! playing servers do. A reader of the specification may therefore take two different names for the same
//! name.

use super::{Checker, Weight};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, TokenKind};
use rustc_hash::FxHashMap;

struct Spelling<'a> {
    name: &'a str,
    first: Span,
    count: usize,
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let whole = Span { start: 0, end: checker.description.source.len() };
    compare(checker, whole, |name| {
        !name.starts_with('?') && Keyword::of(name).is_none() && Connective::of(name).is_none()
    });
    // Variables are local to their rule.
    let mut last = None;
    for (_, rule) in checker.rules() {
        if last != Some(rule.span) {
            compare(checker, rule.span, |name| name.starts_with('?'));
            last = Some(rule.span);
        }
    }
}

/// Reports names in the bytes `span` of the source that differ only by case. Compares only names for which
/// `is_meant` holds.
fn compare(checker: &mut Checker<'_>, span: Span, is_meant: impl Fn(&str) -> bool) {
    let source = &checker.description.source;
    let mut groups: Vec<Vec<Spelling<'_>>> = Vec::new();
    let mut by_folded: FxHashMap<String, usize> = FxHashMap::default();
    let mut by_name: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for token in Lexer::within(source, span).filter(|t| t.kind == TokenKind::Word) {
        let Ok(name) = std::str::from_utf8(&source[token.span.range()]) else { continue };
        if let Some(&(group, at)) = by_name.get(name) {
            groups[group][at].count += 1;
        } else if is_meant(name) {
            let next = groups.len();
            let group = *by_folded.entry(name.to_lowercase()).or_insert(next);
            if group == next {
                groups.push(Vec::new());
            }
            by_name.insert(name, (group, groups[group].len()));
            groups[group].push(Spelling { name, first: token.span, count: 1 });
        }
    }
    for group in &groups {
        // The most frequent spelling is taken to be correct. Of several equally frequent spellings, the first
        // one is.
        let Some(common) = group.iter().rev().max_by_key(|s| s.count) else { continue };
        for odd in group.iter().filter(|s| s.name != common.name) {
            let diagnostic = Diagnostic::error(
                "case-collision",
                odd.first,
                format!("`{}` and `{}` differ only by case and are different names", odd.name, common.name),
            )
            .and_at(common.first, format!("`{}` stands here", common.name))
            .did_you_mean(odd.first, common.name);
            checker.report(Weight::Breach, diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings, findings_at};
    use crate::Strictness;

    #[test]
    fn the_rarer_spelling_is_the_odd_one() {
        let rules = "(<= (next (Step 1)) (true (step 2)) (true (Step 1)))";
        assert_eq!(findings(rules), ["warning case-collision Step"]);
        assert!(findings_at(Strictness::Strict, rules).contains(&"error case-collision Step".to_owned()));
    }

    #[test]
    fn variables_are_compared_within_their_rule() {
        accepts("(<= (next (step ?x)) (true (step ?x))) (<= (next (step ?X)) (true (step ?X)))");
        let rules = "(<= (next (step ?X)) (true (step ?X)) (true (steps ?x)))";
        assert_eq!(findings(rules), ["warning case-collision ?x"]);
    }

    #[test]
    fn keywords_are_left_alone() {
        accepts("(ROLE black) (Legal black go) (<= (Goal ?R 0) (Role ?R)) (<= terminal (role ?r))");
    }
}
