//! The limits of a run: a deadline, a number of iterations, the memory bound and a stop flag, in any
//! combination.

use ggp_game::{Deadline, EvalError, Role, StopToken};
use std::time::{Duration, Instant};

/// The limits of a run. The default has no limit.
///
/// ```
/// use ggp_search::Limits;
/// use ggp_game::{Role, StopToken};
/// use std::time::Duration;
///
/// let stop = StopToken::new();
/// let limits = Limits::time(Duration::from_secs(5)).or_when(&stop).for_role(Role(0)).or_when_full();
/// assert_eq!((limits.iterations, limits.decided_for, limits.when_full), (None, Some(Role(0)), true));
/// assert!(limits.deadline.remaining().unwrap() <= Duration::from_secs(5));
/// stop.stop();
/// assert!(limits.stop.is_stopped());
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// The run starts no work that is expected to end after this time.
    pub deadline: Deadline,
    /// The maximum number of iterations of the run; `None` for no maximum.
    pub iterations: Option<u64>,
    /// Whether the run ends when the tree is full. If false, the search frees rarely visited nodes and
    /// continues.
    pub when_full: bool,
    /// The role whose goal must be proved to end the run. `None` if the goals of all roles must be proved.
    pub decided_for: Option<Role>,
    /// The run ends at once when this token is raised.
    pub stop: StopToken,
}

/// The reason why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The deadline is reached.
    Deadline,
    /// The requested number of iterations is done.
    Iterations,
    /// The memory bound is reached.
    Full,
    /// The stop flag was raised.
    Stopped,
    /// The goals that [`Limits::decided_for`] asks for are proved, or the game is over at the root.
    Decided,
    /// The machine failed repeatedly; holds the last error.
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
    /// A limit of `iterations`.
    pub fn iterations(iterations: u64) -> Limits {
        Limits { iterations: Some(iterations), ..Limits::default() }
    }

    /// A limit of `time` from now.
    pub fn time(time: Duration) -> Limits {
        Limits { deadline: Deadline::after(time), ..Limits::default() }
    }

    /// Sets the deadline.
    #[must_use]
    pub fn until(mut self, deadline: Deadline) -> Limits {
        self.deadline = deadline;
        self
    }

    /// Sets the stop flag.
    #[must_use]
    pub fn or_when(mut self, stop: &StopToken) -> Limits {
        self.stop = stop.clone();
        self
    }

    /// Ends the run once `role`'s goal is proved, even if other roles' goals are not.
    #[must_use]
    pub fn for_role(mut self, role: Role) -> Limits {
        self.decided_for = Some(role);
        self
    }

    /// Ends the run when the tree is full.
    #[must_use]
    pub fn or_when_full(mut self) -> Limits {
        self.when_full = true;
        self
    }

    /// The limit that forbids the next piece of work; `None` if the work may start. `done` is the number of
    /// iterations done so far in the run, and `expected` is the time that the work is expected to take.
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

    /// Whether the time left until the deadline is at most `expected`.
    pub(crate) fn is_short_of(&self, expected: Duration) -> bool {
        self.deadline.0.is_some_and(|at| Instant::now() + expected >= at)
    }
}

/// A margin is at most the time left on the clock divided by this number.
const LARGEST_MARGIN: u32 = 5;

/// `deadline` minus `margin`. If the margin exceeds a fifth of the time left, only that fifth is subtracted.
pub(crate) fn before_margin(deadline: Deadline, margin: Duration) -> Deadline {
    let margin = deadline.remaining().map_or(Duration::ZERO, |left| margin.min(left / LARGEST_MARGIN));
    Deadline(deadline.0.and_then(|at| at.checked_sub(margin)))
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
