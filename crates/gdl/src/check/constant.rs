//! Reports constants that are probably variables without `?`: a variable of the same name stands beside them.
//!
//! Rules often have a constant beside a variable of its name, such as the mark `x` beside a coordinate `?x`.
//! A constant is reported only if it is no value of its place without this rule, although the values of the
//! variable are, or if it stands in the head of this rule and in no other rule.

use super::inference::word_at;
use super::{Checker, Weight};
use crate::ast::{Atom, Literal, Span, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::domains::{Assumptions, Clause, Give, Need, Place};
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of fixpoints, one for each constant in a head beside a variable of its name and kind.
const FIXPOINTS: usize = 8;

pub(super) fn check(checker: &mut Checker<'_>) {
    let description = checker.description;
    let inference = checker.inference;
    if !inference.wide.is_complete() {
        return;
    }
    // The variable of the same name, for each constant that has one.
    let twins: FxHashMap<Symbol, Symbol> = description
        .symbols
        .iter()
        .filter_map(|(symbol, name)| Some((description.symbols.get(name.strip_prefix('?')?)?, symbol)))
        .collect();
    if twins.is_empty() {
        return;
    }
    let homes = homes(checker);
    let mut left = FIXPOINTS;
    for (rule, of_rule) in description.rules.iter().enumerate() {
        let clause = &inference.clauses.all[rule];
        let variables = variables(checker, rule);
        let twin = |constant: Symbol| twins.get(&constant).copied().filter(|twin| variables.contains(twin));
        for &give in &clause.gives {
            let Give::Constant(place, constant) = give else { continue };
            let Some(twin) = twin(constant) else { continue };
            let has_values = clause.variables.iter().any(|v| v.name == twin && !v.from.is_empty());
            if has_values && homes.get(&constant) == Some(&Some(of_rule.span.start)) {
                let span = word_at(description, &inference.wide, &of_rule.head, place, constant);
                report(checker, span, &of_rule.head, constant, twin);
            } else if left > 0 && is_alike(checker, clause, twin, place, constant) {
                left -= 1;
                let ignored: FxHashSet<(usize, Give)> = [(rule, give)].into_iter().collect();
                let without = Assumptions { all_fire: true, ignored, ..Assumptions::default() };
                if !inference.clauses.settle(&without).meets(Need::Constant(place, constant)) {
                    let span = word_at(description, &inference.wide, &of_rule.head, place, constant);
                    report(checker, span, &of_rule.head, constant, twin);
                }
            }
        }
        for &(literal, need) in clause.needs.iter().chain(&clause.denials) {
            let Need::Constant(place, constant) = need else { continue };
            let Some(twin) = twin(constant) else { continue };
            if inference.wide.meets(need) || !is_alike(checker, clause, twin, place, constant) {
                continue;
            }
            let Some(atom) = of_rule.body[literal].atom() else { continue };
            let span = word_at(description, &inference.wide, atom, place, constant);
            report(checker, span, atom, constant, twin);
        }
        for literal in &of_rule.body {
            let Literal::Distinct(left, right, span) = literal else { continue };
            for (one, other) in [(left, right), (right, left)] {
                distinct(checker, clause, (*one, *other), *span, &twin);
            }
        }
    }
}

/// The only source rule in which each constant stands, by the start of its span; `None` if there are several.
fn homes(checker: &Checker<'_>) -> FxHashMap<Symbol, Option<usize>> {
    let description = checker.description;
    let mut homes: FxHashMap<Symbol, Option<usize>> = FxHashMap::default();
    for (rule, clause) in description.rules.iter().zip(&checker.inference.clauses.all) {
        let gives = clause.gives.iter().filter_map(|give| match give {
            Give::Constant(_, constant) => Some(*constant),
            Give::Function(..) => None,
        });
        let needs = clause.needs.iter().chain(&clause.denials).filter_map(|&(_, need)| match need {
            Need::Constant(_, constant) => Some(constant),
            Need::Function(..) | Need::Relation(_) => None,
        });
        let different = rule.body.iter().flat_map(|literal| match literal {
            Literal::Distinct(left, right, _) => vec![*left, *right],
            Literal::Positive(_) | Literal::Negative(_) => Vec::new(),
        });
        let different = different.filter_map(|term| match description.terms.get(term) {
            Term::Constant(constant) => Some(*constant),
            _ => None,
        });
        for constant in gives.chain(needs).chain(different) {
            let home = homes.entry(constant).or_insert(Some(rule.span.start));
            *home = home.filter(|&start| start == rule.span.start);
        }
    }
    homes
}

/// Reports `distinct` of a variable and a constant that the variable never is.
fn distinct(
    checker: &mut Checker<'_>,
    clause: &Clause,
    (one, other): (TermId, TermId),
    span: Span,
    twin: &impl Fn(Symbol) -> Option<Symbol>,
) {
    let description = checker.description;
    let Term::Constant(constant) = description.terms.get(one) else { return };
    let Some(twin) = twin(*constant) else { return };
    let Term::Variable(variable) = description.terms.get(other) else {
        // Two different constants are always distinct, so this states nothing.
        if matches!(description.terms.get(other), Term::Constant(_)) {
            let word = checker.find_word(span, description.name(*constant));
            report_at(checker, word, *constant, twin);
        }
        return;
    };
    let Some(variable) = clause.variables.iter().find(|v| v.name == *variable) else { return };
    let wide = &checker.inference.wide;
    let is_value = variable.from.iter().all(|&(_, place)| wide.meets(Need::Constant(place, *constant)));
    let alike = variable.from.iter().all(|&(_, place)| is_alike(checker, clause, twin, place, *constant));
    if !is_value && alike {
        let word = checker.find_word(span, description.name(*constant));
        report_at(checker, word, *constant, twin);
    }
}

/// All variables of a rule.
fn variables(checker: &Checker<'_>, rule: usize) -> Vec<Symbol> {
    let description = checker.description;
    let rule = &description.rules[rule];
    let mut all = Vec::new();
    let mut add =
        |terms: &[TermId]| terms.iter().for_each(|&term| description.terms.variables(term, &mut all));
    add(&rule.head.args);
    for literal in &rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => add(&atom.args),
            Literal::Distinct(left, right, _) => add(&[*left, *right]),
        }
    }
    all
}

/// Whether the values of the variable `twin` can stand at `place`, besides `constant`. Holds if the variable
/// has no value: the constant may be what should give it one.
fn is_alike(checker: &Checker<'_>, clause: &Clause, twin: Symbol, place: Place, constant: Symbol) -> bool {
    let wide = &checker.inference.wide;
    let Some(variable) = clause.variables.iter().find(|variable| variable.name == twin) else { return true };
    if variable.from.is_empty() {
        return true;
    }
    let values = variable.from.iter().min_by_key(|&&(_, place)| wide.constants(place).len());
    let values = values.map_or(&[][..], |&(_, place)| wide.constants(place));
    values.iter().any(|&value| {
        value != constant
            && wide.meets(Need::Constant(place, value))
            && variable.from.iter().all(|&(_, place)| wide.meets(Need::Constant(place, value)))
    })
}

fn report(checker: &mut Checker<'_>, span: Option<Span>, atom: &Atom, constant: Symbol, twin: Symbol) {
    report_at(checker, span.unwrap_or(atom.span), constant, twin);
}

fn report_at(checker: &mut Checker<'_>, span: Span, constant: Symbol, twin: Symbol) {
    let description = checker.description;
    let (name, variable) = (description.name(constant), description.name(twin));
    let message = format!("`{name}` is a constant here, and `{variable}` stands beside it");
    let diagnostic = Diagnostic::warning("constant-beside-variable", span, message);
    let diagnostic = if span.end - span.start == name.len() {
        diagnostic.did_you_mean(span, variable)
    } else {
        diagnostic.help(format!("did you mean `{variable}`?"))
    };
    checker.report(Weight::Lint, diagnostic);
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings;

    fn found(rule: &str) -> Vec<String> {
        let rules = "(init (cell 1 1 x)) (init (cell 2 1 b)) (succ 1 2)
            (<= (next (cell ?a ?b o)) (true (cell ?a ?b b)))";
        let mut all = findings(&format!("{rule} {rules}"));
        all.retain(|f| f.contains("constant-beside-variable"));
        all
    }

    #[test]
    fn a_constant_that_is_no_value_of_its_place_is_reported() {
        for (rule, wanted) in [
            ("(<= (next (cell x ?y ?c)) (true (cell ?x ?y ?c)))", Some("x")),
            ("(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (true (cell x ?y b))))", Some("x")),
            ("(<= (next (cell ?x2 ?y ?c)) (true (cell x1 ?y ?c)) (succ ?x1 ?x2))", Some("x1")),
            ("(<= (next (cell ?m ?y ?c)) (true (cell ?m ?y ?c)) (succ ?n ?k) (distinct ?m n))", Some("n")),
            ("(<= (after ?x y) (succ ?x ?y)) (<= (next (cell ?b 1 o)) (after ?a ?b))", Some("y")),
            ("(<= (base (cell ?x ?y c)) (true (cell ?x ?y ?c)))", Some("c")),
            ("(<= (next (cell ?x ?y x)) (true (cell ?x ?y x)))", None),
            ("(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (distinct ?c x))", None),
        ] {
            let wanted: Vec<String> =
                wanted.iter().map(|w| format!("warning constant-beside-variable {w}")).collect();
            assert_eq!(found(rule), wanted, "{rule}");
        }
    }
}
