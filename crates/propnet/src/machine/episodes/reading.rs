//! The readings of episodes: their facts, legal moves, choosing roles, drawn actions, and ends.

use super::{Episodes, Lanes};
use crate::program::state_row;
use crate::rows::Row;
use crate::select::NO_MOVE;
use crate::state::BitState;
use ggp_game::Fact;
use std::ops::Range;

/// No single role: several of them choose.
const SEVERAL: i8 = -1;

impl Episodes {
    /// Whether the lane's episode is over by the rules, or by an illegal action.
    pub fn is_terminated(&self, lane: usize) -> bool {
        self.terminated.has(lane)
    }

    /// Whether the lane's episode is over without a terminal state: at the limit of steps, or because a role has no
    /// legal move.
    pub fn is_truncated(&self, lane: usize) -> bool {
        self.truncated.has(lane)
    }

    /// Whether the last step ended the lane's episode.
    pub fn has_just_ended(&self, lane: usize) -> bool {
        self.ended.has(lane)
    }

    /// Writes [`Episodes::is_terminated`] of each lane as a byte.
    pub fn write_terminated(&self, out: &mut [u8]) {
        self.kernels.write_bits(&self.terminated.0, out);
    }

    /// Writes [`Episodes::is_truncated`] of each lane as a byte.
    pub fn write_truncated(&self, out: &mut [u8]) {
        self.kernels.write_bits(&self.truncated.0, out);
    }

    /// Calls `each` with the lanes whose episodes ended in the last step.
    pub fn for_each_ended(&self, each: impl FnMut(usize)) {
        self.ended.for_each_lane(each);
    }

    /// The goals of all roles in the lane's last state, or 0 while the episode runs. If the rules give a role several
    /// goals, the largest counts; if they give none, 0.
    pub fn goals(&self, lane: usize) -> &[u8] {
        let roles = self.shared.net.roles.len();
        &self.goals[lane * roles..][..roles]
    }

    /// The state of the lane.
    pub fn state(&self, lane: usize) -> BitState {
        let fluents = self.net().fluents().len();
        let mut state = BitState::empty(fluents);
        (0..fluents)
            .filter(|&fluent| self.rows[state_row(fluent)].has(lane))
            .for_each(|fluent| state.set(fluent));
        state
    }

    /// Whether the episodes of all lanes are over.
    pub fn are_over(&self) -> bool {
        !self.live.any()
    }

    /// The number of steps of the lane's episode.
    pub fn steps(&self, lane: usize) -> u32 {
        if self.live.has(lane) { (self.steps - self.began[lane]) as u32 } else { self.length[lane] }
    }

    /// The number of the lane's episode, from 0.
    pub fn episode(&self, lane: usize) -> u32 {
        self.episode[lane]
    }

    /// Writes the fluents that hold in each lane, one byte a fluent, lane after lane, in the order of
    /// [`PropNet::fluents`](crate::PropNet::fluents).
    pub fn write_fluents(&mut self, out: &mut [u8]) {
        let fluents = self.net().fluents().len();
        self.transpose(state_row(0)..state_row(fluents), fluents);
        self.kernels.write_lanes::<{ super::WORDS }>(&self.transposed, fluents, out);
    }

    /// Writes the fluents that hold in each lane as bits: `words` words a lane, lowest bit first.
    pub fn write_packed_fluents(&mut self, words: usize, out: &mut [u64]) {
        let fluents = self.net().fluents().len();
        self.transpose(state_row(0)..state_row(fluents), fluents);
        self.write_words(words, out);
    }

    /// Writes in which lanes the fluent with the index `fluent` holds, one byte a lane.
    pub fn write_fluent(&self, fluent: usize, out: &mut [u8]) {
        self.kernels.write_bits(&self.rows[state_row(fluent)].0, out);
    }

    /// Writes the percepts that `role` has got in the last step of each lane, one byte a percept, in the order of
    /// [`NetRole::sees`](crate::NetRole::sees). There are none before the first step.
    pub fn write_percepts(&mut self, role: usize, out: &mut [u8]) {
        let rows = self.percept_rows(role);
        let count = rows.len();
        self.transpose(rows, count);
        self.kernels.write_lanes::<{ super::WORDS }>(&self.transposed, count, out);
    }

    /// The percepts that `role` has got in the lane's last step.
    pub fn percepts(&self, lane: usize, role: usize) -> impl Iterator<Item = &Fact> {
        let sees = &self.net().roles()[role].sees;
        let rows = &self.rows[self.percept_rows(role)];
        sees.iter().zip(rows).filter(move |(_, row)| row.has(lane)).map(|((percept, _), _)| percept)
    }

    /// Writes whether `role` has got a percept in the last step of each lane.
    pub fn write_perceiving(&self, role: usize, out: &mut [u8]) {
        let rows = &self.rows[self.percept_rows(role)];
        let any = rows.iter().fold(Row::ZERO, |any: Lanes, &row| any | row);
        self.kernels.write_bits(&any.0, out);
    }

    /// The rows of the percepts of `role`.
    fn percept_rows(&self, role: usize) -> Range<usize> {
        let net = self.net();
        let before: usize = net.roles()[..role].iter().map(|role| role.sees.len()).sum();
        let first = net.fluents().len() + before;
        state_row(first)..state_row(first + net.roles()[role].sees.len())
    }

    /// Writes whether `role` has several legal moves in each lane.
    pub fn write_choosing(&mut self, role: usize, out: &mut [u8]) {
        self.evaluate_legal();
        let (_, several) = self.counted(role);
        self.kernels.write_bits(&(several & self.live).0, out);
    }

    /// Writes which moves of `role` are legal in each lane, one byte a move, `stride` bytes a lane. In lanes whose
    /// episodes are over, none is.
    pub fn write_legal(&mut self, role: usize, stride: usize, out: &mut [u8]) {
        self.gather_legal(role, self.live);
        self.write_held(stride, out);
    }

    /// The same as [`Episodes::write_legal`], as bits: `words` words a lane.
    pub fn write_packed_legal(&mut self, role: usize, words: usize, out: &mut [u64]) {
        self.gather_legal(role, self.live);
        self.transpose_held(64 * words);
        self.write_words(words, out);
    }

    /// Writes which moves are legal for the role whose turn it is in each lane (see [`Episodes::write_turns`]). In
    /// lanes in which several roles choose, none is.
    pub fn write_legal_of_turns(&mut self, stride: usize, out: &mut [u8]) {
        let turns = self.turns();
        let mut all = vec![Row::ZERO; stride];
        for (role, &lanes) in turns.iter().enumerate() {
            if lanes.any() {
                self.gather_legal(role, lanes);
                all.iter_mut().zip(&self.held).for_each(|(all, &row)| *all |= row);
            }
        }
        self.held = all;
        self.write_held(stride, out);
    }

    /// Writes the index of the role whose turn it is in each lane: the only role other than chance with a choice. If no
    /// role has a choice, it is the first one other than chance that can do more than wait: whose only move is not one
    /// that it makes whenever it is not its turn. It is -1 where several roles choose, and where the episode is over.
    pub fn write_turns(&mut self, out: &mut [i8]) {
        let turns = self.turns();
        out.fill(SEVERAL);
        for (role, lanes) in (0..).zip(turns) {
            lanes.for_each_lane(|lane| {
                if let Some(out) = out.get_mut(lane) {
                    *out = role;
                }
            });
        }
    }

    /// For each role, the lanes in which it is its turn.
    pub(super) fn turns(&mut self) -> Vec<Lanes> {
        self.evaluate_legal();
        let roles = self.shared.net.roles.len();
        let players = |role: &usize| Some(*role) != self.shared.nature;
        // 1. The lanes in which each role has a choice.
        let mut turns: Vec<Lanes> = vec![Row::ZERO; roles];
        let (mut one, mut more) = (Row::ZERO, Row::ZERO);
        for role in (0..roles).filter(players) {
            let (_, several) = self.counted(role);
            turns[role] = several & self.live;
            more |= one & turns[role];
            one |= turns[role];
        }
        for lanes in &mut turns {
            *lanes &= !more;
        }
        // 2. In the other lanes, the first role that does not wait, or else the first role.
        let mut left = self.live & !one;
        if left.any() {
            for role in (0..roles).filter(players) {
                let waits = self.waiting(role);
                turns[role] |= left & !waits;
                left &= waits;
            }
            if let Some(first) = (0..roles).find(players) {
                turns[first] |= left;
            }
        }
        turns
    }

    /// The lanes in which `role` can only make a move that it makes in every state of a phase that is not its own.
    fn waiting(&self, role: usize) -> Lanes {
        let range = self.move_rows(role);
        let mut waiting = Row::ZERO;
        for phase in &self.shared.reachable.phases {
            if let [mv] = phase.moves[role][..]
                && let Some(&row) = self.row_of()[role].get(mv as usize)
                && row != NO_MOVE
            {
                waiting |= self.rows[range.start + row as usize];
            }
        }
        waiting
    }

    /// Draws the actions that [`Episodes::step_at_random`] would make: one for each lane and role, -1 in lanes whose
    /// episodes are over and for roles without a legal move.
    pub fn write_drawn(&mut self, out: &mut [i32]) {
        self.evaluate_legal();
        let roles = self.shared.net.roles.len();
        out.fill(-1);
        for role in 0..roles {
            let range = self.move_rows(role);
            let legal = self.rows[range.clone()].to_vec();
            let sets = self.phase().program.choices[role].sets.as_ref().map(|sets| sets.rows.clone());
            let of_sets = sets.clone().map(|sets| self.rows[sets.start as usize..sets.end as usize].to_vec());
            self.draw(role);
            let moves = &self.phase().moves[role];
            if sets.is_some() && self.phase().trees[role].is_some() {
                self.live.for_each_lane(|lane| {
                    if let Some(&mv) = moves.get(self.chosen[role][lane] as usize) {
                        out[lane * roles + role] = mv.cast_signed();
                    }
                });
            } else {
                for (&row, &mv) in self.rows[range.clone()].iter().zip(moves) {
                    (row & self.live).for_each_lane(|lane| out[lane * roles + role] = mv.cast_signed());
                }
            }
            self.rows[range].copy_from_slice(&legal);
            if let (Some(sets), Some(of_sets)) = (sets, of_sets) {
                self.rows[sets.start as usize..sets.end as usize].copy_from_slice(&of_sets);
            }
        }
    }

    /// 32 random bits for `role` in the next step of the lane, from the episode's stream.
    pub fn bits(&self, lane: usize, role: usize) -> u32 {
        self.stream(lane).bits(self.steps(lane), ggp_game::Role(role as u8))
    }

    /// Puts the legal moves of `role` in the lanes of `lanes` into `held`, one row a move.
    fn gather_legal(&mut self, role: usize, lanes: Lanes) {
        self.evaluate_legal();
        let first = self.move_rows(role).start;
        self.held.clear();
        let rows = self.row_of[self.at][role].iter();
        self.held.extend(rows.map(|&row| match row {
            NO_MOVE => Row::ZERO,
            row => self.rows[first + row as usize] & lanes,
        }));
    }

    fn write_held(&mut self, stride: usize, out: &mut [u8]) {
        self.transpose_held(stride);
        self.kernels.write_lanes::<{ super::WORDS }>(&self.transposed, stride, out);
    }

    fn transpose_held(&mut self, columns: usize) {
        let chunks = columns.div_ceil(64);
        self.transposed.resize(chunks * Episodes::LANES, 0);
        self.transposed[self.held.len().div_ceil(64).min(chunks) * Episodes::LANES..].fill(0);
        self.kernels.transpose_rows(&self.held, &mut self.transposed);
    }

    fn transpose(&mut self, rows: std::ops::Range<usize>, columns: usize) {
        self.transposed.resize(columns.div_ceil(64) * Episodes::LANES, 0);
        self.kernels.transpose_rows(&self.rows[rows], &mut self.transposed);
    }

    fn write_words(&self, words: usize, out: &mut [u64]) {
        for (lane, out) in out.chunks_exact_mut(words.max(1)).enumerate() {
            let place = (lane & 63) * super::WORDS + (lane >> 6);
            let of_lane = self.transposed[place..].iter().step_by(Episodes::LANES);
            out.iter_mut().zip(of_lane).for_each(|(out, &word)| *out = word);
        }
    }
}
