//! Formatting and quick fixes, as edits.

use crate::analysis::Analysis;
use ggp_gdl::{Diagnostic, ParseErrors, Span};

/// A replacement of a piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The bytes to replace.
    pub span: Span,
    /// What replaces them.
    pub text: String,
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

/// The findings that touch a range.
pub(crate) fn touching(findings: &[Diagnostic], range: Span) -> impl Iterator<Item = &Diagnostic> {
    findings.iter().filter(move |finding| finding.span.start <= range.end && finding.span.end >= range.start)
}
