//! Time accounts: how much time a player used, and how far it exceeded the play clock.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The time that one player used for its moves, in one match or summed over many matches. Time before the
/// first move (under the start clock) is not counted.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TimeAccount {
    /// The number of moves that the player was asked for, including those that ended in a fault.
    pub moves: u64,
    /// The wall-clock time of all moves, in seconds.
    pub seconds: f64,
    /// The longest time of one move, in seconds.
    pub longest: f64,
    /// The number of moves that exceeded the play clock.
    pub overshot: u64,
    /// The overshoots, in milliseconds, in descending order. An overshoot is the time by which a move
    /// exceeded the play clock. Only the largest [`TimeAccount::KEPT`] values are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overshoots: Vec<f64>,
}

impl TimeAccount {
    /// The maximum number of values in [`TimeAccount::overshoots`].
    pub const KEPT: usize = 1000;

    /// Adds a move that took the time `elapsed` under a play clock of `clock`.
    pub(crate) fn add(&mut self, elapsed: Duration, clock: Duration) {
        self.moves += 1;
        self.seconds += elapsed.as_secs_f64();
        self.longest = self.longest.max(elapsed.as_secs_f64());
        let over = elapsed.saturating_sub(clock);
        if !over.is_zero() {
            self.overshot += 1;
            self.keep(&[(over.as_secs_f64() * 1e6).round() / 1e3]);
        }
    }

    /// Adds the moves and times of another account.
    pub fn merge(&mut self, other: &TimeAccount) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        self.longest = self.longest.max(other.longest);
        self.overshot += other.overshot;
        self.keep(&other.overshoots);
    }

    /// The account with its times rounded to microseconds.
    pub(crate) fn rounded(&self) -> TimeAccount {
        let round = |seconds: f64| (seconds * 1e6).round() / 1e6;
        TimeAccount { seconds: round(self.seconds), longest: round(self.longest), ..self.clone() }
    }

    fn keep(&mut self, overshoots: &[f64]) {
        for &over in overshoots {
            let at = self.overshoots.partition_point(|&kept| kept > over);
            if at < TimeAccount::KEPT {
                self.overshoots.insert(at, over);
                self.overshoots.truncate(TimeAccount::KEPT);
            }
        }
    }

    /// A quantile of the overshoots of all moves, in milliseconds. `quantile` lies between 0 and 1: at 0.99,
    /// the result is the smallest value such that at most 1 % of the moves have a larger overshoot. A move
    /// within the clock has the overshoot 0. `None` if the answer depends on overshoots that were not kept.
    pub fn overshoot_quantile(&self, quantile: f64) -> Option<f64> {
        if self.moves == 0 {
            return Some(0.0);
        }
        let beyond = ((1.0 - quantile) * self.moves as f64 + 1e-9).floor() as u64;
        if beyond >= self.overshot {
            return Some(0.0);
        }
        self.overshoots.get(beyond as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_count_moves_within_the_clock_as_zero() {
        let mut account = TimeAccount::default();
        let clock = Duration::from_millis(100);
        for number in 0..200u64 {
            let over = if number < 4 { 10 * (number + 1) } else { 0 };
            account.add(Duration::from_millis(99 + over), clock);
        }
        assert_eq!((account.moves, account.overshot), (200, 4));
        assert_eq!(account.overshoots.iter().map(|o| o.round()).collect::<Vec<_>>(), [39.0, 29.0, 19.0, 9.0]);
        // The 99th percentile leaves two of 200 moves above it.
        assert_eq!(account.overshoot_quantile(0.99).map(f64::round), Some(19.0));
        assert_eq!(account.overshoot_quantile(0.95), Some(0.0));
        assert_eq!(account.overshoot_quantile(1.0).map(f64::round), Some(39.0));
        let mut sum = TimeAccount::default();
        sum.merge(&account);
        sum.merge(&account);
        assert_eq!((sum.moves, sum.overshoots.len()), (400, 8));
    }

    #[test]
    fn only_the_largest_overshoots_are_kept() {
        let mut account = TimeAccount::default();
        for number in 0..3000 {
            account.add(Duration::from_millis(100 + number % 1500), Duration::from_millis(100));
        }
        assert_eq!(account.overshoots.len(), TimeAccount::KEPT);
        assert_eq!(account.overshoots[0].round() as u64, 1499);
        assert_eq!(account.overshoot_quantile(0.01), None);
    }
}
