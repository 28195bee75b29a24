//! The CPU time of one thread, as another thread reads it.

pub(crate) use thread::ThreadClock;

#[cfg(target_os = "linux")]
mod thread {
    use nix::time::{ClockId, clock_gettime};
    use nix::unistd::gettid;
    use std::time::Duration;

    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ThreadClock {
        clock: ClockId,
        since: Duration,
    }

    impl ThreadClock {
        pub(crate) fn of_this_thread() -> ThreadClock {
            /// The kernel's number of the clock that counts the running time of one thread
            /// (`CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED`).
            const SCHEDULED: i32 = 4 | 2;
            let clock = ClockId::from_raw(!gettid().as_raw() << 3 | SCHEDULED);
            ThreadClock { clock, since: read(clock).unwrap_or_default() }
        }

        pub(crate) fn elapsed(self) -> Duration {
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
    pub(crate) struct ThreadClock(Instant);

    impl ThreadClock {
        pub(crate) fn of_this_thread() -> ThreadClock {
            ThreadClock(Instant::now())
        }

        pub(crate) fn elapsed(self) -> Duration {
            self.0.elapsed()
        }
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
