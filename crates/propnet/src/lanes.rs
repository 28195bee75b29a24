//! Random playouts, one in each lane. A lane is one bit position of every row.
//!
//! A sweep plays one step in every lane. All lanes are in the same phase. A lane whose playout has ended is
//! idle, and the values computed in it are ignored, until it begins a waiting playout. The start state of
//! that playout must belong to the current phase. A playout's random draws depend only on the seed, the
//! playout's index and the step, so results do not depend on the lane of a playout, on the vector width or on
//! the order in which idle lanes take playouts.

mod ended;
mod outcomes;
mod start;
mod together;

use self::ended::Ended;
pub(crate) use self::outcomes::Outcomes;
use self::start::{Queue, Template};
use self::together::Together;
use crate::cpu::Kernels;
use crate::evaluator::{Phase, PhasePrograms};
use crate::leaves::{ByLeaf, LeafGates, LegalRows};
use crate::net::PropNet;
use crate::prefer::Preferred;
use crate::program::{Choice, GROUP, Layout, ONES, SetRows};
use crate::rows::Row;
use crate::select::{Keys, LEAF_MOVES, NO_MOVE, Scratch, some_of};
use crate::state::BitState;
use ggp_game::{Move, Playout, PlayoutPlan, Role, StopToken, rng};

/// The rows and per-lane data of one machine.
#[derive(Clone, Debug)]
pub(crate) struct Lanes<const W: usize> {
    rows: Vec<Row<W>>,
    scratch: Scratch<W>,
    keys: Keys,
    /// For each lane, its playout.
    playing: Vec<Playing>,
    /// The lanes with a running playout.
    live: Row<W>,
    /// The lanes whose playouts apply the preference [`PlayoutPlan::preferred`].
    preferring: Row<W>,
    sweep: u64,
    outcomes: Outcomes<W>,
    /// For each lane, the moves that its playout has made. Used only if [`PlayoutPlan::moves`] is set.
    record: Vec<Vec<Move>>,
    /// For each role and each lane, the index of the row of the chosen move. Used only for choices with
    /// [`Choice::sets`](crate::program::Choice::sets).
    chosen: Vec<Vec<u32>>,
    joint: Vec<Move>,
    template: Template,
    /// For each phase, the ended playouts whose goals are not evaluated yet.
    ended: Vec<Ended<W>>,
}

/// The playout of a lane.
#[derive(Clone, Copy, Default, Debug)]
struct Playing {
    index: usize,
    /// The index of the sweep in which the playout began.
    began: u64,
}

/// A callback for measuring time. It is called at the end of each part of a sweep, and receives that part.
pub(crate) type Observer<'a> = &'a mut dyn FnMut(SweepStep);

/// A part of a sweep. A sweep plays one step of all playouts that run at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SweepStep {
    /// The gates of the terminal condition, the goals and the legal moves.
    Gates,
    /// The choice of moves.
    Choice,
    /// The gates of the next state.
    Next,
    /// The ending, recording and starting of playouts.
    Bookkeeping,
}

/// The parameters of one run of playouts.
pub(crate) struct Run<'a> {
    pub(crate) net: &'a PropNet,
    pub(crate) programs: &'a PhasePrograms,
    pub(crate) kernels: Kernels,
    /// The moves of each role as [`Move`] values, in the order of `net`.
    pub(crate) moves: &'a [Vec<Move>],
    pub(crate) starts: &'a [BitState],
    /// The indices of those states in `starts` from which playouts begin. None of these states is terminal.
    pub(crate) chosen: &'a [u32],
    pub(crate) plan: PlayoutPlan<'a>,
    /// The preferred moves of `plan`, with their rows in `programs`. `None` if `plan` has no preferred moves.
    pub(crate) preferred: Option<Preferred<'a>>,
}

impl<const W: usize> Lanes<W> {
    pub(crate) const LANES: usize = 64 * W;

    pub(crate) fn new(programs: &PhasePrograms, roles: usize) -> Lanes<W> {
        let mut rows = vec![Row::ZERO; programs.rows + programs.shared_rows];
        rows[ONES as usize] = Row::ONES;
        Lanes {
            rows,
            scratch: Scratch::new(programs.scratch),
            keys: Keys::new(W),
            playing: vec![Playing::default(); Self::LANES],
            live: Row::ZERO,
            preferring: Row::ZERO,
            sweep: 0,
            outcomes: Outcomes::default(),
            record: vec![Vec::new(); Self::LANES],
            chosen: vec![vec![NO_MOVE; Self::LANES]; roles],
            joint: vec![Move(0); Self::LANES * roles],
            template: Template::default(),
            ended: (0..if programs.defer.is_some() { programs.phases.len() } else { 0 })
                .map(|_| Ended::new(programs.fluents.len() + programs.kept_rows))
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
        let mut queues = Queue::of_phases(run);
        let mut waiting = run.chosen.len() * run.plan.per_start;
        self.live = Row::ZERO;
        self.sweep = 0;
        self.template.clear();
        let mut together = Together::new(run.programs.together);
        // The first sweep in which a playout may reach the step limit.
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
            let held_back = together.holds_back(&self.live);
            if waiting > 0 && late && !held_back {
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
            if waiting > 0 && !late && !(held_back && self.live.any()) {
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
            run.kernels.run_blocks(
                phase.program.blocks_before_leaves(),
                &phase.program.gates,
                &mut self.rows,
            );
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

    /// The lanes whose playouts have reached the limit of steps.
    fn overdue(&self, max_steps: u32, cut_off_at: &mut u64) -> Row<W> {
        let mut overdue = Row::ZERO;
        *cut_off_at = u64::MAX;
        self.live.for_each_lane(|lane| {
            let due = self.playing[lane].began + u64::from(max_steps);
            if due <= self.sweep {
                overdue.set(lane);
            } else {
                *cut_off_at = (*cut_off_at).min(due);
            }
        });
        overdue
    }

    /// Chooses a move for every role in every lane. Returns the lanes in which some role has no legal move.
    fn choose(&mut self, run: &Run<'_>, number: usize) -> Row<W> {
        let phase = &run.programs.phases[number];
        let mut stuck = Row::ZERO;
        for (place, (choice, tree)) in phase.program.choices.iter().zip(&phase.trees).enumerate() {
            let counter = rng::counter(self.sweep as u32, Role(choice.role as u8));
            let some = match (tree, &choice.sets) {
                (None, _) if choice.moves.is_empty() => Row::ZERO,
                (None, _) => self.rows[choice.base as usize],
                (Some(tree), None) => {
                    let area = legal_rows(run, number, place, &mut self.rows, self.preferring);
                    run.kernels.choose(area, tree, &mut self.scratch, &self.keys, counter)
                }
                (Some(tree), Some(sets)) => {
                    let (rows, chosen) = (&mut self.rows, &mut self.chosen[choice.role]);
                    let mut legal = if let Some(gates) = &phase.leaves[place] {
                        LegalRows::ByLeaf(by_leaf(run, number, place, gates, rows, self.preferring))
                    } else {
                        let area = legal_rows(run, number, place, rows, self.preferring);
                        LegalRows::Computed(area.as_chunks().0)
                    };
                    let some =
                        run.kernels.find(&mut legal, tree, &mut self.scratch, &self.keys, counter, chosen);
                    set_rows(&mut self.rows, sets, chosen);
                    some
                }
            };
            if !choice.always {
                stuck |= self.live & !some;
            }
        }
        stuck
    }

    /// Records the joint move of each lane.
    fn record(&mut self, run: &Run<'_>, phase: &Phase) {
        let roles = run.net.roles.len();
        for (choice, tree) in phase.program.choices.iter().zip(&phase.trees) {
            if choice.sets.is_some() {
                let chosen = &self.chosen[choice.role];
                self.live.for_each_lane(|lane| {
                    let mv = phase.move_at(choice, chosen[lane] as usize, run.moves);
                    self.joint[lane * roles + choice.role] = mv;
                });
                continue;
            }
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

/// The move rows of `choice` in whole groups. Those that fill the last group become false.
pub(crate) fn move_rows<'a, const W: usize>(rows: &'a mut [Row<W>], choice: &Choice) -> &'a mut [Row<W>] {
    let moves = choice.moves.len();
    let area = &mut rows[choice.base as usize..][..moves.next_multiple_of(GROUP)];
    area[moves..].fill(Row::ZERO);
    area
}

/// The move rows of the choice `place` in the phase `number`, restricted to preferred moves where playouts apply the
/// preference.
fn legal_rows<'a, const W: usize>(
    run: &Run<'_>,
    number: usize,
    place: usize,
    rows: &'a mut [Row<W>],
    preferring: Row<W>,
) -> &'a mut [Row<W>] {
    let area = move_rows(rows, &run.programs.phases[number].program.choices[place]);
    if let Some(preferred) = &run.preferred {
        preferred.narrow(number, place, area, preferring);
    }
    area
}

/// The same rows, computed leaf by leaf by `gates`.
fn by_leaf<'a, const W: usize>(
    run: &'a Run<'_>,
    number: usize,
    place: usize,
    gates: &'a LeafGates,
    rows: &'a mut [Row<W>],
    preferring: Row<W>,
) -> ByLeaf<'a, W> {
    let preferred = run.preferred.as_ref().filter(|_| preferring.any());
    let narrowed = preferred.map(|preferred| {
        let preferred = preferred.of(number, place);
        let mut some = Row::ZERO;
        for (leaf, preferred) in preferred.chunks(LEAF_MOVES).enumerate() {
            if preferred.contains(&true) {
                let (blocks, all) = gates.of(leaf);
                run.kernels.run_blocks(blocks, all, rows);
                some |= some_of(&rows[gates.rows(leaf)], preferred);
            }
        }
        (preferred, !(some & preferring))
    });
    ByLeaf { gates, rows, narrowed }
}

/// Sets the rows of `sets` for the move that each lane has chosen.
pub(crate) fn set_rows<const W: usize>(rows: &mut [Row<W>], sets: &SetRows, chosen: &[u32]) {
    rows[sets.rows.start as usize..sets.rows.end as usize].fill(Row::ZERO);
    for (lane, &at) in chosen.iter().enumerate().filter(|&(_, &at)| at != NO_MOVE) {
        for &row in sets.of(at as usize) {
            rows[row as usize].set(lane);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
