//! The pool of worker threads that runs the searches of all sessions.
//!
//! Scheduling is round-robin: sessions with work wait in a queue. A worker takes the first session, runs its
//! search for a slice of [`SLICE`], and puts the session back at the end of the queue. Slow rules can make a
//! slice longer. A watchdog interrupts a slice that takes longer than [`TOO_LONG`]. On Linux the workers
//! lower their priority, so that the server and the browser respond while all cores search.

use crate::lock::lock;
use ggp_game::{Deadline, StopToken, Watchdog};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The duration of one slice of a session's search.
pub(crate) const SLICE: Duration = Duration::from_millis(20);

/// The watchdog interrupts a slice that takes longer than this.
const TOO_LONG: Duration = Duration::from_secs(2);

/// The increase of the nice value of a worker thread.
#[cfg(target_os = "linux")]
const BACK: i32 = 10;

/// A job for the pool: a session that has work to do.
pub(crate) trait Job: Send + Sync {
    /// Runs one slice, and ends it early if `stop` is raised. Returns whether more work is left.
    fn run_slice(self: Arc<Self>, stop: &StopToken) -> bool;

    /// Called when a slice has panicked. `why` is the message of the panic.
    fn fail(self: Arc<Self>, why: &str);
}

/// The queue of sessions with work.
#[derive(Default)]
pub(crate) struct Pool {
    queue: Mutex<VecDeque<Arc<dyn Job>>>,
    more: Condvar,
}

/// Lowers the priority of the calling thread.
#[cfg(target_os = "linux")]
pub(crate) fn lower_priority() {
    use rustix::process::{getpriority_process, setpriority_process};
    // On Linux each thread has its own priority. If the system refuses the change, responses are only slower.
    let thread = Some(rustix::thread::gettid());
    let set = getpriority_process(thread).and_then(|now| setpriority_process(thread, (now + BACK).min(19)));
    if let Err(error) = set {
        tracing::debug!(%error, "the threads that think keep their priority");
    }
}

/// Does nothing. On systems other than Linux, the priority belongs to the whole process.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lower_priority() {}

impl Pool {
    /// Starts `threads` worker threads, which run until the program ends.
    pub(crate) fn start(threads: usize) -> std::io::Result<Arc<Pool>> {
        let pool = Arc::new(Pool::default());
        for number in 0..threads {
            let pool = Arc::clone(&pool);
            thread::Builder::new().name(format!("think {number}")).spawn(move || pool.work())?;
        }
        Ok(pool)
    }

    /// Puts a job at the end of the queue.
    pub(crate) fn add(&self, job: Arc<dyn Job>) {
        lock(&self.queue).push_back(job);
        self.more.notify_one();
    }

    fn next(&self) -> Arc<dyn Job> {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(job) = queue.pop_front() {
                return job;
            }
            queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self) {
        lower_priority();
        loop {
            let job = self.next();
            let slice = Watchdog::until(Deadline::after(TOO_LONG));
            let more =
                slice.watch(|stop| catch_unwind(AssertUnwindSafe(|| Arc::clone(&job).run_slice(stop))));
            match more {
                Ok(true) => self.add(job),
                Ok(false) => {}
                // A panic ends the session's search, but not the worker thread.
                Err(_) => job.fail("the engine failed"),
            }
        }
    }
}
