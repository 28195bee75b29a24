//! The recursion restriction, which keeps terms from growing without bound around a cycle of rules.
//!
//! In a rule for p, consider a positive condition q that is in a cycle with p. Each argument of q must be
//! ground, an argument of the head, or an argument of a positive condition that is in no cycle with p. This
//! is a condition of the specification, section 3. No published rulesheet violates it.
//!
//! An argument of q has finitely many values also if each of its variables stands anywhere in positive conditions
//! that are in no cycle with p, for example inside the fluent of `true`. The letter of the specification forbids
//! this, but no term can grow, so it is an error in strict mode only.

use super::dependency::Dependencies;
use super::safety::{Variables, unbound};
use super::{Checker, Weight, argument_span};
use crate::ast::{Literal, Term, TermId};
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
        let mut outside = Variables::default();
        for (l, literal) in rule.body.iter().enumerate() {
            if let Literal::Positive(atom) = literal
                && !dependencies.in_cycle(r, l)
            {
                allowed.extend(&atom.args);
                outside.add(description, &atom.args);
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
                let is_bounded = unbound(description, &outside, &[arg]).is_empty();
                if is_bounded && weight == Weight::Grave {
                    continue;
                }
                let text = super::brief(&description.term_text(arg));
                let head = checker.text(&rule.head);
                let (message, help) = if is_bounded {
                    (
                        format!(
                            "`{text}` is no argument of the head nor of a condition outside the cycle through `{head}`"
                        ),
                        format!(
                            "the recursion ends all the same, but the specification does not allow it; \
                             add a relation outside the cycle that has `{text}` as an argument"
                        ),
                    )
                } else {
                    let what = match description.terms.get(arg) {
                        Term::Variable(_) => "stand in a positive condition",
                        _ => "its variables must stand in positive conditions",
                    };
                    (
                        format!("recursion without bound: `{text}` is free in a cycle through `{head}`"),
                        format!("`{text}` must be an argument of the head, or {what} outside the cycle"),
                    )
                };
                let span = argument_span(&description.source, atom, index);
                let diagnostic = Diagnostic::error("recursion-restriction", span, message).help(help);
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
    fn values_inside_of_fluents_and_moves_bound_a_recursion() {
        let of_recursion = |strictness, rules: &str| -> Vec<String> {
            let mut all = findings_at(strictness, rules);
            all.retain(|finding| finding.contains("recursion-restriction"));
            all
        };
        for (rules, place) in [
            ("(<= (reach ?x ?z) (reach ?x ?y) (true (link ?y ?z))) (reach 1 1)", "?y"),
            ("(<= (reach ?x ?z) (reach ?x ?y) (does white (link ?y ?z))) (reach 1 1)", "?y"),
            ("(<= (reach ?x) (reach (back ?x)) (true (step ?x))) (reach 1)", "(back ?x)"),
        ] {
            let [warning, error] =
                ["warning", "error"].map(|severity| format!("{severity} recursion-restriction {place}"));
            assert_eq!(of_recursion(Strictness::Default, rules), [warning], "{rules}");
            assert_eq!(of_recursion(Strictness::Strict, rules), [error], "{rules}");
        }
        for rules in [
            "(<= (p (f ?x)) (p ?x)) (p 0)",
            "(<= (p (f ?x)) (p ?x) (true (step ?y))) (p 0)",
            "(<= (p (f ?x)) (p ?x) (not (true (step ?x)))) (p 0)",
        ] {
            let error = "error recursion-restriction ?x";
            assert_eq!(of_recursion(Strictness::Default, rules), [error], "{rules}");
        }
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
