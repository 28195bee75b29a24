//! Counterfactual regret minimisation for two-player constant-sum games: CFR+ (Tammelin 2014; Zinkevich et
//! al. 2007).
//!
//! Regrets are clipped at zero after each update, the players are updated in turn, and iteration `t` has the
//! weight `t` in the average strategy. The average strategy converges to a Nash equilibrium.

use crate::Budget;
use crate::best_response::{best_response, expected_goals};
use crate::strategy::Equilibrium;
use crate::unfold::{Kind, Unfolding};

/// The state of a CFR+ computation on an unfolded game. The computation can be continued at any time and
/// gives the average strategy so far.
#[derive(Debug)]
pub struct CfrPlus<'a> {
    tree: &'a Unfolding,
    /// The sum of the two players' goals, which is the same in all terminal states.
    sum: u32,
    /// For each action, the clipped regret.
    regrets: Vec<f64>,
    /// For each action, its probability in the current strategy.
    current: Vec<f64>,
    /// For each action, the weighted sum of its probabilities over the iterations.
    sums: Vec<f64>,
    iterations: u64,
    /// For each node, the product of the probabilities of the actions that the player being updated takes on
    /// the path to the node.
    own_reach: Vec<f64>,
    /// For each node, the product of the probabilities of the other player's actions and of the moves of
    /// chance on the path to the node.
    other_reach: Vec<f64>,
    /// For each node, its counterfactual value for the player that is being updated.
    values: Vec<f64>,
    /// For each information set of the player that is being updated, the product of the probabilities of this
    /// player's own actions on the path to the set.
    set_reach: Vec<f64>,
}

/// The reason why CFR+ does not apply to a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotConstantSum {
    /// The number of players is not 2; `random` does not count.
    #[error("an equilibrium is computed for two roles and `random`; this game has {0} roles that choose")]
    Players(usize),
    /// The goals of the two players do not always have the same sum.
    #[error(
        "an equilibrium is computed for goals of constant sum; in this game the sum differs between ends"
    )]
    Sums,
}

impl<'a> CfrPlus<'a> {
    /// Starts a computation in which both players play uniformly at first.
    ///
    /// # Errors
    /// Fails when the game does not have exactly two players, or when the sum of their goals is not constant.
    pub fn new(tree: &'a Unfolding) -> Result<CfrPlus<'a>, NotConstantSum> {
        if tree.players().len() != 2 {
            return Err(NotConstantSum::Players(tree.players().len()));
        }
        let sum = tree.constant_sum().ok_or(NotConstantSum::Sums)?;
        let (nodes, actions) = (tree.node_count(), tree.action_count());
        let mut cfr = CfrPlus {
            tree,
            sum,
            regrets: vec![0.0; actions],
            current: vec![0.0; actions],
            sums: vec![0.0; actions],
            iterations: 0,
            own_reach: vec![0.0; nodes],
            other_reach: vec![0.0; nodes],
            values: vec![0.0; nodes],
            set_reach: vec![0.0; tree.set_count()],
        };
        (0..2).for_each(|player| cfr.match_regrets(player));
        Ok(cfr)
    }

    /// Runs until the exploitability is at most `target`, which is a share of the goal range, or until
    /// `budget` ends the computation by its deadline or its stop flag. Returns the strategies that have been
    /// reached.
    pub fn run(&mut self, target: f64, budget: &Budget<'_>) -> Equilibrium {
        let mut next_check = self.iterations + 1;
        loop {
            for player in 0..2 {
                self.update(player);
            }
            self.iterations += 1;
            let stopped = budget.stop.is_stopped() || budget.deadline.is_over();
            // A check costs about as much as an iteration. The interval between checks grows with the number
            // of iterations, so checks take an ever smaller share of the time.
            if stopped || self.iterations >= next_check {
                let equilibrium = self.equilibrium();
                if stopped || equilibrium.exploitability <= target {
                    return equilibrium;
                }
                next_check = self.iterations + (self.iterations / 10).clamp(1, MOST_BETWEEN_CHECKS);
            }
        }
    }

    /// The average strategies of both players so far, with their expected goals and their exploitability.
    pub fn equilibrium(&self) -> Equilibrium {
        let strategy = self.average();
        let (low, high) = self.tree.goal_range(0);
        let responses: f64 = (0..2).map(|player| best_response(self.tree, player, &strategy)).sum();
        let gain = (responses - f64::from(self.sum)).max(0.0) / 2.0;
        let range = f64::from(high - low);
        Equilibrium {
            goals: expected_goals(self.tree, &strategy),
            exploitability: if range > 0.0 { gain / range } else { 0.0 },
            iterations: self.iterations,
            strategy,
        }
    }

    /// The average strategy of both players. It is uniform in each information set that the strategies of
    /// the set's own player have never reached, whatever the other player does.
    fn average(&self) -> Vec<f64> {
        let mut average = self.sums.clone();
        for set in self.tree.sets() {
            normalise(&mut average[set.actions()]);
        }
        average
    }

    /// Updates the regrets, the average strategy and the current strategy of `player` once.
    fn update(&mut self, player: usize) {
        let (tree, nodes, sets) = (self.tree, self.tree.nodes(), self.tree.sets());
        // 1. Downwards: the reach probabilities.
        if !nodes.is_empty() {
            (self.own_reach[0], self.other_reach[0]) = (1.0, 1.0);
        }
        for (number, &node) in nodes.iter().enumerate() {
            let (own, other) = (self.own_reach[number], self.other_reach[number]);
            let children = tree.children(node);
            match node.kind {
                Kind::Terminal(_) => {}
                Kind::Chance(_) => {
                    let share = 1.0 / children.len() as f64;
                    for &child in children {
                        self.own_reach[child as usize] = own;
                        self.other_reach[child as usize] = other * share;
                    }
                }
                Kind::Decision(number) => {
                    let set = &sets[number as usize];
                    let is_own = set.player == player;
                    if is_own {
                        self.set_reach[number as usize] = own;
                    }
                    for (action, &child) in set.actions().zip(children) {
                        let share = self.current[action];
                        self.own_reach[child as usize] = if is_own { own * share } else { own };
                        self.other_reach[child as usize] = if is_own { other } else { other * share };
                    }
                }
            }
        }
        // 2. Upwards: the counterfactual values, and the regrets of the player's actions.
        for number in (0..nodes.len()).rev() {
            let children = tree.children(nodes[number]);
            let value = |child: u32| self.values[child as usize];
            self.values[number] = match nodes[number].kind {
                Kind::Terminal(row) => self.other_reach[number] * f64::from(tree.goal(row, player)),
                Kind::Decision(set) if sets[set as usize].player == player => {
                    let actions = sets[set as usize].actions();
                    let mean: f64 =
                        actions.clone().zip(children).map(|(a, &child)| self.current[a] * value(child)).sum();
                    for (action, &child) in actions.zip(children) {
                        self.regrets[action] += value(child) - mean;
                    }
                    mean
                }
                _ => children.iter().map(|&child| value(child)).sum(),
            };
        }
        // 3. The sums for the average strategy, the clipped regrets, and the next current strategy.
        let weight = (self.iterations + 1) as f64;
        for (set, reach) in sets.iter().zip(&self.set_reach) {
            if set.player == player {
                for action in set.actions() {
                    self.sums[action] += weight * reach * self.current[action];
                    self.regrets[action] = self.regrets[action].max(0.0);
                }
            }
        }
        self.match_regrets(player);
    }

    /// Regret matching: sets the current probabilities of `player` in proportion to its clipped regrets.
    fn match_regrets(&mut self, player: usize) {
        for set in self.tree.sets().iter().filter(|set| set.player == player) {
            let current = &mut self.current[set.actions()];
            current.copy_from_slice(&self.regrets[set.actions()]);
            normalise(current);
        }
    }
}

/// The maximum number of iterations between two computations of the exploitability.
const MOST_BETWEEN_CHECKS: u64 = 1000;

/// Scales `weights` so that their sum is 1. If their sum is 0, sets all of them to the same value.
fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    let uniform = 1.0 / weights.len() as f64;
    for weight in weights {
        *weight = if sum > 0.0 { *weight / sum } else { uniform };
    }
}
