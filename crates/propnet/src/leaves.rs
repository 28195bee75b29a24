//! Legal moves leaf by leaf. The choice among many moves (see [`crate::select`]) looks at 64 move rows at a time,
//! which are a leaf of its tree. Where the last gates of the moves read few different values, as in a game whose
//! moves are combinations of few parts, these gates run when the choice looks at their leaf, into 64 rows that all
//! leaves share. The rows of all moves would not fit in a processor's cache.

use crate::gate::{Gate, Gates, Literal};
use crate::gates::{Item, Section, Value, ValueGate};
use crate::program::{Block, Choice, Program, Run};
use crate::rows::Row;
use crate::select::{LEAF_MOVES, keep_others_in};
use rustc_hash::{FxHashMap, FxHashSet};

/// The last gates run leaf by leaf if they read at most one value for this many moves. The values need rows until
/// all moves are chosen.
const MOVES_EACH_VALUE: usize = 2;

/// The last gate of each of a role's moves: a gate whose value nothing reads but the move's row. `None` for a move
/// without such a gate.
pub(crate) type LastGates = Vec<Option<ValueGate>>;

/// Takes the last gates of the moves with the literals `legal` out of `section`. `uses` has the number of readers of
/// each value. `None` if the gates should not run leaf by leaf; the section then stays as it is.
pub(crate) fn take_last_gates(
    section: &mut Section,
    legal: &[Literal<Value>],
    uses: &[u32],
) -> Option<LastGates> {
    let own =
        legal.iter().enumerate().filter(|&(_, &(value, negated))| !negated && uses[value as usize] == 1);
    let own: FxHashMap<Value, usize> = own.map(|(at, &(value, _))| (value, at)).collect();
    let mut last = vec![None; legal.len()];
    for item in &*section {
        if let Item::Gate(gate) = item
            && let Some(&at) = own.get(&gate.out)
        {
            last[at] = Some(*gate);
        }
    }
    let mut read = FxHashSet::default();
    for (gate, &(value, _)) in last.iter().zip(legal) {
        match gate {
            Some(gate) => read.extend(gate.inputs),
            None => read.extend([value]),
        }
    }
    if read.len() * MOVES_EACH_VALUE > legal.len() {
        return None;
    }
    section.retain(|item| !matches!(item, Item::Gate(gate) if own.contains_key(&gate.out)));
    Some(last)
}

/// The last gates of a role's moves, which write the shared rows.
#[derive(Clone, Debug)]
pub(crate) struct LeafGates {
    gates: Gates,
    blocks: Vec<Block>,
    /// For each leaf, the end of its blocks.
    ends: Vec<u32>,
    /// The number of move rows, without those that fill the last group.
    moves: usize,
    /// The first of the shared rows.
    shared: usize,
}

impl LeafGates {
    /// The last gates of `choice`, if they run leaf by leaf. They write the rows from `shared` on.
    pub(crate) fn new(program: &Program, choice: &Choice, shared: usize) -> Option<LeafGates> {
        let leaves = choice.leaves.as_ref()?;
        let mut gates = Gates::default();
        let mut blocks = Vec::new();
        let all = &program.legal_blocks[leaves.first as usize..leaves.last() as usize];
        for run in all.iter().filter_map(Block::run) {
            let first = gates.len() as u32;
            for gate in &program.gates[run.gates.start as usize..run.gates.end as usize] {
                let within = (gate.out() - choice.base) % LEAF_MOVES as u32;
                gates.push(Gate::new(shared as u32 + within, gate.inputs()));
            }
            blocks.push(Block::Run(Run { kind: run.kind, gates: first..gates.len() as u32 }));
        }
        let ends = leaves.ends.iter().map(|end| end - leaves.first).collect();
        Some(LeafGates { gates, blocks, ends, moves: choice.moves.len(), shared })
    }

    /// The blocks of the leaf `number`, and their gates.
    pub(crate) fn of(&self, number: usize) -> (&[Block], &Gates) {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        (&self.blocks[start as usize..self.ends[number] as usize], &self.gates)
    }

    /// The shared rows that the leaf `number` has, in whole groups of eight.
    pub(crate) fn rows(&self, number: usize) -> std::ops::Range<usize> {
        let left = self.moves - number * LEAF_MOVES;
        self.shared..self.shared + left.next_multiple_of(8).min(LEAF_MOVES)
    }
}

/// The legal moves of one choice among many, as rows in groups of eight.
pub(crate) enum LegalRows<'a, const W: usize> {
    /// All rows.
    Computed(&'a [[Row<W>; 8]]),
    /// The gates that compute the rows of a leaf when they are asked for.
    ByLeaf(ByLeaf<'a, W>),
}

/// Gates that compute legal moves leaf by leaf.
pub(crate) struct ByLeaf<'a, const W: usize> {
    pub(crate) gates: &'a LeafGates,
    /// The rows of the program, with the shared rows behind them.
    pub(crate) rows: &'a mut [Row<W>],
    /// Whether each move is preferred, and the lanes in which the other moves stay legal.
    pub(crate) narrowed: Option<(&'a [bool], Row<W>)>,
}

impl<const W: usize> ByLeaf<'_, W> {
    /// The rows of the leaf `number`, once its gates have run.
    #[inline(always)]
    pub(crate) fn finished(&mut self, number: usize) -> &[[Row<W>; 8]] {
        let rows = &mut self.rows[self.gates.rows(number)];
        if let Some((preferred, others)) = self.narrowed {
            keep_others_in(others, rows, &preferred[number * LEAF_MOVES..]);
        }
        rows.as_chunks().0
    }
}
