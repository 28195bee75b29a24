//! Step 3, simulation: the moves that playouts prefer (MAST, Finnsson & Björnsson 2008).
//!
//! A move is preferred if its mean is clearly above the mean of all moves of its role. The fraction of
//! playouts that apply the preference depends on how well a move's history predicts its mean in the tree
//! (the slope of [`PriorModel`]): at most three in four, and none if the history predicts nothing. In pawn
//! games, for example, most playouts then prefer captures and advances. In games like connect four, where
//! the value of a column differs from state to state, playouts stay uniform.

use crate::constants::Constants;
use crate::history::History;
use crate::prior::PriorModel;
use ggp_game::Preference;

/// The moves that playouts should prefer; `None` if there are none.
pub(crate) fn preference(history: &History, model: PriorModel, constants: &Constants) -> Option<Preference> {
    let mut preference = Preference::new(history.roles(), constants.preferring * model.slope.min(1.0));
    for (role, mv, lead) in history.leads() {
        if lead > constants.preferred_lead {
            preference.add(role, mv);
        }
    }
    preference.has_effect().then_some(preference)
}

#[cfg(test)]
mod tests {
    use crate::constants::Constants;
    use crate::history::History;
    use crate::prior::PriorModel;
    use ggp_game::{Move, Role};

    #[test]
    fn moves_with_a_lead_are_preferred_as_far_as_the_tree_confirms_it() {
        let mut history = History::new(2);
        for (mv, goals) in [(3, 80), (4, 50), (5, 20)] {
            history.add(Role(1), Move(mv), goals * 1000, 1000);
        }
        let model = |slope| PriorModel { slope, ..PriorModel::default() };
        let preference = |slope| super::preference(&history, model(slope), &Constants::default());
        let chosen = preference(0.7).unwrap();
        assert!(chosen.has(Role(1), Move(3)));
        assert!(![4, 5, 6].into_iter().any(|mv| chosen.has(Role(1), Move(mv))));
        assert!(!chosen.has(Role(0), Move(3)));
        let playouts = |slope| {
            let preference = preference(slope);
            (0..8).filter(|&playout| preference.as_ref().is_some_and(|p| p.applies(playout))).count()
        };
        assert_eq!([0.0, 0.35, 0.7, 1.0, 3.0].map(playouts), [0, 2, 4, 6, 6]);
    }
}
