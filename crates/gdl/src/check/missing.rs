//! Reports missing relations that a game needs.
//!
//! A game needs at least one role. The specification also requires `legal`, `goal` and `terminal`. A
//! rulesheet without `init` gives only a warning: six published games have none.

use super::fold::absorb;
use super::{Checker, Weight};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::Keyword;

/// The keywords that a game needs, with the weight and the message of the finding that one is missing.
const NEEDS: [(Keyword, Weight, &str); 6] = [
    (Keyword::Role, Weight::Fatal, "nobody plays: the rulesheet has no `role`"),
    (Keyword::Legal, Weight::Grave, "nobody can ever move: the rulesheet has no `legal`"),
    (Keyword::Terminal, Weight::Breach, "the game never ends: the rulesheet has no `terminal`"),
    (Keyword::Goal, Weight::Breach, "nobody wins anything: the rulesheet has no `goal`"),
    (Keyword::Init, Weight::Lint, "the first state is empty: the rulesheet has no `init`"),
    (Keyword::Next, Weight::Lint, "every state but the first is empty: the rulesheet has no `next`"),
];

pub(super) fn check(checker: &mut Checker<'_>) {
    if checker.description.rules.is_empty() {
        let diagnostic = Diagnostic::error("empty-rulesheet", Span::default(), "there are no rules here")
            .help(format!("a game needs at least a role: `{}`", Keyword::Role.example()));
        checker.report(Weight::Fatal, diagnostic);
        return;
    }
    for (keyword, weight, message) in NEEDS {
        // A keyword with the wrong arity counts as present; another check reports it.
        if !checker.relations.all.iter().any(|r| r.keyword == Some(keyword) && !r.heads.is_empty()) {
            let diagnostic = Diagnostic::error("missing-keyword", Span::default(), message)
                .help(keyword.usage())
                .lacks(keyword);
            checker.report(weight, diagnostic);
        }
    }
}

/// Folds what follows from a missing keyword into the finding about it: relations that only its rules would use, and
/// conditions that only its rules would make true. A finding with an edit has another cause.
pub(super) fn fold(source: &[u8], findings: &mut Vec<Diagnostic>) {
    for (keyword, ..) in NEEDS {
        let is_cause =
            |finding: &Diagnostic| finding.code == "missing-keyword" && finding.lacks == Some(keyword);
        let Some(cause) = findings.iter().position(is_cause) else { continue };
        absorb(findings, cause, |finding| {
            let waits =
                matches!(finding.code, "never-matched" | "never-joined" | "never-started" | "not-kept");
            let follows = match keyword {
                Keyword::Init | Keyword::Next => waits,
                Keyword::Legal => waits && source[finding.span.range()].starts_with(b"(does"),
                _ => false,
            };
            (follows || finding.code == "never-used") && finding.edits.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, diagnose};

    fn found(kif: &str) -> Vec<String> {
        let show = |d: &crate::Diagnostic| format!("{} {} {}", d.severity.name(), d.code, d.message);
        diagnose(kif.as_bytes(), Strictness::Default).iter().map(show).collect()
    }

    #[test]
    fn what_follows_from_a_missing_keyword_is_folded_into_the_finding_about_it() {
        let game =
            "(role x) (init (at 1)) (succ 1 2) (succ 2 3) (<= (legal x go) (true (at ?n)) (not (at_end ?n)))
            (<= (at_end 3) (true (at 3))) (<= terminal (true (at 3))) (goal x 100)";
        assert_eq!(
            found(game),
            ["warning missing-keyword every state but the first is empty: the rulesheet has no `next`"]
        );
    }

    #[test]
    fn only_roles_and_moves_are_indispensable() {
        assert_eq!(
            found("(role x) (<= (legal x a) (role x))"),
            [
                "warning missing-keyword the game never ends: the rulesheet has no `terminal`",
                "warning missing-keyword nobody wins anything: the rulesheet has no `goal`",
                "warning missing-keyword the first state is empty: the rulesheet has no `init`",
                "warning missing-keyword every state but the first is empty: the rulesheet has no `next`",
            ]
        );
        assert_eq!(found(""), ["error empty-rulesheet there are no rules here"]);
        assert!(found("(legal x a)").iter().any(|f| f.starts_with("error") && f.contains("`role`")));
    }
}
