//! Domains shown in the text: after the first occurrence of each variable in its rule.

use crate::analysis::Analysis;
use ggp_gdl::Span;

/// The maximum number of hints for one range. A variable whose domain is not known takes as long to look at as another,
/// so it counts too.
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
        let forms = self.tree().forms.iter().enumerate();
        let touched = forms.filter(|(_, form)| form.span.start <= range.end && form.span.end >= range.start);
        let variables = touched.flat_map(|(form, _)| self.variables_of(form));
        let placed = variables.map(|occurrences| (self.span(occurrences[0]).end, occurrences));
        placed
            .filter(|(offset, _)| (range.start..=range.end).contains(offset))
            .take(MAX_HINTS)
            .filter_map(|(offset, occurrences)| {
                Some(Hint { offset, text: self.variable_in_words(&occurrences)? })
            })
            .collect()
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

    #[test]
    fn variables_without_a_hint_count_too() {
        let open: String = (0..MAX_HINTS).map(|number| format!(" (r ?v{number})")).collect();
        let text = format!("(p 1) (<= q{open} (p ?last))");
        let analysis = Analysis::new(text.as_str());
        assert!(analysis.domain_hints(Span { start: 0, end: text.len() }).is_empty());
        assert_eq!(analysis.domain_hints(Span { start: text.len() - 10, end: text.len() }).len(), 1);
    }
}
