//! The build of a network on a background thread. All users of the network share one build.
//!
//! Invariants: the thread ends soon after the last clone of the [`BackgroundBuild`] is dropped. The listener
//! of a build receives each kind of [`Notice`] at most once, however many players wait for the network.

use crate::build::{Build, BuildError};
use crate::machine::{BuiltMachine, Machine};
use ggp_game::{Deadline, StopToken};
use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// The outcome of a build: the state machine, or the reason why there is none. The machine is the network, the
/// compiled evaluator, or the interpreter if the caller chose the interpreter.
pub(crate) type Built = Result<BuiltMachine, BuildError>;

/// An event of a build that a program may report to its user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice<'a> {
    /// A player plays with the interpreter because the network is not ready yet.
    Waiting,
    /// The network is ready, after [`Notice::Waiting`] was given.
    Ready,
    /// The network could not be built, for the given reason. The compiled evaluator plays in its place.
    Compiled(&'a BuildError),
    /// The network could not be built, for the given reason. The interpreter plays to the end of the match.
    Unavailable(&'a BuildError),
}

/// The stack size of the building thread, in bytes. Player threads have the same stack size.
const STACK: usize = 4 << 20;

/// A running or finished build. All clones stand for the same build.
#[derive(Clone, Debug)]
pub struct BackgroundBuild(Arc<Handle>);

/// The part that all clones of a [`BackgroundBuild`] share. It stops the build when the last clone is
/// dropped.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    halt: StopToken,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.halt.stop();
    }
}

/// The function that receives the notices of a build.
type Listener = Box<dyn Fn(Notice<'_>) + Send + Sync>;

#[derive(Default)]
struct Shared {
    built: Mutex<Option<Built>>,
    ended: Condvar,
    listener: OnceLock<Listener>,
    told_waiting: AtomicBool,
    told_outcome: AtomicBool,
}

impl Debug for Shared {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("built", &self.built).finish_non_exhaustive()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Built>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self, notice: Notice<'_>) {
        if let Some(listener) = self.listener.get() {
            listener(notice);
        }
    }
}

/// The guard of the building thread. When it is dropped, it stores an error if the build has panicked, and
/// wakes the threads that wait for the outcome.
struct Outcome(Arc<Shared>);

impl Drop for Outcome {
    fn drop(&mut self) {
        self.0.lock().get_or_insert(Err(BuildError::Failed));
        self.0.ended.notify_all();
    }
}

impl BackgroundBuild {
    /// A build that has finished with the outcome `built`.
    pub(crate) fn of_outcome(built: Built) -> BackgroundBuild {
        let build = BackgroundBuild::empty();
        *build.0.shared.lock() = Some(built);
        build
    }

    fn empty() -> BackgroundBuild {
        BackgroundBuild(Arc::new(Handle { shared: Arc::default(), halt: StopToken::new() }))
    }

    /// Runs `build` on a new thread. The function must return soon after the token that it receives is
    /// raised.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(crate) fn run(
        build: impl FnOnce(&StopToken) -> Built + Send + 'static,
    ) -> std::io::Result<BackgroundBuild> {
        let begun = BackgroundBuild::empty();
        let (outcome, halt) = (Outcome(Arc::clone(&begun.0.shared)), begun.0.halt.clone());
        std::thread::Builder::new().name("build".to_owned()).stack_size(STACK).spawn(move || {
            let built = build(&halt);
            *outcome.0.lock() = Some(built);
        })?;
        Ok(begun)
    }

    /// Calls `listener` with each [`Notice`], at most once for each kind. A build has one listener: later
    /// calls of this function change nothing.
    #[must_use]
    pub fn on_notice(self, listener: impl Fn(Notice<'_>) + Send + Sync + 'static) -> BackgroundBuild {
        let _ = self.0.shared.listener.set(Box::new(listener));
        self
    }

    /// Waits for the outcome until `deadline` or until `stop` is raised. `None` if the build has not finished by
    /// then.
    pub(crate) fn wait_for_machine(&self, deadline: Deadline, stop: &StopToken) -> Option<Built> {
        let shared = &self.0.shared;
        let mut built = shared.lock();
        while built.is_none() && !stop.is_stopped() && !deadline.is_over() {
            let left = deadline.remaining().unwrap_or(Build::POLL).min(Build::POLL);
            built = shared.ended.wait_timeout(built, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        built.clone()
    }

    /// The outcome of the build. `None` while the build runs.
    pub(crate) fn machine(&self) -> Option<Built> {
        self.0.shared.lock().clone()
    }

    /// Tells the listener that the interpreter plays until the network is built.
    pub(crate) fn tell_waiting(&self) {
        let shared = &self.0.shared;
        if !shared.told_waiting.swap(true, Ordering::Relaxed) {
            shared.notify(Notice::Waiting);
        }
    }

    /// Tells the listener that the network could not be built, or that the network is ready. The latter is
    /// told only after [`Notice::Waiting`] was given. Does nothing while the build runs.
    pub(crate) fn tell_outcome(&self) {
        let shared = &self.0.shared;
        let Some(built) = self.machine() else { return };
        let notice = match &built {
            Err(why) => Notice::Unavailable(why),
            Ok(BuiltMachine { machine: Machine::Compiled(_), instead_of: Some(why) }) => {
                Notice::Compiled(why)
            }
            Ok(BuiltMachine { machine: Machine::Network(_), .. })
                if shared.told_waiting.load(Ordering::Relaxed) =>
            {
                Notice::Ready
            }
            Ok(_) => return,
        };
        if !shared.told_outcome.swap(true, Ordering::Relaxed) {
            shared.notify(notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BackgroundBuild;
    use crate::build::BuildError;
    use ggp_game::{Deadline, StopToken};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_build_ends_when_nobody_waits_any_more() {
        let (ended, wait) = channel();
        let build = BackgroundBuild::run(move |halt| {
            while !halt.is_stopped() {
                std::thread::yield_now();
            }
            ended.send(()).unwrap();
            Err(BuildError::Stopped)
        })
        .unwrap();
        let other = build.clone();
        drop(build);
        assert!(other.machine().is_none(), "another user waits still");
        assert!(wait.try_recv().is_err());
        drop(other);
        wait.recv_timeout(Duration::from_secs(60)).expect("the build has ended");
    }

    #[test]
    fn a_panic_is_a_failure() {
        let build = BackgroundBuild::run(|_| panic!("on purpose")).unwrap();
        let built = build.wait_for_machine(Deadline::never(), &StopToken::new()).unwrap();
        assert_eq!(built.unwrap_err(), BuildError::Failed);
    }

    #[test]
    fn waiting_ends_with_the_clock_or_the_flag() {
        let build = BackgroundBuild::run(|halt| {
            while !halt.is_stopped() {
                std::thread::yield_now();
            }
            Err(BuildError::Stopped)
        })
        .unwrap();
        assert!(build.wait_for_machine(Deadline::after(Duration::ZERO), &StopToken::new()).is_none());
        let stop = StopToken::new();
        stop.stop();
        assert!(build.wait_for_machine(Deadline::never(), &stop).is_none());
    }
}
