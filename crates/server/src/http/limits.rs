//! Bounds of what strangers may send: sizes, times, and memory over all connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What one connection, and all of them together, may take.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// Bytes of the request line and the headers.
    pub head: usize,
    /// Bytes of the text of one message.
    pub body: usize,
    /// Bytes of all texts that are being received or answered.
    pub bodies: usize,
    /// Time from the first look at a connection to the last byte of its message: in total, not for
    /// each read, so that a byte a second does not keep a thread.
    pub receive: Duration,
    /// Time to write a reply, in total.
    pub send: Duration,
    /// Connections, each with a thread of its own. When there are more, the oldest one whose
    /// message has not come within a moment is closed; there are never twice as many.
    pub connections: usize,
}

impl Default for HttpLimits {
    /// 16 KiB of head, 4 MiB of text (published rulesheets have at most some 100 KiB), 16 MiB of
    /// all texts, 10 s to send a message, 2 s to take
    /// a reply, 256 connections.
    fn default() -> HttpLimits {
        HttpLimits {
            head: 16 << 10,
            body: 4 << 20,
            bodies: 16 << 20,
            receive: Duration::from_secs(10),
            send: Duration::from_secs(2),
            connections: 256,
        }
    }
}

/// The memory that all texts share.
#[derive(Debug)]
pub(crate) struct Memory {
    used: AtomicUsize,
    bound: usize,
}

impl Memory {
    pub(crate) fn new(bound: usize) -> Arc<Memory> {
        Arc::new(Memory { used: AtomicUsize::new(0), bound })
    }

    /// A share of nothing, to be grown.
    pub(crate) fn share(self: &Arc<Memory>) -> Share {
        Share { memory: Arc::clone(self), bytes: 0 }
    }
}

/// A part of a [`Memory`], given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Share {
    /// Makes the share at least `bytes` large; `false` if there is not so much left.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|&more| more > 0) else { return true };
        let before = self.memory.used.fetch_add(more, Ordering::Relaxed);
        if before.saturating_add(more) > self.memory.bound {
            self.memory.used.fetch_sub(more, Ordering::Relaxed);
            return false;
        }
        self.bytes = bytes;
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    #[test]
    fn shares_never_exceed_the_bound_and_are_given_back() {
        let memory = Memory::new(100);
        let (mut a, mut b) = (memory.share(), memory.share());
        assert!(a.grow_to(60) && b.grow_to(40));
        assert!(!b.grow_to(41));
        assert!(b.grow_to(40) && b.grow_to(10));
        drop(a);
        assert!(b.grow_to(100));
        drop(b);
        assert!(memory.share().grow_to(100));
    }
}
