//! Hints: what a machine may know about a game beyond its rules' answers.

use crate::{EvalError, Move, Role, StateMachine};

/// Knowledge of a machine that speeds a search up without changing what is true. Every default gives no hint.
///
/// A hint never alters legal moves, states or goals; a search without hints is slower or weaker, but right.
pub trait Hints: StateMachine {
    /// Prepares playouts with decisive moves ([`PlayoutPlan::decisive`](crate::PlayoutPlan::decisive)), so that the first of them is not
    /// delayed.
    fn prepare_decisive(&mut self) {}

    /// Keeps the smallest move of each equivalence class of `role`'s `moves`, as far as the machine knows
    /// the classes. After any move of one class the game ends at the same time with the same goals.
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

    /// Replaces `out` by the legal moves from which playouts with decisive moves draw, state by state and
    /// within a state role by role. Leaves `out` empty if the machine cannot determine them.
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
