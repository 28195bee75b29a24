//! The readings of a batch: its facts, legal moves, turns, draws, and ends. Every array goes lane after lane.

use super::one_by_one::OneByOne;
use super::{Batch, Inner, each};
use crate::batch_error::BatchError;
use ggp_game::Role;
use ggp_propnet::Episodes;

/// Which moves a mask shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// Those of one role.
    Of(Role),
    /// Those of the role whose turn it is in each lane (see [`Batch::write_turns`]). None where several roles choose.
    OfTurns,
}

/// The threads of a batch, and its blocks of lanes on the network, each with its part of an array.
pub(super) type Parts<'a, T> = (Option<&'a rayon::ThreadPool>, Vec<(&'a mut Episodes, &'a mut [T])>);

/// Evaluates `$one` for each lane, with the block of the lane as `$block` and the lane in this block as `$lane`.
macro_rules! each_lane {
    ($batch:expr, $out:expr, |$block:ident, $lane:ident| $one:expr) => {{
        let size = $batch.size();
        match &$batch.inner {
            Inner::Network(blocks) => {
                for ($block, out) in blocks.iter().zip($out.chunks_mut(size)) {
                    out.iter_mut().enumerate().for_each(|($lane, out)| *out = $one);
                }
            }
            Inner::OneByOne(blocks) => {
                for ($block, out) in blocks.iter().zip($out.chunks_mut(size)) {
                    out.iter_mut().enumerate().for_each(|($lane, out)| *out = $one);
                }
            }
        }
    }};
}

impl Batch {
    /// The blocks of lanes on the network, each with its part of `out`, in which a lane has `width` items.
    pub(super) fn parts<'a, T>(
        &'a mut self,
        out: &'a mut [T],
        width: usize,
    ) -> Result<Parts<'a, T>, BatchError> {
        match &mut self.inner {
            Inner::Network(blocks) => {
                let parts = out.chunks_mut((Episodes::LANES * width).max(1));
                Ok((self.pool.as_ref(), blocks.iter_mut().zip(parts).collect()))
            }
            Inner::OneByOne(_) => Err(BatchError::NoNetwork),
        }
    }

    /// Writes the fluents that hold in each lane, one byte (0 or 1) a fluent, in the order of
    /// [`Reasoner::fluents`](crate::Reasoner::fluents).
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    pub fn write_fluents(&mut self, fluents: usize, out: &mut [u8]) -> Result<(), BatchError> {
        let (pool, mut parts) = self.parts(out, fluents)?;
        each(pool, &mut parts, |(block, out)| block.write_fluents(out));
        Ok(())
    }

    /// Writes the fluents that hold in each lane as bits, `words` words a lane, lowest bit first.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    pub fn write_packed_fluents(&mut self, words: usize, out: &mut [u64]) -> Result<(), BatchError> {
        let (pool, mut parts) = self.parts(out, words)?;
        each(pool, &mut parts, |(block, out)| block.write_packed_fluents(words, out));
        Ok(())
    }

    /// Writes for each fluent in which lanes it holds, one byte a lane: fluent after fluent.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    pub fn write_facts(&mut self, out: &mut [u8]) -> Result<(), BatchError> {
        let lanes = self.lanes;
        let Inner::Network(blocks) = &self.inner else { return Err(BatchError::NoNetwork) };
        for (fluent, out) in out.chunks_mut(lanes).enumerate() {
            for (block, out) in blocks.iter().zip(out.chunks_mut(Episodes::LANES)) {
                block.write_fluent(fluent, out);
            }
        }
        Ok(())
    }

    /// Writes the percepts that `role` has got in the last step of each lane, one byte a percept, in the order of
    /// [`Reasoner::percepts_of`](crate::Reasoner::percepts_of). There are none before the first step.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    pub fn write_percepts(&mut self, role: Role, percepts: usize, out: &mut [u8]) -> Result<(), BatchError> {
        let (pool, mut parts) = self.parts(out, percepts)?;
        each(pool, &mut parts, |(block, out)| block.write_percepts(role.index(), out));
        Ok(())
    }

    /// Writes which moves are legal in each lane, one byte a move, `width` bytes a lane. In lanes whose episodes are over,
    /// none is.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    pub fn write_legal(&mut self, rows: Rows, width: usize, out: &mut [u8]) -> Result<(), BatchError> {
        let (pool, mut parts) = self.parts(out, width)?;
        each(pool, &mut parts, |(block, out)| match rows {
            Rows::Of(role) => block.write_legal(role.index(), width, out),
            Rows::OfTurns => block.write_legal_of_turns(width, out),
        });
        Ok(())
    }

    /// Writes which moves of `role` are legal in each lane as bits, `words` words a lane.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    pub fn write_packed_legal(
        &mut self,
        role: Role,
        words: usize,
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let (pool, mut parts) = self.parts(out, words)?;
        each(pool, &mut parts, |(block, out)| block.write_packed_legal(role.index(), words, out));
        Ok(())
    }

    /// The legal actions of `role` in all lanes, one lane after the other, and where those of each lane begin: one place
    /// more than there are lanes.
    pub fn legal_lists(&mut self, role: Role) -> (Vec<usize>, Vec<i32>) {
        let (lanes, mut begins, mut actions) = (self.lanes, vec![0], Vec::new());
        match &mut self.inner {
            Inner::Network(blocks) => {
                let moves = blocks.first().map_or(0, |block| block.net().roles()[role.index()].moves.len());
                let words = moves.div_ceil(64);
                let mut packed = vec![0; lanes * words];
                let parts = packed.chunks_mut((Episodes::LANES * words).max(1));
                for (block, part) in blocks.iter_mut().zip(parts) {
                    block.write_packed_legal(role.index(), words, part);
                }
                for lane in 0..lanes {
                    for (first, &word) in (0..).step_by(64).zip(&packed[lane * words..][..words]) {
                        let mut word = word;
                        while word != 0 {
                            actions.push(first + word.trailing_zeros().cast_signed());
                            word &= word - 1;
                        }
                    }
                    begins.push(actions.len());
                }
            }
            Inner::OneByOne(blocks) => {
                for block in blocks {
                    for lane in 0..block.lanes() {
                        actions.extend((0..block.count(lane, role.index()) as u32).map(u32::cast_signed));
                        begins.push(actions.len());
                    }
                }
            }
        }
        (begins, actions)
    }

    /// Writes the index of the role whose turn it is in each lane: the only role other than chance with a choice. If no
    /// role has one, it is a role other than chance that does not merely wait, as far as the network tells. It is -1
    /// where several roles choose, and where the episode is over.
    pub fn write_turns(&mut self, out: &mut [i8]) {
        let size = self.size();
        match &mut self.inner {
            Inner::Network(blocks) => {
                blocks.iter_mut().zip(out.chunks_mut(size)).for_each(|(block, out)| block.write_turns(out));
            }
            Inner::OneByOne(blocks) => {
                for (block, out) in blocks.iter().zip(out.chunks_mut(size)) {
                    out.iter_mut().enumerate().for_each(|(lane, out)| *out = block.turn(lane));
                }
            }
        }
    }

    /// Writes the actions that [`Batch::step`] makes without given ones: one for each lane and role, -1 in lanes whose
    /// episodes are over.
    pub fn write_drawn(&mut self, out: &mut [i32]) {
        let (size, roles) = (self.size(), self.roles);
        match &mut self.inner {
            Inner::Network(blocks) => {
                let parts = blocks.iter_mut().zip(out.chunks_mut(size * roles));
                parts.for_each(|(block, out)| block.write_drawn(out));
            }
            Inner::OneByOne(blocks) => {
                for (block, out) in blocks.iter().zip(out.chunks_mut(size * roles)) {
                    for (at, out) in out.iter_mut().enumerate() {
                        let (lane, role) = (at / roles, at % roles);
                        let count = block.count(lane, role) as u32;
                        let rank = ggp_game::rng::below(block.bits(lane, role), count);
                        *out = if count == 0 { -1 } else { rank.cast_signed() };
                    }
                }
            }
        }
    }

    /// Writes an action of `role` in each lane, drawn with probabilities proportional to the exponentials of `logits`
    /// among the legal moves. A lane has `width` logits, one for each action. Writes -1 where `chooses` is false, and
    /// where the role has no legal move of finite logit.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    pub fn sample(
        &mut self,
        role: Role,
        logits: &[f32],
        width: usize,
        chooses: impl Fn(usize) -> bool,
        out: &mut [i32],
    ) -> Result<(), BatchError> {
        let (lanes, words) = (self.lanes, width.div_ceil(64));
        let mut legal = vec![0; lanes * words];
        self.write_packed_legal(role, words, &mut legal)?;
        let Inner::Network(blocks) = &self.inner else { return Err(BatchError::NoNetwork) };
        let mut weights: Vec<(i32, f32)> = Vec::new();
        for lane in (0..lanes).filter(|&lane| chooses(lane)) {
            let logits = &logits[lane * width..][..width];
            weights.clear();
            for (first, &word) in (0..).step_by(64).zip(&legal[lane * words..][..words]) {
                let mut word = word;
                while word != 0 {
                    let action: usize = first + word.trailing_zeros() as usize;
                    weights.push(((action as u32).cast_signed(), logits[action]));
                    word &= word - 1;
                }
            }
            let largest = weights.iter().map(|&(_, logit)| logit).fold(f32::NEG_INFINITY, f32::max);
            let mut sum = 0.0;
            for (_, weight) in &mut weights {
                *weight = if weight.is_nan() { 0.0 } else { (*weight - largest).exp() };
                sum += *weight;
            }
            let bits = blocks[lane / Episodes::LANES].bits(lane % Episodes::LANES, role.index());
            let mut left = sum * (bits as f32 / 4_294_967_296.0);
            out[lane] = -1;
            for &(action, weight) in weights.iter().filter(|&&(_, weight)| weight > 0.0) {
                out[lane] = action;
                left -= weight;
                if left < 0.0 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether the episodes of all lanes are over.
    pub fn is_over(&self) -> bool {
        match &self.inner {
            Inner::Network(blocks) => blocks.iter().all(Episodes::are_over),
            Inner::OneByOne(blocks) => blocks.iter().all(OneByOne::are_over),
        }
    }

    /// Writes whether the episode of each lane is over by the rules, or by an illegal action.
    pub fn write_terminated(&self, out: &mut [u8]) {
        match &self.inner {
            Inner::Network(blocks) => {
                let parts = blocks.iter().zip(out.chunks_mut(Episodes::LANES));
                parts.for_each(|(block, out)| block.write_terminated(out));
            }
            Inner::OneByOne(_) => each_lane!(self, out, |block, lane| block.is_terminated(lane).into()),
        }
    }

    /// Writes whether the episode of each lane is over without a terminal state: at the limit of steps, or because a role
    /// has no legal move.
    pub fn write_truncated(&self, out: &mut [u8]) {
        match &self.inner {
            Inner::Network(blocks) => {
                let parts = blocks.iter().zip(out.chunks_mut(Episodes::LANES));
                parts.for_each(|(block, out)| block.write_truncated(out));
            }
            Inner::OneByOne(_) => each_lane!(self, out, |block, lane| block.is_truncated(lane).into()),
        }
    }

    /// Calls `call` with the lanes whose episodes ended in the last step, or in the last call of
    /// [`Batch::step_against`]. A lane may come twice.
    pub fn for_each_ended(&self, mut call: impl FnMut(usize)) {
        self.earlier.iter().for_each(|&lane| call(lane));
        if !self.has_stepped {
            return;
        }
        let size = self.size();
        match &self.inner {
            Inner::Network(blocks) => {
                (0..).zip(blocks).for_each(|(at, block)| block.for_each_ended(|lane| call(at * size + lane)));
            }
            Inner::OneByOne(blocks) => {
                for (at, block) in (0..).zip(blocks) {
                    (0..block.lanes())
                        .filter(|&lane| block.has_just_ended(lane))
                        .for_each(|lane| call(at * size + lane));
                }
            }
        }
    }

    /// The goals of all roles in the lane's last state, 0 while the episode runs.
    pub fn goals(&self, lane: usize) -> &[u8] {
        let (block, lane) = (lane / self.size(), lane % self.size());
        match &self.inner {
            Inner::Network(blocks) => blocks[block].goals(lane),
            Inner::OneByOne(blocks) => blocks[block].goals(lane),
        }
    }

    /// Writes the number of steps of each lane's episode.
    pub fn write_steps(&self, out: &mut [u32]) {
        each_lane!(self, out, |block, lane| block.steps(lane));
    }

    /// Writes the number of each lane's episode, from 0.
    pub fn write_episodes(&self, out: &mut [u32]) {
        each_lane!(self, out, |block, lane| block.episode(lane));
    }
}
