//! The encoding of networks and programs as bytes, and the checks that decoding needs.
//!
//! Decoding trusts nothing: each count and each index is checked before it is used, and lists grow only with
//! the bytes that are there.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The reason why bytes cannot be decoded to a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are no machine of the game. Holds the first fault that was found.
    #[error("the bytes are no network of this game: {0}")]
    Malformed(&'static str),
    /// The stop token was raised.
    #[error("reading the network was stopped")]
    Interrupted,
}

/// An error with the message `fault` unless `holds`.
pub(crate) fn require(holds: bool, fault: &'static str) -> Result<(), DecodeError> {
    if holds { Ok(()) } else { Err(DecodeError::Malformed(fault)) }
}

/// Appends the encoding of `value` to `bytes`.
pub(crate) fn encode<T: Serialize>(value: &T, bytes: Vec<u8>) -> Vec<u8> {
    postcard::to_extend(value, bytes).expect("memory holds any list of numbers and texts")
}

/// Decodes the value at the start of `bytes`, and removes its bytes.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &mut &[u8]) -> Result<T, DecodeError> {
    let (value, rest) =
        postcard::take_from_bytes(bytes).map_err(|_| DecodeError::Malformed("it is not encoded"))?;
    *bytes = rest;
    Ok(value)
}

/// A list of texts in one piece.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Texts {
    all: String,
    /// The length of each text, in bytes.
    lengths: Vec<u32>,
}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// The texts. Each must be one canonical term.
    pub(crate) fn terms(&self) -> Result<Vec<&str>, DecodeError> {
        let mut rest = self.all.as_str();
        let mut term = |&length: &u32| {
            let (text, after) = rest.split_at_checked(length as usize)?;
            rest = after;
            (ggp_game::canonical_term(text)? == text).then_some(text)
        };
        let terms: Option<Vec<&str>> = self.lengths.iter().map(&mut term).collect();
        require(rest.is_empty(), "texts are left over")?;
        terms.ok_or(DecodeError::Malformed("a text is no term"))
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Texts {
        let mut list = Texts::default();
        for text in texts {
            list.all.push_str(text);
            list.lengths.push(text.len() as u32);
        }
        list
    }
}

/// Splits a list into parts of the given lengths. The parts must use up the list.
pub(crate) fn parts<'a, T>(
    mut list: &'a [T],
    lengths: &[u32],
    fault: &'static str,
) -> Result<Vec<&'a [T]>, DecodeError> {
    let mut parts = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (part, rest) = list.split_at_checked(length as usize).ok_or(DecodeError::Malformed(fault))?;
        parts.push(part);
        list = rest;
    }
    require(list.is_empty(), fault)?;
    Ok(parts)
}
