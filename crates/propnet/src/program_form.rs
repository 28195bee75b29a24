//! The checks of decoded programs: every row, gate, move and fluent that the kernels use exists.
//!
//! Programs are serialised as they are, apart from what follows from the rest. A decoded program is unusable
//! until it has passed these checks: they also compute the fields that are not serialised.

use crate::encoding::{DecodeError, require};
use crate::evaluator::{Phase, PhasePrograms};
use crate::gate::{Gate, Literal};
use crate::net::{NetRole, PropNet};
use crate::program::{Block, FIRST_STATE, GROUP, Layout, Program, Run};
use crate::select::{LEAF_MOVES, has_many};

/// The largest number of rows of a program.
const MAX_ROWS: usize = 1 << 31;

impl Program {
    /// Checks a decoded program of the outputs of `roles`, with a state row for each of `fluents` fluents, `kept`
    /// rows of unknowns that are kept from step to step, and a move row for each of the `moves` of each role.
    /// Completes the program.
    ///
    /// # Errors
    /// When the program is no program of these outputs.
    pub(crate) fn checked(
        mut self,
        roles: &[NetRole],
        fluents: usize,
        kept: usize,
        moves: &[usize],
    ) -> Result<Program, DecodeError> {
        let keep = self.layout == Layout::Keep;
        let moves_end = self.check_choices(fluents + kept, moves)?;
        let unknowns = self.check_blocks()?;
        // Each gate and each unknown takes at most one row of its own.
        let enough = moves_end + self.gates.len() + unknowns;
        require(
            (moves_end..=enough).contains(&self.live_rows) && self.live_rows <= MAX_ROWS,
            "rows of a program",
        )?;
        self.rows = self.live_rows.next_power_of_two();
        self.check_gates()?;
        self.check_leaves()?;
        let lengths = |lists: &[Vec<Literal<u32>>], length: &dyn Fn(&NetRole) -> usize| {
            lists.len() == roles.len()
                && lists.iter().zip(roles).all(|(list, role)| list.len() == length(role))
        };
        require(lengths(&self.goals, &|role| role.goals.len() + 1), "goals of a program")?;
        if keep {
            require(lengths(&self.legal, &|role| role.moves.len()), "legal moves of a program")?;
            require(lengths(&self.percepts, &|role| role.sees.len()), "percepts of a program")?;
            require(self.next.len() == fluents, "next fluents of a program")?;
        } else {
            let others = self.legal.len() + self.percepts.len() + self.next.len();
            require(others == 0, "outputs of a program for playouts")?;
        }
        require(self.outputs_exist(), "an output of a program")?;
        Ok(self)
    }

    /// The number of unknowns that start with the values of an earlier step.
    fn kept_unknowns(&self) -> usize {
        let of_block = |block: &Block| match block {
            Block::Loop { unknowns, is_kept: true, .. } => unknowns.len(),
            Block::Loop { .. } | Block::Run(_) | Block::Guard { .. } => 0,
        };
        self.blocks().map(of_block).sum()
    }

    fn outputs_exist(&self) -> bool {
        let lists = self.goals.iter().chain(&self.legal).chain(&self.percepts).chain(&self.verdicts);
        let mut literals = lists.flatten().chain(&self.next).chain([&self.terminal]);
        literals.all(|&(row, _)| (row as usize) < self.live_rows)
    }

    /// Checks the move rows of the roles, which stand behind `rows` state rows and kept rows, and the rows of sets
    /// behind them. Returns the end of the last one.
    fn check_choices(&self, rows: usize, moves: &[usize]) -> Result<usize, DecodeError> {
        const FAULT: &str = "move rows of a program";
        require(self.choices.len() == moves.len(), FAULT)?;
        let mut end = FIRST_STATE as usize + rows;
        for (number, (choice, &moves)) in self.choices.iter().zip(moves).enumerate() {
            let base = choice.base as usize;
            require(choice.role == number && base == end.next_multiple_of(GROUP), FAULT)?;
            require(choice.moves.iter().copied().eq(0..moves as u32), FAULT)?;
            end = base + moves.next_multiple_of(GROUP);
        }
        for choice in &self.choices {
            if let Some(sets) = &choice.sets {
                require(sets.rows.start as usize == end && sets.rows.end >= sets.rows.start, FAULT)?;
                end = sets.rows.end as usize;
                let is_complete = sets.ends.len() == choice.moves.len()
                    && sets.ends.is_sorted()
                    && sets.ends.last().map_or(0, |&end| end as usize) == sets.of_moves.len();
                require(is_complete && sets.of_moves.iter().all(|row| sets.rows.contains(row)), FAULT)?;
            }
        }
        Ok(end)
    }

    /// Checks that the blocks run each gate once, in order. Returns the number of unknowns of their loops.
    fn check_blocks(&self) -> Result<usize, DecodeError> {
        let (mut end, mut unknowns) = (0, 0);
        let mut follows = |run: &Run| {
            let follows = run.gates.start == end && run.gates.end >= end;
            end = run.gates.end;
            require(follows, "gates of a program")
        };
        for block in self.blocks() {
            match block {
                Block::Run(run) => follows(run)?,
                Block::Loop { body, unknowns: of_loop, .. } => {
                    body.iter().try_for_each(&mut follows)?;
                    unknowns += of_loop.len();
                }
                Block::Guard { .. } => {}
            }
        }
        require(end as usize == self.gates.len(), "gates of a program")?;
        Ok(unknowns)
    }

    /// Checks the blocks that may run leaf by leaf: they are the last ones of the legal moves, and those of each leaf
    /// compute its rows and no others. [`Program::check_choices`] and [`Program::check_blocks`] come before.
    fn check_leaves(&self) -> Result<(), DecodeError> {
        const FAULT: &str = "leaves of a program";
        let mut end = self.blocks_before_leaves().len();
        for choice in &self.choices {
            let Some(leaves) = &choice.leaves else { continue };
            let last = choice.base + choice.moves.len().next_multiple_of(GROUP) as u32;
            let many = choice.sets.is_some() && has_many(choice.moves.len());
            require(many && leaves.first as usize == end, FAULT)?;
            let mut row = choice.base;
            for &next in &leaves.ends {
                let blocks = self.legal_blocks.get(end..next as usize).unwrap_or_default();
                let runs: Vec<&Run> = blocks.iter().filter_map(Block::run).collect();
                require(runs.len() == blocks.len(), FAULT)?;
                let gates =
                    runs.iter().flat_map(|run| &self.gates[run.gates.start as usize..run.gates.end as usize]);
                let mut rows: Vec<u32> = gates.map(Gate::out).collect();
                rows.sort_unstable();
                let until = last.min(row + LEAF_MOVES as u32);
                require(rows.into_iter().eq(row..until), FAULT)?;
                (row, end) = (until, next as usize);
            }
            require(row == last, FAULT)?;
        }
        require(end == self.legal_blocks.len(), FAULT)
    }

    /// Checks the rows of all gates and unknowns. No gate writes to the two constant rows.
    fn check_gates(&self) -> Result<(), DecodeError> {
        let rows = self.live_rows as u32;
        let writable = |row: u32| (FIRST_STATE..rows).contains(&row);
        let is_valid = |gate: &Gate| writable(gate.out()) && gate.inputs().iter().all(|&input| input < rows);
        require(self.gates.iter().all(is_valid), "a gate")?;
        let valid_block = |block: &Block| match block {
            Block::Run(_) => true,
            Block::Loop { unknowns, .. } => {
                unknowns.iter().all(|&(unknown, (value, _))| writable(unknown) && value < rows)
            }
            Block::Guard { guard, zero, .. } => *guard < rows && zero.is_none_or(writable),
        };
        require(self.blocks().all(valid_block), "an unknown or a guard of a program")?;
        require(self.sections().into_iter().all(guards_stay_inside), "the blocks of a guard")
    }
}

impl PhasePrograms {
    /// Checks decoded programs of `net`, and completes them.
    ///
    /// # Errors
    /// When the programs are no programs of this network.
    pub(crate) fn checked(mut self, net: &PropNet) -> Result<PhasePrograms, DecodeError> {
        let fluents = net.fluents.len();
        require(is_subset(&self.fluents, fluents), "fluents of the playouts")?;
        let values = |list: &[(u32, bool)]| list.iter().all(|&(fluent, _)| (fluent as usize) < fluents);
        require(values(&self.constants), "constant fluents")?;
        require(!self.phases.is_empty(), "no phases")?;
        let state_rows = self.fluents.len();
        let kept: usize = self.phases.iter().map(|phase| phase.program.kept_unknowns()).sum();
        require(self.kept_rows <= kept, "kept rows of the programs")?;
        let check = |phase: Phase| {
            require(values(&phase.fixed), "fluents of a phase")?;
            let known = phase.moves.len() == net.roles.len()
                && phase.moves.iter().zip(&net.roles).all(|(moves, role)| is_subset(moves, role.moves.len()));
            require(known, "moves of a phase")?;
            require(phase.program.layout != Layout::Keep, "layout of a program")?;
            let moves: Vec<usize> = phase.moves.iter().map(Vec::len).collect();
            Ok(Phase {
                program: phase.program.checked(&net.roles, state_rows, self.kept_rows, &moves)?,
                ..phase
            })
        };
        self.phases = self.phases.into_iter().map(check).collect::<Result<_, _>>()?;
        Ok(self.completed())
    }
}

/// Whether each guard of `section` leaves out blocks of this section only, and no other guard.
fn guards_stay_inside(section: &[Block]) -> bool {
    section.iter().enumerate().all(|(at, block)| match block {
        Block::Guard { blocks, .. } => {
            let left_out = section[at + 1..].get(..*blocks as usize);
            left_out.is_some_and(|blocks| !blocks.iter().any(|block| matches!(block, Block::Guard { .. })))
        }
        Block::Run(_) | Block::Loop { .. } => true,
    })
}

/// Whether `list` is in ascending order, without repetition, and below `end`.
fn is_subset(list: &[u32], end: usize) -> bool {
    list.is_sorted_by(|one, two| one < two) && list.last().is_none_or(|&last| (last as usize) < end)
}
