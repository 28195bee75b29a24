//! The comparison of the compiled evaluator with the interpreter, by the CPU time of their random playouts.

use ggp_game::{
    Batches, CpuClock, Deadline, EvalError, MAX_STEPS, PlayoutPlan, StateMachine, StepwisePlayouts,
    StopToken, Watchdog,
};
use std::time::Duration;

/// The multiple of the interpreter's speed from which the compiled evaluator replaces the interpreter.
const LEAST_RATIO: f64 = 20.0;

/// The CPU time for which the interpreter plays.
const TIME: Duration = Duration::from_millis(200);

/// The CPU time of one measurement of the compiled evaluator, and that of all its measurements. The evaluator becomes
/// faster while it plays, because it recalls answers.
const MEASUREMENT: Duration = Duration::from_millis(100);
const WARM_UP: Duration = Duration::from_secs(1);

/// The CPU time of a measurement of short playouts, which only tells how long the next playouts may be.
const FIRST_MEASUREMENT: Duration = Duration::from_millis(10);

/// The number of steps of the first playouts.
const FIRST_STEPS: u32 = 16;

/// Whether `machine` reaches [`LEAST_RATIO`] times the speed of `interpreter` while it plays for up to [`WARM_UP`].
/// Speeds are in states per CPU second. The answers that `machine` learns stay in it, and `halt` no
/// longer interrupts it afterwards. `false` if `halt` is raised.
pub(super) fn replaces<A: Batches, B: StateMachine>(
    machine: &mut A,
    interpreter: &mut B,
    halt: &StopToken,
) -> bool {
    let slow = match stepwise_speed(interpreter, halt) {
        Ok(slow) => slow,
        // Only the compiled evaluator stays within the limits of an evaluation.
        Err(EvalError::TooLarge(_)) => 0.0,
        Err(_) => return false,
    };
    machine.interrupt_on(halt);
    let is_fast = reaches(machine, LEAST_RATIO * slow).unwrap_or(false);
    machine.interrupt_on(&StopToken::new());
    is_fast && !halt.is_stopped()
}

/// The number of states of random playouts that `machine` evaluates in a CPU second, measured for [`TIME`]. The last
/// state is interrupted and counts, because a single state may take longer than all others.
fn stepwise_speed<M: StateMachine>(machine: &mut M, halt: &StopToken) -> Result<f64, EvalError> {
    let mut playouts = StepwisePlayouts::new(machine.game().role_count());
    let (clock, plan) = (CpuClock::of_this_thread(), PlayoutPlan::new(1));
    let start = machine.initial_state()?;
    // Each state counts, so that a game that is over at once has a speed too.
    let mut states = 0u32;
    let watchdog = Watchdog::until(Deadline::never()).or_when(halt).or_after_cpu_time(TIME);
    let played = watchdog.watch(|stop| {
        machine.interrupt_on(stop);
        let mut index = 0;
        while !stop.is_stopped() {
            let may_continue = |_| {
                states += 1;
                Ok(!stop.is_stopped())
            };
            playouts.play(machine, &start, index, &plan, may_continue)?;
            index += 1;
        }
        Ok(())
    });
    match played {
        Err(EvalError::Interrupted) if !halt.is_stopped() => {}
        other => other?,
    }
    Ok(f64::from(states) / clock.elapsed().as_secs_f64())
}

/// Whether `machine` reaches `wanted` states of random playouts in a CPU second.
fn reaches<M: Batches>(machine: &mut M, wanted: f64) -> Result<bool, EvalError> {
    let clock = CpuClock::of_this_thread();
    let starts = [machine.initial_state()?];
    let (mut number, mut max_steps, mut measurement) = (0, FIRST_STEPS, FIRST_MEASUREMENT);
    while clock.elapsed() < WARM_UP {
        let (begin, mut states) = (clock.elapsed(), 0u64);
        let mut time = Duration::ZERO;
        while time < measurement {
            // Short playouts first, because a machine may be slow and a game long.
            let plan = PlayoutPlan { first: number, max_steps, ..PlayoutPlan::new(1) };
            machine.playouts(&starts, plan, &mut |playout| states += u64::from(playout.steps) + 1)?;
            number += 1;
            time = clock.elapsed().saturating_sub(begin);
        }
        let speed = states as f64 / time.as_secs_f64();
        let is_whole = max_steps == MAX_STEPS || f64::from(max_steps) >= speed * MEASUREMENT.as_secs_f64();
        let is_first = std::mem::replace(&mut measurement, MEASUREMENT) == FIRST_MEASUREMENT;
        if is_whole && !is_first && speed >= wanted {
            return Ok(true);
        }
        max_steps = ((2.0 * speed * MEASUREMENT.as_secs_f64()) as u32).clamp(FIRST_STEPS, MAX_STEPS);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::{reaches, replaces, stepwise_speed};
    use ggp_compiled::CompiledMachine;
    use ggp_game::{Batches, Interpreter, PlayoutPlan, StateMachine, StopToken};

    #[test]
    fn a_game_that_is_over_at_once_has_a_speed() {
        let rules = "(role a) (legal a go) terminal (goal a 0)";
        let game = crate::parse(rules).expect("a game");
        let speed = stepwise_speed(&mut Interpreter::new(&game), &StopToken::new()).expect("a speed");
        assert!(speed.is_finite() && speed > 0.0, "{speed}");
        assert_eq!(reaches(&mut Interpreter::new(&game), 0.0), Ok(true));
        assert_eq!(reaches(&mut Interpreter::new(&game), f64::INFINITY), Ok(false));
    }

    #[test]
    fn a_halt_ends_the_comparison_only() {
        let game = crate::parse("(role a) (legal a go) terminal (goal a 0)").expect("a game");
        let (mut interpreter, halt) = (Interpreter::new(&game), StopToken::new());
        let mut compiled = CompiledMachine::new(&game, &halt).expect("it can be compiled");
        replaces(&mut compiled, &mut interpreter, &halt);
        halt.stop();
        assert!(!replaces(&mut compiled, &mut interpreter, &halt));
        let state = compiled.initial_state().expect("a state");
        let played = compiled.playouts(&[state], PlayoutPlan::new(1), &mut |_| {});
        assert_eq!(played, Ok(()), "it is not interrupted");
    }
}
