//! Queries about batches of up to 64 states, such as the nodes that a search has just expanded. Each state is
//! one bit of the rows, which have one word each.

use super::{GOALS, LEGAL, NEXT, PropNetMachine};
use crate::cpu::Kernels;
use crate::program::{ONES, state_row};
use crate::rows::{Bits, Row};
use crate::state::BitState;
use crate::transpose::{BATCH, transpose};
use ggp_game::{EvalError, Goals, Move, RestrictedMoves, Verdict};
use std::sync::Arc;

impl PropNetMachine {
    /// Loads up to 64 states into the rows, one state in each bit.
    fn load_batch(&mut self, states: &[&BitState]) {
        self.loaded = None;
        self.done = [false; NEXT];
        let fluents = self.shared.net.fluents().len();
        let rows = &mut self.rows[state_row(0)..][..fluents];
        for (block, rows) in rows.chunks_mut(64).enumerate() {
            let mut words = [0; 64];
            for (word, state) in words.iter_mut().zip(states) {
                *word = state.words()[block];
            }
            transpose(&mut words);
            for (row, word) in rows.iter_mut().zip(words) {
                *row = word;
            }
        }
    }

    /// Replaces the contents of `out` by the successors of `states`. `joints` holds one joint move for each
    /// state.
    pub(super) fn batch_next(
        &mut self,
        states: &[&BitState],
        joints: &[Move],
        out: &mut Vec<BitState>,
    ) -> Result<(), EvalError> {
        out.clear();
        let roles = self.shared.net.roles().len();
        let fluents = self.shared.net.fluents().len();
        for (states, joints) in states.chunks(BATCH).zip(joints.chunks(BATCH * roles)) {
            self.load_batch(states);
            self.run_section(LEGAL);
            self.make_moves(joints)?;
            self.run_section(NEXT);
            let first = out.len();
            out.resize(first + states.len(), BitState::empty(fluents));
            for (block, next) in self.shared.single.next.chunks(64).enumerate() {
                let mut words = [0; 64];
                for (word, &literal) in words.iter_mut().zip(next) {
                    *word = self.word(literal);
                }
                transpose(&mut words);
                for (state, word) in out[first..].iter_mut().zip(words) {
                    state.words_mut()[block] = word;
                }
            }
        }
        Ok(())
    }

    /// Replaces the contents of `over` by whether each state is terminal, and the contents of `goals` by each
    /// role's goals in each state.
    pub(super) fn batch_outcomes(
        &mut self,
        states: &[&BitState],
        over: &mut Vec<bool>,
        goals: &mut Vec<Goals>,
    ) {
        let roles = self.shared.net.roles().len();
        over.clear();
        goals.clear();
        goals.resize(states.len() * roles, Goals::None);
        for (states, goals) in states.chunks(BATCH).zip(goals.chunks_mut(BATCH * roles)) {
            self.load_batch(states);
            self.run_section(GOALS);
            let terminal = self.word(self.shared.single.terminal);
            over.extend((0..states.len()).map(|lane| terminal >> lane & 1 == 1));
            for (role, rows) in self.shared.single.goals.iter().enumerate() {
                for (at, &literal) in rows.iter().enumerate() {
                    let word = self.word(literal);
                    // The last row belongs to `bad_goal`: a `goal` whose value is invalid.
                    let goal = self.shared.net.roles()[role].goals.get(at).map(|&(goal, _)| goal);
                    for lane in (0..states.len()).filter(|lane| word >> lane & 1 == 1) {
                        let goals = &mut goals[lane * roles + role];
                        *goals = goals.and(goal);
                    }
                }
            }
        }
    }

    /// Replaces the contents of `out` by each role's legal moves in each state.
    pub(super) fn batch_legal(&mut self, states: &[&BitState], out: &mut Vec<Vec<Move>>) {
        let roles = self.shared.net.roles().len();
        out.resize_with(states.len() * roles, Vec::new);
        out.iter_mut().for_each(Vec::clear);
        for (states, out) in states.chunks(BATCH).zip(out.chunks_mut(BATCH * roles)) {
            self.load_batch(states);
            self.run_section(LEGAL);
            let every = u64::MAX >> (BATCH - states.len());
            for (role, legal) in self.shared.single.legal.iter().enumerate() {
                for (&literal, &mv) in legal.iter().zip(&self.shared.moves[role]) {
                    let lanes = Row([self.word(literal) & every]);
                    lanes.for_each_lane(|lane| out[lane * roles + role].push(mv));
                }
            }
        }
    }

    /// Replaces the contents of `out` by the moves among which playouts with decisive moves draw, for each
    /// state and role. A state that is not reachable gets no moves. `out` is empty if decisive moves are not
    /// available.
    pub(super) fn batch_decisive(&mut self, states: &[&BitState], out: &mut Vec<RestrictedMoves>) {
        let shared = Arc::clone(&self.shared);
        let roles = shared.net.roles().len();
        let narrowed = shared.narrowed();
        let Some(programs) = narrowed.programs() else { return out.clear() };
        out.resize_with(states.len() * roles, RestrictedMoves::default);
        for RestrictedMoves { moves, verdict } in &mut *out {
            moves.clear();
            *verdict = Verdict::Open;
        }
        self.narrowed.resize(programs.rows, 0);
        self.narrowed[ONES as usize] = !0;
        let rows = &mut self.narrowed;
        for (states, out) in states.chunks(BATCH).zip(out.chunks_mut(BATCH * roles)) {
            let phases: Vec<Option<usize>> = states.iter().map(|state| programs.phase_of(state)).collect();
            // The state rows stay valid: only the next-state section would overwrite them, and it does not
            // run here.
            for (row, &fluent) in rows[state_row(0)..].iter_mut().zip(&programs.fluents) {
                *row = 0;
                for (lane, state) in states.iter().enumerate() {
                    *row |= u64::from(state.has(fluent as usize)) << lane;
                }
            }
            rows[state_row(programs.fluents.len())..][..programs.kept_rows].fill(0);
            for (number, phase) in programs.phases.iter().enumerate() {
                let mut lanes = Row([0]);
                (0..states.len())
                    .filter(|&lane| phases[lane] == Some(number))
                    .for_each(|lane| lanes.set(lane));
                if !lanes.any() {
                    continue;
                }
                let program = &phase.program;
                Kernels::run_packed(&program.terminal_blocks, &program.gates, rows);
                Kernels::run_packed(&program.legal_blocks, &program.gates, rows);
                for choice in &program.choices {
                    for at in 0..choice.moves.len() {
                        let mv = phase.move_at(choice, at, &shared.moves);
                        let legal = Row([rows[choice.base as usize + at]]) & lanes;
                        legal.for_each_lane(|lane| out[lane * roles + choice.role].moves.push(mv));
                    }
                }
                for (role, literals) in program.verdicts.iter().enumerate() {
                    let (&[won, lost], Some(rival)) = (literals.as_slice(), shared.net.rival(role)) else {
                        continue;
                    };
                    let of = |(row, negated): (u32, bool)| Row([rows[row as usize].negate_if(negated)]);
                    let (won, lost) = (of(won), of(lost));
                    let certain = narrowed.certain(number, role);
                    let win = certain.win.then(|| shared.net.ending(role, rival));
                    let loss = certain.loss.then(|| shared.net.ending(rival, role));
                    lanes.for_each_lane(|lane| {
                        let verdict = if won.has(lane) {
                            win.map(Verdict::Wins)
                        } else if lost.has(lane) {
                            loss.map(Verdict::Loses)
                        } else {
                            loss.map(Verdict::OthersLose)
                        };
                        out[lane * roles + role].verdict = verdict.unwrap_or_default();
                    });
                }
            }
        }
    }

    /// The value of a literal in all states of the batch, one bit for each state.
    fn word(&self, (row, negated): (u32, bool)) -> u64 {
        self.rows[row as usize].negate_if(negated)
    }
}
