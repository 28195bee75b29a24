//! The children of states in games of one role: the states after their moves.

use ggp_game::{EvalError, Move, Playouts};

/// The state after one move.
#[derive(Clone, Debug)]
pub(crate) struct Child<S> {
    /// The number of the parent among those whose children were created together.
    pub(crate) parent: usize,
    pub(crate) mv: Move,
    pub(crate) state: S,
}

/// The children of `parents` after the moves `legal`, one list for each parent.
pub(crate) fn children<M: Playouts>(
    machine: &mut M,
    parents: &[&M::State],
    legal: &[Vec<Move>],
) -> Result<Vec<Child<M::State>>, EvalError> {
    let moves = legal.iter().take(parents.len()).enumerate();
    let moves = moves.flat_map(|(parent, legal)| legal.iter().map(move |&mv| (parent, mv)));
    let (numbers, moves): (Vec<usize>, Vec<Move>) = moves.unzip();
    let from: Vec<&M::State> = numbers.iter().map(|&parent| parents[parent]).collect();
    let mut states = Vec::new();
    machine.next_states(&from, &moves, &mut states)?;
    let all = numbers.into_iter().zip(moves).zip(states);
    Ok(all.map(|((parent, mv), state)| Child { parent, mv, state }).collect())
}
