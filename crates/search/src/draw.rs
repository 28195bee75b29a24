//! Draws from mixed strategies.

/// The index that `point`, from 0 to 1, selects: each index is selected by an interval as long as its probability.
/// `None` if the probabilities have a smaller sum than `point`, by rounding or because all of them are 0.
pub(crate) fn index_at(point: f64, probabilities: impl IntoIterator<Item = f64>) -> Option<usize> {
    let mut remainder = point;
    probabilities.into_iter().position(|probability| {
        remainder -= probability;
        remainder < 0.0
    })
}
