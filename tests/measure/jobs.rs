//! Independent pieces of work on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Applies `work` to each item on `jobs` threads, and passes the results to `then` in the order of the items, each
/// as soon as it and all before it are there. The number of threads therefore does not change the output.
pub(crate) fn in_order<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut then: impl FnMut(R),
) {
    let next = AtomicUsize::new(0);
    let (send, results) = channel();
    let send = Mutex::new(send);
    std::thread::scope(|scope| {
        let work = &work;
        let next = &next;
        for _ in 0..jobs.max(1) {
            let send = send.lock().expect("no panic before").clone();
            scope.spawn(move || {
                while let Some((at, item)) =
                    items.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed))
                {
                    // The receiver is gone only if the caller's thread has panicked.
                    let _ = send.send((at, work(item)));
                }
            });
        }
        drop(send);
        let mut early: Vec<Option<R>> = items.iter().map(|_| None).collect();
        let mut done = 0;
        for (at, result) in results {
            early[at] = Some(result);
            while let Some(result) = early.get_mut(done).and_then(Option::take) {
                then(result);
                done += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_items() {
        for jobs in [0, 1, 3] {
            let items: Vec<u64> = (0..50).collect();
            let mut seen = Vec::new();
            super::in_order(jobs, &items, |n| n * n, |square| seen.push(square));
            assert_eq!(seen, items.iter().map(|n| n * n).collect::<Vec<_>>());
        }
    }
}
