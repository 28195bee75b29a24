//! The preparation of a game for which a page waits: what is being done, and its end when the page no longer waits.

use crate::lock::lock;
use ggp_game::StopToken;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Other games are being prepared.
    Waiting,
    /// The rules are parsed, checked, and what never changes is evaluated.
    Rules,
    /// The board is inferred from random playouts.
    Board,
    /// The states of the match are computed.
    Match,
}

impl Stage {
    /// The stage in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Stage::Waiting => "waiting for other games",
            Stage::Rules => "reading and checking the rules",
            Stage::Board => "playing at random to find the board",
            Stage::Match => "setting up the match",
        }
    }
}

/// A preparation that is cancelled.
#[derive(Debug)]
pub(crate) struct Cancelled;

/// The preparation of a game.
pub(crate) struct Loading {
    stage: Mutex<Stage>,
    began: Instant,
    cancelled: AtomicBool,
    /// The flag of the work in progress. Once the work has ended, nothing raises it, so its results may keep it.
    stop: Mutex<Option<StopToken>>,
}

impl Loading {
    pub(crate) fn new() -> Arc<Loading> {
        Arc::new(Loading {
            stage: Mutex::new(Stage::Waiting),
            began: Instant::now(),
            cancelled: AtomicBool::new(false),
            stop: Mutex::default(),
        })
    }

    /// Calls `work` as the stage `stage`. If the preparation is cancelled, the flag of `work` is raised.
    ///
    /// # Errors
    /// When the preparation is cancelled.
    pub(crate) fn run<T>(&self, stage: Stage, work: impl FnOnce(&StopToken) -> T) -> Result<T, Cancelled> {
        let stop = StopToken::new();
        *lock(&self.stage) = stage;
        *lock(&self.stop) = Some(stop.clone());
        if self.is_cancelled() {
            return Err(Cancelled);
        }
        let result = work(&stop);
        lock(&self.stop).take();
        if self.is_cancelled() { Err(Cancelled) } else { Ok(result) }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        if let Some(stop) = lock(&self.stop).take() {
            stop.stop();
        }
    }

    /// What is being done, and for how many seconds the page has waited.
    pub(crate) fn progress(&self) -> (Stage, f64) {
        (*lock(&self.stage), self.began.elapsed().as_secs_f64())
    }
}

/// Cancels the preparation when it is dropped: when the page has its answer, or has closed the connection.
pub(crate) struct Wait(pub(crate) Arc<Loading>);

impl Drop for Wait {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_nobody_waits() {
        let loading = Loading::new();
        assert_eq!(loading.progress().0, Stage::Waiting);
        let kept = loading.run(Stage::Rules, StopToken::clone).expect("it is not cancelled");
        assert_eq!(loading.progress().0, Stage::Rules);
        let wait = Wait(Arc::clone(&loading));
        let worker = Arc::clone(&loading);
        let thread = std::thread::spawn(move || {
            worker.run(Stage::Board, |stop| {
                while !stop.is_stopped() {
                    std::thread::yield_now();
                }
            })
        });
        drop(wait);
        assert!(thread.join().expect("it ends").is_err());
        assert!(!kept.is_stopped(), "the flag of work that has ended stays as it was");
        assert!(loading.run(Stage::Match, |_| ()).is_err());
    }
}
