//! Work on rules that ends in time, whatever the rules are.

use ggp_game::StopToken;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Does `work`; the flag that it gets is raised after `time`.
pub(crate) fn limited<T>(time: Duration, work: impl FnOnce(&StopToken) -> T) -> T {
    let stop = StopToken::new();
    thread::scope(|scope| {
        // The watchdog ends with the sender: at the time limit or when the work is done.
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
