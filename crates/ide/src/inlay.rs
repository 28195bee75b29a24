//! Domains shown in the text: after the first occurrence of each variable in its rule.

use crate::analysis::Analysis;
use crate::names::Space;
use ggp_gdl::Span;
use rustc_hash::FxHashSet;

/// The maximum number of hints for one range.
pub const MAX_HINTS: usize = 2_000;

/// A text that an editor shows at a place without inserting it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The place, just after a variable.
    pub offset: usize,
    /// The domain in a few words, such as `1 … 8`.
    pub text: String,
}

impl Analysis {
    /// The domains of the variables that first occur in the bytes `range`.
    pub fn domain_hints(&self, range: Span) -> Vec<Hint> {
        let mut hints = Vec::new();
        for form in &self.tree().forms {
            if form.span.start > range.end || form.span.end < range.start {
                continue;
            }
            let mut seen: FxHashSet<&str> = FxHashSet::default();
            for node in form.node..self.tree().nodes[form.node].end {
                let span = self.span(node);
                let is_new = self.is_word(node)
                    && self.space(node) == Space::Variable
                    && seen.insert(self.source(node));
                if !is_new || span.end < range.start || span.end > range.end {
                    continue;
                }
                if let Some(text) = self.variable_in_words(node) {
                    hints.push(Hint { offset: span.end, text });
                }
                if hints.len() == MAX_HINTS {
                    return hints;
                }
            }
        }
        hints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_has_one_hint_a_rule() {
        let text = "(p 1) (p 2) (p 3) (q a) (<= (r ?x ?y) (p ?x) (q ?y) (p ?x)) (<= (s ?z) (t ?z))";
        let analysis = Analysis::new(text);
        let hints = analysis.domain_hints(Span { start: 0, end: text.len() });
        let shown: Vec<String> = hints
            .iter()
            .map(|hint| format!("{}: {}", &text[hint.offset - 2..hint.offset], hint.text))
            .collect();
        assert_eq!(shown, ["?x: 1 … 3", "?y: a"]);
        assert!(analysis.domain_hints(Span { start: 0, end: 20 }).is_empty());
    }
}
