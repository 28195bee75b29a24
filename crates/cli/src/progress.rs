//! A progress display for long work.
//!
//! Invariant: nothing is shown in the first two seconds, and nothing at all if standard error is not a
//! terminal. The display is removed when the work ends.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time after which the display appears.
const PATIENCE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(100);

/// A display of the work in progress. It disappears when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    timer: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts a display with the text `what`. The display shows no remaining time, since the amount of work
    /// is unknown.
    pub(crate) fn start(what: impl Into<String>) -> Progress {
        let bar = ProgressBar::hidden();
        let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
        bar.set_style(style.expect("a template that is part of the program"));
        bar.set_message(what.into());
        let timer = std::io::stderr().is_terminal().then(|| {
            let (done, wait) = mpsc::channel();
            let bar = bar.clone();
            let show = move || {
                if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            };
            (done, std::thread::spawn(show))
        });
        Progress { bar, timer }
    }

    /// Changes the text of the display.
    pub(crate) fn set(&self, what: impl Into<String>) {
        if self.timer.is_some() {
            self.bar.set_message(what.into());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.timer.take() {
            drop(done);
            // A thread that panicked has shown nothing.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
