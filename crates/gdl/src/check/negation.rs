//! Reports `not` directly in `not`.
//!
//! A literal of the specification is an atom or the negation of an atom. The parser removes a double negation, so that
//! its condition gives values to variables as without it. An evaluator that tries the inner `not` first gives them none.

use super::{Checker, Weight};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::Connective;
use crate::sexpr::{self, NodeId};

pub(super) fn check(checker: &mut Checker<'_>) {
    let description = checker.description;
    let Ok(tree) = sexpr::read(&description.source) else { return };
    let connective = |node: NodeId| tree.head(node).and_then(Connective::of);
    let denied = |node: NodeId| {
        let is_not = connective(node) == Some(Connective::Not);
        tree.children(node).nth(1).filter(|_| is_not)
    };
    let forms = tree.roots().flat_map(|root| tree.subtree(root)).map(|(node, _)| node);
    let rules = forms.filter(|&node| connective(node) == Some(Connective::If));
    let mut conditions: Vec<NodeId> = rules.flat_map(|rule| tree.children(rule).skip(2)).collect();
    while let Some(condition) = conditions.pop() {
        let mut bare = condition;
        while let Some(inner) = denied(bare).and_then(denied) {
            bare = inner;
        }
        if bare != condition {
            let (whole, kept) = (tree.span(condition), tree.span(bare));
            let word = checker.find_word(whole, tree.head(condition).unwrap_or_default());
            let message = "`not` stands directly in `not`, but GDL negates atoms only; \
                           other players may give the variables in it no value";
            let diagnostic = Diagnostic::error("double-negation", word, message)
                .help("write `CONDITION` in place of `(not (not CONDITION))`")
                .edit(Span { start: whole.start, end: kept.start }, "")
                .edit(Span { start: kept.end, end: whole.end }, "");
            checker.report(Weight::Breach, diagnostic);
        }
        if matches!(connective(bare), Some(Connective::Not | Connective::And | Connective::Or)) {
            conditions.extend(tree.children(bare).skip(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings, findings_at};
    use crate::diagnostic::apply;
    use crate::{Strictness, diagnose};

    #[test]
    fn a_double_negation_is_an_error_in_strict_mode_only() {
        let rules = "(<= (next (step ?n)) (not (not (true (step ?n)))))";
        assert_eq!(findings(rules), ["warning double-negation not"]);
        assert_eq!(findings_at(Strictness::Strict, rules), ["error double-negation not"]);
    }

    #[test]
    fn each_double_negation_is_removed() {
        for (body, mended) in [
            ("(not (not q))", "q"),
            ("(NOT (Not (not (not (q ?x)))))", "(q ?x)"),
            ("(or r (not (not (not q))))", "(or r (not q))"),
            ("(not (or r (not\n  (not (q ?x)) )))", "(not (or r (q ?x)))"),
        ] {
            let text = format!("(<= p {body})");
            let all = diagnose(text.as_bytes(), Strictness::Default);
            let found: Vec<_> = all.iter().filter(|finding| finding.code == "double-negation").collect();
            let [finding] = found.as_slice() else { panic!("{text}: {all:?}") };
            let edited = apply(&finding.edits, text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&edited), format!("(<= p {mended})"));
        }
    }

    #[test]
    fn other_negations_are_no_double_ones() {
        accepts("(<= (next (step ?n)) (true (step ?n)) (not (or (not (open ?n)) (open 2)))) (open 1)");
        accepts("(<= (next (step 3)) (true (step 1)) (not (not_open 2))) (not_open 1)");
    }
}
