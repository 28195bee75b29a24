//! The analysis of one text, which answers all questions about it.

use crate::comments::{self, Section};
use crate::lines::LineIndex;
use crate::model::Model;
use crate::names::{Info, Names, Space};
use crate::tree::{NodeId, Tree};
use ggp_gdl::{Diagnostic, Span, Strictness, diagnose};
use std::sync::{Arc, OnceLock};

/// A text and what is known of it. What a question needs is computed when it is first asked.
///
/// # Examples
/// ```
/// use ggp_ide::Analysis;
/// let analysis = Analysis::new("(role white) (<= terminal (true (at ?x)) (init (at 1)) (<= (goal white 100) (true (at 1");
/// let hover = analysis.hover(2).unwrap();
/// assert!(hover.markdown.contains("role of the game"));
/// ```
#[derive(Debug)]
pub struct Analysis {
    text: Arc<str>,
    lines: LineIndex,
    syntax: OnceLock<Syntax>,
    model: OnceLock<Model>,
    findings: OnceLock<Vec<Diagnostic>>,
    strictness: Strictness,
}

#[derive(Debug)]
struct Syntax {
    tree: Tree,
    names: Names,
    sections: Vec<Section>,
}

impl Analysis {
    /// The analysis of `text` at the default strictness.
    pub fn new(text: impl Into<Arc<str>>) -> Analysis {
        Analysis::with_strictness(text, Strictness::default())
    }

    /// The analysis of `text`. `strictness` decides which findings are errors.
    pub fn with_strictness(text: impl Into<Arc<str>>, strictness: Strictness) -> Analysis {
        let text = text.into();
        let lines = LineIndex::new(&text);
        Analysis {
            text,
            lines,
            syntax: OnceLock::new(),
            model: OnceLock::new(),
            findings: OnceLock::new(),
            strictness,
        }
    }

    /// The analysis of this text with the bytes `range` replaced by `new`. The ends of `range` move to the next smaller
    /// boundaries of characters inside the text.
    #[must_use]
    pub fn spliced(&self, range: Span, new: &str) -> Analysis {
        let floor = |at: usize| {
            let at = at.min(self.text.len());
            (0..=at).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
        };
        let start = floor(range.start);
        let end = floor(range.end).max(start);
        let text = [&self.text[..start], new, &self.text[end..]].concat();
        Analysis::with_strictness(text, self.strictness)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines of the text.
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// The strictness of the checks.
    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// What the parser and the checks find, in the order of the text.
    pub fn findings(&self) -> &[Diagnostic] {
        self.findings.get_or_init(|| diagnose(self.text.as_bytes(), self.strictness))
    }

    fn syntax(&self) -> &Syntax {
        self.syntax.get_or_init(|| {
            let tree = Tree::read(&self.text);
            let names = Names::of(&self.text, &tree);
            let sections = comments::sections(&self.text, &tree, &self.lines);
            Syntax { tree, names, sections }
        })
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.syntax().tree
    }

    pub(crate) fn names(&self) -> &Names {
        &self.syntax().names
    }

    pub(crate) fn sections(&self) -> &[Section] {
        &self.syntax().sections
    }

    pub(crate) fn model(&self) -> &Model {
        self.model.get_or_init(|| Model::of(&self.text, self.tree()))
    }

    pub(crate) fn info(&self, node: NodeId) -> Info {
        self.names().infos[node]
    }

    pub(crate) fn span(&self, node: NodeId) -> Span {
        self.tree().nodes[node].span
    }

    /// The source of a node.
    pub(crate) fn source(&self, node: NodeId) -> &str {
        &self.text[self.span(node).range()]
    }

    pub(crate) fn is_word(&self, node: NodeId) -> bool {
        !self.tree().nodes[node].is_list
    }

    /// Whether a word is the first of its list.
    pub(crate) fn begins_list(&self, word: NodeId) -> bool {
        self.tree().nodes[word].parent.is_some() && self.info(word).index == 0
    }

    /// The space of the name of a word.
    pub(crate) fn space(&self, word: NodeId) -> Space {
        self.info(word).space(self.begins_list(word))
    }

    /// The words that name the same thing as `word`, in the order of the text.
    pub(crate) fn same(&self, word: NodeId) -> Vec<NodeId> {
        let (name, space, form) = (self.source(word), self.space(word), self.info(word).form);
        let range = match space {
            Space::Variable => {
                let root = self.tree().forms[form].node;
                root..self.tree().nodes[root].end
            }
            _ => 0..self.tree().nodes.len(),
        };
        let same = |&node: &NodeId| {
            let spelling = self.source(node);
            let is_equal =
                if space == Space::Keyword { spelling.eq_ignore_ascii_case(name) } else { spelling == name };
            self.is_word(node) && is_equal && self.space(node) == space
        };
        range.filter(same).collect()
    }
}
