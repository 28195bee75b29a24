//! What a search does beyond plain UCT; each can be switched off to measure what it gains.

/// One technique.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// Equal states share a node.
    Transpositions,
    /// Proven goals are backed up.
    Solver,
    /// Two roles that choose at once draw their moves by regret matching instead of UCB.
    Regret,
    /// A role that is alone in the game plays out the best line found.
    Line,
    /// A role that is alone in the game also searches layer by layer.
    Beam,
    /// A role that is alone in the game also searches the parts that the game falls into apart.
    Subgames,
    /// What is thought of an arm before it is tried is how its move fared elsewhere.
    History,
    /// Playouts prefer moves whose history is good, as far as the tree bears it out.
    Mast,
    /// Who can win at once does so and, of two, neither lets the other, in playouts and, with two roles, in the
    /// tree; and of moves that come to the same one is looked at.
    Decisive,
    /// With two roles in turn, where a move is proved, descents look for a better one instead of seeing it through
    /// again.
    Floor,
    /// With two roles in turn what is played is the move of the highest lower bound, not the one visited most.
    Secure,
}

impl Technique {
    /// All of them.
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

    /// Its name in a player's specification.
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

    /// What it does, in a line.
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

    /// The technique of that name.
    pub fn named(name: &str) -> Option<Technique> {
        Technique::ALL.into_iter().find(|technique| technique.name() == name)
    }
}

/// A set of techniques.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Techniques(u16);

impl Techniques {
    /// None: plain UCT.
    pub fn none() -> Techniques {
        Techniques(0)
    }

    /// All.
    pub fn all() -> Techniques {
        Technique::ALL.into_iter().fold(Techniques::none(), |set, technique| set.with(technique, true))
    }

    /// Whether `technique` is in the set.
    pub fn has(self, technique: Technique) -> bool {
        self.0 & (1 << technique as u8) != 0
    }

    /// The set with `technique` in it, or without.
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
