//! From the terms of `ggp-ide` to those of the protocol.

use crate::client::Client;
use gen_lsp_types as lsp;
use ggp_gdl::{Diagnostic, Severity, Span};
use ggp_ide::{
    Analysis, Completion, CompletionKind, FoldKind, Position, Symbol, SymbolKind, Token, TokenKind,
};

/// The name under which editors show findings.
const SOURCE: &str = "ggp";

/// A text with the units in which the client counts columns.
#[derive(Clone, Copy)]
pub(crate) struct Converter<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) client: &'a Client,
    pub(crate) uri: &'a lsp::Uri,
}

impl Converter<'_> {
    pub(crate) fn offset(&self, position: lsp::Position) -> usize {
        let position = Position { line: position.line, column: position.character };
        self.analysis.lines().offset(self.analysis.text(), position, self.client.encoding)
    }

    pub(crate) fn span(&self, range: lsp::Range) -> Span {
        let start = self.offset(range.start);
        Span { start, end: self.offset(range.end).max(start) }
    }

    pub(crate) fn position(&self, offset: usize) -> lsp::Position {
        let position = self.analysis.lines().position(self.analysis.text(), offset, self.client.encoding);
        lsp::Position { line: position.line, character: position.column }
    }

    pub(crate) fn range(&self, span: Span) -> lsp::Range {
        lsp::Range { start: self.position(span.start), end: self.position(span.end) }
    }

    pub(crate) fn location(&self, span: Span) -> lsp::Location {
        lsp::Location { uri: self.uri.clone(), range: self.range(span) }
    }

    pub(crate) fn edits(&self, edits: &[ggp_gdl::diagnostic::Edit]) -> Vec<lsp::TextEdit> {
        let edit = |edit: &ggp_gdl::diagnostic::Edit| lsp::TextEdit {
            range: self.range(edit.span),
            new_text: edit.text.clone(),
        };
        edits.iter().map(edit).collect()
    }

    pub(crate) fn workspace_edit(&self, edits: &[ggp_gdl::diagnostic::Edit]) -> lsp::WorkspaceEdit {
        let changes = [(self.uri.clone(), self.edits(edits))].into_iter().collect();
        lsp::WorkspaceEdit { changes: Some(changes), ..lsp::WorkspaceEdit::default() }
    }

    pub(crate) fn diagnostic(&self, finding: &Diagnostic) -> lsp::Diagnostic {
        let mut message = finding.message.clone();
        if !finding.label.is_empty() {
            message.push_str(&format!("\n{}", finding.label));
        }
        if let Some(help) = &finding.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        let related = finding.labels.iter().map(|label| lsp::DiagnosticRelatedInformation {
            location: self.location(label.span),
            message: label.text.clone(),
        });
        let related: Vec<_> = related.collect();
        let page = self.client.pages.as_ref().map(|pages| pages.of(finding.code));
        lsp::Diagnostic {
            range: self.range(finding.span),
            severity: Some(match finding.severity {
                Severity::Error => lsp::DiagnosticSeverity::Error,
                Severity::Warning => lsp::DiagnosticSeverity::Warning,
            }),
            code: Some(lsp::Code::String(finding.code.to_owned())),
            code_description: page.map(|page| lsp::CodeDescription { href: page.into() }),
            source: Some(SOURCE.to_owned()),
            message: lsp::Message::String(message),
            tags: None,
            related_information: (!related.is_empty()).then_some(related),
            data: None,
        }
    }

    pub(crate) fn completion(&self, span: Span, index: usize, item: &Completion) -> lsp::CompletionItem {
        let name = &item.label;
        let (text, is_snippet) = match &item.arguments {
            None => (name.clone(), false),
            Some(arguments) if self.client.has_snippets => {
                let stops = arguments.iter().enumerate();
                let stops: String =
                    stops.map(|(i, text)| format!(" ${{{}:{}}}", i + 1, in_snippet(text))).collect();
                (format!("({}{stops})", in_snippet(name)), true)
            }
            Some(arguments) => (format!("({name} {})", arguments.join(" ")), false),
        };
        let edit = lsp::TextEdit { range: self.range(span), new_text: text };
        lsp::CompletionItem {
            label: name.clone(),
            kind: Some(match item.kind {
                CompletionKind::Keyword => lsp::CompletionItemKind::Keyword,
                CompletionKind::Relation => lsp::CompletionItemKind::Function,
                CompletionKind::Fluent => lsp::CompletionItemKind::Property,
                CompletionKind::Move => lsp::CompletionItemKind::Event,
                CompletionKind::Function => lsp::CompletionItemKind::Method,
                CompletionKind::Constant => lsp::CompletionItemKind::EnumMember,
                CompletionKind::Variable => lsp::CompletionItemKind::Variable,
            }),
            detail: Some(item.detail.clone()),
            // Editors sort by this text, so the order of the list is kept.
            sort_text: Some(format!("{index:04}")),
            filter_text: Some(name.clone()),
            insert_text_format: is_snippet.then_some(lsp::InsertTextFormat::Snippet),
            text_edit: Some(edit.into()),
            ..lsp::CompletionItem::default()
        }
    }

    #[expect(deprecated, reason = "the protocol keeps a member that is no longer set")]
    pub(crate) fn symbol(&self, symbol: &Symbol) -> lsp::DocumentSymbol {
        let members: Vec<_> = symbol.members.iter().map(|member| self.symbol(member)).collect();
        lsp::DocumentSymbol {
            name: if symbol.name.is_empty() { "?".to_owned() } else { symbol.name.clone() },
            detail: (!symbol.detail.is_empty()).then(|| symbol.detail.clone()),
            kind: symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            range: self.range(symbol.span),
            selection_range: self.range(symbol.name_span),
            children: (!members.is_empty()).then_some(members),
        }
    }

    /// Coloured text in the encoding of the protocol: each token relative to the one before.
    pub(crate) fn tokens(&self, tokens: &[Token]) -> Vec<u32> {
        let mut data = Vec::with_capacity(tokens.len() * 5);
        let mut last = lsp::Position { line: 0, character: 0 };
        for token in tokens {
            let range = self.range(token.span);
            let start = range.start;
            let line = start.line - last.line;
            let character = if line == 0 { start.character - last.character } else { start.character };
            let length = range.end.character - start.character;
            let (kind, modifiers) = token_type(token);
            data.extend([line, character, length, kind, modifiers]);
            last = start;
        }
        data
    }
}

/// Text with the characters that have a meaning in snippets made plain.
fn in_snippet(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

pub(crate) fn symbol_kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Section => lsp::SymbolKind::Namespace,
        SymbolKind::Role => lsp::SymbolKind::Class,
        SymbolKind::Fluent => lsp::SymbolKind::Property,
        SymbolKind::Move => lsp::SymbolKind::Event,
        SymbolKind::Keyword => lsp::SymbolKind::Key,
        SymbolKind::Relation => lsp::SymbolKind::Function,
    }
}

pub(crate) fn fold_kind(kind: FoldKind) -> Option<lsp::FoldingRangeKind> {
    match kind {
        FoldKind::Section => Some(lsp::FoldingRangeKind::Region),
        FoldKind::Comment => Some(lsp::FoldingRangeKind::Comment),
        FoldKind::Form => None,
    }
}

/// The index of a token's type in [`crate::client::TOKEN_TYPES`], and its modifiers as bits.
fn token_type(token: &Token) -> (u32, u32) {
    let (kind, is_static) = match token.kind {
        TokenKind::Keyword => (0, false),
        TokenKind::Role => (1, false),
        TokenKind::Fluent => (2, false),
        TokenKind::Move => (3, false),
        TokenKind::Relation => (4, false),
        TokenKind::StaticRelation => (4, true),
        TokenKind::Function => (5, false),
        TokenKind::Variable => (6, false),
        TokenKind::Constant => (7, false),
        TokenKind::Number => (8, false),
        TokenKind::Comment => (9, false),
    };
    (kind, u32::from(token.defines) | u32::from(is_static) << 1)
}
