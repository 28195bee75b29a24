//! Checks the roles in heads: each is a role of the game, and each role has moves and goals.

use super::dead::suggest_role;
use super::inference::{part_span, word_at};
use super::pattern::{Pattern, may_match};
use super::typos::suggest;
use super::{Checker, Weight};
use crate::ast::{Atom, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::domains::{Give, Need, Place};
use crate::keyword::Keyword;
use crate::lexer::{Lexer, TokenKind};
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

pub(super) fn check(checker: &mut Checker<'_>) {
    unknown(checker);
    odd(checker);
    left_out(checker);
    only_chance(checker);
}

/// Reports a game whose only role is `random`, the role of chance in GDL-II.
fn only_chance(checker: &mut Checker<'_>) {
    let heads = checker.relations.rules_of(Keyword::Role);
    let all = roles(checker);
    let [(atom, role)] = all[..] else { return };
    if heads.len() == 1 && checker.description.term_text(role).eq_ignore_ascii_case("random") {
        let message = "the only role is `random`, which is chance: nobody plays this game";
        let diagnostic = Diagnostic::warning("role", atom.span, message)
            .help(format!("add the role of a player, for example `{}`", Keyword::Role.example()));
        checker.report(Weight::Lint, diagnostic);
    }
}

/// Reports heads about something that is no role.
fn unknown(checker: &mut Checker<'_>) {
    let Some(place) = checker.inference.role else { return };
    let description = checker.description;
    let wide = &checker.inference.wide;
    for keyword in [Keyword::Legal, Keyword::Goal, Keyword::Sees, Keyword::Input] {
        let heads = checker.relations.rules_of(keyword);
        for &rule in heads {
            let head = &description.rules[rule].head;
            let span = part_span(&description.source, head, &[0]).unwrap_or(head.span);
            match description.terms.get(head.args[0]) {
                Term::Constant(role) if !wide.meets(Need::Constant(place, *role)) => {
                    let word = description.name(*role);
                    let message = format!("`{word}` is no role, so nobody gets this `{}`", keyword.name());
                    let diagnostic = Diagnostic::warning("unknown-role", span, message);
                    let forgotten = unspoken(checker, heads);
                    checker.report(
                        Weight::Lint,
                        suggest_role(checker, diagnostic, span, word, forgotten.as_deref()),
                    );
                }
                Term::Variable(name) => {
                    let clause = &checker.inference.clauses.all[rule];
                    let Some(variable) = clause.variables.iter().find(|v| v.name == *name) else { continue };
                    let mut places: Vec<_> = variable.from.iter().map(|&(_, place)| place).collect();
                    if places.is_empty() || !wide.has_value(&places) {
                        continue;
                    }
                    places.push(place);
                    if !wide.has_value(&places) {
                        let word = description.name(*name);
                        let message = format!(
                            "no value of `{word}` is a role, so nobody gets this `{}`",
                            keyword.name()
                        );
                        let diagnostic = Diagnostic::warning("unknown-role", span, message);
                        checker.report(Weight::Lint, suggest_role(checker, diagnostic, span, word, None));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Reports a constant that stands once in the text, in a place of a head that holds nothing but roles elsewhere.
fn odd(checker: &mut Checker<'_>) {
    let Some(of_roles) = checker.inference.role else { return };
    let description = checker.description;
    let wide = &checker.inference.wide;
    let roles = wide.constants(of_roles);
    if !wide.is_complete() || wide.is_open(of_roles) {
        return;
    }
    let mut counts: FxHashMap<&[u8], usize> = FxHashMap::default();
    for token in Lexer::new(&description.source).filter(|token| token.kind == TokenKind::Word) {
        *counts.entry(&description.source[token.span.range()]).or_default() += 1;
    }
    for (rule, clause) in checker.rules().map(|(_, rule)| rule).zip(&checker.inference.clauses.all) {
        for &give in &clause.gives {
            let Give::Constant(place, value) = give else { continue };
            let word = description.name(value);
            let others = wide.constants(place);
            let is_odd = others.len() > 1
                && !wide.is_open(place)
                && wide.functions(place).is_empty()
                && !roles.contains(&value)
                && counts.get(word.as_bytes()) == Some(&1)
                && others.iter().all(|other| *other == value || roles.contains(other));
            // A value such as `nobody` is no mistake: it must resemble a role, or take the place of one.
            let names = roles.iter().map(|&role| description.name(role));
            if !is_odd || suggest(word, names).is_none() && replaced(checker, place).is_none() {
                continue;
            }
            let left_out = replaced(checker, place).map(|role| description.name(role));
            let span = word_at(description, wide, &rule.head, place, value).unwrap_or(rule.head.span);
            let message = format!("`{word}` is no role, while every other value in this place is one");
            let diagnostic = Diagnostic::warning("unknown-role", span, message);
            checker.report(Weight::Lint, suggest_role(checker, diagnostic, span, word, left_out));
        }
    }
}

/// The role that a value takes the place of: the facts of `init` have as many values at `place` as there are
/// roles, and all roles but one.
fn replaced(checker: &Checker<'_>, place: Place) -> Option<Symbol> {
    let description = checker.description;
    let roles = checker.inference.wide.constants(checker.inference.role?);
    let mut values: Vec<Symbol> = Vec::new();
    for &rule in checker.relations.rules_of(Keyword::Init) {
        for give in &checker.inference.clauses.all[rule].gives {
            match *give {
                Give::Constant(at, value) if at == place && description.rules[rule].body.is_empty() => {
                    values.push(value);
                }
                _ => {}
            }
        }
    }
    values.sort_unstable();
    values.dedup();
    let mut missing = roles.iter().filter(|role| values.binary_search(role).is_err());
    let role = missing.next().copied()?;
    (roles.len() > 1 && values.len() == roles.len() && missing.next().is_none()).then_some(role)
}

/// The only role of which no head of `heads` speaks. `None` if there are several or none.
fn unspoken(checker: &Checker<'_>, heads: &[usize]) -> Option<String> {
    let all = roles(checker);
    let mut silent = all.iter().filter(|(atom, _)| !speaks(checker, heads, atom));
    match (silent.next(), silent.next()) {
        (Some(&(_, role)), None) => Some(checker.description.term_text(role)),
        _ => None,
    }
}

/// The facts of `role`, with the roles, at most 100.
fn roles<'a>(checker: &Checker<'a>) -> Vec<(&'a Atom, TermId)> {
    const ROLES: usize = 100;
    let description = checker.description;
    let heads = checker.relations.rules_of(Keyword::Role).iter();
    heads
        .map(|&rule| &description.rules[rule].head)
        .filter(|head| description.terms.is_ground(head.args[0]))
        .map(|head| (head, head.args[0]))
        .take(ROLES)
        .collect()
}

/// Whether the first argument of a head of `heads` may be the role of the fact `role`.
fn speaks(checker: &Checker<'_>, heads: &[usize], role: &Atom) -> bool {
    let description = checker.description;
    let wanted = Pattern::of(description, role);
    heads.iter().any(|&rule| {
        let head = &description.rules[rule].head;
        let first = Atom { args: vec![head.args[0]], ..head.clone() };
        may_match(&description.terms, &Pattern::of(description, &first), &wanted)
    })
}

/// Reports roles that match no head of `legal` or no head of `goal`.
fn left_out(checker: &mut Checker<'_>) {
    let description = checker.description;
    let cases = [(Keyword::Legal, "can never move", "noop"), (Keyword::Goal, "never has a goal value", "50")];
    for (keyword, what, example) in cases {
        let heads = checker.relations.rules_of(keyword);
        if heads.is_empty() {
            continue;
        }
        for (atom, role) in roles(checker) {
            let name = description.term_text(role);
            // The role `random` of GDL-II (nature) has no goals.
            if keyword == Keyword::Goal && name.eq_ignore_ascii_case("random") {
                continue;
            }
            if !speaks(checker, heads, atom) {
                let message = format!("the role `{name}` {what}: no `{}` speaks of it", keyword.name());
                let diagnostic = Diagnostic::error("role-left-out", atom.span, message).help(format!(
                    "add a rule such as `(<= ({} {name} {example}) CONDITION ...)`",
                    keyword.name()
                ));
                checker.report(Weight::Lint, diagnostic.lacks(keyword));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, diagnose};

    fn found(kif: &str) -> Vec<String> {
        let all = diagnose(kif.as_bytes(), Strictness::Default);
        let of_roles = all.iter().filter(|d| d.code.contains("role"));
        of_roles.map(|d| format!("{} {}", &kif[d.span.range()], d.message)).collect()
    }

    #[test]
    fn each_role_needs_moves_and_goals() {
        assert_eq!(
            found("(role x) (role random) (role y) (legal ?r a) (goal x 1) terminal"),
            ["(role y) the role `y` never has a goal value: no `goal` speaks of it"]
        );
        let all = diagnose(b"(role x) (role y) (legal ?r a) (goal x 1) terminal", Strictness::Default);
        let helps: Vec<&str> = all.iter().filter_map(|finding| finding.help.as_deref()).collect();
        assert!(helps.contains(&"add a rule such as `(<= (goal y 50) CONDITION ...)`"), "{helps:?}");
    }

    #[test]
    fn chance_is_not_the_only_role() {
        assert_eq!(
            found("(role random) (legal random a) terminal"),
            ["(role random) the only role is `random`, which is chance: nobody plays this game"]
        );
        assert_eq!(found("(role x) (legal x a) (goal x 1) terminal"), Vec::<String>::new());
    }

    #[test]
    fn heads_are_about_roles() {
        // The role that is left out is a consequence.
        assert_eq!(
            found("(role x) (role y) (legal x a) (legal z a) (goal x 1) (goal y 1)"),
            ["z `z` is no role, so nobody gets this `legal`"]
        );
        assert_eq!(
            found("(role x) (p a) (<= (goal ?r 1) (p ?r)) (legal x a)"),
            ["?r no value of `?r` is a role, so nobody gets this `goal`"]
        );
        assert_eq!(found("(role x) (p a) (p x) (<= (goal ?r 1) (p ?r)) (legal x a)"), Vec::<String>::new());
    }
}
