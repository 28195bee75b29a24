//! Who used how much time, and who went over the clock.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One player's time in one match, or in many. Start clocks are not counted.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TimeAccount {
    /// Moves asked for, faults included.
    pub moves: u64,
    /// Wall time used for them, in seconds.
    pub seconds: f64,
    /// The longest of them, in seconds.
    pub longest: f64,
    /// How many went over the play clock.
    pub overshot: u64,
    /// By how much, in milliseconds, largest first: the largest [`TimeAccount::KEPT`] of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overshoots: Vec<f64>,
}

impl TimeAccount {
    /// How many overshoots are kept one by one.
    pub const KEPT: usize = 1000;

    /// A move that took `elapsed` of `clock`.
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

    /// Adds another account.
    pub fn merge(&mut self, other: &TimeAccount) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        self.longest = self.longest.max(other.longest);
        self.overshot += other.overshot;
        self.keep(&other.overshoots);
    }

    /// The same with times to the microsecond.
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

    /// The overshoot in milliseconds that a share `quantile` of all moves stays within; 0 for
    /// moves within the clock. `None` when it lies beyond the overshoots that were kept.
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
        // Two of 200 lie beyond the 99th percentile.
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
