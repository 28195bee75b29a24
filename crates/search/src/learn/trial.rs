//! [`Trial`]: matches of searches with the policy against searches without it, which decide whether players use it.

use super::contest::{Contest, TIMES};
use super::learner::{Learner, Trial, on_threads};
use crate::limits::Limits;
use ggp_game::{EvalError, Playouts};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A trial of fewer matches decides nothing.
const LEAST_TRIALS: usize = 8;

impl<M: Playouts> Learner<M> {
    /// Plays matches of searches with the policy against searches without it, after random openings that each seat plays
    /// once, on `threads` threads until a limit is reached. An iteration of the limits is a match. A search without the
    /// policy gets a tenth more descents, since it needs less time for each. Searches use the policy from now on only if
    /// it does not lose. Does nothing if the last generation has failed its test.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn try_out(&mut self, limits: &Limits, threads: usize) -> Result<(), EvalError> {
        self.begin_trial();
        let Some(policy) = self.used() else { return Ok(()) };
        let next = AtomicU64::new(0);
        let work = |contest: Contest<M>| -> Result<Vec<f64>, EvalError> {
            let mut shares = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let is_over = limits.iterations.is_some_and(|most| number >= most)
                    || limits.stop.is_stopped()
                    || limits.is_short_of(Duration::ZERO);
                match if is_over { None } else { contest.play(&policy, number, limits)? } {
                    Some(share) => shares.push(share),
                    None => return Ok(shares),
                }
            }
        };
        let mut shares = Vec::new();
        for found in on_threads(threads, || Contest::new(&self.machine, &self.options), work) {
            shares.extend(found?);
        }
        self.end_trial(&shares);
        Ok(())
    }

    /// The number of matches of a trial whose searches have about `descents` descents together. The matches of self-play
    /// so far tell how many moves a match has.
    pub fn matches_of_trial(&self, descents: u64) -> u64 {
        let of_match = self.descents as f64 / self.matches.max(1) as f64;
        (descents as f64 / (of_match * TIMES).max(1.0)) as u64
    }

    /// Lets searches use the policy until the trial ends, even if it has lost the one before. Returns whether the trial is
    /// worth its time: whether the policy has passed its last test.
    pub fn begin_trial(&mut self) -> bool {
        self.used = self.passing_policy();
        self.used.is_some()
    }

    /// Plays the matches of a trial that have the opening with the number `opening`: one for each seat. Returns the shares
    /// of the policy; none if there is no policy to try, fewer if a limit ends them.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn contest(&self, opening: u64, limits: &Limits) -> Result<Vec<f64>, EvalError> {
        let Some(policy) = self.used() else { return Ok(Vec::new()) };
        let contest = Contest::new(&self.machine, &self.options);
        let seats = contest.seats().len() as u64;
        let mut shares = Vec::new();
        for seat in 0..seats {
            match contest.play(&policy, opening.wrapping_mul(seats).wrapping_add(seat), limits)? {
                Some(share) => shares.push(share),
                None => break,
            }
        }
        Ok(shares)
    }

    /// Ends a trial whose matches had these shares. Searches use the policy from now on only if it has not lost. Too few
    /// matches decide nothing: the trial before remains.
    pub fn end_trial(&mut self, shares: &[f64]) {
        if shares.len() >= LEAST_TRIALS {
            let share = shares.iter().sum::<f64>() / shares.len() as f64;
            self.trial = Some(Trial { matches: shares.len() as u32, share });
        }
        self.use_policy();
    }
}
