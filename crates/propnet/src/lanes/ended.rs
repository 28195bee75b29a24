//! The end of playouts in lanes: the evaluation of their goals, at once or later.
//!
//! Where the goals take many gates, ended playouts wait in [`Ended`] until one evaluation serves a whole set
//! of lanes ([`PhasePrograms::defer`](crate::evaluator::PhasePrograms::defer)).

use super::{Lanes, Playing, Run};
use crate::program::state_row;
use crate::rows::Row;
use ggp_game::{Move, Playout};

/// Playouts that have ended and wait for the evaluation of their goals. There is at most one for each lane.
#[derive(Clone, Debug)]
pub(super) struct Ended<const W: usize> {
    /// The last states of the playouts, as state rows. The kept rows follow.
    states: Vec<Row<W>>,
    playouts: Vec<EndedPlayout>,
}

impl<const W: usize> Ended<W> {
    /// Room for one ended playout in each lane. `rows` is the number of state rows and kept rows.
    pub(super) fn new(rows: usize) -> Ended<W> {
        Ended { states: vec![Row::ZERO; rows], playouts: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.states.fill(Row::ZERO);
        self.playouts.clear();
    }
}

#[derive(Clone, Debug)]
struct EndedPlayout {
    index: usize,
    steps: u32,
    moves: Vec<Move>,
    terminal: bool,
}

impl<const W: usize> Lanes<W> {
    /// Ends the playouts of the lanes `ended`: passes their results to `sink`, at once or later. The caller
    /// must have run the terminal section last, so that its values are still in the rows. Returns whether the
    /// call has overwritten these values.
    pub(super) fn end(
        &mut self,
        run: &Run<'_>,
        number: usize,
        ended: Row<W>,
        terminal: Row<W>,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> bool {
        self.live &= !ended;
        // Copying the state bits of one fluent in the lanes of one word takes about as long as a gate.
        let words = ended.0.iter().filter(|&&word| word != 0).count();
        let copied = words * run.programs.fluents.len();
        if run.programs.defer.is_some_and(|gates| copied < gates) {
            return self.put_aside(run, number, ended, terminal, sink);
        }
        let program = &run.programs.phases[number].program;
        run.kernels.run_blocks(&program.goal_blocks, &program.gates, &mut self.rows);
        self.outcomes.find(ended, &self.rows, &program.goals, &run.net.roles);
        ended.for_each_lane(|lane| {
            let Playing { index, began } = self.playing[lane];
            sink(Playout {
                index,
                goals: self.outcomes.goals_of(lane),
                steps: (self.sweep - began) as u32,
                moves: if run.plan.moves { &self.record[lane] } else { &[] },
                terminal: terminal.has(lane),
            });
        });
        false
    }

    /// Stores the playouts of the lanes `ended` with their last states, for a later evaluation of their
    /// goals. Each phase has room for as many playouts as there are lanes. If the room does not suffice, the
    /// goals of the playouts that are already stored are evaluated first. Returns whether this was necessary.
    fn put_aside(
        &mut self,
        run: &Run<'_>,
        number: usize,
        ended: Row<W>,
        terminal: Row<W>,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> bool {
        let full = self.ended[number].playouts.len() + ended.count() > Self::LANES;
        if full {
            self.flush(run, number, sink);
        }
        let Ended { states, playouts } = &mut self.ended[number];
        let first = state_row(0);
        // The kept rows stay false, from where the goals can be evaluated too.
        let rows = &self.rows[first..][..run.programs.fluents.len()];
        run.kernels.append_lanes(rows, states, &ended, playouts.len());
        ended.for_each_lane(|lane| {
            let Playing { index, began } = self.playing[lane];
            playouts.push(EndedPlayout {
                index,
                steps: (self.sweep - began) as u32,
                moves: if run.plan.moves { std::mem::take(&mut self.record[lane]) } else { Vec::new() },
                terminal: terminal.has(lane),
            });
        });
        full
    }

    /// Evaluates the goals of the playouts that are stored for the phase `number`. Afterwards the state rows
    /// have their previous values; all other rows are overwritten.
    pub(super) fn flush(&mut self, run: &Run<'_>, number: usize, sink: &mut dyn FnMut(Playout<'_>)) {
        let program = &run.programs.phases[number].program;
        let first = state_row(0);
        let count = self.ended[number].playouts.len();
        let mut lanes = Row::ZERO;
        (0..count).for_each(|lane| lanes.set(lane));
        let states = &mut self.ended[number].states;
        self.rows[first..][..states.len()].swap_with_slice(states);
        run.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        run.kernels.run_blocks(&program.goal_blocks, &program.gates, &mut self.rows);
        self.outcomes.find(lanes, &self.rows, &program.goals, &run.net.roles);
        let Ended { states, playouts } = &mut self.ended[number];
        self.rows[first..][..states.len()].swap_with_slice(states);
        states.fill(Row::ZERO);
        for (lane, ended) in playouts.drain(..).enumerate() {
            sink(Playout {
                index: ended.index,
                goals: self.outcomes.goals_of(lane),
                steps: ended.steps,
                moves: &ended.moves,
                terminal: ended.terminal,
            });
        }
    }

    /// Ends the playouts in which a role has no legal move.
    pub(super) fn end_stuck(
        &mut self,
        run: &Run<'_>,
        number: usize,
        stuck: Row<W>,
        sink: &mut dyn FnMut(Playout<'_>),
    ) {
        // The goals may read rows that the legal section has overwritten, and the goal section may
        // overwrite rows that the next state reads. So all sections run again.
        let phase = &run.programs.phases[number];
        let program = &phase.program;
        run.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        self.end(run, number, stuck, Row::ZERO, sink);
        run.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        run.kernels.run_blocks(program.blocks_before_leaves(), &program.gates, &mut self.rows);
        self.choose(run, number);
    }
}
