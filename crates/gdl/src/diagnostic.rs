//! Diagnostics. Each one describes a mistake in a text, its place and the way to correct it.
//!
//! Invariant: every span of a diagnostic lies inside the text. [`crate::render()`] shows diagnostics.

use crate::ast::Span;
use crate::keyword::Keyword;
use std::fmt;

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The game can be played in spite of the finding.
    Warning,
    /// The game cannot be played.
    Error,
}

impl Severity {
    /// The severity as a word: `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// An additional place in the source that a diagnostic marks, with a text to show there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The bytes of the source to mark.
    pub span: Span,
    /// The text to show at the marked bytes.
    pub text: String,
}

/// A replacement of bytes of the source. The edits of one diagnostic together do what its help says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edit {
    /// The bytes of the source to replace. If the span is empty, the text is inserted there.
    pub span: Span,
    /// The text that takes their place. If the text is empty, the bytes are removed.
    pub text: String,
}

/// A finding about a source text: a description of the mistake, its place and the way to correct it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// A stable identifier of the kind of finding, such as `unsafe-variable`.
    pub code: &'static str,
    /// Whether the finding is an error or a warning.
    pub severity: Severity,
    /// The bytes of the source to underline.
    pub span: Span,
    /// A description of the mistake, in one line.
    pub message: String,
    /// The text to show at the underlined place; may be empty.
    pub label: String,
    /// Further places in the source that explain the finding.
    pub labels: Vec<Label>,
    /// Advice on how to correct the text; `None` if there is no advice.
    pub help: Option<String>,
    /// The edits that follow the help, in the order of the text and without overlaps. Empty if there is no
    /// help, or if the help leaves a choice to the author.
    pub edits: Vec<Edit>,
    /// The keyword for which the text lacks rules, at all or for one role. `None` if the finding is about something else.
    pub lacks: Option<Keyword>,
    /// Names that may be meant in place of `span`, if the help leaves a choice between them. The consequences of
    /// the mistake are those that vanish with one of them.
    pub(crate) instead: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic without label texts, further places, help and edits.
    pub fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            span,
            message: message.into(),
            label: String::new(),
            labels: Vec::new(),
            help: None,
            edits: Vec::new(),
            lacks: None,
            instead: Vec::new(),
        }
    }

    /// An error without label texts, further places and help.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A warning without label texts, further places and help.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// Sets the text at the underlined place.
    #[must_use]
    pub fn labelled(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds a further place `span` in the source, with `text` to show there.
    #[must_use]
    pub fn and_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the advice on how to correct the text.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds an edit: `text` takes the place of the bytes `span`. Edits are added in the order of the text.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }

    /// Sets the keyword for which the text lacks rules.
    #[must_use]
    pub(crate) fn lacks(mut self, keyword: Keyword) -> Self {
        self.lacks = Some(keyword);
        self
    }

    /// Sets the help that lists `names`, which may be meant in place of `span`.
    #[must_use]
    pub(crate) fn one_of(mut self, help: impl Into<String>, names: &[&str]) -> Self {
        const MOST: usize = 4;
        self.help = Some(help.into());
        self.instead = names.iter().take(MOST).map(|&name| name.to_owned()).collect();
        self
    }

    /// Sets the help `did you mean ...?` with the edit that writes the name `similar` at `span`.
    #[must_use]
    pub(crate) fn did_you_mean(self, span: Span, similar: &str) -> Self {
        self.help(format!("did you mean `{similar}`?")).edit(span, similar)
    }
}

/// The text that results from `edits` of `source`. Edits that overlap an earlier one or leave the text are
/// left out.
#[must_use]
pub fn apply(edits: &[Edit], source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut at = 0;
    for edit in edits {
        if at <= edit.span.start && edit.span.start <= edit.span.end && edit.span.end <= source.len() {
            out.extend_from_slice(&source[at..edit.span.start]);
            out.extend_from_slice(edit.text.as_bytes());
            at = edit.span.end;
        }
    }
    out.extend_from_slice(&source[at..]);
    out
}

/// The number with its noun in the singular or plural: `1 error`, `2 errors`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The syntax errors of a text. A parser that fails returns at least one error.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParseErrors {
    /// The errors in the order in which they were found, at most [`ParseErrors::LIMIT`].
    pub diagnostics: Vec<Diagnostic>,
    /// The number of errors that were dropped because there are more than [`ParseErrors::LIMIT`].
    pub omitted: usize,
    /// The parts of the text that are not read because of the errors, in the order in which they were found.
    pub(crate) broken: Vec<Span>,
}

/// A number of errors, to come back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    kept: usize,
    omitted: usize,
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

    /// Notes that the bytes `span` are not read.
    pub(crate) fn breaks(&mut self, span: Span) {
        match self.broken.last_mut() {
            Some(last) if span.start <= last.end && last.start <= span.end => {
                last.start = last.start.min(span.start);
                last.end = last.end.max(span.end);
            }
            _ => self.broken.push(span),
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { kept: self.diagnostics.len(), omitted: self.omitted }
    }

    /// Forgets the errors since `mark`.
    pub(crate) fn forget(&mut self, mark: Mark) {
        self.diagnostics.truncate(mark.kept);
        self.omitted = mark.omitted;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The errors in the order of the text. If some errors were omitted, one more error at the end gives the
    /// number of omitted errors.
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
