//! A clock of the CPU time of one thread, which another thread can read.

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A clock of the CPU time of the thread that makes the clock. On systems other than Linux, which do not
/// report the CPU time of a thread to other threads, the clock gives the elapsed time instead.
#[derive(Clone, Debug)]
pub struct CpuClock {
    began: Instant,
    /// The file with the scheduler's statistics of the thread, and the CPU time that the file showed when the
    /// clock was made. `None` if there is no such file.
    since: Option<(PathBuf, Duration)>,
}

impl CpuClock {
    /// A clock of the calling thread that starts now.
    pub fn of_this_thread() -> CpuClock {
        // The link names the thread: `PID/task/TID`.
        let thread = std::fs::read_link("/proc/thread-self").ok();
        let file = thread.map(|thread| PathBuf::from("/proc").join(thread).join("schedstat"));
        let since = file.and_then(|file| read(&file).map(|used| (file, used)));
        CpuClock { began: Instant::now(), since }
    }

    /// The CPU time that the thread has used since the clock was made.
    pub fn elapsed(&self) -> Duration {
        match &self.since {
            // The statistics of a thread that has ended cannot be read. Such a thread uses no more time.
            Some((file, since)) => read(file).unwrap_or(*since).saturating_sub(*since),
            None => self.began.elapsed(),
        }
    }
}

/// The time that the thread has spent on a processor: the first number in `file` (`schedstat`), in
/// nanoseconds. `None` if it cannot be read.
fn read(file: &PathBuf) -> Option<Duration> {
    let text = std::fs::read_to_string(file).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::CpuClock;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_sleeps_uses_no_time_and_one_that_works_does() {
        let (send, receive) = channel();
        let (work, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            send.send(CpuClock::of_this_thread()).unwrap();
            wait.recv().unwrap();
            let own = CpuClock::of_this_thread();
            while own.elapsed() < Duration::from_millis(50) {
                std::hint::spin_loop();
            }
            send.send(own).unwrap();
            let _ = wait.recv();
        });
        let clock = receive.recv().unwrap();
        assert!(clock.since.is_some(), "Linux reports the time of threads");
        std::thread::sleep(Duration::from_millis(100));
        assert!(clock.elapsed() < Duration::from_millis(50), "it sleeps: {:?}", clock.elapsed());
        work.send(()).unwrap();
        receive.recv().unwrap();
        assert!(clock.elapsed() >= Duration::from_millis(50), "it has worked: {:?}", clock.elapsed());
        drop(work);
        thread.join().unwrap();
    }
}
