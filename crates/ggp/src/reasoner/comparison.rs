//! The comparison of two machines by the CPU time of their random playouts.

use ggp_game::{CpuClock, EvalError, PlayoutPlan, StateMachine, StepwisePlayouts, StopToken};
use std::time::Duration;

/// The CPU time for which each machine plays.
const TIME: Duration = Duration::from_millis(50);

/// The number of states between two looks at the clock.
const STATES_PER_LOOK: u32 = 16;

/// Whether `machine` makes more steps of random playouts in a CPU second than `other`. Both machines play for about
/// [`TIME`], or until `halt` is raised.
pub(super) fn is_faster<A: StateMachine, B: StateMachine>(
    machine: &mut A,
    other: &mut B,
    halt: &StopToken,
) -> bool {
    let Ok(fast) = steps_per_second(machine, halt) else { return false };
    let Ok(slow) = steps_per_second(other, halt) else { return true };
    fast > slow
}

fn steps_per_second<M: StateMachine>(machine: &mut M, halt: &StopToken) -> Result<f64, EvalError> {
    machine.interrupt_on(halt);
    let mut playouts = StepwisePlayouts::new(machine.game().role_count());
    let (clock, plan) = (CpuClock::of_this_thread(), PlayoutPlan::new(1));
    let start = machine.initial_state()?;
    // Each state counts, so that a game that is over at once has a speed too.
    let (mut states, mut index, mut is_over) = (0u32, 0, false);
    while !is_over {
        let may_continue = |_| {
            states += 1;
            if states % STATES_PER_LOOK == 0 {
                is_over = clock.elapsed() >= TIME;
            }
            Ok(!is_over)
        };
        playouts.play(machine, &start, index, &plan, may_continue)?;
        index += 1;
    }
    Ok(f64::from(states) / clock.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::steps_per_second;
    use ggp_game::{Interpreter, StopToken};

    #[test]
    fn a_game_that_is_over_at_once_has_a_speed() {
        let rules = "(role a) (legal a go) terminal (goal a 0)";
        let game = crate::parse(rules).expect("a game");
        let speed = steps_per_second(&mut Interpreter::new(&game), &StopToken::new()).expect("a speed");
        assert!(speed.is_finite() && speed > 0.0, "{speed}");
    }
}
