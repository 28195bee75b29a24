//! The numbers of search that measurements chose and no theory gives.

/// Constants that players do not set. `measure spsa` varies them together; their defaults are those of all players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// With [`Technique::Breadth`](crate::Technique::Breadth), the exploration constant falls with the fourth root of the
    /// number of arms in a node with more arms than this. The full constant spreads the visits of so many arms almost
    /// evenly. At least 1.
    pub many_arms: f64,
    /// The exploration term counts the weight of an arm's prior as additional pulls of the arm, but as at most
    /// this many pulls, because an arm with a wrong prior still has to be explored.
    pub certainty: f64,
    /// The fraction of playouts that prefer moves (MAST) if a move's lead in the history predicts an equal lead in the
    /// tree, from 0 to 1.
    pub preferring: f64,
    /// The minimum lead of a preferred move over the average of its role, in shares.
    pub preferred_lead: f64,
    /// The lower bound of a root move is its mean minus this number divided by the square root of its visits.
    pub secure_spread: f64,
}

impl Default for Constants {
    fn default() -> Constants {
        Constants {
            many_arms: 10.0,
            certainty: 8.0,
            preferring: 0.75,
            preferred_lead: 0.03,
            secure_spread: 4.0,
        }
    }
}
