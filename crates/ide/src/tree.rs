//! The lists and words of a text, also of one whose parentheses do not match.
//!
//! A *form* is what stands at the top level: a rule, a fact or a word. `(<=` always begins a form, because no rule stands
//! inside another one. A form whose first parenthesis is never closed ends there, or before the next `(` in column 0.
//!
//! Invariants: nodes are in preorder. Reading takes linear time and never fails or recurses.

use ggp_gdl::Span;
use ggp_gdl::keyword::Connective;
use ggp_gdl::lexer::{Lexer, Token, TokenKind};

/// The index of a node.
pub(crate) type NodeId = usize;

/// A word or a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    /// The first node after the members of this one.
    pub(crate) end: NodeId,
    /// The list that contains this node; `None` for a form.
    pub(crate) parent: Option<NodeId>,
    pub(crate) is_list: bool,
    /// Whether the closing parenthesis of a list exists.
    pub(crate) is_closed: bool,
}

/// What stands at the top level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) node: NodeId,
    pub(crate) span: Span,
    /// Whether all its parentheses match.
    pub(crate) is_whole: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) forms: Vec<Form>,
    /// The comments, in the order of the text.
    pub(crate) comments: Vec<Span>,
    /// The closing parentheses that close nothing.
    pub(crate) strays: Vec<Span>,
}

impl Tree {
    pub(crate) fn read(text: &str) -> Tree {
        let tokens: Vec<Token> = Lexer::new(text.as_bytes()).collect();
        let closing = closing_tokens(text, &tokens);
        let mut tree = Tree::default();
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at];
            at = match token.kind {
                TokenKind::Comment => {
                    tree.comments.push(token.span);
                    at + 1
                }
                TokenKind::Close => {
                    tree.strays.push(token.span);
                    at + 1
                }
                TokenKind::Word | TokenKind::Open => {
                    let end = match closing[at] {
                        _ if token.kind == TokenKind::Word => at + 1,
                        Some(close) => close + 1,
                        None => end_of_broken(text, &tokens, at),
                    };
                    let is_whole = token.kind == TokenKind::Word || closing[at].is_some();
                    tree.form(&tokens[at..end], text.len(), tokens.get(end), is_whole);
                    end
                }
            };
        }
        tree
    }

    /// Appends the form that consists of `tokens`. `next` is the token after it.
    fn form(&mut self, tokens: &[Token], length: usize, next: Option<&Token>, is_whole: bool) {
        let root = self.nodes.len();
        let mut open: Vec<NodeId> = Vec::new();
        for token in tokens {
            let parent = open.last().copied();
            let node = |is_list| Node {
                span: token.span,
                end: self.nodes.len() + 1,
                parent,
                is_list,
                is_closed: !is_list,
            };
            match token.kind {
                TokenKind::Comment => self.comments.push(token.span),
                TokenKind::Word => self.nodes.push(node(false)),
                TokenKind::Open => {
                    let node = node(true);
                    open.push(self.nodes.len());
                    self.nodes.push(node);
                }
                TokenKind::Close => match open.pop() {
                    Some(list) => self.close(list, token.span.end, true),
                    None => self.strays.push(token.span),
                },
            }
        }
        // What is still open reaches to the next form.
        let end = next.map_or(length, |token| token.span.start);
        for list in open.into_iter().rev() {
            self.close(list, end, false);
        }
        self.forms.push(Form { node: root, span: self.nodes[root].span, is_whole });
    }

    fn close(&mut self, list: NodeId, end: usize, is_closed: bool) {
        let members_end = self.nodes.len();
        let node = &mut self.nodes[list];
        (node.span.end, node.end, node.is_closed) = (end, members_end, is_closed);
    }

    /// The members of a list; none for a word.
    pub(crate) fn members(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let (mut at, end) = (node + 1, self.nodes[node].end);
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let member = at;
                at = self.nodes[at].end;
                member
            })
        })
    }

    /// The index of the form that contains the byte at `offset`, or that ends there.
    pub(crate) fn form_at(&self, offset: usize) -> Option<usize> {
        let next = self.forms.partition_point(|form| form.span.start <= offset);
        let form = next.checked_sub(1)?;
        (offset <= self.forms[form].span.end).then_some(form)
    }

    /// The word that contains the byte at `offset`. A word also counts if it ends there, unless another one begins.
    pub(crate) fn word_at(&self, offset: usize) -> Option<NodeId> {
        let next = self.nodes.partition_point(|node| node.span.start <= offset);
        let node = next.checked_sub(1)?;
        let found = &self.nodes[node];
        (!found.is_list && offset <= found.span.end).then_some(node).or_else(|| {
            // The cursor stands between a word and a parenthesis.
            let before = node.checked_sub(1)?;
            let found = &self.nodes[before];
            (!found.is_list && found.span.end == offset).then_some(before)
        })
    }

    /// The innermost list around the gap at `offset`.
    pub(crate) fn list_at(&self, offset: usize) -> Option<NodeId> {
        let next = self.nodes.partition_point(|node| node.span.start < offset);
        let mut at = next.checked_sub(1);
        while let Some(node) = at {
            let Node { span, is_list, is_closed, parent, .. } = self.nodes[node];
            if is_list && (offset < span.end || !is_closed && offset <= span.end) {
                return Some(node);
            }
            at = parent;
        }
        None
    }

    /// Whether the byte before `offset` belongs to a comment, or `offset` is inside one.
    pub(crate) fn is_in_comment(&self, offset: usize) -> bool {
        let next = self.comments.partition_point(|comment| comment.start < offset);
        next.checked_sub(1).is_some_and(|comment| offset <= self.comments[comment].end)
    }
}

/// For each opening parenthesis, the token that closes it. `(<=` closes nothing and leaves all open lists open.
fn closing_tokens(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let mut closing = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open => {
                if begins_rule(text, tokens, at) {
                    open.clear();
                }
                open.push(at);
            }
            TokenKind::Close => {
                if let Some(list) = open.pop() {
                    closing[list] = Some(at);
                }
            }
            TokenKind::Word | TokenKind::Comment => {}
        }
    }
    closing
}

/// Whether the token `at` opens a rule: `(<=`.
fn begins_rule(text: &str, tokens: &[Token], at: usize) -> bool {
    tokens[at].kind == TokenKind::Open
        && tokens.get(at + 1).is_some_and(|next| {
            next.kind == TokenKind::Word && &text[next.span.range()] == Connective::If.name()
        })
}

/// The token with which the next form begins after a form that is not closed and begins with the token `at`.
fn end_of_broken(text: &str, tokens: &[Token], at: usize) -> usize {
    let is_start = |&next: &usize| {
        let Token { kind, span } = tokens[next];
        let in_column_0 = span.start == 0 || matches!(text.as_bytes()[span.start - 1], b'\n' | b'\r');
        kind == TokenKind::Open && (in_column_0 || begins_rule(text, tokens, next))
    };
    let next = (at + 1..tokens.len()).find(is_start).unwrap_or(tokens.len());
    // Comments between two forms belong to neither.
    let last = (at..next).rev().find(|&token| tokens[token].kind != TokenKind::Comment);
    last.map_or(next, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<(&str, bool)> {
        let tree = Tree::read(text);
        tree.forms.iter().map(|form| (text[form.span.range()].trim_end(), form.is_whole)).collect()
    }

    #[test]
    fn a_rule_begins_a_form_wherever_it_stands() {
        assert_eq!(
            forms("(<= (next (p 1) (true (p 2))) (<= terminal (q)) (r"),
            [("(<= (next (p 1) (true (p 2)))", false), ("(<= terminal (q))", true), ("(r", false)]
        );
    }

    #[test]
    fn column_0_begins_a_form_only_where_parentheses_do_not_match() {
        assert_eq!(forms("(p\n(q a)\n)\nb"), [("(p\n(q a)\n)", true), ("b", true)]);
        assert_eq!(forms("(p\n(q a)\n ; c\n(r)"), [("(p", false), ("(q a)", true), ("(r)", true)]);
        assert_eq!(forms("(p a))) (q)"), [("(p a)", true), ("(q)", true)]);
    }

    #[test]
    fn a_million_parentheses_take_linear_time() {
        for text in
            ["(".repeat(1_000_000), ")".repeat(1_000_000), "(\n".repeat(500_000), "(<= ".repeat(250_000)]
        {
            let tree = Tree::read(&text);
            assert_eq!(tree.nodes.len() + tree.strays.len(), text.matches(['(', ')', '<']).count());
            assert!(tree.list_at(text.len()).is_some() || !tree.strays.is_empty());
        }
    }

    #[test]
    fn the_innermost_list_is_found() {
        let text = "(<= (next (cell 1 ?x";
        let tree = Tree::read(text);
        let list = tree.list_at(text.len()).unwrap();
        assert_eq!(&text[tree.nodes[list].span.range()], "(cell 1 ?x");
        let closed = Tree::read("(p (q a))");
        assert_eq!(closed.list_at(8), Some(0));
        assert_eq!(closed.list_at(9), None);
    }
}
