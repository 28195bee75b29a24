//! From a word to where it is defined and used.
//!
//! A relation is defined by the heads of its rules; a fluent by those of `init` and `next`, and of `base` if there are no
//! others; a move by those of `legal`, or `input`. A role is defined where it is declared, a variable where it first
//! occurs in its rule. Any other constant is defined where it first occurs in a fact or a head.

use crate::analysis::Analysis;
use crate::names::{Kind, Space};
use crate::tree::NodeId;
use ggp_gdl::{Keyword, Span};

impl Analysis {
    /// The places that define the word at `offset`, in the order of the text.
    pub fn definitions(&self, offset: usize) -> Vec<Span> {
        let Some(word) = self.tree().word_at(offset) else { return Vec::new() };
        self.definition_nodes(word).into_iter().map(|node| self.span(node)).collect()
    }

    /// The places of all words that name the same thing as the word at `offset`. Leaves out the definitions unless
    /// `with_definitions` is true.
    pub fn references(&self, offset: usize, with_definitions: bool) -> Vec<Span> {
        let Some(word) = self.tree().word_at(offset) else { return Vec::new() };
        let definitions = if with_definitions { Vec::new() } else { self.definition_nodes(word) };
        let used = self.same(word).into_iter().filter(|node| definitions.binary_search(node).is_err());
        used.map(|node| self.span(node)).collect()
    }

    /// The place of the first head or fact with `keyword`.
    pub fn first_head(&self, keyword: Keyword) -> Option<Span> {
        let nodes = 0..self.tree().nodes.len();
        let is_head = |&node: &NodeId| {
            self.info(node).kind == Kind::Keyword(keyword) && self.info(node).in_head && self.is_word(node)
        };
        nodes.into_iter().find(is_head).map(|node| self.span(node))
    }

    /// The words that define `word`, in the order of the text.
    pub(crate) fn definition_nodes(&self, word: NodeId) -> Vec<NodeId> {
        let same = self.same(word);
        let select = |wanted: &dyn Fn(NodeId) -> bool| -> Vec<NodeId> {
            same.iter().copied().filter(|&node| wanted(node)).collect()
        };
        match self.space(word) {
            Space::Relation => select(&|node| self.info(node).in_head),
            Space::Keyword => match self.info(word).kind {
                // What makes a fluent true, and a move legal.
                Kind::Keyword(Keyword::True | Keyword::Does) => match self.carried(word) {
                    Some(carried) => self.definition_nodes(carried),
                    None => Vec::new(),
                },
                _ => select(&|node| self.info(node).in_head),
            },
            Space::Variable => same.into_iter().take(1).collect(),
            Space::Function | Space::Constant => {
                let under = |keywords: &[Keyword]| {
                    select(&|node| {
                        self.info(node).in_head && self.carrier(node).is_some_and(|k| keywords.contains(&k))
                    })
                };
                let sources: [&[Keyword]; 6] = [
                    &[Keyword::Role],
                    &[Keyword::Init, Keyword::Next],
                    &[Keyword::Base],
                    &[Keyword::Legal],
                    &[Keyword::Input],
                    &[Keyword::Sees],
                ];
                let found = sources.into_iter().map(under).find(|found| !found.is_empty());
                found.unwrap_or_else(|| {
                    let first = same.iter().find(|&&node| self.info(node).in_head).or(same.first());
                    first.copied().into_iter().collect()
                })
            }
        }
    }

    /// The keyword whose fluent, move, percept or role a word names.
    fn carrier(&self, word: NodeId) -> Option<Keyword> {
        let tree = self.tree();
        let term = if self.begins_list(word) { tree.nodes[word].parent? } else { word };
        let atom = tree.nodes[term].parent?;
        let (Kind::Keyword(keyword), index) = (self.info(atom).kind, self.info(term).index) else {
            return None;
        };
        (self.info(atom).role.is_atom() && index == keyword.arity()).then_some(keyword)
    }

    /// The name of the fluent or move in the atom that begins with `keyword`.
    fn carried(&self, keyword: NodeId) -> Option<NodeId> {
        let tree = self.tree();
        let term = tree.members(tree.nodes[keyword].parent?).last()?;
        let word = if self.is_word(term) { term } else { tree.members(term).next()? };
        let is_name = matches!(self.space(word), Space::Function | Space::Constant) && self.is_word(word);
        is_name.then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "(role white) (role black)
(base (at 9)) (init (at 1)) (line a)
(<= (next (at ?y)) (does ?r (go ?y)) (true (at ?x)) (succ ?x ?y))
(<= (legal ?r (go ?x)) (role ?r) (true (at ?x)) (line ?x) (true free))
(succ 1 2)
(<= (at ?x) (line ?x) (at white))";

    /// The source lines, from 1, of the definitions of the word at the given occurrence.
    fn lines(text: &str, nth: usize) -> Vec<usize> {
        let analysis = Analysis::new(GAME);
        let at = GAME.match_indices(text).nth(nth).unwrap().0;
        analysis.definitions(at).iter().map(|span| analysis.lines().line_of(span.start) + 1).collect()
    }

    #[test]
    fn definitions() {
        assert_eq!(lines("at ?x", 0), [2, 3], "a fluent: init and next");
        assert_eq!(lines("go ?y", 0), [4], "a move: legal");
        assert_eq!(lines("at white", 0), [6], "a relation of the same name");
        assert_eq!(lines("line ?x", 0), [2]);
        assert_eq!(lines("white", 1), [1], "a role");
        assert_eq!(lines("?x", 0), [3], "a variable in its rule");
        assert_eq!(lines("true (at", 0), [2, 3], "what makes it true");
        assert_eq!(lines("does", 0), [4]);
        assert_eq!(lines("2)", 0), [5], "a constant: the first fact");
        assert_eq!(Analysis::new(GAME).definitions(usize::MAX), []);
    }

    #[test]
    fn references_follow_the_kind_of_name() {
        let analysis = Analysis::new(GAME);
        let count = |text: &str, nth: usize, all: bool| {
            analysis.references(GAME.match_indices(text).nth(nth).unwrap().0, all).len()
        };
        assert_eq!(count("at ?x", 0, true), 5, "the fluent `at`, not the relation");
        assert_eq!(count("at ?x", 0, false), 3, "the fact of `base` is a use");
        assert_eq!(count("at white", 0, true), 2);
        assert_eq!(count("?x", 0, true), 2, "only in its rule");
        assert_eq!(count("white", 0, true), 2);
    }
}
