//! Draws from mixed strategies.

/// The weights of a mixed strategy without those below the fraction `part` of the largest, which become 0: exploration and
/// early rounds leave such remainders (thresholding; Ganzfried, Sandholm & Waugh 2012).
pub(crate) fn purified(
    weights: impl ExactSizeIterator<Item = f64> + Clone,
    part: f64,
) -> impl ExactSizeIterator<Item = f64> + Clone {
    let least = part * weights.clone().fold(0.0, f64::max);
    weights.map(move |weight| if weight < least { 0.0 } else { weight })
}

/// `weights` scaled to the sum 1. Equal shares if all weights are 0.
pub(crate) fn normalised(weights: impl ExactSizeIterator<Item = f64> + Clone) -> Vec<f64> {
    let (sum, count): (f64, usize) = (weights.clone().sum(), weights.len());
    weights.map(|weight| if sum > 0.0 { weight / sum } else { 1.0 / count as f64 }).collect()
}

/// The index that `point`, from 0 to 1, selects: each index is selected by an interval as long as its probability.
/// `None` if the probabilities have a smaller sum than `point`, by rounding or because all of them are 0.
pub(crate) fn index_at(point: f64, probabilities: impl IntoIterator<Item = f64>) -> Option<usize> {
    let mut remainder = point;
    probabilities.into_iter().position(|probability| {
        remainder -= probability;
        remainder < 0.0
    })
}
