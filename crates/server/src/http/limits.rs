//! Bounds for untrusted peers: sizes, times, and memory over all connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The bounds of one connection, and of all connections together.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// The maximum size of the request line and the headers, in bytes.
    pub head: usize,
    /// The maximum size of one message text, in bytes.
    pub body: usize,
    /// The maximum total size, in bytes, of the message texts that all connections hold at one time.
    pub bodies: usize,
    /// The maximum time from accepting a connection to the last byte of its message. This limit applies to
    /// the whole message, not to one read, so a slow sender cannot occupy a thread.
    pub receive: Duration,
    /// The maximum time for writing a whole reply.
    pub send: Duration,
    /// The intended number of open connections. Each has a thread of its own. If this number is already open
    /// when a new connection comes, the server closes the oldest connection whose message has not arrived,
    /// provided that it is at least 100 ms old. The new connection is admitted even if none is closed. If
    /// twice this number is open, the server closes the oldest such connection at any age. If there is none,
    /// because all messages have arrived, the server refuses the new connection.
    pub connections: usize,
}

impl Default for HttpLimits {
    /// The default bounds: 16 KiB for a head, 4 MiB for a text (published rulesheets have at most a few hundred
    /// KiB), 16 MiB for all texts, 10 s to receive a message, 2 s to send a reply, 256 connections.
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

/// The memory budget that the texts of all connections share.
#[derive(Debug)]
pub(crate) struct Memory {
    used: AtomicUsize,
    bound: usize,
}

impl Memory {
    pub(crate) fn new(bound: usize) -> Arc<Memory> {
        Arc::new(Memory { used: AtomicUsize::new(0), bound })
    }

    /// A new share of the budget. It has 0 bytes and can grow.
    pub(crate) fn share(self: &Arc<Memory>) -> Share {
        Share { memory: Arc::clone(self), bytes: 0 }
    }
}

/// A part of the budget [`Memory`]. Dropping the share releases its bytes.
#[derive(Debug)]
pub(crate) struct Share {
    memory: Arc<Memory>,
    bytes: usize,
}

impl Share {
    /// Grows the share to at least `bytes`. Returns `false` if the budget does not suffice.
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
