//! The trial of minimax values: short matches of searches with them against searches without them.

use super::contest::{Contest, Novelty};
use super::learner::of_short_searches;
use super::matches::shares;
use crate::limits::Limits;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{EvalError, Playouts};
use std::sync::{Mutex, PoisonError};

/// Fewer matches decide nothing.
const LEAST_MATCHES: usize = 8;
/// The trial ends early if its matches tell this share from a half.
const WORTH: f64 = 0.7;
/// The logarithm of the ratio of likelihoods at which they do: one of twenty such results is wrong.
const CLEAR: f64 = 2.944;

/// The logarithm of the ratio of the likelihoods of these shares, if the expected share is [`WORTH`] and if it is a half,
/// for the sequential probability ratio test (Wald 1945). A draw counts as half a win and half a loss.
fn log_ratio(shares: &[f64]) -> f64 {
    let (won, lost) = ((WORTH / 0.5).ln(), ((1.0 - WORTH) / 0.5).ln());
    shares.iter().map(|share| share * won + (1.0 - share) * lost).sum()
}

/// Whether more matches would hardly change the decision.
fn is_clear(shares: &[f64]) -> bool {
    shares.len() >= LEAST_MATCHES && log_ratio(shares).abs() >= CLEAR
}

/// Whether these shares would be rare if minimax values changed nothing: the sequential test says so, or their mean is two
/// standard errors above a half. The standard error is that of matches without draws.
fn are_won(shares: &[f64]) -> bool {
    let matches = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / matches;
    shares.len() >= LEAST_MATCHES && (log_ratio(shares) >= CLEAR || mean >= 0.5 + 1.0 / matches.sqrt())
}

impl<M: Playouts> Search<M> {
    /// Plays short matches of searches with minimax values against searches without them until a limit is reached or the
    /// result is clear. An iteration of the limits is a match. This search uses minimax values from now on if they win, with
    /// the evaluation that the matches have taught. Does nothing without [`Technique::Minimax`], in games that have not
    /// exactly two roles, in games with chance, and on machines that do not keep their states as bits. With one thread and a
    /// limit of iterations, equal seeds decide alike.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn try_minimax(&mut self, limits: &Limits) -> Result<(), EvalError> {
        if !self.two_player.has(Technique::Minimax) {
            return Ok(());
        }
        let Some(evaluation) = self.new_evaluation() else { return Ok(()) };
        let options = of_short_searches(&self.options);
        let contest = || Contest::of_short_trial(&self.worker.machine, &options);
        let novelty = Novelty::Minimax(Mutex::new(evaluation));
        let is_won = are_won(&shares(contest, &novelty, limits, self.options.threads, is_clear)?);
        if let Novelty::Minimax(evaluation) = novelty {
            self.evaluation = is_won.then(|| evaluation.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{are_won, is_clear};

    /// The shares of `matches` matches of which `won` are won.
    fn shares(won: usize, matches: usize) -> Vec<f64> {
        (0..matches).map(|at| f64::from(at < won)).collect()
    }

    #[test]
    fn minimax_values_win_by_two_standard_errors() {
        assert!(!are_won(&[]) && !are_won(&[1.0; 7]), "too few");
        assert!(are_won(&[1.0; 8]) && !are_won(&[0.5; 400]));
        assert!(are_won(&shares(60, 100)) && !are_won(&shares(59, 100)));
    }

    #[test]
    fn a_trial_ends_once_it_is_clear() {
        assert!(!is_clear(&[]) && !is_clear(&[0.0; 7]), "too few");
        assert!(is_clear(&shares(9, 9)) && are_won(&shares(9, 9)));
        assert!(is_clear(&[0.0; 8]) && is_clear(&[0.5; 40]), "not worth it");
        assert!(!is_clear(&shares(12, 20)), "more than a half, but not much");
    }
}
