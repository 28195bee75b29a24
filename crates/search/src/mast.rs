//! Step 3, simulation: the moves that playouts prefer (MAST, Finnsson & Björnsson 2008).
//!
//! A move is preferred if its mean is clearly above the mean of all moves of its role. The mean is mostly that of the
//! playouts whose descents chose the move in the tree (TO-MAST, Finnsson & Björnsson 2010), because playouts that
//! prefer a move raise its mean over all playouts, whether the move is good or not. The mean over all playouts still
//! decides about moves that descents rarely reach, such as the last steps of a race.
//!
//! The fraction of playouts that apply the preference depends on how well a move's history predicts its mean in the
//! tree (the slope of [`PriorModel`]): at most three in four, and none if the history predicts nothing. In pawn games,
//! for example, most playouts then prefer captures and advances. In games like connect four, where the value of a
//! column differs from state to state, playouts stay uniform.

use crate::constants::Constants;
use crate::history::History;
use crate::prior::PriorModel;
use ggp_game::Preference;

/// The lead of a move over all playouts counts as this many playouts beside those whose descents chose the move.
const WEIGHT_OF_ALL: f64 = 64.0;

/// The moves that playouts should prefer; `None` if there are none. `history` has the moves of all playouts, and
/// `descended` those that descents chose in the tree.
pub(crate) fn preference(
    history: &History,
    descended: &History,
    model: PriorModel,
    constants: &Constants,
) -> Option<Preference> {
    let mut preference = Preference::new(history.roles(), constants.preferring * model.slope.min(1.0));
    for (role, mv, lead) in history.leads() {
        if descended.lead_beside(role, mv, lead, WEIGHT_OF_ALL) > constants.preferred_lead {
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
        let descended = History::new(2);
        let preference = |slope| super::preference(&history, &descended, model(slope), &Constants::default());
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

    #[test]
    fn the_tree_decides_about_moves_that_descents_choose_often() {
        let (mut history, mut descended) = (History::new(1), History::new(1));
        for (mv, goals) in [(3, 60), (4, 40)] {
            history.add(Role(0), Move(mv), goals * 1000, 1000);
        }
        let model = PriorModel { slope: 1.0, ..PriorModel::default() };
        let preferred = |descended: &History| {
            let found = super::preference(&history, descended, model, &Constants::default()).unwrap();
            [3, 4].map(|mv| found.has(Role(0), Move(mv)))
        };
        assert_eq!(preferred(&descended), [true, false]);
        for (mv, goals, count) in [(3, 40, 10), (4, 60, 10)] {
            descended.add(Role(0), Move(mv), goals * count, count);
        }
        assert_eq!(preferred(&descended), [true, false], "ten playouts say little");
        for (mv, goals, count) in [(3, 40, 1000), (4, 60, 1000)] {
            descended.add(Role(0), Move(mv), goals * count, count);
        }
        assert_eq!(preferred(&descended), [false, true]);
    }
}
