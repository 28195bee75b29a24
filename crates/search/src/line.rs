//! The best line of a game of one role: a sequence of moves to the end of the game, stored and played move by
//! move (as in nested Monte-Carlo search, Cazenave 2009).
//!
//! Invariant: from the root on, the line's moves are legal in sequence and end the game with the line's goal.

use crate::descent::{Descent, Stand};
use crate::node::Phase;
use crate::path::Path;
use crate::search::Search;
use crate::tree::Tree;
use ggp_game::{Move, Playouts};
use std::hash::Hash;

/// A sequence of moves to the end of the game.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// The final goal, as a share.
    pub(crate) share: f64,
    /// The remaining moves, in reverse order.
    moves: Vec<Move>,
}

impl Line {
    /// The line that follows `path` and then `playout`.
    pub(crate) fn new<S: Eq + Hash>(tree: &Tree<S>, path: &Path, playout: &[Move], share: f64) -> Line {
        let chosen = |depth| path.chosen(depth).first().map(|&arm| (depth, arm));
        let descent = (0..path.nodes().len()).map_while(chosen);
        let descent = descent.map(|(depth, arm)| tree[path.nodes()[depth]].arms[arm as usize].mv);
        let mut moves: Vec<Move> = descent.chain(playout.iter().copied()).collect();
        moves.reverse();
        Line { share, moves }
    }

    /// The line of `moves`, in playing order.
    pub(crate) fn of(mut moves: Vec<Move>, share: f64) -> Line {
        moves.reverse();
        Line { share, moves }
    }

    /// The remaining moves, in playing order.
    pub(crate) fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves.iter().rev().copied()
    }

    /// The next move; `None` at the end.
    pub(crate) fn next(&self) -> Option<Move> {
        self.moves.last().copied()
    }

    /// The rest of the line after `mv`; `None` if `mv` is not its next move.
    pub(crate) fn after(mut self, mv: Move) -> Option<Line> {
        (self.moves.pop() == Some(mv)).then_some(self)
    }
}

impl<M: Playouts> Search<M> {
    /// Replaces the best line if these descents or their playouts found a better one. Only for games of one
    /// role.
    pub(crate) fn keep_line(&mut self, descents: &[Descent<M::State>]) {
        let mut share = self.line.as_ref().map_or(-1.0, |line| line.share);
        if let Some(best) = self.own.simulation.take_best(share) {
            let mut ready = descents.iter().filter(|descent| matches!(descent.stand, Stand::Playing));
            if let Some(descent) = ready.nth(best.start) {
                share = best.share;
                self.line = Some(Line::new(&self.tree, &descent.path, &best.moves, share));
            }
        }
        for Descent { path, .. } in descents {
            let leaf = path.leaf();
            let ended = self.tree[leaf].phase == Phase::Ended;
            let goal = self.tree.stats(leaf)[0].bounds.low_share();
            if ended && goal > share {
                share = goal;
                self.line = Some(Line::new(&self.tree, path, &[], share));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::toys;
    use ggp_game::{Move, Role};

    #[test]
    fn the_line_to_the_goal_is_found_and_played_out() {
        // Means are almost uninformative here: one of 3⁷ lines reaches the goal.
        for options in [
            MctsOptions {
                techniques: Techniques::all().with(Technique::Solver, false),
                ..MctsOptions::default()
            },
            MctsOptions::default(),
        ] {
            let mut search = Search::new(toys::combination(&[1, 0, 2, 2, 1, 0, 1]), &options).unwrap();
            assert_eq!(search.run(&Limits::iterations(50_000)), Halt::Decided);
            let told = search.report(Role(0)).principal.concat();
            assert_eq!(told, ["1", "0", "2", "2", "1", "0", "1"], "all of it, not only what was visited");
            for digit in [1, 0, 2, 2, 1, 0, 1] {
                let mv = search.best_move(Role(0)).unwrap().unwrap();
                assert_eq!(mv, Move(digit));
                search.advance(&[mv]).unwrap();
            }
            assert_eq!(search.state(), &[7, 7]);
        }
    }

    #[test]
    fn a_line_that_is_left_is_forgotten() {
        let options = MctsOptions {
            techniques: Techniques::all().with(Technique::Solver, false).with(Technique::Beam, false),
            ..MctsOptions::default()
        };
        let mut search = Search::new(toys::combination(&[1, 0, 2]), &options).unwrap();
        assert_eq!(search.run(&Limits::iterations(5000)), Halt::Decided);
        search.advance(&[Move(2)]).unwrap();
        assert!(search.line.is_none());
        assert_eq!(search.run(&Limits::iterations(50)), Halt::Iterations);
        assert!(search.line.as_ref().is_some_and(|line| line.share < 1.0));
    }
}
