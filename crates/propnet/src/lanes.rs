//! Random playouts, one per lane.
//!
//! A sweep makes one step in every lane; all lanes are in the same phase. A lane whose playout has ended
//! takes the next waiting start that is in the current phase. Until then it is idle, and the values computed
//! in it are ignored. A playout's random draws depend only on its number and step, so results do not depend
//! on lane, vector width or refill order.

use crate::cpu::Kernels;
use crate::evaluator::{Phase, PhasePrograms};
use crate::net::PropNet;
use crate::prefer::Preferred;
use crate::program::{Layout, ONES, state_row};
use crate::rows::Row;
use crate::select::{Keys, Scratch};
use crate::state::BitState;
use ggp_game::{Goals, Move, Playout, PlayoutPlan, Role, StopToken, rng};

/// The rows and per-lane data of one machine.
#[derive(Clone, Debug)]
pub(crate) struct Lanes<const W: usize> {
    rows: Vec<Row<W>>,
    scratch: Scratch<W>,
    keys: Keys,
    /// The number of the playout in each lane.
    index: Vec<usize>,
    /// The sweep in which each lane's playout was in its first state.
    began: Vec<u64>,
    /// The lanes with a running playout.
    live: Row<W>,
    /// The lanes whose playouts apply the plan's move preference.
    preferring: Row<W>,
    sweep: u64,
    /// The goals by lane and role.
    goals: Vec<Goals>,
    /// Per lane, the moves made so far, if the plan records moves.
    record: Vec<Vec<Move>>,
    joint: Vec<Move>,
    template: Template,
    /// Per phase, the ended playouts whose goals are not evaluated yet.
    ended: Vec<Ended<W>>,
}

/// Ended playouts that wait for the evaluation of their goals, one per lane.
#[derive(Clone, Debug)]
struct Ended<const W: usize> {
    /// The state rows of the playouts' last states.
    states: Vec<Row<W>>,
    playouts: Vec<EndedPlayout>,
}

impl<const W: usize> Ended<W> {
    fn clear(&mut self) {
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

/// Measures where time goes: called at the end of each part of a sweep with that part.
pub(crate) type Observer<'a> = &'a mut dyn FnMut(SweepStep);

/// A part of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SweepStep {
    /// The gates of the terminal condition, the goals and the legal moves.
    Gates,
    /// The choice of moves.
    Choice,
    /// The gates of the next state.
    Next,
    /// Ending, recording and starting playouts.
    Bookkeeping,
}

/// Waiting starts of one phase.
struct Queue {
    starts: Vec<u32>,
    /// The next playout: the position of its start in `starts`, and how many playouts that start has had.
    next: (usize, usize),
    /// The number of playouts that have not begun.
    left: usize,
}

/// The state of one start in the form of rows: a word of 64 equal bits for each state row.
#[derive(Clone, Debug, Default)]
struct Template {
    start: Option<u32>,
    words: Vec<u64>,
}

/// The parameters of one run of playouts.
pub(crate) struct Run<'a> {
    pub(crate) net: &'a PropNet,
    pub(crate) programs: &'a PhasePrograms,
    pub(crate) kernels: Kernels,
    /// Per role, the machine's [`Move`] for each of the role's moves.
    pub(crate) moves: &'a [Vec<Move>],
    pub(crate) starts: &'a [BitState],
    /// Indices of the `starts` to play from; none of them is terminal.
    pub(crate) chosen: &'a [u32],
    pub(crate) plan: PlayoutPlan<'a>,
    /// The plan's preferred moves, as rows of these programs.
    pub(crate) preferred: Option<Preferred<'a>>,
}

impl<const W: usize> Lanes<W> {
    pub(crate) const LANES: usize = 64 * W;

    pub(crate) fn new(programs: &PhasePrograms, roles: usize) -> Lanes<W> {
        let mut rows = vec![Row::ZERO; programs.rows];
        rows[ONES as usize] = Row::ONES;
        Lanes {
            rows,
            scratch: Scratch::new(programs.scratch),
            keys: Keys::new(W),
            index: vec![0; Self::LANES],
            began: vec![0; Self::LANES],
            live: Row::ZERO,
            preferring: Row::ZERO,
            sweep: 0,
            goals: vec![Goals::None; Self::LANES * roles],
            record: vec![Vec::new(); Self::LANES],
            joint: vec![Move(0); Self::LANES * roles],
            template: Template::default(),
            ended: (0..if programs.defer.is_some() { programs.phases.len() } else { 0 })
                .map(|_| Ended { states: vec![Row::ZERO; programs.fluents.len()], playouts: Vec::new() })
                .collect(),
        }
    }

    /// Plays `run` to its end, or until `stop` is raised.
    pub(crate) fn play(
        &mut self,
        run: &Run<'_>,
        stop: &StopToken,
        sink: &mut dyn FnMut(Playout<'_>),
        mut observer: Option<Observer<'_>>,
    ) {
        let phases = &run.programs.phases;
        let mut queues: Vec<Queue> =
            phases.iter().map(|_| Queue { starts: Vec::new(), next: (0, 0), left: 0 }).collect();
        for &start in run.chosen {
            let phase = run.programs.phase_of(&run.starts[start as usize]).unwrap_or(0);
            queues[phase].starts.push(start);
            queues[phase].left += run.plan.per_start;
        }
        let mut waiting = run.chosen.len() * run.plan.per_start;
        self.live = Row::ZERO;
        self.sweep = 0;
        self.template.start = None;
        // The first sweep at which a playout may reach the step limit.
        let mut cut_off_at = u64::MAX;
        let mut observe = |part: SweepStep| {
            if let Some(observer) = &mut observer {
                observer(part);
            }
        };
        loop {
            if stop.is_stopped() {
                self.ended.iter_mut().for_each(Ended::clear);
                return;
            }
            let number = (self.sweep % phases.len() as u64) as usize;
            let phase = &phases[number];
            let late = phase.program.layout == Layout::Share;
            if waiting > 0 && late {
                waiting -= self.refill(run, &mut queues[number], &mut cut_off_at);
            }
            run.kernels.run_blocks(&phase.program.terminal_blocks, &phase.program.gates, &mut self.rows);
            observe(SweepStep::Gates);
            let (row, negated) = phase.program.terminal;
            let terminal = self.rows[row as usize].negated_if(negated) & self.live;
            let mut ended = terminal;
            if self.sweep >= cut_off_at {
                ended |= self.overdue(run.plan.max_steps, &mut cut_off_at);
            }
            if ended.any() {
                let flushed = self.end(run, number, ended, terminal, sink);
                if flushed && late {
                    let blocks = &phase.program.terminal_blocks;
                    run.kernels.run_blocks(blocks, &phase.program.gates, &mut self.rows);
                }
            }
            if waiting > 0 && !late {
                waiting -= self.refill(run, &mut queues[number], &mut cut_off_at);
            }
            observe(SweepStep::Bookkeeping);
            if !self.live.any() {
                if waiting == 0 {
                    for number in 0..self.ended.len() {
                        self.flush(run, number, sink);
                    }
                    return;
                }
                self.sweep += 1;
                continue;
            }
            run.kernels.run_blocks(&phase.program.legal_blocks, &phase.program.gates, &mut self.rows);
            observe(SweepStep::Gates);
            let stuck = self.choose(run, number);
            observe(SweepStep::Choice);
            if stuck.any() {
                self.end_stuck(run, number, stuck, sink);
                observe(SweepStep::Bookkeeping);
            }
            if run.plan.moves {
                self.record(run, phase);
                observe(SweepStep::Bookkeeping);
            }
            run.kernels.run_blocks(&phase.program.next_blocks, &phase.program.gates, &mut self.rows);
            observe(SweepStep::Next);
            self.sweep += 1;
        }
    }

    /// Starts playouts from `queue` in idle lanes. Returns how many.
    fn refill(&mut self, run: &Run<'_>, queue: &mut Queue, cut_off_at: &mut u64) -> usize {
        let left = queue.left;
        if left == 0 {
            return 0;
        }
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
        queue.left -= begun;
        *cut_off_at = (*cut_off_at).min(self.sweep + u64::from(run.plan.max_steps));
        begun
    }

    /// Writes the template into the lanes of `mask`, marks them as live, and clears the mask.
    fn write_states(&mut self, run: &Run<'_>, mask: &mut Row<W>) {
        if mask.any() {
            let first = state_row(0);
            let rows = &mut self.rows[first..first + run.programs.fluents.len()];
            run.kernels.write_states(rows, &self.template.words, mask);
            self.live |= *mask;
            *mask = Row::ZERO;
        }
    }

    /// The lanes whose playouts have reached the step limit.
    fn overdue(&self, max_steps: u32, cut_off_at: &mut u64) -> Row<W> {
        let mut overdue = Row::ZERO;
        *cut_off_at = u64::MAX;
        self.live.for_each_lane(|lane| {
            let due = self.began[lane] + u64::from(max_steps);
            if due <= self.sweep {
                overdue.set(lane);
            } else {
                *cut_off_at = (*cut_off_at).min(due);
            }
        });
        overdue
    }

    /// Passes the playouts of the lanes `ended` to `sink`, now or later. The terminal section must have
    /// just run. Returns whether sections other than the goal section have run since.
    fn end(
        &mut self,
        run: &Run<'_>,
        number: usize,
        ended: Row<W>,
        terminal: Row<W>,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> bool {
        self.live &= !ended;
        // Copying one state bit takes about as long as a gate.
        let copied = ended.count() * run.programs.fluents.len();
        if run.programs.defer.is_some_and(|gates| copied < gates) {
            return self.put_aside(run, number, ended, terminal, sink);
        }
        let program = &run.programs.phases[number].program;
        run.kernels.run_blocks(&program.goal_blocks, &program.gates, &mut self.rows);
        self.read_goals(run, number, ended);
        let roles = run.net.roles.len();
        ended.for_each_lane(|lane| {
            sink(Playout {
                index: self.index[lane],
                goals: &self.goals[lane * roles..][..roles],
                steps: (self.sweep - self.began[lane]) as u32,
                moves: if run.plan.moves { &self.record[lane] } else { &[] },
                terminal: terminal.has(lane),
            });
        });
        false
    }

    /// Reads the goals of `lanes` from the rows.
    fn read_goals(&mut self, run: &Run<'_>, number: usize, lanes: Row<W>) {
        let roles = run.net.roles.len();
        let goals = &run.programs.phases[number].program.goals;
        for (role, (rows, of_role)) in goals.iter().zip(&run.net.roles).enumerate() {
            let mut once = Row::ZERO;
            for (at, &(row, negated)) in rows.iter().enumerate() {
                let holding = self.rows[row as usize].negated_if(negated) & lanes;
                if !holding.any() {
                    continue;
                }
                // The row after those of the goals is that of `bad_goal`: a `goal` of an invalid value.
                let goal = of_role.goals.get(at).map(|&(goal, _)| goal);
                let alone = goal.map_or(Goals::None, Goals::One);
                (holding & !once).for_each_lane(|lane| self.goals[lane * roles + role] = alone);
                (holding & once).for_each_lane(|lane| {
                    let goals = &mut self.goals[lane * roles + role];
                    *goals = goals.and(goal);
                });
                once |= holding;
            }
            (lanes & !once).for_each_lane(|lane| self.goals[lane * roles + role] = Goals::None);
        }
    }

    /// Stores the last states of the lanes `ended`, for up to one playout per lane. Returns whether the
    /// playouts stored before had to be evaluated first to make room.
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
        let rows = &self.rows[first..first + states.len()];
        ended.for_each_lane(|lane| {
            let (word, bit) = (lane >> 6, lane & 63);
            let (to_word, to_bit) = (playouts.len() >> 6, playouts.len() & 63);
            for (row, state) in rows.iter().zip(states.iter_mut()) {
                state.0[to_word] |= (row.0[word] >> bit & 1) << to_bit;
            }
            playouts.push(EndedPlayout {
                index: self.index[lane],
                steps: (self.sweep - self.began[lane]) as u32,
                moves: std::mem::take(&mut self.record[lane]),
                terminal: terminal.has(lane),
            });
        });
        full
    }

    /// Evaluates the goals of the playouts stored in phase `number`. Restores the state rows; all other
    /// rows are overwritten.
    fn flush(&mut self, run: &Run<'_>, number: usize, sink: &mut dyn FnMut(Playout<'_>)) {
        let program = &run.programs.phases[number].program;
        let first = state_row(0);
        let count = self.ended[number].playouts.len();
        let mut lanes = Row::ZERO;
        (0..count).for_each(|lane| lanes.set(lane));
        self.rows[first..][..run.programs.fluents.len()].swap_with_slice(&mut self.ended[number].states);
        run.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        run.kernels.run_blocks(&program.goal_blocks, &program.gates, &mut self.rows);
        self.read_goals(run, number, lanes);
        let Ended { states, playouts } = &mut self.ended[number];
        self.rows[first..][..states.len()].swap_with_slice(states);
        states.fill(Row::ZERO);
        let roles = run.net.roles.len();
        for (lane, ended) in playouts.drain(..).enumerate() {
            sink(Playout {
                index: ended.index,
                goals: &self.goals[lane * roles..][..roles],
                steps: ended.steps,
                moves: &ended.moves,
                terminal: ended.terminal,
            });
        }
    }

    /// Chooses moves for all roles. Returns the lanes in which a role has no legal move.
    fn choose(&mut self, run: &Run<'_>, number: usize) -> Row<W> {
        let phase = &run.programs.phases[number];
        let mut stuck = Row::ZERO;
        for (place, (choice, tree)) in phase.program.choices.iter().zip(&phase.trees).enumerate() {
            let base = choice.base as usize;
            let some = match tree {
                Some(tree) => {
                    let end = base + choice.moves.len().next_multiple_of(crate::program::GROUP);
                    self.rows[base + choice.moves.len()..end].fill(Row::ZERO);
                    let counter = rng::counter(self.sweep as u32, Role(choice.role as u8));
                    let area = &mut self.rows[base..end];
                    if let Some(preferred) = &run.preferred {
                        preferred.narrow(number, place, area, self.preferring);
                    }
                    run.kernels.choose(area, tree, &mut self.scratch, &self.keys, counter)
                }
                None if choice.moves.is_empty() => Row::ZERO,
                None => self.rows[base],
            };
            if !choice.always {
                stuck |= self.live & !some;
            }
        }
        stuck
    }

    /// Ends the playouts in which a role has no legal move.
    fn end_stuck(&mut self, run: &Run<'_>, number: usize, stuck: Row<W>, sink: &mut dyn FnMut(Playout<'_>)) {
        // The goals may read rows that the legal section has overwritten, and the goal section may
        // overwrite rows that the next state reads. So all sections run again.
        let phase = &run.programs.phases[number];
        let program = &phase.program;
        run.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        self.end(run, number, stuck, Row::ZERO, sink);
        run.kernels.run_blocks(&program.terminal_blocks, &program.gates, &mut self.rows);
        run.kernels.run_blocks(&program.legal_blocks, &program.gates, &mut self.rows);
        self.choose(run, number);
    }

    /// Records the joint move of each lane.
    fn record(&mut self, run: &Run<'_>, phase: &Phase) {
        let roles = run.net.roles.len();
        for (choice, tree) in phase.program.choices.iter().zip(&phase.trees) {
            for at in 0..choice.moves.len() {
                let mv = phase.move_at(choice, at, run.moves);
                let made = if tree.is_some() { self.rows[choice.base as usize + at] } else { Row::ONES };
                (made & self.live).for_each_lane(|lane| self.joint[lane * roles + choice.role] = mv);
            }
        }
        self.live.for_each_lane(|lane| {
            self.record[lane].extend_from_slice(&self.joint[lane * roles..][..roles]);
        });
    }
}

impl Template {
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

#[cfg(test)]
mod tests;
