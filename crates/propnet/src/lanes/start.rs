//! The start of playouts in lanes: idle lanes take the next waiting starts of the current phase.

use super::{Lanes, Playing, Run};
use crate::program::state_row;
use crate::rows::Row;
use crate::select::Keys;
use ggp_game::{Role, rng};

/// The playouts that wait for a lane and whose start states belong to one phase.
pub(super) struct Queue {
    starts: Vec<u32>,
    /// The next playout: the index of its start state in `starts`, and the number of playouts that have
    /// already begun from that state.
    next: (usize, usize),
    /// The number of playouts that have not begun.
    left: usize,
}

impl Queue {
    /// Distributes the start states of `run` among queues, one for each phase.
    pub(super) fn of_phases(run: &Run<'_>) -> Vec<Queue> {
        let phases = run.programs.phases.iter();
        let mut queues: Vec<Queue> =
            phases.map(|_| Queue { starts: Vec::new(), next: (0, 0), left: 0 }).collect();
        for &start in run.chosen {
            let phase = run.programs.phase_of(&run.starts[start as usize]).unwrap_or(0);
            queues[phase].starts.push(start);
            queues[phase].left += run.plan.per_start;
        }
        queues
    }
}

/// One start state, to be written to many lanes: for each state row, a word whose 64 bits all have the value
/// of the row's fluent.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    start: Option<u32>,
    words: Vec<u64>,
}

impl Template {
    /// Forgets the loaded start state. The indices of start states are valid only within one run.
    pub(super) fn clear(&mut self) {
        self.start = None;
    }

    /// Loads the start state with the index `start`.
    fn load(&mut self, run: &Run<'_>, start: u32) {
        if self.start == Some(start) {
            return;
        }
        let state = &run.starts[start as usize];
        let same = self.start.is_some_and(|other| run.starts[other as usize] == *state);
        self.start = Some(start);
        if same {
            return;
        }
        let word = |&fluent: &u32| if state.has(fluent as usize) { !0 } else { 0 };
        self.words.clear();
        self.words.extend(run.programs.fluents.iter().map(word));
    }
}

impl<const W: usize> Lanes<W> {
    /// Starts playouts from `queue` in the idle lanes. Returns the number of playouts started.
    pub(super) fn refill(&mut self, run: &Run<'_>, queue: &mut Queue, cut_off_at: &mut u64) -> usize {
        let before_refill = self.live;
        let mut idle = !self.live;
        let begun = queue.left.min(idle.count());
        if begun == 0 {
            return 0;
        }
        let mut left = begun;
        while left > 0 {
            // The lanes that take playouts from the next start.
            let (at, repeat) = queue.next;
            let count = left.min(run.plan.per_start - repeat);
            let lanes = idle.first(count);
            idle &= !lanes;
            left -= count;
            let repeats = repeat + count;
            queue.next = if repeats == run.plan.per_start { (at + 1, 0) } else { (at, repeats) };
            self.begin(run, queue.starts[at], repeat, lanes);
        }
        // Kept unknowns belong to one playout: they start as false.
        let first = state_row(run.programs.fluents.len());
        let others = before_refill | !self.live;
        self.rows[first..][..run.programs.kept_rows].iter_mut().for_each(|row| *row &= others);
        queue.left -= begun;
        *cut_off_at = (*cut_off_at).min(self.sweep + u64::from(run.plan.max_steps));
        begun
    }

    /// Starts playouts from the start state with the index `start` in `lanes`: those from the one with the number
    /// `repeat` on.
    fn begin(&mut self, run: &Run<'_>, start: u32, repeat: usize, lanes: Row<W>) {
        let mut index = start as usize * run.plan.per_start + repeat;
        let began = self.sweep;
        let before = rng::counter(began as u32, Role(0));
        let number = |index: usize| run.plan.first.wrapping_add(index as u64);
        if let Some(preferred) = &run.preferred {
            let mut index = index;
            lanes.for_each_lane(|lane| {
                self.preferring.put(lane, preferred.applies(number(index)));
                index += 1;
            });
        }
        if run.plan.moves {
            lanes.for_each_lane(|lane| self.record[lane].clear());
        }
        let Lanes { playing, keys, .. } = self;
        lanes.for_each_lane(|lane| {
            playing[lane] = Playing { index, began };
            let key = rng::Stream::new(run.plan.seed, number(index)).key();
            let position = Keys::position(lane, W);
            keys.low[position] = (key as u32).wrapping_sub(before);
            keys.high[position] = (key >> 32) as u32;
            index += 1;
        });
        self.template.load(run, start);
        let first = state_row(0);
        let rows = &mut self.rows[first..][..run.programs.fluents.len()];
        run.kernels.write_states(rows, &self.template.words, &lanes);
        self.live |= lanes;
    }
}
