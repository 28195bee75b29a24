//! Output of diagnostics. People get underlined source in the style of rustc; tools get [`Finding`]s with
//! line and column numbers.
//!
//! Invariants: any bytes can be rendered, and no control character of the source or of a message reaches the
//! output. A long source line is cut to a part of bounded width around the underlined place.

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Edit, Label, Severity};
use crate::lines::Lines;
use crate::sexpr::is_invisible;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;
use std::ops::Range;

/// The maximum number of characters of a source line that are shown.
const WIDTH: usize = 120;
/// If a line is too long and is cut, the maximum number of bytes that are shown before the underlined part.
const LEAD: usize = 40;

/// A diagnostic with line and column numbers, for tools.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The name of the file, as given by the caller.
    pub file: String,
    /// The line where the finding begins, from 1.
    pub line: usize,
    /// The column of the first character of the finding, from 1.
    pub column: usize,
    /// The line where the finding ends, from 1.
    pub end_line: usize,
    /// The column after the last character of the finding, from 1.
    pub end_column: usize,
    /// The severity: `error` or `warning`.
    pub severity: &'static str,
    /// The stable identifier of the kind of finding, such as `unsafe-variable`.
    pub code: &'static str,
    /// A description of the mistake, in one line.
    pub message: String,
    /// Advice on how to correct the text; `None` if there is no advice.
    pub help: Option<String>,
    /// Further places in the source that explain the finding.
    pub labels: Vec<FindingLabel>,
    /// The edits that follow the help. Empty if the help leaves a choice to the author.
    pub edits: Vec<FindingEdit>,
}

/// A further place of a [`Finding`], with a text about it. Lines and columns count as in [`Finding`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingLabel {
    /// The line where the place begins.
    pub line: usize,
    /// The column where the place begins.
    pub column: usize,
    /// The line where the place ends.
    pub end_line: usize,
    /// The column after the last character of the place.
    pub end_column: usize,
    /// The text to show at the place.
    pub text: String,
}

/// An edit of a [`Finding`]: a text takes the place of a part of the source. Lines and columns count as in
/// [`Finding`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingEdit {
    /// The line where the replaced part begins.
    pub line: usize,
    /// The column where the replaced part begins.
    pub column: usize,
    /// The line where the replaced part ends.
    pub end_line: usize,
    /// The column after the last character of the replaced part.
    pub end_column: usize,
    /// The text that takes its place.
    pub text: String,
}

/// Converts `diagnostics` about `source` to findings, in the same order. The findings give `file` as the name
/// of the source.
pub fn locate(diagnostics: &[Diagnostic], file: &str, source: &[u8]) -> Vec<Finding> {
    let lines = Lines::new(source);
    let ends = |span: Span| (lines.position(span.start), lines.position(span.end));
    let label = |label: &Label| {
        let (start, end) = ends(label.span);
        FindingLabel {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: label.text.clone(),
        }
    };
    let edit = |edit: &Edit| {
        let (start, end) = ends(edit.span);
        FindingEdit {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: edit.text.clone(),
        }
    };
    let find = |diagnostic: &Diagnostic| {
        let (start, end) = ends(diagnostic.span);
        Finding {
            file: file.to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            severity: diagnostic.severity.name(),
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            labels: diagnostic.labels.iter().map(label).collect(),
            edits: diagnostic.edits.iter().map(edit).collect(),
        }
    };
    diagnostics.iter().map(find).collect()
}

/// Renders `diagnostics` about `source` in order, each followed by an empty line. `file` is the name to show
/// for the source. `color` adds terminal colours.
///
/// # Examples
/// ```
/// use ggp_gdl::{Strictness, diagnose, render};
/// let text = b"(role white) (<= (p ?x) (not (q ?x))) (q a)";
/// let shown = render(&diagnose(text, Strictness::Default), "mine.kif", text, false);
/// assert!(shown.contains("mine.kif:1"));
/// ```
pub fn render(diagnostics: &[Diagnostic], file: &str, source: &[u8], color: bool) -> String {
    let lines = Lines::new(source);
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH + 60);
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&render_one(diagnostic, file, source, &lines, &renderer));
        out.push_str("\n\n");
    }
    out
}

fn render_one(
    diagnostic: &Diagnostic,
    file: &str,
    source: &[u8],
    lines: &Lines<'_>,
    renderer: &Renderer,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(printable(&diagnostic.message)).id(diagnostic.code);
    let mut group = Group::with_title(title);
    // The renderer computes columns from the excerpt it gets. For a cut line, patch the column in the header.
    let mut headers: Vec<(String, String)> = Vec::new();
    // A diagnostic about the whole text has an empty span and nothing to underline.
    if diagnostic.span.start < diagnostic.span.end {
        let mut marks = vec![(AnnotationKind::Primary, diagnostic.span, diagnostic.label.as_str())];
        marks.extend(diagnostic.labels.iter().map(|l| (AnnotationKind::Context, l.span, l.text.as_str())));
        let mut shown: Vec<Excerpt> = Vec::new();
        let mut annotations: Vec<Vec<_>> = Vec::new();
        for (kind, span, label) in marks {
            let at = shown.iter().position(|e| e.covers(span, lines)).unwrap_or_else(|| {
                shown.push(Excerpt::around(span, source, lines));
                annotations.push(Vec::new());
                shown.len() - 1
            });
            let label = (!label.is_empty()).then(|| printable(label));
            annotations[at].push(kind.span(shown[at].locate(span)).label(label));
        }
        for (excerpt, annotations) in shown.into_iter().zip(annotations) {
            let place = lines.position(excerpt.start);
            let counted = excerpt.text
                [..excerpt.locate(Span { start: excerpt.start, end: excerpt.start }).start]
                .chars()
                .count()
                + 1;
            if counted != place.column {
                let header = |column| format!("{file}:{}:{column}", place.line);
                headers.push((header(counted), header(place.column)));
            }
            let snippet =
                Snippet::source(excerpt.text).path(file).line_start(place.line).annotations(annotations);
            group = group.element(snippet);
        }
    } else {
        group = group.element(Origin::path(file).line(1).char_column(1));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let text = renderer.render(&[group]);
    headers.iter().fold(text, |text, (counted, true_place)| text.replacen(counted, true_place, 1))
}

/// Replaces each invisible character by the replacement character U+FFFD, so that the text cannot control the
/// terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if is_invisible(c) { '\u{fffd}' } else { c }).collect()
}

/// The part of a source line that is shown.
struct Excerpt {
    /// The index of the line in the source, from 0.
    line: usize,
    /// The start of the span for which the excerpt was made, as an offset in the source.
    start: usize,
    /// The range of the source bytes that are shown.
    bytes: Range<usize>,
    /// The text that is shown for `bytes`, with `...` where the line is cut.
    text: String,
    /// For each character that is shown: the offset of its first byte in the source, and the offset of its
    /// first byte in `text`. The last entry holds the two end offsets.
    places: Vec<(usize, usize)>,
}

impl Excerpt {
    fn around(span: Span, source: &[u8], lines: &Lines<'_>) -> Excerpt {
        let line = lines.line_of(span.start.min(source.len()));
        let whole = lines.range(line);
        let mut bytes = whole.clone();
        // A character has at least one byte, so a line of at most `WIDTH` bytes needs no cut.
        if whole.len() > WIDTH {
            let start = span.start.clamp(whole.start, whole.end).saturating_sub(LEAD).max(whole.start);
            let start = boundary(source, start, whole.end);
            let end = (start + WIDTH).min(whole.end);
            bytes = start..boundary(source, end, whole.end);
        }
        let mut text = String::new();
        let mut places = Vec::new();
        if bytes.start > whole.start {
            text.push_str("...");
        }
        let mut at = bytes.start;
        for chunk in source[bytes.clone()].utf8_chunks() {
            for character in chunk.valid().chars() {
                places.push((at, text.len()));
                text.push(if character == '\t' {
                    ' '
                } else if is_invisible(character) {
                    '\u{fffd}'
                } else {
                    character
                });
                at += character.len_utf8();
            }
            if !chunk.invalid().is_empty() {
                places.push((at, text.len()));
                text.push('\u{fffd}');
                at += chunk.invalid().len();
            }
        }
        places.push((bytes.end, text.len()));
        if bytes.end < whole.end {
            text.push_str("...");
        }
        Excerpt { line, start: span.start, bytes, text, places }
    }

    /// Whether `span` begins inside the excerpt.
    fn covers(&self, span: Span, lines: &Lines<'_>) -> bool {
        self.bytes.start <= span.start
            && span.start <= self.bytes.end
            && lines.line_of(span.start) == self.line
    }

    /// The range of the bytes of `text` that show `span`, clipped to the excerpt.
    fn locate(&self, span: Span) -> Range<usize> {
        let last = self.places.len() - 1;
        let find = |byte| self.places[self.places.partition_point(|&(at, _)| at < byte).min(last)].1;
        let (start, end) = (find(span.start), find(span.end));
        start..end.max(start)
    }
}

/// The offset of the first byte at or after `at` that is not a UTF-8 continuation byte, so that a cut there
/// splits no character. `end` if there is no such byte before `end`.
fn boundary(source: &[u8], at: usize, end: usize) -> usize {
    (at..end).find(|&i| source[i] & 0xc0 != 0x80).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(kif: &[u8]) -> String {
        let errors = crate::parse(kif).unwrap_err().into_diagnostics();
        render(&errors, "game.kif", kif, false)
    }

    #[test]
    fn a_place_is_underlined() {
        let text = show(b"(role x)\r(<= p (q ?x)\r    (not a b))\r");
        assert_eq!(
            text,
            "error[connective-arity]: `not` takes exactly one condition, not 2
 --> game.kif:3:5
  |
3 |     (not a b))
  |     ^^^^^^^^^
  |
  = help: `not` is written `(not CONDITION)`

"
        );
    }

    #[test]
    fn long_lines_are_cut_and_odd_bytes_replaced() {
        let mut kif = b"(p a) ".repeat(10_000);
        kif.extend(b"(p \xff\x1b[31m) ");
        kif.extend(b"(p b) ".repeat(10_000));
        let text = show(&kif);
        assert!(text.contains(" --> game.kif:1:60004\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 180), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(text.contains("1 | ... (p a) (p a)"), "{text}");
    }

    #[test]
    fn tools_get_places_and_edits() {
        let kif = b"(role white)\n(<= (legal white (go ?step)) (true (at ?stpe)))";
        let findings = locate(&crate::diagnose(kif, crate::Strictness::Default), "game.kif", kif);
        let finding = findings.iter().find(|f| f.code == "unsafe-variable").expect("a finding");
        let edit = FindingEdit { line: 2, column: 22, end_line: 2, end_column: 27, text: "?stpe".to_owned() };
        assert_eq!(finding.edits, [edit]);
    }

    #[test]
    fn other_places_are_shown_too() {
        let text = show(b"(<= p\n  (q ?x)\n\n\n(<= r (s ?y))");
        assert!(text.contains("1 | (<= p\n"), "{text}");
        assert!(text.contains("5 | (<= r (s ?y))\n"), "{text}");
    }
}
