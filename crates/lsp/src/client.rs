//! What the client can do and wants, and what the server offers to it.
//!
//! The capabilities are read from the JSON directly, one by one: a client whose other capabilities have an unknown form
//! is served all the same.

use ggp_gdl::Strictness;
use ggp_ide::Encoding;
use serde_json::{Value, json};

/// The names of the commands that the client may ask the server to run.
pub(crate) const PLAY: &str = "ggp.play";
pub(crate) const MOVES: &str = "ggp.moves";
pub(crate) const EXPLAIN: &str = "ggp.explain";
pub(crate) const SIMULATE: &str = "ggp.simulate";
pub(crate) const COMMANDS: [&str; 4] = [PLAY, MOVES, EXPLAIN, SIMULATE];

/// The kinds of coloured text: standard names of the protocol, for which every colour scheme has a colour. The order is
/// that of [`crate::conversion::token_type`].
pub(crate) const TOKEN_TYPES: [&str; 10] = [
    "keyword",
    "class",
    "property",
    "event",
    "function",
    "method",
    "variable",
    "enumMember",
    "number",
    "comment",
];

/// The modifiers of coloured text. `static` marks relations that are the same in all states.
pub(crate) const TOKEN_MODIFIERS: [&str; 2] = ["definition", "static"];

/// What is known of the client.
#[expect(clippy::struct_excessive_bools, reason = "each is a capability or an option of its own")]
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    pub(crate) has_snippets: bool,
    pub(crate) has_markdown: bool,
    pub(crate) has_nested_symbols: bool,
    pub(crate) can_refresh_lenses: bool,
    pub(crate) strictness: Strictness,
    /// Whether domains are shown in the text. Off by default: they make long lines longer.
    pub(crate) shows_domains: bool,
    /// Whether the answers of commands are also shown as messages, for editors that do nothing with an answer.
    pub(crate) shows_answers: bool,
    /// The number of playouts of the second tier.
    pub(crate) playouts: u64,
    /// The address of the pages about diagnostics; the page of a code is `ADDRESS/CODE.EXTENSION`.
    pub(crate) pages: Option<Pages>,
}

/// Where the pages about diagnostics are.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    address: String,
    extension: String,
}

impl Pages {
    /// The address of the page about a code.
    pub(crate) fn of(&self, code: &str) -> String {
        format!("{}/{code}.{}", self.address, self.extension)
    }
}

/// The number of random playouts of the second tier, unless the client wants another one.
const PLAYOUTS: u64 = 20;

/// The most playouts that a client can ask for.
const MAX_PLAYOUTS: u64 = 10_000;

impl Client {
    /// Reads the parameters of `initialize`.
    pub(crate) fn of(params: &Value) -> Client {
        let at = |path: &str| params.pointer(path);
        let is_true = |path: &str| at(path).and_then(Value::as_bool).unwrap_or(false);
        let lists = |path: &str, wanted: &str| {
            at(path).and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == wanted))
        };
        let encodings = "/capabilities/general/positionEncodings";
        let formats = "/capabilities/textDocument/hover/contentFormat";
        let strictness = match at("/initializationOptions/strictness").and_then(Value::as_str) {
            Some("strict") => Strictness::Strict,
            Some("lenient") => Strictness::Lenient,
            _ => Strictness::Default,
        };
        let playouts = at("/initializationOptions/playouts").and_then(Value::as_u64);
        let address = at("/initializationOptions/pages").and_then(Value::as_str);
        Client {
            encoding: if lists(encodings, "utf-8") { Encoding::Utf8 } else { Encoding::Utf16 },
            has_snippets: is_true("/capabilities/textDocument/completion/completionItem/snippetSupport"),
            has_markdown: at(formats).is_none() || lists(formats, "markdown"),
            has_nested_symbols: is_true(
                "/capabilities/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport",
            ),
            can_refresh_lenses: is_true("/capabilities/workspace/codeLens/refreshSupport"),
            strictness,
            shows_domains: is_true("/initializationOptions/domains"),
            shows_answers: at("/initializationOptions/messages").and_then(Value::as_bool).unwrap_or(true),
            playouts: playouts.unwrap_or(PLAYOUTS).min(MAX_PLAYOUTS),
            pages: address.map(|address| Pages {
                address: address.trim_end_matches('/').to_owned(),
                extension: at("/initializationOptions/pagesExtension")
                    .and_then(Value::as_str)
                    .unwrap_or("html")
                    .to_owned(),
            }),
        }
    }

    /// The answer to `initialize`.
    pub(crate) fn welcome(&self) -> Value {
        let encoding = match self.encoding {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
        };
        json!({
            "capabilities": {
                "positionEncoding": encoding,
                "textDocumentSync": { "openClose": true, "change": 2, "save": false },
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "completionProvider": { "triggerCharacters": ["(", "?"] },
                "renameProvider": { "prepareProvider": true },
                "documentSymbolProvider": true,
                "foldingRangeProvider": true,
                "documentFormattingProvider": true,
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "codeLensProvider": {},
                "inlayHintProvider": self.shows_domains,
                "semanticTokensProvider": {
                    "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS },
                    "full": true,
                    "range": true,
                },
                "executeCommandProvider": { "commands": COMMANDS },
            },
            "serverInfo": { "name": "ggp", "version": env!("CARGO_PKG_VERSION") },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_without_a_word_get_the_defaults() {
        for params in [json!(null), json!({"capabilities": {"general": 7, "textDocument": {"hover": []}}})] {
            let client = Client::of(&params);
            assert_eq!(client.encoding, Encoding::Utf16);
            assert!(client.has_markdown && !client.has_snippets && !client.shows_domains);
            assert!(client.pages.is_none());
        }
        let client = Client::of(&json!({
            "capabilities": {"general": {"positionEncodings": ["utf-16", "utf-8"]}},
            "initializationOptions": {"strictness": "strict", "pages": "https://example.org/book/", "playouts": 1e9 as u64},
        }));
        assert_eq!(client.welcome()["capabilities"]["positionEncoding"], "utf-8");
        assert_eq!((client.strictness, client.playouts), (Strictness::Strict, MAX_PLAYOUTS));
        assert_eq!(client.pages.unwrap().of("no-role"), "https://example.org/book/no-role.html");
    }
}
