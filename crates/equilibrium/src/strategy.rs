//! Strategies of an unfolded game: the probability of each move in each information set.

use crate::unfold::Unfolding;

/// A pair of strategies, one for each player, with their expected goals and their exploitability.
#[derive(Clone, PartialEq, Debug)]
pub struct Equilibrium {
    /// The expected goal of each player, from 0 to 100, if both players play their strategies.
    pub goals: Vec<f64>,
    /// The goal that a player gains on average by changing to a best response while the other player keeps
    /// its strategy. This is the mean of both players' gains, given as a share of the goal range (the highest
    /// minus the lowest goal). It is 0 in an equilibrium.
    pub exploitability: f64,
    /// The number of iterations of CFR+ that led to the strategies.
    pub iterations: u64,
    /// For each action of all information sets, its probability. The actions are in the order of the
    /// information sets.
    pub(crate) strategy: Vec<f64>,
}

/// The strategy in one information set.
#[derive(Clone, PartialEq, Debug)]
pub struct Behaviour {
    /// The role's name.
    pub role: String,
    /// The information set: for each turn so far, the role's move and then its percepts.
    pub history: Vec<Vec<String>>,
    /// The probability of each legal move, in bytewise order of the moves.
    pub moves: Vec<(String, f64)>,
}

impl Equilibrium {
    /// The strategies of both players: one entry for each information set, in the order of the turns.
    pub fn behaviour<'a>(&'a self, tree: &'a Unfolding) -> impl Iterator<Item = Behaviour> + use<'a> {
        tree.sets().iter().map(|set| {
            let text = |&mv| tree.move_text(mv).to_owned();
            let probabilities = self.strategy[set.actions()].iter().copied();
            Behaviour {
                role: tree.players()[set.player].clone(),
                history: tree.history(set),
                moves: set.moves.iter().map(text).zip(probabilities).collect(),
            }
        })
    }
}
