//! Step 3, simulation: random playouts from the leaves to the end of the game.
//!
//! A fast machine gets all start states in one call. Slow playouts are watched: they are played step by
//! step, and the clock is checked before each step. Both ways use the same random streams, so they give the
//! same results unless a playout runs out of time.

mod results;

pub(crate) use self::results::BestPlayout;
use self::results::Results;
use crate::history::Log;
use crate::limits::Limits;
use crate::time_estimate::TimeEstimate;
use ggp_game::{EvalError, PlayoutPlan, Playouts, Preference, StateMachine, StepwisePlayouts};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// If a call of the machine is expected to take longer than this, its playouts are watched: they are played step
/// by step, and the clock is checked before each step. The value is far below the 50 ms by which an answer may be
/// late, and far above the cost of the checks.
const WATCHED_FROM: Duration = Duration::from_millis(2);

/// A watched playout may take at most a part of the time that was left when it started: that time divided by
/// this number. A playout that takes longer is cut off, and its last state is scored although it is not
/// terminal: a few rough estimates are better than none.
const PART_OF_CLOCK: u32 = 8;

/// Plays playouts and counts them. Below, a call is one call of [`Simulation::run`], which plays many
/// playouts.
#[derive(Clone, Debug)]
pub(crate) struct Simulation {
    /// The parameters that all calls share.
    pub(crate) plan: PlayoutPlan<'static>,
    started: u64,
    /// Whether a call has finished, so that its time has been measured. An interrupted call does not count.
    has_measured: bool,
    /// The measured time of one round of playouts. A round is one playout in each lane, or one watched playout.
    round: TimeEstimate,
    /// The time that the last call was expected to take when it began.
    call: Duration,
    step: TimeEstimate,
    /// In games of one role, the best of those playouts of the last call that ended the game; `None` if no
    /// playout did.
    best: Option<BestPlayout>,
    /// Whether the next call logs its moves.
    pub(crate) logs: bool,
    /// The log of the last call.
    pub(crate) log: Log,
    /// The moves that playouts prefer (MAST).
    pub(crate) preferred: Option<Arc<Preference>>,
    /// The length of the longest playout of the last call, in steps.
    pub(crate) longest: u32,
    roles: usize,
    watched: StepwisePlayouts,
}

impl Simulation {
    /// Creates a simulation that has played nothing yet. All random numbers come from streams of `seed`.
    /// `decisive` enables decisive moves.
    pub(crate) fn new(seed: u64, roles: usize, decisive: bool) -> Simulation {
        Simulation {
            plan: PlayoutPlan { decisive, ..PlayoutPlan::new(seed) },
            started: 0,
            has_measured: false,
            round: TimeEstimate::default(),
            call: Duration::ZERO,
            step: TimeEstimate::default(),
            best: None,
            logs: false,
            log: Log::default(),
            preferred: None,
            longest: 0,
            roles,
            watched: StepwisePlayouts::new(roles),
        }
    }

    /// The number of playouts started so far.
    pub(crate) fn started(&self) -> u64 {
        self.started
    }

    /// Whether playouts are slow. They count as slow until a first call has been measured.
    pub(crate) fn is_slow(&self) -> bool {
        !self.has_measured || self.call >= WATCHED_FROM
    }

    /// Takes the best playout of the last call, among those that ended the game. `None` if no playout ended
    /// the game, if the best playout's share does not exceed `above`, and in games of several roles.
    pub(crate) fn take_best(&mut self, above: f64) -> Option<BestPlayout> {
        self.best.take().filter(|best| best.share > above)
    }

    /// Plays `per_start` playouts from each of `starts`. Replaces `shares` by the mean shares, start state
    /// by start state and role by role.
    ///
    /// # Errors
    /// The machine's errors; [`EvalError::Interrupted`] if a limit was reached first.
    pub(crate) fn run<M: Playouts>(
        &mut self,
        machine: &mut M,
        starts: &[M::State],
        per_start: usize,
        limits: &Limits,
        shares: &mut Vec<f64>,
    ) -> Result<(), EvalError> {
        let roles = self.roles;
        self.best = None;
        self.log.clear();
        self.longest = 0;
        shares.clear();
        shares.resize(starts.len() * roles, 0.0);
        if starts.is_empty() {
            return Ok(());
        }
        let began = Instant::now();
        let first = self.started;
        let (playouts, lanes) = (starts.len() * per_start, machine.lanes());
        let rounds = playouts.div_ceil(lanes) as u32;
        self.call = self.round.expected() * rounds;
        // Without a deadline no playout is watched, since the result must not depend on time. A machine with
        // lanes can be interrupted, and watched playouts would use only one of its lanes.
        let slow = lanes == 1 && limits.deadline.0.is_some() && self.is_slow();
        self.started += playouts as u64;
        let (mut log, mut best, mut longest) = (std::mem::take(&mut self.log), None, 0);
        let preferred = self.preferred.clone();
        let mut results = Results {
            preferred: preferred.as_deref(),
            first,
            roles,
            per_start,
            shares: &mut *shares,
            log: self.logs.then_some(&mut log),
            best: &mut best,
            longest: &mut longest,
            scores: Vec::with_capacity(roles),
        };
        let moves = roles == 1 || self.logs;
        let plan = PlayoutPlan { preferred: preferred.as_deref(), first, per_start, moves, ..self.plan };
        let played = if slow {
            (0..playouts).try_for_each(|index| {
                self.play_watched(machine, &starts[index / per_start], index, &plan, limits, &mut results)
            })
        } else {
            machine.playouts(starts, plan, &mut |playout| {
                let cut_off = !playout.terminal && playout.steps >= plan.max_steps;
                results.add(&playout, cut_off);
            })
        };
        (self.log, self.best, self.longest) = (log, best, longest);
        played?;
        for share in shares.iter_mut() {
            *share /= per_start as f64;
        }
        self.has_measured = true;
        self.round.record(began.elapsed() / if slow { playouts as u32 } else { rounds });
        Ok(())
    }

    /// Plays the playout of `plan` with the index `index`, and checks `limits` before each step.
    fn play_watched<M: StateMachine>(
        &mut self,
        machine: &mut M,
        start: &M::State,
        index: usize,
        plan: &PlayoutPlan<'_>,
        limits: &Limits,
        results: &mut Results<'_>,
    ) -> Result<(), EvalError> {
        let allowance = limits.deadline.remaining().map(|left| left / PART_OF_CLOCK);
        let began = Instant::now();
        let mut step_began = began;
        let mut in_time = true;
        let step = &mut self.step;
        let playout = self.watched.play(machine, start, index, plan, |steps| {
            let now = Instant::now();
            if steps > 0 {
                step.record(now - step_began);
            }
            step_began = now;
            if limits.stop.is_stopped() || limits.is_short_of(step.expected()) {
                return Err(EvalError::Interrupted);
            }
            in_time = allowance.is_none_or(|most| now - began <= most);
            Ok(in_time)
        })?;
        let cut_off = !playout.terminal && (!in_time || playout.steps >= plan.max_steps);
        results.add(&playout, cut_off);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Simulation;
    use crate::limits::Limits;
    use crate::test_games::{self, Rules, Slow, TestMachine};
    use ggp_game::{Deadline, EvalError, StateMachine};
    use std::time::{Duration, Instant};

    /// Plays three playouts from each of `starts`, once watched and once unwatched. The playouts are cut
    /// off after 20 steps. Asserts that all results agree, and returns the mean scores.
    fn both_ways<R: Rules>(mut machine: TestMachine<R>, starts: &[Vec<u8>]) -> Vec<f64> {
        let mut unwatched = Simulation::new(5, machine.game().role_count(), false);
        unwatched.plan.max_steps = 20;
        unwatched.logs = true;
        let mut watched = unwatched.clone();
        let far = Limits::default().until(Deadline::after(Duration::from_secs(1 << 20)));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        unwatched.run(&mut machine, starts, 3, &Limits::default(), &mut a).unwrap();
        watched.run(&mut machine, starts, 3, &far, &mut b).unwrap();
        assert!(unwatched.step.expected().is_zero(), "no step was watched");
        assert!(!watched.step.expected().is_zero(), "steps were watched");
        assert_eq!(a, b);
        assert_eq!(unwatched.longest, watched.longest);
        assert_eq!(format!("{:?}", unwatched.log), format!("{:?}", watched.log));
        assert_eq!(format!("{:?}", unwatched.best), format!("{:?}", watched.best));
        a
    }

    #[test]
    fn watched_and_unwatched_playouts_are_the_same() {
        let shares = both_ways(test_games::tic_tac_toe(), &vec![vec![0; 10]; 50]);
        assert!(shares.contains(&1.0) && shares.contains(&0.0));
        let shares = both_ways(test_games::combination(&[1, 2]), &vec![vec![0, 0]; 20]);
        assert!(shares.iter().any(|&share| share > 0.3), "the best of a role alone is kept: {shares:?}");
    }

    #[test]
    fn watched_and_unwatched_playouts_score_missing_and_several_goals_alike() {
        let states: Vec<Vec<u8>> = (1..=6).map(|state| vec![state]).collect();
        let shares = both_ways(test_games::ill_formed(6), &states);
        for (state, (shares, expected)) in
            shares.chunks_exact(2).zip(test_games::ILL_FORMED_SCORES).enumerate()
        {
            let near = |(share, expected): (&f64, f64)| (share - expected).abs() < 1e-9;
            assert!(shares.iter().zip(expected).all(near), "state {}: {shares:?}", state + 1);
        }
    }

    #[test]
    fn a_slow_playout_is_left_when_the_clock_runs_out() {
        let mut machine = test_games::slow(Slow { step: Duration::from_millis(5), length: 1000 });
        let start = machine.initial_state().unwrap();
        let limits = Limits::default().until(Deadline::after(Duration::from_millis(100)));
        let mut simulation = Simulation::new(1, 1, false);
        let began = Instant::now();
        let mut shares = Vec::new();
        let mut finished = 0;
        let error = loop {
            match simulation.run(&mut machine, std::slice::from_ref(&start), 1, &limits, &mut shares) {
                Ok(()) => finished += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(error, EvalError::Interrupted);
        assert!(finished >= 1, "some are cut off and scored as they stand");
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }
}
