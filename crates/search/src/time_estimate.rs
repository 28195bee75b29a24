//! Estimates how long a piece of work takes from recent measurements.

use std::time::Duration;

/// A decaying maximum and a moving average of measured times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeEstimate {
    expected: Duration,
    typical: Duration,
}

/// At each measurement the decaying maximum is reduced by its value divided by this number. A single
/// outlier is forgotten after about a hundred measurements. A slow phase of the game lasts longer and is
/// not forgotten.
const MEMORY: u32 = 32;

/// The weight of the newest measurement in the moving average is one divided by this number.
const NEWEST: u32 = 8;

impl TimeEstimate {
    /// A pessimistic estimate: the decaying maximum.
    pub(crate) fn expected(self) -> Duration {
        self.expected
    }

    /// A typical estimate: the moving average. It suits work that can be interrupted, where an underestimate
    /// costs little. It rises only a little after a single outlier, so an outlier does not make later runs
    /// end too early.
    pub(crate) fn typical(self) -> Duration {
        self.typical
    }

    /// The number of times that a piece of work of typical duration fits into `time`.
    pub(crate) fn times_in(self, time: Duration) -> u32 {
        let times = time.as_nanos() / self.typical.as_nanos().max(1);
        u32::try_from(times).unwrap_or(u32::MAX)
    }

    /// Adds a measurement.
    pub(crate) fn record(&mut self, time: Duration) {
        // Limits an outlier to twice the average.
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
    use super::TimeEstimate;
    use std::time::Duration;

    #[test]
    fn one_slow_time_is_remembered_for_a_while_only() {
        let mut estimate = TimeEstimate::default();
        estimate.record(Duration::from_millis(30));
        estimate.record(Duration::from_micros(10));
        assert!(estimate.expected() > Duration::from_millis(29));
        for _ in 0..400 {
            estimate.record(Duration::from_micros(10));
        }
        assert_eq!(estimate.expected(), Duration::from_micros(10));
        estimate.record(Duration::from_millis(30));
        assert!(estimate.typical() < Duration::from_micros(20), "{:?}", estimate.typical());
    }
}
