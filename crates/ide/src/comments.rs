//! Comments as documentation: the comment above a definition, and the titles of sections.

use crate::lines::LineIndex;
use crate::tree::Tree;
use ggp_gdl::Span;

/// The number of equal characters that make a ruling, such as `----` or `;;;;`.
const RULING: usize = 4;

/// The maximum length in bytes of a comment that is shown.
const LONGEST: usize = 2_000;

/// A part of a text under a title.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Section {
    pub(crate) title: String,
    /// The title, with its rulings.
    pub(crate) heading: Span,
    /// From the title to the next one, or to the end of the text.
    pub(crate) span: Span,
}

/// Comments on consecutive lines that hold nothing else.
#[derive(Clone, Debug)]
struct Block {
    comments: Vec<Span>,
}

impl Block {
    fn span(&self) -> Span {
        let last = self.comments.len() - 1;
        Span { start: self.comments[0].start, end: self.comments[last].end }
    }
}

fn blocks(text: &str, tree: &Tree, lines: &LineIndex) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut last_line = None;
    for &comment in &tree.comments {
        let line = lines.line_of(comment.start);
        let is_alone = text[lines.start_of(line)..comment.start].trim().is_empty();
        if !is_alone {
            last_line = None;
            continue;
        }
        match blocks.last_mut() {
            Some(block) if last_line.is_some_and(|last| last + 1 == line) => block.comments.push(comment),
            _ => blocks.push(Block { comments: vec![comment] }),
        }
        last_line = Some(line);
    }
    blocks
}

/// The places of comment blocks of two or more lines.
pub(crate) fn long_blocks(text: &str, tree: &Tree, lines: &LineIndex) -> Vec<Span> {
    let blocks = blocks(text, tree, lines).into_iter();
    blocks.filter(|block| block.comments.len() > 1).map(|block| block.span()).collect()
}

/// The text of a comment without its semicolons, rulings and frames. Empty if it is a ruling.
fn words(comment: &str) -> &str {
    let is_frame = |c: char| matches!(c, ';' | '*' | '-' | '=' | '#' | '~' | '_' | '+') || c.is_whitespace();
    let start = comment.trim_start_matches(';');
    // A dash or a star that begins a line of prose is kept.
    if has_ruling(comment) || start.starts_with('*') { comment.trim_matches(is_frame) } else { start.trim() }
}

/// Whether a comment has a ruling: a run of equal characters that separates.
fn has_ruling(comment: &str) -> bool {
    let bytes = comment.as_bytes();
    bytes.windows(RULING).any(|run| {
        matches!(run[0], b';' | b'*' | b'-' | b'=' | b'#' | b'~' | b'_')
            && run.iter().all(|byte| *byte == run[0])
    })
}

/// The sections of a text. A block of comments begins a section if it has a ruling and words, or if it is one line that
/// begins with three semicolons and stands between blank lines.
pub(crate) fn sections(text: &str, tree: &Tree, lines: &LineIndex) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for block in blocks(text, tree, lines) {
        let comment = |span: &Span| &text[span.range()];
        let Some(title) =
            block.comments.iter().map(|span| words(comment(span))).find(|words| !words.is_empty())
        else {
            continue;
        };
        let span = block.span();
        let is_ruled = block.comments.iter().any(|span| has_ruling(comment(span)));
        let is_lone = block.comments.len() == 1
            && comment(&span).starts_with(";;;")
            && is_blank(text, lines, lines.line_of(span.start).checked_sub(1))
            && is_blank(text, lines, Some(lines.line_of(span.start) + 1));
        if is_ruled || is_lone {
            if let Some(last) = sections.last_mut() {
                last.span.end = span.start;
            }
            let title = brief(title, 80).to_owned();
            sections.push(Section {
                title,
                heading: span,
                span: Span { start: span.start, end: text.len() },
            });
        }
    }
    sections
}

fn is_blank(text: &str, lines: &LineIndex, line: Option<usize>) -> bool {
    line.is_none_or(|line| text[lines.range_of(text, line)].trim().is_empty())
}

/// The comment in the lines directly above the byte at `offset`, without its semicolons. `None` if there is none, or if
/// it is the title of a section.
pub(crate) fn above(text: &str, tree: &Tree, lines: &LineIndex, offset: usize) -> Option<String> {
    let mut wanted = lines.line_of(offset);
    if !text[lines.start_of(wanted)..offset].trim().is_empty() {
        return None;
    }
    let mut next = tree.comments.partition_point(|comment| comment.start < offset);
    let mut found = Vec::new();
    while let (Some(comment), Some(line)) = (next.checked_sub(1), wanted.checked_sub(1)) {
        let span = tree.comments[comment];
        let is_above =
            lines.line_of(span.start) == line && text[lines.start_of(line)..span.start].trim().is_empty();
        if !is_above || has_ruling(&text[span.range()]) {
            break;
        }
        found.push(words(&text[span.range()]));
        (next, wanted) = (comment, line);
    }
    found.reverse();
    let comment = found.join("\n");
    let comment = comment.trim();
    (!comment.is_empty()).then(|| brief(comment, LONGEST).to_owned())
}

/// At most the first `longest` bytes of a text.
fn brief(text: &str, longest: usize) -> &str {
    let end = (0..=longest.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<String> {
        let (tree, lines) = (Tree::read(text), LineIndex::new(text));
        sections(text, &tree, &lines).into_iter().map(|section| section.title).collect()
    }

    #[test]
    fn rulings_and_lone_lines_begin_sections() {
        assert_eq!(
            titles(
                ";;; My game\n;;; about it\n\n;;; ---- The state ----\n(p)\n\n;;; Moves\n\n(q)\n; not one\n(r)
;*******\n;* The end *\n;*******\n;;;;;;;;\n"
            ),
            ["The state", "Moves", "The end"]
        );
    }

    #[test]
    fn the_comment_above_documents() {
        let text = "; far\n\n; one\n;; two - three\n(p a)\n(q) ; beside\n(r)\n;;; ---- title ----\n(s)";
        let (tree, lines) = (Tree::read(text), LineIndex::new(text));
        let at = |form: &str| above(text, &tree, &lines, text.find(form).unwrap());
        assert_eq!(at("(p a)").as_deref(), Some("one\ntwo - three"));
        assert_eq!(at("(q)"), None);
        assert_eq!(at("(r)"), None, "the comment beside another form");
        assert_eq!(at("(s)"), None, "the title of a section");
    }
}
