//! Reports conditions that never hold, and the rules that never fire for this reason.
//!
//! The domains over-approximate what can occur, so a rule that may not fire by them never fires. A condition
//! that fails even if every rule fires is a root cause. The other rules that never fire follow from such a
//! condition, or wait for each other because the first state does not start them.

use super::inference::{listed, names, part_span, word_at};
use super::typos::suggest_value;
use super::{Checker, Weight, atom_of, relations, start};
use crate::ast::{Atom, Literal, Span};
use crate::diagnostic::Diagnostic;
use crate::domains::{Assumptions, Domains, Failure, Need, Place};
use crate::keyword::Keyword;
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The maximum number of root causes for which the rules that follow from each are told apart. With more, each
/// costs one more fixpoint.
const CAUSES: usize = 4;
/// The maximum number of further rules that one finding shows.
const SHOWN: usize = 3;

/// A condition that never holds, with all rules that have it.
struct Cause {
    failure: Failure,
    /// The rules, each with the index of the condition.
    rules: Vec<(usize, usize)>,
}

/// Conditions with equal keys have the same cause.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Need(Need),
    /// The condition has a cause of its own.
    Alone(usize),
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let inference = checker.inference;
    let (clauses, wide) = (&inference.clauses, &inference.wide);
    if !wide.is_complete() {
        return;
    }
    let causes = causes(checker);
    let strict = clauses.settle(&Assumptions::default());
    if !strict.is_complete() {
        return;
    }
    let rules = checker.description.rules.len();
    let dead =
        |domains: &Domains| -> FxHashSet<usize> { (0..rules).filter(|&r| !domains.may_fire(r)).collect() };
    let all = dead(&strict);
    let live = strict.live_spans(checker.description);
    let holding = |but: Option<usize>| -> FxHashSet<(usize, usize)> {
        let kept = causes.iter().enumerate().filter(|&(number, _)| Some(number) != but);
        kept.flat_map(|(_, cause)| cause.rules.iter().copied()).collect()
    };
    let assumed = Assumptions { holding: holding(None), ..Assumptions::default() };
    let waiting = if causes.is_empty() { all.clone() } else { dead(&clauses.settle(&assumed)) };
    for (number, cause) in causes.iter().enumerate() {
        let own: FxHashSet<usize> = cause.rules.iter().map(|&(rule, _)| rule).collect();
        let mut followers: Vec<usize> = if causes.len() == 1 {
            all.iter().copied().collect()
        } else if causes.len() <= CAUSES {
            let assumed = Assumptions { holding: holding(Some(number)), ..Assumptions::default() };
            dead(&clauses.settle(&assumed)).into_iter().collect()
        } else {
            Vec::new()
        };
        let source = &checker.description.rules;
        followers.retain(|&rule| {
            !own.contains(&rule) && !waiting.contains(&rule) && !live.contains(&source[rule].span)
        });
        followers.sort_unstable();
        report(checker, cause, &followers, &live);
    }
    if !waiting.is_empty() {
        let mut waiting: Vec<usize> = waiting.into_iter().collect();
        waiting.sort_unstable();
        start::check(checker, &assumed, &waiting);
    }
}

/// The conditions that fail even if every rule fires, in the order of the text.
fn causes(checker: &Checker<'_>) -> Vec<Cause> {
    let inference = checker.inference;
    let mut causes: Vec<Cause> = Vec::new();
    let mut known: FxHashMap<Key, usize> = FxHashMap::default();
    let mut add = |key: Key, failure: Failure, rule: usize, literals: &[usize]| {
        let next = causes.len();
        let at = *known.entry(key).or_insert(next);
        if at == next {
            causes.push(Cause { failure, rules: Vec::new() });
        }
        causes[at].rules.extend(literals.iter().map(|&literal| (rule, literal)));
    };
    for (rule, clause) in inference.clauses.all.iter().enumerate() {
        let mut last = None;
        for &(literal, need) in &clause.needs {
            // One finding for each condition.
            if last != Some(literal) && !inference.wide.meets(need) {
                last = Some(literal);
                add(Key::Need(need), Failure::Need { literal, need }, rule, &[literal]);
            }
        }
        if last.is_some() {
            continue;
        }
        // The alternatives of one source rule have the same span.
        let key = Key::Alone(checker.description.rules[rule].span.start);
        match inference.clauses.failure(&inference.wide, &Assumptions::default(), rule) {
            // A place without any value has rules that wait for each other.
            Some(Failure::Variable(variable))
                if variable.from.iter().any(|&(_, place)| !inference.wide.has_value(&[place])) => {}
            Some(Failure::Variable(variable)) => {
                let literals: Vec<usize> = variable.from.iter().map(|&(literal, _)| literal).collect();
                add(key, Failure::Variable(variable), rule, &literals);
            }
            Some(Failure::Never { literal }) => add(key, Failure::Never { literal }, rule, &[literal]),
            Some(Failure::Need { .. }) | None => {}
        }
    }
    causes
}

/// Reports a root cause. `followers` are the rules that never fire because of it, in the order of the text. `live` are the
/// spans of the source rules that may fire.
fn report(checker: &mut Checker<'_>, cause: &Cause, followers: &[usize], live: &BTreeSet<Span>) {
    let description = checker.description;
    let (rule, literal) = cause.rules[0];
    let Some(atom) = description.rules[rule].body[literal].atom() else {
        let Literal::Distinct(term, _, span) = &description.rules[rule].body[literal] else { return };
        let message = format!("`{}` is never distinct from itself", description.term_text(*term));
        let diagnostic = Diagnostic::warning("never-matched", *span, message)
            .help("write two different terms, or remove the rule");
        checker.report(Weight::Lint, with_followers(checker, diagnostic, cause, followers));
        return;
    };
    let diagnostic = match &cause.failure {
        // The checks of keywords report a keyword that is used in another way.
        Failure::Need { need: Need::Relation(_), .. }
            if Keyword::of(description.name(atom.relation)).is_some() =>
        {
            return;
        }
        Failure::Need { need: Need::Relation(_), .. } => relations::never_produced(checker, atom, false),
        Failure::Need { need, .. } => unmet(checker, atom, *need, false),
        Failure::Variable(variable) => {
            let places: Vec<Place> = variable.from.iter().map(|&(_, place)| place).collect();
            let fires = live.contains(&description.rules[rule].span);
            let what = if fires { "an alternative of this rule" } else { "this rule" };
            joined(checker, rule, what, variable.name, &variable.from, &places)
        }
        Failure::Never { .. } => return,
    };
    let (weight, diagnostic) = diagnostic;
    checker.report(weight, with_followers(checker, diagnostic, cause, followers));
}

/// Adds the further places of a cause and the rules that never fire because of it.
fn with_followers(
    checker: &Checker<'_>,
    mut diagnostic: Diagnostic,
    cause: &Cause,
    followers: &[usize],
) -> Diagnostic {
    let rules = &checker.description.rules;
    if matches!(cause.failure, Failure::Need { .. }) {
        let mut spans: Vec<Span> =
            cause.rules.iter().map(|&(rule, literal)| rules[rule].body[literal].span()).collect();
        spans.dedup();
        let here = |span: &&Span| span.start > diagnostic.span.end || span.end <= diagnostic.span.start;
        let further: Vec<Span> = spans.iter().filter(here).take(SHOWN).copied().collect();
        for span in further {
            diagnostic = diagnostic.and_at(span, "nor this");
        }
    }
    let mut heads: Vec<Span> = followers.iter().map(|&rule| rules[rule].head.span).collect();
    heads.dedup();
    if heads.len() > SHOWN {
        diagnostic.message.push_str(&format!("; {} more rules never fire as a consequence", heads.len()));
    }
    for &span in heads.iter().take(SHOWN) {
        diagnostic = diagnostic.and_at(span, "so this rule never fires");
    }
    diagnostic
}

/// The finding about a condition with a constant or function that nothing gives.
pub(super) fn unmet(checker: &Checker<'_>, atom: &Atom, need: Need, negated: bool) -> (Weight, Diagnostic) {
    let description = checker.description;
    let wide = &checker.inference.wide;
    let (place, name) = match need {
        Need::Constant(place, name) | Need::Function(place, (name, _)) => (place, name),
        Need::Relation(_) => return relations::never_produced(checker, atom, negated),
    };
    let text = checker.text(atom);
    let condition = if negated { format!("`(not {text})`") } else { format!("`{text}`") };
    let holds = if negated { "always holds" } else { "never holds" };
    let word = description.name(name);
    if Some(place) == checker.inference.role {
        let span = word_at(description, wide, atom, place, name).unwrap_or(atom.span);
        let message = format!("{condition} {holds}: `{word}` is no role");
        return (
            Weight::Lint,
            suggest_role(checker, Diagnostic::warning("unknown-role", span, message), span, word, None),
        );
    }
    let what = match Keyword::of(description.name(atom.relation)) {
        Some(Keyword::True) => "no `init` or `next` makes it true",
        Some(Keyword::Does) => "no `legal` allows it",
        _ => "no rule or fact produces it",
    };
    let mut diagnostic =
        Diagnostic::warning("never-matched", atom.span, format!("{condition} {holds}: {what}"));
    let at = word_at(description, wide, atom, place, name);
    // Terms at the place, by name.
    let functions = wide.functions(place).iter().map(|&(function, _)| description.name(function));
    let mut known = names(description, wide, place);
    known.extend(functions);
    let as_relation = matches!(need, Need::Function(p, _) | Need::Constant(p, _) if p == wide.fluent());
    let is_relation = |r: &relations::Relation| r.keyword.is_none() && r.name == name && !r.heads.is_empty();
    if as_relation && checker.relations.all.iter().any(is_relation) {
        let inner = part_span(&description.source, atom, &[0]);
        diagnostic = diagnostic.help(format!(
            "`{word}` is a relation of its own, not a part of the state: ask for it without `true`"
        ));
        if let Some(inner) = inner {
            diagnostic = diagnostic
                .edit(Span { start: atom.span.start, end: inner.start }, "")
                .edit(Span { start: inner.end, end: atom.span.end }, "");
        }
        return (Weight::Lint, diagnostic);
    }
    let is_other_form = match need {
        Need::Constant(..) => wide.functions(place).contains(&(name, 0)),
        Need::Function(_, (_, arity)) => arity == 0 && wide.constants(place).contains(&name),
        Need::Relation(_) => false,
    };
    if is_other_form {
        let help = format!("`{word}` and `({word})` are two different terms; write it in one way everywhere");
        return (Weight::Lint, diagnostic.help(help));
    }
    if wide.functions(place).iter().any(|&(function, _)| function == name) || known.contains(&word) {
        // The name is known here with another number of arguments.
        return (
            Weight::Lint,
            diagnostic.help("compare its arguments with those of the rules that should produce it"),
        );
    }
    match (suggest_value(word, &known), at) {
        (Some(similar), Some(span)) => (Weight::Breach, diagnostic.did_you_mean(span, similar)),
        _ if known.is_empty() => (
            Weight::Lint,
            diagnostic.help("compare its constants with those of the rules that should produce it"),
        ),
        _ => {
            let list = listed(&known, "or");
            (Weight::Lint, diagnostic.help(format!("in place of `{word}` the rules give {list}")))
        }
    }
}

/// Adds the help for a name that stands where a role should. `left_out` is a role to suggest if no role is
/// similar.
pub(super) fn suggest_role(
    checker: &Checker<'_>,
    diagnostic: Diagnostic,
    span: Span,
    word: &str,
    left_out: Option<&str>,
) -> Diagnostic {
    let Some(place) = checker.inference.role else { return diagnostic };
    let roles = names(checker.description, &checker.inference.wide, place);
    match suggest_value(word, &roles).or(left_out) {
        Some(role) if span.end - span.start == word.len() => diagnostic.did_you_mean(span, role),
        _ => diagnostic.one_of(format!("the roles are {}", listed(&roles, "and")), &roles),
    }
}

/// The finding about a variable that has no value in its rule, or in the alternative of it that `what` names.
fn joined(
    checker: &Checker<'_>,
    rule: usize,
    what: &str,
    name: Symbol,
    from: &[(usize, Place)],
    places: &[Place],
) -> (Weight, Diagnostic) {
    let description = checker.description;
    let wide = &checker.inference.wide;
    let body = &description.rules[rule].body;
    let variable = description.name(name);
    let span_of = |literal: usize, place: Place| {
        atom_of(&body[literal])
            .and_then(|(atom, _)| part_span(&description.source, atom, &wide.path(place)))
            .unwrap_or_else(|| body[literal].span())
    };
    let values = |place: Place| {
        let mut all = names(description, wide, place);
        all.extend(wide.functions(place).iter().map(|&(function, _)| description.name(function)));
        if all.is_empty() { "nothing".to_owned() } else { listed(&all, "or") }
    };
    // The place that excludes what the places before it allow.
    let (literal, place) = (2..=places.len())
        .find(|&count| !wide.has_value(&places[..count]))
        .map_or(from[0], |count| from[count - 1]);
    let span = span_of(literal, place);
    let message = format!("{what} never fires: no value of `{variable}` meets all its conditions");
    let mut diagnostic =
        Diagnostic::warning("never-joined", span, message).labelled(format!("here it is {}", values(place)));
    for &(other, place) in from.iter().filter(|&&other| other != (literal, place)).take(SHOWN) {
        diagnostic = diagnostic.and_at(span_of(other, place), format!("here it is {}", values(place)));
    }
    (Weight::Lint, diagnostic.help(format!("is `{variable}` meant in all these places?")))
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, diagnose};

    /// The findings about `rules`, each with its message and the texts that it marks.
    fn found(rules: &str) -> Vec<(String, Vec<String>)> {
        let marked = |finding: crate::Diagnostic| {
            let texts = finding.labels.iter().map(|label| rules[label.span.range()].to_owned());
            let texts: Vec<String> = texts.collect();
            (finding.message, texts)
        };
        diagnose(rules.as_bytes(), Strictness::Default).into_iter().map(marked).collect()
    }

    const GAME: &str = "(role white) (init (step 1)) (<= (next (step 2)) (true (step 1))) (legal white go)
        (goal white 100) (<= impossible (nothing))";

    #[test]
    fn a_name_in_parentheses_is_another_term_than_the_bare_name() {
        for (made, asked) in [("(lamp)", "lamp"), ("lamp", "(lamp)")] {
            let rules = format!("{GAME} (init {made}) (<= terminal (true {asked}))");
            let found = diagnose(rules.as_bytes(), Strictness::Default);
            let start = format!("`(true {asked})` never holds");
            let finding = found.iter().find(|finding| finding.message.starts_with(&start)).expect(asked);
            let help = "`lamp` and `(lamp)` are two different terms; write it in one way everywhere";
            assert_eq!(finding.help.as_deref(), Some(help));
        }
    }

    #[test]
    fn a_rule_of_which_an_alternative_fires_is_no_rule_that_never_fires() {
        for (terminal, marks) in [
            ("(<= terminal (or (true (step 2)) impossible))", &[][..]),
            ("(<= terminal (true (step 2))) (<= terminal impossible)", &["terminal"]),
            (
                "(<= terminal (true (step 2))) (<= terminal (or impossible (and impossible (true (step 1)))))",
                &["terminal"],
            ),
        ] {
            let all = found(&format!("{GAME} {terminal}"));
            let (_, marked) = all.iter().find(|(message, _)| message.contains("`nothing`")).expect(terminal);
            assert_eq!(marked, marks, "{terminal}: {all:?}");
        }
    }
}
