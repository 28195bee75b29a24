//! What each word is, for colours.

use crate::analysis::Analysis;
use crate::names::{Kind, Space};
use crate::tree::NodeId;
use ggp_gdl::Span;

/// What a coloured piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TokenKind {
    /// A keyword or connective.
    Keyword,
    /// The name of a role.
    Role,
    /// A fluent or its function.
    Fluent,
    /// A move or its function.
    Move,
    /// A relation that changes with the state or the moves.
    Relation,
    /// A relation that is the same in all states.
    StaticRelation,
    /// A function inside a term.
    Function,
    /// A variable.
    Variable,
    /// A constant that is no number.
    Constant,
    /// A number.
    Number,
    /// A comment.
    Comment,
}

/// A coloured piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Where it stands, on one line.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind,
    /// Whether it stands in a fact or the head of a rule as the name of what is defined there.
    pub defines: bool,
}

impl Analysis {
    /// The coloured pieces that touch the bytes `range`, in the order of the text.
    pub fn tokens(&self, range: Span) -> Vec<Token> {
        let nodes = &self.tree().nodes;
        let first = nodes.partition_point(|node| node.span.start < range.start).saturating_sub(1);
        let touches = |span: Span| span.start < range.end && span.end > range.start;
        let words = (first..nodes.len())
            .take_while(|&node| nodes[node].span.start < range.end)
            .filter(|&node| self.is_word(node) && touches(nodes[node].span))
            .map(|node| self.token(node));
        let comments = self.tree().comments.iter().filter(|span| touches(**span));
        let comments = comments.map(|&span| Token { span, kind: TokenKind::Comment, defines: false });
        let mut tokens: Vec<Token> = words.chain(comments).collect();
        tokens.sort_by_key(|token| token.span);
        tokens
    }

    fn token(&self, word: NodeId) -> Token {
        let name = self.source(word);
        let info = self.info(word);
        let is_constant = self.space(word) == Space::Constant;
        let kind = match info.kind {
            Kind::Keyword(_) | Kind::Connective(_) => TokenKind::Keyword,
            Kind::Variable => TokenKind::Variable,
            _ if is_constant && self.names().is_role(name) => TokenKind::Role,
            Kind::Fluent => TokenKind::Fluent,
            Kind::Move => TokenKind::Move,
            Kind::Relation if self.model().is_dynamic(name) => TokenKind::Relation,
            Kind::Relation => TokenKind::StaticRelation,
            Kind::Function => TokenKind::Function,
            Kind::Constant if name.parse::<i64>().is_ok() => TokenKind::Number,
            Kind::Constant => TokenKind::Constant,
        };
        let is_name = matches!(info.kind, Kind::Relation | Kind::Fluent | Kind::Move);
        Token { span: self.span(word), kind, defines: info.in_head && is_name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_colours() {
        let text =
            "(role red) ; who\n(<= (next (at ?x)) (does red (go ?x 1)) (line (f ?x) a) (free ?x))\n(line b c)
(<= (free ?x) (true (at ?x)))";
        let tokens = Analysis::new(text).tokens(Span { start: 0, end: text.len() });
        let shown: Vec<String> = tokens
            .iter()
            .take(18)
            .map(|t| format!("{} {:?}{}", &text[t.span.range()], t.kind, if t.defines { "!" } else { "" }))
            .collect();
        assert_eq!(
            shown,
            [
                "role Keyword",
                "red Role",
                "; who Comment",
                "<= Keyword",
                "next Keyword",
                "at Fluent!",
                "?x Variable",
                "does Keyword",
                "red Role",
                "go Move",
                "?x Variable",
                "1 Number",
                "line StaticRelation",
                "f Function",
                "?x Variable",
                "a Constant",
                "free Relation",
                "?x Variable",
            ]
        );
        let part = Analysis::new(text).tokens(Span { start: 3, end: 8 });
        assert_eq!(part.len(), 2, "only what the range touches");
    }
}
