//! Formatting and quick fixes, as edits.

use crate::analysis::Analysis;
use ggp_gdl::{Diagnostic, Edit, ParseErrors, Span};

/// A way to mend what a finding reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What the fix does, in the words of the finding's help.
    pub title: String,
    /// The index of the finding among those that were given.
    pub finding: usize,
    /// The edits, in the order of the text and without overlaps.
    pub edits: Vec<Edit>,
}

impl Analysis {
    /// The edits that give the text its canonical layout; none if it has it. Only the lines that differ at the beginning
    /// and at the end of the text are spared.
    ///
    /// # Errors
    /// If the parentheses do not match, or a word has characters that are not allowed.
    pub fn layout(&self) -> Result<Vec<Edit>, ParseErrors> {
        let laid_out = ggp_gdl::format(self.text().as_bytes())?;
        // Laying out moves words and blanks of a text in UTF-8, so the result is one too.
        let new = String::from_utf8_lossy(&laid_out);
        let old = self.text();
        if old == new {
            return Ok(Vec::new());
        }
        let start = line_start(old, common_prefix(old, &new));
        let limit = old.len().min(new.len()) - start;
        let end = common_suffix(&old[start..], &new[start..]).min(limit);
        let span = Span { start, end: old.len() - end };
        Ok(vec![Edit { span, text: new[start..new.len() - end].to_owned() }])
    }
}

/// The fixes of those of `findings` that touch the bytes `range`.
pub fn fixes(findings: &[Diagnostic], range: Span) -> Vec<Fix> {
    let touching =
        findings.iter().enumerate().filter(|(_, d)| d.span.start <= range.end && d.span.end >= range.start);
    let fixes = touching.filter(|(_, diagnostic)| !diagnostic.edits.is_empty());
    fixes
        .map(|(finding, diagnostic)| Fix {
            title: diagnostic.help.clone().unwrap_or_else(|| diagnostic.message.clone()),
            finding,
            edits: diagnostic.edits.clone(),
        })
        .collect()
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// The start of the line that contains the byte at `at`.
fn line_start(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at];
    before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)
}

/// The length of the longest common end that begins with a line end.
fn common_suffix(a: &str, b: &str) -> usize {
    let same = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    let tail = &a.as_bytes()[a.len() - same..];
    tail.iter().position(|&byte| byte == b'\n').map_or(0, |at| same - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, edits: &[Edit]) -> String {
        String::from_utf8(ggp_gdl::diagnostic::apply(edits, text.as_bytes())).unwrap()
    }

    #[test]
    fn the_layout_is_that_of_the_formatter() {
        for text in ["(p  a)\n(q)\n", "(p a)\n(q   b)\n(r)\n", "", "(p)", "(p)\n\n\n(q)\n(r)\n", "(p a)\n"] {
            let edits = Analysis::new(text).layout().unwrap();
            let wanted = String::from_utf8(ggp_gdl::format(text.as_bytes()).unwrap()).unwrap();
            assert_eq!(after(text, &edits), wanted);
            assert_eq!(edits.is_empty(), text == wanted);
        }
        let edits = Analysis::new("(p a)\n(q   b)\n(r)\n").layout().unwrap();
        assert_eq!((edits[0].span, &*edits[0].text), (Span { start: 6, end: 13 }, "(q b)"));
        assert!(Analysis::new("(p").layout().is_err());
    }

    #[test]
    fn a_help_that_is_an_edit_is_a_fix() {
        let text = "(role white)\n(<= terminal (true (at 2))\n(<= (goal white 100) (true (at 2)))";
        let analysis = Analysis::new(text);
        let fixes = super::fixes(analysis.findings(), Span { start: 13, end: 13 });
        assert_eq!(fixes.len(), 1, "{:?}", analysis.findings());
        let mended = after(text, &fixes[0].edits);
        assert!(ggp_gdl::parse(mended.as_bytes()).is_ok(), "{mended}");
        assert!(
            super::fixes(analysis.findings(), Span { start: 0, end: 5 }).is_empty(),
            "nothing to mend there"
        );
    }
}
