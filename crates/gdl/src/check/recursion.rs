//! The recursion restriction, which keeps terms from growing without bound around a cycle of rules.
//!
//! In a rule for p, consider a positive condition q that is in a cycle with p. Each argument of q must be
//! ground, an argument of the head, or an argument of a positive condition that is in no cycle with p. This
//! is a condition of the specification, section 3. No published rulesheet violates it.

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
                // Both graphs can give the same finding. The finding with the higher weight is reported
                // first, and only that one is kept.
                checker.report(weight, diagnostic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings, findings_at};
    use crate::Strictness;

    #[test]
    fn the_usual_recursions_are_accepted() {
        accepts(
            "(<= (path ?x ?y) (edge ?x ?y)) (edge 1 2)
            (<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))
            (<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))",
        );
        accepts(
            "(<= (sum ?x 0 ?x) (number ?x)) (number 0) (succ 0 1)
            (<= (sum ?x ?y ?z) (succ ?v ?y) (succ ?w ?z) (sum ?x ?v ?w))",
        );
        accepts(
            "(<= (even ?x) (succ ?y ?x) (odd ?y)) (<= (odd ?x) (succ ?y ?x) (even ?y)) (even 0) (succ 0 1)",
        );
    }

    #[test]
    fn free_terms_in_a_cycle_are_not() {
        let rules = "(<= (path ?x ?z) (path ?x ?y) (path ?y ?z)) (path 1 2)";
        let places = ["?y", "?y"].map(|v| format!("error recursion-restriction {v}"));
        assert_eq!(findings(rules), places);
        let lenient = findings_at(Strictness::Lenient, "(<= (n (s ?x)) (n ?x)) (n 0)");
        assert_eq!(lenient, ["warning recursion-restriction ?x"]);
    }
}
