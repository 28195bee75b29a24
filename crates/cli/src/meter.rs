//! Measurement of CPU time and memory.

/// CPU time of this process over all threads, in seconds. On systems other than Unix, the time since the
/// first call.
pub(crate) fn cpu_seconds() -> f64 {
    system::cpu_seconds()
}

/// A clock of the CPU time of one thread, which other threads can read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadClock(thread::ThreadClock);

impl ThreadClock {
    /// A clock of the calling thread that starts now.
    pub(crate) fn of_this_thread() -> ThreadClock {
        ThreadClock(thread::ThreadClock::of_this_thread())
    }

    /// CPU time that the thread has used since the start of the clock. On systems other than Linux, the
    /// elapsed time.
    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }
}

/// The peak resident memory of this process, in MiB; `None` if the system does not report it.
pub(crate) fn peak_rss_mib() -> Option<f64> {
    system::peak_rss_mib()
}

#[cfg(unix)]
mod system {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::time::{ClockId, clock_gettime};

    pub(super) fn cpu_seconds() -> f64 {
        clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
            .map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
    }

    pub(super) fn peak_rss_mib() -> Option<f64> {
        // The unit is bytes on Apple's systems and KiB on all others.
        let unit = if cfg!(target_vendor = "apple") { 1.0 / 1024.0 } else { 1.0 };
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        Some(usage.max_rss() as f64 * unit / 1024.0)
    }
}

#[cfg(target_os = "linux")]
mod thread {
    use nix::time::{ClockId, clock_gettime};
    use nix::unistd::gettid;
    use std::time::Duration;

    #[derive(Clone, Copy, Debug)]
    pub(super) struct ThreadClock {
        clock: ClockId,
        since: Duration,
    }

    impl ThreadClock {
        pub(super) fn of_this_thread() -> ThreadClock {
            /// The kernel's number of the clock that counts the running time of one thread
            /// (`CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED`).
            const SCHEDULED: i32 = 4 | 2;
            let clock = ClockId::from_raw(!gettid().as_raw() << 3 | SCHEDULED);
            ThreadClock { clock, since: read(clock).unwrap_or_default() }
        }

        pub(super) fn elapsed(self) -> Duration {
            // The clock of a thread that has ended cannot be read.
            read(self.clock).unwrap_or(self.since).saturating_sub(self.since)
        }
    }

    fn read(clock: ClockId) -> Option<Duration> {
        clock_gettime(clock).ok().map(Duration::from)
    }
}

#[cfg(not(target_os = "linux"))]
mod thread {
    use std::time::{Duration, Instant};

    #[derive(Clone, Copy, Debug)]
    pub(super) struct ThreadClock(Instant);

    impl ThreadClock {
        pub(super) fn of_this_thread() -> ThreadClock {
            ThreadClock(Instant::now())
        }

        pub(super) fn elapsed(self) -> Duration {
            self.0.elapsed()
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::sync::OnceLock;
    use std::time::Instant;

    pub(super) fn cpu_seconds() -> f64 {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed().as_secs_f64()
    }

    pub(super) fn peak_rss_mib() -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::ThreadClock;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_sleeps_uses_no_time_and_one_that_works_does() {
        let (tell, told) = channel();
        let (work, wait) = channel::<()>();
        let thread = std::thread::spawn(move || {
            tell.send(ThreadClock::of_this_thread()).unwrap();
            wait.recv().unwrap();
            let own = ThreadClock::of_this_thread();
            while own.elapsed() < Duration::from_millis(50) {
                std::hint::spin_loop();
            }
            tell.send(own).unwrap();
            let _ = wait.recv();
        });
        let clock = told.recv().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        assert!(clock.elapsed() < Duration::from_millis(50), "it sleeps: {:?}", clock.elapsed());
        work.send(()).unwrap();
        told.recv().unwrap();
        assert!(clock.elapsed() >= Duration::from_millis(50), "it has worked: {:?}", clock.elapsed());
        drop(work);
        thread.join().unwrap();
    }
}
