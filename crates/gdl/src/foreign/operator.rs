//! Operators of other languages: comparisons and arithmetic, which GDL does not have, and connectives and comments, which it
//! writes in another way.

use super::{COMMENT_HELP, COMMENTS};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::Connective;
use crate::sexpr::{NodeId, SyntaxTree};

/// The meaning of a sign in other languages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    Different,
    Less,
    Arithmetic,
    Not,
    And,
    Or,
    Comment,
}

const SIGNS: [(&[&str], Operator); 9] = [
    (&["=", "=="], Operator::Equal),
    (&["!=", "/=", "<>", "\\=", "\u{2260}"], Operator::Different),
    (&["<", ">", "=<", ">="], Operator::Less),
    (&["+", "-", "*", "/"], Operator::Arithmetic),
    (&["!", "~", "\\+"], Operator::Not),
    (&["&", "&&", ","], Operator::And),
    (&["|", "||"], Operator::Or),
    (&COMMENTS, Operator::Comment),
    (&["*/"], Operator::Comment),
];

impl Operator {
    /// The operator with this sign; `None` if the sign is none of other languages.
    pub(crate) fn of(sign: &str) -> Option<Operator> {
        SIGNS.iter().find(|(signs, _)| signs.contains(&sign)).map(|&(_, operator)| operator)
    }

    /// The help for a condition with the operator, whose sign is `sign`. `operands` are its two operands;
    /// `None` if it has not two. `negated` says whether the condition is negated.
    pub(crate) fn advice(self, sign: &str, operands: Option<&str>, negated: bool) -> String {
        match (self, operands) {
            (Operator::Equal | Operator::Different, Some(operands))
                if (self == Operator::Different) != negated =>
            {
                format!("GDL has no `{sign}`; write `(distinct {operands})` in place of this condition")
            }
            (Operator::Equal | Operator::Different, _) => {
                format!("GDL has no `{sign}`; two things are equal where the same variable stands for both")
            }
            (Operator::Less, _) => {
                "GDL does not know the order of numbers; list it, `(succ 1 2) (succ 2 3) ...`, and derive \
                 `less` from it by rules"
                    .to_owned()
            }
            (Operator::Arithmetic, _) => {
                "GDL has no arithmetic; list the successors, `(succ 1 2) (succ 2 3) ...`, and ask for \
                 `(succ ?x ?y)`"
                    .to_owned()
            }
            (Operator::Not, _) => {
                format!("GDL has no `{sign}`; a negated condition is written `{}`", Connective::Not.syntax())
            }
            (Operator::And, _) => {
                format!("GDL has no `{sign}`; the conditions of a rule stand one after the other")
            }
            (Operator::Or, _) => {
                format!("GDL has no `{sign}`; alternatives are written `{}`", Connective::Or.syntax())
            }
            (Operator::Comment, _) => COMMENT_HELP.to_owned(),
        }
    }
}

/// The finding that `condition` has an operator between two operands, of which the first cannot be the name of a relation.
/// `negated` says whether the condition is negated.
pub(crate) fn infix(tree: &SyntaxTree<'_>, condition: NodeId, negated: bool) -> Option<Diagnostic> {
    let mut members = tree.children(condition);
    let (left, middle, right) = (members.next()?, members.next()?, members.next()?);
    let sign = tree.word(middle)?;
    let operator = Operator::of(sign)?;
    let may_be_name = |node: NodeId| tree.word(node).is_some_and(|word| !word.starts_with('?'));
    if members.next().is_some() || may_be_name(left) {
        return None;
    }
    let [first, second] = [left, right].map(|operand| tree.word(operand).unwrap_or("TERM"));
    let message = format!("`{sign}` stands between its operands, but a condition begins with a name");
    let help = operator.advice(sign, Some(&format!("{first} {second}")), negated);
    let diagnostic = Diagnostic::error("foreign-sign", tree.span(middle), message).help(help);
    if operator != Operator::Different || negated {
        return Some(diagnostic);
    }
    let Span { start, end } = tree.span(left);
    let between = Span { start: end, end: tree.span(right).start };
    Some(diagnostic.edit(Span { start, end: start }, "distinct ").edit(between, " "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, only};

    /// A rule with `condition`.
    fn rule(condition: &str) -> String {
        format!("(<= (goal white 50) (p ?m ?n) {condition})")
    }

    #[test]
    fn a_difference_between_its_operands_gives_one_finding_and_becomes_distinct() {
        for (condition, sign, mended) in [
            ("(?m != ?n)", "!=", "(distinct ?m ?n)"),
            ("(?m \\= 3)", "\\=", "(distinct ?m 3)"),
            ("((f ?m) <> (f ?n))", "<>", "(distinct (f ?m) (f ?n))"),
            ("(or (?m /= ?n) q)", "/=", "(or (distinct ?m ?n) q)"),
        ] {
            assert_eq!(only(&rule(condition)), (sign.to_owned(), rule(mended)));
        }
    }

    #[test]
    fn each_operator_between_its_operands_has_its_help() {
        for (condition, help) in [
            ("(not (?m = ?n))", "GDL has no `=`; write `(distinct ?m ?n)` in place of this condition"),
            ("(?m = ?n)", "GDL has no `=`; two things are equal where the same variable stands for both"),
            ("((p ?m) & (p ?n))", "GDL has no `&`; the conditions of a rule stand one after the other"),
        ] {
            let rules = rule(condition);
            assert_eq!(only(&rules).1, rules);
            assert_eq!(found(&rules)[0].help.as_deref(), Some(help));
        }
    }

    #[test]
    fn a_name_before_an_operator_is_a_relation() {
        let all = found("(token != a) (<= (goal white 50) (token != ?n))");
        assert!(all.iter().all(|finding| finding.code != "foreign-sign"), "{all:?}");
    }
}
