//! Preferred moves: in the lanes whose playouts prefer, the other moves are taken off the legal ones
//! before one is drawn, wherever a preferred one is legal. That costs an instruction a move.

use crate::evaluator::{Phase, PhasePrograms};
use crate::rows::Bits;
use crate::schedule::Choice;
use ggp_game::{Move, Preference, Role};

/// Which rows of legal moves are those of preferred ones.
pub(crate) struct Preferred<'a> {
    preference: &'a Preference,
    /// By phase and choice.
    rows: Vec<Vec<Box<[bool]>>>,
}

impl<'a> Preferred<'a> {
    /// `moves` are, per role, the machine's numbers of its moves.
    pub(crate) fn new(
        programs: &PhasePrograms,
        moves: &[Vec<Move>],
        preference: &'a Preference,
    ) -> Preferred<'a> {
        let of_choice = |phase: &Phase, choice: &Choice| {
            let is_preferred = |at| preference.has(Role(choice.role as u8), phase.move_at(choice, at, moves));
            (0..choice.moves.len()).map(is_preferred).collect()
        };
        let of_phase =
            |phase: &Phase| phase.program.choices.iter().map(|choice| of_choice(phase, choice)).collect();
        Preferred { preference, rows: programs.phases.iter().map(of_phase).collect() }
    }

    /// Whether the playout of this number prefers.
    pub(crate) fn applies(&self, playout: u64) -> bool {
        self.preference.applies(playout)
    }

    /// Takes the other moves off the legal ones in the lanes `preferring` that have a preferred one.
    pub(crate) fn narrow<R: Bits>(&self, phase: usize, choice: usize, legal: &mut [R], preferring: R) {
        let preferred = &self.rows[phase][choice];
        let mut some = R::NONE;
        for (&row, _) in legal.iter().zip(preferred).filter(|&(_, &preferred)| preferred) {
            some = some | row;
        }
        let others = !(some & preferring);
        for (row, _) in legal.iter_mut().zip(preferred).filter(|&(_, &preferred)| !preferred) {
            *row = *row & others;
        }
    }
}
