//! [`MinimaxTrial`]: short matches of searches with minimax values against searches without them, which decide whether
//! players use them, and the evaluation that these matches teach.

use super::contest::{Contest, Novelty, SHORT};
use super::learner::{Learner, of_short_searches};
use super::matches::shares;
use super::trial::Trial;
use crate::evaluation::Evaluation;
use crate::limits::Limits;
use crate::minimax::new_evaluation;
use crate::options::MctsOptions;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{EvalError, Playouts};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

/// Fewer matches decide nothing.
const LEAST_MATCHES: u32 = 8;
/// More matches would change the decision of few games.
const MOST_MATCHES: u32 = 200;
/// The trial ends early if its matches tell this share from a half.
const WORTH: f64 = 0.7;
/// The logarithm of the ratio of likelihoods at which they do: one of twenty such results is wrong.
const CLEAR: f64 = 2.944;

/// The trial of minimax values in one game: the result of its matches, and the evaluation that they have taught.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct MinimaxTrial {
    pub(crate) trial: Trial,
    pub(crate) evaluation: Evaluation,
}

impl MinimaxTrial {
    /// No matches yet. `None` in games without minimax values ([`new_evaluation`]).
    pub(crate) fn new<M: Playouts>(machine: &M) -> Option<MinimaxTrial> {
        Some(MinimaxTrial { trial: Trial::default(), evaluation: new_evaluation(machine)? })
    }

    /// The trial in another numbering of the fluents ([`Evaluation::renumbered`]).
    pub(super) fn renumbered(&self, to_old: &[u32]) -> MinimaxTrial {
        MinimaxTrial { trial: self.trial, evaluation: self.evaluation.renumbered(to_old) }
    }

    /// Whether players use minimax values.
    pub(crate) fn is_won(&self) -> bool {
        is_won(self.trial)
    }

    /// Whether more matches would hardly change the decision.
    pub(crate) fn is_decided(&self) -> bool {
        is_decided(self.trial)
    }

    /// Whether the matches so far speak for minimax values rather than against them.
    pub(super) fn is_promising(&self) -> bool {
        is_promising(self.trial)
    }

    /// Plays more matches on `machine`, of searches with `options` on `threads` threads, until a limit is reached or the
    /// result is clear. An iteration of the limits is a match.
    fn go_on<M: Playouts>(
        self,
        machine: &M,
        options: &MctsOptions,
        limits: &Limits,
        threads: usize,
    ) -> Result<MinimaxTrial, EvalError> {
        let MinimaxTrial { trial, evaluation } = self;
        let contest = || Contest::of_short_trial(machine, options);
        let novelty = Novelty::Minimax(Mutex::new(evaluation));
        let first = trial.matches.into();
        let is_clear = |shares: &[f64]| is_decided(trial.and(shares));
        let shares = shares(contest, &novelty, first, limits, threads, is_clear)?;
        let Novelty::Minimax(evaluation) = novelty else { unreachable!("minimax values are tried") };
        let evaluation = evaluation.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(MinimaxTrial { trial: trial.and(&shares), evaluation })
    }
}

/// The logarithm of the ratio of the likelihoods of a result, if the expected share is [`WORTH`] and if it is a half, for the
/// sequential probability ratio test (Wald 1945). A draw counts as half a win and half a loss.
fn log_ratio(Trial { matches, share }: Trial) -> f64 {
    let (won, lost) = ((WORTH / 0.5).ln(), ((1.0 - WORTH) / 0.5).ln());
    f64::from(matches) * (share * won + (1.0 - share) * lost)
}

fn is_decided(trial: Trial) -> bool {
    trial.matches >= MOST_MATCHES || trial.matches >= LEAST_MATCHES && log_ratio(trial).abs() >= CLEAR
}

fn is_promising(trial: Trial) -> bool {
    log_ratio(trial) > 0.0
}

/// Whether the result would be rare if minimax values changed nothing: the sequential test says that they are worth it, or
/// their mean share is two standard errors above a half. The standard error is that of matches without draws.
fn is_won(trial: Trial) -> bool {
    let error = 0.5 / f64::from(trial.matches).sqrt();
    trial.matches >= LEAST_MATCHES && (log_ratio(trial) >= CLEAR || trial.share >= 0.5 + 2.0 * error)
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
        match MinimaxTrial::new(&self.worker.machine) {
            Some(trial) if self.options.has(Technique::Minimax) => self.go_on_with(trial, limits).map(drop),
            _ => Ok(()),
        }
    }

    /// Plays more matches of `trial` as [`Search::try_minimax`] does, and returns it.
    pub(super) fn go_on_with(
        &mut self,
        trial: MinimaxTrial,
        limits: &Limits,
    ) -> Result<MinimaxTrial, EvalError> {
        let options = of_short_searches(&self.options);
        let trial = trial.go_on(&self.worker.machine, &options, limits, self.options.threads)?;
        self.evaluation = trial.is_won().then(|| trial.evaluation.clone());
        Ok(trial)
    }
}

impl<M: Playouts> Learner<M> {
    /// Plays short matches of searches with minimax values against searches without them, on `threads` threads, until a
    /// limit is reached or the result is clear. An iteration of the limits is a match. Goes on from the matches of the
    /// lesson. Does nothing in games without minimax values.
    ///
    /// # Errors
    /// The machine's errors. The matches so far are then lost.
    pub fn try_minimax(&mut self, limits: &Limits, threads: usize) -> Result<(), EvalError> {
        let Some(trial) = self.minimax.take().or_else(|| MinimaxTrial::new(&self.machine)) else {
            return Ok(());
        };
        self.minimax = Some(trial.go_on(&self.machine, &self.options, limits, threads)?);
        Ok(())
    }

    /// The number of matches of minimax values that have about `descents` descents together.
    pub fn matches_of_minimax(&self, descents: u64) -> u64 {
        self.matches_of(descents, SHORT)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_decided, is_promising, is_won};
    use crate::learn::Trial;

    fn trial(shares: &[f64]) -> Trial {
        Trial::default().and(shares)
    }

    /// `won` of `matches` matches are won.
    fn of(won: usize, matches: usize) -> Trial {
        trial(&vec![1.0; won]).and(&vec![0.0; matches - won])
    }

    #[test]
    fn a_trial_with_more_than_six_wins_in_ten_goes_on() {
        assert!(!is_promising(trial(&[])) && is_promising(of(1, 1)) && is_promising(of(13, 20)));
        assert!(!is_promising(of(1, 2)) && !is_promising(of(12, 20)));
    }

    #[test]
    fn minimax_values_win_by_two_standard_errors() {
        assert!(!is_won(trial(&[])) && !is_won(trial(&[1.0; 7])), "too few");
        assert!(is_won(trial(&[1.0; 8])) && !is_won(trial(&[0.5; 400])));
        assert!(is_won(of(60, 100)) && !is_won(of(59, 100)));
    }

    #[test]
    fn a_trial_ends_once_it_is_clear() {
        assert!(!is_decided(trial(&[])) && !is_decided(trial(&[0.0; 7])), "too few");
        assert!(is_decided(of(9, 9)) && is_won(of(9, 9)));
        assert!(is_decided(trial(&[0.0; 8])) && is_decided(trial(&[0.5; 40])), "not worth it");
        assert!(!is_decided(of(12, 20)), "more than a half, but not much");
        assert!(is_decided(of(120, 200)));
    }
}
