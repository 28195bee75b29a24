//! A compiled game: the code, the codes of fluents and moves, and the procedures that a machine asks.

use crate::code::Code;
use crate::encoding::Encoding;
use ggp_datalog::Functor;
use ggp_game::Game;
use std::sync::Arc;

/// A relation that a machine asks for, and the procedure for it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) procedure: u32,
    /// For a relation that carries a fluent, a move or a percept: the root function of the carried term, or
    /// `None` if the last argument is the whole term.
    pub(crate) functor: Option<Functor>,
    /// The family of the terms with this root function in their encoding.
    pub(crate) family: Option<usize>,
}

/// The parts of a compiled game that never change.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) game: Arc<Game>,
    pub(crate) code: Code,
    pub(crate) fluents: Encoding,
    pub(crate) moves: Encoding,
    /// For each family of fluents, the input of its flattened form.
    pub(crate) fluent_inputs: Vec<Option<u32>>,
    /// The input `true` with whole fluents.
    pub(crate) whole_fluents: Option<u32>,
    /// The same for moves, whose inputs have the role in the first column.
    pub(crate) move_inputs: Vec<Option<u32>>,
    pub(crate) whole_moves: Option<u32>,
    /// The first input of moves: the inputs before it are those of fluents.
    pub(crate) first_move_input: usize,
    /// The terms of the roles.
    pub(crate) roles: Vec<u32>,
    pub(crate) terminal: Option<u32>,
    pub(crate) goal: Option<u32>,
    pub(crate) next: Vec<Asked>,
    pub(crate) legal: Vec<Asked>,
    pub(crate) sees: Vec<Asked>,
}
