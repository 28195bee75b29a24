//! The states that the player's role considers possible, weighted by the strategies that the search has found
//! for the other roles.

use super::tree::Tree;
use ggp_game::rng::Sequence;
use ggp_game::{InformationSet, Playouts, Recall, Recalled, Role, StateMachine};

/// An information set whose states are drawn with their probabilities under the strategies of a search.
pub(super) struct Belief<M: Playouts> {
    pub(super) set: InformationSet<Recall<M>>,
    /// For each state the sum of the weights up to it.
    sums: Vec<f64>,
}

impl<M: Playouts> Belief<M> {
    /// A belief over the states of `set`. Call [`Belief::weigh`] before the first draw.
    pub(super) fn new(set: InformationSet<Recall<M>>) -> Belief<M> {
        Belief { set, sums: Vec::new() }
    }

    /// Computes the weights of the states. The information set takes the other roles' moves as uniform draws; a
    /// weight corrects that by the average strategies in `tree`.
    pub(super) fn weigh(&mut self, recall: &Recall<M>, tree: &Tree) {
        let game = recall.game();
        let role = self.set.role();
        let others: Vec<Role> =
            game.roles().filter(|&other| other != role && Some(other) != game.nature()).collect();
        let mut sum = 0.0;
        self.sums.clear();
        for (state, weight) in self.set.states() {
            let turns = others.iter().flat_map(|&other| state.observed(other).turns());
            let reach: f64 =
                turns.map(|(before, own, _)| tree.likelihood(recall, before.key(), own)).product();
            sum += weight * reach;
            self.sums.push(sum);
        }
    }

    /// Draws a state. `None` if there are no states.
    pub(super) fn draw(&self, random: &mut Sequence) -> Option<&Recalled<M::State>> {
        let drawn = random.between(0.0..1.0) * self.sums.last()?;
        let index = self.sums.partition_point(|&passed| passed <= drawn).min(self.sums.len() - 1);
        self.set.states().get(index).map(|(state, _)| state)
    }
}
