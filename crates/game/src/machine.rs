//! The one seat that the interpreter and the propositional network both take.

use crate::{EvalError, Fact, Game, Goals, Move, Role, StopToken};
use std::hash::Hash;
use std::sync::Arc;

/// A game's rules, executable: states, legal moves, transitions, goals (Genesereth & Thielscher,
/// "General Game Playing", chapter 4).
///
/// Methods take `&mut self` because a machine owns its scratch memory; make one clone a thread.
/// A state or a move may be given to the machine that made it, and to clones made of it since.
///
/// An error is what checks of the rules cannot exclude: terms that grow past a bound, memory,
/// interruption. A machine is usable after an error.
pub trait StateMachine: Clone + Send {
    /// A state: compact, hashable, comparable.
    type State: Clone + Eq + Hash + Send + Sync + std::fmt::Debug;

    /// The game.
    fn game(&self) -> &Arc<Game>;

    /// What kind of machine this is, in one word, as records and reports name it: `datalog`, `propnet`.
    fn name(&self) -> &'static str;

    /// The state that `init` describes.
    ///
    /// # Errors
    /// See the trait.
    fn initial_state(&mut self) -> Result<Self::State, EvalError>;

    /// Whether `terminal` holds.
    ///
    /// # Errors
    /// See the trait.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, EvalError>;

    /// Replaces `out` by `role`'s legal moves, each once, in bytewise order of their texts. Empty
    /// when the rules give none. Defined in terminal states too, as the rules say.
    ///
    /// # Errors
    /// See the trait.
    fn legal_moves(&mut self, state: &Self::State, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError>;

    /// The state after `joint`, one move a role in role order. The moves are not checked for
    /// legality.
    ///
    /// # Errors
    /// See the trait.
    fn next_state(&mut self, state: &Self::State, joint: &[Move]) -> Result<Self::State, EvalError>;

    /// Each role's goals in `state`, in role order. `out` has one place a role.
    ///
    /// # Errors
    /// See the trait.
    fn goals(&mut self, state: &Self::State, out: &mut [Goals]) -> Result<(), EvalError>;

    /// Replaces `out` by the facts true in `state`, sorted bytewise.
    ///
    /// # Errors
    /// See the trait.
    fn facts(&mut self, state: &Self::State, out: &mut Vec<Fact>) -> Result<(), EvalError>;

    /// The state in which exactly `facts` are true.
    ///
    /// # Errors
    /// See the trait; also [`EvalError::UnknownFact`] for what can never be true in this game.
    fn state_of(&mut self, facts: &[Fact]) -> Result<Self::State, EvalError>;

    /// Replaces `out` by what `role` is told after `joint` was made in `state` (`sees`, GDL-II),
    /// sorted bytewise. Empty in GDL-I games.
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

    /// Bytes that `state` holds on the heap, beside its own size, for searches that keep many
    /// states and bound their memory. 0 by default, which is right only for states without a heap.
    fn heap_bytes(&self, state: &Self::State) -> usize {
        let _ = state;
        0
    }

    /// The canonical text of a move of this machine.
    fn move_text(&self, mv: Move) -> &str;

    /// The move whose text is `text`, whether legal now or not. Whitespace is free; spelling is
    /// exact first, else by folded case if exactly one known move fits. `None` for a move that no
    /// role could ever make as far as this machine knows; a move that is legal in a state which
    /// this machine has been asked about, since moves were last released, is always known.
    fn parse_move(&mut self, text: &str) -> Option<Move>;

    /// Whether the machine has numbered so many moves that whoever keeps none of them should let it begin anew
    /// ([`StateMachine::release_moves`]): in games without end, moves would take ever more memory. Never by default.
    fn has_many_moves(&self) -> bool {
        false
    }

    /// Forgets all moves. Those that it has given mean nothing to it any more, as if another machine had given them;
    /// states stay what they are. Does nothing by default.
    fn release_moves(&mut self) {}

    /// From now on, evaluation gives up with [`EvalError::Interrupted`] soon after `stop` is
    /// raised, where it could otherwise last long. Does nothing by default.
    fn interrupt_on(&mut self, stop: &StopToken) {
        let _ = stop;
    }
}
