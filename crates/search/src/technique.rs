//! The techniques that a search uses beyond plain UCT. Each can be disabled, to measure its effect.

/// One technique beyond plain UCT.
///
/// Two-player techniques ([`Technique::Regret`], [`Technique::Floor`], [`Technique::Secure`], [`Technique::Breadth`],
/// [`Technique::Halving`], [`Technique::Minimax`], and the part of [`Technique::Decisive`] that prevents losses) act only in
/// games of two roles beside chance. Regret matching converges only in zero-sum games; breadth and halving were measured with
/// two roles only; the other techniques measured worse with three or more roles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// Equal states share a node.
    Transpositions,
    /// Proven bounds of goals are backed up.
    Solver,
    /// With two roles that move simultaneously, the roles play mixed strategies: near the end of the game, descents and the
    /// search draw moves by regret matching instead of UCB; further from it, the search draws its move from an equilibrium
    /// of the values of the joint moves.
    Regret,
    /// In games of one role, the search plays the best variation found.
    Line,
    /// In games of one role, a beam search runs beside the tree search.
    Beam,
    /// In games of one role, a depth-first search over the conditions of the best goal runs beside the tree search.
    Conditions,
    /// In games of one role, independent subgames are searched separately.
    Subgames,
    /// The prior of an arm comes from the history of its move: the mean score of the move in other nodes of
    /// the tree and in playouts.
    History,
    /// Playouts prefer moves with a good history (MAST). The fraction of playouts that do so depends on how
    /// well the history predicts the scores in the tree.
    Mast,
    /// Playouts make an immediately winning move. With two roles, playouts also avoid moves that let the
    /// opponent win at once. Selection in the tree then defers the moves that such playouts would not make:
    /// it skips them until all other moves are proved not to win. With the solver, the ends after such moves
    /// count as proved as soon as a node is opened. With any number of roles, selection defers all but one of
    /// several equivalent moves.
    Decisive,
    /// With two roles and alternating moves: where a proven move attains the role's security level (its
    /// proven maximin value), descents explore only moves that may surpass it.
    Floor,
    /// With two roles and alternating moves, the search plays the secure child (the move with the highest
    /// lower confidence bound) instead of the most visited move.
    Secure,
    /// With two roles, the exploration constant is smaller in nodes of many moves.
    Breadth,
    /// With two roles and alternating moves, a search for a move to play halves the root's moves round by round
    /// (sequential halving).
    Halving,
    /// Searches explore the moves more that a policy prefers, which self-play has taught: it predicts the leads of moves by
    /// the fluents that they change. It is used if it has predicted unknown matches better than the history.
    Learn,
    /// With two roles, selection mixes the mean of an arm with a value that is backed up by minimax, if that wins short
    /// matches in the start clock.
    Minimax,
}

impl Technique {
    /// All techniques.
    pub const ALL: [Technique; 16] = [
        Technique::Transpositions,
        Technique::Solver,
        Technique::Regret,
        Technique::Line,
        Technique::Beam,
        Technique::Conditions,
        Technique::Subgames,
        Technique::History,
        Technique::Mast,
        Technique::Decisive,
        Technique::Floor,
        Technique::Secure,
        Technique::Breadth,
        Technique::Halving,
        Technique::Learn,
        Technique::Minimax,
    ];

    /// The technique's name in a player's specification.
    pub const fn name(self) -> &'static str {
        match self {
            Technique::Transpositions => "transpositions",
            Technique::Solver => "solver",
            Technique::Regret => "regret",
            Technique::Line => "line",
            Technique::Beam => "beam",
            Technique::Conditions => "conditions",
            Technique::Subgames => "subgames",
            Technique::History => "history",
            Technique::Mast => "mast",
            Technique::Decisive => "decisive",
            Technique::Floor => "floor",
            Technique::Secure => "secure",
            Technique::Breadth => "breadth",
            Technique::Halving => "halving",
            Technique::Learn => "learn",
            Technique::Minimax => "minimax",
        }
    }

    /// A one-line description.
    pub const fn meaning(self) -> &'static str {
        match self {
            Technique::Transpositions => "equal states share a node of the tree",
            Technique::Solver => "back up proven bounds of the goals",
            Technique::Regret => {
                "two roles, simultaneous moves: play mixed strategies, by regret matching near the end"
            }
            Technique::Line => "one role: play the best line found to its end",
            Technique::Beam => "one role: run a beam search beside the tree search",
            Technique::Conditions => {
                "one role: search depth-first by the goal's condition with the fewest moves that satisfy it"
            }
            Technique::Subgames => "one role: search independent subgames separately",
            Technique::History => "prior value of an unvisited move: its mean elsewhere in the search",
            Technique::Mast => {
                "playouts prefer moves with a high mean (MAST), as far as the tree confirms it"
            }
            Technique::Decisive => {
                "take immediate wins, prevent immediate losses, search one of several equivalent moves"
            }
            Technique::Floor => "two roles, alternating moves: explore only moves that may beat a proven one",
            Technique::Secure => {
                "two roles, alternating moves: play the move with the highest lower confidence bound"
            }
            Technique::Breadth => "two roles: explore less in nodes of many moves",
            Technique::Halving => {
                "two roles, alternating moves: search the better half of the moves, then the better half of those"
            }
            Technique::Learn => {
                "explore more what self-play has taught to prefer (with `knowledge`, `self_play` or much time)"
            }
            Technique::Minimax => {
                "two roles: back up values by minimax beside the means, if that wins matches in the start clock"
            }
        }
    }

    /// The technique with the name `name`; `None` if there is none.
    pub fn named(name: &str) -> Option<Technique> {
        Technique::ALL.into_iter().find(|technique| technique.name() == name)
    }
}

/// A set of techniques.
///
/// ```
/// use ggp_search::{Technique, Techniques};
///
/// let without_mast = Techniques::all().with(Technique::Mast, false);
/// assert!(without_mast.has(Technique::Solver) && !without_mast.has(Technique::Mast));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Techniques(u16);

impl Techniques {
    /// The empty set: plain UCT.
    pub fn none() -> Techniques {
        Techniques(0)
    }

    /// The set of all techniques.
    pub fn all() -> Techniques {
        Technique::ALL.into_iter().fold(Techniques::none(), |set, technique| set.with(technique, true))
    }

    /// Whether the set contains `technique`.
    pub fn has(self, technique: Technique) -> bool {
        self.0 & (1 << technique as u8) != 0
    }

    /// The set with `technique` added or removed.
    #[must_use]
    pub fn with(self, technique: Technique, on: bool) -> Techniques {
        let bit = 1 << technique as u8;
        Techniques(if on { self.0 | bit } else { self.0 & !bit })
    }
}

#[cfg(test)]
mod tests {
    use super::{Technique, Techniques};

    #[test]
    fn techniques_are_switched_one_by_one() {
        for technique in Technique::ALL {
            assert_eq!(Technique::named(technique.name()), Some(technique));
            let without = Techniques::all().with(technique, false);
            let with: Vec<bool> = Technique::ALL.into_iter().map(|other| without.has(other)).collect();
            assert_eq!(with, Technique::ALL.map(|other| other != technique));
            assert_eq!(without.with(technique, true), Techniques::all());
        }
        assert_eq!(Technique::named("magic"), None);
    }
}
