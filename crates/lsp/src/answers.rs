//! Answers to requests about one document, from a snapshot of it.

use crate::client::Client;
use crate::commands;
use crate::conversion::{Converter, fold_kind, symbol_kind};
use crate::documents::Snapshot;
use gen_lsp_types as lsp;
use ggp_gdl::Span;
use lsp_server::{ErrorCode, ResponseError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The answer to a request, as JSON.
pub(crate) type Answer = Result<Value, ResponseError>;

/// An error with one of the codes of the protocol.
pub(crate) fn error(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}

/// Whether [`answer`] knows the method.
pub(crate) fn is_known(method: &str) -> bool {
    METHODS.iter().any(|(name, _)| *name == method)
}

type Method = fn(&Converter<'_>, &Snapshot, &Value) -> Answer;

const METHODS: [(&str, Method); 14] = [
    ("textDocument/hover", hover),
    ("textDocument/definition", definition),
    ("textDocument/references", references),
    ("textDocument/completion", completion),
    ("textDocument/prepareRename", prepare_rename),
    ("textDocument/rename", rename),
    ("textDocument/documentSymbol", document_symbols),
    ("textDocument/foldingRange", folding_ranges),
    ("textDocument/formatting", formatting),
    ("textDocument/codeAction", code_actions),
    ("textDocument/codeLens", code_lenses),
    ("textDocument/inlayHint", inlay_hints),
    ("textDocument/semanticTokens/full", semantic_tokens),
    ("textDocument/semanticTokens/range", semantic_tokens),
];

/// Answers the request `method` about a snapshot.
pub(crate) fn answer(method: &str, params: &Value, snapshot: &Snapshot, client: &Client) -> Answer {
    let unknown = || error(ErrorCode::MethodNotFound, format!("there is no method `{method}`"));
    let (_, function) = METHODS.iter().find(|(name, _)| *name == method).ok_or_else(unknown)?;
    let converter = Converter { analysis: &snapshot.analysis, client, uri: &snapshot.uri };
    function(&converter, snapshot, params)
}

/// The parameters of a request.
pub(crate) fn read<T: DeserializeOwned>(params: Value) -> Result<T, ResponseError> {
    serde_json::from_value(params).map_err(|why| error(ErrorCode::InvalidParams, why.to_string()))
}

/// A member of the parameters.
fn part<T: DeserializeOwned>(params: &Value, name: &str) -> Result<T, ResponseError> {
    read(params.get(name).cloned().unwrap_or_default())
}

fn write(value: impl Serialize) -> Answer {
    serde_json::to_value(value).map_err(|why| error(ErrorCode::InternalError, why.to_string()))
}

fn offset(converter: &Converter<'_>, params: &Value) -> Result<usize, ResponseError> {
    Ok(converter.offset(part(params, "position")?))
}

/// The part of the text that a request is about: its `range`, or all of the text if it has none.
fn span(converter: &Converter<'_>, params: &Value) -> Result<Span, ResponseError> {
    match params.get("range") {
        Some(_) => Ok(converter.span(part(params, "range")?)),
        None => Ok(Span { start: 0, end: converter.analysis.text().len() }),
    }
}

fn hover(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let Some(hover) = converter.analysis.hover(offset(converter, params)?) else { return Ok(Value::Null) };
    let kind =
        if converter.client.has_markdown { lsp::MarkupKind::Markdown } else { lsp::MarkupKind::PlainText };
    let contents = lsp::Contents::MarkupContent(lsp::MarkupContent { kind, value: hover.markdown });
    write(lsp::Hover { contents, range: Some(converter.range(hover.span)) })
}

fn definition(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let places = converter.analysis.definitions(offset(converter, params)?);
    write(places.into_iter().map(|span| converter.location(span)).collect::<Vec<_>>())
}

fn references(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let all = params.pointer("/context/includeDeclaration").and_then(Value::as_bool).unwrap_or(true);
    let places = converter.analysis.references(offset(converter, params)?, all);
    write(places.into_iter().map(|span| converter.location(span)).collect::<Vec<_>>())
}

fn completion(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let found = converter.analysis.completions(offset(converter, params)?);
    let items = found.items.iter().enumerate();
    let items = items.map(|(index, item)| converter.completion(found.span, index, item)).collect();
    write(lsp::CompletionList { is_incomplete: found.is_incomplete, items, ..lsp::CompletionList::default() })
}

fn prepare_rename(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let offset = offset(converter, params)?;
    match converter.analysis.renamable(offset) {
        Ok(span) => write(lsp::PrepareRenamePlaceholder {
            range: converter.range(span),
            placeholder: converter.analysis.text()[span.range()].to_owned(),
        }),
        Err(ggp_ide::RenameError::NoName) => Ok(Value::Null),
        Err(why) => Err(error(ErrorCode::RequestFailed, why.to_string())),
    }
}

fn rename(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let new: String = part(params, "newName")?;
    match converter.analysis.rename(offset(converter, params)?, &new) {
        Ok(edits) => write(converter.workspace_edit(&edits)),
        Err(why) => Err(error(ErrorCode::RequestFailed, why.to_string())),
    }
}

fn document_symbols(converter: &Converter<'_>, _: &Snapshot, _: &Value) -> Answer {
    let symbols = converter.analysis.symbols();
    if converter.client.has_nested_symbols {
        return write(symbols.iter().map(|symbol| converter.symbol(symbol)).collect::<Vec<_>>());
    }
    let flat = symbols.iter().flat_map(|symbol| std::iter::once(symbol).chain(&symbol.members));
    let flat = flat.map(|symbol| {
        json!({
            "name": symbol.name,
            "kind": symbol_kind(symbol.kind),
            "location": converter.location(symbol.span),
        })
    });
    Ok(flat.collect())
}

fn folding_ranges(converter: &Converter<'_>, _: &Snapshot, _: &Value) -> Answer {
    let folds = converter.analysis.folds().into_iter().map(|fold| {
        let range = converter.range(fold.span);
        lsp::FoldingRange {
            start_line: range.start.line,
            end_line: range.end.line,
            kind: fold_kind(fold.kind),
            ..lsp::FoldingRange::default()
        }
    });
    write(folds.collect::<Vec<_>>())
}

fn formatting(converter: &Converter<'_>, _: &Snapshot, _: &Value) -> Answer {
    match converter.analysis.layout() {
        Ok(edits) => write(converter.edits(&edits)),
        Err(why) => Err(error(ErrorCode::RequestFailed, why.to_string())),
    }
}

fn code_actions(converter: &Converter<'_>, snapshot: &Snapshot, params: &Value) -> Answer {
    let only: Option<Vec<String>> =
        part::<Value>(params, "context").ok().and_then(|context| part(&context, "only").ok());
    // A kind covers its parts, such as `quickfix.ggp`, and is covered by the empty one.
    let is_wanted = |kind: &String| kind.is_empty() || kind == "quickfix";
    if only.is_some_and(|only| !only.iter().any(is_wanted)) {
        return Ok(json!([]));
    }
    let range = span(converter, params)?;
    let findings = snapshot.findings();
    let actions = ggp_ide::fixes(findings, range).into_iter().map(|fix| lsp::CodeAction {
        title: fix.title,
        kind: Some(lsp::CodeActionKind::QuickFix),
        diagnostics: Some(vec![converter.diagnostic(&findings[fix.finding])]),
        is_preferred: Some(true),
        edit: Some(converter.workspace_edit(&fix.edits)),
        ..lsp::CodeAction::default()
    });
    write(actions.collect::<Vec<_>>())
}

fn code_lenses(converter: &Converter<'_>, snapshot: &Snapshot, _: &Value) -> Answer {
    let opening = snapshot.tried.get().and_then(|tried| tried.opening.as_ref());
    let lenses = converter.analysis.lenses(opening).into_iter().map(|lens| {
        let start = converter.position(lens.span.start);
        lsp::CodeLens {
            range: lsp::Range { start, end: start },
            command: Some(commands::of_lens(lens.title, &lens.action, &snapshot.uri)),
            data: None,
        }
    });
    write(lenses.collect::<Vec<_>>())
}

fn inlay_hints(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let hints = converter.analysis.domain_hints(span(converter, params)?).into_iter();
    let hints = hints.map(|hint| {
        json!({ "position": converter.position(hint.offset), "label": format!("∈ {}", hint.text), "paddingLeft": true })
    });
    Ok(hints.collect())
}

fn semantic_tokens(converter: &Converter<'_>, _: &Snapshot, params: &Value) -> Answer {
    let tokens = converter.analysis.tokens(span(converter, params)?);
    Ok(json!({ "data": converter.tokens(&tokens) }))
}
