//! Hints: what a machine may know about a game beyond its rules' answers.

use crate::{EvalError, Move, Role, StateMachine};

/// What a machine knows about a game and a search can use to be faster. Hints never change legal moves, states or
/// goals: a search without hints is slower or weaker, but right. By default a machine gives no hints.
pub trait Hints: StateMachine {
    /// Prepares playouts with decisive moves ([`PlayoutPlan::decisive`](crate::PlayoutPlan::decisive)), which
    /// would otherwise delay the first of them.
    fn prepare_decisive(&mut self) {}

    /// Removes from `moves`, which are moves of `role`, all but the smallest move of each equivalence class. Two
    /// moves are equivalent if the game ends at the same time with the same goals after either of them. Moves of
    /// which the machine does not know whether they are equivalent are all kept.
    fn distinct_moves(&mut self, role: Role, moves: &mut Vec<Move>) {
        let _ = (role, moves);
    }

    /// The subgames of a single-role game in which each move affects at most one part of the state. Each
    /// subgame is a machine with the same states and moves, in which only the moves of its part are legal.
    /// It ends with goal 100 once every condition of the game's best goal on that part holds. Empty if the
    /// machine finds fewer than two subgames.
    fn subgames(&mut self) -> Vec<Self> {
        Vec::new()
    }

    /// Replaces `out` by the moves from which playouts with decisive moves draw, state by state, and role by role
    /// within a state. Leaves `out` empty if the machine does not know them.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn decisive_moves(&mut self, states: &[&Self::State], out: &mut Vec<Vec<Move>>) -> Result<(), EvalError> {
        let _ = states;
        out.clear();
        Ok(())
    }

    /// Replaces `out` by a measure of how near each of `states` is to `role`'s best goal: the share of the
    /// goal's conditions that hold, from 0 to 1. Leaves `out` empty if the machine cannot compute it. The
    /// measure is a heuristic for ordering states.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn nearness(&mut self, states: &[&Self::State], role: Role, out: &mut Vec<f32>) -> Result<(), EvalError> {
        let _ = (states, role);
        out.clear();
        Ok(())
    }
}
