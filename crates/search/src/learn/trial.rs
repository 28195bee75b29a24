//! [`Trial`]: matches of searches with something new against searches without it, which decide whether players use it; and
//! the trial of the policy.

use super::contest::LONG;
use super::learner::Learner;
use super::matches::shares;
use crate::limits::Limits;
use ggp_game::{EvalError, Playouts};
use serde::{Deserialize, Serialize};

/// Fewer matches decide nothing.
const LEAST_MATCHES: u32 = 8;
/// The mean share covers about so many of the last matches of self-play.
const MOST_MATCHES: u32 = 40;

/// Matches of searches with the policy, or with minimax values, against searches without: those of a trial, and those of
/// self-play after it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trial {
    /// The number of matches; of those of self-play, at most 40.
    pub matches: u32,
    /// The mean share of the searches with it: half of 1 plus their goal minus the mean goal of the others, in
    /// shares. 0.5 is equal.
    pub share: f64,
}

impl Trial {
    /// Whether the policy does not make searches weaker, by 8 matches or more.
    pub fn passes(&self) -> bool {
        self.matches >= LEAST_MATCHES && self.share >= 0.5
    }

    /// With the results of more matches, of which each counts alike.
    pub(super) fn and(self, shares: &[f64]) -> Trial {
        let matches = self.matches.saturating_add(shares.len() as u32);
        let sum = self.share * f64::from(self.matches) + shares.iter().sum::<f64>();
        Trial { matches, share: sum / f64::from(matches.max(1)) }
    }

    /// Counts one more match with this share. The older ones count less and less.
    pub(super) fn add(&mut self, share: f64) {
        self.matches = (self.matches + 1).min(MOST_MATCHES);
        self.share += (share - self.share) / f64::from(self.matches);
    }
}

impl<M: Playouts> Learner<M> {
    /// Plays matches of searches with the policy against searches without it, after random openings that each seat plays
    /// once, on `threads` threads until a limit is reached. An iteration of the limits is a match. A search without the
    /// policy gets a tenth more descents, since it needs less time for each. Searches use the policy from now on only if
    /// it does not lose. Does nothing if the last generation has failed its test.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn try_out(&mut self, limits: &Limits, threads: usize) -> Result<(), EvalError> {
        let Some(policy) = self.novelty() else { return Ok(()) };
        let shares = shares(|| self.trial_of_policy(), &policy, 0, limits, threads, |_| false)?;
        self.end_trial(&shares);
        Ok(())
    }

    /// The number of matches of a trial whose searches have about `descents` descents together. The matches of self-play
    /// so far tell how many moves a match has.
    pub fn matches_of_trial(&self, descents: u64) -> u64 {
        self.matches_of(descents, LONG)
    }

    /// The number of matches that have about `descents` descents together, if each has `times` those of a match of self-play.
    pub(super) fn matches_of(&self, descents: u64, times: f64) -> u64 {
        let of_match = self.descents as f64 / self.matches.max(1) as f64;
        (descents as f64 / (of_match * times).max(1.0)) as u64
    }

    /// Begins a trial. Returns whether it is worth its time: whether the policy has passed its last test.
    pub fn begin_trial(&mut self) -> bool {
        self.candidate.is_some()
    }

    /// Plays the matches of a trial that have the opening with the number `opening`: one for each seat. Returns the shares
    /// of the policy; none if there is no policy to try, fewer if a limit ends them.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn contest(&self, opening: u64, limits: &Limits) -> Result<Vec<f64>, EvalError> {
        let Some(policy) = self.novelty() else { return Ok(Vec::new()) };
        let contest = self.trial_of_policy();
        let seats = contest.seats().len() as u64;
        let mut shares = Vec::new();
        for seat in 0..seats {
            match contest.play(Some(&policy), opening.wrapping_mul(seats).wrapping_add(seat), limits)?.share {
                Some(share) => shares.push(share),
                None => break,
            }
        }
        Ok(shares)
    }

    /// Ends a trial whose matches had these shares. It replaces what matches of self-play have shown. Too few matches
    /// decide nothing: what was known remains.
    pub fn end_trial(&mut self, shares: &[f64]) {
        if shares.len() >= LEAST_MATCHES as usize {
            self.trial = Some(Trial::default().and(shares));
        }
    }
}
