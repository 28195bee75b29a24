//! The open documents.
//!
//! Invariants: the documents together have at most [`MAX_TOTAL_BYTES`], and one has at most [`MAX_DOCUMENT_BYTES`].
//! Larger texts are not analysed, which a finding tells. The snapshots that are alive know their bytes together.

use crate::client::Client;
use crate::conversion::Converter;
use crate::trial::Trial;
use gen_lsp_types as lsp;
use ggp_gdl::{Diagnostic, Span};
use ggp_ide::Analysis;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The maximum size of a document. The largest published rulesheets have 70 KB.
///
/// A text of parentheses alone takes about a hundred times its size in memory.
pub(crate) const MAX_DOCUMENT_BYTES: usize = 4 << 20;

/// The maximum size of all open documents together.
pub(crate) const MAX_TOTAL_BYTES: usize = 16 << 20;

/// One version of a document. Workers answer from it.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) uri: lsp::Uri,
    pub(crate) version: i32,
    pub(crate) analysis: Analysis,
    /// The reason why the text is not kept.
    pub(crate) refusal: Option<Diagnostic>,
    /// What the second tier has found out about this version.
    pub(crate) tried: OnceLock<Trial>,
    /// The rules that never fired in the playouts that the person asked for.
    pub(crate) never_fired: OnceLock<Vec<Diagnostic>>,
    /// The bytes of all snapshots that are alive, old versions included.
    alive: Arc<AtomicUsize>,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.alive.fetch_sub(self.analysis.text().len(), Ordering::Relaxed);
    }
}

impl Snapshot {
    /// The findings about this version, as far as they are known, without the rules that never fired.
    pub(crate) fn findings(&self) -> &[Diagnostic] {
        match (&self.refusal, self.tried.get()) {
            (Some(refusal), _) => std::slice::from_ref(refusal),
            (None, Some(tried)) => &tried.findings,
            (None, None) => self.analysis.findings(),
        }
    }
}

/// The newest version of each open document, by its address.
#[derive(Default, Debug)]
pub(crate) struct Documents {
    open: BTreeMap<String, Arc<Snapshot>>,
    bytes: usize,
    alive: Arc<AtomicUsize>,
}

impl Documents {
    pub(crate) fn get(&self, uri: &str) -> Option<&Arc<Snapshot>> {
        self.open.get(uri)
    }

    /// Whether requests that wait hold so many old versions that no more should be kept.
    pub(crate) fn is_crowded(&self) -> bool {
        self.alive.load(Ordering::Relaxed) > 2 * MAX_TOTAL_BYTES
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
        self.alive.fetch_add(analysis.text().len(), Ordering::Relaxed);
        let snapshot = Arc::new(Snapshot {
            uri: uri.clone(),
            version,
            analysis,
            refusal,
            tried: OnceLock::new(),
            never_fired: OnceLock::new(),
            alive: Arc::clone(&self.alive),
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
        }
    }
}

#[cfg(test)]
mod tests;
