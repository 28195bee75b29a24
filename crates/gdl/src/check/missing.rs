//! Reports missing relations that a game needs.
//!
//! A game needs at least one role. The specification also requires `legal`, `goal` and `terminal`. A
//! rulesheet without `init` gives only a warning: six published games have none.

use super::pattern::{Pattern, may_match};
use super::{Checker, Weight};
use crate::ast::{Atom, Span, TermId};
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
    for_each_role(checker);
}

/// Reports roles that match no head of `legal` or no head of `goal`.
fn for_each_role(checker: &mut Checker<'_>) {
    const ROLES: usize = 100;
    let description = checker.description;
    let roles: Vec<(&Atom, TermId)> = checker
        .relations
        .rules_of(Keyword::Role)
        .iter()
        .map(|&rule| &description.rules[rule].head)
        .filter(|head| description.terms.is_ground(head.args[0]))
        .map(|head| (head, head.args[0]))
        .take(ROLES)
        .collect();
    for (keyword, what) in [(Keyword::Legal, "can never move"), (Keyword::Goal, "never has a goal value")] {
        let heads = checker.relations.rules_of(keyword);
        if heads.is_empty() {
            continue;
        }
        for &(atom, role) in &roles {
            let name = description.term_text(role);
            // The role `random` of GDL-II (nature) has no goals.
            if keyword == Keyword::Goal && name.eq_ignore_ascii_case("random") {
                continue;
            }
            let first = |head: &Atom| Atom { args: vec![head.args[0]], ..head.clone() };
            let wanted = Pattern::of(description, atom);
            let spoken_of = heads.iter().any(|&rule| {
                let head = Pattern::of(description, &first(&description.rules[rule].head));
                may_match(&description.terms, &head, &wanted)
            });
            if !spoken_of {
                let message = format!("the role `{name}` {what}: no `{}` speaks of it", keyword.name());
                let diagnostic = Diagnostic::error("role-left-out", atom.span, message)
                    .help(format!("add a rule such as `{}`", keyword.example()));
                checker.report(Weight::Lint, diagnostic);
            }
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

    #[test]
    fn each_role_needs_moves_and_goals() {
        let kif = "(role x) (role random) (role y) (legal ?r a) (goal x 1) terminal";
        let left_out: Vec<String> = found(kif).into_iter().filter(|f| f.contains("role-left-out")).collect();
        assert_eq!(
            left_out,
            ["warning role-left-out the role `y` never has a goal value: no `goal` speaks of it"]
        );
    }
}
