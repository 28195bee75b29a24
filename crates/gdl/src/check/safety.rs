//! Safety: each variable of a rule must occur in a positive condition, which gives the variable a value.
//!
//! The check runs after `or` has been distributed, and the order of the conditions does not matter. See the
//! specification, section 3, "safety".

use super::inference::listed;
use super::typos::suggest;
use super::{Checker, Weight};
use crate::ast::{Atom, Description, Literal, Rule, Span, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::keyword::Keyword;
use crate::lexer::{Lexer, TokenKind};
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of further places of a variable that a finding shows.
const SHOWN: usize = 3;

/// The distinct variables of some terms, in order of first occurrence.
#[derive(Default)]
pub(super) struct Variables {
    order: Vec<Symbol>,
    known: FxHashSet<Symbol>,
    visited: FxHashSet<TermId>,
}

impl Variables {
    /// The variables in the positive conditions of `rule`.
    fn bound_by(description: &Description, rule: &Rule) -> Variables {
        let mut bound = Variables::default();
        for atom in rule.positive() {
            bound.add(description, &atom.args);
        }
        bound
    }

    pub(super) fn add(&mut self, description: &Description, terms: &[TermId]) {
        let mut stack: Vec<TermId> = terms.iter().rev().copied().collect();
        while let Some(term) = stack.pop() {
            match description.terms.get(term) {
                Term::Constant(_) => {}
                Term::Variable(variable) => {
                    if self.known.insert(*variable) {
                        self.order.push(*variable);
                    }
                }
                Term::Compound(_, args) => {
                    if !description.terms.is_ground(term) && self.visited.insert(term) {
                        stack.extend(args.iter().rev());
                    }
                }
            }
        }
    }
}

/// What the alternatives of one source rule with `or` give values to.
struct Cases {
    /// The span of the source rule.
    span: Span,
    /// The variables that have a value in each alternative.
    every: Variables,
    /// The variables that have a value in some alternative.
    some: FxHashSet<Symbol>,
}

impl Cases {
    /// The alternatives of the source rule of the rule with index `r`.
    fn of(description: &Description, r: usize) -> Cases {
        let rules = &description.rules;
        let span = rules[r].span;
        let is_case = |rule: &&Rule| rule.span == span;
        let mut every = Variables::bound_by(description, &rules[r]);
        let mut some = every.known.clone();
        let before = rules[..r].iter().rev().take_while(is_case);
        for case in before.chain(rules[r + 1..].iter().take_while(is_case)) {
            let bound = Variables::bound_by(description, case);
            every.order.retain(|variable| bound.known.contains(variable));
            every.known.retain(|variable| bound.known.contains(variable));
            some.extend(bound.order);
        }
        Cases { span, every, some }
    }
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let description = checker.description;
    let mut last: Option<Cases> = None;
    for (r, rule) in checker.rules() {
        let is_alternative = |other: Option<&Rule>| other.is_some_and(|other| other.span == rule.span);
        let one_of_many = is_alternative(description.rules.get(r + 1))
            || r > 0 && is_alternative(description.rules.get(r - 1));
        let bound = Variables::bound_by(description, rule);
        let mut found: Vec<(Symbol, Vec<Place<'_>>)> = Vec::new();
        let mut look_at = |terms: &[TermId], span, what, denied| {
            for variable in unbound(description, &bound, terms) {
                let place = Place { span, what, denied };
                match found.iter_mut().find(|(known, _)| *known == variable) {
                    Some((_, places)) => places.push(place),
                    None => found.push((variable, vec![place])),
                }
            }
        };
        look_at(&rule.head.args, rule.head.span, "the head of its rule", None);
        for literal in &rule.body {
            match literal {
                Literal::Positive(_) => {}
                Literal::Negative(atom) => {
                    look_at(&atom.args, atom.span, "`not`", Some(atom));
                }
                Literal::Distinct(left, right, span) => {
                    look_at(&[*left, *right], *span, "`distinct`", None);
                }
            }
        }
        if found.is_empty() {
            continue;
        }
        if one_of_many && last.as_ref().is_none_or(|cases| cases.span != rule.span) {
            last = Some(Cases::of(description, r));
        }
        let cases = last.as_ref().filter(|_| one_of_many);
        for (variable, places) in found {
            report(checker, rule, (&bound, cases), variable, &places);
        }
    }
}

/// The variables of `terms` that are not in `bound`.
pub(super) fn unbound(description: &Description, bound: &Variables, terms: &[TermId]) -> Vec<Symbol> {
    if terms.iter().all(|&term| description.terms.is_ground(term)) {
        return Vec::new();
    }
    let mut here = Variables::default();
    here.add(description, terms);
    here.order.retain(|variable| !bound.known.contains(variable));
    here.order
}

/// The place where a rule uses an unbound variable.
struct Place<'a> {
    span: Span,
    what: &'a str,
    /// The atom that a negated condition denies, if the place is one.
    denied: Option<&'a Atom>,
}

/// Reports a variable without a value at the first of its `places`. `bound` are the variables that have a value in
/// `rule`. `cases` is given if the rule is one of several alternatives of a source rule with `or`.
fn report(
    checker: &mut Checker<'_>,
    rule: &Rule,
    (bound, cases): (&Variables, Option<&Cases>),
    variable: Symbol,
    places: &[Place<'_>],
) {
    let description = checker.description;
    let name = description.name(variable);
    let [Place { span, what, denied }, further @ ..] = places else { return };
    let (span, one_of_many) = (*span, cases.is_some());
    let is_fact = rule.body.is_empty() && !one_of_many;
    let message = if is_fact {
        format!("`{name}` has no value: a fact cannot hold variables")
    } else if one_of_many {
        format!(
            "`{name}` has no value: it stands in {what}, but for one case of `or` in no positive condition"
        )
    } else {
        format!("`{name}` has no value: it stands in {what}, but in no positive condition")
    };
    let word = checker.find_word(span, name);
    let mut diagnostic = Diagnostic::error("unsafe-variable", word, message);
    for place in further.iter().take(SHOWN) {
        diagnostic = diagnostic.and_at(checker.find_word(place.span, name), "nor has it a value here");
    }
    if cases.is_some_and(|cases| cases.some.contains(&variable)) {
        let help = format!(
            "each case of `or` must give `{name}` a value; \
             a condition that needs `{name}` can also stand within the case that gives it one"
        );
        checker.report(Weight::Fatal, diagnostic.help(help));
        return;
    }
    // A variable that only some cases give a value cannot take the place of this one in all of them.
    let sure = cases.map_or(bound, |cases| &cases.every);
    // A variable that stands nowhere else in the rule probably belongs here.
    let lone = lone(checker, rule, sure);
    let diagnostic = match suggest(name, sure.order.iter().map(|&v| description.name(v))) {
        Some(similar) => diagnostic.did_you_mean(word, similar),
        // If several places lack the value, the one that should give it is wrong.
        None if lone.len() == 1 && !further.is_empty() => {
            let there = checker.find_word(rule.span, lone[0]);
            let diagnostic = diagnostic.and_at(there, format!("`{}` stands only here", lone[0]));
            diagnostic.help(format!("did you mean `{name}` in place of `{}`?", lone[0])).edit(there, name)
        }
        None if lone.len() == 1 => diagnostic.did_you_mean(word, lone[0]),
        None if (2..=3).contains(&lone.len()) => {
            diagnostic.one_of(format!("did you mean {}?", listed(&lone, "or")), &lone)
        }
        // Roles cannot come from rules.
        None if is_fact && Keyword::of(description.name(rule.head.relation)) == Some(Keyword::Role) => {
            diagnostic.help("write one fact for each role, for example `(role white)`")
        }
        None if is_fact => {
            diagnostic.help(format!("make it a rule with a condition that says what `{name}` can be"))
        }
        None => {
            let help = format!("add a positive condition with `{name}` in it, which says what it can be");
            match denied.map(|atom| Helper::of(checker, atom, bound)) {
                None => diagnostic.help(help),
                Some(Helper { rule, condition }) => diagnostic.help(format!(
                    "{help}; to deny it for every `{name}`, add a relation, `{rule}`, and ask for `(not {condition})`"
                )),
            }
        }
    };
    checker.report(Weight::Fatal, diagnostic);
}

/// A relation that holds if some values of the unbound variables of an atom meet it.
struct Helper {
    rule: String,
    condition: String,
}

impl Helper {
    fn of(checker: &Checker<'_>, atom: &Atom, bound: &Variables) -> Helper {
        let description = checker.description;
        // `(true (cell ?x ?y))` is about the fluent `cell`.
        let what = match (Keyword::of(description.name(atom.relation)), atom.args.last()) {
            (Some(_), Some(&term)) => match description.terms.get(term) {
                Term::Constant(name) | Term::Compound(name, _) => *name,
                Term::Variable(_) => atom.relation,
            },
            _ => atom.relation,
        };
        let mut here = Variables::default();
        here.add(description, &atom.args);
        let known = here.order.iter().filter(|variable| bound.known.contains(variable));
        let known: String = known.map(|&variable| format!(" {}", description.name(variable))).collect();
        let name = format!("some_{}", description.name(what));
        let condition = if known.is_empty() { name } else { format!("({name}{known})") };
        Helper { rule: format!("(<= {condition} {})", checker.text(atom)), condition }
    }
}

/// The variables of `bound` that stand once in the source of `rule`.
fn lone<'a>(checker: &Checker<'a>, rule: &Rule, bound: &Variables) -> Vec<&'a str> {
    let description = checker.description;
    let source = &description.source;
    let mut counts: FxHashMap<&[u8], usize> = FxHashMap::default();
    for token in Lexer::within(source, rule.span).filter(|token| token.kind == TokenKind::Word) {
        *counts.entry(&source[token.span.range()]).or_default() += 1;
    }
    let names = bound.order.iter().map(|&variable| description.name(variable));
    names.filter(|name| counts.get(name.as_bytes()) == Some(&1)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings};

    #[test]
    fn order_does_not_matter() {
        accepts("(<= (next (step ?n)) (not (open ?n)) (distinct ?n 3) (true (step ?n))) (open 1)");
        accepts("(<= (next (step ?n)) (or (true (step ?n)) (and (not (open ?n)) (open ?n)))) (open 1)");
    }

    #[test]
    fn equality_binds() {
        accepts("(<= (next (step ?n)) (true (step ?m)) (not (distinct ?n ?m)))");
        accepts("(<= (next (step ?n)) (not (distinct ?n 1)))");
    }

    #[test]
    fn a_variable_is_reported_once_in_a_rule() {
        let text = "(<= (next (step ?n)) (true (step ?m)) (distinct ?n 3) (not (open ?n))) (open 1)";
        assert_eq!(findings(text), ["error unsafe-variable ?n"]);
        let all = crate::diagnose(text.as_bytes(), crate::Strictness::Default);
        let finding = all.iter().find(|finding| finding.code == "unsafe-variable").unwrap();
        assert_eq!(finding.help.as_deref(), Some("did you mean `?n` in place of `?m`?"));
        let mended = crate::diagnostic::apply(&finding.edits, text.as_bytes());
        assert!(mended.starts_with(b"(<= (next (step ?n)) (true (step ?n))"));
    }

    /// The help of the first finding about a variable without a value in `text`.
    fn help(text: &str) -> String {
        let all = crate::diagnose(text.as_bytes(), crate::Strictness::Default);
        let finding = all.into_iter().find(|finding| finding.code == "unsafe-variable").unwrap();
        finding.help.unwrap()
    }

    #[test]
    fn a_variable_of_one_case_does_not_take_the_place_of_one_of_another() {
        for name in ["?x", "?y"] {
            let help = help(&format!(
                "(<= terminal (or (true (step ?x)) (true (time ?y))) (distinct {name} 0))
                (init (step 0)) (init (time 0))"
            ));
            assert!(help.starts_with(&format!("each case of `or` must give `{name}` a value")), "{help}");
        }
        let text = "(<= terminal (or (true (step ?x)) (true (time ?y))) (distinct ?z 0))
            (init (step 0)) (init (time 0))";
        assert!(help(text).starts_with("add a positive condition with `?z`"), "{}", help(text));
        let text = "(<= terminal (or (true (step 1)) (true (step 2))) (true (time ?y)) (distinct ?z 0))
            (init (time 0))";
        assert_eq!(help(text), "did you mean `?y`?");
    }

    #[test]
    fn roles_are_written_as_facts() {
        assert!(help("(role white) (role ?r)").starts_with("write one fact for each role"));
        assert!(help("(role white) (init (step ?n))").starts_with("make it a rule"));
    }

    #[test]
    fn a_variable_in_a_denial_may_need_a_relation() {
        let text = "(<= (next (step 3)) (true (step ?x)) (not (true (cell ?x ?x ?y)))) (init (cell 1 1 b))";
        let all = crate::diagnose(text.as_bytes(), crate::Strictness::Default);
        let finding = all.iter().find(|finding| finding.code == "unsafe-variable").unwrap();
        let help = finding.help.as_deref().unwrap();
        assert!(help.contains("`(<= (some_cell ?x) (true (cell ?x ?x ?y)))`"), "{help}");
        assert!(help.ends_with("`(not (some_cell ?x))`"), "{help}");
    }

    #[test]
    fn each_place_is_looked_at() {
        assert_eq!(
            findings(
                "(<= (next (steps ?a (f ?b))) (not (open ?c)) (distinct ?d 3) (true (step 1))) (open 1)"
            ),
            [
                "error unsafe-variable ?a",
                "error unsafe-variable ?b",
                "error unsafe-variable ?c",
                "error unsafe-variable ?d"
            ]
        );
        assert_eq!(findings("(init (step ?n))"), ["error unsafe-variable ?n"]);
        assert_eq!(
            findings("(<= (next (step ?n)) (or (true (step ?n)) (true (step 1)) (true (step 2))))"),
            ["error unsafe-variable ?n"]
        );
    }
}
