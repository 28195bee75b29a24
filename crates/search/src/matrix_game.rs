//! An equilibrium of a matrix game of constant sum, by regret matching+ (Tammelin 2014). Both players choose at once, and the
//! game is over.

use crate::draw::{normalised, purified};

/// The number of rounds. The distance from an equilibrium falls faster than with the square root of it.
const ROUNDS: u32 = 500;

/// The equilibrium drops every choice whose probability is below this fraction of the largest: it is a remainder of the first
/// rounds.
const PURIFIED: f64 = 0.05;

/// For each player, the probabilities of its choices. `shares[row][column]` is the share of the first player, who chooses the
/// row; the second player chooses the column and gets the rest. There must be a row and a column.
pub(crate) fn equilibrium(shares: &[Vec<f64>]) -> [Vec<f64>; 2] {
    let sizes = [shares.len(), shares[0].len()];
    let payoff = |player: usize, own: usize, other: usize| {
        if player == 0 { shares[own][other] } else { 1.0 - shares[other][own] }
    };
    let mut regrets = sizes.map(|choices| vec![0.0; choices]);
    let mut sums = sizes.map(|choices| vec![0.0; choices]);
    let mut current = sizes.map(|choices| vec![1.0 / choices as f64; choices]);
    for round in 1..=ROUNDS {
        for player in 0..2 {
            // 1. The values of the choices against the other player's current strategy.
            let other = &current[1 - player];
            let value = |own| other.iter().zip(0..).map(|(p, at)| p * payoff(player, own, at)).sum::<f64>();
            let values: Vec<f64> = (0..sizes[player]).map(value).collect();
            let mean: f64 = current[player].iter().zip(&values).map(|(p, value)| p * value).sum();
            // 2. The regrets, never below 0.
            for (regret, value) in regrets[player].iter_mut().zip(&values) {
                *regret = f64::max(*regret + value - mean, 0.0);
            }
            // 3. The next strategy, in proportion to the regrets. Later rounds weigh more in the average.
            let sum: f64 = regrets[player].iter().sum();
            if sum > 0.0 {
                current[player] = regrets[player].iter().map(|regret| regret / sum).collect();
            }
            for (sum, probability) in sums[player].iter_mut().zip(&current[player]) {
                *sum += f64::from(round) * probability;
            }
        }
    }
    sums.map(|weights| normalised(purified(weights.into_iter(), PURIFIED)))
}

#[cfg(test)]
mod tests {
    use super::equilibrium;

    /// The equilibrium of the game in which the player of the rows has these shares.
    fn of(shares: &[&[f64]]) -> [Vec<f64>; 2] {
        equilibrium(&shares.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
    }

    fn assert_close(found: &[f64], wanted: &[f64]) {
        assert!(found.iter().zip(wanted).all(|(one, other)| (one - other).abs() < 0.02), "{found:?}");
    }

    #[test]
    fn matrix_games_have_their_equilibrium() {
        let [rows, columns] = of(&[&[0.5, 0.0, 1.0], &[1.0, 0.5, 0.0], &[0.0, 1.0, 0.5]]);
        assert_close(&rows, &[1.0 / 3.0; 3]);
        assert_close(&columns, &[1.0 / 3.0; 3]);
        let [rows, columns] = of(&[&[0.8, 0.0], &[0.2, 0.6]]);
        assert_close(&rows, &[1.0 / 3.0, 2.0 / 3.0]);
        assert_close(&columns, &[0.5, 0.5]);
    }

    #[test]
    fn what_does_not_depend_on_the_other_choice_is_not_mixed() {
        let [rows, columns] = of(&[&[0.52, 0.62], &[0.50, 0.60], &[0.51, 0.61]]);
        assert_eq!((rows, columns), (vec![1.0, 0.0, 0.0], vec![1.0, 0.0]));
        assert_eq!(of(&[&[0.3]]), [[1.0], [1.0]]);
    }
}
