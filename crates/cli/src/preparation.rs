//! A network that a thread builds while other work goes on, and that all who want it share.
//!
//! Invariants: the thread ends soon after the last [`Preparation`] of it is dropped; what it came to is
//! said to the person once, however many players wait.

use crate::console;
use crate::reasoner::{Build, Choice, LOOK, Reasoner, Reasoning};
use ggp_game::{Deadline, Game, StopToken};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A reasoner, or why there is none.
pub(crate) type Built = Result<Reasoner, String>;

/// The stack of the thread that builds, as of those of players.
const STACK: usize = 4 << 20;

/// A network on its way. Clones wait for the same one.
#[derive(Clone, Debug)]
pub(crate) struct Preparation(Arc<Handle>);

/// Ends the build when nobody waits any more.
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

/// Answers for a build that panics.
struct Answer(Arc<Shared>);

impl Drop for Answer {
    fn drop(&mut self) {
        self.0.lock().get_or_insert_with(|| Err("building its network failed".to_owned()));
        self.0.ready.notify_all();
    }
}

impl Preparation {
    /// Something that is there already.
    pub(crate) fn finished(built: Built) -> Preparation {
        let preparation = Preparation::empty();
        *preparation.0.shared.lock() = Some(built);
        preparation
    }

    fn empty() -> Preparation {
        Preparation(Arc::new(Handle { shared: Arc::default(), halt: StopToken::new() }))
    }

    /// Begins `build` in a thread of its own; it ends soon after the flag that it is given is raised.
    ///
    /// # Errors
    /// Where the system has no thread to give.
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

    /// What `reasoning` asks for, for players of `game`: a network that is begun now, unless the
    /// interpreter was asked for.
    ///
    /// # Errors
    /// Where the system has no thread to give.
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

    /// What it has come to by `deadline`, or by the time that `stop` is raised; `None` if it goes on.
    pub(crate) fn wait(&self, deadline: Deadline, stop: &StopToken) -> Option<Built> {
        let shared = &self.0.shared;
        let mut built = shared.lock();
        while built.is_none() && !stop.is_stopped() && !deadline.is_over() {
            let left = deadline.remaining().unwrap_or(LOOK).min(LOOK);
            built = shared.ready.wait_timeout(built, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        built.clone()
    }

    /// What it has come to so far; `None` if it goes on.
    pub(crate) fn look(&self) -> Option<Built> {
        self.0.shared.lock().clone()
    }

    /// Says, once, that the interpreter plays for the time being.
    pub(crate) fn say_waiting(&self) {
        if !self.0.shared.said_waiting.swap(true, Ordering::Relaxed) {
            console::say("the interpreter plays until the network of this game is built; it is far weaker");
        }
    }

    /// Says, once, what became of the network that players had to wait for, or that there is none.
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
