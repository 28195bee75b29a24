//! Work on rules with a time limit.

use ggp_game::StopToken;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Calls `work` with a token, which is stopped after `time`. Returns when `work` does.
pub(crate) fn limited<T>(time: Duration, work: impl FnOnce(&StopToken) -> T) -> T {
    let stop = StopToken::new();
    thread::scope(|scope| {
        // The watchdog thread ends at the time limit, or when `done` is dropped after the work.
        let (done, wait) = mpsc::channel::<()>();
        let flag = stop.clone();
        scope.spawn(move || {
            if wait.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.stop();
            }
        });
        let result = work(&stop);
        drop(done);
        result
    })
}
