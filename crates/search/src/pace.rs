//! How long a piece of work is expected to take, from how long it took lately.

use std::time::Duration;

/// The longest of the recent times; each later, shorter one wears it down.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    expected: Duration,
}

/// One part in so many is forgotten each time: a hiccup of the machine it runs on is forgotten
/// after some hundred measurements, a slow phase of the game is not.
const MEMORY: u32 = 32;

impl Pace {
    /// What the next time is expected to be at most.
    pub(crate) fn expected(self) -> Duration {
        self.expected
    }

    /// Takes note of one more time.
    pub(crate) fn note(&mut self, time: Duration) {
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
    }
}
