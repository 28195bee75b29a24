//! Every variable has a value: it stands in a positive condition of its rule.
//!
//! Judged after `or` has been distributed, whatever the order of the conditions. Specification,
//! section 3, "safety".

use super::typos::suggest;
use super::{Checker, Weight};
use crate::ast::{Description, Literal, Rule, Span, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use rustc_hash::FxHashSet;

/// The variables of some terms, each once, in the order of the text.
#[derive(Default)]
struct Variables {
    order: Vec<Symbol>,
    known: FxHashSet<Symbol>,
    visited: FxHashSet<TermId>,
}

impl Variables {
    fn add(&mut self, description: &Description, terms: &[TermId]) {
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

pub(super) fn check(checker: &mut Checker<'_>) {
    let description = checker.description;
    for (_, rule) in checker.rules() {
        let mut bound = Variables::default();
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                bound.add(description, &atom.args);
            }
        }
        look_at(checker, rule, &bound, &rule.head.args, rule.head.span, "the head of its rule");
        for literal in &rule.body {
            match literal {
                Literal::Positive(_) => {}
                Literal::Negative(atom) => {
                    look_at(checker, rule, &bound, &atom.args, atom.span, "`not`");
                }
                Literal::Distinct(left, right, span) => {
                    look_at(checker, rule, &bound, &[*left, *right], *span, "`distinct`");
                }
            }
        }
    }
}

fn look_at(
    checker: &mut Checker<'_>,
    rule: &Rule,
    bound: &Variables,
    terms: &[TermId],
    span: Span,
    place: &str,
) {
    let description = checker.description;
    if terms.iter().all(|&term| description.terms.is_ground(term)) {
        return;
    }
    let mut here = Variables::default();
    here.add(description, terms);
    for variable in here.order.into_iter().filter(|v| !bound.known.contains(v)) {
        let name = description.name(variable);
        let mut message = format!("`{name}` has no value: it stands in {place} but in no positive condition");
        if rule.body.is_empty() {
            message = format!("`{name}` has no value: a fact cannot hold variables");
        }
        let help = match suggest(name, bound.order.iter().map(|&v| description.name(v))) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("add a condition that says what `{name}` can be, such as (role {name})"),
        };
        let diagnostic =
            Diagnostic::error("unsafe-variable", checker.find_word(span, name), message).help(help);
        checker.report(Weight::Fatal, diagnostic);
    }
}
