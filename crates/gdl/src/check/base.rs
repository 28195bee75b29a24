//! Compares what `base` and `input` list with what `init`, `next` and `legal` give.
//!
//! Rulesheets that have `base` list every fluent in it, and those that have `input` every move.

use super::inference::{names, part_span, word_at};
use super::typos::suggest_value;
use super::{Checker, Weight};
use crate::ast::{Atom, Span, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::domains::{Domains, Place};
use crate::keyword::Keyword;
use crate::symbol::Symbol;
use rustc_hash::FxHashSet;

pub(super) fn check(checker: &mut Checker<'_>) {
    let domains = &checker.inference.wide;
    if !domains.is_complete() {
        return;
    }
    let moves =
        checker.description.symbols.get(Keyword::Input.name()).and_then(|i| domains.argument(i, 2, 1));
    let (init, next) = (Keyword::Init, Keyword::Next);
    compare(checker, Keyword::Base, Some(domains.base()), &[(init, 0), (next, 0)]);
    compare(checker, Keyword::Input, moves, &[(Keyword::Legal, 1)]);
}

/// Reports heads of `givers` that no term at `place` can match. Each giver is a keyword with the index of the
/// argument that is compared.
fn compare(checker: &mut Checker<'_>, list: Keyword, place: Option<Place>, givers: &[(Keyword, usize)]) {
    let listing = checker.relations.rules_of(list);
    let (Some(place), Some(&last)) = (place, listing.last()) else { return };
    let description = checker.description;
    let domains = &checker.inference.wide;
    let mut done: FxHashSet<(Place, Symbol)> = FxHashSet::default();
    for &(keyword, argument) in givers {
        for &rule in checker.relations.rules_of(keyword) {
            let head = &description.rules[rule].head;
            let Some((missing, at, name)) = missing(checker, rule, head.args[argument], place) else {
                continue;
            };
            if !done.insert((at, name)) {
                continue;
            }
            let span = part_span(&description.source, head, &[argument]).unwrap_or(head.span);
            let whole = super::brief(&description.term_text(head.args[argument]));
            // The check of dead rules has a better explanation.
            let is_explained = |finding: &Diagnostic| {
                finding.code == "never-started"
                    && head.span.start <= finding.span.start
                    && finding.span.end <= head.span.end
            };
            if checker.findings.iter().any(is_explained) {
                continue;
            }
            let message = format!(
                "`{}` gives `{whole}`, but `{}` lists no such thing{missing}",
                keyword.name(),
                list.name()
            );
            let word = word_at(description, domains, &with_argument(head, argument), at, name);
            let mut known = names(description, domains, at);
            known.extend(domains.functions(at).iter().map(|&(function, _)| description.name(function)));
            let similar = suggest_value(description.name(name), &known);
            let diagnostic = Diagnostic::warning("not-listed", span, message);
            let diagnostic = match (similar, word) {
                (Some(similar), Some(word)) => diagnostic.did_you_mean(word, similar),
                _ => to_add(checker, diagnostic, (list, last), head.args[argument]),
            };
            checker.report(Weight::Lint, diagnostic);
        }
    }
}

/// The atom with only the argument of the index `argument`, in the place of which paths of `base` begin.
fn with_argument(head: &Atom, argument: usize) -> Atom {
    Atom { args: vec![head.args[argument]], ..head.clone() }
}

/// Adds the help to list `term`. `last` is the last rule for the keyword `list`.
fn to_add(
    checker: &Checker<'_>,
    diagnostic: Diagnostic,
    (list, last): (Keyword, usize),
    term: TermId,
) -> Diagnostic {
    let description = checker.description;
    let listed = &description.rules[last];
    let role = if list == Keyword::Input { "ROLE " } else { "" };
    let text = description.term_text(term);
    let diagnostic = diagnostic
        .and_at(listed.head.span, format!("the last rule of `{}`", list.name()))
        .help(format!("add `({} {role}{})`", list.name(), super::brief(&text)));
    if list == Keyword::Base && description.terms.is_ground(term) {
        let end = Span { start: listed.span.end, end: listed.span.end };
        return diagnostic.edit(end, format!("\n(base {text})"));
    }
    diagnostic
}

/// The first part of `term`, a part of the head of `rule`, that cannot stand at `place` or inside it. Gives a
/// text about it, and the place and the name by which equal findings are recognised.
fn missing(
    checker: &Checker<'_>,
    rule: usize,
    term: TermId,
    place: Place,
) -> Option<(String, Place, Symbol)> {
    let description = checker.description;
    let domains: &Domains = &checker.inference.wide;
    let clause = &checker.inference.clauses.all[rule];
    let mut stack = vec![(term, place)];
    while let Some((term, place)) = stack.pop() {
        if domains.is_open(place) {
            continue;
        }
        match description.terms.get(term) {
            Term::Constant(constant) if !domains.constants(place).contains(constant) => {
                return Some((of(checker, place, description.name(*constant)), place, *constant));
            }
            Term::Variable(name) => {
                let variable = clause.variables.iter().find(|variable| variable.name == *name);
                let mut places: Vec<Place> =
                    variable.into_iter().flat_map(|v| v.from.iter().map(|&(_, place)| place)).collect();
                if places.is_empty() || !domains.has_value(&places) {
                    continue;
                }
                places.push(place);
                if !domains.has_value(&places) {
                    return Some((of(checker, place, description.name(*name)), place, *name));
                }
            }
            Term::Compound(function, args) => {
                if !domains.functions(place).contains(&(*function, args.len())) {
                    return Some((String::new(), place, *function));
                }
                let inner = args
                    .iter()
                    .enumerate()
                    .filter_map(|(i, &arg)| Some((arg, domains.inside(place, *function, args.len(), i)?)));
                let first = stack.len();
                stack.extend(inner);
                stack[first..].reverse();
            }
            Term::Constant(_) => {}
        }
    }
    None
}

/// A text that names the argument which does not fit, if it is a part of a term.
fn of(checker: &Checker<'_>, place: Place, name: &str) -> String {
    match checker.inference.wide.holder(place) {
        Some(holder) if place != checker.inference.wide.base() => {
            format!(": `{name}` is no argument of `{}` there", checker.description.name(holder))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, diagnose};

    fn found(kif: &str) -> Vec<&str> {
        let all = diagnose(kif.as_bytes(), Strictness::Default);
        all.iter().filter(|d| d.code == "not-listed").map(|d| &kif[d.span.range()]).collect()
    }

    #[test]
    fn each_fluent_and_each_move_is_listed() {
        let base = "(base (at 1)) (<= (base (at ?y)) (succ ?x ?y)) (succ 1 2) (init (at 1)) (true_ (p))";
        assert_eq!(found(base), Vec::<&str>::new());
        assert_eq!(
            found(&format!("{base} (init (step 1)) (<= (next (step 2)) (true (step 1)))")),
            ["(step 1)"]
        );
        assert_eq!(found(&format!("{base} (init (at 3))")), ["(at 3)"]);
        assert_eq!(found(&format!("{base} (<= (next open) (true (at 1)))")), ["open"]);
        assert_eq!(found(&format!("{base} (<= (next (at ?x)) (q ?x)) (q 2) (q 9)")), Vec::<&str>::new());
        assert_eq!(found(&format!("{base} (<= (next (at ?x)) (q ?x)) (q 8) (q 9)")), ["(at ?x)"]);
        let input = "(role x) (input x (go 1)) (legal x (go 1))";
        assert_eq!(found(input), Vec::<&str>::new());
        assert_eq!(found(&format!("{input} (legal x stay)")), ["stay"]);
        assert_eq!(found("(role x) (init a) (legal x b)"), Vec::<&str>::new());
    }
}
