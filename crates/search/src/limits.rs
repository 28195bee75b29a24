//! When a search stops: any of a deadline, a number of iterations, the memory bound, a raised
//! flag, in any combination.

use ggp_game::{Deadline, EvalError, Role, StopToken};
use std::time::{Duration, Instant};

/// What ends a search. Starts without any limit.
#[derive(Clone, Debug)]
pub struct Limits {
    /// No work starts that is not expected to end before this.
    pub deadline: Deadline,
    /// At most so many iterations in this run.
    pub iterations: Option<u64>,
    /// Whether to stop when the tree has no room left; otherwise the search goes on and refines
    /// what the tree holds.
    pub when_full: bool,
    /// The role whose goal, once proved, ends the search; `None` for all roles' goals.
    pub decided_for: Option<Role>,
    /// Stops at once when raised.
    pub stop: StopToken,
}

/// Why a search stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The clock.
    Deadline,
    /// The iterations asked for are done.
    Iterations,
    /// The tree has no room left.
    Full,
    /// The flag was raised.
    Stopped,
    /// What was asked for is proved, or the game is over at the root.
    Decided,
    /// The rules could not be evaluated, time after time.
    Failing(EvalError),
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            deadline: Deadline::never(),
            iterations: None,
            when_full: false,
            decided_for: None,
            stop: StopToken::new(),
        }
    }
}

impl Limits {
    /// So many iterations.
    pub fn iterations(iterations: u64) -> Limits {
        Limits { iterations: Some(iterations), ..Limits::default() }
    }

    /// This long from now.
    pub fn time(time: Duration) -> Limits {
        Limits { deadline: Deadline::after(time), ..Limits::default() }
    }

    /// Also stops at `deadline`.
    #[must_use]
    pub fn until(mut self, deadline: Deadline) -> Limits {
        self.deadline = deadline;
        self
    }

    /// Also stops when `stop` is raised.
    #[must_use]
    pub fn or_when(mut self, stop: &StopToken) -> Limits {
        self.stop = stop.clone();
        self
    }

    /// Stops once `role`'s goal is proved, whatever the others'.
    #[must_use]
    pub fn for_role(mut self, role: Role) -> Limits {
        self.decided_for = Some(role);
        self
    }

    /// Also stops when the tree has no room left.
    #[must_use]
    pub fn or_when_full(mut self) -> Limits {
        self.when_full = true;
        self
    }

    /// Whether work that takes `expected` may not start any more after `done` iterations.
    pub(crate) fn reached(&self, done: u64, expected: Duration) -> Option<Halt> {
        if self.stop.is_stopped() {
            Some(Halt::Stopped)
        } else if self.iterations.is_some_and(|most| done >= most) {
            Some(Halt::Iterations)
        } else if self.is_short_of(expected) {
            Some(Halt::Deadline)
        } else {
            None
        }
    }

    /// Whether less than `expected` is left on the clock.
    pub(crate) fn is_short_of(&self, expected: Duration) -> bool {
        self.deadline.0.is_some_and(|at| Instant::now() + expected >= at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Halt, Limits};
    use ggp_game::{Deadline, StopToken};
    use std::time::Duration;

    #[test]
    fn each_limit_stops_alone_and_the_flag_comes_first() {
        let stop = StopToken::new();
        let limits = Limits::iterations(5).until(Deadline::after(Duration::from_secs(60))).or_when(&stop);
        assert_eq!(limits.reached(4, Duration::ZERO), None);
        assert_eq!(limits.reached(5, Duration::ZERO), Some(Halt::Iterations));
        assert_eq!(limits.reached(4, Duration::from_secs(61)), Some(Halt::Deadline));
        stop.stop();
        assert_eq!(limits.reached(9, Duration::ZERO), Some(Halt::Stopped));
        assert_eq!(Limits::default().reached(u64::MAX, Duration::from_secs(1 << 30)), None);
    }
}
