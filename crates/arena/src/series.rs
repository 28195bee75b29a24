//! A series of values of which at most a few hundred are kept, evenly spaced.

/// Every `stride`-th value of a series, and the last one.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    kept: Vec<(u64, f64)>,
    last: (u64, f64),
    stride: u64,
}

/// When the number of kept values reaches this limit, every second one of them is dropped and the stride
/// doubles.
const KEPT: usize = 256;

impl Default for Series {
    fn default() -> Series {
        Series { kept: Vec::new(), last: (0, 0.0), stride: 1 }
    }
}

impl Series {
    /// Adds the next value.
    pub(crate) fn add(&mut self, value: f64) {
        self.last = (self.last.0 + 1, value);
        if !self.last.0.is_multiple_of(self.stride) {
            return;
        }
        self.kept.push(self.last);
        if self.kept.len() == KEPT {
            self.stride *= 2;
            let stride = self.stride;
            self.kept.retain(|(number, _)| number % stride == 0);
        }
    }

    /// The kept values and the last value, each with its position in the series, from 1.
    pub(crate) fn points(&self) -> Vec<(u64, f64)> {
        let mut points = self.kept.clone();
        if self.last.0 > 0 && points.last() != Some(&self.last) {
            points.push(self.last);
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_kept_and_the_last_always() {
        let mut series = Series::default();
        assert!(series.points().is_empty());
        for number in 1..=10_001u32 {
            series.add(f64::from(number));
        }
        let points = series.points();
        assert!(points.len() > KEPT / 4 && points.len() <= KEPT);
        assert_eq!(points.last(), Some(&(10_001, 10_001.0)));
        let gaps: Vec<u64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(gaps[..gaps.len() - 1].iter().all(|&gap| gap == gaps[0]));
    }
}
