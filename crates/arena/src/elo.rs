//! Elo differences between two players from the scores of match pairs, and the sequential test (SPRT).
//!
//! A pair is two matches from the same opening with the seats swapped. The score of a pair is the first
//! player's mean score over the two matches: 0, ¼, ½, ¾ or 1. Both matches of a pair depend on the opening,
//! but pairs are independent of each other. Variances are therefore computed from the scores of pairs, not of
//! single matches (the pentanomial model of fishtest). The sequential test is the generalised SPRT of
//! hypotheses about an expected score: Michel Van den Bergh, *Comments on normalized Elo* and *A practical
//! introduction to the GSPRT* (2019–2021). The maximum likelihood estimates under each hypothesis are
//! computed exactly.

#[cfg(doc)]
use crate::interval::Moments;
use crate::interval::{Estimate, Z95, normal_cdf, wilson};
use serde::Serialize;
use std::str::FromStr;

/// The factor of normalised Elo: 800 / ln 10. Normalised Elo is this factor times t, where t is the expected
/// score minus ½, divided by the standard deviation of a single match's score.
const NORMALISED_ELO: f64 = 347.435_585_522_601_4;

/// The number of times that the first player had each score: 5 counts for pairs (0, ¼, ½, ¾, 1) or 3 counts
/// for single matches (0, ½, 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scores {
    /// The counts of single matches: losses, draws, wins.
    Matches([u64; 3]),
    /// The counts of pairs with the scores 0, ¼, ½, ¾ and 1.
    Pairs([u64; 5]),
}

impl Scores {
    fn counts(&self) -> &[u64] {
        match self {
            Scores::Matches(counts) => counts,
            Scores::Pairs(counts) => counts,
        }
    }

    /// The number of matches or pairs.
    pub fn total(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// Each possible score with its relative frequency, computed from the counts after each count of 0 is
    /// replaced by `regular`.
    fn distribution(&self, regular: f64) -> Vec<(f64, f64)> {
        let counts: Vec<f64> =
            self.counts().iter().map(|&count| if count == 0 { regular } else { count as f64 }).collect();
        let (total, top) = (counts.iter().sum::<f64>(), (counts.len() - 1) as f64);
        counts.iter().enumerate().map(|(i, count)| (i as f64 / top, count / total)).collect()
    }

    /// The mean and the variance of the distribution of scores.
    fn moments(&self) -> (f64, f64) {
        let distribution = self.distribution(0.0);
        let mean: f64 = distribution.iter().map(|(score, share)| score * share).sum();
        let variance = distribution.iter().map(|(score, share)| share * (score - mean).powi(2)).sum();
        (mean, variance)
    }

    /// The estimated difference between the two players. `None` if there are no scores.
    pub fn difference(&self) -> Option<Difference> {
        let total = self.total() as f64;
        if total == 0.0 {
            return None;
        }
        let (mean, variance) = self.moments();
        // Rounding may leave a tiny variance where all scores are equal.
        if variance < 1e-12 {
            return Some(Difference::of_equal_scores(mean, total));
        }
        let error = (variance / total).sqrt();
        let (low, high) = (mean - Z95 * error, mean + Z95 * error);
        // Normalised Elo is per match: a match has twice the variance of a pair's mean score.
        let per_match = match self {
            Scores::Matches(_) => variance,
            Scores::Pairs(_) => 2.0 * variance,
        };
        let normalised = |score: f64| (score - 0.5) / per_match.sqrt() * NORMALISED_ELO;
        Some(Difference {
            score: Estimate { value: mean, low: low.max(0.0), high: high.min(1.0) },
            elo: Estimate { value: elo_of_score(mean), low: elo_of_score(low), high: elo_of_score(high) },
            normalised: Some(Estimate {
                value: normalised(mean),
                low: normalised(low),
                high: normalised(high),
            }),
            superiority: normal_cdf((mean - 0.5) / error),
        })
    }
}

/// The estimated difference between two players, from the first player's side.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// The expected score of the first player, 0 to 1.
    pub score: Estimate,
    /// The difference in Elo. Its value is infinite if one player won every match.
    pub elo: Estimate,
    /// The difference in normalised Elo, which does not depend on the share of draws;
    /// `None` if all scores are equal.
    pub normalised: Option<Estimate>,
    /// The likelihood of superiority (LOS): the probability that the first player is stronger.
    pub superiority: f64,
}

impl Difference {
    /// The estimated difference if all scores are equal. `total` is the number of scores, and each of them is
    /// `score`. Their sample variance is 0 and says nothing about the true variance. The intervals are
    /// therefore Wilson's, as in [`Moments::estimate`]. The superiority is computed as if each score had the
    /// variance of a fair coin flip, ¼.
    fn of_equal_scores(score: f64, total: f64) -> Difference {
        let interval = wilson(score, total);
        let elo = |score: f64| if (score - 0.5).abs() < 1e-12 { 0.0 } else { elo_of_score(score) };
        Difference {
            score: interval,
            elo: Estimate { value: elo(score), low: elo(interval.low), high: elo(interval.high) },
            normalised: None,
            superiority: normal_cdf((score - 0.5) * 2.0 * total.sqrt()),
        }
    }
}

/// The Elo difference at which the expected score is `score`. It is -∞ for a score of 0 or less, and ∞ for 1
/// or more.
///
/// # Examples
/// ```
/// use ggp_arena::elo::{elo_of_score, score_of_elo};
/// assert_eq!(elo_of_score(0.5), 0.0);
/// assert!((score_of_elo(elo_of_score(0.75)) - 0.75).abs() < 1e-12);
/// ```
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

/// The expected score, 0 to 1, at an Elo difference of `elo`.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test of two hypotheses about the Elo difference of two players (the first
/// player's Elo minus the second's). H0: the difference is at most `elo0`. H1: the difference is at least
/// `elo1`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The largest Elo difference that hypothesis H0 allows.
    pub elo0: f64,
    /// The smallest Elo difference that hypothesis H1 allows. It is larger than `elo0`.
    pub elo1: f64,
    /// The probability of accepting H1 although H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 although H1 is true.
    pub beta: f64,
}

/// The hypothesis that a test has accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub enum Hypothesis {
    /// The Elo difference is at most [`Sprt::elo0`].
    H0,
    /// The Elo difference is at least [`Sprt::elo1`].
    H1,
}

/// The state of a sequential test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio of H1 to H0, as [`Sprt::llr`] computes it.
    pub llr: f64,
    /// The test accepts H0 if `llr` is this value or less.
    pub lower: f64,
    /// The test accepts H1 if `llr` is this value or more.
    pub upper: f64,
    /// The accepted hypothesis; `None` while the test is undecided.
    pub accepted: Option<Hypothesis>,
    /// The number of pairs (or single matches) evaluated.
    pub count: u64,
}

/// For the log-likelihood ratio, each count of 0 is replaced by this number, so that no likelihood is 0 (as
/// in fishtest).
const REGULAR: f64 = 1e-3;

impl Sprt {
    /// A test with the given hypotheses and error probabilities.
    ///
    /// # Errors
    /// When `elo0` is not below `elo1`, or a probability is not between 0 and 0.5.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, String> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(format!("elo0={elo0} elo1={elo1}: elo0 must be below elo1"));
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(format!("{name}={value}: {name} must be between 0 and 0.5"));
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta })
    }

    /// The log-likelihood ratio of `scores`: ln(L1 / L0), where L1 and L0 are the maximum likelihoods of the
    /// scores under H1 and H0.
    pub fn llr(&self, scores: &Scores) -> f64 {
        if scores.total() == 0 {
            return 0.0;
        }
        let distribution = scores.distribution(REGULAR);
        let shift = |elo: f64| {
            let target = score_of_elo(elo);
            (target, tilt(&distribution, target))
        };
        let ((s0, t0), (s1, t1)) = (shift(self.elo0), shift(self.elo1));
        let one = |(score, share): &(f64, f64)| {
            share * ((1.0 + t0 * (score - s0)).ln() - (1.0 + t1 * (score - s1)).ln())
        };
        scores.total() as f64 * distribution.iter().map(one).sum::<f64>()
    }

    /// The state of the test after `scores`.
    pub fn state(&self, scores: &Scores) -> SprtState {
        let llr = self.llr(scores);
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let accepted = if llr >= upper {
            Some(Hypothesis::H1)
        } else if llr <= lower {
            Some(Hypothesis::H0)
        } else {
            None
        };
        SprtState { llr, lower, upper, accepted, count: scores.total() }
    }
}

/// The number `t` that gives the maximum likelihood distribution with mean `target`. The elements of
/// `distribution` are pairs (score, share). In the maximum likelihood distribution, each score has the share
/// share / (1 + t·(score − target)). Therefore `t` is the root of the sum of
/// share·(score − target) / (1 + t·(score − target)) over all elements. The sum has poles at
/// −1 / (1 − target) and 1 / target. Between them it strictly decreases in `t`, so bisection finds the root.
fn tilt(distribution: &[(f64, f64)], target: f64) -> f64 {
    let (least, most) = (-target, 1.0 - target);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        let sum: f64 = distribution
            .iter()
            .map(|(score, share)| share * (score - target) / (1.0 + middle * (score - target)))
            .sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

impl FromStr for Sprt {
    type Err = String;

    /// Reads `elo0=0 elo1=10 alpha=0.05 beta=0.05`, separated by blanks or commas; alpha and beta
    /// default to 0.05.
    fn from_str(text: &str) -> Result<Sprt, String> {
        let (mut elo, mut risk) = ([None, None], [0.05, 0.05]);
        for part in text.split([' ', ',', '\t']).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is not KEY=VALUE"))?;
            let value: f64 = value.parse().map_err(|_| format!("`{value}` in `{part}` is not a number"))?;
            match key {
                "elo0" => elo[0] = Some(value),
                "elo1" => elo[1] = Some(value),
                "alpha" => risk[0] = value,
                "beta" => risk[1] = value,
                _ => return Err(format!("unknown setting `{key}`: expected elo0, elo1, alpha or beta")),
            }
        }
        match elo {
            [Some(elo0), Some(elo1)] => Sprt::new(elo0, elo1, risk[0], risk[1]),
            _ => Err("elo0 and elo1 must both be given".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggp_game::rng::Stream;

    fn near(a: f64, b: f64, relative: f64) {
        assert!((a - b).abs() <= relative * b.abs(), "{a} is not {b}");
    }

    /// The expected values are those of fastchess's tests, to two decimals.
    #[test]
    fn elo_of_pairs_is_the_published_one() {
        for (counts, elo, error, nelo, nerror, superiority) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, 28.28, 1.0),
            ([332, 433, 498, 333, 334], -8.64, 10.33, -9.17, 10.96, 0.0505),
        ] {
            let difference = Scores::Pairs(counts).difference().unwrap();
            near(difference.elo.value, elo, 1e-3);
            near(difference.elo.margin(), error, 1e-3);
            let normalised = difference.normalised.unwrap();
            near(normalised.value, nelo, 1e-3);
            near(normalised.margin(), nerror, 1e-3);
            assert!((difference.superiority - superiority).abs() < 1e-4, "{}", difference.superiority);
        }
        let third = Scores::Pairs([7895, 8757, 5685, 568, 9999]).difference().unwrap();
        near(third.elo.value, -21.04, 1e-3);
        near(third.elo.margin(), 2.95, 2e-3);
    }

    #[test]
    fn elo_of_single_matches_is_the_published_one() {
        let second = Scores::Matches([96, 111, 136]).difference().unwrap();
        near(second.elo.value, 40.70, 1e-3);
        near(second.elo.margin(), 30.43, 1e-3);
        near(second.normalised.unwrap().value, 49.77, 1e-3);
        near(second.normalised.unwrap().margin(), 36.77, 1e-3);
        near(second.superiority, 0.9960, 1e-4);
        let third = Scores::Matches([356, 0, 34]).difference().unwrap();
        near(third.normalised.unwrap().value, -508.44, 1e-3);
        near(third.normalised.unwrap().margin(), 34.48, 1e-3);
    }

    /// The expected values are those of fastchess's tests, to two decimals; the method is fishtest's.
    #[test]
    fn log_likelihood_ratios_are_the_published_ones() {
        for (elo0, elo1, counts, llr) in [
            (0.5, 2.5, [223, 9863, 21279, 10037, 246], -3.07),
            (0.0, 2.0, [871, 26175, 55983, 26678, 821], -4.98),
        ] {
            near(Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().llr(&Scores::Pairs(counts)), llr, 0.002);
        }
        for (elo0, elo1, counts, llr) in
            [(0.5, 2.5, [21184, 40708, 21404], -1.57), (0.0, 2.0, [57030, 106_593, 57433], -2.59)]
        {
            near(Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().llr(&Scores::Matches(counts)), llr, 0.003);
        }
    }

    #[test]
    fn one_who_always_wins_is_infinitely_stronger() {
        let difference = Scores::Pairs([0, 0, 0, 0, 7]).difference().unwrap();
        assert!(difference.elo.value == f64::INFINITY && difference.elo.high == f64::INFINITY);
        // Wilson's interval for seven wins of seven begins at a score of 65 %, 104 Elo.
        near(difference.elo.low, 104.0, 0.01);
        near(difference.superiority, 0.9959, 1e-3);
        assert_eq!(Scores::Pairs([0; 5]).difference(), None);
        let even = Scores::Pairs([0, 0, 9, 0, 0]).difference().unwrap();
        assert_eq!((even.elo.value, even.superiority, even.normalised), (0.0, 0.5, None));
        assert!(even.elo.margin() > 50.0);
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        assert_eq!(sprt.state(&Scores::Pairs([0, 0, 0, 0, 100])).accepted, Some(Hypothesis::H1));
        assert_eq!(sprt.state(&Scores::Pairs([0, 0, 100, 0, 0])).accepted, Some(Hypothesis::H0));
        assert_eq!(sprt.state(&Scores::Pairs([0; 5])).accepted, None);
    }

    /// Simulates `runs` tests and returns how many of them accept H1. The first player wins a match with
    /// probability `win` and draws it with probability `draw`.
    fn accepted(sprt: Sprt, win: f64, draw: f64, runs: u64) -> u64 {
        let run = |seed: u64| {
            let mut counts = [0; 5];
            for pair in 0..100_000 {
                let stream = Stream::new(seed, pair);
                let flip = |role| {
                    let u = f64::from(stream.bits(0, ggp_game::Role(role))) / 2f64.powi(32);
                    if u < win { 2 } else { usize::from(u < win + draw) }
                };
                counts[flip(0) + flip(1)] += 1;
                if let Some(accepted) = sprt.state(&Scores::Pairs(counts)).accepted {
                    return accepted;
                }
            }
            panic!("no decision")
        };
        (0..runs).filter(|&seed| run(seed) == Hypothesis::H1).count() as u64
    }

    #[test]
    fn equal_players_are_seldom_called_different() {
        let sprt: Sprt = "elo0=0 elo1=50 alpha=0.05 beta=0.05".parse().unwrap();
        let wrong = accepted(sprt, 0.4, 0.2, 100);
        assert!(wrong <= 10, "{wrong} of 100");
        // The same holds without draws.
        let wrong = accepted(sprt, 0.5, 0.0, 100);
        assert!(wrong <= 10, "{wrong} of 100");
    }

    #[test]
    fn a_stronger_player_is_seldom_missed() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        let draw = 0.2;
        let win = score_of_elo(50.0) - draw / 2.0;
        let right = accepted(sprt, win, draw, 100);
        assert!(right >= 90, "{right} of 100");
    }

    #[test]
    fn a_test_is_read_from_text() {
        assert_eq!("elo1=10,elo0=-5".parse(), Sprt::new(-5.0, 10.0, 0.05, 0.05));
        for bad in ["", "elo0=1", "elo0=5 elo1=1", "elo0=0 elo1=1 alpha=2", "elo0=x elo1=1", "elo2=1", "elo0"]
        {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
    }
}
