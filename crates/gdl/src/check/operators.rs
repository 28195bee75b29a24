//! Signs of other languages that a rule uses as relations.

use super::Checker;
use crate::ast::Atom;
use crate::foreign::Operator;

/// What to write in place of the condition `atom`, if its relation is a sign of another language. `negated` says
/// whether the condition is negated.
pub(super) fn advice(checker: &Checker<'_>, atom: &Atom, negated: bool) -> Option<String> {
    let name = checker.description.name(atom.relation);
    let operator = Operator::of(name)?;
    let text = checker.text(atom);
    let operands = text.strip_prefix(&format!("({name} ")).and_then(|rest| rest.strip_suffix(')'));
    let operands = (atom.args.len() == 2).then_some(operands.unwrap_or("?x ?y"));
    Some(operator.advice(name, operands, negated))
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, diagnose};

    /// The helps of the findings about a rule with `condition` whose relation nothing produces.
    fn help(condition: &str) -> String {
        let kif = format!(
            "(role white) (init (step 1)) (legal white go) (goal white 100) (num 1) (num 2)
            (<= (next (step ?y)) (true (step ?x)) (num ?y) {condition}) (<= terminal (true (step 2)))"
        );
        let findings = diagnose(kif.as_bytes(), Strictness::Default);
        let about = findings.iter().find(|finding| finding.code == "never-produced");
        about.and_then(|finding| finding.help.clone()).expect("a finding with help")
    }

    #[test]
    fn signs_of_other_languages_have_a_help_of_their_own() {
        for unequal in ["(!= ?x ?y)", "(not (= ?x ?y))", "(not (== ?x ?y))", "(<> ?x ?y)"] {
            assert!(
                help(unequal).contains("write `(distinct ?x ?y)` in place of"),
                "{unequal}: {}",
                help(unequal)
            );
        }
        for equal in ["(= ?x ?y)", "(not (!= ?x ?y))"] {
            assert!(help(equal).contains("the same variable"), "{equal}: {}", help(equal));
        }
        assert!(help("(< ?x ?y)").starts_with("GDL does not know the order of numbers"));
        for sum in ["(+ ?x 1 ?y)", "(- ?y 1 ?x)", "(* ?x 2 ?y)"] {
            assert!(help(sum).starts_with("GDL has no arithmetic; list the successors"), "{sum}");
        }
        assert!(help("! (num ?y)").ends_with("a negated condition is written `(not CONDITION)`"));
        assert!(help("& (num ?y)").ends_with("the conditions of a rule stand one after the other"));
        assert!(help("|| (num ?y)").ends_with("alternatives are written `(or CONDITION ...)`"));
        assert!(help("// (num ?y)").starts_with("a comment begins with `;`"));
        assert_eq!(help("(near ?x ?y)"), "add a rule or a fact for it, or remove the condition");
    }
}
