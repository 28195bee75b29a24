//! Which move to make in the end.

use crate::arm::Arm;
use crate::line::Line;
use crate::node::Phase;
use crate::regret::average;
use crate::search::Search;
use ggp_game::{EvalError, Move, Playouts, Role};

impl<M: Playouts> Search<M> {
    /// The move that the search would play for `role` at the root.
    ///
    /// A role that is alone follows the best line found. Else what is proved comes first: a move that is certainly best is played, the shortest way to a
    /// win, the longest way to a loss; a move that is certainly worse than another is not. Among
    /// the rest the one visited most, then the one that scores best, then a random one. `None`
    /// when the role has no legal move.
    ///
    /// # Errors
    /// Those of the machine, when the legal moves are not known yet.
    pub fn best_move(&mut self, role: Role) -> Result<Option<Move>, EvalError> {
        self.open_root()?;
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Ended {
            let state = &self.tree[root].state;
            let mut legal = Vec::new();
            self.own.machine.legal_moves(state, role, &mut legal)?;
            return Ok((!legal.is_empty()).then(|| legal[self.own.dice.below(legal.len())]));
        }
        if let Some(mv) = self.line.as_ref().and_then(Line::next) {
            return Ok(Some(mv));
        }
        let certain = self.tree.stats(root)[role.index()].bounds.proven().is_some();
        if !certain && self.mixes() {
            let mut ticket = self.own.dice.between(0.0..1.0);
            for (mv, probability) in self.strategy(role)? {
                ticket -= probability;
                if ticket < 0.0 {
                    return Ok(Some(mv));
                }
            }
        }
        let arms = self.tree.arms(root, role);
        let floor = arms.iter().map(|arm| arm.bounds.low).max().unwrap_or(0);
        let hopeful = arms.iter().filter(|arm| arm.bounds.high >= floor);
        // Moves are in random order, so the first of equals is a random one.
        let better = |best: &Arm, other: &Arm| self.rank(other) > self.rank(best);
        Ok(hopeful.reduce(|best, other| if better(best, other) { other } else { best }).map(|arm| arm.mv))
    }

    /// How `role` would mix its moves at the root: its legal moves with their probabilities. Where
    /// it chooses alone, all of it goes to the move visited most.
    ///
    /// # Errors
    /// Those of the machine, when the legal moves are not known yet.
    pub fn strategy(&mut self, role: Role) -> Result<Vec<(Move, f64)>, EvalError> {
        self.open_root()?;
        let root = self.tree.root();
        if self.tree[root].phase == Phase::Ended {
            return Ok(Vec::new());
        }
        let range = self.tree.arm_range(root, role);
        let node = &self.tree[root];
        let arms = &node.arms[range.clone()];
        let most = (0..arms.len()).rev().max_by_key(|&arm| arms[arm].visits);
        let mut probabilities = if self.mixes() { average(&node.regrets[range]) } else { Vec::new() };
        if probabilities.iter().all(|&probability| probability == 0.0) {
            probabilities = (0..arms.len()).map(|arm| if Some(arm) == most { 1.0 } else { 0.0 }).collect();
        }
        Ok(arms.iter().map(|arm| arm.mv).zip(probabilities).collect())
    }

    /// Whether roles choose at once at the root and have drawn by regret there, as they still do.
    fn mixes(&self) -> bool {
        self.draws() && !self.tree[self.tree.root()].regrets.is_empty()
    }

    /// By what moves are compared; more is better.
    fn rank(&self, arm: &Arm) -> (i32, u32, f64) {
        let distance = i32::from(self.tree.distance_of(arm.child));
        let certain = match arm.bounds.proven() {
            Some(100) => 1 + i32::from(u16::MAX) - distance,
            Some(0) => distance - i32::from(u16::MAX),
            // Another move wins, or this one loses.
            _ if arm.deferred => 2 - i32::from(u16::MAX),
            _ => 0,
        };
        (certain, arm.visits, arm.mean().unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::node::Bounds;
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::toys;
    use ggp_game::{Move, Role};

    #[test]
    fn near_the_end_what_is_proved_still_counts_for_more_than_visits() {
        let options = MctsOptions {
            techniques: Techniques::all().with(Technique::Solver, false),
            ..MctsOptions::default()
        };
        let state = vec![1, 2, 1, 2, 2, 0, 0, 1, 0, 0];
        let mut search = Search::from_state(toys::tic_tac_toe(), &options, state).unwrap();
        search.run(&Limits::iterations(200));
        assert!(search.draws(), "three steps to the end");
        let root = search.tree.root();
        let lost = search.tree[root].arms.iter_mut().find(|arm| arm.mv == Move(6)).unwrap();
        (lost.visits, lost.bounds) = (1_000_000, Bounds { low: 0, high: 0 });
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(5))));
    }
}
