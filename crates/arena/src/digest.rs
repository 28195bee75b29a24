//! The FNV-1a hash (Fowler, Noll & Vo), which is the same on every machine and in every version of this
//! program.

/// The hash of a sequence of byte strings. A separator byte after each string makes the sequence `ab`, `c`
/// differ from `a`, `bc`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds a byte string.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        for &byte in piece.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash of all byte strings added.
    pub(crate) fn value(self) -> u64 {
        self.0
    }
}
