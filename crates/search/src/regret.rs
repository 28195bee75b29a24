//! Regret matching where several roles choose at once (Hart & Mas-Colell 2000; in tree search
//! Lanctot, Lisý & Winands 2014; regrets kept above zero as in Tammelin's regret matching+ 2014).
//!
//! Each role draws its arms in proportion to how much it regrets not having pulled them, so that
//! the average of what it does becomes an equilibrium in games where one's gain is the other's
//! loss, and dominated moves die out in all. UCB, being deterministic, can be trapped in step with
//! the other roles there.

use crate::arm::Arm;
use crate::dice::Dice;
use crate::node::{Bounds, NodeId, joint_key};
use crate::path::Path;
use crate::tree::Tree;
use ggp_game::Role;
use std::hash::Hash;

/// How often an arm is drawn regardless of regrets, so that every joint move is tried sometimes,
/// until each arm has had `EXPLORED_PULLS` of them; from then on less, by the root of the pulls, or
/// the scores of the nodes above would suffer from it forever.
const EXPLORED: f64 = 0.2;
const EXPLORED_PULLS: f64 = 25.0;

/// Regrets are for the last few steps of a game, where what a joint move is worth is soon known. Further
/// from the end it is the mean of playouts: drawing spreads the search over all joint moves then, and
/// UCB, which concentrates on the good ones, plays far better (`docs/techniques.md`).
pub(crate) const DRAWN_HORIZON: usize = 4;

/// In the end, arms that got less than this part of the most favoured arm's share of the average
/// are left out: they are what exploration has left behind.
const PURIFIED: f64 = 0.2;

/// What a role thinks of one of its arms.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Regret {
    /// The regret for not having pulled it, never below 0.
    regret: f32,
    /// The sum of the probabilities with which it was to be drawn.
    weight: f32,
}

/// An arm for a role in a node with `visits`: drawn by its regrets, or sometimes evenly.
pub(crate) fn draw_arm(arms: &[Arm], regrets: &mut [Regret], visits: u32, low: u8, dice: &mut Dice) -> usize {
    let hopeful = |arm: &Arm| arm.bounds.high >= low;
    let sum: f32 = arms.iter().zip(&*regrets).filter(|(arm, _)| hopeful(arm)).map(|(_, r)| r.regret).sum();
    let count = arms.iter().filter(|arm| hopeful(arm)).count().max(1) as f32;
    let decay = (EXPLORED_PULLS * f64::from(count) / f64::from(visits.max(1))).sqrt().min(1.0);
    let explore = dice.between(0.0..1.0) < EXPLORED * decay;
    let mut ticket = dice.between(0.0..1.0) as f32;
    let mut drawn = None;
    for (index, (arm, regret)) in arms.iter().zip(regrets).enumerate() {
        if !hopeful(arm) {
            continue;
        }
        let share = if sum > 0.0 { regret.regret / sum } else { 1.0 / count };
        regret.weight += share;
        ticket -= if explore { 1.0 / count } else { share };
        if ticket < 0.0 && drawn.is_none() {
            drawn = Some(index);
        }
    }
    // Rounding may leave a little of the ticket over.
    drawn.or_else(|| arms.iter().position(hopeful)).unwrap_or(0)
}

/// The arms to draw from in the end, with their probabilities, from the average of all draws.
pub(crate) fn average(regrets: &[Regret]) -> Vec<f64> {
    let most = regrets.iter().map(|regret| regret.weight).fold(0.0, f32::max);
    let kept =
        |weight: f32| if f64::from(weight) < PURIFIED * f64::from(most) { 0.0 } else { f64::from(weight) };
    let sum: f64 = regrets.iter().map(|regret| kept(regret.weight)).sum();
    regrets.iter().map(|regret| if sum > 0.0 { kept(regret.weight) / sum } else { 0.0 }).collect()
}

impl<S: Eq + Hash> Tree<S> {
    /// Gives an open node where several roles choose its regrets, unless it has them.
    pub(crate) fn begin_regrets(&mut self, id: NodeId) {
        if self[id].regrets.is_empty() {
            let regrets = vec![Regret::default(); self[id].arms.len()].into_boxed_slice();
            self.grow(size_of_val(&*regrets));
            self[id].regrets = regrets;
        }
    }

    /// What all roles regret in the node at `depth` of `path` after its arms got them `shares`
    /// each: the difference to what the children by their other arms are worth.
    pub(crate) fn regret(&mut self, path: &Path, depth: usize, shares: &[f64]) {
        let id = path.nodes()[depth];
        let mut chosen = path.chosen(depth).to_vec();
        for (role, &got) in shares.iter().enumerate() {
            let range = self.arm_range(id, Role(role as u8));
            if range.len() < 2 {
                continue;
            }
            let pulled = chosen[role];
            for arm in range {
                chosen[role] = arm as u32;
                let worth = if arm as u32 == pulled { Some(got) } else { self.worth(id, &chosen, role) };
                let worth = worth.or_else(|| self[id].arms[arm].mean()).unwrap_or(got);
                if let Some(regret) = self[id].regrets.get_mut(arm) {
                    regret.regret = (regret.regret + (worth - got) as f32).max(0.0);
                }
            }
            chosen[role] = pulled;
        }
    }

    /// What the child by the chosen arms is worth to a role, as far as that is known.
    fn worth(&self, id: NodeId, chosen: &[u32], role: usize) -> Option<f64> {
        let node = &self[id];
        let child = *node.joints.as_ref()?.get(&joint_key(chosen, node.arms.len()))?;
        let Bounds { low, high } = self.stats(child)[role].bounds;
        if low == high {
            return Some(f64::from(low) / 100.0);
        }
        (self[child].visits > 0).then(|| self.mean(child, role))
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::toys;
    use ggp_game::{Move, Role};

    /// How the roles would mix their moves after a search, by move.
    fn mixed(payoffs: &[&[[u8; 2]]], seed: u64) -> [Vec<f64>; 2] {
        let options = MctsOptions {
            seed: Some(seed),
            techniques: Techniques::all().with(Technique::Solver, false),
            ..MctsOptions::default()
        };
        let mut search = Search::new(toys::matrix(payoffs), &options).unwrap();
        search.run(&Limits::iterations(20_000));
        [Role(0), Role(1)].map(|role| {
            let mut strategy = search.strategy(role).unwrap();
            strategy.sort_by_key(|(mv, _)| *mv);
            strategy.into_iter().map(|(_, probability)| probability).collect()
        })
    }

    /// What a best reply wins over the value in a game where one's gain is the other's loss.
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
    fn roles_with_a_common_interest_settle() {
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
        let mut search = Search::new(toys::matrix(payoffs), &MctsOptions::default()).unwrap();
        search.run(&Limits::iterations(5000));
        for _ in 0..300 {
            let Move(mv) = search.best_move(Role(0)).unwrap().unwrap();
            seen[mv as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }

    #[test]
    fn what_few_draws_have_left_behind_is_not_played() {
        // Both win by the first move, and draw by regret as long as the end seems near.
        let (win, none) = ([100, 100], [0, 0]);
        let options = MctsOptions {
            techniques: Techniques::all().with(Technique::Solver, false),
            ..MctsOptions::default()
        };
        let mut search = Search::new(toys::matrix(&[&[win, none], &[none, none]]), &options).unwrap();
        search.run(&Limits::iterations(2));
        assert!(search.draws() && search.strategy(Role(0)).unwrap().iter().all(|(_, p)| *p < 0.99));
        search.horizon = 30;
        search.run(&Limits::iterations(2000));
        assert!(search.strategy(Role(0)).unwrap().contains(&(Move(0), 1.0)));
        assert!((0..100).all(|_| search.best_move(Role(0)) == Ok(Some(Move(0)))));
    }
}
