//! Random playouts one after the other, for searches that run one playout at a time.
//!
//! The programs are those of the lanes, evaluated over one byte per row instead of 512 bits: in most games
//! all rows then fit in the first-level cache. Random draws depend only on the seed, the playout's index and
//! the step, so the results equal those of the lanes. The generic loop of [`ggp_game::StepwisePlayouts`]
//! cannot replace this one: its queries evaluate one section each, and at each step they convert the rows to
//! a state and to lists of moves. Here a state stays in its rows from the first step to the last.

use crate::cpu::Kernels;
use crate::evaluator::{Phase, PhasePrograms};
use crate::lanes::Run;
use crate::program::{ONES, Program, state_row};
use ggp_game::{Goals, Move, Playout, Role, StopToken, rng};

/// The rows and buffers of a single playout.
#[derive(Clone, Debug)]
pub(crate) struct SinglePlayouts {
    rows: Vec<u8>,
    goals: Vec<Goals>,
    moves: Vec<Move>,
    joint: Vec<Move>,
}

/// The reason why a playout ends.
enum End {
    Terminal,
    /// The playout has reached the step limit.
    CutOff,
    /// A role has no legal move.
    Stuck,
}

impl SinglePlayouts {
    pub(crate) fn new(programs: &PhasePrograms, roles: usize) -> SinglePlayouts {
        let mut rows = vec![0; programs.rows];
        rows[ONES as usize] = !0;
        SinglePlayouts {
            rows,
            goals: vec![Goals::None; roles],
            moves: Vec::new(),
            joint: vec![Move(0); roles],
        }
    }

    /// Plays `run` to its end, or until `stop` is raised.
    pub(crate) fn play(&mut self, run: &Run<'_>, stop: &StopToken, sink: &mut dyn FnMut(Playout<'_>)) {
        for &start in run.chosen {
            for repeat in 0..run.plan.per_start {
                if stop.is_stopped() {
                    return;
                }
                self.play_one(run, start as usize, repeat, sink);
            }
        }
    }

    fn play_one(&mut self, run: &Run<'_>, start: usize, repeat: usize, sink: &mut dyn FnMut(Playout<'_>)) {
        let state = &run.starts[start];
        let fluents = &run.programs.fluents;
        for (row, &fluent) in self.rows[state_row(0)..][..fluents.len()].iter_mut().zip(fluents) {
            *row = if state.has(fluent as usize) { !0 } else { 0 };
        }
        self.rows[state_row(fluents.len())..][..run.programs.kept_rows].fill(0);
        let index = start * run.plan.per_start + repeat;
        let playout = run.plan.first.wrapping_add(index as u64);
        let key = rng::Stream::new(run.plan.seed, playout).key();
        let preferred = run.preferred.as_ref().filter(|preferred| preferred.applies(playout));
        let phases = &run.programs.phases;
        let mut number = run.programs.phase_of(state).unwrap_or(0);
        let mut steps = 0;
        self.moves.clear();
        let end = loop {
            let phase = &phases[number];
            let program = &phase.program;
            Kernels::run_packed(&program.terminal_blocks, &program.gates, &mut self.rows);
            let (row, negated) = program.terminal;
            if (self.rows[row as usize] != 0) != negated {
                break End::Terminal;
            }
            if steps == run.plan.max_steps {
                break End::CutOff;
            }
            Kernels::run_packed(&program.legal_blocks, &program.gates, &mut self.rows);
            if let Some(preferred) = preferred {
                for (place, choice) in program.choices.iter().enumerate() {
                    let legal = &mut self.rows[choice.base as usize..][..choice.moves.len()];
                    preferred.narrow(number, place, legal, !0);
                }
            }
            if !self.choose(run, phase, key, steps) {
                break End::Stuck;
            }
            Kernels::run_packed(&program.next_blocks, &program.gates, &mut self.rows);
            steps += 1;
            number = if number + 1 == phases.len() { 0 } else { number + 1 };
        };
        let program = &phases[number].program;
        if let End::Stuck = end {
            // The legal section may have overwritten rows that the goals read.
            Kernels::run_packed(&program.terminal_blocks, &program.gates, &mut self.rows);
        }
        Kernels::run_packed(&program.goal_blocks, &program.gates, &mut self.rows);
        self.read_goals(run, program);
        let terminal = matches!(end, End::Terminal);
        sink(Playout { index, goals: &self.goals, steps, moves: &self.moves, terminal });
    }

    /// Chooses a move for every role. Returns whether every role has a legal move.
    fn choose(&mut self, run: &Run<'_>, phase: &Phase, key: u64, step: u32) -> bool {
        for (choice, tree) in phase.program.choices.iter().zip(&phase.trees) {
            let area = &mut self.rows[choice.base as usize..][..choice.moves.len()];
            let chosen = if tree.is_some() {
                let legal = area.iter().map(|&row| u32::from(row & 1)).sum();
                let rank = rng::below(rng::bits(key, step, Role(choice.role as u8)), legal);
                choose_rank(area, rank)
            } else {
                (!area.is_empty() && (choice.always || area[0] != 0)).then_some(0)
            };
            if let (Some(at), Some(sets)) = (chosen, &choice.sets) {
                self.rows[sets.rows.start as usize..sets.rows.end as usize].fill(0);
                for &row in sets.of(at) {
                    self.rows[row as usize] = !0;
                }
            }
            match chosen {
                Some(at) if run.plan.moves => {
                    self.joint[choice.role] = phase.move_at(choice, at, run.moves);
                }
                Some(_) => {}
                None => return false,
            }
        }
        if run.plan.moves {
            self.moves.extend_from_slice(&self.joint);
        }
        true
    }

    fn read_goals(&mut self, run: &Run<'_>, program: &Program) {
        for ((out, rows), of_role) in self.goals.iter_mut().zip(&program.goals).zip(&run.net.roles) {
            // The last row belongs to `bad_goal`: a `goal` whose value is invalid.
            let goals = of_role.goals.iter().map(|&(goal, _)| Some(goal)).chain([None]);
            let holding = rows
                .iter()
                .zip(goals)
                .filter(|&(&(row, negated), _)| (self.rows[row as usize] != 0) != negated);
            *out = Goals::of(holding.map(|(_, goal)| goal));
        }
    }
}

/// Keeps one of the set rows of `area`, the one that has `rank` set rows before it, and clears all other
/// rows. Returns the index of the row that is kept. `None` if `area` has no more than `rank` set rows.
fn choose_rank(area: &mut [u8], rank: u32) -> Option<usize> {
    let mut left = rank;
    let mut chosen = None;
    // Eight rows at a time: each byte of a word is all ones or all zeros.
    let mut chunks = area.chunks_exact_mut(8);
    let mut first = 0;
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(std::array::from_fn(|at| chunk[at])) & 0x0101_0101_0101_0101;
        let here = word.count_ones();
        if chosen.is_none() && left < here {
            let place = (0..left).fold(word, |word, _| word & (word - 1)).trailing_zeros() as usize / 8;
            chunk.fill(0);
            chunk[place] = !0;
            chosen = Some(first + place);
        } else {
            if chosen.is_none() {
                left -= here;
            }
            chunk.fill(0);
        }
        first += 8;
    }
    for (at, row) in chunks.into_remainder().iter_mut().enumerate() {
        if *row == 0 {
            continue;
        }
        if chosen.is_none() && left == 0 {
            chosen = Some(first + at);
        } else {
            left = left.saturating_sub(u32::from(chosen.is_none()));
            *row = 0;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::choose_rank;

    #[test]
    fn the_row_of_the_rank_is_left() {
        for len in 1..40usize {
            for density in 1..5 {
                let area: Vec<u8> = (0..len).map(|at| if at % density == 0 { !0 } else { 0 }).collect();
                let legal: Vec<usize> = (0..len).filter(|&at| area[at] != 0).collect();
                for (rank, &place) in legal.iter().enumerate() {
                    let mut chosen = area.clone();
                    assert_eq!(choose_rank(&mut chosen, rank as u32), Some(place));
                    let set: Vec<usize> = (0..len).filter(|&at| chosen[at] != 0).collect();
                    assert_eq!(set, [place]);
                }
            }
        }
        assert_eq!(choose_rank(&mut [0; 11], 0), None);
    }
}
