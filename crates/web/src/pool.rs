//! The threads that think, for all sessions together.
//!
//! Fair shares: sessions that want to think stand in one queue; the first gets a slice of some
//! milliseconds and goes to the end. A slice that lasts too long, because of rules that are slow to
//! evaluate, is interrupted. The threads step back behind the rest of the machine: browser and
//! server have to answer a click although all cores think.

use crate::session::Session;
use ggp_game::StopToken;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a session thinks before the next one's turn.
pub(crate) const SLICE: Duration = Duration::from_millis(20);

/// A slice is interrupted after this.
const TOO_LONG: Duration = Duration::from_secs(2);

/// So many steps of priority.
#[cfg(target_os = "linux")]
const BACK: i32 = 10;

/// How often it is looked for such slices.
const LOOK: Duration = Duration::from_millis(250);

/// The queue, and who is at work.
#[derive(Default)]
pub(crate) struct Pool {
    queue: Mutex<VecDeque<Arc<Session>>>,
    more: Condvar,
    /// Since when each worker is at its slice, and what interrupts that.
    slices: Mutex<Vec<Option<(Instant, StopToken)>>>,
}

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives this thread a lower priority.
#[cfg(target_os = "linux")]
fn step_back() {
    use rustix::process::{getpriority_process, setpriority_process};
    // On Linux each thread has its own; where it is refused, clicks are answered more slowly.
    let thread = Some(rustix::thread::gettid());
    let set = getpriority_process(thread).and_then(|now| setpriority_process(thread, (now + BACK).min(19)));
    if let Err(error) = set {
        tracing::debug!(%error, "the threads that think keep their priority");
    }
}

/// Elsewhere the priority is the whole program's, so it stays.
#[cfg(not(target_os = "linux"))]
fn step_back() {}

impl Pool {
    /// Starts `threads` threads, which last as long as the program.
    pub(crate) fn start(threads: usize) -> std::io::Result<Arc<Pool>> {
        let pool = Arc::new(Pool::default());
        lock(&pool.slices).resize(threads, None);
        for number in 0..threads {
            let pool = Arc::clone(&pool);
            thread::Builder::new().name(format!("think {number}")).spawn(move || pool.work(number))?;
        }
        let watched = Arc::clone(&pool);
        thread::Builder::new().name("watch".to_owned()).spawn(move || watched.watch())?;
        Ok(pool)
    }

    /// Puts a session at the end of the queue.
    pub(crate) fn add(&self, session: Arc<Session>) {
        lock(&self.queue).push_back(session);
        self.more.notify_one();
    }

    fn next(&self) -> Arc<Session> {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(session) = queue.pop_front() {
                return session;
            }
            queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self, number: usize) {
        step_back();
        loop {
            let session = self.next();
            let stop = StopToken::new();
            lock(&self.slices)[number] = Some((Instant::now(), stop.clone()));
            let more = catch_unwind(AssertUnwindSafe(|| session.think(&stop)));
            lock(&self.slices)[number] = None;
            match more {
                Ok(true) => self.add(session),
                Ok(false) => {}
                // The session ends; its thread does not.
                Err(_) => session.fail("the engine failed"),
            }
        }
    }

    fn watch(&self) {
        loop {
            thread::sleep(LOOK);
            for (since, stop) in lock(&self.slices).iter().flatten() {
                if since.elapsed() > TOO_LONG {
                    stop.stop();
                }
            }
        }
    }
}
