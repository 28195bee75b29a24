//! Reports missing relations that a game needs.
//!
//! A game needs at least one role. The specification also requires `legal`, `goal` and `terminal`. A
//! rulesheet without `init` gives only a warning: six published games have none.

use super::{Checker, Weight};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::Keyword;

pub(super) fn check(checker: &mut Checker<'_>) {
    if checker.description.rules.is_empty() {
        let diagnostic = Diagnostic::error("empty-rulesheet", Span::default(), "there are no rules here")
            .help(format!("a game needs at least a role: `{}`", Keyword::Role.example()));
        checker.report(Weight::Fatal, diagnostic);
        return;
    }
    let needs = [
        (Keyword::Role, Weight::Fatal, "nobody plays: the rulesheet has no `role`"),
        (Keyword::Legal, Weight::Grave, "nobody can ever move: the rulesheet has no `legal`"),
        (Keyword::Terminal, Weight::Breach, "the game never ends: the rulesheet has no `terminal`"),
        (Keyword::Goal, Weight::Breach, "nobody wins anything: the rulesheet has no `goal`"),
        (Keyword::Init, Weight::Lint, "the first state is empty: the rulesheet has no `init`"),
        (Keyword::Next, Weight::Lint, "every state but the first is empty: the rulesheet has no `next`"),
    ];
    for (keyword, weight, message) in needs {
        // A keyword with the wrong arity counts as present; another check reports it.
        if !checker.relations.all.iter().any(|r| r.keyword == Some(keyword) && !r.heads.is_empty()) {
            let diagnostic =
                Diagnostic::error("missing-keyword", Span::default(), message).help(keyword.usage());
            checker.report(weight, diagnostic);
        }
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
