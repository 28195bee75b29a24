//! The answers of `ggp_ide` as JSON. Offsets are converted between bytes and UTF-16 code units.

use ggp_gdl::{Diagnostic, Edit, Span, codes};
use ggp_ide::{Analysis, Completion, CompletionKind, LensAction, Opening, Symbol, SymbolKind, TokenKind};
use serde_json::{Value, json};

/// The maximum number of findings that are shown.
const MAX_FINDINGS: usize = 200;

/// The maximum number of words that are coloured. The largest published rulesheets have 12,000.
const MAX_TOKENS: usize = 20_000;

/// The maximum number of parts that can be folded. The largest published rulesheets have 800 forms.
const MAX_FOLDS: usize = 5_000;

/// The maximum number of uses of a word that are listed.
const MAX_USES: usize = 500;

/// A text with its analysis, whose offsets are those of a page.
struct Page {
    analysis: Analysis,
}

impl Page {
    fn new(text: String) -> Page {
        Page { analysis: Analysis::new(text) }
    }

    /// The byte at an offset of the page.
    fn byte(&self, unit: usize) -> usize {
        self.analysis.lines().from_utf16(self.analysis.text(), unit)
    }

    /// The offset of the page at a byte.
    fn unit(&self, byte: usize) -> usize {
        self.analysis.lines().to_utf16(self.analysis.text(), byte)
    }

    fn span(&self, span: Span) -> Value {
        json!({ "from": self.unit(span.start), "to": self.unit(span.end) })
    }

    fn edits(&self, edits: &[Edit]) -> Vec<Value> {
        let edit = |edit: &Edit| json!({ "from": self.unit(edit.span.start), "to": self.unit(edit.span.end), "insert": edit.text });
        edits.iter().map(edit).collect()
    }

    fn finding(&self, finding: &Diagnostic) -> Value {
        let mut shown = self.span(finding.span);
        shown["line"] = json!(self.analysis.lines().line_of(finding.span.start) + 1);
        shown["severity"] = json!(finding.severity.name());
        shown["code"] = json!(finding.code);
        shown["message"] = json!(finding.message);
        shown["label"] = json!(finding.label);
        shown["help"] = json!(finding.help);
        shown["about"] = about(finding.code);
        shown["edits"] = json!(self.edits(&finding.edits));
        shown
    }
}

/// What the page about a code says: what a finding means, and how to mend it.
pub(super) fn about(code: &str) -> Value {
    codes::page(code).map_or(Value::Null, |page| json!([page.meaning, page.mend]))
}

/// The findings, the colours and the parts that can be folded of a text.
pub(super) fn findings(text: String) -> Value {
    let page = Page::new(text);
    let findings = page.analysis.findings();
    let shown: Vec<Value> = findings.iter().take(MAX_FINDINGS).map(|one| page.finding(one)).collect();
    let whole = Span { start: 0, end: page.analysis.text().len() };
    let tokens = page.analysis.tokens(whole);
    let mut colours = Vec::with_capacity(3 * tokens.len().min(MAX_TOKENS));
    for token in tokens.iter().take(MAX_TOKENS) {
        let (from, to) = (page.unit(token.span.start), page.unit(token.span.end));
        colours.extend([json!(from), json!(to), json!(colour(token.kind))]);
    }
    let folds = page.analysis.folds();
    let mut folded = Vec::with_capacity(2 * folds.len().min(MAX_FOLDS));
    for fold in folds.iter().take(MAX_FOLDS) {
        folded.extend([json!(page.unit(fold.span.start)), json!(page.unit(fold.span.end))]);
    }
    json!({
        "findings": shown,
        "omitted": findings.len().saturating_sub(MAX_FINDINGS),
        "tokens": colours,
        "folds": folded,
    })
}

/// The class of a token in the style sheet.
fn colour(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Keyword => "keyword",
        TokenKind::Role => "role",
        TokenKind::Fluent => "fluent",
        TokenKind::Move => "move",
        TokenKind::Relation => "relation",
        TokenKind::StaticRelation => "static",
        TokenKind::Function => "function",
        TokenKind::Variable => "variable",
        TokenKind::Number => "digits",
        TokenKind::Comment => "comment",
        TokenKind::Constant => "constant",
    }
}

/// What there is to say about the word at an offset. Null if there is no word.
pub(super) fn hover(text: String, at: usize) -> Value {
    let page = Page::new(text);
    let Some(hover) = page.analysis.hover(page.byte(at)) else { return Value::Null };
    let mut shown = page.span(hover.span);
    shown["markdown"] = json!(hover.markdown);
    shown
}

/// The place where the word at an offset is first defined. Null if it is nowhere.
pub(super) fn define(text: String, at: usize) -> Value {
    let page = Page::new(text);
    let spans = page.analysis.definitions(page.byte(at));
    spans.first().map_or(Value::Null, |&span| page.span(span))
}

/// All places of the word at an offset, each with its line: the word itself, where it is defined, and where it is used.
/// Null if there is no word.
pub(super) fn references(text: String, at: usize) -> Value {
    let page = Page::new(text);
    let at = page.byte(at);
    let spans = page.analysis.references(at, true);
    let Some(first) = spans.first() else { return Value::Null };
    let name = &page.analysis.text()[first.range()];
    let definitions = page.analysis.definitions(at);
    let place = |span: &Span| {
        let line = page.analysis.lines().line_of(span.start);
        let mut shown = page.span(*span);
        shown["line"] = json!(line + 1);
        shown["text"] =
            json!(page.analysis.text()[page.analysis.lines().range_of(page.analysis.text(), line)].trim());
        shown["defines"] = json!(definitions.contains(span));
        shown
    };
    let places: Vec<Value> = spans.iter().take(MAX_USES).map(place).collect();
    json!({ "name": name, "places": places, "omitted": spans.len().saturating_sub(MAX_USES) })
}

/// The lines above the text that offer to do something. `opening` is what is known of the initial state.
pub(super) fn lenses(text: String, opening: Option<&Opening>) -> Value {
    let page = Page::new(text);
    let lens = |lens: &ggp_ide::Lens| {
        let (action, atom) = match &lens.action {
            LensAction::Play => ("play", None),
            LensAction::Simulate => ("simulate", None),
            LensAction::Moves => ("moves", None),
            LensAction::Explain(atom) => ("explain", Some(atom)),
        };
        json!({ "at": page.unit(lens.span.start), "title": lens.title, "action": action, "atom": atom })
    };
    page.analysis.lenses(opening).iter().map(lens).collect()
}

/// What can be written at an offset.
pub(super) fn complete(text: String, at: usize) -> Value {
    let page = Page::new(text);
    let completions = page.analysis.completions(page.byte(at));
    let mut shown = page.span(completions.span);
    shown["items"] = completions.items.iter().map(item).collect();
    shown["incomplete"] = json!(completions.is_incomplete);
    shown
}

fn item(item: &Completion) -> Value {
    let apply = match &item.arguments {
        Some(arguments) => format!("({} {})", item.label, arguments.join(" ")),
        None => item.label.clone(),
    };
    let kind = match item.kind {
        CompletionKind::Keyword => "keyword",
        CompletionKind::Relation => "interface",
        CompletionKind::Fluent => "property",
        CompletionKind::Move => "method",
        CompletionKind::Function => "function",
        CompletionKind::Constant => "constant",
        CompletionKind::Variable => "variable",
    };
    json!({ "label": item.label, "kind": kind, "detail": item.detail, "apply": apply })
}

/// The outline of a text.
pub(super) fn symbols(text: String) -> Value {
    let page = Page::new(text);
    let mut shown = Vec::new();
    for symbol in page.analysis.symbols() {
        shown.push(entry(&page, &symbol, 0));
        shown.extend(symbol.members.iter().map(|member| entry(&page, member, 1)));
    }
    json!(shown)
}

fn entry(page: &Page, symbol: &Symbol, level: usize) -> Value {
    let mut shown = page.span(symbol.name_span);
    shown["name"] = json!(symbol.name);
    shown["detail"] = json!(symbol.detail);
    shown["section"] = json!(symbol.kind == SymbolKind::Section);
    shown["level"] = json!(level);
    shown
}

/// The edits that give a text its canonical layout.
///
/// # Errors
/// When the text cannot be read.
pub(super) fn format(text: String) -> Result<Value, String> {
    let page = Page::new(text);
    let edits = page.analysis.layout().map_err(|errors| {
        let first = errors.into_diagnostics().into_iter().next();
        first.map_or_else(|| "the text cannot be read".to_owned(), |first| first.message)
    })?;
    Ok(json!({ "edits": page.edits(&edits) }))
}

/// The edits that rename what stands at an offset; without `new`, the place and the present name of it.
///
/// # Errors
/// When it cannot be renamed.
pub(super) fn rename(text: String, at: usize, new: Option<&str>) -> Result<Value, String> {
    let page = Page::new(text);
    let at = page.byte(at);
    let renamed = match new {
        Some(new) => page.analysis.rename(at, new).map(|edits| json!({ "edits": page.edits(&edits) })),
        None => page.analysis.renamable(at).map(|span| {
            let mut shown = page.span(span);
            shown["name"] = json!(&page.analysis.text()[span.start..span.end]);
            shown
        }),
    };
    renamed.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_utf_16_units() {
        // The clef takes four bytes and two units.
        let text = "; \u{1d11e}\n(role white) (init (at 1)) (<= terminal (true (at ?x";
        let hover = hover(text.to_owned(), 7);
        assert_eq!((&hover["from"], &hover["to"]), (&json!(6), &json!(10)), "{hover}");
        let found = findings(text.to_owned());
        let units = text.encode_utf16().count() as u64;
        let findings = found["findings"].as_array().unwrap();
        assert!(!findings.is_empty());
        for finding in findings {
            assert!(
                finding["from"].as_u64() <= finding["to"].as_u64() && finding["to"].as_u64() <= Some(units)
            );
        }
        let renamed = rename(text.to_owned(), 25, Some("place")).unwrap();
        assert_eq!(renamed["edits"].as_array().unwrap().len(), 2, "{renamed}");
        assert!(rename(text.to_owned(), 7, Some("next")).is_err());
    }

    #[test]
    fn every_offset_has_an_answer() {
        let text = "(role \u{e9}\u{1f600}) (<= (legal ?r (";
        for at in 0..60 {
            hover(text.to_owned(), at);
            complete(text.to_owned(), at);
            define(text.to_owned(), at);
            references(text.to_owned(), at);
            let _ = rename(text.to_owned(), at, None);
        }
    }
}
