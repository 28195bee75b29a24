//! Reports rules that wait for each other: each needs what another one gives, and the first state starts none of
//! them.

use super::inference::{listed, word_at};
use super::typos::suggest_value;
use super::{Checker, Weight, atom_of};
use crate::ast::Description;
use crate::diagnostic::Diagnostic;
use crate::domains::{Assumptions, Domains, Failure, Give, Need, Place};
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of values that are tried as the start of the rules. Each costs one fixpoint.
const STARTS: usize = 16;
/// The maximum number of rules that one finding shows.
const SHOWN: usize = 3;

/// A value that rules wait for.
struct Start {
    place: Place,
    values: Vec<Symbol>,
    function: Option<(Symbol, usize)>,
    /// The rules that fire if the value is given.
    revived: usize,
    /// The first condition that waits for the value.
    waiting: (usize, usize),
}

/// Reports rules that wait for each other: each needs what another one gives, and the first state starts none.
/// The finding is about the value of the first state that would start most of them.
pub(super) fn check(checker: &mut Checker<'_>, assumed: &Assumptions, waiting: &[usize]) {
    let clauses = &checker.inference.clauses;
    let domains = clauses.settle(assumed);
    let alive = |domains: &Domains| waiting.iter().filter(|&&rule| domains.may_fire(rule)).count();
    let dead = never_firing(checker.description, &domains, waiting);
    let mut starts: Vec<Start> = Vec::new();
    let mut tried: FxHashSet<Need> = FxHashSet::default();
    let mut holding_of: FxHashMap<Need, Vec<(usize, usize)>> = FxHashMap::default();
    let mut wanted: Vec<(Need, (usize, usize))> = Vec::new();
    for &rule in waiting {
        match clauses.failure(&domains, assumed, rule) {
            Some(Failure::Need { literal, need }) => {
                holding_of.entry(need).or_default().push((rule, literal));
                wanted.push((need, (rule, literal)));
            }
            Some(Failure::Variable(variable)) => {
                for (index, &(literal, place)) in variable.from.iter().enumerate() {
                    let others: Vec<Place> = variable
                        .from
                        .iter()
                        .enumerate()
                        .filter(|&(i, _)| i != index)
                        .map(|(_, &(_, p))| p)
                        .collect();
                    let Some(&first) = others.first() else { continue };
                    let allowed = domains.constants(first).iter().copied();
                    for value in
                        allowed.filter(|&v| others.iter().all(|&p| domains.meets(Need::Constant(p, v))))
                    {
                        wanted.push((Need::Constant(place, value), (rule, literal)));
                    }
                }
            }
            _ => {}
        }
    }
    for (need, at) in wanted {
        if starts.len() >= STARTS || !tried.insert(need) {
            continue;
        }
        let mut more = assumed.clone();
        let (place, value, function) = match need {
            Need::Constant(place, value) => {
                more.given.push((place, value));
                (place, Some(value), None)
            }
            Need::Function(place, function) => {
                more.holding.extend(holding_of.get(&need).into_iter().flatten());
                (place, None, Some(function))
            }
            Need::Relation(_) => continue,
        };
        let revived = alive(&clauses.settle(&more));
        starts.push(Start { place, values: value.into_iter().collect(), function, revived, waiting: at });
    }
    let Some(most) = starts.iter().map(|start| start.revived).max().filter(|&most| most > 0) else {
        never_begun(checker, &domains, assumed, waiting, &dead);
        return;
    };
    let mut best = starts.iter().filter(|start| start.revived == most);
    let Some(first) = best.next() else { return };
    let mut values = first.values.clone();
    values.extend(best.filter(|start| start.place == first.place).flat_map(|start| start.values.iter()));
    report_start(checker, &domains, first, &values, &dead);
}

/// The rules of `waiting` of which no alternative fires by `domains`, one for each source rule.
fn never_firing(description: &Description, domains: &Domains, waiting: &[usize]) -> Vec<usize> {
    let live = domains.live_spans(description);
    let span = |rule: usize| description.rules[rule].span;
    let mut dead = waiting.to_vec();
    dead.retain(|&rule| !live.contains(&span(rule)));
    dead.dedup_by_key(|rule| span(*rule));
    dead
}

/// Reports rules that wait for each other if no single value starts them. `dead` are those that never fire.
fn never_begun(
    checker: &mut Checker<'_>,
    domains: &Domains,
    assumed: &Assumptions,
    waiting: &[usize],
    dead: &[usize],
) {
    let clauses = &checker.inference.clauses;
    let rules = &checker.description.rules;
    let at = waiting.iter().find_map(|&rule| {
        let literal = match clauses.failure(domains, assumed, rule)? {
            Failure::Need { literal, .. } | Failure::Never { literal } => literal,
            Failure::Variable(variable) => variable
                .from
                .iter()
                .find(|&&(_, place)| !domains.has_value(&[place]))
                .map(|&(literal, _)| literal)?,
        };
        Some(atom_of(&rules[rule].body[literal])?.0)
    });
    let Some(atom) = at else { return };
    let message = format!(
        "`{}` never begins to hold: {}, since each rule that gives it needs it first",
        checker.text(atom),
        never_fire(dead).0
    );
    let mut diagnostic = Diagnostic::warning("never-started", atom.span, message)
        .help("add a fact or a rule that gives it without needing it");
    for &rule in dead.iter().take(SHOWN) {
        diagnostic = diagnostic.and_at(rules[rule].head.span, "this rule never fires");
    }
    checker.report(Weight::Lint, diagnostic);
}

/// How many rules `dead` holds, in words, and the verb that follows. If every rule that waits has an alternative that
/// fires, `dead` is empty.
fn never_fire(dead: &[usize]) -> (String, &'static str) {
    match dead.len() {
        0 => ("an alternative of a rule never fires".to_owned(), "it waits"),
        1 => ("1 rule never fires".to_owned(), "it waits"),
        n => (format!("{n} rules never fire"), "they wait"),
    }
}

fn report_start(
    checker: &mut Checker<'_>,
    domains: &Domains,
    start: &Start,
    values: &[Symbol],
    dead: &[usize],
) {
    let description = checker.description;
    let rules = &description.rules;
    let clauses = &checker.inference.clauses;
    let (many, wait) = never_fire(dead);
    let names: Vec<&str> = values.iter().map(|&value| description.name(value)).collect();
    // The values that the rules that do fire give in the same place.
    let gives = |rule: usize| {
        clauses.all[rule].gives.iter().find_map(move |give| match give {
            Give::Constant(place, value) if *place == start.place => Some(*value),
            _ => None,
        })
    };
    let mut fired = (0..rules.len()).filter(|&rule| start.function.is_none() && domains.may_fire(rule));
    let given = fired.find_map(|rule| Some((rule, gives(rule)?)));
    let (rule, literal) = start.waiting;
    let diagnostic = if let Some((giver, value)) = given {
        let word = description.name(value);
        let span = word_at(description, domains, &rules[giver].head, start.place, value)
            .unwrap_or(rules[giver].head.span);
        let message =
            format!("{many}: {wait} for {}, and the first state has `{word}` here", listed(&names, "or"));
        let diagnostic = Diagnostic::warning("never-started", span, message);
        match suggest_value(word, &names).or((names.len() == 1).then(|| names[0])) {
            Some(similar) => diagnostic.did_you_mean(span, similar),
            None => diagnostic.one_of(format!("write {} here", listed(&names, "or")), &names),
        }
    } else {
        let Some((atom, _)) = atom_of(&rules[rule].body[literal]) else { return };
        let message = format!(
            "`{}` never begins to hold: {many}, since each rule that gives it needs it first",
            checker.text(atom)
        );
        let what = match start.function {
            Some((function, _)) => format!("`(init ({} ...))`", description.name(function)),
            None => "an `init`".to_owned(),
        };
        Diagnostic::warning("never-started", atom.span, message)
            .help(format!("add {what} that gives it in the first state"))
    };
    let mut diagnostic = diagnostic;
    for &rule in dead.iter().take(SHOWN) {
        diagnostic = diagnostic.and_at(rules[rule].head.span, "this rule never fires");
    }
    checker.report(Weight::Lint, diagnostic);
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, diagnose};

    #[test]
    fn a_rule_of_which_an_alternative_fires_is_not_counted() {
        let game = "(role white) (init (step 1)) (<= (next (step 2)) (true (step 1))) (legal white go)
            (goal white 100) (<= (next lost) (true lost))";
        for (terminal, many) in [
            ("(<= terminal (or (true (step 2)) (true lost)))", "1 rule never fires"),
            ("(<= terminal (true (step 2))) (<= terminal (true lost))", "2 rules never fire"),
        ] {
            let all = diagnose(format!("{game} {terminal}").as_bytes(), Strictness::Default);
            let found = all.iter().find(|finding| finding.code == "never-started").expect(terminal);
            assert!(found.message.contains(many), "{terminal}: {}", found.message);
        }
    }
}
