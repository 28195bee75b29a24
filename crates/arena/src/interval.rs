//! Means with 95 % intervals, and the normal and Student distributions behind them.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The quantile of the standard normal distribution for two-sided 95 % intervals.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Above this number of degrees of freedom, Student's quantile is computed by a series expansion. The inverse
/// distribution function in `statrs` loses digits from about 28 000 degrees of freedom on.
const MANY_DEGREES: u64 = 10_000;

/// The distribution function of the standard normal distribution.
pub fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// The 97.5 % quantile of Student's t distribution with `degrees` degrees of freedom, correct to at least
/// nine digits. It is infinite for 0 degrees.
pub fn student_quantile_975(degrees: u64) -> f64 {
    let n = degrees as f64;
    if degrees > MANY_DEGREES {
        // Abramowitz & Stegun 26.7.5; the terms left out are below 1e-11.
        let z = Z95;
        let first = (z.powi(3) + z) / 4.0;
        let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
        return z + first / n + second / n.powi(2);
    }
    StudentsT::new(0.0, 1.0, n).map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

/// A value with its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Half the interval's width.
    pub fn margin(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The estimate of a binomial proportion, with Wilson's 95 % interval (Wilson 1927). `share` is the
/// proportion observed in a sample, and `n` is the size of the sample.
///
/// # Examples
/// ```
/// let interval = ggp_arena::interval::wilson(0.5, 100.0);
/// assert!(interval.low > 0.40 && interval.high < 0.60);
/// ```
pub fn wilson(share: f64, n: f64) -> Estimate {
    let z2 = Z95 * Z95;
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let margin = Z95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    Estimate { value: share, low: (centre - margin).max(0.0), high: snap(centre + margin) }
}

/// Returns 1 if `share` differs from 1 only by rounding, otherwise `share`.
fn snap(share: f64) -> f64 {
    if share > 1.0 - 1e-12 { 1.0 } else { share }
}

/// The mean and the variance of values that are added one by one (Welford 1962).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Adds all values of `other` (Chan, Golub & `LeVeque` 1979).
    pub fn merge(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        let (own, theirs) = (self.count as f64, other.count as f64);
        let shift = other.mean - self.mean;
        self.count += other.count;
        self.mean += shift * theirs / (own + theirs);
        self.squares += other.squares + shift * shift * own * theirs / (own + theirs);
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, or 0 if there are no values.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The sample variance. `None` if there are fewer than two values.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// The mean of the values with its 95 % interval. `None` if there are no values. All values must lie
    /// within the bounds `low..=high`. The interval comes from Student's t distribution and is cut at the
    /// bounds. If there is only one value, or all values are equal, the sample says nothing about the true
    /// variance. The interval is then Wilson's interval for a share, scaled to the bounds; it assumes the
    /// largest variance that the bounds allow.
    pub fn estimate(&self, low: f64, high: f64) -> Option<Estimate> {
        if self.count == 0 {
            return None;
        }
        let n = self.count as f64;
        match self.variance() {
            Some(variance) if variance > 0.0 => {
                let margin = student_quantile_975(self.count - 1) * (variance / n).sqrt();
                let (from, to) = ((self.mean - margin).max(low), (self.mean + margin).min(high));
                Some(Estimate { value: self.mean, low: from, high: to })
            }
            _ => {
                let share = wilson((self.mean - low) / (high - low), n);
                let at = |share: f64| low + share * (high - low);
                Some(Estimate { value: self.mean, low: at(share.low), high: at(share.high) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    #[test]
    fn distributions_have_their_published_values() {
        // Abramowitz & Stegun, table 26.1.
        near(normal_cdf(1.0), 0.841_344_746_1, 1e-10);
        near(normal_cdf(-1.0), 0.158_655_253_9, 1e-10);
        near(normal_cdf(2.6), 0.995_338_811_98, 1e-10);
        near(normal_cdf(Z95), 0.975, 1e-11);
        near(normal_cdf(-8.0), 6.220_960_574_27e-16, 1e-24);
        // Solutions of the regularised incomplete beta function, computed with 25 digits.
        assert!(student_quantile_975(0).is_infinite());
        for (degrees, t) in [
            (1, 12.706_204_736_174_7),
            (2, 4.302_652_729_749_464),
            (3, 3.182_446_305_283_71),
            (4, 2.776_445_105_197_794),
            (5, 2.570_581_835_636_316),
            (10, 2.228_138_851_986_275),
            (30, 2.042_272_456_301_238),
            (47, 2.011_740_513_729_766),
            (120, 1.979_930_405_082_441),
            (1000, 1.962_339_080_826_408),
            (10_000, 1.960_201_239_890_626),
            (100_000, 1.959_987_707_534_61),
            (1_000_000, 1.959_966_356_814_107),
        ] {
            near(student_quantile_975(degrees), t, 1e-10 * t);
        }
        near(student_quantile_975(u64::MAX), Z95, 1e-15);
    }

    #[test]
    fn a_mean_has_students_interval() {
        let mut moments = Moments::default();
        for value in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            moments.add(value);
        }
        near(moments.mean(), 5.0, 1e-12);
        near(moments.variance().unwrap(), 32.0 / 7.0, 1e-12);
        let estimate = moments.estimate(0.0, 100.0).unwrap();
        // 5 ± 2.3646 · sqrt(32/7/8)
        near(estimate.low, 5.0 - 1.7873, 2e-3);
        near(estimate.high, 5.0 + 1.7873, 2e-3);
        near(estimate.margin(), 1.7873, 2e-3);
    }

    #[test]
    fn merged_moments_are_those_of_all_values() {
        let of = |values: &[f64]| {
            let mut moments = Moments::default();
            for &value in values {
                moments.add(value);
            }
            moments
        };
        let mut both = of(&[]);
        both.merge(&of(&[1.0, 4.0]));
        both.merge(&of(&[]));
        both.merge(&of(&[10.0, 2.0, 7.0]));
        let all = of(&[1.0, 4.0, 10.0, 2.0, 7.0]);
        assert_eq!(both.count(), 5);
        near(both.mean(), all.mean(), 1e-12);
        near(both.variance().unwrap(), all.variance().unwrap(), 1e-12);
    }

    #[test]
    fn equal_values_are_not_taken_for_certainty() {
        let mut moments = Moments::default();
        assert_eq!(moments.estimate(0.0, 100.0), None);
        for _ in 0..10 {
            moments.add(100.0);
        }
        let estimate = moments.estimate(0.0, 100.0).unwrap();
        // Wilson's interval for 10 of 10 begins at 72.2 %.
        near(estimate.low, 72.2, 0.1);
        near(estimate.high, 100.0, 1e-9);
    }
}
