//! The open documents.
//!
//! Invariants: the documents together have at most [`MAX_TOTAL_BYTES`], and one has at most [`MAX_DOCUMENT_BYTES`].
//! Larger texts are not analysed, which a finding tells.

use crate::client::Client;
use crate::convert::Converter;
use gen_lsp_types as lsp;
use ggp_game::Game;
use ggp_gdl::{Diagnostic, Span};
use ggp_ide::{Analysis, Opening};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The maximum size of a document. The largest published rulesheet has 2 MB.
pub(crate) const MAX_DOCUMENT_BYTES: usize = 8 << 20;

/// The maximum size of all open documents together.
pub(crate) const MAX_TOTAL_BYTES: usize = 64 << 20;

/// One version of a document. Workers answer from it.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) uri: lsp::Uri,
    pub(crate) version: i32,
    pub(crate) analysis: Analysis,
    /// The reason why the text is not kept.
    pub(crate) refusal: Option<Diagnostic>,
    /// Whether a newer version exists, or the document is closed.
    pub(crate) is_stale: AtomicBool,
    /// What the second tier has found out about this version.
    pub(crate) played: OnceLock<Played>,
}

/// A game that could be built, and its initial state.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) game: Arc<Game>,
    pub(crate) opening: Opening,
}

/// The newest version of each open document, by its address.
#[derive(Default, Debug)]
pub(crate) struct Documents {
    open: BTreeMap<String, Arc<Snapshot>>,
    bytes: usize,
}

impl Documents {
    pub(crate) fn get(&self, uri: &str) -> Option<&Arc<Snapshot>> {
        self.open.get(uri)
    }

    pub(crate) fn is_newest(&self, snapshot: &Snapshot) -> bool {
        self.get(&snapshot.uri.0).is_some_and(|newest| std::ptr::eq(&raw const **newest, snapshot))
    }

    /// Opens a document, or replaces its text.
    pub(crate) fn open(
        &mut self,
        uri: &lsp::Uri,
        version: i32,
        text: String,
        client: &Client,
    ) -> Arc<Snapshot> {
        self.close(&uri.0);
        let refusal = self.refusal(text.len());
        let text = if refusal.is_some() { String::new() } else { text };
        self.insert(uri, version, Analysis::with_strictness(text, client.strictness), refusal)
    }

    fn insert(
        &mut self,
        uri: &lsp::Uri,
        version: i32,
        analysis: Analysis,
        refusal: Option<Diagnostic>,
    ) -> Arc<Snapshot> {
        self.close(&uri.0);
        self.bytes += analysis.text().len();
        let snapshot = Arc::new(Snapshot {
            uri: uri.clone(),
            version,
            analysis,
            refusal,
            is_stale: AtomicBool::new(false),
            played: OnceLock::new(),
        });
        self.open.insert(uri.0.clone(), Arc::clone(&snapshot));
        snapshot
    }

    /// Why a text of `bytes` is not kept.
    fn refusal(&self, bytes: usize) -> Option<Diagnostic> {
        let why = if bytes > MAX_DOCUMENT_BYTES {
            format!("this text is larger than {} MiB and is not checked", MAX_DOCUMENT_BYTES >> 20)
        } else if self.bytes + bytes > MAX_TOTAL_BYTES {
            format!("the open texts are larger than {} MiB; this one is not checked", MAX_TOTAL_BYTES >> 20)
        } else {
            return None;
        };
        Some(Diagnostic::error("too-large", Span { start: 0, end: 0 }, why))
    }

    /// Applies the changes of a notification in their order. `None` if the document is not open.
    pub(crate) fn change(
        &mut self,
        uri: &lsp::Uri,
        version: i32,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
        client: &Client,
    ) -> Option<Arc<Snapshot>> {
        let old = Arc::clone(self.get(&uri.0)?);
        // Of a refused text only the whole is of use.
        let mut current = old.refusal.is_none().then(|| old.analysis.spliced(Span { start: 0, end: 0 }, ""));
        for change in changes {
            match change {
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    current = Some(Analysis::with_strictness(whole.text, client.strictness));
                }
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    if let Some(analysis) = &current {
                        let span = Converter { analysis, client, uri }.span(part.range);
                        current = Some(analysis.spliced(span, &part.text));
                    }
                }
            }
            if current.as_ref().is_some_and(|current| current.text().len() > MAX_DOCUMENT_BYTES) {
                break;
            }
        }
        self.close(&uri.0);
        let refusal = match &current {
            Some(current) => self.refusal(current.text().len()),
            None => old.refusal.clone(),
        };
        let analysis = match current.filter(|_| refusal.is_none()) {
            Some(analysis) => analysis,
            None => Analysis::with_strictness("", client.strictness),
        };
        Some(self.insert(uri, version, analysis, refusal))
    }

    pub(crate) fn close(&mut self, uri: &str) {
        if let Some(old) = self.open.remove(uri) {
            self.bytes -= old.analysis.text().len();
            old.is_stale.store(true, Ordering::Relaxed);
        }
    }
}
