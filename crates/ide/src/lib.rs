//! Answers the questions of a text editor about a rulesheet: what a word means, where it is defined and used, what can
//! be written here, how to rename, to fold, to colour and to lay out, and what the checks find.
//!
//! An [`Analysis`] holds one text, complete or not. Every question takes an offset in bytes; [`LineIndex`] converts lines
//! and columns in UTF-8 or UTF-16. A changed text is a new analysis: rulesheets are small, so everything is read anew.
//!
//! Invariants: the crate does no IO, reads no clock and starts no thread. Any text has an analysis, and no question
//! panics, at any offset. A rule that cannot be read does not keep the others from being understood. Nothing recurses
//! over the nesting of a text, and reading one takes linear time.
//!
//! # Examples
//! ```
//! use ggp_ide::Analysis;
//! // The first rule is not finished.
//! let text = "(role white) (succ 1 2) (succ 2 3) (<= (next (step ?n)) (true (step ?m)) (succ ?m ";
//! let analysis = Analysis::new(text);
//! let names: Vec<String> = analysis.completions(text.len()).items.into_iter().map(|item| item.label).collect();
//! assert_eq!(names, ["?n", "?m", "2", "3"]);
//!
//! let rename = analysis.rename(text.find("?m").unwrap(), "?before").unwrap();
//! assert_eq!(rename.len(), 2);
//! ```

mod analysis;
mod comments;
mod completion;
mod edits;
mod highlight;
mod hover;
mod inlay;
mod lens;
mod lines;
mod model;
mod names;
mod navigation;
mod outline;
mod rename;
mod tree;
mod values;

pub use analysis::Analysis;
pub use completion::{Completion, CompletionKind, Completions, MAX_COMPLETIONS};
pub use edits::{Fix, fixes};
pub use highlight::{Token, TokenKind};
pub use hover::Hover;
pub use inlay::{Hint, MAX_HINTS};
pub use lens::{Lens, LensAction, Opening};
pub use lines::{Encoding, LineIndex, Position};
pub use outline::{Fold, FoldKind, Symbol, SymbolKind};
pub use rename::RenameError;
