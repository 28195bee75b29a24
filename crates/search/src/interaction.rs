//! How the share of a role depends on the choices of two roles: an additive model with interaction.
//!
//! The values of joint moves are noisy means. The additive model (an effect of the row plus an effect of the column) is fitted
//! by weighted least squares. The rest of each mean is shrunk as in empirical Bayes: it counts by the variance of the
//! interaction in proportion to the variance that the visits explain.

/// The rounds in which the effects of rows and columns are fitted in turn.
const ROUNDS: usize = 20;

/// The interaction is taken for real if its sum of squares exceeds the expected one without interaction by this many standard
/// deviations.
const CLEAR: f64 = 4.0;

/// The shares of one of two roles for their joint moves.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Interaction {
    /// The share for each row and column.
    pub(crate) values: Vec<Vec<f64>>,
    /// Whether rows and columns interact by more than noise explains.
    pub(crate) is_clear: bool,
}

/// One joint move: the mean share, from 0 to 1, and the number of visits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cell {
    pub(crate) mean: f64,
    pub(crate) visits: f64,
}

impl Interaction {
    /// Fits the model to the cells of a matrix: its rows, all of one length.
    pub(crate) fn of(cells: &[Vec<Cell>]) -> Interaction {
        let (rows, columns) = (cells.len(), cells.first().map_or(0, Vec::len));
        // 1. The effects.
        let (mut of_rows, mut of_columns) = (vec![0.0; rows], vec![0.0; columns]);
        for _ in 0..ROUNDS {
            for (row, effect) in of_rows.iter_mut().enumerate() {
                let rests = cells[row].iter().zip(&of_columns).map(|(cell, other)| (cell, cell.mean - other));
                *effect = weighted_mean(rests);
            }
            for (column, effect) in of_columns.iter_mut().enumerate() {
                let rests =
                    cells.iter().zip(&of_rows).map(|(row, other)| (&row[column], row[column].mean - other));
                *effect = weighted_mean(rests);
            }
        }
        // 2. The variance of one visit, and the sum of squares of what remains, in units of that variance.
        let all = || {
            cells.iter().zip(&of_rows).flat_map(|(row, effect)| {
                row.iter().zip(&of_columns).map(move |(cell, other)| (cell, cell.mean - effect - other))
            })
        };
        let visits: f64 = all().map(|(cell, _)| cell.visits).sum();
        let visit = weighted_mean(all().map(|(cell, _)| {
            // Smoothing towards 0.5 keeps the variance positive if a few visits all have the same score.
            let smooth = (cell.mean * cell.visits + 1.0) / (cell.visits + 2.0);
            (cell, smooth * (1.0 - smooth))
        }))
        .max(1e-9);
        let squares: f64 = all().map(|(cell, rest)| cell.visits * rest * rest).sum::<f64>() / visit;
        // 3. The variance of the interaction, and with it the weight of what remains.
        let known = all().filter(|(cell, _)| cell.visits > 0.0).count();
        let freedom = (known as f64 - (rows + columns) as f64 + 1.0).max(0.0);
        let excess = squares - freedom;
        let is_clear = freedom > 0.0 && excess > CLEAR * (2.0 * freedom).sqrt();
        // `ratio`: the variance of the interaction by that of one visit.
        let ratio = if visits > 0.0 && freedom > 0.0 {
            (excess / visits * known as f64 / freedom).max(0.0)
        } else {
            0.0
        };
        let value = |cell: &Cell, effect: f64, other: f64| {
            let weight = cell.visits * ratio / (cell.visits * ratio + 1.0);
            let additive = effect + other;
            additive + weight * (cell.mean - additive)
        };
        let values = cells.iter().zip(&of_rows).map(|(row, &effect)| {
            row.iter().zip(&of_columns).map(|(cell, &other)| value(cell, effect, other)).collect()
        });
        Interaction { values: values.collect(), is_clear }
    }
}

/// The mean of `values`, weighted by the visits of their cells; 0 without visits.
fn weighted_mean<'a>(values: impl Iterator<Item = (&'a Cell, f64)>) -> f64 {
    let (mut sum, mut visits) = (0.0, 0.0);
    for (cell, value) in values {
        sum += cell.visits * value;
        visits += cell.visits;
    }
    if visits > 0.0 { sum / visits } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Interaction};
    use ggp_game::rng::Sequence;

    /// The model of cells whose means come from so many visits, each won with the probability of the cell.
    fn drawn(shares: &[Vec<f64>], visits: u32) -> Interaction {
        let mut random = Sequence::new(7);
        let mut cell = |share: f64| {
            let won = (0..visits).filter(|_| random.between(0.0..1.0) < share).count();
            Cell { mean: won as f64 / f64::from(visits), visits: f64::from(visits) }
        };
        Interaction::of(
            &shares.iter().map(|row| row.iter().map(|&share| cell(share)).collect()).collect::<Vec<_>>(),
        )
    }

    /// The values of a matrix of six rows and columns.
    fn matrix(value: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
        (0..6).map(|row| (0..6).map(|column| value(row, column)).collect()).collect()
    }

    fn error(model: &Interaction, shares: &[Vec<f64>]) -> f64 {
        let pairs = model.values.iter().flatten().zip(shares.iter().flatten());
        pairs.map(|(value, share)| (value - share).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn noise_is_no_interaction() {
        let additive = matrix(|row, column| 0.3 + 0.02 * row as f64 + 0.05 * column as f64);
        for visits in [20, 50, 2000] {
            let model = drawn(&additive, visits);
            assert!(!model.is_clear);
            // The additive model has the visits of a whole row and column for each cell.
            assert!(error(&model, &additive) < 2.0 / f64::from(visits).sqrt(), "{model:?}");
        }
    }

    #[test]
    fn interaction_is_found_and_counts_by_the_visits() {
        let shares = matrix(|row, column| if row == column { 0.2 } else { 0.6 });
        let model = drawn(&shares, 200);
        assert!(model.is_clear && error(&model, &shares) < 0.12, "{model:?}");
        assert!(!drawn(&shares, 2).is_clear);
    }

    #[test]
    fn joint_moves_without_visits_have_the_additive_value() {
        let visited = |mean| Cell { mean, visits: 1000.0 };
        let cells = [vec![visited(0.2), visited(0.4)], vec![visited(0.5), Cell { mean: 0.0, visits: 0.0 }]];
        let model = Interaction::of(&cells);
        assert!((model.values[1][1] - 0.7).abs() < 1e-3 && !model.is_clear, "{model:?}");
        let nothing = Interaction::of(&[vec![Cell { mean: 0.0, visits: 0.0 }]]);
        assert_eq!(nothing, Interaction { values: vec![vec![0.0]], is_clear: false });
    }
}
