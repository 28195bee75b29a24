//! Other words for the symbols of a text of rules, facts or moves.

use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, TokenKind};

/// Names that keep their meaning only with their spelling: the role `random`, and `_`, because `?_` is the anonymous
/// variable.
const KEPT: [&str; 2] = ["random", "_"];

/// Whether the symbol `name` has no meaning of its own, so that another word may replace it everywhere. Keywords,
/// connectives, integers, the role `random` and the variable `?_` keep their spelling.
///
/// # Examples
/// ```
/// use ggp_gdl::rename::is_free;
/// assert!(is_free("cell") && is_free("?x"));
/// assert!(!is_free("legal") && !is_free("-7") && !is_free("random") && !is_free("?_"));
/// ```
pub fn is_free(name: &str) -> bool {
    let stem = name.strip_prefix('?').unwrap_or(name);
    Keyword::of(name).is_none()
        && Connective::of(name).is_none()
        && !KEPT.contains(&stem)
        && name.parse::<i64>().is_err()
}

/// The words of `text` in their order. Comments have no words.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let tokens = Lexer::new(text.as_bytes()).filter(|token| token.kind == TokenKind::Word);
    tokens.map(|token| &text[token.span.range()])
}

/// `text` with each word replaced by what `other` gives for it. A word for which it gives `None` stays.
///
/// # Examples
/// ```
/// let rename = |word: &str| (word == "cell").then_some("square");
/// assert_eq!(ggp_gdl::rename::rename("(true (cell 1 ?x))", rename), "(true (square 1 ?x))");
/// ```
pub fn rename<'a>(text: &str, other: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut end = 0;
    for token in Lexer::new(text.as_bytes()).filter(|token| token.kind == TokenKind::Word) {
        let word = &text[token.span.range()];
        out.push_str(&text[end..token.span.start]);
        out.push_str(other(word).unwrap_or(word));
        end = token.span.end;
    }
    out.push_str(&text[end..]);
    out
}
