//! The recursion restriction: terms cannot grow around a cycle.
//!
//! In a rule for p, each argument of a condition q that is in a cycle with p is ground, or an
//! argument of the head, or an argument of a positive condition that is in no cycle with p.
//! Specification, section 3. No published rulesheet breaks it.

use super::dependency::Dependencies;
use super::{Checker, Weight, argument_span};
use crate::ast::{Literal, TermId};
use crate::diagnostic::Diagnostic;
use rustc_hash::FxHashSet;

pub(super) fn check(checker: &mut Checker<'_>, patterns: &Dependencies, whole: &Dependencies) {
    check_at(checker, patterns, Weight::Grave);
    check_at(checker, whole, Weight::Breach);
}

fn check_at(checker: &mut Checker<'_>, dependencies: &Dependencies, weight: Weight) {
    let description = checker.description;
    for (r, rule) in checker.rules() {
        if !(0..rule.body.len()).any(|l| dependencies.in_cycle(r, l)) {
            continue;
        }
        let mut allowed: FxHashSet<TermId> = rule.head.args.iter().copied().collect();
        for (l, literal) in rule.body.iter().enumerate() {
            if let Literal::Positive(atom) = literal
                && !dependencies.in_cycle(r, l)
            {
                allowed.extend(&atom.args);
            }
        }
        for (l, literal) in rule.body.iter().enumerate() {
            let Literal::Positive(atom) = literal else { continue };
            if !dependencies.in_cycle(r, l) {
                continue;
            }
            for (index, &arg) in atom.args.iter().enumerate() {
                if description.terms.is_ground(arg) || allowed.contains(&arg) {
                    continue;
                }
                let text = super::brief(&description.term_text(arg));
                let head = checker.text(&rule.head);
                let message =
                    format!("recursion without bound: `{text}` is free in a cycle through `{head}`");
                let diagnostic = Diagnostic::error(
                    "recursion-restriction",
                    argument_span(&description.source, atom, index),
                    message,
                )
                .help(format!(
                    "`{text}` must be an argument of the head, or of a positive condition outside the cycle"
                ));
                // Both grains find the same; the graver finding comes first and stays.
                checker.report(weight, diagnostic);
            }
        }
    }
}
