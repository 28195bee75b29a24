//! Goal values are whole numbers from 0 to 100.
//!
//! Specification, section 2.2. Values that are variables show only in play.

use super::{Checker, Weight, argument_span};
use crate::ast::Term;
use crate::diagnostic::Diagnostic;
use crate::keyword::Keyword;

pub(super) fn check(checker: &mut Checker<'_>) {
    let description = checker.description;
    for &rule in checker.relations.rules_of(Keyword::Goal) {
        let head = &description.rules[rule].head;
        let value = head.args[1];
        let name = match description.terms.get(value) {
            Term::Variable(_) => continue,
            Term::Constant(symbol) | Term::Compound(symbol, _) => description.name(*symbol),
        };
        let is_number = matches!(description.terms.get(value), Term::Constant(_))
            && name.bytes().all(|b| b.is_ascii_digit())
            && name.parse::<u8>().is_ok_and(|n| n <= 100);
        if !is_number {
            let text = super::brief(&description.term_text(value));
            let diagnostic = Diagnostic::error(
                "goal-value",
                argument_span(&description.source, head, 1),
                format!("the goal value `{text}` is not a whole number from 0 to 100"),
            )
            .help(Keyword::Goal.usage());
            checker.report(Weight::Breach, diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings};

    #[test]
    fn values_are_whole_numbers_up_to_a_hundred() {
        accepts("(goal white 0) (<= (goal ?r ?n) (role ?r) (n ?n)) (n 50)");
        assert_eq!(
            findings(
                "(goal white 101) (goal white +1) (goal white (s 0)) (goal ten ten) (role ten) (legal ten a)"
            ),
            [
                "warning goal-value 101",
                "warning goal-value +1",
                "warning goal-value (s 0)",
                "warning goal-value ten"
            ]
        );
    }
}
