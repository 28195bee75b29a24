//! Power laws: how fast one quantity grows with another.

/// The exponent e of the power law y = c · x^e that fits `points` (x, y) best: the slope of the line of least squares
/// through their logarithms. `None` for fewer than two different x. All coordinates are positive.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let (mean_x, mean_y) =
        (logs.iter().map(|(x, _)| x).sum::<f64>() / count, logs.iter().map(|(_, y)| y).sum::<f64>() / count);
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let product: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (spread > 0.0).then(|| product / spread)
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn a_power_law_has_its_exponent() {
        for e in [0.5, 1.0, 1.5, -2.0] {
            let points: Vec<(f64, f64)> = [1.0, 3.0, 10.0, 70.0].map(|x: f64| (x, 3.0 * x.powf(e))).to_vec();
            assert!((exponent(&points).expect("four points") - e).abs() < 1e-9, "{e}");
        }
    }

    #[test]
    fn deviations_on_both_sides_cancel() {
        let points = [(1.0, 2.0), (1.0, 0.5), (100.0, 200.0), (100.0, 50.0)];
        assert!((exponent(&points).expect("two different x") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_place_has_no_exponent() {
        assert_eq!(exponent(&[]), None);
        assert_eq!(exponent(&[(2.0, 1.0), (2.0, 3.0)]), None);
    }
}
