//! The mixed strategies of two roles that choose at once.
//!
//! A deterministic choice can be exploited: an opponent with the same search predicts the move and plays a best reply. Within
//! 4 steps of the end of the game, every node uses regret matching, and a role draws from the average strategy. Further from the end,
//! a role draws from an equilibrium of the matrix game at the root (Bošanský et al. 2016), whose payoffs come from the means
//! of the children. There, a role plays its best move in two cases: the shares of both roles have no constant sum, so the
//! equilibrium of one role protects nobody; or noise may explain all interaction between the choices.

use crate::arm::Arm;
use crate::interaction::{Cell, Interaction};
use crate::matrix_game::equilibrium;
use crate::regret::average;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{Playouts, Role};

/// At most this many moves of a role take part, those with the most visits, so that the choice costs at most some
/// milliseconds.
const MOST_MOVES: usize = 32;

/// The shares of two roles count as a constant sum if no mean of their sum differs by this from that of the root.
const SAME_SUM: f64 = 0.01;

impl<M: Playouts> Search<M> {
    /// The probability of each arm of `role` at the root, if the role draws its move. `None` if it plays its best arm. The
    /// root must be open.
    pub(crate) fn mixed_strategy(&self, role: Role) -> Option<Vec<f64>> {
        let choosing = self.two_that_choose().filter(|choosing| choosing.contains(&role))?;
        let root = self.tree.root();
        let range = self.tree.arm_range(root, role);
        // 1. A proved win is played, and the longest of proved losses.
        let is_proved = self.tree.stats(root)[role.index()].bounds.proven().is_some();
        if is_proved || self.certainty(&self.tree[root].arms[self.best_arm(role)?]) != 0 {
            return None;
        }
        // 2. Near the end, the average strategy of regret matching.
        let regrets = &self.tree[root].regrets;
        if self.uses_regrets() && !regrets.is_empty() {
            let level = self.tree.security_level(root, role);
            let arms = &self.tree[root].arms;
            return average(range.map(|arm| Some(&regrets[arm]).filter(|_| arms[arm].bounds.high >= level)));
        }
        // 3. An equilibrium of the root's matrix game.
        let [first, second] = choosing;
        let (rows, columns) = (self.candidates(first)?, self.candidates(second)?);
        let shares = Interaction::of(&self.cells(choosing, &rows, &columns)?);
        if !shares.is_clear {
            return None;
        }
        let [of_rows, of_columns] = equilibrium(&shares.values);
        let (own, drawn) = if role == first { (rows, of_rows) } else { (columns, of_columns) };
        let mut probabilities = vec![0.0; range.len()];
        for (arm, probability) in own.into_iter().zip(drawn) {
            probabilities[arm - range.start] = probability;
        }
        Some(probabilities)
    }

    /// The roles that have several moves at the root, if they are two beside chance and mix their moves.
    fn two_that_choose(&self) -> Option<[Role; 2]> {
        let several = |&role: &Role| self.tree.arms(self.tree.root(), role).len() > 1;
        let mut choosing = self.tree.each_role().filter(|&role| self.chance != Some(role)).filter(several);
        let two = [choosing.next()?, choosing.next()?];
        (self.two_player.has(Technique::Regret) && choosing.next().is_none()).then_some(two)
    }

    /// The arms of `role` at the root that take part in the matrix game, as indices into the root's arms. Like the best arm,
    /// they are not proved to be worse than another, and are proved to win or to lose only if it is. `None` if the role has
    /// no legal move.
    fn candidates(&self, role: Role) -> Option<Vec<usize>> {
        let root = self.tree.root();
        let arms = &self.tree[root].arms;
        let best = &arms[self.best_arm(role)?];
        let range = self.tree.arm_range(root, role);
        let level = self.tree.security_level(root, role);
        let takes_part = |arm: &Arm| arm.bounds.high >= level && self.certainty(arm) == self.certainty(best);
        let mut found: Vec<usize> = range.filter(|&arm| takes_part(&arms[arm])).collect();
        found.sort_by_key(|&arm| std::cmp::Reverse(arms[arm].visits));
        found.truncate(MOST_MOVES);
        Some(found)
    }

    /// The shares of the first of two `roles` for the joint moves of these arms at the root. `None` if the shares of both
    /// roles have no constant sum.
    fn cells(&self, roles: [Role; 2], rows: &[usize], columns: &[usize]) -> Option<Vec<Vec<Cell>>> {
        let root = self.tree.root();
        let sum: f64 = roles.into_iter().map(|role| self.tree.mean(root, role.index())).sum();
        let cell = |arms: [usize; 2]| {
            let joint = self.joint(roles, arms);
            let is_constant = joint.cell.visits == 0.0 || (joint.sum - sum).abs() < SAME_SUM;
            is_constant.then_some(joint.cell)
        };
        rows.iter().map(|&row| columns.iter().map(|&column| cell([row, column])).collect()).collect()
    }

    /// The statistics of the joint move in which two `roles` choose these `arms` at the root: means over the visits of the
    /// children, whatever chance does beside them.
    fn joint(&self, roles: [Role; 2], arms: [usize; 2]) -> Joint {
        let root = self.tree.root();
        let node = &self.tree[root];
        let mut chosen: Vec<u32> =
            self.tree.each_role().map(|role| self.tree.arm_range(root, role).start as u32).collect();
        for (role, arm) in roles.into_iter().zip(arms) {
            chosen[role.index()] = arm as u32;
        }
        let (mut share, mut sum, mut visits) = (0.0, 0.0, 0.0);
        for outcome in self.chance.map_or(0..1, |chance| self.tree.arm_range(root, chance)) {
            if let Some(chance) = self.chance {
                chosen[chance.index()] = outcome as u32;
            }
            let child = node.child(&chosen);
            if !child.is_some() {
                continue;
            }
            let of_child = f64::from(self.tree[child].visits);
            share += of_child * self.tree.share(child, roles[0].index());
            sum += of_child * roles.map(|role| self.tree.mean(child, role.index())).iter().sum::<f64>();
            visits += of_child;
        }
        let total = f64::max(visits, 1.0);
        Joint { cell: Cell { mean: share / total, visits }, sum: sum / total }
    }
}

/// A joint move of two roles.
struct Joint {
    /// The share of the first role.
    cell: Cell,
    /// The mean of the sum of both roles' shares.
    sum: f64,
}

#[cfg(test)]
mod tests {
    use crate::bounds::Bounds;
    use crate::limits::Limits;
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::test_games::{self, Matrix, Rules, TestMachine};
    use ggp_game::Role;

    /// The game `Matrix` with a chance role before the others. The two moves of chance change nothing.
    #[derive(Clone, Debug)]
    struct WithChance(Matrix);

    impl Rules for WithChance {
        fn initial(&self) -> Vec<u8> {
            self.0.initial()
        }

        fn is_over(&self, state: &[u8]) -> bool {
            self.0.is_over(state)
        }

        fn legal(&self, state: &[u8], role: usize) -> Vec<u32> {
            role.checked_sub(1).map_or(vec![0, 1], |role| self.0.legal(state, role))
        }

        fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
            self.0.next(state, &joint[1..])
        }

        fn goal(&self, state: &[u8], role: usize) -> Option<u8> {
            role.checked_sub(1).map_or(Some(0), |role| self.0.goal(state, role))
        }
    }

    /// The strategy of the first role after a search that does not match regrets, as far from the end of a game. Its arms
    /// get these `bounds`.
    fn strategy(payoffs: &[&[[u8; 2]]], bounds: &[Bounds], regret: bool) -> Vec<f64> {
        let techniques = Techniques::all().with(Technique::Solver, false).with(Technique::Regret, regret);
        let options = MctsOptions { techniques, ..MctsOptions::default() };
        let mut search = Search::new(test_games::matrix(payoffs), &options).unwrap();
        search.horizon = 30;
        search.run(&Limits::iterations(20_000));
        assert!(!search.uses_regrets());
        let root = search.tree.root();
        let range = search.tree.arm_range(root, Role(0));
        for arm in &mut search.tree[root].arms[range] {
            arm.bounds = bounds[arm.mv.0 as usize];
        }
        let mut strategy = search.strategy(Role(0)).unwrap();
        let mut played = vec![0.0; strategy.len()];
        for _ in 0..300 {
            played[search.best_move(Role(0)).unwrap().unwrap().0 as usize] += 1.0 / 300.0;
        }
        strategy.sort_by_key(|&(mv, _)| mv);
        let strategy: Vec<f64> = strategy.into_iter().map(|(_, probability)| probability).collect();
        assert!(strategy.iter().zip(&played).all(|(one, other)| f64::abs(one - other) < 0.12), "{played:?}");
        strategy
    }

    #[test]
    fn far_from_the_end_an_equilibrium_of_the_root_is_drawn() {
        let payoffs: &[&[[u8; 2]]] = &[&[[80, 20], [0, 100]], &[[20, 80], [60, 40]]];
        let unknown = Bounds::UNKNOWN;
        let mixed = strategy(payoffs, &[unknown; 2], true);
        assert!((mixed[0] - 1.0 / 3.0).abs() < 0.05, "{mixed:?}");
        let best = strategy(payoffs, &[unknown; 2], false);
        assert!(best.contains(&1.0) && best.contains(&0.0), "{best:?}");
        assert_eq!(strategy(payoffs, &[unknown, Bounds::exact(100)], true), [0.0, 1.0]);
        assert_eq!(strategy(payoffs, &[unknown, Bounds::exact(0)], true), [1.0, 0.0]);
    }

    #[test]
    fn two_roles_mix_their_moves_beside_chance() {
        let payoffs = vec![vec![[80, 20], [0, 100]], vec![[20, 80], [60, 40]]];
        let machine = TestMachine::new(WithChance(Matrix(payoffs)), &["random", "row", "column"]);
        let techniques = Techniques::all().with(Technique::Solver, false);
        let mut search = Search::new(machine, &MctsOptions { techniques, ..MctsOptions::default() }).unwrap();
        search.horizon = 30;
        search.run(&Limits::iterations(20_000));
        let strategies = [0, 1, 2].map(|role| search.strategy(Role(role)).unwrap());
        for (role, strategy) in (0..).zip(&strategies) {
            assert!((strategy.iter().map(|&(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9, "{strategy:?}");
            assert!(search.best_move(Role(role)).unwrap().is_some());
        }
        let first = |role: usize| strategies[role].iter().find(|(mv, _)| mv.0 == 0).unwrap().1;
        assert!((first(1) - 1.0 / 3.0).abs() < 0.05 && (first(2) - 0.5).abs() < 0.05, "{strategies:?}");
    }

    #[test]
    fn without_a_constant_sum_the_best_move_is_played() {
        let payoffs: &[&[[u8; 2]]] = &[&[[80, 20], [0, 100]], &[[20, 80], [60, 60]]];
        let best = strategy(payoffs, &[Bounds::UNKNOWN; 2], true);
        assert!(best.contains(&1.0) && best.contains(&0.0), "{best:?}");
    }

    #[test]
    fn a_move_that_is_best_whatever_the_other_role_does_is_played() {
        let payoffs: &[&[[u8; 2]]] = &[&[[60, 40], [50, 50]], &[[62, 38], [52, 48]], &[[58, 42], [48, 52]]];
        assert_eq!(strategy(payoffs, &[Bounds::UNKNOWN; 3], true), [0.0, 1.0, 0.0]);
    }
}
