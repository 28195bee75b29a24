//! The messages of general game playing as text: requests, replies, and both directions.
//!
//! Invariant: what [`std::fmt::Display`] writes, the readers here read back as an equal value (but
//! for clocks longer than 68 years). No IO; nothing recurses over the nesting of a message. The
//! protocol: Love et al., *General Game Playing: Game Description Language Specification* (2008),
//! section 6, with INFO, PREVIEW, ABORT and PING as the public servers and players speak them, and
//! the PLAY and STOP of GDL-II with a turn number, the role's own move and its percepts.
//!
//! Readers are lenient: verbs in any letter case, any atom for "no moves", further arguments.
//! Match ids, roles and moves keep their spelling.

mod reply;
mod request;

pub use reply::{About, Reply};
pub use request::{Request, Seen};

use crate::move_table::canonical_term as canonical;
use ggp_gdl::lexer::{Lexer, TokenKind};
use ggp_gdl::sexpr::{self, NodeId, Tree};

/// Why a text is no message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MessageError {
    /// Parentheses or characters.
    #[error("not readable as KIF: {0}")]
    Unreadable(String),
    /// Something else than one expression.
    #[error("one expression is wanted, but there are {0}")]
    NotOne(usize),
    /// A verb that nobody speaks.
    #[error("`{0}` is no request; known are INFO, PING, PREVIEW, START, PLAY, STOP and ABORT")]
    UnknownVerb(String),
    /// An argument that is missing.
    #[error("{verb} lacks its {argument}")]
    Missing {
        /// The verb, in upper case.
        verb: &'static str,
        /// Which argument.
        argument: &'static str,
    },
    /// An argument that is something else than it should be.
    #[error("the {argument} of {verb} is `{text}`: {wanted} is wanted")]
    Malformed {
        /// The verb, in upper case.
        verb: &'static str,
        /// Which argument.
        argument: &'static str,
        /// What stands there, at most some dozens of characters.
        text: String,
        /// What should stand there.
        wanted: &'static str,
    },
}
/// The rules of `source` as START carries them: one line, one blank between tokens, no comments.
pub fn rules_line(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut after_open = true;
    for token in Lexer::new(source).filter(|t| t.kind != TokenKind::Comment) {
        if !after_open && token.kind != TokenKind::Close {
            out.push(b' ');
        }
        out.extend_from_slice(&source[token.span.range()]);
        after_open = token.kind == TokenKind::Open;
    }
    out
}
/// The members of the list that `text` is, as canonical texts: a joint move such as
/// `((mark 1 2) noop)`, a state such as `( ( cell 1 1 b ) ( control white ) )`.
///
/// # Errors
/// When `text` is not exactly one list of terms.
pub fn read_terms(text: &str) -> Result<Vec<String>, MessageError> {
    let tree = read_one(text.as_bytes())?;
    let root = tree.roots().next().filter(|&root| tree.is_list(root));
    let root =
        root.ok_or_else(|| MessageError::Unreadable(format!("`{}` is no list", excerpt(text.as_bytes()))))?;
    let one = |node| {
        term(&tree, node)
            .ok_or_else(|| MessageError::Unreadable(format!("`{}` is no term", excerpt(tree.text(node)))))
    };
    tree.children(root).map(one).collect()
}

/// The longest text of a message that an error repeats, in characters.
const EXCERPT: usize = 60;

fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

fn read_one(text: &[u8]) -> Result<Tree<'_>, MessageError> {
    let tree = sexpr::read(text).map_err(|errors| {
        let first = errors.diagnostics.first().map(|d| d.message.clone());
        MessageError::Unreadable(first.unwrap_or_default())
    })?;
    match tree.roots().count() {
        1 => Ok(tree),
        count => Err(MessageError::NotOne(count)),
    }
}

/// The canonical text of the expression at `node`.
fn term(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    let line = rules_line(tree.text(node));
    canonical(std::str::from_utf8(&line).ok()?)
}
