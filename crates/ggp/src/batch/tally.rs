//! Random playouts from many states, counted.

use crate::reasoner::{Reasoner, State};
use ggp_game::{Batches, EvalError, Fingerprint, PlayoutPlan, StateMachine, StopToken};
use std::thread;

/// Counts of playouts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The counts of all playouts.
    pub counts: Fingerprint,
    /// For each start state and role, the sum of the role's goals over the playouts from that state. If a role has
    /// several goals in a last state, the largest counts; if it has none, 0.
    pub goal_sums: Vec<u64>,
    /// The number of playouts that came to no terminal state.
    pub unfinished: u64,
}

impl Tally {
    fn new(starts: usize, roles: usize) -> Tally {
        Tally { counts: Fingerprint::new(roles), goal_sums: vec![0; starts * roles], unfinished: 0 }
    }
}

/// A part of the playouts: from some of the start states, some of the playouts of each.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    starts: usize,
    first: u64,
    per_start: usize,
}

/// The largest number of playouts of a part.
const LARGEST_PART: usize = 1 << 18;

impl Reasoner {
    /// Plays `plan.per_start` random playouts from each of `starts`, on `threads` threads, and counts them. The counts
    /// do not depend on the number of threads. `plan.moves` is not used.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised, and the errors of the evaluation.
    ///
    /// # Examples
    /// ```
    /// use ggp::{PlayoutPlan, Reasoner, StateMachine, StopToken};
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    /// let mut reasoner = Reasoner::new(&ggp::load("games/endgame.kif")?)?;
    /// let start = reasoner.initial_state()?;
    /// let plan = PlayoutPlan { per_start: 500, ..PlayoutPlan::new(7) };
    /// let tally = reasoner.tally(&[start], plan, 2, &StopToken::new())?;
    /// assert_eq!((tally.counts.playouts, tally.counts.steps), (500, 7000));
    /// assert_eq!(tally.goal_sums, [0, 50000]);
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn tally(
        &self,
        starts: &[State],
        plan: PlayoutPlan<'_>,
        threads: usize,
        stop: &StopToken,
    ) -> Result<Tally, EvalError> {
        let parts = Part::of(starts.len(), plan.per_start, threads.max(1));
        let roles = self.game().role_count();
        let share = parts.len().div_ceil(threads.max(1)).max(1);
        let work = |parts: &[Part]| {
            let mut reasoner = self.clone();
            reasoner.interrupt_on(stop);
            let mut tally = Tally::new(starts.len(), roles);
            parts.iter().try_for_each(|part| part.play(&mut reasoner, starts, plan, &mut tally))?;
            Ok(tally)
        };
        let shares: Vec<&[Part]> = parts.chunks(share).collect();
        let tallies: Vec<Result<Tally, EvalError>> = match shares[..] {
            [one] => vec![work(one)],
            _ => thread::scope(|scope| {
                let workers = shares.into_iter().map(|parts| scope.spawn(|| work(parts)));
                let workers: Vec<_> = workers.collect();
                workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
            }),
        };
        let mut all = Tally::new(starts.len(), roles);
        for tally in tallies {
            let tally = tally?;
            all.counts.join(&tally.counts);
            all.goal_sums.iter_mut().zip(tally.goal_sums).for_each(|(sum, other)| *sum += other);
            all.unfinished += tally.unfinished;
        }
        Ok(all)
    }
}

impl Part {
    fn of(starts: usize, per_start: usize, threads: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        if starts < threads || per_start > LARGEST_PART {
            // Some of the playouts of one state.
            let count = per_start.div_ceil(threads).clamp(1, LARGEST_PART);
            for start in 0..starts {
                for first in (0..per_start).step_by(count) {
                    let per_start = count.min(per_start - first);
                    parts.push(Part { start, starts: 1, first: first as u64, per_start });
                }
            }
        } else if let Some(most) = LARGEST_PART.checked_div(per_start) {
            let count = starts.div_ceil(threads).clamp(1, most.max(1));
            for start in (0..starts).step_by(count) {
                parts.push(Part { start, starts: count.min(starts - start), first: 0, per_start });
            }
        }
        parts
    }

    fn play(
        self,
        reasoner: &mut Reasoner,
        starts: &[State],
        plan: PlayoutPlan<'_>,
        tally: &mut Tally,
    ) -> Result<(), EvalError> {
        let first = plan.first.wrapping_add((self.start * plan.per_start) as u64 + self.first);
        let roles = tally.counts.goal_sums.len();
        let plan = PlayoutPlan { first, per_start: self.per_start, moves: false, ..plan };
        let own = &starts[self.start..self.start + self.starts];
        let Tally { counts, goal_sums, unfinished } = tally;
        if self.starts == 1 {
            let before = counts.goal_sums.clone();
            reasoner.playouts(own, plan, &mut |playout| {
                counts.add(first.wrapping_add(playout.index as u64), &playout);
                *unfinished += u64::from(!playout.terminal);
            })?;
            let sums = goal_sums[self.start * roles..].iter_mut();
            for ((sum, after), before) in sums.zip(&counts.goal_sums).zip(before) {
                *sum += after - before;
            }
            return Ok(());
        }
        reasoner.playouts(own, plan, &mut |playout| {
            counts.add(first.wrapping_add(playout.index as u64), &playout);
            *unfinished += u64::from(!playout.terminal);
            let start = self.start + playout.index / plan.per_start;
            for (sum, goals) in goal_sums[start * roles..].iter_mut().zip(playout.goals) {
                *sum += u64::from(goals.score().value());
            }
        })
    }
}
