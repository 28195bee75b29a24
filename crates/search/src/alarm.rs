//! Interrupting a machine that is too slow to be watched between its answers.

use ggp_game::{Deadline, StateMachine, StopToken};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How often the flag of whoever asks is looked at: well below the 50 ms by which a clock may be
/// overstepped.
const LOOK: Duration = Duration::from_millis(5);

/// Interrupts a machine at a deadline or when a flag is raised; dropped, it does neither.
#[derive(Debug)]
pub(crate) struct Alarm {
    _drop_to_cancel: Sender<()>,
}

impl Alarm {
    /// Sets an alarm for `machine` and what is cloned from it meanwhile. With no alarm set any
    /// more, [`silence`] the machine before it is used again.
    pub(crate) fn set<M: StateMachine>(machine: &mut M, deadline: Deadline, stop: &StopToken) -> Alarm {
        let (cancel, cancelled) = channel();
        let (own, asked) = (StopToken::new(), stop.clone());
        machine.interrupt_on(&own);
        thread::spawn(move || {
            loop {
                let wait = deadline.remaining().map_or(LOOK, |left| left.min(LOOK));
                if cancelled.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if deadline.is_over() || asked.is_stopped() {
                    own.stop();
                    return;
                }
            }
        });
        Alarm { _drop_to_cancel: cancel }
    }
}

/// Frees `machine` from whatever was to interrupt it.
pub(crate) fn silence<M: StateMachine>(machine: &mut M) {
    machine.interrupt_on(&StopToken::new());
}
