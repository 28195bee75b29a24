//! What an editor shows when the pointer rests on a word.

use crate::analysis::Analysis;
use crate::comments;
use crate::names::{Kind, Space};
use crate::tree::NodeId;
use ggp_gdl::Span;
use ggp_gdl::diagnostic::count;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// The maximum number of arguments whose domains are shown.
const ARGUMENTS: usize = 12;

/// A text about a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The word.
    pub span: Span,
    /// The text, in Markdown.
    pub markdown: String,
}

impl Analysis {
    /// What there is to say about the word at `offset`.
    pub fn hover(&self, offset: usize) -> Option<Hover> {
        let word = self.tree().word_at(offset)?;
        Some(Hover { span: self.span(word), markdown: self.about(word) })
    }

    /// A description of a word in Markdown.
    fn about(&self, word: NodeId) -> String {
        let name = code(self.source(word));
        let info = self.info(word);
        match info.kind {
            Kind::Keyword(keyword) => keyword_text(keyword.syntax(), keyword.meaning(), keyword.example()),
            Kind::Connective(connective) => {
                keyword_text(connective.syntax(), connective.meaning(), connective.example())
            }
            Kind::Variable => match self.variable_in_words(&self.same(word)) {
                Some(values) => format!("variable {name}: {values}"),
                None => format!("variable {name}: no condition gives it a value"),
            },
            Kind::Relation => {
                let is_dynamic = self.model().is_dynamic(self.source(word));
                let what = if is_dynamic { "relation, changes with the state" } else { "static relation" };
                self.about_list(word, what, "relation")
            }
            Kind::Fluent | Kind::Move | Kind::Function if self.space(word) == Space::Function => {
                let what = match info.kind {
                    Kind::Fluent => "fluent",
                    Kind::Move => "move",
                    _ => "function",
                };
                self.about_list(word, what, what)
            }
            _ => self.about_constant(word),
        }
    }

    fn about_constant(&self, word: NodeId) -> String {
        let name = code(self.source(word));
        let what = match self.info(word).kind {
            _ if self.names().is_role(self.source(word)) => "role",
            Kind::Fluent => "fluent",
            Kind::Move => "move",
            _ => "constant",
        };
        let mut text = format!("{what} {name}");
        let place = self.model().place(self.text(), self.tree(), self.names(), word);
        if let Some(values) = place.filter(|_| what == "constant").and_then(|p| self.domain_in_words(p)) {
            let _ = write!(text, "; this argument can be: {values}");
        }
        self.add_comment(word, &mut text);
        text
    }

    /// A description of something with arguments: its arities, the number of its rules, the domains of its arguments,
    /// and the comment above its definition.
    fn about_list(&self, word: NodeId, what: &str, noun: &str) -> String {
        let mut text = format!("{what} {}", code(self.source(word)));
        let same = self.same(word);
        let arities: FxHashSet<usize> = same.iter().map(|&node| self.arity(node)).collect();
        let mut arities: Vec<usize> = arities.into_iter().collect();
        arities.sort_unstable();
        if let [arity] = arities[..] {
            let _ = write!(text, ", {}", count(arity, "argument"));
        } else {
            let _ = write!(text, ", with different numbers of arguments: {arities:?}");
        }
        let definitions = self.definition_nodes(word);
        if noun == "relation" {
            let rules = definitions.iter().filter(|&&node| self.is_in_rule(node)).count();
            let facts = definitions.len() - rules;
            let parts: Vec<String> = [(rules, "rule"), (facts, "fact")]
                .into_iter()
                .filter(|(number, _)| *number > 0)
                .map(|(number, noun)| count(number, noun))
                .collect();
            let _ = write!(
                text,
                "; {}",
                if parts.is_empty() { "nothing defines it".to_owned() } else { parts.join(", ") }
            );
        }
        let arity = self.arity(word);
        let shown = definitions.first().copied().filter(|&node| self.arity(node) == arity).unwrap_or(word);
        let mut domains = String::new();
        for argument in 1..=arity.min(ARGUMENTS) {
            let list = self.tree().nodes[shown].parent;
            let place = list
                .and_then(|list| self.model().member(self.text(), self.tree(), self.names(), list, argument));
            if let Some(values) = place.and_then(|place| self.domain_in_words(place)) {
                let _ = write!(domains, "\n{argument}. {values}");
            }
        }
        if !domains.is_empty() {
            text.push('\n');
            text.push_str(&domains);
        }
        self.add_comment(word, &mut text);
        text
    }

    /// Appends the comment above the first definition of `word` that has one.
    fn add_comment(&self, word: NodeId, text: &mut String) {
        if let Some(comment) = self.documentation(word) {
            text.push_str("\n\n");
            // A line of a comment stays a line, and its marks are no Markdown.
            for line in comment.lines() {
                let _ = writeln!(text, "> {}  ", escaped(line));
            }
        }
    }

    /// The comment above the first definition of `word` that has one.
    pub(crate) fn documentation(&self, word: NodeId) -> Option<String> {
        let mut definitions = self.definition_nodes(word).into_iter().filter(|&node| self.info(node).in_head);
        definitions.find_map(|node| {
            let form = self.tree().forms[self.info(node).form].span.start;
            comments::above(self.text(), self.tree(), self.lines(), form)
        })
    }

    /// The number of arguments of the relation or function `word`.
    pub(crate) fn arity(&self, word: NodeId) -> usize {
        match self.tree().nodes[word].parent {
            Some(list) if self.info(word).index == 0 => self.names().sizes[list] - 1,
            _ => 0,
        }
    }

    fn is_in_rule(&self, node: NodeId) -> bool {
        let root = self.tree().forms[self.info(node).form].node;
        matches!(self.info(root).kind, Kind::Connective(_))
    }
}

fn keyword_text(syntax: &str, meaning: &str, example: &str) -> String {
    format!("```gdl\n{syntax}\n```\n{meaning}\n\nFor example:\n```gdl\n{example}\n```")
}

/// A name as code in Markdown.
fn code(name: &str) -> String {
    if name.contains('`') { format!("`` {name} ``") } else { format!("`{name}`") }
}

/// A line of text with its Markdown marks made plain.
fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '|' | '~' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "(role white) (role black)
; A cell and what
; stands *there*.
(init (cell 1 1 b)) (init (control white)) (init (cell 2 1 x))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (index ?x) (not (does white (mark ?x ?y))))
(index 1) (index 2) (index 3)
(<= (legal ?r (mark ?x ?y)) (role ?r) (true (cell ?x ?y b)))
(<= (line ?c) (true (cell 1 1 ?c)))";

    fn about(text: &str, nth: usize) -> String {
        let at = GAME.match_indices(text).nth(nth).unwrap().0;
        Analysis::new(GAME).hover(at).unwrap().markdown
    }

    #[test]
    fn words_are_described() {
        assert_eq!(about("index 1", 0), "static relation `index`, 1 argument; 3 facts\n\n1. 1 … 3");
        assert_eq!(
            about("cell ?x", 0),
            "fluent `cell`, 3 arguments\n\n1. 1, 2\n2. 1\n3. b, x\n\n> A cell and what  \n> stands \\*there\\*.  \n"
        );
        assert_eq!(about("?x", 0), "variable `?x`: 1, 2");
        assert_eq!(about("?r", 0), "variable `?r`: white, black");
        assert_eq!(
            about("line", 0),
            "relation, changes with the state `line`, 1 argument; 1 rule\n\n1. b, x"
        );
        assert_eq!(about("white", 1), "role `white`");
        assert!(about("legal", 0).contains("(legal ROLE MOVE)"));
        assert!(about("<=", 0).contains("HEAD holds if all conditions hold."));
        assert!(about("b))", 1).starts_with("constant `b`; this argument can be: b, x"));
    }
}
