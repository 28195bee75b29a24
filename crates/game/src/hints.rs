//! Hints: knowledge about a game that a machine may have in addition to the answers of the rules.

use crate::{EvalError, Move, Role, StateMachine};

/// Knowledge of a machine about its game that makes a search faster or stronger. Hints never change legal
/// moves, states or goals: a search without hints is slower or weaker, but still correct. By default a
/// machine gives no hints.
pub trait Hints: StateMachine {
    /// Makes the preparations for playouts with decisive moves
    /// ([`PlayoutPlan::decisive`](crate::PlayoutPlan::decisive)). If this method is not called, the first of
    /// these playouts waits for the preparations.
    fn prepare_decisive(&mut self) {}

    /// The goals that the rules can give `role`. Empty if the machine does not know them.
    fn goal_values(&self, role: Role) -> Vec<u8> {
        let _ = role;
        Vec::new()
    }

    /// Removes superfluous moves from `moves`, a list of moves of `role`. Two moves are equivalent if, after
    /// either of them, the game ends at the same time with the same goals. Of equivalent moves the function
    /// keeps only the one with the smallest [`Move`] index. If the machine does not know whether two moves
    /// are equivalent, it keeps both.
    fn distinct_moves(&mut self, role: Role, moves: &mut Vec<Move>) {
        let _ = (role, moves);
    }

    /// The subgames of a single-role game. A game has subgames if its state consists of parts, and each move
    /// affects at most one part. Each part on which the game's best goal depends gives one subgame. A subgame
    /// is a machine with the same states and moves as the game, in which only the moves that affect this part
    /// are legal. The subgame ends with goal 100 as soon as its part satisfies all conditions that the best
    /// goal sets for the part. The result is empty if the machine cannot find at least two subgames.
    fn subgames(&mut self) -> Vec<Self> {
        Vec::new()
    }

    /// Replaces `out` by one list of moves for each role in each of `states`: state by state, and role by
    /// role within a state. A list holds the moves of one role in one state among which a playout with
    /// decisive moves ([`PlayoutPlan::decisive`](crate::PlayoutPlan::decisive)) draws. `out` becomes empty if
    /// the machine does not know these moves.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn decisive_moves(&mut self, states: &[&Self::State], out: &mut Vec<Vec<Move>>) -> Result<(), EvalError> {
        let _ = states;
        out.clear();
        Ok(())
    }

    /// Replaces `out` by one number from 0 to 1 for each of `states`: how near the state is to `role`'s best
    /// goal, measured by the share of the goal's conditions that hold. `out` becomes empty if the machine
    /// cannot compute this measure. The measure is a heuristic for ordering states.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn nearness(&mut self, states: &[&Self::State], role: Role, out: &mut Vec<f32>) -> Result<(), EvalError> {
        let _ = (states, role);
        out.clear();
        Ok(())
    }
}
