//! S-expressions: nested lists of words, the syntax of rulesheets and protocol messages.
//!
//! Invariant: nodes are in preorder, so the subtree of a node is a contiguous range of nodes. Nothing
//! recurses; [`MAX_NESTING`] bounds the nesting.

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, ParseErrors};
use crate::lexer::{Lexer, TokenKind};

/// The maximum nesting depth of parentheses.
pub const MAX_NESTING: usize = 100_000;

/// The id of a node of a [`SyntaxTree`]. A node is a word or a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(usize);

impl NodeId {
    /// The next node in preorder. For a list that is not empty, this is the first member of the list.
    pub(crate) fn following(self) -> NodeId {
        NodeId(self.0 + 1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    span: Span,
    /// The index of the first node after this node and its members.
    end: usize,
    is_list: bool,
}

/// A node as a word or as a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr<'a> {
    /// A word with its spelling.
    Word(&'a str),
    /// A list; [`SyntaxTree::children`] gives its members.
    List,
}

/// All expressions of a text, as a tree in preorder.
#[derive(Clone, Debug)]
pub struct SyntaxTree<'a> {
    source: &'a [u8],
    nodes: Vec<Node>,
}

impl<'a> SyntaxTree<'a> {
    /// The text that was read.
    pub fn source(&self) -> &'a [u8] {
        self.source
    }

    /// The top-level nodes: the words and lists that are in no other list.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        self.siblings(0, self.nodes.len())
    }

    /// The members of the list `node`; empty if `node` is a word.
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

    /// The nodes of the subtree of `node` in preorder, beginning with `node` itself. Each node is paired with
    /// the first node after its own subtree.
    pub(crate) fn subtree(&self, node: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        (node.0..self.nodes[node.0].end).map(|i| (NodeId(i), NodeId(self.nodes[i].end)))
    }

    /// The bytes of the text that a node covers.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.0].span
    }

    /// The node as a word with its spelling, or as a list.
    pub fn expr(&self, node: NodeId) -> Expr<'a> {
        let Node { span, is_list, .. } = self.nodes[node.0];
        if is_list {
            Expr::List
        } else {
            Expr::Word(std::str::from_utf8(&self.source[span.range()]).unwrap_or("\u{fffd}"))
        }
    }

    /// The spelling of the word `node`; `None` if `node` is a list.
    pub fn word(&self, node: NodeId) -> Option<&'a str> {
        match self.expr(node) {
            Expr::Word(word) => Some(word),
            Expr::List => None,
        }
    }

    /// The first member of the list `node`, if that member is a word. `None` if the first member is a list,
    /// if `node` is an empty list, and if `node` is a word.
    pub fn head(&self, node: NodeId) -> Option<&'a str> {
        self.children(node).next().and_then(|first| self.word(first))
    }

    /// Whether a node is a list.
    pub fn is_list(&self, node: NodeId) -> bool {
        self.nodes[node.0].is_list
    }

    /// The source bytes of a node.
    pub fn text(&self, node: NodeId) -> &'a [u8] {
        &self.source[self.span(node).range()]
    }
}

/// Reads `source` as a sequence of words and lists.
///
/// # Errors
/// Fails on unbalanced parentheses, on nesting beyond [`MAX_NESTING`], and on words that contain non-ASCII
/// white space, invisible characters or bytes that are not UTF-8.
pub fn read(source: &[u8]) -> Result<SyntaxTree<'_>, ParseErrors> {
    let mut errors = ParseErrors::default();
    let tree = read_forms(source, None, &mut errors);
    if errors.is_empty() { Ok(tree) } else { Err(errors) }
}

/// Parses as much as possible and appends the errors to `errors`. `rule_depth` is the number of lists that
/// should enclose each rule; `None` if the text is not a rulesheet. In a rulesheet, a `(<=` at the start of a
/// line always starts a new rule. If more than `rule_depth` lists are open there, the surplus inner lists are
/// reported as unclosed and dropped together with their members.
pub(crate) fn read_forms<'a>(
    source: &'a [u8],
    rule_depth: Option<usize>,
    errors: &mut ParseErrors,
) -> SyntaxTree<'a> {
    let mut tree = SyntaxTree { source, nodes: Vec::with_capacity(source.len() / 4) };
    let mut open: Vec<usize> = Vec::new();
    // The first list that starts a line although another list is open: a parenthesis is probably missing
    // before it.
    let mut suspect: Option<Suspect> = None;
    // The ends of the last two tokens that are no comments, the last one first.
    let mut ends = [0; 2];
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
                    suspect = Some(Suspect { span, before: ends[0] });
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
                        .help("remove it, or add the `(` that it should close")
                        .edit(span, ""),
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
                    let count = open.len() - 1 - depth;
                    let next = Suspect { span: rule.span, before: ends[1] };
                    errors.push(not_closed(tree.nodes[unclosed].span, count, Some(next), ends[0]));
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
        if token.kind != TokenKind::Comment {
            ends = [span.end, ends[0]];
        }
    }
    if let Some(&first) = open.first() {
        errors.push(not_closed(tree.nodes[first].span, open.len(), suspect, ends[0]));
        tree.nodes.truncate(first);
    }
    tree
}

/// Whether the byte at offset `at` is the first on its line, apart from blanks.
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

/// A list that probably starts the next rule although another list is open.
#[derive(Clone, Copy)]
struct Suspect {
    span: Span,
    /// The end of the last token before it that is no comment.
    before: usize,
}

/// The error about `count` lists that are not closed, of which the outermost is at `span`. `end` is the end of
/// the last token that is no comment.
fn not_closed(span: Span, count: usize, suspect: Option<Suspect>, end: usize) -> Diagnostic {
    let span = Span { start: span.start, end: span.start + 1 };
    let closing = if count == 1 { "a `)`".to_owned() } else { format!("{count} `)`") };
    let diagnostic = Diagnostic::error("unclosed-parenthesis", span, "this `(` is never closed");
    let (diagnostic, end) = match suspect {
        Some(Suspect { span: Span { start, .. }, before }) => {
            let place = Span { start, end: start + 1 };
            let diagnostic = diagnostic.and_at(place, "the next rule seems to start here");
            (diagnostic.help(format!("add {closing} before the next rule")), before)
        }
        None => (diagnostic.help(format!("add {closing} where it ends")), end),
    };
    diagnostic.edit(Span { start: end, end }, ")".repeat(count))
}

/// Whether a character has no visible shape. This holds for control characters and for formatting characters
/// such as a byte order mark or a change of text direction.
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
                let place = Span { start, end: start + odd.len_utf8() };
                errors.push(
                    Diagnostic::error(
                        "unprintable-character",
                        place,
                        format!("a name holds the character U+{:04X}, which is not printable", odd as u32),
                    )
                    .help("remove it, or put a plain blank in its place")
                    .edit(place, if odd.is_whitespace() { " " } else { "" }),
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
    fn the_edit_of_a_missing_parenthesis_goes_before_the_comment_of_the_next_rule() {
        for (kif, mended) in [
            ("(<= p (q a) ; one\n; two\n(<= r (s a))", "(<= p (q a)) ; one\n; two\n(<= r (s a))"),
            ("(p (q a)\n(r b)\n(s c)", "(p (q a))\n(r b)\n(s c)"),
            ("(p (q a ; end\n", "(p (q a)) ; end\n"),
            ("(p a))", "(p a)"),
            ("(p\u{a0}a)", "(p a)"),
        ] {
            let mut errors = ParseErrors::default();
            read_forms(kif.as_bytes(), Some(0), &mut errors);
            assert_eq!(errors.diagnostics.len(), 1, "{kif}");
            let text = crate::diagnostic::apply(&errors.diagnostics[0].edits, kif.as_bytes());
            assert_eq!(String::from_utf8_lossy(&text), mended);
        }
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
