//! The start of playouts in lanes: idle lanes take the next waiting starts of the current phase.

use super::{Lanes, Run};
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
        let left = queue.left;
        if left == 0 {
            return 0;
        }
        let before_refill = self.live;
        let mut together = Row::<W>::ZERO;
        let mut begun = 0;
        let before = rng::counter(self.sweep as u32, Role(0));
        (!self.live).for_each_lane(|lane| {
            if begun == left {
                return;
            }
            let (at, repeat) = queue.next;
            let start = queue.starts[at];
            queue.next = if repeat + 1 == run.plan.per_start { (at + 1, 0) } else { (at, repeat + 1) };
            let index = start as usize * run.plan.per_start + repeat;
            if self.template.start != Some(start) {
                self.write_states(run, &mut together);
                self.template.load(run, start);
            }
            together.set(lane);
            self.index[lane] = index;
            self.began[lane] = self.sweep;
            let playout = run.plan.first.wrapping_add(index as u64);
            if let Some(preferred) = &run.preferred {
                self.preferring.put(lane, preferred.applies(playout));
            }
            let key = rng::Stream::new(run.plan.seed, playout).key();
            let position = Keys::position(lane, W);
            self.keys.low[position] = (key as u32).wrapping_sub(before);
            self.keys.high[position] = (key >> 32) as u32;
            if run.plan.moves {
                self.record[lane].clear();
            }
            begun += 1;
        });
        self.write_states(run, &mut together);
        // Kept unknowns belong to one playout: they start as false.
        let first = state_row(run.programs.fluents.len());
        let others = before_refill | !self.live;
        self.rows[first..][..run.programs.kept_rows].iter_mut().for_each(|row| *row &= others);
        queue.left -= begun;
        *cut_off_at = (*cut_off_at).min(self.sweep + u64::from(run.plan.max_steps));
        begun
    }

    /// Writes the template into the lanes of `mask`, marks them as live, and clears the mask.
    fn write_states(&mut self, run: &Run<'_>, mask: &mut Row<W>) {
        if mask.any() {
            let first = state_row(0);
            let rows = &mut self.rows[first..][..run.programs.fluents.len()];
            run.kernels.write_states(rows, &self.template.words, mask);
            self.live |= *mask;
            *mask = Row::ZERO;
        }
    }
}
