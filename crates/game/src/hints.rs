//! Hints: knowledge about a game that a machine may have in addition to the answers of the rules.

use crate::{EvalError, Move, Role, StateMachine};

/// Knowledge of a machine about its game that makes a search faster or stronger. Hints never change legal
/// moves, states or goals: a search without hints is slower or weaker, but still correct. By default a
/// machine gives no hints.
pub trait Hints: StateMachine {
    /// Prepares playouts with decisive moves ([`PlayoutPlan::decisive`](crate::PlayoutPlan::decisive)).
    /// Without this call, the preparation delays the first of these playouts.
    fn prepare_decisive(&mut self) {}

    /// Removes from `moves`, which are moves of `role`, all but the smallest move of each equivalence class.
    /// Two moves are equivalent if the game ends at the same time with the same goals after either of them.
    /// The machine keeps both of two moves if it does not know whether they are equivalent.
    fn distinct_moves(&mut self, role: Role, moves: &mut Vec<Move>) {
        let _ = (role, moves);
    }

    /// The subgames of a single-role game in which each move affects at most one part of the state. There is
    /// one subgame for each part. A subgame is a machine with the same states and moves as the game, but only
    /// the moves of its part are legal. The subgame ends with goal 100 once all those conditions of the
    /// game's best goal hold that concern its part. The result is empty if the machine cannot find at least
    /// two subgames.
    fn subgames(&mut self) -> Vec<Self> {
        Vec::new()
    }

    /// Replaces `out` by one list of moves for each role in each of `states`: state by state, and role by
    /// role within a state. A list contains the moves from which playouts with decisive moves draw. `out`
    /// becomes empty if the machine does not know these moves.
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
