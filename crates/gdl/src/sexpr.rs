//! S-expressions: nested lists of words, the syntax of rulesheets and protocol messages.
//!
//! Invariant: nodes are in preorder, so the subtree of a node is a contiguous range of nodes. Nothing
//! recurses; [`MAX_NESTING`] bounds the nesting.

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Mark, ParseErrors};
use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, Token, TokenKind};

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

    /// Whether `token`, the next one, is the `<=` of the innermost open list, `list`, and this list starts a line.
    fn begins_rule(&self, token: Token, list: Option<&usize>) -> bool {
        token.kind == TokenKind::Word
            && &self.source[token.span.range()] == b"<="
            && list.is_some_and(|&list| {
                list + 1 == self.nodes.len() && begins_line(self.source, self.nodes[list].span.start)
            })
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
/// line always starts a new rule. A form that is still open there is reported as unclosed and dropped; reading
/// continues at the first list after it that seems to be a fact ([`Suspect`]), or else at the rule.
pub(crate) fn read_forms<'a>(
    source: &'a [u8],
    rule_depth: Option<usize>,
    errors: &mut ParseErrors,
) -> SyntaxTree<'a> {
    let base = rule_depth.unwrap_or(0);
    let mut tree = SyntaxTree { source, nodes: Vec::with_capacity(source.len() / 4) };
    // The byte order marks of UTF-16. Without this check, each word of the text would be an error.
    if source.starts_with(b"\xff\xfe") || source.starts_with(b"\xfe\xff") {
        errors.breaks(Span { start: 0, end: source.len() });
        let mark = Span { start: 0, end: 2 };
        errors
            .push(Diagnostic::error("not-utf-8", mark, "the text is UTF-16").help("save the file as UTF-8"));
        return tree;
    }
    let mut open: Vec<usize> = Vec::new();
    let mut suspect: Option<Suspect> = None;
    // The start of the last rule that starts a line: a surplus parenthesis may end it too early.
    let mut rule_start = 0;
    // The ends of the last two tokens that are no comments, the last one first.
    let mut ends = [0; 2];
    // The number of bytes that may be read again: it keeps the time linear.
    let mut again = AGAIN * source.len();
    let mut lexer = Lexer::new(source);
    loop {
        let token = lexer.next();
        let at = token.map_or(source.len(), |token| token.span.start);
        // 1. A form is unclosed if the text ends or a rule begins. Continue at the fact before that, if any.
        let is_rule = rule_depth.is_some() && token.is_some_and(|token| tree.begins_rule(token, open.last()));
        let begins_rule = is_rule && open.len() > base + 1;
        if rule_depth.is_some()
            && (begins_rule || token.is_none())
            && let Some(fact) = suspect.take().filter(|fact| !begins_rule || Some(&fact.node) != open.last())
            && at - fact.span.start <= again
        {
            again -= at - fact.span.start;
            errors.forget(fact.errors);
            errors.push(not_closed(tree.nodes[open[base]].span, fact.depth - base, Some(fact), ends[0]));
            errors.breaks(Span { start: tree.nodes[open[base]].span.start, end: fact.span.start });
            tree.nodes.truncate(open[base]);
            open.truncate(base);
            ends = [fact.before, 0];
            lexer = Lexer::within(source, Span { start: fact.span.start, end: source.len() });
            continue;
        }
        let Some(Token { kind, span }) = token else { break };
        // 2. Add the token to the tree.
        match kind {
            TokenKind::Comment => continue,
            TokenKind::Open => {
                if open.len() == MAX_NESTING {
                    errors.push(too_deep(span));
                    errors.breaks(Span { start: tree.nodes[open[0]].span.start, end: source.len() });
                    tree.nodes.truncate(open[0]);
                    return tree;
                }
                let starts_line = span.start == 0 || matches!(source[span.start - 1], b'\n' | b'\r');
                if starts_line && open.len() > base && suspect.is_none() {
                    let (node, depth) = (tree.nodes.len(), open.len());
                    suspect = Some(Suspect { span, node, depth, before: ends[0], errors: errors.mark() });
                }
                open.push(tree.nodes.len());
                tree.nodes.push(Node { span, end: usize::MAX, is_list: true });
            }
            TokenKind::Close => {
                if let Some(list) = open.pop() {
                    tree.nodes[list].span.end = span.end;
                    tree.nodes[list].end = tree.nodes.len();
                    suspect = suspect.filter(|fact| open.len() >= fact.depth && open.len() > base);
                } else {
                    errors.push(
                        Diagnostic::error("surplus-parenthesis", span, "this `)` closes nothing")
                            .help("remove it, or add the `(` that it should close")
                            .edit(span, ""),
                    );
                    errors.breaks(Span { start: rule_start, end: span.end });
                }
            }
            TokenKind::Word => {
                check_word(source, span, errors);
                if is_rule {
                    rule_start = tree.nodes[tree.nodes.len() - 1].span.start;
                }
                if begins_rule {
                    let rule = tree.nodes[tree.nodes.len() - 1];
                    let (unclosed, count) = (open[base], open.len() - 1 - base);
                    let next = Suspect {
                        span: rule.span,
                        node: unclosed,
                        depth: base,
                        before: ends[1],
                        errors: errors.mark(),
                    };
                    let start = tree.nodes[unclosed].span.start;
                    errors.push(not_closed(tree.nodes[unclosed].span, count, Some(next), ends[0]));
                    errors.breaks(Span { start, end: rule.span.start });
                    tree.nodes.truncate(unclosed);
                    open.truncate(base);
                    open.push(tree.nodes.len());
                    tree.nodes.push(rule);
                } else if let Some(fact) = suspect
                    && open.len() > fact.depth
                    && is_in_condition(&source[span.range()], fact.node + 1 == tree.nodes.len())
                {
                    suspect = None;
                }
                let end = tree.nodes.len() + 1;
                tree.nodes.push(Node { span, end, is_list: false });
            }
        }
        ends = [span.end, ends[0]];
    }
    if let Some(&first) = open.first() {
        let start = tree.nodes[first].span.start;
        errors.push(not_closed(tree.nodes[first].span, open.len(), suspect, ends[0]));
        errors.breaks(Span { start, end: source.len() });
        tree.nodes.truncate(first);
    }
    tree
}

/// Whether a word shows that the list around it is a condition, and no fact: facts have no variables, and some names
/// begin conditions only. `is_first` is whether the word is the first of the list.
fn is_in_condition(word: &[u8], is_first: bool) -> bool {
    let is_of_conditions = |name: &str| {
        matches!(Keyword::of(name), Some(Keyword::True | Keyword::Does))
            || Connective::of(name).is_some_and(|connective| connective != Connective::If)
    };
    word.starts_with(b"?") || is_first && std::str::from_utf8(word).is_ok_and(is_of_conditions)
}

/// Whether the byte at offset `at` is the first on its line, apart from blanks.
pub(crate) fn begins_line(source: &[u8], at: usize) -> bool {
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

/// How often the text may be read again, on average, to continue after forms that are not closed.
const AGAIN: usize = 4;

/// The first list that starts a line although another list is open, and that may be a fact: a parenthesis is
/// probably missing before it.
#[derive(Clone, Copy)]
struct Suspect {
    span: Span,
    node: usize,
    /// The number of lists that are open before it.
    depth: usize,
    /// The end of the last token before it that is no comment.
    before: usize,
    /// The errors before it.
    errors: Mark,
}

/// The error about `count` lists that are not closed, of which the outermost is at `span`. `end` is the end of
/// the last token that is no comment.
fn not_closed(span: Span, count: usize, suspect: Option<Suspect>, end: usize) -> Diagnostic {
    let span = Span { start: span.start, end: span.start + 1 };
    let closing = if count == 1 { "a `)`".to_owned() } else { format!("{count} `)`") };
    let diagnostic = Diagnostic::error("unclosed-parenthesis", span, "this `(` is never closed");
    let (diagnostic, end) = match suspect {
        Some(Suspect { span: Span { start, .. }, before, .. }) => {
            let place = Span { start, end: start + 1 };
            let diagnostic = diagnostic.and_at(place, "the next rule or fact seems to start here");
            (diagnostic.help(format!("add {closing} before the next rule or fact")), before)
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
            errors.breaks(span);
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
                errors.breaks(span);
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
    fn a_text_in_utf_16_is_one_error() {
        let units: Vec<u16> = "\u{feff}(role white)\n(role black)\n".encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for text in [little, big] {
            let found = crate::diagnose(&text, crate::Strictness::Default);
            let found: Vec<(&str, &str)> = found.iter().map(|f| (f.code, f.message.as_str())).collect();
            assert_eq!(found, [("not-utf-8", "the text is UTF-16")]);
        }
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
            // Facts stay facts, and conditions in the first column are no facts.
            ("(<= p (q a)\n(r b)\n(s c)\n(<= t u)", "(<= p (q a))\n(r b)\n(s c)\n(<= t u)"),
            (
                "(<= p (q ?x)\n(r ?x)\n(not a)\n(s c)\n(<= t u)",
                "(<= p (q ?x)\n(r ?x)\n(not a))\n(s c)\n(<= t u)",
            ),
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
