//! Lists in square brackets, as other languages write them. GDL reads the brackets as parts of names.
//!
//! Invariant: names keep their brackets unless a list in square brackets begins with a keyword or a connective.

use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, TokenKind};

/// The text with lists in round brackets in place of square ones, and the finding about these. `None` if the text has none.
pub(crate) fn square_brackets(kif: &[u8]) -> Option<(Vec<u8>, Diagnostic)> {
    if !kif.contains(&b'[') {
        return None;
    }
    // The lists that are open: for a square bracket its place, and whether a keyword or connective follows it.
    let mut open: Vec<Option<(usize, bool)>> = Vec::new();
    let mut brackets: Vec<(usize, u8)> = Vec::new();
    let mut certain: Vec<usize> = Vec::new();
    for token in Lexer::new(kif) {
        match token.kind {
            TokenKind::Comment => {}
            TokenKind::Open => open.push(None),
            TokenKind::Close => while let Some(Some(_)) = open.pop() {},
            TokenKind::Word => {
                let Span { start, end } = token.span;
                let word = &kif[start..end];
                let opening = word.iter().take_while(|byte| **byte == b'[').count();
                let closing = word.iter().rev().take_while(|byte| **byte == b']').count();
                let is_reserved = |name: &str| Keyword::of(name).is_some() || Connective::of(name).is_some();
                let begins_form = std::str::from_utf8(&word[opening..]).is_ok_and(is_reserved);
                let name = start + opening;
                open.extend((start..name).map(|at| Some((at, begins_form && at + 1 == name))));
                for at in end - closing..end {
                    let Some(Some((from, is_certain))) = open.pop_if(|list| list.is_some()) else { break };
                    brackets.extend([(from, b'('), (at, b')')]);
                    certain.extend(is_certain.then_some(from));
                }
            }
        }
    }
    let start = certain.into_iter().min()?;
    let message = "square brackets make no list: they are read as parts of names";
    let mut finding = Diagnostic::error("foreign-sign", Span { start, end: start + 1 }, message)
        .help("write lists in round brackets: `(NAME TERM ...)`");
    brackets.sort_unstable();
    let mut text = kif.to_vec();
    for (at, round) in brackets {
        text[at] = round;
        finding = finding.edit(Span { start: at, end: at + 1 }, char::from(round));
    }
    Some((text, finding))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, only};

    #[test]
    fn square_brackets_give_one_finding() {
        for rules in [
            "(<= (legal white stay) [true (step 1)])",
            "[<= (legal white stay) [true [step 1]]]",
            "(<= [legal white stay] (not [true (step 1)] ) ) [role red]",
            "(<= (legal white stay) [true\n    (step 1)\n])",
        ] {
            let mended = rules.replace('[', "(").replace(']', ")");
            assert_eq!(only(rules), ("[".to_owned(), mended), "{rules}");
        }
    }

    #[test]
    fn other_errors_are_found_in_lists_with_square_brackets() {
        let all = found("(<= [legal white stay] [not a b])");
        let codes: Vec<&str> = all.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["foreign-sign", "connective-arity"]);
    }

    #[test]
    fn names_may_have_brackets() {
        let rules = "(init (pair [ ])) (init (pair [a b])) (init (pair [true]))
            (<= (next (pair [role x)) (true (pair y])))";
        let all = found(rules);
        assert!(all.iter().all(|finding| finding.code != "foreign-sign"), "{all:?}");
    }
}
