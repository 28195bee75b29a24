//! Step 3, playout: which moves playouts prefer (MAST, Finnsson & Björnsson 2008).
//!
//! A move is preferred when it has fared clearly better than its role's moves on average. How many
//! playouts prefer is as many as the tree bears out: where a move's history predicts what it is worth
//! in the tree (the slope of [`Belief`]), up to three in four; where it does not, none. So in pawn
//! games most playouts capture and run, and in connect-four-like games, where a column means something
//! else in each state, they stay uniform.

use crate::belief::Belief;
use crate::history::History;
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{Playouts, Preference};
use std::sync::Arc;

/// The share of playouts that prefer when a move's lead in its history is its lead in the tree.
const MOST: f64 = 0.75;

/// A preferred move has fared better than the average by so much, in shares.
const LEAD: f64 = 0.03;

impl<M: Playouts> Search<M> {
    /// Takes note of what has been learned of moves' histories, for the playouts to come.
    pub(crate) fn prefer(&mut self) {
        if self.options.has(Technique::Mast) {
            self.preferred = preference(&self.history, self.belief).map(Arc::new);
        }
    }
}

/// What playouts should prefer; `None` for nothing.
fn preference(history: &History, belief: Belief) -> Option<Preference> {
    let mut preference = Preference::new(history.roles(), MOST * belief.slope.min(1.0));
    for (role, mv, lead) in history.leads() {
        if lead > LEAD {
            preference.add(role, mv);
        }
    }
    preference.is_felt().then_some(preference)
}

#[cfg(test)]
mod tests {
    use super::preference;
    use crate::belief::Belief;
    use crate::history::History;
    use ggp_game::{Move, Role};

    #[test]
    fn what_fares_well_is_preferred_as_far_as_the_tree_agrees() {
        let mut history = History::new(2);
        for (mv, goals) in [(3, 80), (4, 50), (5, 20)] {
            history.add(Role(1), Move(mv), goals * 1000, 1000);
        }
        let belief = |slope| Belief { slope, ..Belief::default() };
        let chosen = preference(&history, belief(0.7)).unwrap();
        assert!(chosen.has(Role(1), Move(3)));
        assert!(![4, 5, 6].into_iter().any(|mv| chosen.has(Role(1), Move(mv))));
        assert!(!chosen.has(Role(0), Move(3)));
        let playouts = |slope| {
            let preference = preference(&history, belief(slope));
            (0..8).filter(|&playout| preference.as_ref().is_some_and(|p| p.applies(playout))).count()
        };
        assert_eq!([0.0, 0.35, 0.7, 1.0, 3.0].map(playouts), [0, 2, 4, 6, 6]);
    }
}
