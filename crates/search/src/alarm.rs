//! The watchdog of a machine: it interrupts an evaluation at a deadline or when a stop flag is raised.

use ggp_game::{Deadline, StateMachine, StopToken};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The interval between two checks of the stop flag, well below the 50 ms by which an answer may be late.
const LOOK: Duration = Duration::from_millis(5);

/// A thread that interrupts a machine at a deadline or when a stop flag is raised. Dropping the alarm cancels
/// both.
#[derive(Debug)]
pub(crate) struct Alarm {
    _drop_to_cancel: Sender<()>,
}

impl Alarm {
    /// Sets an alarm for `machine` and for its clones made while the alarm is set. Call [`silence`] after the
    /// alarm is dropped, before the machine is used again.
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

/// Detaches `machine` from any stop flag.
pub(crate) fn silence<M: StateMachine>(machine: &mut M) {
    machine.interrupt_on(&StopToken::new());
}
