//! The current state of a match. The match worker tracks the state in order to know the legal moves and their
//! spelling.

use ggp_game::{EvalError, Game, Interpreter, JointMoveError, Move, Role, StateMachine, StopToken};
use std::sync::Arc;

/// The current state with its legal moves, evaluated by the interpreter (the reference semantics).
pub(super) struct TrackedState {
    machine: Interpreter,
    state: <Interpreter as StateMachine>::State,
    /// The legal moves of every role, in role order.
    legal: Vec<Vec<Move>>,
}

impl TrackedState {
    /// The initial state of `game`. Every evaluation of the rules, by this function or later by a method of
    /// the returned value, ends soon after `hurry` is raised.
    ///
    /// # Errors
    /// When the rules cannot be evaluated within their limits.
    pub(super) fn initial(game: &Arc<Game>, hurry: &StopToken) -> Result<TrackedState, EvalError> {
        let mut machine = Interpreter::new(game);
        machine.interrupt_on(hurry);
        let state = machine.initial_state()?;
        let mut tracked = TrackedState { machine, state, legal: vec![Vec::new(); game.role_count()] };
        tracked.find_legal()?;
        Ok(tracked)
    }

    fn find_legal(&mut self) -> Result<(), EvalError> {
        let state = self.state.clone();
        (0..self.legal.len())
            .try_for_each(|role| self.machine.legal_moves(&state, Role(role as u8), &mut self.legal[role]))
    }

    /// The joint move with the given texts, one for each role in role order. The moves need not be legal,
    /// because managers may play illegal moves.
    ///
    /// # Errors
    /// When a text is not a known move, or the number of texts is not the number of roles.
    pub(super) fn parse_joint(&mut self, texts: &[String]) -> Result<Vec<Move>, JointMoveError> {
        self.machine.parse_joint_among(&self.legal, texts)
    }

    /// The texts of `joint`.
    pub(super) fn texts(&self, joint: &[Move]) -> Vec<String> {
        joint.iter().map(|&mv| self.machine.move_text(mv).to_owned()).collect()
    }

    /// Advances to the state after `joint`.
    ///
    /// # Errors
    /// When the rules cannot be evaluated within their limits. The caller must then drop this value.
    pub(super) fn advance(&mut self, joint: &[Move]) -> Result<(), EvalError> {
        self.state = self.machine.next_state(&self.state, joint)?;
        if self.machine.has_many_moves() {
            self.machine.release_moves();
        }
        self.find_legal()
    }

    /// The texts of the legal moves of `role` in the current state.
    pub(super) fn legal(&self, role: Role) -> Vec<String> {
        self.texts(&self.legal[role.index()])
    }
}
