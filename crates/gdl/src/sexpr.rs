//! Nested lists of words, as rulesheets and protocol messages are written.
//!
//! Invariant: nodes stand in the order of the text, a list before what is in it, so a node's
//! subtree is one range of nodes. Nothing recurses; nesting is bounded by [`MAX_NESTING`].

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, ParseErrors};
use crate::lexer::{Lexer, TokenKind};

/// How deep parentheses may be nested.
pub const MAX_NESTING: usize = 100_000;

/// A word or a list of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(usize);

impl NodeId {
    /// The node that follows in the text, be it inside this one or not.
    pub(crate) fn following(self) -> NodeId {
        NodeId(self.0 + 1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    span: Span,
    /// The first node after this one's subtree; for a word the next node.
    end: usize,
    is_list: bool,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr<'a> {
    /// A word, as it is spelled.
    Word(&'a str),
    /// A list; its members are [`Tree::children`].
    List,
}

/// All expressions of a text.
#[derive(Clone, Debug)]
pub struct Tree<'a> {
    source: &'a [u8],
    nodes: Vec<Node>,
}

impl<'a> Tree<'a> {
    /// The text that was read.
    pub fn source(&self) -> &'a [u8] {
        self.source
    }

    /// The expressions that stand in no list.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        self.siblings(0, self.nodes.len())
    }

    /// The members of a list; nothing for a word.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + Clone + '_ {
        self.siblings(node.0 + 1, self.nodes[node.0].end)
    }

    fn siblings(&self, start: usize, end: usize) -> impl Iterator<Item = NodeId> + Clone + '_ {
        let mut at = start;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let node = NodeId(at);
                at = self.nodes[at].end;
                node
            })
        })
    }

    /// A node and all that is in it, in the order of the text, each with the first node after it.
    pub(crate) fn subtree(&self, node: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        (node.0..self.nodes[node.0].end).map(|i| (NodeId(i), NodeId(self.nodes[i].end)))
    }

    /// Where a node stands.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.0].span
    }

    /// What a node is.
    pub fn expr(&self, node: NodeId) -> Expr<'a> {
        let Node { span, is_list, .. } = self.nodes[node.0];
        if is_list {
            Expr::List
        } else {
            Expr::Word(std::str::from_utf8(&self.source[span.range()]).unwrap_or("\u{fffd}"))
        }
    }

    /// The word that a node is, if it is one.
    pub fn word(&self, node: NodeId) -> Option<&'a str> {
        match self.expr(node) {
            Expr::Word(word) => Some(word),
            Expr::List => None,
        }
    }

    /// The first member of a list, if it is a word.
    pub fn head(&self, node: NodeId) -> Option<&'a str> {
        self.children(node).next().and_then(|first| self.word(first))
    }

    /// Whether a node is a list.
    pub fn is_list(&self, node: NodeId) -> bool {
        self.nodes[node.0].is_list
    }

    /// The bytes of a node as they are written.
    pub fn text(&self, node: NodeId) -> &'a [u8] {
        &self.source[self.span(node).range()]
    }
}

/// Reads `source`, any number of words and lists.
///
/// # Errors
/// Unbalanced parentheses, nesting beyond [`MAX_NESTING`], and words with control characters or
/// bytes that are not UTF-8.
pub fn read(source: &[u8]) -> Result<Tree<'_>, ParseErrors> {
    let mut errors = ParseErrors::default();
    let tree = read_forms(source, None, &mut errors);
    if errors.is_empty() { Ok(tree) } else { Err(errors) }
}

/// Reads what can be read and reports the rest. With `rule_depth`, a `(<=` that begins a line inside
/// more than so many lists means that those are not closed, and reading starts anew with the rule.
pub(crate) fn read_forms<'a>(
    source: &'a [u8],
    rule_depth: Option<usize>,
    errors: &mut ParseErrors,
) -> Tree<'a> {
    let mut tree = Tree { source, nodes: Vec::with_capacity(source.len() / 4) };
    let mut open: Vec<usize> = Vec::new();
    // Where a list starts a line while others are open: where a parenthesis is likely missing.
    let mut suspect: Option<Span> = None;
    for token in Lexer::new(source) {
        let span = token.span;
        match token.kind {
            TokenKind::Comment => {}
            TokenKind::Open => {
                if open.len() == MAX_NESTING {
                    errors.push(too_deep(span));
                    tree.nodes.truncate(open[0]);
                    return tree;
                }
                let starts_line = span.start == 0 || matches!(source[span.start - 1], b'\n' | b'\r');
                if starts_line && open.len() > rule_depth.unwrap_or(0) && suspect.is_none() {
                    suspect = Some(span);
                }
                open.push(tree.nodes.len());
                tree.nodes.push(Node { span, end: usize::MAX, is_list: true });
            }
            TokenKind::Close => match open.pop() {
                Some(list) => {
                    tree.nodes[list].span.end = span.end;
                    tree.nodes[list].end = tree.nodes.len();
                    if open.len() <= rule_depth.unwrap_or(0) {
                        suspect = None;
                    }
                }
                None => errors.push(
                    Diagnostic::error("surplus-parenthesis", span, "this `)` closes nothing")
                        .help("remove it, or add the `(` that it should close"),
                ),
            },
            TokenKind::Word => {
                check_word(source, span, errors);
                if let Some(depth) = rule_depth
                    && open.len() > depth + 1
                    && &source[span.range()] == b"<="
                    && open.last() == Some(&(tree.nodes.len() - 1))
                    && begins_line(source, tree.nodes[tree.nodes.len() - 1].span.start)
                {
                    let rule = tree.nodes[tree.nodes.len() - 1];
                    let unclosed = open[depth];
                    errors.push(not_closed(
                        tree.nodes[unclosed].span,
                        open.len() - 1 - depth,
                        Some(rule.span),
                    ));
                    tree.nodes.truncate(unclosed);
                    open.truncate(depth);
                    open.push(tree.nodes.len());
                    tree.nodes.push(rule);
                    suspect = None;
                }
                let end = tree.nodes.len() + 1;
                tree.nodes.push(Node { span, end, is_list: false });
            }
        }
    }
    if let Some(&first) = open.first() {
        errors.push(not_closed(tree.nodes[first].span, open.len(), suspect));
        tree.nodes.truncate(first);
    }
    tree
}

/// Whether only blanks stand before the byte `at` on its line.
fn begins_line(source: &[u8], at: usize) -> bool {
    let before = source[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    matches!(before, None | Some(b'\n' | b'\r'))
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(
        "nested-too-deeply",
        span,
        format!("parentheses are nested more than {MAX_NESTING} deep"),
    )
    .help("nothing is read from here on; write the rules with less nesting")
}

fn not_closed(span: Span, count: usize, suspect: Option<Span>) -> Diagnostic {
    let span = Span { start: span.start, end: span.start + 1 };
    let closing = if count == 1 { "a `)`".to_owned() } else { format!("{count} `)`") };
    let diagnostic = Diagnostic::error("unclosed-parenthesis", span, "this `(` is never closed");
    match suspect {
        Some(place) => diagnostic
            .and_at(Span { start: place.start, end: place.start + 1 }, "the next rule seems to start here")
            .help(format!("add {closing} before the next rule")),
        None => diagnostic.help(format!("add {closing} where it ends")),
    }
}

/// Whether a character has no shape of its own: control characters, and those that only steer how
/// others are shown, such as a byte order mark or a change of direction.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

fn check_word(source: &[u8], span: Span, errors: &mut ParseErrors) {
    match std::str::from_utf8(&source[span.range()]) {
        Err(error) => {
            let start = span.start + error.valid_up_to();
            let end = start + error.error_len().unwrap_or(span.end - start);
            errors.push(
                Diagnostic::error("not-utf-8", Span { start, end }, "a name holds bytes that are not UTF-8")
                    .help("save the file as UTF-8; only comments may hold other bytes"),
            );
        }
        Ok(word) => {
            if let Some((at, odd)) = word.char_indices().find(|(_, c)| c.is_whitespace() || is_invisible(*c))
            {
                let start = span.start + at;
                errors.push(
                    Diagnostic::error(
                        "unprintable-character",
                        Span { start, end: start + odd.len_utf8() },
                        format!("a name holds the character U+{:04X}, which is not printable", odd as u32),
                    )
                    .help("remove it, or put a plain blank in its place"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_words_keep_their_order() {
        let tree = read(b"(play m1 (a (b)) nil) x").unwrap();
        let roots: Vec<_> = tree.roots().collect();
        assert_eq!(roots.len(), 2);
        assert_eq!(tree.head(roots[0]), Some("play"));
        let texts: Vec<_> = tree.children(roots[0]).map(|n| tree.text(n)).collect();
        assert_eq!(texts, [&b"play"[..], b"m1", b"(a (b))", b"nil"]);
        assert_eq!(tree.expr(roots[1]), Expr::Word("x"));
        assert_eq!(tree.children(roots[1]).count(), 0);
    }

    #[test]
    fn what_cannot_be_seen_cannot_be_a_name() {
        for odd in ["\u{feff}\u{feff}", "a\u{200b}", "\u{202e}b", "a\u{7f}", "a\u{3000}b"] {
            assert_eq!(
                read(odd.as_bytes()).unwrap_err().diagnostics[0].code,
                "unprintable-character",
                "{odd:?}"
            );
        }
        assert!(read("\u{feff}caf\u{e9} \u{4e2d}".as_bytes()).is_ok());
    }

    #[test]
    fn a_million_parentheses_are_an_error() {
        let errors = read(&vec![b'('; 1_000_000]).unwrap_err();
        assert_eq!(errors.diagnostics[0].code, "nested-too-deeply");
        let errors = read(&vec![b')'; 1_000_000]).unwrap_err();
        assert_eq!((errors.diagnostics.len(), errors.omitted), (100, 999_900));
    }

    #[test]
    fn a_nest_at_the_limit_is_read() {
        let mut text = vec![b'('; MAX_NESTING];
        text.extend(vec![b')'; MAX_NESTING]);
        assert_eq!(read(&text).unwrap().roots().count(), 1);
    }
}
