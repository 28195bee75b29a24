//! States of the network: one bit per fluent.

/// A state of a [`crate::PropNetMachine`]: bit `i` of word `w` is fluent 64 w + i.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitState(Box<[u64]>);

impl BitState {
    /// The state with `fluents` fluents, none of which holds.
    pub(crate) fn empty(fluents: usize) -> BitState {
        BitState(vec![0; fluents.div_ceil(64)].into())
    }

    /// Sets `fluent` to true.
    pub(crate) fn set(&mut self, fluent: usize) {
        self.0[fluent >> 6] |= 1 << (fluent & 63);
    }

    /// Whether `fluent` is true.
    #[inline]
    pub(crate) fn has(&self, fluent: usize) -> bool {
        self.0[fluent >> 6] >> (fluent & 63) & 1 == 1
    }

    /// The bits of all fluents, lowest bit first.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}
