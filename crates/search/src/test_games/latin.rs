//! Latin squares of four by four.

use super::{Rules, TestMachine};

const SIDE: usize = 4;

/// One role fills the empty cells of a Latin square. The move `4 * cell + digit` writes a digit from 0 to 3. The state
/// holds 0 for an empty cell and the digit plus 1 for another one. The game ends when no digit can be written; the goal is
/// 100 if no cell is empty, otherwise 0.
#[derive(Clone, Debug)]
pub(crate) struct Latin {
    given: Vec<u8>,
}

/// The game whose cells start with `given`, row by row.
pub(crate) fn latin(given: [[u8; SIDE]; SIDE]) -> TestMachine<Latin> {
    TestMachine::new(Latin { given: given.concat() }, &["solver"])
}

impl Rules for Latin {
    fn initial(&self) -> Vec<u8> {
        self.given.clone()
    }

    fn is_over(&self, state: &[u8]) -> bool {
        self.legal(state, 0).is_empty()
    }

    fn legal(&self, state: &[u8], _: usize) -> Vec<u32> {
        let fits = |cell: usize, digit: u8| {
            let (row, column) = (cell / SIDE, cell % SIDE);
            (0..SIDE).all(|at| state[row * SIDE + at] != digit + 1 && state[at * SIDE + column] != digit + 1)
        };
        let cells = (0..state.len()).filter(|&cell| state[cell] == 0);
        let moves = cells.flat_map(|cell| (0..SIDE as u8).map(move |digit| (cell, digit)));
        moves
            .filter(|&(cell, digit)| fits(cell, digit))
            .map(|(cell, digit)| (cell * SIDE) as u32 + u32::from(digit))
            .collect()
    }

    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
        let mut next = state.to_vec();
        next[joint[0] as usize / SIDE] = (joint[0] as usize % SIDE) as u8 + 1;
        next
    }

    fn goal(&self, state: &[u8], _: usize) -> Option<u8> {
        Some(if state.contains(&0) { 0 } else { 100 })
    }

    fn parts(&self, state: &[u8]) -> Vec<bool> {
        state.iter().map(|&cell| cell != 0).collect()
    }
}
