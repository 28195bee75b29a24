//! How many descents are under way through a node or an arm: what keeps those that are chosen without
//! knowing each other's scores apart (virtual loss without the loss, as in Liu et al. 2020, WU-UCT).

use std::sync::atomic::{AtomicU16, Ordering};

/// A count that threads add to while they share the tree, each reading and writing without waiting for
/// the others.
///
/// Of what two threads add at the very same time now and then one part is missed, and one less than 0 is 0:
/// so the count is never more than it should be, and 0 once nothing is under way.
#[derive(Debug, Default)]
pub(crate) struct Pending(AtomicU16);

impl Pending {
    /// `count` descents.
    #[cfg(test)]
    pub(crate) fn new(count: u16) -> Pending {
        Pending(AtomicU16::new(count))
    }

    /// How many there are.
    pub(crate) fn get(&self) -> u32 {
        u32::from(self.0.load(Ordering::Relaxed))
    }

    /// So many more.
    pub(crate) fn add(&self, count: usize) {
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        self.0.store(self.0.load(Ordering::Relaxed).saturating_add(count), Ordering::Relaxed);
    }

    /// One less.
    pub(crate) fn take(&mut self) {
        let count = self.0.get_mut();
        *count = count.saturating_sub(1);
    }
}

impl Clone for Pending {
    fn clone(&self) -> Pending {
        Pending(AtomicU16::new(self.0.load(Ordering::Relaxed)))
    }
}
