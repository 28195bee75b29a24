//! Diagnostics: what is wrong with a text, where, and how to correct it.
//!
//! Invariant: every span of a diagnostic lies inside the text. [`crate::render()`] shows diagnostics.

use crate::ast::Span;
use std::fmt;

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The rulesheet can be loaded nevertheless.
    Warning,
    /// The rulesheet cannot be loaded.
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

/// A secondary place of a diagnostic, with a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text to show there.
    pub text: String,
}

/// A finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// A stable identifier of the kind of finding, such as `unsafe-variable`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The place to underline.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// The text to show at the underlined place; may be empty.
    pub label: String,
    /// Secondary places.
    pub labels: Vec<Label>,
    /// How to correct the mistake. `None` if that is not known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without labels and without help.
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

    /// A diagnostic of severity error.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A diagnostic of severity warning.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// Sets the text at the underlined place.
    #[must_use]
    pub fn labelled(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds a secondary place.
    #[must_use]
    pub fn and_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the text that says how to correct the mistake.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// The syntax errors of a text. The parser returns at least one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParseErrors {
    /// The errors in the order in which they were found, at most [`ParseErrors::LIMIT`].
    pub diagnostics: Vec<Diagnostic>,
    /// The number of errors beyond the limit.
    pub omitted: usize,
}

impl ParseErrors {
    /// The maximum number of errors that are kept.
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

    /// The errors in the order of the text. If some were omitted, one additional error gives their number.
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
