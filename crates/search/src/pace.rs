//! How long a piece of work is expected to take, from how long it took lately.

use std::time::Duration;

/// The longest of the recent times, which each later, shorter one wears down, and their mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    expected: Duration,
    typical: Duration,
}

/// One part in so many is forgotten each time: a hiccup of the machine it runs on is forgotten
/// after some hundred measurements, a slow phase of the game is not.
const MEMORY: u32 = 32;

/// The part that the last time has in the mean.
const NEWEST: u32 = 8;

impl Pace {
    /// What the next time is expected to be at most.
    pub(crate) fn expected(self) -> Duration {
        self.expected
    }

    /// What the next time is expected to be as a rule: for work that can be interrupted, for which
    /// a hiccup is no reason to stop early from then on.
    pub(crate) fn typical(self) -> Duration {
        self.typical
    }

    /// How often it fits into `time`, as a rule.
    pub(crate) fn times_in(self, time: Duration) -> u32 {
        let times = time.as_nanos() / self.typical.as_nanos().max(1);
        u32::try_from(times).unwrap_or(u32::MAX)
    }

    /// Takes note of one more time.
    pub(crate) fn note(&mut self, time: Duration) {
        // A time that is far out of the ordinary says nothing of the ordinary.
        let usual = if self.typical.is_zero() { time } else { time.min(self.typical * 2) };
        self.typical = (self.typical * (NEWEST - 1) + usual) / NEWEST;
        if self.expected.is_zero() {
            self.typical = time;
        }
        self.expected = time.max(self.expected.saturating_sub(self.expected / MEMORY));
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;
    use std::time::Duration;

    #[test]
    fn one_slow_time_is_remembered_for_a_while_only() {
        let mut pace = Pace::default();
        pace.note(Duration::from_millis(30));
        pace.note(Duration::from_micros(10));
        assert!(pace.expected() > Duration::from_millis(29));
        for _ in 0..400 {
            pace.note(Duration::from_micros(10));
        }
        assert_eq!(pace.expected(), Duration::from_micros(10));
        pace.note(Duration::from_millis(30));
        assert!(pace.typical() < Duration::from_micros(20), "{:?}", pace.typical());
    }
}
