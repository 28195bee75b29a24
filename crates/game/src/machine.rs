//! The interface that the interpreter and the propositional network implement.

use crate::{EvalError, Fact, Game, Goals, Move, Role, StopToken};
use std::hash::Hash;
use std::sync::Arc;

/// The executable rules of a game: states, legal moves, transitions, goals (Genesereth & Thielscher,
/// "General Game Playing", chapter 4).
///
/// Methods take `&mut self` because a machine owns its scratch memory; each thread uses its own clone. A
/// state or a move is valid in the machine that made it and in clones made from that machine afterwards.
///
/// An evaluation fails only for causes that static checks cannot exclude: terms or relations that exceed a
/// bound, or an interruption. A machine remains usable after an error.
pub trait StateMachine: Clone + Send {
    /// A state: compact, hashable, comparable.
    type State: Clone + Eq + Hash + Send + Sync + std::fmt::Debug;

    /// The game that this machine executes.
    fn game(&self) -> &Arc<Game>;

    /// The kind of this machine in one word, as records and reports name it: `datalog`, `propnet`.
    fn name(&self) -> &'static str;

    /// The initial state: the fluents that `init` gives.
    ///
    /// # Errors
    /// See the trait.
    fn initial_state(&mut self) -> Result<Self::State, EvalError>;

    /// Whether `terminal` holds in `state`.
    ///
    /// # Errors
    /// See the trait.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, EvalError>;

    /// Replaces `out` by `role`'s legal moves, without duplicates, in bytewise order of their texts. `out`
    /// is empty when the rules give no legal move. In a terminal state the answer is also what the rules
    /// give.
    ///
    /// # Errors
    /// See the trait.
    fn legal_moves(&mut self, state: &Self::State, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError>;

    /// The state after `joint`, which holds one move per role in role order. The moves are not checked for
    /// legality.
    ///
    /// # Errors
    /// See the trait.
    fn next_state(&mut self, state: &Self::State, joint: &[Move]) -> Result<Self::State, EvalError>;

    /// Writes each role's goals in `state` to `out`, in role order. The length of `out` is the number of
    /// roles.
    ///
    /// # Errors
    /// See the trait.
    fn goals(&mut self, state: &Self::State, out: &mut [Goals]) -> Result<(), EvalError>;

    /// Replaces `out` by the facts that are true in `state`, sorted bytewise.
    ///
    /// # Errors
    /// See the trait.
    fn facts(&mut self, state: &Self::State, out: &mut Vec<Fact>) -> Result<(), EvalError>;

    /// The state in which exactly `facts` are true.
    ///
    /// # Errors
    /// See the trait; also [`EvalError::UnknownFact`] for a fact that can never be true in this game.
    fn state_of(&mut self, facts: &[Fact]) -> Result<Self::State, EvalError>;

    /// Replaces `out` by the percepts of `role` (`sees`, GDL-II) after `joint` is made in `state`, sorted
    /// bytewise. `out` is empty in GDL-I games.
    ///
    /// # Errors
    /// See the trait.
    fn percepts(
        &mut self,
        state: &Self::State,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError>;

    /// The bytes that `state` holds on the heap, in addition to its own size. A search uses it to bound its
    /// memory. The default, 0, is right only for states without heap data.
    fn heap_bytes(&self, state: &Self::State) -> usize {
        let _ = state;
        0
    }

    /// The canonical text of a move of this machine.
    fn move_text(&self, mv: Move) -> &str;

    /// The move whose text is `text`, whether or not it is legal now. Whitespace is ignored. An exact match
    /// is preferred; otherwise the text matches without regard to ASCII case if exactly one known move
    /// fits. `None` if the machine knows no such move. A machine knows every legal move of each state it
    /// was asked about since the last [`StateMachine::release_moves`].
    fn parse_move(&mut self, text: &str) -> Option<Move>;

    /// Whether the move table is so large that a caller that keeps no moves should call
    /// [`StateMachine::release_moves`]. Without that, moves take unbounded memory in games without end. The
    /// default is false.
    fn has_many_moves(&self) -> bool {
        false
    }

    /// Empties the move table. Moves that the machine gave before become invalid; states remain valid. The
    /// default does nothing.
    fn release_moves(&mut self) {}

    /// Makes long evaluations return [`EvalError::Interrupted`] soon after `stop` is raised, from now on.
    /// The default does nothing.
    fn interrupt_on(&mut self, stop: &StopToken) {
        let _ = stop;
    }
}
