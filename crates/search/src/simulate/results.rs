//! The results of the playouts of one call.

use crate::history::Log;
use ggp_game::{Goal, Move, Playout};

/// Collects the results of the playouts of one call.
pub(super) struct Results<'a> {
    pub(super) roles: usize,
    pub(super) per_start: usize,
    pub(super) shares: &'a mut [f64],
    /// The log of moves and scores, if they are logged.
    pub(super) log: Option<&'a mut Log>,
    pub(super) best: &'a mut Option<BestPlayout>,
    pub(super) longest: &'a mut u32,
    pub(super) scores: Vec<Goal>,
    pub(super) preferred: Option<&'a ggp_game::Preference>,
    pub(super) first: u64,
}

impl Results<'_> {
    /// Adds the result of `playout`. `cut_off` tells whether the clock or the limit of steps has stopped the
    /// playout early. If so, its last state is scored by an estimate. Otherwise the playout has ended, in a
    /// terminal state or because a role had no legal move. It then gets the score that a tree node for its
    /// last state would get.
    pub(super) fn add(&mut self, playout: &Playout<'_>, cut_off: bool) {
        let start = playout.index / self.per_start;
        self.scores.clear();
        let goals = playout.goals.iter();
        self.scores.extend(goals.map(|goals| if cut_off { goals.estimate() } else { goals.score() }));
        let shares = &mut self.shares[start * self.roles..][..self.roles];
        for (share, score) in shares.iter_mut().zip(&self.scores) {
            *share += score.share();
        }
        *self.longest = playout.steps.max(*self.longest);
        if let Some(log) = &mut self.log {
            let number = self.first.wrapping_add(playout.index as u64);
            if log.by_start.len() <= start {
                log.by_start.resize(start + 1, [0.0; 4]);
            }
            let at = 2 * usize::from(self.preferred.is_some_and(|p| p.applies(number)));
            log.by_start[start][at] += self.scores[0].share();
            log.by_start[start][at + 1] += 1.0;
            log.add(playout.moves, &self.scores, self.preferred.is_some_and(|p| p.applies(number)));
        }
        if self.roles == 1 && playout.terminal {
            update_best(self.best, start, self.scores[0].share(), playout.moves);
        }
    }
}

/// The best playout of a call, among the playouts that ended the game. Only for games of one role.
#[derive(Clone, Debug)]
pub(crate) struct BestPlayout {
    /// The index of the playout's start state among the start states of the call.
    pub(crate) start: usize,
    pub(crate) share: f64,
    pub(crate) moves: Vec<Move>,
}

fn update_best(best: &mut Option<BestPlayout>, start: usize, share: f64, moves: &[Move]) {
    if best.as_ref().is_none_or(|best| share > best.share) {
        *best = Some(BestPlayout { start, share, moves: moves.to_vec() });
    }
}
