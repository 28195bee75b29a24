//! The program with which a block of episodes runs: that of a phase where all lanes are in this phase, else the one for
//! any phase.

use super::{Episodes, programs};
use crate::evaluator::{Phase, PhasePrograms};
use crate::program::state_row;
use crate::select::NO_MOVE;
use std::ops::Range;

/// For each program, role and move of the role, the index of the move's row, or [`NO_MOVE`] if the move is never legal.
pub(super) type MoveRows = Vec<Vec<Vec<u32>>>;

/// The place of the program that serves all phases.
pub(super) const ANY: usize = 0;

/// The rows of all moves in all programs. `moves` has the number of moves of each role.
pub(super) fn rows_of_moves(programs: &PhasePrograms, moves: &[usize]) -> MoveRows {
    let of_phase = |phase: &Phase| {
        let of_role = |(choice, &count): (&crate::program::Choice, &usize)| {
            let mut rows = vec![NO_MOVE; count];
            for (row, &mv) in (0..).zip(&choice.moves) {
                rows[phase.moves[choice.role][mv as usize] as usize] = row;
            }
            rows
        };
        phase.program.choices.iter().zip(moves).map(of_role).collect()
    };
    programs.phases.iter().map(of_phase).collect()
}

impl Episodes {
    /// Chooses the program for the current states. Nothing of them is evaluated yet.
    pub(super) fn find_phase(&mut self) {
        let phases = &programs(&self.shared).phases;
        let is_in = |phase: &Phase| {
            let agrees = |&(fluent, value): &(u32, bool)| {
                let holds = self.rows[state_row(fluent as usize)];
                !(if value { self.live & !holds } else { self.live & holds }).any()
            };
            phase.fixed.iter().all(agrees)
        };
        self.at = phases.iter().skip(1).position(is_in).map_or(ANY, |phase| phase + 1);
    }

    /// The phase of the program that is used.
    pub(super) fn phase(&self) -> &Phase {
        &programs(&self.shared).phases[self.at]
    }

    /// For each role and each of its moves, the index of its move row, or [`NO_MOVE`].
    pub(super) fn row_of(&self) -> &[Vec<u32>] {
        &self.row_of[self.at]
    }

    /// The move rows of `role`.
    pub(super) fn move_rows(&self, role: usize) -> Range<usize> {
        let choice = &self.phase().program.choices[role];
        choice.base as usize..choice.base as usize + choice.moves.len()
    }
}
