//! The messages of the game manager protocol as text: requests and replies, parsed and written.
//!
//! Invariant: if a message is written with [`std::fmt::Display`] and parsed again, the result equals the
//! message. The exceptions are clocks longer than 68 years, and replies to INFO with texts that are not
//! single tokens. The crate does no IO and does not recurse over the nesting of a message. The protocol is
//! that of Love et al., *General Game Playing: Game Description Language Specification* (2008), section 6;
//! INFO, PREVIEW, ABORT and PING follow the public servers and players. In GDL-II, PLAY and STOP carry the
//! number of finished turns, the role's own last move and the role's percepts.
//!
//! The parsers are lenient: they accept verbs in any letter case, surplus arguments, and any atom instead of
//! `NIL` for the absence of a last turn. Match ids, roles and moves keep their spelling.
//!
//! # Examples
//! ```
//! use ggp_protocol::{LastTurn, Request};
//! let play = Request::parse(b"(PLAY match.1 ((mark 1 2) noop))").unwrap();
//! let moves = vec!["(mark 1 2)".to_owned(), "noop".to_owned()];
//! assert_eq!(play, Request::Play { id: "match.1".to_owned(), last_turn: LastTurn::Moves(moves) });
//! assert!(Request::parse(b"(JUMP)").unwrap_err().to_string().starts_with("unknown request `JUMP`"));
//! ```

mod reply;
mod request;

pub use reply::{About, Reply};
pub use request::{LastTurn, Request};

use ggp_game::canonical_term as canonical;
use ggp_gdl::lexer::{Lexer, TokenKind};
use ggp_gdl::sexpr::{self, NodeId, SyntaxTree};

/// The reason why a text is not a message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MessageError {
    /// The parentheses are unbalanced, a character is invalid, or the text is not a list of terms.
    #[error("not valid KIF: {0}")]
    Unreadable(String),
    /// The text holds several expressions, or none. The field is their number.
    #[error("expected one expression, but found {0}")]
    NotOne(usize),
    /// The verb is unknown.
    #[error("unknown request `{0}`: expected INFO, PING, PREVIEW, START, PLAY, STOP or ABORT")]
    UnknownVerb(String),
    /// An argument is missing.
    #[error("{verb}: missing {argument}")]
    Missing {
        /// The verb, in upper case.
        verb: &'static str,
        /// The missing argument.
        argument: &'static str,
    },
    /// An argument has the wrong form.
    #[error("{verb}: the {argument} must be {wanted}, not `{text}`")]
    Malformed {
        /// The verb, in upper case.
        verb: &'static str,
        /// The malformed argument.
        argument: &'static str,
        /// The argument as written, truncated to some dozens of characters.
        text: String,
        /// The expected form.
        wanted: &'static str,
    },
}

/// The rules of `source` in the form in which START carries them: on one line, without comments, and with one
/// blank between neighbouring terms.
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

/// Parses a list of terms. Returns its members as canonical texts. Such a list is, for example, a joint move
/// `((mark 1 2) noop)`, or a state `( ( cell 1 1 b ) ( control white ) )`.
///
/// # Errors
/// When `text` is not exactly one list of terms.
pub fn read_terms(text: &str) -> Result<Vec<String>, MessageError> {
    let tree = read_one(text.as_bytes())?;
    let root = tree.roots().next().filter(|&root| tree.is_list(root));
    let root = root
        .ok_or_else(|| MessageError::Unreadable(format!("`{}` is not a list", excerpt(text.as_bytes()))))?;
    let one = |node| {
        term(&tree, node)
            .ok_or_else(|| MessageError::Unreadable(format!("`{}` is not a term", excerpt(tree.text(node)))))
    };
    tree.children(root).map(one).collect()
}

/// If an error quotes a message, it quotes at most this many characters and cuts off the rest.
const EXCERPT: usize = 60;

fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

fn read_one(text: &[u8]) -> Result<SyntaxTree<'_>, MessageError> {
    let tree = sexpr::read(text).map_err(|errors| {
        let first = errors.diagnostics.first().map(|d| d.message.clone());
        MessageError::Unreadable(first.unwrap_or_default())
    })?;
    match tree.roots().count() {
        1 => Ok(tree),
        count => Err(MessageError::NotOne(count)),
    }
}

/// The canonical text of the expression at `node`. `None` if it is not a term.
fn term(tree: &SyntaxTree<'_>, node: NodeId) -> Option<String> {
    let line = rules_line(tree.text(node));
    canonical(std::str::from_utf8(&line).ok()?)
}
