//! Identifiers of sessions, matches and pages.

use std::hash::{BuildHasher, RandomState};

/// A random 128-bit identifier in hexadecimal. It consists of two hashes with random keys from the operating
/// system, so it cannot be guessed.
pub(crate) fn any_id(number: u64) -> String {
    let half = || RandomState::new().hash_one((number, std::time::SystemTime::now()));
    format!("{:016x}{:016x}", half(), half())
}
