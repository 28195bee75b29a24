//! The texts of moves, made when they are first wanted and shared by all clones of a machine.

use std::sync::OnceLock;

/// The number of texts in a chunk.
const CHUNK: usize = 1 << 10;

/// A chunk of texts.
type Chunk = Box<[OnceLock<Box<str>>]>;

/// Texts by number.
#[derive(Debug)]
pub(crate) struct Texts {
    chunks: Box<[OnceLock<Chunk>]>,
}

impl Texts {
    /// No texts yet, for numbers below `count`.
    pub(crate) fn new(count: usize) -> Texts {
        Texts { chunks: (0..count.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect() }
    }

    /// The text with this number. `make` makes it if it is wanted for the first time.
    pub(crate) fn get(&self, number: usize, make: impl FnOnce() -> String) -> &str {
        let empty = || (0..CHUNK).map(|_| OnceLock::new()).collect();
        let chunk = self.chunks[number / CHUNK].get_or_init(empty);
        chunk[number % CHUNK].get_or_init(|| make().into())
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Texts};

    #[test]
    fn each_text_is_made_once() {
        let texts = Texts::new(CHUNK + 1);
        assert_eq!(texts.get(CHUNK, || "last".to_owned()), "last");
        assert_eq!(texts.get(0, || "first".to_owned()), "first");
        assert_eq!(texts.get(CHUNK, || "other".to_owned()), "last");
    }
}
