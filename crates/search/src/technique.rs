//! The techniques that a search uses beyond plain UCT. Each can be disabled, to measure its effect.

/// One technique.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// Equal states share a node.
    Transpositions,
    /// Proven bounds of goals are backed up.
    Solver,
    /// With two roles that move simultaneously, arms are drawn by regret matching instead of UCB.
    Regret,
    /// In games of one role, the search plays the best line found.
    Line,
    /// In games of one role, a beam search runs beside the tree search.
    Beam,
    /// In games of one role, independent subgames are searched separately.
    Subgames,
    /// The prior of an arm is its move's mean elsewhere in the tree and in playouts.
    History,
    /// Playouts prefer moves of good history (MAST), in proportion to how well that history predicts the
    /// tree.
    Mast,
    /// Playouts make an immediately winning move and, with two roles, avoid moves that let the opponent win
    /// at once. With two roles the tree does the same. The tree expands one move of each class of equivalent
    /// moves.
    Decisive,
    /// With two roles in turn, where a move is proved, descents explore only moves that may be better.
    Floor,
    /// With two roles in turn, the search plays the move with the highest lower bound instead of the most
    /// visited.
    Secure,
}

impl Technique {
    /// All techniques.
    pub const ALL: [Technique; 11] = [
        Technique::Transpositions,
        Technique::Solver,
        Technique::Regret,
        Technique::Line,
        Technique::Beam,
        Technique::Subgames,
        Technique::History,
        Technique::Mast,
        Technique::Decisive,
        Technique::Floor,
        Technique::Secure,
    ];

    /// The technique's name in a player's specification.
    pub const fn name(self) -> &'static str {
        match self {
            Technique::Transpositions => "transpositions",
            Technique::Solver => "solver",
            Technique::Regret => "regret",
            Technique::Line => "line",
            Technique::Beam => "beam",
            Technique::Subgames => "subgames",
            Technique::History => "history",
            Technique::Mast => "mast",
            Technique::Decisive => "decisive",
            Technique::Floor => "floor",
            Technique::Secure => "secure",
        }
    }

    /// A one-line description.
    pub const fn meaning(self) -> &'static str {
        match self {
            Technique::Transpositions => "let equal states share a node of the tree",
            Technique::Solver => "back up proved goals",
            Technique::Regret => "with two roles that move at once: choose by regret matching instead of UCB",
            Technique::Line => "with one role: play the best line found to its end",
            Technique::Beam => "with one role: also search layer by layer",
            Technique::Subgames => "with one role: also search independent parts of the game apart",
            Technique::History => "value a new move by how it fared elsewhere in the tree",
            Technique::Mast => {
                "prefer moves in playouts that fared well (MAST), as far as the tree confirms them"
            }
            Technique::Decisive => {
                "take immediate wins and prevent those of others; search one of equivalent moves"
            }
            Technique::Floor => "with two roles in turn: where a move is proved, look for a better one",
            Technique::Secure => {
                "with two roles in turn: play the move of the highest lower bound, not the most visited"
            }
        }
    }

    /// The technique called `name`.
    pub fn named(name: &str) -> Option<Technique> {
        Technique::ALL.into_iter().find(|technique| technique.name() == name)
    }
}

/// A set of techniques.
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
