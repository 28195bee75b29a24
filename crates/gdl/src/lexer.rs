//! Splits bytes into tokens: parentheses, words and comments. Blanks separate tokens and are dropped.
//!
//! Invariant: the lexer never fails, and skips only blanks and a leading byte order mark. Every other byte
//! that is not part of a parenthesis or a comment belongs to a word; [`crate::sexpr`] decides which words are
//! valid. The syntax is KIF: Love et al., *General Game Playing: Game Description Language Specification*
//! (2008), section 2.

use crate::ast::Span;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::combinator::{recognize, value};
use nom::sequence::pair;
use nom::{IResult, Parser};

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// An opening parenthesis, `(`.
    Open,
    /// A closing parenthesis, `)`.
    Close,
    /// A run of bytes other than blanks, parentheses and `;`, such as `cell`, `?x`, `<=` or `12`.
    Word,
    /// A comment: from `;` to the end of the line, without the line end.
    Comment,
}

/// A token and its place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The bytes of the source that the token covers.
    pub span: Span,
}

/// The UTF-8 byte order mark that some editors put at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn is_word(byte: u8) -> bool {
    !is_blank(byte) && !matches!(byte, b'(' | b')' | b';')
}

fn blanks(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while(is_blank).parse(input)
}

fn token(input: &[u8]) -> IResult<&[u8], TokenKind> {
    alt((
        value(TokenKind::Open, tag(&b"("[..])),
        value(TokenKind::Close, tag(&b")"[..])),
        value(TokenKind::Comment, recognize(pair(tag(&b";"[..]), take_till(is_line_end)))),
        value(TokenKind::Word, take_while1(is_word)),
    ))
    .parse(input)
}

/// An iterator over the tokens of a text, including comments.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    source: &'a [u8],
    position: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer for the whole of `source`.
    pub fn new(source: &'a [u8]) -> Self {
        Lexer::within(source, Span { start: 0, end: source.len() })
    }

    /// A lexer for the bytes `span` of `source`. The spans of its tokens are offsets from the start of
    /// `source`, not from the start of `span`.
    pub fn within(source: &'a [u8], span: Span) -> Self {
        let source = &source[..span.end.min(source.len())];
        let mark =
            if span.start == 0 && source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Lexer { source, position: span.start + mark }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let (input, _) = blanks(self.source.get(self.position..)?).ok()?;
        let (rest, kind) = token(input).ok()?;
        let span = Span { start: self.source.len() - input.len(), end: self.source.len() - rest.len() };
        self.position = span.end;
        Some(Token { kind, span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &[u8]) -> Vec<(TokenKind, &[u8])> {
        Lexer::new(source).map(|t| (t.kind, &source[t.span.range()])).collect()
    }

    #[test]
    fn every_printable_byte_may_stand_in_a_word() {
        use TokenKind::{Close, Comment, Open, Word};
        assert_eq!(
            words(b"(<= ?n++ -1 > \"a|b\" \xc3\xa9);x (\r)\n"),
            [
                (Open, &b"("[..]),
                (Word, b"<="),
                (Word, b"?n++"),
                (Word, b"-1"),
                (Word, b">"),
                (Word, b"\"a|b\""),
                (Word, b"\xc3\xa9"),
                (Close, b")"),
                (Comment, b";x ("),
                (Close, b")"),
            ]
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_word() {
        assert_eq!(words(b"\xef\xbb\xbf p"), [(TokenKind::Word, &b"p"[..])]);
    }
}
