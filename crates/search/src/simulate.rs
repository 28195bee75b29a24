//! Step 3, playout: random games from the leaves to their ends.
//!
//! Fast machines get all starts at once. Where playouts are slow they are played step by step
//! under the eye of the clock, with the same random streams, hence with the same results.

use crate::history::Log;
use crate::limits::Limits;
use crate::pace::Pace;
use ggp_game::{EvalError, Goal, MAX_STEPS, Move, PlayoutPlan, Playouts, Preference, StateMachine, rng};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A call for playouts that takes longer than this is not made blindly: far below the 50 ms by
/// which a clock may be overstepped, far above what watching each step costs.
const WATCHED_FROM: Duration = Duration::from_millis(2);

/// The part of the time left after which a watched playout is cut off and its state judged as it
/// stands: a few rough opinions are better than none.
const SHARE_OF_CLOCK: u32 = 8;

/// The score of a role in a state that has no goal for it and where the game is not over.
const UNKNOWN: f64 = 0.5;

/// Plays playouts and keeps count of them.
#[derive(Clone, Debug)]
pub(crate) struct Simulation {
    /// What calls have in common.
    pub(crate) plan: PlayoutPlan<'static>,
    started: u64,
    /// Whether a call has ever come to its end: one that was interrupted says nothing.
    known: bool,
    /// The time of a round: as many playouts as the machine has lanes, or one that is watched.
    round: Pace,
    /// How long the last call was expected to take, were it not watched.
    call: Duration,
    step: Pace,
    /// In games of one role: the best playout of the last call, if it was better than asked for.
    best: Option<Best>,
    /// Whether the moves of the next call are to be logged, and those of the last that were.
    pub(crate) logs: bool,
    pub(crate) log: Log,
    /// The moves that playouts prefer.
    pub(crate) preferred: Option<Arc<Preference>>,
    /// The steps of the longest playout of the last call.
    pub(crate) longest: u32,
    moves: Vec<Move>,
    joint: Vec<Move>,
    legal: Vec<Move>,
    goals: Vec<Option<Goal>>,
}

/// A playout of one role that ended the game.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    /// Which start it came from.
    pub(crate) start: usize,
    pub(crate) share: f64,
    pub(crate) moves: Vec<Move>,
}

impl Simulation {
    /// None played yet; all random numbers come from streams of `seed`. Whether those who can win at once
    /// do.
    pub(crate) fn new(seed: u64, roles: usize, decisive: bool) -> Simulation {
        Simulation {
            plan: PlayoutPlan { decisive, ..PlayoutPlan::new(seed) },
            started: 0,
            known: false,
            round: Pace::default(),
            call: Duration::ZERO,
            step: Pace::default(),
            best: None,
            logs: false,
            log: Log::default(),
            preferred: None,
            longest: 0,
            moves: Vec::new(),
            joint: vec![Move(0); roles],
            legal: Vec::new(),
            goals: vec![None; roles],
        }
    }

    /// Playouts started so far.
    pub(crate) fn started(&self) -> u64 {
        self.started
    }

    /// Whether playouts are watched step by step.
    pub(crate) fn is_slow(&self) -> bool {
        !self.known || self.call >= WATCHED_FROM
    }

    /// The best playout of the last call that ended the game and scored more than `above`; only in
    /// games of one role.
    pub(crate) fn take_best(&mut self, above: f64) -> Option<Best> {
        self.best.take().filter(|best| best.share > above)
    }

    /// Plays `per_start` playouts from each of `starts`; `shares` becomes the means of their
    /// scores, role by role, start by start.
    ///
    /// # Errors
    /// Those of the machine; [`EvalError::Interrupted`] when a limit was reached first.
    pub(crate) fn run<M: Playouts>(
        &mut self,
        machine: &mut M,
        starts: &[M::State],
        per_start: usize,
        limits: &Limits,
        shares: &mut Vec<f64>,
    ) -> Result<(), EvalError> {
        let roles = self.goals.len();
        let alone = roles == 1;
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
        // Without a deadline there is nothing to watch, and what is played must not depend on time.
        // A machine with lanes can be interrupted, and would forgo all lanes but one.
        let slow = lanes == 1 && limits.deadline.0.is_some() && self.is_slow();
        self.started += playouts as u64;
        if slow {
            for index in 0..playouts {
                let number = first + index as u64;
                let start = index / per_start;
                let place = &mut shares[start * roles..][..roles];
                let over = self.watch(machine, &starts[start], number, limits, place)?;
                if self.logs {
                    self.log.note(&self.moves, &self.goals);
                }
                if alone && over {
                    let share = self.goals[0].map_or(0.0, Goal::share);
                    keep_better(&mut self.best, start, share, &self.moves);
                }
            }
        } else {
            let preferred = self.preferred.clone();
            let plan = PlayoutPlan {
                preferred: preferred.as_deref(),
                first,
                per_start,
                moves: alone || self.logs,
                ..self.plan
            };
            let Simulation { best, log, logs, longest, .. } = self;
            machine.playouts(starts, plan, &mut |playout| {
                let place = &mut shares[playout.index / per_start * roles..][..roles];
                for (share, goal) in place.iter_mut().zip(playout.goals) {
                    *share += goal.map_or(0.0, Goal::share);
                }
                *longest = playout.steps.max(*longest);
                if *logs {
                    log.note(playout.moves, playout.goals);
                }
                if alone && playout.terminal {
                    let share = playout.goals[0].map_or(0.0, Goal::share);
                    keep_better(best, playout.index / per_start, share, playout.moves);
                }
            })?;
        }
        for share in shares.iter_mut() {
            *share /= per_start as f64;
        }
        self.known = true;
        self.round.note(began.elapsed() / if slow { playouts as u32 } else { rounds });
        Ok(())
    }

    /// One playout, step by step; whether it ended the game.
    fn watch<M: StateMachine>(
        &mut self,
        machine: &mut M,
        start: &M::State,
        number: u64,
        limits: &Limits,
        shares: &mut [f64],
    ) -> Result<bool, EvalError> {
        let game = machine.game().clone();
        let stream = rng::Stream::new(self.plan.seed, number);
        let preferred = self.preferred.clone().filter(|preferred| preferred.applies(number));
        let allowance = limits.deadline.remaining().map(|left| left / SHARE_OF_CLOCK);
        let began = Instant::now();
        let mut state = start.clone();
        let mut steps = 0;
        let mut over = false;
        self.moves.clear();
        'playout: while steps < MAX_STEPS {
            let step_began = Instant::now();
            if limits.stop.is_stopped() || limits.is_short_of(self.step.expected()) {
                return Err(EvalError::Interrupted);
            }
            if machine.is_terminal(&state)? {
                over = true;
                break;
            }
            if allowance.is_some_and(|most| began.elapsed() > most) {
                break;
            }
            for role in game.roles() {
                machine.legal_moves(&state, role, &mut self.legal)?;
                if self.legal.is_empty() {
                    break 'playout;
                }
                if let Some(preferred) = &preferred {
                    preferred.narrow(role, &mut self.legal);
                }
                let rank = stream.below(steps, role, self.legal.len() as u32);
                self.joint[role.index()] = self.legal[rank as usize];
            }
            if self.joint.len() == 1 || self.logs {
                self.moves.extend_from_slice(&self.joint);
            }
            state = machine.next_state(&state, &self.joint)?;
            steps += 1;
            self.step.note(step_began.elapsed());
        }
        self.longest = self.longest.max(steps);
        machine.goals(&state, &mut self.goals)?;
        let missing = if over { 0.0 } else { UNKNOWN };
        for (share, goal) in shares.iter_mut().zip(&self.goals) {
            *share += goal.map_or(missing, Goal::share);
        }
        Ok(over)
    }
}

fn keep_better(best: &mut Option<Best>, start: usize, share: f64, moves: &[Move]) {
    if best.as_ref().is_none_or(|best| share > best.share) {
        *best = Some(Best { start, share, moves: moves.to_vec() });
    }
}

#[cfg(test)]
mod tests {
    use super::Simulation;
    use crate::limits::Limits;
    use crate::toys::{self, Slow};
    use ggp_game::{Deadline, EvalError, StateMachine};
    use std::time::{Duration, Instant};

    #[test]
    fn watched_and_unwatched_playouts_are_the_same() {
        let mut machine = toys::tic_tac_toe();
        let start = machine.initial_state().unwrap();
        let starts = vec![start; 50];
        let mut watched = Simulation::new(5, 2, false);
        let mut fast = watched.clone();
        fast.known = true;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        assert!(watched.is_slow() && !fast.is_slow());
        watched.run(&mut machine, &starts, 3, &Limits::default(), &mut a).unwrap();
        fast.run(&mut machine, &starts, 3, &Limits::default(), &mut b).unwrap();
        assert_eq!(a, b);
        assert!(a.contains(&1.0) && a.contains(&0.0));
    }

    #[test]
    fn a_slow_playout_is_left_when_the_clock_runs_out() {
        let mut machine = toys::slow(Slow { step: Duration::from_millis(5), length: 1000 });
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
        assert!(finished >= 1, "some are cut off and judged as they stand");
        assert!(began.elapsed() < Duration::from_millis(130), "{:?}", began.elapsed());
    }
}
