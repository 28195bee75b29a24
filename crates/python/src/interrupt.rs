//! Long work that Ctrl-C interrupts.

use ggp::StopToken;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// The time after which waiting work asks Python for signals.
const POLL: Duration = Duration::from_millis(30);

/// Does `work` on another thread without the interpreter lock, while this thread looks for signals. A signal whose
/// handler raises, such as Ctrl-C, stops the work; the exception is the result then.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&StopToken) -> T + Send,
) -> PyResult<T> {
    let (stop, is_done) = (StopToken::new(), AtomicBool::new(false));
    py.detach(|| {
        let waiting = thread::current();
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                // Dropped when the work ends, in whichever way.
                let _done = Done(&is_done, &waiting);
                work(&stop)
            });
            let mut raised = None;
            while raised.is_none() && !is_done.load(Ordering::Acquire) {
                thread::park_timeout(POLL);
                #[expect(clippy::redundant_closure_for_method_calls, reason = "lifetimes")]
                let signals = Python::attach(|py| py.check_signals());
                raised = signals.err();
            }
            if raised.is_some() {
                stop.stop();
            }
            let outcome = worker.join().map_err(|panic| {
                let text = panic.downcast_ref::<&str>().map_or("an internal error", |text| text);
                pyo3::exceptions::PyRuntimeError::new_err(format!("{text} (a bug of ggp; please report it)"))
            });
            raised.map_or(outcome, Err)
        })
    })
}

/// Marks the end of work, and wakes the thread that waits for it.
struct Done<'a>(&'a AtomicBool, &'a Thread);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
        self.1.unpark();
    }
}
