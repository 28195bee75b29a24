//! Preferred moves in playouts. If the playout of a lane applies the preference and some preferred move is
//! legal, all other moves are removed from the lane's legal moves before the draw. This costs about one
//! instruction per move.

use crate::evaluator::{Phase, PhasePrograms};
use crate::program::Choice;
use crate::rows::Bits;
use crate::select::{keep_others_in, some_of};
use ggp_game::{Move, Preference, Role};

/// A preference, and the rows of the preferred moves in the programs of all phases.
pub(crate) struct Preferred<'a> {
    preference: &'a Preference,
    /// For each phase, for each [`Choice`] of the phase's program and for each row of the choice: whether the
    /// row's move is preferred.
    rows: Vec<Vec<Box<[bool]>>>,
}

impl<'a> Preferred<'a> {
    /// Finds the rows of the preferred moves in `programs`. `moves` lists the moves of each role as [`Move`]
    /// values, in the order of the original network.
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

    /// Whether the playout whose random stream has the index `playout` applies the preference.
    pub(crate) fn applies(&self, playout: u64) -> bool {
        self.preference.applies(playout)
    }

    /// Restricts `legal`, the move rows of one choice: in the lanes of `preferring` that have a legal
    /// preferred move, all other moves are removed.
    pub(crate) fn narrow<R: Bits>(&self, phase: usize, choice: usize, legal: &mut [R], preferring: R) {
        let preferred = self.of(phase, choice);
        let others = !(some_of(legal, preferred) & preferring);
        keep_others_in(others, legal, preferred);
    }

    /// For each move row of one choice, whether its move is preferred.
    pub(crate) fn of(&self, phase: usize, choice: usize) -> &[bool] {
        &self.rows[phase][choice]
    }
}
