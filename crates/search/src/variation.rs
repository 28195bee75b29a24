//! A variation of a game of one role: a sequence of moves to the end of the game. A search stores the best
//! variation found and plays it move by move (as in nested Monte-Carlo search, Cazenave 2009).
//!
//! Invariant: from the root on, the moves are legal in sequence and end the game with the variation's goal.

use crate::path::Path;
use crate::tree::Tree;
use ggp_game::Move;
use std::hash::Hash;

/// A sequence of moves to the end of the game.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variation {
    /// The final goal, as a share.
    pub(crate) share: f64,
    /// The remaining moves, in reverse order.
    moves: Vec<Move>,
}

impl Variation {
    /// The variation of the moves on `path`, followed by the moves of `playout`.
    pub(crate) fn new<S: Eq + Hash>(tree: &Tree<S>, path: &Path, playout: &[Move], share: f64) -> Variation {
        let chosen = |depth| path.chosen(depth).first().map(|&arm| (depth, arm));
        let descent = (0..path.nodes().len()).map_while(chosen);
        let descent = descent.map(|(depth, arm)| tree[path.nodes()[depth]].arms[arm as usize].mv);
        let mut moves: Vec<Move> = descent.chain(playout.iter().copied()).collect();
        moves.reverse();
        Variation { share, moves }
    }

    /// The variation of `moves`, which are in playing order.
    pub(crate) fn of(mut moves: Vec<Move>, share: f64) -> Variation {
        moves.reverse();
        Variation { share, moves }
    }

    /// The remaining moves, in playing order.
    pub(crate) fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves.iter().rev().copied()
    }

    /// The next move. `None` if the variation is at its end.
    pub(crate) fn next(&self) -> Option<Move> {
        self.moves.last().copied()
    }

    /// The rest of the variation after `mv`; `None` if `mv` is not its next move.
    pub(crate) fn after(mut self, mv: Move) -> Option<Variation> {
        (self.moves.pop() == Some(mv)).then_some(self)
    }
}
