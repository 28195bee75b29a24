//! Strategies of an unfolded game: the probability of each move in each information set.

use crate::unfold::Unfolding;

/// A pair of strategies, one for each player, with their expected goals and their exploitability.
#[derive(Clone, PartialEq, Debug)]
pub struct Equilibrium {
    /// The expected goal of each player, from 0 to 100, if both players play their strategies.
    pub goals: Vec<f64>,
    /// The mean of two gains: the gain of each player if it alone changes to a best response. The mean is
    /// given as a share of the goal range, and is 0 in an equilibrium.
    pub exploitability: f64,
    /// The number of iterations after which the algorithm reached the strategies.
    pub iterations: u64,
    /// The probability of each action in its information set. The actions are in the order of the information
    /// sets.
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
