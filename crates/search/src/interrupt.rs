//! Interruption of a machine at a deadline.

use ggp_game::{Deadline, StateMachine, StopToken, Watchdog, Watched};

/// Interrupts `machine` and its future clones at `deadline` or when `stop` is raised, as long as the returned
/// guard lives. After dropping the guard, call [`release`] before using the machine again.
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
