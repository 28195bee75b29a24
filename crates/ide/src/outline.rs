//! The outline of a text: its sections, and in them what is defined; and the parts that can be folded.

use crate::analysis::Analysis;
use crate::comments;
use crate::names::Kind;
use crate::tree::NodeId;
use ggp_gdl::diagnostic::count;
use ggp_gdl::{Keyword, Span};

/// The sort of an entry of the outline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A section, by its comment.
    Section,
    /// A role.
    Role,
    /// Rules and facts about a fluent: `init`, `next`, `base`.
    Fluent,
    /// Rules about a move: `legal`, `input`.
    Move,
    /// Rules for another keyword, such as `goal` or `terminal`.
    Keyword,
    /// Rules and facts of a relation.
    Relation,
}

/// An entry of the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The title of the section, or what the rules define, such as `next cell`.
    pub name: String,
    /// The number of rules and facts, such as `3 rules`; empty for sections.
    pub detail: String,
    /// The sort of the entry.
    pub kind: SymbolKind,
    /// All that belongs to the entry.
    pub span: Span,
    /// The place of its name.
    pub name_span: Span,
    /// The entries inside a section.
    pub members: Vec<Symbol>,
}

/// A part of a text that can be folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// What remains visible is the first line.
    pub span: Span,
    /// The sort of the part.
    pub kind: FoldKind,
}

/// The sort of a part that can be folded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FoldKind {
    /// A section with its title.
    Section,
    /// A rule or a fact.
    Form,
    /// Several lines of comments.
    Comment,
}

impl Analysis {
    /// The outline. Consecutive rules and facts that define the same thing are one entry.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut sections = self.sections().iter().peekable();
        let mut symbols: Vec<Symbol> = Vec::new();
        let mut in_section = false;
        let enter = |section: &comments::Section, symbols: &mut Vec<Symbol>| {
            symbols.push(Symbol {
                name: section.title.clone(),
                detail: String::new(),
                kind: SymbolKind::Section,
                span: section.span,
                name_span: section.heading,
                members: Vec::new(),
            });
        };
        for form in &self.tree().forms {
            while let Some(section) = sections.next_if(|section| section.heading.start <= form.span.start) {
                enter(section, &mut symbols);
                in_section = true;
            }
            let Some(symbol) = self.symbol(form.node) else { continue };
            let list = match symbols.last_mut() {
                Some(section) if in_section => &mut section.members,
                _ => &mut symbols,
            };
            match list.last_mut() {
                Some(last) if last.name == symbol.name && last.kind == symbol.kind => {
                    last.span.end = symbol.span.end;
                    // The number of entries so far stands before the noun.
                    let number = last.detail.split(' ').next().and_then(|n| n.parse::<usize>().ok());
                    last.detail = count(number.unwrap_or(1) + 1, "rule");
                }
                _ => list.push(symbol),
            }
        }
        for section in sections {
            enter(section, &mut symbols);
        }
        symbols
    }

    /// The entry of one form; `None` if it has no name.
    fn symbol(&self, form: NodeId) -> Option<Symbol> {
        let tree = self.tree();
        let head = match self.info(form).kind {
            Kind::Connective(_) => tree.members(form).nth(1)?,
            _ => form,
        };
        let word = |node: NodeId| if self.is_word(node) { Some(node) } else { tree.members(node).next() };
        let name = word(head).filter(|&node| self.is_word(node))?;
        let carried = tree.members(head).last().and_then(word).filter(|&node| self.is_word(node));
        let (kind, carried) = match self.info(head).kind {
            Kind::Keyword(Keyword::Role) => (SymbolKind::Role, carried),
            Kind::Keyword(Keyword::Init | Keyword::Next | Keyword::Base) => (SymbolKind::Fluent, carried),
            Kind::Keyword(Keyword::Legal | Keyword::Input) => (SymbolKind::Move, carried),
            Kind::Keyword(Keyword::Goal) => (SymbolKind::Keyword, tree.members(head).nth(1).and_then(word)),
            Kind::Keyword(_) | Kind::Connective(_) => (SymbolKind::Keyword, None),
            _ => (SymbolKind::Relation, None),
        };
        let text = match carried.filter(|&carried| carried != name) {
            Some(carried) => format!("{} {}", self.source(name), self.source(carried)),
            None => self.source(name).to_owned(),
        };
        Some(Symbol {
            name: text,
            detail: count(1, "rule"),
            kind,
            span: self.span(form),
            name_span: self.span(name),
            members: Vec::new(),
        })
    }

    /// The parts that can be folded: sections, forms and comments of several lines, in the order of the text.
    pub fn folds(&self) -> Vec<Fold> {
        let several_lines = |span: &Span| {
            let end = self.trimmed_end(*span);
            self.lines().line_of(span.start) < self.lines().line_of(end)
        };
        let fold = |kind| move |span| Fold { span, kind };
        let sections = self.sections().iter().map(|section| section.span).map(fold(FoldKind::Section));
        let forms = self.tree().forms.iter().map(|form| form.span).map(fold(FoldKind::Form));
        let comments = comments::long_blocks(self.text(), self.tree(), self.lines()).into_iter();
        let mut folds: Vec<Fold> =
            sections.chain(forms).chain(comments.map(fold(FoldKind::Comment))).collect();
        folds.retain(|fold| several_lines(&fold.span));
        for fold in &mut folds {
            fold.span.end = self.trimmed_end(fold.span);
        }
        folds.sort_by_key(|fold| (fold.span.start, fold.kind));
        folds
    }

    /// The end of a span without the blanks at its end.
    fn trimmed_end(&self, span: Span) -> usize {
        span.start + self.text()[span.range()].trim_end().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = ";;; A game
;;; of two lines

(role white)
(role black)

;;; ---- Moves ----

(<= (legal ?r (mark ?x))
    (free ?x))
(<= (legal ?r noop) (role ?r))
(free 1) (free 2)
(<= (goal white 100) terminal)
terminal

;;; ---- Nothing ----
";

    #[test]
    fn the_outline_follows_the_sections() {
        let symbols = Analysis::new(GAME).symbols();
        let names: Vec<&str> = symbols.iter().map(|symbol| &*symbol.name).collect();
        assert_eq!(names, ["role white", "role black", "Moves", "Nothing"]);
        let members: Vec<String> =
            symbols[2].members.iter().map(|symbol| format!("{}: {}", symbol.name, symbol.detail)).collect();
        assert_eq!(
            members,
            [
                "legal mark: 1 rule",
                "legal noop: 1 rule",
                "free: 2 rules",
                "goal white: 1 rule",
                "terminal: 1 rule"
            ]
        );
        assert_eq!(symbols[2].kind, SymbolKind::Section);
    }

    #[test]
    fn long_parts_fold() {
        let analysis = Analysis::new(GAME);
        let line = |at| analysis.lines().line_of(at) + 1;
        let folds: Vec<_> = analysis
            .folds()
            .iter()
            .map(|fold| (line(fold.span.start), line(fold.span.end), fold.kind))
            .collect();
        assert_eq!(folds, [(1, 2, FoldKind::Comment), (7, 14, FoldKind::Section), (9, 10, FoldKind::Form)]);
    }
}
