//! Counts the matches whose threads are running. The count may exceed the number of matches in the table of
//! matches.
//!
//! When a match leaves the table, its threads continue until they notice this, usually for less than a
//! millisecond. A player that ignores its stop token may occupy its thread for much longer.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A counter of matches with running threads.
#[derive(Default, Debug)]
pub(super) struct RunningMatches {
    count: Mutex<usize>,
    /// Signalled when a match's last thread has ended.
    left: Condvar,
}

impl RunningMatches {
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more match. If `limit` matches are running, first waits until one of them ends. Returns
    /// `None`, and counts nothing, if no match ends within `patience`.
    pub(super) fn enter(
        self: &Arc<RunningMatches>,
        limit: usize,
        patience: Duration,
    ) -> Option<RunningMatch> {
        let deadline = Instant::now() + patience;
        let mut count = self.lock();
        while *count >= limit {
            let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            count = self.left.wait_timeout(count, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *count += 1;
        Some(RunningMatch(Arc::clone(self)))
    }
}

/// One match that [`RunningMatches`] counts. The threads of the match share this value. The match is counted
/// until its last thread drops this value.
#[derive(Debug)]
pub(super) struct RunningMatch(Arc<RunningMatches>);

impl Drop for RunningMatch {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_count_waits_for_a_match_to_end() {
        let running = Arc::new(RunningMatches::default());
        let first = running.enter(1, Duration::ZERO).expect("the count is empty");
        assert!(running.enter(1, Duration::from_millis(5)).is_none());
        std::thread::scope(|scope| {
            let second = scope.spawn(|| running.enter(1, Duration::from_secs(60)).is_some());
            drop(first);
            assert!(second.join().expect("no panic"));
        });
        assert_eq!(*running.lock(), 0);
    }
}
