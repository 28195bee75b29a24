//! Regret matching for simultaneous moves (Hart & Mas-Colell 2000; in tree search Lanctot, Lisý & Winands
//! 2014), with non-negative regrets as in regret matching+ (Tammelin 2014).
//!
//! Each role draws its arms in proportion to their regrets. The average strategy converges to an equilibrium
//! in zero-sum games, and dominated moves vanish in all games. UCB is deterministic and can be trapped in a
//! cycle with the other roles' choices.

use crate::arm::Arm;
use crate::draw::{normalised, purified};
use ggp_game::rng::Sequence;

/// The initial probability with which a role draws an arm uniformly instead of in proportion to regret, so
/// that every joint move is tried.
const EXPLORED: f64 = 0.2;
/// The probability of a uniform draw stays at [`EXPLORED`] until each arm has about this many pulls. After
/// that it decays with the square root of the visits, so that exploration does not permanently distort the
/// scores of the nodes above.
const EXPLORED_PULLS: f64 = 25.0;

/// Regret matching is used in positions at most this many steps before the end of the game, where few visits
/// determine the value of a joint move. Further from the end, the value of a joint move is a mean of playouts.
/// There UCB plays far better, because it concentrates on good moves, while regret matching spreads the search
/// over all joint moves (`docs/techniques.md`); the search then mixes its move by `mixed.rs` alone.
pub(crate) const REGRET_HORIZON: usize = 4;

/// The final strategy drops every arm whose `weight` in [`Regret`] is below this fraction of the largest
/// weight among the role's arms. The uniform start and regrets of the first pulls leave such small weights.
const PURIFIED: f64 = 0.2;

/// The regret-matching statistics of one arm.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Regret {
    /// The cumulative regret for not having pulled the arm, never below 0.
    regret: f32,
    /// The sum, over all draws among the role's arms, of the probability that regret matching gave this arm.
    weight: f32,
}

impl Regret {
    /// Adds `gain` to the regret. `gain` is the share that this arm would have given, minus the share that
    /// the pulled arm gave.
    pub(crate) fn add(&mut self, gain: f64) {
        self.regret = (self.regret + gain as f32).max(0.0);
    }
}

/// Draws one of a role's arms in a node, in proportion to regret. A part of the draws is uniform, for
/// exploration. `visits` is the number of the node's visits. Arms that cannot reach the goal `low` are
/// excluded.
pub(crate) fn draw_arm(
    arms: &[Arm],
    regrets: &mut [Regret],
    visits: u32,
    low: u8,
    random: &mut Sequence,
) -> usize {
    let eligible = |arm: &Arm| arm.bounds.high >= low;
    let sum: f32 = arms.iter().zip(&*regrets).filter(|(arm, _)| eligible(arm)).map(|(_, r)| r.regret).sum();
    let count = arms.iter().filter(|arm| eligible(arm)).count().max(1) as f32;
    let decay = (EXPLORED_PULLS * f64::from(count) / f64::from(visits.max(1))).sqrt().min(1.0);
    let explore = random.between(0.0..1.0) < EXPLORED * decay;
    let mut remainder = random.between(0.0..1.0) as f32;
    let mut drawn = None;
    for (index, (arm, regret)) in arms.iter().zip(regrets).enumerate() {
        if !eligible(arm) {
            continue;
        }
        let share = if sum > 0.0 { regret.regret / sum } else { 1.0 / count };
        regret.weight += share;
        remainder -= if explore { 1.0 / count } else { share };
        if remainder < 0.0 && drawn.is_none() {
            drawn = Some(index);
        }
    }
    // Rounding may leave a positive remainder.
    drawn.or_else(|| arms.iter().position(eligible)).unwrap_or(0)
}

/// The average strategy of regret matching over the arms with these `regrets`: the probability of each arm, without small
/// weights. Arms without regrets get the probability 0. `None` if no arm has been drawn.
pub(crate) fn average<'a>(
    regrets: impl ExactSizeIterator<Item = Option<&'a Regret>> + Clone,
) -> Option<Vec<f64>> {
    let weights = regrets.map(|regret| regret.map_or(0.0, |regret| f64::from(regret.weight)));
    weights.clone().any(|weight| weight > 0.0).then(|| normalised(purified(weights, PURIFIED)))
}

/// Whether a strategy draws from several arms, and is not a single arm with the probability 1.
pub(crate) fn is_mixed(strategy: &[f64]) -> bool {
    strategy.iter().any(|&probability| probability > 0.0 && probability < 1.0)
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::test_games;
    use ggp_game::{Move, Role, StateMachine};

    /// Searches the matrix game `payoffs`. Returns the strategy of each role: the probabilities of its
    /// moves, in the order of the moves.
    fn mixed(payoffs: &[&[[u8; 2]]], seed: u64) -> [Vec<f64>; 2] {
        let options = MctsOptions {
            seed: Some(seed),
            techniques: Techniques::all().with(Technique::Solver, false),
            ..MctsOptions::default()
        };
        let mut search = Search::new(test_games::matrix(payoffs), &options).unwrap();
        search.run(&Limits::iterations(20_000));
        [Role(0), Role(1)].map(|role| {
            let mut strategy = search.strategy(role).unwrap();
            for candidate in search.report(role).candidates {
                let is_it = |&&(mv, _): &&(Move, f64)| search.machine().move_text(mv) == candidate.mv;
                let &(_, probability) = strategy.iter().find(is_it).unwrap();
                let reported = candidate.probability.unwrap_or_else(|| probability.round());
                assert!((reported - probability).abs() < 1e-12, "{reported} and {probability}");
            }
            strategy.sort_by_key(|(mv, _)| *mv);
            strategy.into_iter().map(|(_, probability)| probability).collect()
        })
    }

    /// The distance of the strategies `mix` from an equilibrium of a zero-sum game, in shares. Each role
    /// could gain something over the value of the game by a best response to the other role's strategy.
    /// Returns the mean of this gain over both roles.
    fn exploitability(payoffs: &[&[[u8; 2]]], mix: &[Vec<f64>; 2]) -> f64 {
        let share = |r: usize, c: usize, role: usize| f64::from(payoffs[r][c][role]) / 100.0;
        let row = |r: usize| (0..payoffs[0].len()).map(|c| mix[1][c] * share(r, c, 0)).sum::<f64>();
        let column = |c: usize| (0..payoffs.len()).map(|r| mix[0][r] * share(r, c, 1)).sum::<f64>();
        let best_row = (0..payoffs.len()).map(row).fold(0.0, f64::max);
        let best_column = (0..payoffs[0].len()).map(column).fold(0.0, f64::max);
        (best_row + best_column - 1.0) / 2.0
    }

    #[test]
    fn zero_sum_games_are_played_nearly_in_equilibrium() {
        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let scissors_cost: &[&[[u8; 2]]] = &[&[d, l, w], &[w, d, l], &[l, w, d]];
        let biased: &[&[[u8; 2]]] = &[&[[80, 20], [0, 100]], &[[20, 80], [60, 40]]];
        for seed in 0..5 {
            for payoffs in [scissors_cost, biased] {
                let mix = mixed(payoffs, seed);
                let gain = exploitability(payoffs, &mix);
                assert!(gain < 0.05, "{gain} by {mix:?}");
            }
        }
    }

    #[test]
    fn a_dominated_move_dies_out() {
        for seed in 0..5 {
            let dilemma = mixed(&[&[[60, 60], [0, 100]], &[[100, 0], [20, 20]]], seed);
            assert!(dilemma.iter().all(|mix| mix[1] > 0.99), "{dilemma:?}");
        }
    }

    #[test]
    fn coordination_games_settle_on_an_equilibrium() {
        for seed in 0..5 {
            let (all, none) = ([100, 100], [0, 0]);
            let mix = mixed(&[&[all, none], &[none, all]], seed);
            let same = (0..2).find(|&mv| mix[0][mv] > 0.99 && mix[1][mv] > 0.99);
            assert!(same.is_some(), "{mix:?}");
        }
    }

    #[test]
    fn a_mixed_strategy_is_played_mixed() {
        let mut seen = [0; 3];
        let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
        let payoffs: &[&[[u8; 2]]] = &[&[d, l, w], &[w, d, l], &[l, w, d]];
        let mut search = Search::new(test_games::matrix(payoffs), &MctsOptions::default()).unwrap();
        search.run(&Limits::iterations(5000));
        for _ in 0..300 {
            let Move(mv) = search.best_move(Role(0)).unwrap().unwrap();
            seen[mv as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }

    #[test]
    fn remains_of_regret_matching_are_not_played() {
        // Both roles win with the first move. Regret matching is used as long as the end seems near.
        let (win, none) = ([100, 100], [0, 0]);
        let options = MctsOptions {
            techniques: Techniques::all().with(Technique::Solver, false),
            ..MctsOptions::default()
        };
        let mut search = Search::new(test_games::matrix(&[&[win, none], &[none, none]]), &options).unwrap();
        search.run(&Limits::iterations(2));
        assert!(search.uses_regrets() && search.strategy(Role(0)).unwrap().iter().all(|(_, p)| *p < 0.99));
        search.horizon = 30;
        search.run(&Limits::iterations(2000));
        assert!(search.strategy(Role(0)).unwrap().contains(&(Move(0), 1.0)));
        assert!((0..100).all(|_| search.best_move(Role(0)) == Ok(Some(Move(0)))));
    }
}
