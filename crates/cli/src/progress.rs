//! A sign of life for work that lasts.
//!
//! Invariant: nothing is shown in the first two seconds, nor when standard error is no terminal,
//! and nothing of it is left when the work is done.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Work that takes less is not worth a word.
const PATIENCE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(100);

/// Shows what goes on, until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    timer: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Work of which it is not known how much there is.
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

    /// Says how far it is.
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
            // A thread that panicked has shown nothing that needs clearing.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
