//! The statistics of the ruler.

/// A mean and its standard error.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Mean {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Mean {
    pub(crate) fn of(values: &[f64]) -> Mean {
        let mut mean = Mean::default();
        for &value in values {
            mean.add(value);
        }
        mean
    }

    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    /// Adds the values of another mean.
    pub(crate) fn merge(&mut self, other: &Mean) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    pub(crate) fn count(&self) -> u64 {
        self.count as u64
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    /// The standard error of the mean.
    pub(crate) fn error(&self) -> f64 {
        let mean = self.mean();
        let variance = (self.squares / self.count.max(1.0) - mean * mean).max(0.0);
        (variance / (self.count - 1.0).max(1.0)).sqrt()
    }
}

impl std::fmt::Display for Mean {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3} ±{:.3} in {}", self.mean(), self.error(), self.count)
    }
}

/// The standard deviation of a sample; NaN for less than two values.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if values.len() < 2 { f64::NAN } else { (squares / (count - 1.0)).sqrt() }
}

/// The value that the share `share` of the values does not exceed, by linear interpolation between neighbours; NaN
/// without values.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = share * last as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The log-loss, in nats, of the shares of `visits` against those of `reference`, which has the same moves in the
/// same order. Each visit count of the prediction is raised by one, so that a move without a visit has no infinite
/// loss.
pub(crate) fn log_loss(visits: &[f64], reference: &[f64]) -> f64 {
    let (total, all) = (visits.iter().map(|count| count + 1.0).sum::<f64>(), reference.iter().sum::<f64>());
    let one = |(&visits, &weight): (&f64, &f64)| -(weight / all) * ((visits + 1.0) / total).ln();
    visits.iter().zip(reference).map(one).sum()
}

/// The entropy of the shares of `visits`, in nats: the least log-loss against them.
pub(crate) fn entropy(visits: &[f64]) -> f64 {
    let all: f64 = visits.iter().sum();
    let shares = visits.iter().map(|count| count / all).filter(|&share| share > 0.0);
    -shares.map(|share| share * share.ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn a_mean_has_a_standard_error() {
        let mean = Mean::of(&[0.0, 0.0, 1.0, 1.0]);
        near(mean.mean(), 0.5);
        // The sample variance is a third; a quarter of it is the variance of the mean.
        near(mean.error(), (1.0f64 / 12.0).sqrt());
    }

    #[test]
    fn quantiles_interpolate() {
        let values = [5.0, 1.0, 2.0, 4.0, 3.0];
        near(median(&values), 3.0);
        near(median(&values[..4]), 3.0);
        near(quantile(&values, 0.9), 4.6);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        near(deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), (32.0f64 / 7.0).sqrt());
        assert!(deviation(&[1.0]).is_nan());
    }

    #[test]
    fn the_loss_is_least_for_the_shares_of_the_reference() {
        let reference = [600.0, 300.0, 100.0];
        let same = log_loss(&[59_999.0, 29_999.0, 9_999.0], &reference);
        near(same, entropy(&reference));
        for other in [[99_998.0, 0.0, 0.0], [33_333.0, 33_333.0, 33_333.0], [0.0, 0.0, 0.0]] {
            assert!(log_loss(&other, &reference) > same, "{other:?}");
        }
        near(log_loss(&[0.0, 0.0], &[1.0, 0.0]), 2.0f64.ln());
    }
}
