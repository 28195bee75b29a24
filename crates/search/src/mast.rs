//! Step 3, simulation: the moves that playouts prefer (MAST, Finnsson & Björnsson 2008).
//!
//! A move is preferred if its mean is clearly above the mean of all moves of its role. The fraction of
//! playouts that apply the preference depends on how well a move's history predicts its mean in the tree
//! (the slope of [`PriorModel`]): at most three in four, and none if the history predicts nothing. In pawn
//! games, for example, most playouts then prefer captures and advances. In games like connect four, where
//! the value of a column differs from state to state, playouts stay uniform.

use crate::history::History;
use ggp_game::Preference;

/// The fraction of playouts that apply the preference if the slope of the [`PriorModel`] is at least 1. A
/// slope of 1 means that a move's lead in the history predicts an equal lead in the tree.
const MOST: f64 = 0.75;

/// The minimum lead of a preferred move over the average of its role, in shares.
const LEAD: f64 = 0.03;

/// The moves that playouts should prefer; `None` if there are none.
pub(crate) fn preference(history: &History, share: f64) -> Option<Preference> {
    let mut preference = Preference::new(history.roles(), share);
    for (role, mv, lead) in history.leads() {
        if lead > LEAD {
            preference.add(role, mv);
        }
    }
    preference.has_effect().then_some(preference)
}

