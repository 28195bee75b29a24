//! Interruption of a machine at a deadline.

use ggp_game::{Deadline, StateMachine, StopToken, Watchdog, Watched};

/// Interrupts `machine`, and its clones made from now on, at `deadline` or when `stop` is raised, while the
/// result lives. Call [`release`] after it is dropped, before the machine is used again.
pub(crate) fn interrupt_at<M: StateMachine>(
    machine: &mut M,
    deadline: Deadline,
    stop: &StopToken,
) -> Watched {
    let watched = Watchdog::until(deadline).or_when(stop).start();
    machine.interrupt_on(watched.token());
    watched
}

/// Detaches `machine` from any stop flag.
pub(crate) fn release<M: StateMachine>(machine: &mut M) {
    machine.interrupt_on(&StopToken::new());
}
