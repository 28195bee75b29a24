//! Finds the end of a message's text. Programs send lengths that are wrong, counted in characters, or
//! missing, and keep the connection open. The parentheses decide where the text ends, because a message is
//! one list.
//!
//! Invariant: the text is never longer than the limit, and reading ends by the deadline.

use super::limits::Share;
use super::timed::TimedRead;
use std::io;
use std::time::{Duration, Instant};

/// A silence of this length after a complete list ends the text, even if the text is shorter than declared.
pub(crate) const SETTLE: Duration = Duration::from_millis(150);

/// A silence of this length ends the text if its declared length is reached but its list is still open.
pub(crate) const SETTLE_OPEN: Duration = Duration::from_millis(750);

/// Counts the parentheses of a text as it arrives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    depth: usize,
    in_comment: bool,
    begun: bool,
    closed: bool,
}

impl Balance {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => self.in_comment = false,
                _ if self.in_comment => {}
                b';' => self.in_comment = true,
                b'(' => {
                    self.depth += 1;
                    self.begun = true;
                }
                b')' => {
                    self.closed |= self.depth <= 1;
                    self.depth = self.depth.saturating_sub(1);
                    self.begun = true;
                }
                b' ' | b'\t' => {}
                _ => self.begun = true,
            }
        }
    }

    /// Whether a list has begun and is not closed.
    fn is_open(&self) -> bool {
        self.depth > 0 && !self.closed
    }
}

/// The reason why a text cannot be read.
#[derive(Debug)]
pub(crate) enum TextError {
    /// The text, or its declared length, exceeds the limit.
    TooLarge,
    /// The memory budget of all connections does not suffice.
    NoMemory,
    /// The text is not complete by the deadline.
    TooSlow,
    /// The connection broke.
    Broken(io::Error),
}

/// Reads the rest of a message's text. `text` is the part that has already arrived.
///
/// The text is complete when it has its `declared` length and no open list. If the declared length is missing
/// or 0, the text ends when its first list is closed or when the stream ends. A wrong length is tolerated. If
/// a list is still open at the declared length, reading continues until the list is closed or until a silence
/// of [`SETTLE_OPEN`]. If the list is closed before the declared length, the text is accepted after a silence
/// of [`SETTLE`]. An empty text of declared length 0 is also accepted after a silence of [`SETTLE`].
pub(crate) fn read_text(
    source: &mut impl TimedRead,
    mut text: Vec<u8>,
    declared: Option<usize>,
    limit: usize,
    share: &mut Share,
    by: Instant,
) -> Result<Vec<u8>, TextError> {
    let announced_empty = declared == Some(0);
    let declared = declared.filter(|&length| length > 0);
    if declared.is_some_and(|length| length > limit) {
        return Err(TextError::TooLarge);
    }
    let mut balance = Balance::default();
    balance.feed(&text);
    let mut chunk = [0; 8192];
    loop {
        if text.len() > limit {
            return Err(TextError::TooLarge);
        }
        if !share.grow_to(text.len()) {
            return Err(TextError::NoMemory);
        }
        let reached = declared.map(|length| text.len() >= length);
        let open = balance.is_open();
        if !open && (reached == Some(true) || (reached.is_none() && balance.closed)) {
            return Ok(text);
        }
        let settle = match (reached, open) {
            (Some(true), true) => Some(SETTLE_OPEN),
            (Some(false), false) if balance.closed => Some(SETTLE),
            (None, _) if announced_empty && !balance.begun => Some(SETTLE),
            _ => None,
        };
        let until = settle.map_or(by, |quiet| by.min(Instant::now() + quiet));
        match source.read_by(&mut chunk, until) {
            Ok(0) => return Ok(text),
            Ok(count) => {
                balance.feed(&chunk[..count]);
                text.extend_from_slice(&chunk[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return if settle.is_some() { Ok(text) } else { Err(TextError::TooSlow) };
            }
            Err(error) => return Err(TextError::Broken(error)),
        }
    }
}
