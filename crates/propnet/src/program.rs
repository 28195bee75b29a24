//! Programs: gates in execution order, with a row for each value.
//!
//! The rows of a program are, in this order: 0 (false in all lanes), 1 (true in all lanes), the state bits,
//! unknowns that are kept from step to step, one row per move of each role (before the choice, whether the move
//! is legal; after the choice, whether it is chosen), one row per set of moves of the roles with many moves (see
//! [`SetRows`]), and intermediate values. Intermediate values share rows, so that few rows are live at a time and
//! stay in the first-level cache.

use crate::gate::{Gates, Kind, Literal};
use crate::latch::Kept;
use crate::net::PropNet;
use crate::node::Signal;
use crate::steps::Steps;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Row 0: false in every lane.
pub(crate) const ZEROS: u32 = 0;
/// Row 1: true in every lane.
pub(crate) const ONES: u32 = 1;
/// The row of the first state bit.
pub(crate) const FIRST_STATE: u32 = 2;
/// Each role's move rows are padded to a multiple of this number.
pub(crate) const GROUP: usize = 8;

/// A run: consecutive gates of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) kind: Kind,
    pub(crate) gates: Range<u32>,
}

/// A unit of evaluation: a run of gates, or a loop for a fixpoint component.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Block {
    Run(Run),
    /// Computes a least fixpoint: the body repeats until no unknown changes.
    Loop {
        body: Vec<Run>,
        /// The row of each unknown, and the literal of its new value.
        unknowns: Vec<(u32, Literal<u32>)>,
        /// Whether the unknowns start with the values of an earlier step of the same playout, see [`Kept`].
        /// Otherwise they start as false.
        is_kept: bool,
    },
    /// Leaves out the next blocks if the guard is false in all lanes.
    Guard {
        /// The row of the guard.
        guard: u32,
        /// The number of blocks that are left out.
        blocks: u32,
        /// The row that becomes false in all lanes if the blocks are left out.
        zero: Option<u32>,
    },
}

/// The move rows of one role, among which one move is chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Choice {
    pub(crate) role: usize,
    /// The first of the role's move rows.
    pub(crate) base: u32,
    /// For each row, its move as an index into the role's moves.
    pub(crate) moves: Vec<u32>,
    /// Whether the role is known to have a legal move in every state.
    pub(crate) always: bool,
    /// The rows by which gates read the choice. `None` if they read the move rows.
    pub(crate) sets: Option<SetRows>,
    /// The blocks of the last gates of the legal moves, if they may run leaf by leaf (see [`crate::leaves`]).
    pub(crate) leaves: Option<LeafBlocks>,
}

/// For each leaf of a role's move rows, its blocks among the blocks of the legal moves. They are the last ones, and
/// each writes only rows of its leaf.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LeafBlocks {
    /// The index of the first block of the first leaf.
    pub(crate) first: u32,
    /// The end of the blocks of each leaf, which begin where those of the leaf before end.
    pub(crate) ends: Vec<u32>,
}

impl LeafBlocks {
    /// The end of the blocks of the last leaf.
    pub(crate) fn last(&self) -> u32 {
        self.ends.last().copied().unwrap_or(self.first)
    }
}

/// The rows of sets of a role's moves. After the choice, a row says whether the chosen move is in the set. The
/// choice among many moves sets the few rows of the chosen move, and gates would have to look at all moves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SetRows {
    /// The rows of the sets.
    pub(crate) rows: Range<u32>,
    /// For each move row, the end of its part of [`SetRows::of_moves`], which begins where that of the row before
    /// ends.
    pub(crate) ends: Vec<u32>,
    /// For each move row, the rows of the sets that contain its move.
    pub(crate) of_moves: Vec<u32>,
}

impl SetRows {
    /// The rows of `sets`, lists of move rows, from the row `first` on. There are `moves` move rows.
    pub(crate) fn new(first: u32, moves: usize, sets: &[Vec<u32>]) -> SetRows {
        let mut ends = vec![0; moves + 1];
        for &member in sets.iter().flatten() {
            ends[member as usize + 1] += 1;
        }
        for at in 1..=moves {
            ends[at] += ends[at - 1];
        }
        let mut of_moves = vec![0; ends[moves] as usize];
        for (row, members) in (first..).zip(sets) {
            for &member in members {
                let place = &mut ends[member as usize];
                of_moves[*place as usize] = row;
                *place += 1;
            }
        }
        // Each entry has moved from the start of its part to the end.
        ends.pop();
        SetRows { rows: first..first + sets.len() as u32, ends, of_moves }
    }

    /// The rows of the sets that contain the move of the move row `at`.
    #[inline]
    pub(crate) fn of(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.of_moves[start as usize..self.ends[at] as usize]
    }
}

/// How a program uses its rows. The layout decides which values of earlier sections a section may read. The
/// sections of a program are the terminal condition, the goals, the legal moves and the next state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Layout {
    /// For playouts: rows are reused. The legal section reads no values of the terminal section, because a
    /// lane may get the start state of another playout between the two sections.
    Refill,
    /// For playouts: rows are reused. The legal section may read values of the terminal section, so a lane
    /// gets another playout only before the terminal section.
    Share,
    /// For single states: every value has a row of its own.
    Keep,
}

/// The outputs of a network that a program computes.
pub(crate) struct Outputs<'a> {
    pub(crate) net: &'a PropNet,
    /// The fluents that have a state row, in ascending order.
    pub(crate) fluents: &'a [u32],
    /// For each role, the moves that have a row.
    pub(crate) moves: Vec<Vec<u32>>,
    /// Whether percepts are computed, together with the next state.
    pub(crate) percepts: bool,
    /// The unknowns that are kept from step to step. They must be false where a playout begins.
    pub(crate) kept: Kept,
    /// For each role, further signals that are computed with the legal moves (see [`Specialised::verdicts`]).
    ///
    /// [`Specialised::verdicts`]: crate::specialise::Specialised::verdicts
    pub(crate) verdicts: &'a [Vec<Signal>],
}

/// Compiled gates that evaluate a network, or one phase of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) gates: Gates,
    pub(crate) terminal_blocks: Vec<Block>,
    pub(crate) goal_blocks: Vec<Block>,
    pub(crate) legal_blocks: Vec<Block>,
    pub(crate) next_blocks: Vec<Block>,
    pub(crate) terminal: Literal<u32>,
    /// For each role, one literal for each goal value, and as the last entry the literal of `bad_goal`:
    /// whether a goal with an invalid value holds.
    pub(crate) goals: Vec<Vec<Literal<u32>>>,
    /// For each role and each move of [`Outputs::moves`], the literal that says whether the move is legal. It
    /// is used with [`Layout::Keep`]; in other layouts that value is in the move's own row.
    pub(crate) legal: Vec<Vec<Literal<u32>>>,
    /// The literals of [`Outputs::verdicts`].
    pub(crate) verdicts: Vec<Vec<Literal<u32>>>,
    /// For each fluent of [`Outputs::fluents`], the literal of its next value. It is used with
    /// [`Layout::Keep`]; in other layouts the next-state section overwrites the state rows.
    pub(crate) next: Vec<Literal<u32>>,
    /// Per role, the literal of each percept.
    pub(crate) percepts: Vec<Vec<Literal<u32>>>,
    pub(crate) choices: Vec<Choice>,
    /// The number of rows to allocate: a power of two. It follows from [`Program::live_rows`] and is not
    /// serialised.
    #[serde(skip)]
    pub(crate) rows: usize,
    /// The number of rows in use.
    pub(crate) live_rows: usize,
    pub(crate) layout: Layout,
    /// The number of gates after each compilation step.
    pub(crate) steps: Steps,
}

/// The row of the state bit at `position` in [`Outputs::fluents`].
pub(crate) fn state_row(position: usize) -> usize {
    FIRST_STATE as usize + position
}

impl Block {
    /// The run that the block is.
    pub(crate) fn run(&self) -> Option<&Run> {
        match self {
            Block::Run(run) => Some(run),
            Block::Loop { .. } | Block::Guard { .. } => None,
        }
    }
}

impl Program {
    /// The blocks of the legal moves without those that may run leaf by leaf.
    pub(crate) fn blocks_before_leaves(&self) -> &[Block] {
        let leaves = self.choices.iter().find_map(|choice| choice.leaves.as_ref());
        &self.legal_blocks[..leaves.map_or(self.legal_blocks.len(), |leaves| leaves.first as usize)]
    }

    /// The number of gates of a step. The gates of the goals are left out.
    pub(crate) fn gates_per_step(&self) -> usize {
        [&self.terminal_blocks, &self.legal_blocks, &self.next_blocks]
            .into_iter()
            .map(|b| gate_count(b))
            .sum()
    }

    /// The number of gates of a step that have a guard.
    pub(crate) fn guarded_gates(&self) -> usize {
        let of_section = |section: &Vec<Block>| -> usize {
            let groups = section.iter().enumerate().map(|(at, block)| match block {
                Block::Guard { blocks, .. } => gate_count(&section[at + 1..=at + *blocks as usize]),
                Block::Run(_) | Block::Loop { .. } => 0,
            });
            groups.sum()
        };
        [&self.terminal_blocks, &self.legal_blocks, &self.next_blocks].into_iter().map(of_section).sum()
    }

    /// The blocks of the terminal condition, the goals, the legal moves and the next state, in this order.
    pub(crate) fn sections(&self) -> [&[Block]; 4] {
        [&self.terminal_blocks, &self.goal_blocks, &self.legal_blocks, &self.next_blocks]
    }

    /// The blocks of a step and of the goals, in execution order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.sections().into_iter().flatten()
    }

    /// The depth of the circuit of a step and of the goals: the number of gates on its longest path. Gates in
    /// loops count once.
    pub(crate) fn levels(&self) -> usize {
        let mut levels = vec![0; self.rows];
        let mut highest = 0;
        for block in self.blocks() {
            let runs = match block {
                Block::Run(run) => std::slice::from_ref(run),
                Block::Loop { body, .. } => body,
                Block::Guard { .. } => continue,
            };
            for gate in
                runs.iter().flat_map(|run| &self.gates[run.gates.start as usize..run.gates.end as usize])
            {
                let below = gate.inputs().iter().map(|&input| levels[input as usize]).max();
                let level = below.unwrap_or(0) + 1;
                levels[gate.out() as usize] = level;
                // A later gate may reuse the row, so the maximum must be taken here.
                highest = highest.max(level);
            }
        }
        highest
    }

    /// The number of bytes that the program's lists take.
    pub(crate) fn bytes(&self) -> usize {
        let block = |block: &Block| match block {
            Block::Run(_) | Block::Guard { .. } => size_of::<Block>(),
            Block::Loop { body, unknowns, .. } => {
                size_of::<Block>() + size_of_val(body.as_slice()) + size_of_val(unknowns.as_slice())
            }
        };
        let lists = self.goals.iter().chain(&self.legal).chain(&self.percepts).chain(&self.verdicts);
        let literals = lists.map(Vec::len).sum::<usize>() + self.next.len();
        let of_choice = |choice: &Choice| {
            let sets = choice.sets.iter().map(|sets| sets.ends.len() + sets.of_moves.len()).sum::<usize>();
            (choice.moves.len() + sets) * size_of::<u32>()
        };
        let moves: usize = self.choices.iter().map(of_choice).sum();
        size_of_val(&*self.gates)
            + self.blocks().map(block).sum::<usize>()
            + literals * size_of::<Literal<u32>>()
            + moves
    }

    /// The number of gates that the goals need in addition to the gates of the terminal condition.
    pub(crate) fn gates_of_goals(&self) -> usize {
        gate_count(&self.goal_blocks)
    }
}

fn gate_count(blocks: &[Block]) -> usize {
    let run = |run: &Run| run.gates.len();
    let count = |block: &Block| match block {
        Block::Run(one) => run(one),
        Block::Loop { body, .. } => body.iter().map(run).sum(),
        Block::Guard { .. } => 0,
    };
    blocks.iter().map(count).sum()
}
