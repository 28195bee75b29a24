//! Clocks, deadlines and stop flags.

use crate::EvalError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The clocks of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The time for preparation before the first move.
    pub start: Duration,
    /// The time for each move.
    pub play: Duration,
}

/// The time at which an answer is due. `None` stands for no deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(pub Option<Instant>);

impl Deadline {
    /// The deadline after `time` from now. No deadline if that time cannot be represented.
    pub fn after(time: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(time))
    }

    /// No deadline.
    pub fn never() -> Deadline {
        Deadline(None)
    }

    /// The time until the deadline. `None` if there is no deadline, and zero if it has passed.
    pub fn remaining(self) -> Option<Duration> {
        self.0.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether the deadline has passed.
    pub fn is_over(self) -> bool {
        self.0.is_some_and(|at| Instant::now() >= at)
    }
}

/// A flag that asks a computation to stop and answer at once. Clones share the flag.
#[derive(Clone, Default, Debug)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// Makes a flag that is not raised.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// The underlying atomic flag, for evaluators that do not depend on this crate.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Raises the flag.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Checks the flag. A long computation calls this function from time to time and returns its error, so
    /// that the flag ends the computation.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] if the flag is raised.
    pub fn check(&self) -> Result<(), EvalError> {
        if self.is_stopped() { Err(EvalError::Interrupted) } else { Ok(()) }
    }
}
