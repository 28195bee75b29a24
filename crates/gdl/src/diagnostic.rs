//! What is wrong with a text, where, and how to mend it.
//!
//! Invariant: every span of a diagnostic lies inside the text that it is about. How it is shown
//! is the matter of [`crate::render()`].

use crate::ast::Span;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; the rulesheet loads.
    Warning,
    /// The rulesheet does not load.
    Error,
}

impl Severity {
    /// `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A further place that matters to a diagnostic.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// A stable name for this kind of finding, such as `unsafe-variable`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The place to underline.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What to say at the underlined place; may be empty.
    pub label: String,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// How to mend it, if that can be said.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding of the given severity.
    pub fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            span,
            message: message.into(),
            label: String::new(),
            labels: Vec::new(),
            help: None,
        }
    }

    /// An error.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// Says `text` at the underlined place.
    #[must_use]
    pub fn labelled(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Points at a further place.
    #[must_use]
    pub fn and_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says how to mend it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// Why a text is not a rulesheet: at least one error, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParseErrors {
    /// The errors kept, at most [`ParseErrors::LIMIT`].
    pub diagnostics: Vec<Diagnostic>,
    /// How many more there were.
    pub omitted: usize,
}

impl ParseErrors {
    /// How many errors are kept.
    pub const LIMIT: usize = 100;

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < Self::LIMIT {
            self.diagnostics.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The errors in the order of the text, the last of them saying how many were left out.
    #[must_use]
    pub fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|d| d.span);
        if let (true, Some(last)) = (self.omitted > 0, self.diagnostics.last()) {
            let more = format!("and {} more errors, not shown", self.omitted);
            self.diagnostics.push(Diagnostic::error("too-many-errors", last.span, more));
        }
        self.diagnostics
    }
}

impl fmt::Display for ParseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.diagnostics.first() {
            None => write!(f, "no error"),
            Some(first) => {
                write!(f, "{} (at byte {})", first.message, first.span.start)?;
                match self.diagnostics.len() - 1 + self.omitted {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}

impl std::error::Error for ParseErrors {}
