//! A thread that raises a stop flag when work has used up its time.

use crate::clock::{Deadline, StopToken};
use crate::cpu_clock::CpuClock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The interval between two checks of a flag or of a CPU clock. It is well below 50 ms, the longest
/// acceptable delay of an answer.
const POLL: Duration = Duration::from_millis(5);

/// Raises a stop flag when a piece of work reaches a limit. The limits are a deadline, an amount of CPU time,
/// and another stop flag, in any combination.
///
/// # Examples
/// ```
/// use ggp_game::{Deadline, Watchdog};
/// use std::time::Duration;
/// let rounds = Watchdog::until(Deadline::after(Duration::from_millis(10))).watch(|stop| {
///     let mut rounds = 0_u64;
///     while !stop.is_stopped() {
///         rounds += 1;
///         std::thread::yield_now();
///     }
///     rounds
/// });
/// assert!(rounds > 0);
/// ```
#[derive(Clone, Debug)]
pub struct Watchdog {
    deadline: Deadline,
    cpu_time: Option<(CpuClock, Duration)>,
    other: Option<StopToken>,
}

/// A watchdog that is running. Dropping this value ends the watchdog's thread and does not change the flag.
#[derive(Debug)]
pub struct Watched {
    stop: StopToken,
    _drop_to_end: Option<Sender<()>>,
}

impl Watchdog {
    /// A watchdog that raises its flag at `deadline`.
    pub fn until(deadline: Deadline) -> Watchdog {
        Watchdog { deadline, cpu_time: None, other: None }
    }

    /// Also raises the flag when the calling thread has used `limit` of CPU time from now on.
    #[must_use]
    pub fn or_after_cpu_time(mut self, limit: Duration) -> Watchdog {
        self.cpu_time = Some((CpuClock::of_this_thread(), limit));
        self
    }

    /// Also raises the flag soon after `other` is raised.
    #[must_use]
    pub fn or_when(mut self, other: &StopToken) -> Watchdog {
        self.other = Some(other.clone());
        self
    }

    /// Whether a limit has been reached.
    fn is_over(&self) -> bool {
        self.deadline.is_over()
            || self.other.as_ref().is_some_and(StopToken::is_stopped)
            || self.cpu_time.as_ref().is_some_and(|(clock, limit)| clock.elapsed() >= *limit)
    }

    /// The time until the next check of the limits. `None` if there is no limit at all, so that waiting is
    /// pointless.
    fn pause(&self) -> Option<Duration> {
        let polls = self.other.is_some() || self.cpu_time.is_some();
        match self.deadline.remaining() {
            Some(left) if polls => Some(left.min(POLL)),
            None if polls => Some(POLL),
            left => left,
        }
    }

    /// Starts the watchdog. If the system cannot start a thread, raises the flag at once, so that the work
    /// stays bounded.
    pub fn start(self) -> Watched {
        let stop = StopToken::new();
        if self.is_over() {
            stop.stop();
        }
        let Some(mut pause) = self.pause().filter(|_| !stop.is_stopped()) else {
            return Watched { stop, _drop_to_end: None };
        };
        let (end, ended) = channel::<()>();
        let flag = stop.clone();
        let thread = thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                if self.is_over() {
                    flag.stop();
                    return;
                }
                pause = self.pause().unwrap_or(POLL);
            }
        });
        if thread.is_err() {
            stop.stop();
        }
        Watched { stop, _drop_to_end: Some(end) }
    }

    /// Starts the watchdog and calls `work` with its flag. The watchdog ends when `work` returns.
    pub fn watch<T>(self, work: impl FnOnce(&StopToken) -> T) -> T {
        work(self.start().token())
    }
}

impl Watched {
    /// The flag that the watchdog raises.
    pub fn token(&self) -> &StopToken {
        &self.stop
    }
}

#[cfg(test)]
mod tests {
    use super::Watchdog;
    use crate::clock::{Deadline, StopToken};
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(3600);

    fn wait(stop: &StopToken) {
        while !stop.is_stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn each_limit_raises_the_flag_alone() {
        Watchdog::until(Deadline::after(Duration::from_millis(5))).watch(wait);
        let other = StopToken::new();
        other.stop();
        Watchdog::until(Deadline::after(LONG)).or_when(&other).watch(wait);
        let mut rounds = 0_u64;
        Watchdog::until(Deadline::after(LONG)).or_after_cpu_time(Duration::from_millis(5)).watch(|stop| {
            while !stop.is_stopped() {
                rounds = std::hint::black_box(rounds + 1);
            }
        });
        assert!(rounds > 0);
        assert!(
            Watchdog::until(Deadline::never()).or_after_cpu_time(Duration::ZERO).start().token().is_stopped()
        );
    }

    #[test]
    fn it_ends_with_its_work() {
        let watched = Watchdog::until(Deadline::after(Duration::from_millis(20))).start();
        let stop = watched.token().clone();
        drop(watched);
        std::thread::sleep(Duration::from_millis(40));
        assert!(!stop.is_stopped());
        assert!(Watchdog::until(Deadline::never()).watch(|stop| !stop.is_stopped()));
    }
}
