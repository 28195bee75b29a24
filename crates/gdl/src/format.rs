//! One canonical layout of a source text.
//!
//! Each fact gets a line of its own, unless the author put several facts of one relation on one line. The
//! head of a rule follows its `<=`, and each condition gets a line of its own. A list wider than [`WIDTH`] is
//! broken over several lines.
//!
//! Invariants: every word, parenthesis and comment of the source is kept, in the same order. A comment stays
//! at the end of its line or on a line of its own. A run of blank lines becomes at most one blank line.
//! Formatting is idempotent. The formatter works on the tokens of the text, not on a parsed description, and
//! never recurses.

use crate::ast::Span;
use crate::diagnostic::ParseErrors;
use crate::keyword::Connective;
use crate::lexer::{Lexer, TokenKind};
use crate::sexpr;

/// The maximum width of a line, in characters. Long words and comments may exceed it.
pub const WIDTH: usize = 100;
/// The additional indentation of each nesting level, in columns.
const INDENT: usize = 4;
/// The maximum indentation, in columns. It keeps the output for deeply nested input linear in size.
const DEEPEST_INDENT: usize = 40;

/// Returns `kif` in the canonical layout. Comments may contain bytes that are not UTF-8, and so may the
/// result.
///
/// # Errors
/// Fails on unbalanced parentheses and invalid words, as [`crate::sexpr::read`] does.
///
/// # Examples
/// ```
/// let tidy = ggp_gdl::format(b"(<=   (p ?x)\n(q ?x))").unwrap();
/// assert_eq!(String::from_utf8(tidy).unwrap(), "(<= (p ?x)\n    (q ?x))\n");
/// ```
pub fn format(kif: &[u8]) -> Result<Vec<u8>, ParseErrors> {
    sexpr::read(kif)?;
    let items = Items::of(kif);
    let mut layout =
        Layout { items: &items, out: Vec::with_capacity(kif.len()), column: 0, line_done: false };
    layout.write();
    Ok(layout.out)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Word,
    List,
    /// A comment that follows other tokens on its line.
    TrailingComment,
    /// A comment on a line of its own.
    Comment,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    kind: Kind,
    span: Span,
    /// The index of the first item after this item and its members.
    end: usize,
    /// The number of line ends between the previous token and this item.
    line_ends: usize,
    /// The width of the whole item written on one line, in characters.
    width: usize,
    /// Whether the item cannot be written on one line, because it is or contains a comment or a rule with
    /// conditions.
    must_break: bool,
}

/// The words, lists and comments of a text in preorder.
struct Items<'a> {
    source: &'a [u8],
    all: Vec<Item>,
}

impl<'a> Items<'a> {
    /// Reads the items of `source`, whose parentheses must be balanced.
    fn of(source: &'a [u8]) -> Items<'a> {
        let mut items = Items { source, all: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        let mut last_end = None;
        for token in Lexer::new(source) {
            let gap = &source[last_end.unwrap_or(token.span.start)..token.span.start];
            let line_ends = count_line_ends(gap);
            let kind = match token.kind {
                TokenKind::Close => {
                    if let Some(list) = open.pop() {
                        items.close(list);
                    }
                    last_end = Some(token.span.end);
                    continue;
                }
                TokenKind::Open => Kind::List,
                TokenKind::Word => Kind::Word,
                TokenKind::Comment if line_ends == 0 && last_end.is_some() => Kind::TrailingComment,
                TokenKind::Comment => Kind::Comment,
            };
            let next = items.all.len();
            if kind == Kind::List {
                open.push(next);
            }
            items.all.push(Item {
                kind,
                span: token.span,
                end: next + 1,
                line_ends,
                width: count_characters(&source[token.span.range()]),
                must_break: matches!(kind, Kind::Comment | Kind::TrailingComment),
            });
            last_end = Some(token.span.end);
        }
        items
    }

    /// Sets the end, the width and `must_break` of the list at index `list`, after all members of the list
    /// have been read.
    fn close(&mut self, list: usize) {
        let end = self.all.len();
        let mut width = 1;
        let mut members = 0;
        let mut must_break = false;
        let mut at = list + 1;
        while at < end {
            width += self.all[at].width + usize::from(members > 0);
            must_break |= self.all[at].must_break;
            members += 1;
            at = self.all[at].end;
        }
        must_break |= members > 2 && self.connective(list) == Some(Connective::If);
        let item = &mut self.all[list];
        (item.end, item.width, item.must_break) = (end, width + 1, must_break);
    }

    fn text(&self, item: usize) -> &'a [u8] {
        &self.source[self.all[item].span.range()]
    }

    /// The connective with which the list at index `list` begins; `None` if the list does not begin with a
    /// connective.
    fn connective(&self, list: usize) -> Option<Connective> {
        let first = self.all.get(list + 1).filter(|i| i.kind == Kind::Word)?;
        Connective::of(std::str::from_utf8(&self.source[first.span.range()]).ok()?)
    }
}

fn count_line_ends(gap: &[u8]) -> usize {
    let is_end =
        |(i, &byte): (usize, &u8)| byte == b'\n' || (byte == b'\r' && gap.get(i + 1) != Some(&b'\n'));
    gap.iter().enumerate().filter(|&pair| is_end(pair)).count()
}

fn count_characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

/// A list that is being written over several lines.
struct Frame {
    /// The index, in the sequence of all [`Items`], of the member of the list to be written next.
    at: usize,
    /// The index of the first item after the list.
    end: usize,
    /// The number of members written so far.
    written: usize,
    /// The indentation, in columns, of members that begin a line.
    indent: usize,
    /// The number of closing parentheses that directly follow the list's own closing parenthesis.
    tail: usize,
    /// Whether each member after the first `leading` members gets a line of its own.
    stacked: bool,
    /// The number of members on the first line of the list. Read only if `stacked` holds.
    leading: usize,
}

struct Layout<'a> {
    items: &'a Items<'a>,
    out: Vec<u8>,
    column: usize,
    /// Whether the current line ends with a comment, so that nothing may follow on that line.
    line_done: bool,
}

impl Layout<'_> {
    fn push(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.column += count_characters(text);
    }

    fn start_line(&mut self, indent: usize, blank_before: bool) {
        self.out.extend_from_slice(if blank_before { b"\n\n" } else { b"\n" });
        self.out.resize(self.out.len() + indent, b' ');
        self.column = indent;
        self.line_done = false;
    }

    fn push_comment(&mut self, item: usize) {
        let text = self.items.text(item);
        self.push(text.trim_ascii_end());
        self.line_done = true;
    }

    fn write(&mut self) {
        let items = self.items;
        let mut at = 0;
        let mut last = None;
        while at < items.all.len() {
            let item = items.all[at];
            let beside =
                item.kind == Kind::TrailingComment || last.is_some_and(|last| self.stays_beside(last, at));
            if beside {
                self.push(b" ");
            } else if last.is_some() {
                self.start_line(0, item.line_ends > 1);
            }
            self.write_item(at, 0, 0);
            last = Some(at);
            at = item.end;
        }
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
    }

    /// Whether the item `fact` stays on the line of the previous item `last`. It does if three conditions
    /// hold: both items are facts of one relation, they were on one line in the source, and the line does not
    /// become too wide.
    fn stays_beside(&self, last: usize, fact: usize) -> bool {
        let items = self.items;
        let is_fact = |item: usize| {
            let Item { kind, must_break, width, .. } = items.all[item];
            kind == Kind::List && !must_break && width <= WIDTH && items.connective(item).is_none()
        };
        let name = |list: usize| {
            items.all.get(list + 1).filter(|first| first.kind == Kind::Word).map(|_| items.text(list + 1))
        };
        items.all[fact].line_ends == 0
            && is_fact(last)
            && is_fact(fact)
            && name(last) == name(fact)
            && self.column + 1 + items.all[fact].width <= WIDTH
    }

    /// Writes an item and all its members, starting at the current column. `indent` is the indentation of the
    /// item, in columns, and `tail` the number of closing parentheses that directly follow it.
    fn write_item(&mut self, item: usize, indent: usize, tail: usize) {
        let mut frames: Vec<Frame> = Vec::new();
        self.begin(item, indent, tail, &mut frames);
        while let Some(frame) = frames.last_mut() {
            if frame.at == frame.end {
                let indent = frame.indent.saturating_sub(INDENT);
                frames.pop();
                if self.line_done {
                    self.start_line(indent, false);
                }
                self.push(b")");
                continue;
            }
            let (at, indent, first) = (frame.at, frame.indent, frame.written == 0);
            let item = self.items.all[at];
            let tail = if item.end == frame.end { frame.tail + 1 } else { 0 };
            let beside = if frame.stacked {
                frame.written < frame.leading
            } else {
                !item.must_break && self.column + 1 + item.width + tail <= WIDTH
            };
            let blank_before = frame.stacked && item.line_ends > 1 && frame.written > 0;
            frame.at = item.end;
            frame.written += 1;
            match item.kind {
                Kind::TrailingComment => self.push(b" "),
                Kind::Word | Kind::List if self.line_done => self.start_line(indent, blank_before),
                Kind::Word | Kind::List if first => {}
                Kind::Word | Kind::List if beside => self.push(b" "),
                Kind::Comment | Kind::Word | Kind::List => self.start_line(indent, blank_before),
            }
            self.begin(at, indent, tail, &mut frames);
        }
    }

    /// Writes a word, a comment or a list that fits on the line. For a list that does not fit, writes only
    /// the opening parenthesis and pushes a [`Frame`], from which the caller writes the members.
    fn begin(&mut self, at: usize, indent: usize, tail: usize, frames: &mut Vec<Frame>) {
        let item = self.items.all[at];
        match item.kind {
            Kind::Comment | Kind::TrailingComment => self.push_comment(at),
            Kind::Word => self.push(self.items.text(at)),
            Kind::List if !item.must_break && self.column + item.width + tail <= WIDTH => self.write_flat(at),
            Kind::List => {
                self.push(b"(");
                let connective = self.items.connective(at);
                let starts_with_word = self.items.all.get(at + 1).is_some_and(|i| i.kind == Kind::Word);
                frames.push(Frame {
                    at: at + 1,
                    end: item.end,
                    written: 0,
                    indent: (indent + INDENT).min(DEEPEST_INDENT),
                    tail,
                    stacked: connective.is_some() || !starts_with_word,
                    leading: if connective.is_some() { 2 } else { 1 },
                });
            }
        }
    }

    fn write_flat(&mut self, list: usize) {
        let mut open: Vec<usize> = Vec::new();
        let mut first = true;
        for at in list..self.items.all[list].end {
            while open.pop_if(|end| *end == at).is_some() {
                self.push(b")");
            }
            if !first {
                self.push(b" ");
            }
            first = false;
            match self.items.all[at].kind {
                Kind::List => {
                    self.push(b"(");
                    open.push(self.items.all[at].end);
                    first = true;
                }
                _ => self.push(self.items.text(at)),
            }
        }
        for _ in open {
            self.push(b")");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expect(kif: &str, wanted: &str) {
        let once = format(kif.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&once), wanted);
        assert_eq!(String::from_utf8_lossy(&format(&once).unwrap()), wanted, "laid out twice");
    }

    #[test]
    fn facts_and_rules() {
        expect(
            "(role  x)\n(role o)\r\n\r\n\r\n(<= p)\r(<= (q ?x) (r ?x) (not (s ?x)))",
            "\
(role x)
(role o)

(<= p)
(<= (q ?x)
    (r ?x)
    (not (s ?x)))
",
        );
        expect("", "");
        expect("() terminal (lock)(( ))", "()\nterminal\n(lock)\n(())\n");
    }

    #[test]
    fn tables_of_facts_stay_together() {
        expect(
            "(succ 1 2)  (succ 2 3) (role x) (role y) ; last\n(succ 3 4) p (<= p) (<= p)",
            "\
(succ 1 2) (succ 2 3)
(role x) (role y) ; last
(succ 3 4)
p
(<= p)
(<= p)
",
        );
        let laid_out = super::format("(succ 100 101) ".repeat(50).as_bytes()).unwrap();
        let lines: Vec<_> = laid_out.trim_ascii_end().split(|&b| b == b'\n').map(<[u8]>::len).collect();
        assert_eq!(lines, [89, 89, 89, 89, 89, 89, 89, 89, 29]);
        assert_eq!(super::format(&laid_out).unwrap(), laid_out);
    }

    #[test]
    fn comments_stay_where_they_are() {
        expect(
            "; a\n\n;; b  \n(p)   ; c\n(<= ; d\n p ; e\n\n q ;f\n ;g\n ) ; h\n; i",
            "\
; a

;; b
(p) ; c
(<= ; d
    p ; e

    q ;f
    ;g
) ; h
; i
",
        );
        expect("(p a ;x\n b)", "(p a ;x\n    b)\n");
    }

    #[test]
    fn wide_lists_are_broken() {
        let long = "(true (cell ?some_x ?some_y ?some_content))";
        expect(
            &format!("(<= p (or {long} {long} (and a {long})))"),
            "\
(<= p
    (or (true (cell ?some_x ?some_y ?some_content))
        (true (cell ?some_x ?some_y ?some_content))
        (and a (true (cell ?some_x ?some_y ?some_content)))))
",
        );
        let words = "word ".repeat(30);
        let text = format!("(p {words})");
        let laid_out = super::format(text.as_bytes()).unwrap();
        assert!(laid_out.split(|&b| b == b'\n').all(|line| line.len() <= WIDTH));
        assert_eq!(super::format(&laid_out).unwrap(), laid_out);
    }

    #[test]
    fn deep_nests_stay_small() {
        let text = format!("(p {}a{})", "(f ".repeat(50_000), ")".repeat(50_000));
        let laid_out = super::format(text.as_bytes()).unwrap();
        assert!(laid_out.len() < 50 * text.len());
        assert_eq!(super::format(&laid_out).unwrap(), laid_out);
    }

    #[test]
    fn bytes_of_comments_are_kept() {
        assert_eq!(super::format(b"(p);\xff \x80\r").unwrap(), b"(p) ;\xff \x80\n");
        assert!(super::format(b"(p").is_err());
    }
}
