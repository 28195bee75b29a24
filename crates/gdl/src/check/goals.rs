//! Checks that goal values are integers from 0 to 100 and that no role has two goal values in one state.
//!
//! These are conditions of the specification, sections 2.2 and 4.6. Some breaches show only when the game is
//! played: those in which a goal value is a variable, and most of those in which a role has several goals.

use super::subsumption::Subsumption;
use super::{Checker, Weight, argument_span};
use crate::ast::{Description, Rule, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::keyword::Keyword;

pub(super) fn check(checker: &mut Checker<'_>) {
    values(checker);
    several(checker);
}

/// Reports each goal rule that is subsumed by a goal rule with a different value. Whenever the subsumed rule
/// applies, the role has both goal values.
fn several(checker: &mut Checker<'_>) {
    let description = checker.description;
    let rules = checker.relations.rules_of(Keyword::Goal).iter().map(|&rule| &description.rules[rule]);
    let rules: Vec<&Rule> = rules.filter(|rule| is_goal(description, rule.head.args[1])).collect();
    let mut subsumption = Subsumption::new(description);
    for (number, narrow) in rules.iter().enumerate() {
        let clashes = |(at, wide): (usize, &&Rule)| {
            wide.head.args[1] != narrow.head.args[1]
                && subsumption.holds(wide, narrow)
                // Of two equivalent rules, report the later one.
                && (at < number || !subsumption.holds(narrow, wide))
        };
        let Some(at) = rules.iter().enumerate().position(clashes) else { continue };
        let (one, other) = (&narrow.head, &rules[at].head);
        let [text, other_text] = [one, other].map(|head| description.term_text(head.args[1]));
        let [span, other_span] = [one, other].map(|head| argument_span(&description.source, head, 1));
        let message =
            format!("a role that has the goal `{text}` by this rule has the goal `{other_text}` too");
        let diagnostic = Diagnostic::warning("several-goals", span, message)
            .and_at(other_span, "this rule asks for nothing more")
            .help(format!(
                "add a condition to the rule for `{other_text}` that excludes this one; as it is, the larger goal counts"
            ));
        checker.report(Weight::Lint, diagnostic);
    }
}

/// Whether a term is an integer from 0 to 100. The constant `050` is none: it differs from `50`, and the machines take
/// it for no goal.
fn is_goal(description: &Description, value: TermId) -> bool {
    let Term::Constant(symbol) = description.terms.get(value) else { return false };
    let name = description.name(*symbol);
    name.parse::<u8>().is_ok_and(|number| number <= 100 && number.to_string() == name)
}

fn values(checker: &mut Checker<'_>) {
    let description = checker.description;
    for &rule in checker.relations.rules_of(Keyword::Goal) {
        let head = &description.rules[rule].head;
        let value = head.args[1];
        let is_variable = matches!(description.terms.get(value), Term::Variable(_));
        if !is_variable && !is_goal(description, value) {
            let text = super::brief(&description.term_text(value));
            let is_padded = text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
            let help = "write the number without leading zeros";
            let help = if is_padded { help.to_owned() } else { Keyword::Goal.usage() };
            let diagnostic = Diagnostic::error(
                "goal-value",
                argument_span(&description.source, head, 1),
                format!("the goal value `{text}` is not a whole number from 0 to 100"),
            )
            .help(help);
            checker.report(Weight::Breach, diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings};

    /// Checks `rules` and returns the goal values that are underlined, as source texts. Considers only
    /// findings with the code `several-goals`.
    fn clashes(rules: &str) -> Vec<String> {
        let description = crate::parse(rules.as_bytes()).unwrap();
        let all = super::super::check(&description, crate::Strictness::Strict);
        let clashes = all.iter().filter(|finding| finding.code == "several-goals");
        clashes.map(|finding| rules[finding.span.range()].to_owned()).collect()
    }

    #[test]
    fn a_role_has_no_two_goals_by_rules_of_which_one_asks_for_less() {
        for (rules, clashing) in [
            ("(goal a 100) (goal a 50)", &["50"][..]),
            ("(goal a 100) (<= (goal a 50) (true (step 2)))", &["50"]),
            ("(goal a 100) (<= (goal ?r 0) (role ?r))", &["0"]),
            ("(goal a 100) (<= (goal ?r 0) (role ?r) (true (step 2)))", &["0"]),
            ("(<= (goal a 0) (true (step 1))) (<= (goal a 50) (true (step 1)))", &["50"]),
            // The rule for 90 has more conditions than the rule for 0 after it.
            (
                "(<= (goal ?x 90) (role ?x) (true (won ?x)) (not (true (step 1))))
                 (<= (goal ?y 0) (not (true (step 1))) (role ?y))",
                &["90"],
            ),
            (
                "(<= (goal a 90) (line ?a ?b) (distinct ?a ?b)) (<= (goal a 80) (distinct ?y ?x) (line ?x ?y))",
                &["80"],
            ),
            ("(<= (goal a 90) (line ?a ?b)) (<= (goal a 0) (line (f ?a) (f ?b)) (line ?b ?a))", &["0"]),
            ("(<= (goal a 90) (distinct a b)) (<= (goal a 0) (p))", &["0"]),
            // These exclude each other, or subsumption does not show that both hold.
            ("(goal a 100) (goal b 50)", &[]),
            ("(<= (goal a 0) (true (step 1))) (<= (goal a 50) (true (step 2)))", &[]),
            ("(<= (goal a 0) (true (step 1))) (<= (goal a 50) (not (true (step 1))))", &[]),
            ("(<= (goal a 90) (line ?a ?a)) (<= (goal a 0) (line ?a ?b) (distinct ?a ?b))", &[]),
            ("(<= (goal ?x 90) (true (won ?x))) (<= (goal ?x 0) (true (won ?y)) (distinct ?x ?y))", &[]),
            ("(goal a 50) (<= (goal a ?n) (true (n ?n)))", &[]),
            ("(<= (goal a 50) (true (step 1))) (<= (goal a 0) (true (step 1)) (not (goal a 50)))", &[]),
            ("(goal a 50) (<= (goal a 50) (true (step 1)))", &[]),
            ("(<= (goal ?x 90) (role ?x) (distinct ?x b) (true (won ?x))) (goal b 0)", &[]),
            ("(<= (goal ?x 90) (role ?x) (distinct b ?x) (true (won ?x))) (goal b 0)", &[]),
            ("(<= (goal ?x 90) (role ?x) (distinct ?x a) (true (won ?x))) (goal b 0)", &["90"]),
        ] {
            assert_eq!(clashes(rules), clashing, "{rules}");
        }
    }

    #[test]
    fn many_rules_with_many_conditions_are_compared_within_bounds() {
        let conditions: Vec<String> =
            (0..60).map(|at| format!("(line ?x{at} ?x{})", (at * 7 + 1) % 60)).collect();
        let rule = |value: usize| format!("(<= (goal black {value}) {})", conditions.concat());
        let rules: Vec<String> = (0..=100).map(rule).collect();
        assert!(clashes(&rules.concat()).len() <= rules.len());
    }

    #[test]
    fn values_are_whole_numbers_up_to_a_hundred() {
        accepts("(goal white 100) (<= (goal ?r ?n) (role ?r) (n ?n)) (n 50)");
        assert_eq!(
            findings(
                "(goal white 101) (goal white +1) (goal white 050) (goal white (s 0))
                (goal ten ten) (role ten) (legal ten a)"
            ),
            [
                "warning goal-value 101",
                "warning goal-value +1",
                "warning goal-value 050",
                "warning goal-value (s 0)",
                "warning goal-value ten"
            ]
        );
    }
}
