//! Ratings of any number of players from pairwise comparisons: the Bradley–Terry model (Bradley &
//! Terry 1952) on Elo's scale. A draw counts as half a win.
//!
//! The results of one encounter depend on each other. The intervals therefore come from the delete-a-group
//! jackknife (Kott 2001), whose groups are sets of whole encounters. The jackknife assumes nothing about the
//! dependence within an encounter.

use crate::interval::{Estimate, Z95, student_quantile_975};

/// The number of groups of encounters for the jackknife.
pub(crate) const BLOCKS: usize = 48;

/// The jackknife needs at least this number of groups that have comparisons. If there are fewer, the
/// intervals assume that all comparisons are independent.
const MIN_BLOCKS: usize = 8;

/// The weight of the prior: each player's real matches are supplemented by this number of imaginary matches,
/// drawn against an average player. A player that won or lost everything thus has a finite rating. The weight
/// is small beside some dozens of real matches.
const PRIOR: f64 = 1.0;

/// The smallest jackknife variance that is used, as a fraction of the variance that independent comparisons
/// would have. If the jackknife variance is smaller, all groups of encounters have the same mean result. The
/// jackknife's ratings, each computed without one group, then differ only because of the prior. In this case,
/// the interval assumes independent comparisons.
const NO_SPREAD: f64 = 0.01;

/// Elo points for each unit of log-odds: 400 / ln 10.
const ELO: f64 = 173.717_792_761_300_7;

/// The comparisons of two players, summed up separately for each group of encounters.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Meetings {
    /// The indices of the two players.
    pub(crate) players: [usize; 2],
    /// For each group of encounters: the first player's points (1 for a win, ½ for a draw), and the number of
    /// comparisons.
    pub(crate) blocks: Box<[[f64; 2]; BLOCKS]>,
}

impl Meetings {
    pub(crate) fn new(players: [usize; 2]) -> Meetings {
        Meetings { players, blocks: Box::new([[0.0; 2]; BLOCKS]) }
    }
}

/// The points that player `a` scored in `count` comparisons with player `b`.
struct Score {
    a: usize,
    b: usize,
    points: f64,
    count: f64,
}

/// The rating in Elo of each player. `players` is the number of players. The mean of all ratings is 0. `None`
/// for a player without comparisons.
pub(crate) fn rate(players: usize, meetings: &[Meetings]) -> Vec<Option<Estimate>> {
    let total = |without: Option<usize>| -> Vec<Score> {
        let sum = |meeting: &Meetings| {
            let kept = meeting.blocks.iter().enumerate().filter(|(block, _)| Some(*block) != without);
            let [points, count] = kept.fold([0.0; 2], |[p, c], (_, [points, count])| [p + points, c + count]);
            Score { a: meeting.players[0], b: meeting.players[1], points, count }
        };
        meetings.iter().map(sum).collect()
    };
    let all = total(None);
    let ratings = fit(players, &all);
    let blocks: Vec<usize> = (0..BLOCKS).filter(|&b| meetings.iter().any(|m| m.blocks[b][1] > 0.0)).collect();
    let without: Vec<Vec<f64>> = blocks.iter().map(|&block| fit(players, &total(Some(block)))).collect();
    (0..players)
        .map(|player| {
            let (mut points, mut count, mut information) = (0.0, 0.0, PRIOR / 4.0);
            for meeting in all.iter().filter(|m| m.a == player || m.b == player) {
                let expected = logistic(ratings[meeting.a] - ratings[meeting.b]);
                information += meeting.count * expected * (1.0 - expected);
                points += if meeting.a == player { meeting.points } else { meeting.count - meeting.points };
                count += meeting.count;
            }
            if count == 0.0 {
                return None;
            }
            let n = blocks.len() as f64;
            let mean = without.iter().map(|ratings| ratings[player]).sum::<f64>() / n;
            let spread: f64 = without.iter().map(|ratings| (ratings[player] - mean).powi(2)).sum();
            // If all encounters have the same result, the jackknife sees no variance.
            let one_sided = points <= 0.0 || points >= count || spread * information < NO_SPREAD;
            let margin = if one_sided || blocks.len() < MIN_BLOCKS {
                Z95 / information.sqrt()
            } else {
                student_quantile_975(blocks.len() as u64 - 1) * ((n - 1.0) / n * spread).sqrt()
            };
            let value = ratings[player] * ELO;
            Some(Estimate { value, low: value - margin * ELO, high: value + margin * ELO })
        })
        .collect()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The maximum a posteriori ratings in log-odds, with mean 0. Newton's method is applied to one player at a
/// time. The iteration converges because the posterior is strictly concave.
fn fit(players: usize, meetings: &[Score]) -> Vec<f64> {
    let mut ratings = vec![0.0f64; players];
    for _ in 0..1000 {
        let mut change = 0.0f64;
        for player in 0..players {
            let own = ratings[player];
            let expected = logistic(own);
            let mut slope = PRIOR * (0.5 - expected);
            let mut bend = PRIOR * expected * (1.0 - expected);
            for meeting in meetings {
                let (other, points) = match player {
                    p if p == meeting.a => (meeting.b, meeting.points),
                    p if p == meeting.b => (meeting.a, meeting.count - meeting.points),
                    _ => continue,
                };
                let expected = logistic(own - ratings[other]);
                slope += points - meeting.count * expected;
                bend += meeting.count * expected * (1.0 - expected);
            }
            // Where the likelihood is nearly flat, the full Newton step would be too long.
            let step = (slope / bend.max(1e-12)).clamp(-1.0, 1.0);
            ratings[player] += step;
            change = change.max(step.abs());
        }
        if change < 1e-10 {
            break;
        }
    }
    let mean = ratings.iter().sum::<f64>() / players.max(1) as f64;
    ratings.iter().map(|rating| rating - mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::score_of_elo;
    use ggp_game::Role;
    use ggp_game::rng::Stream;

    fn meetings(players: [usize; 2], points: f64, count: f64) -> Meetings {
        let mut meetings = Meetings::new(players);
        for block in meetings.blocks.iter_mut() {
            *block = [points / BLOCKS as f64, count / BLOCKS as f64];
        }
        meetings
    }

    #[test]
    fn two_players_differ_by_the_elo_of_their_score() {
        let ratings = rate(2, &[meetings([0, 1], 7500.0, 10_000.0)]);
        let difference = ratings[0].unwrap().value - ratings[1].unwrap().value;
        // 75 % is 190.85 Elo; the prior takes off less than 0.1.
        assert!((difference - 190.85).abs() < 0.1, "{difference}");
    }

    #[test]
    fn everyone_gets_the_rating_that_explains_all_scores() {
        let elo = [-120.0, 30.0, 90.0];
        let score = |a: usize, b: usize| score_of_elo(elo[a] - elo[b]) * 1e5;
        let all = [
            meetings([0, 1], score(0, 1), 1e5),
            meetings([0, 2], score(0, 2), 1e5),
            meetings([1, 2], score(1, 2), 1e5),
        ];
        for (rating, elo) in rate(3, &all).into_iter().zip(elo) {
            assert!((rating.unwrap().value - elo).abs() < 0.1, "{rating:?} {elo}");
        }
    }

    #[test]
    fn extreme_and_missing_scores_stay_finite() {
        let ratings = rate(3, &[meetings([0, 1], 480.0, 480.0)]);
        let (best, worst) = (ratings[0].unwrap(), ratings[1].unwrap());
        assert!(best.value > 300.0 && best.high.is_finite() && worst.low.is_finite());
        assert!(best.margin() > 100.0, "{}", best.margin());
        assert_eq!(ratings[2], None);
        assert_eq!(rate(0, &[]), []);
    }

    /// 95 % intervals contain the true rating in about 95 of 100 simulated tournaments.
    #[test]
    fn intervals_hold_what_they_promise() {
        let truth = 60.0;
        let win = score_of_elo(truth);
        let held = (0..200u64).filter(|&seed| {
            let mut both = Meetings::new([0, 1]);
            for encounter in 0..240u64 {
                // Two matches that always end alike have half the information of independent ones.
                let u = f64::from(Stream::new(seed, encounter).bits(0, Role(0))) / 2f64.powi(32);
                let block = &mut both.blocks[encounter as usize % BLOCKS];
                block[0] += if u < win { 2.0 } else { 0.0 };
                block[1] += 2.0;
            }
            let rating = rate(2, &[both])[0].unwrap();
            rating.low <= truth / 2.0 && truth / 2.0 <= rating.high
        });
        let held = held.count();
        assert!((182..=198).contains(&held), "{held} of 200");
    }
}
