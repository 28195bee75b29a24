//! A network that a thread builds in the background, shared by all its users.
//!
//! Invariants: the thread ends soon after the last [`Preparation`] of the build is dropped. The outcome
//! is printed at most once, however many players wait.

use crate::console;
use crate::reasoner::{Build, Choice, LOOK, Reasoner, Reasoning};
use ggp_game::{Deadline, Game, StopToken};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A reasoner, or the reason why there is none.
pub(crate) type Built = Result<Reasoner, String>;

/// Stack size of the building thread, in bytes; the same as that of player threads.
const STACK: usize = 4 << 20;

/// A running or finished build. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Preparation(Arc<Handle>);

/// Stops the build when the last clone is dropped.
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

#[derive(Debug, Default)]
struct Shared {
    built: Mutex<Option<Built>>,
    ready: Condvar,
    said_waiting: AtomicBool,
    said_outcome: AtomicBool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Built>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores an error if the build panics, and wakes the waiting threads.
struct Answer(Arc<Shared>);

impl Drop for Answer {
    fn drop(&mut self) {
        self.0.lock().get_or_insert_with(|| Err("building its network failed".to_owned()));
        self.0.ready.notify_all();
    }
}

impl Preparation {
    /// A preparation that is finished already.
    pub(crate) fn finished(built: Built) -> Preparation {
        let preparation = Preparation::empty();
        *preparation.0.shared.lock() = Some(built);
        preparation
    }

    fn empty() -> Preparation {
        Preparation(Arc::new(Handle { shared: Arc::default(), halt: StopToken::new() }))
    }

    /// Runs `build` on a new thread. It must return soon after its token is stopped.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(crate) fn begin(
        build: impl FnOnce(&StopToken) -> Built + Send + 'static,
    ) -> std::io::Result<Preparation> {
        let preparation = Preparation::empty();
        let (answer, halt) = (Answer(Arc::clone(&preparation.0.shared)), preparation.0.halt.clone());
        std::thread::Builder::new().name("build".to_owned()).stack_size(STACK).spawn(move || {
            let built = build(&halt);
            *answer.0.lock() = Some(built);
        })?;
        Ok(preparation)
    }

    /// Starts the build of the reasoner that `reasoning` selects for `game`. The interpreter needs no
    /// build.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(crate) fn of_game(
        reasoning: Reasoning,
        build: Build,
        game: &Arc<Game>,
    ) -> std::io::Result<Preparation> {
        let time = match reasoning.choice() {
            Choice::Datalog => return Ok(Preparation::finished(Ok(Reasoner::datalog(game)))),
            Choice::Auto => build.time,
            Choice::Propnet => Duration::MAX,
        };
        let (game, build) = (Arc::clone(game), Build { time, ..build });
        Preparation::begin(move |halt| build.network(&game, halt))
    }

    /// Where `reasoning` leaves no fallback, waits for the network.
    ///
    /// # Errors
    /// The reason why there is no network, where `reasoning` asks for one.
    pub(crate) fn insist(&self, reasoning: Reasoning) -> Result<(), String> {
        match reasoning.choice() {
            Choice::Propnet => match self.wait(Deadline::never(), &StopToken::new()) {
                Some(Err(why)) => Err(why),
                Some(Ok(_)) | None => Ok(()),
            },
            Choice::Auto | Choice::Datalog => Ok(()),
        }
    }

    /// Waits for the result until `deadline` or until `stop` is raised; `None` if the build still runs
    /// then.
    pub(crate) fn wait(&self, deadline: Deadline, stop: &StopToken) -> Option<Built> {
        let shared = &self.0.shared;
        let mut built = shared.lock();
        while built.is_none() && !stop.is_stopped() && !deadline.is_over() {
            let left = deadline.remaining().unwrap_or(LOOK).min(LOOK);
            built = shared.ready.wait_timeout(built, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        built.clone()
    }

    /// The result, if the build is finished.
    pub(crate) fn look(&self) -> Option<Built> {
        self.0.shared.lock().clone()
    }

    /// Reports, once, that the interpreter plays until the network is built.
    pub(crate) fn say_waiting(&self) {
        if !self.0.shared.said_waiting.swap(true, Ordering::Relaxed) {
            console::say("the interpreter plays until the network of this game is built; it is far weaker");
        }
    }

    /// Reports, once, that there is no network, or that a network which players waited for is ready.
    pub(crate) fn say_outcome(&self, built: &Built) {
        let shared = &self.0.shared;
        let text = match built {
            Err(why) => format!("the interpreter plays this game, far weaker than a network would: {why}"),
            Ok(Reasoner::Propnet(_)) if shared.said_waiting.load(Ordering::Relaxed) => {
                "the network is built: the engine plays with it from here on".to_owned()
            }
            Ok(_) => return,
        };
        if !shared.said_outcome.swap(true, Ordering::Relaxed) {
            console::say(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Preparation;
    use ggp_game::{Deadline, StopToken};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_build_ends_when_nobody_waits_any_more() {
        let (tell, told) = channel();
        let preparation = Preparation::begin(move |halt| {
            while !halt.is_stopped() {
                std::thread::yield_now();
            }
            tell.send(()).unwrap();
            Err("halted".to_owned())
        })
        .unwrap();
        let other = preparation.clone();
        drop(preparation);
        assert!(other.look().is_none(), "somebody waits still");
        assert!(told.try_recv().is_err());
        drop(other);
        told.recv_timeout(Duration::from_secs(60)).expect("the build has ended");
    }

    #[test]
    fn a_build_that_panics_has_failed() {
        let preparation = Preparation::begin(|_| panic!("as the test wants")).unwrap();
        let built = preparation.wait(Deadline::never(), &StopToken::new()).unwrap();
        assert_eq!(built.unwrap_err(), "building its network failed");
    }

    #[test]
    fn waiting_ends_with_the_clock_or_the_flag() {
        let preparation = Preparation::begin(|halt| {
            while !halt.is_stopped() {
                std::thread::yield_now();
            }
            Err("halted".to_owned())
        })
        .unwrap();
        assert!(preparation.wait(Deadline::after(Duration::ZERO), &StopToken::new()).is_none());
        let stop = StopToken::new();
        stop.stop();
        assert!(preparation.wait(Deadline::never(), &stop).is_none());
    }
}
