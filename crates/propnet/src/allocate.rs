//! Row allocation: assigns a row, which has one bit for each lane, to each value of a program. A value gets a
//! row at the gate that computes it, and the row is free again after the last gate that reads the value. Each
//! move and each state bit also has a fixed row. Legal moves and next state bits are computed directly in
//! these fixed rows, unless this overwrites values that are still to be read. In that case they are computed
//! in other rows and copied to their fixed rows at the end of the section (the part of the program that
//! computes one kind of output). With [`Layout::Keep`], no row becomes free again, and no output is moved to
//! a fixed row.

use crate::gate::{Gate, Gates, Kind, Literal};
use crate::gates::{Item, Leaf, Loop, Mapper, Section, Value};
use crate::leaves::LastGates;
use crate::program::{
    Block, FIRST_STATE, GROUP, Layout, LeafBlocks, ONES, Outputs, Program, Run, ZEROS, state_row,
};
use crate::select::LEAF_MOVES;
use rustc_hash::{FxHashMap, FxHashSet};

const NOWHERE: u32 = u32::MAX;

/// The outputs of a program, each as a literal: a value and whether it is negated.
pub(crate) struct OutputValues {
    pub(crate) terminal: Literal<Value>,
    /// For each role, one literal for each goal value, and as the last entry the literal of `bad_goal`:
    /// whether a goal with an invalid value holds.
    pub(crate) goals: Vec<Vec<Literal<Value>>>,
    /// For each role, a literal for each move: whether the move is legal.
    pub(crate) legal: Vec<Vec<Literal<Value>>>,
    /// For each fluent, the literal of its value in the next state.
    pub(crate) next: Vec<Literal<Value>>,
    /// For each role, the literal of each percept.
    pub(crate) percepts: Vec<Vec<Literal<Value>>>,
    /// For each role, the literals of [`Outputs::verdicts`].
    pub(crate) verdicts: Vec<Vec<Literal<Value>>>,
}

impl OutputValues {
    /// The literals of all outputs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Literal<Value>> + '_ {
        let lists = self.goals.iter().chain(&self.legal).chain(&self.percepts).chain(&self.verdicts);
        lists.flatten().chain(&self.next).chain([&self.terminal]).copied()
    }
}

/// Assigns rows to values.
pub(crate) struct Allocator {
    /// For each role, the index of the first of its move rows, which are consecutive.
    pub(crate) bases: Vec<u32>,
    /// For each role, the index of the first of its rows of sets, and the sets with the index that the network
    /// gives them.
    pub(crate) sets: Vec<(u32, Vec<u32>)>,
    row: Vec<u32>,
    next_row: u32,
    free: Vec<u32>,
    /// For each value, the position of the last item that reads it. Positions number the items of all
    /// sections in execution order. The end of each section, where its outputs are read, takes one position
    /// too.
    last: Vec<usize>,
    keep: bool,
    /// The index of the last guard among the blocks of the section.
    guard_at: usize,
}

const TERMINAL: usize = 0;
const GOALS: usize = 1;
/// The index of the section of the legal moves.
pub(crate) const LEGAL: usize = 2;
const NEXT: usize = 3;

impl Allocator {
    pub(crate) fn new(
        mapper: &mut Mapper<'_>,
        outputs: &Outputs<'_>,
        sections: &[Section; 4],
        layout: Layout,
    ) -> Self {
        let first_kept = FIRST_STATE + outputs.fluents.len() as u32;
        let mut next_row = first_kept + outputs.kept.rows() as u32;
        let mut bases = Vec::new();
        for moves in &outputs.moves {
            next_row = next_row.next_multiple_of(GROUP as u32);
            bases.push(next_row);
            next_row += moves.len().next_multiple_of(GROUP) as u32;
        }
        mapper.leaf(Leaf::False);
        let mut read: Vec<Vec<u32>> = vec![Vec::new(); outputs.moves.len()];
        for leaf in mapper.leaves().keys() {
            if let Leaf::MoveSet(number) = *leaf {
                read[outputs.net.move_set(number).role as usize].push(number);
            }
        }
        let sets = read.into_iter().map(|mut numbers| {
            numbers.sort_unstable();
            let first = next_row;
            next_row += numbers.len() as u32;
            (first, numbers)
        });
        let sets: Vec<(u32, Vec<u32>)> = sets.collect();
        let mut row = vec![NOWHERE; mapper.value_count()];
        for (leaf, &value) in mapper.leaves() {
            row[value as usize] = match *leaf {
                Leaf::False => ZEROS,
                Leaf::State(fluent) => match outputs.fluents.binary_search(&fluent) {
                    Ok(position) => state_row(position) as u32,
                    Err(_) => ZEROS,
                },
                Leaf::Kept(position) => first_kept + position,
                Leaf::Move(role, index) => match outputs.moves[role as usize].binary_search(&index) {
                    Ok(position) => bases[role as usize] + position as u32,
                    Err(_) => ZEROS,
                },
                Leaf::MoveSet(number) => {
                    let (first, numbers) = &sets[outputs.net.move_set(number).role as usize];
                    numbers.binary_search(&number).map_or(ZEROS, |position| first + position as u32)
                }
            };
        }
        let mut last = vec![0; row.len()];
        let mut position = 0;
        for section in sections {
            for item in section {
                position += 1;
                match item {
                    Item::Gate(gate) | Item::Fixed(gate) => {
                        last[gate.out as usize] = last[gate.out as usize].max(position);
                        gate.inputs.iter().for_each(|&input| last[input as usize] = position);
                    }
                    Item::Guard(value) => last[*value as usize] = position,
                    Item::End(value) => value.iter().for_each(|&value| {
                        last[value as usize] = last[value as usize].max(position);
                    }),
                    Item::Loop(recursion) => {
                        for gate in &recursion.gates {
                            last[gate.out as usize] = position;
                            gate.inputs.iter().for_each(|&input| last[input as usize] = position);
                        }
                        for (&unknown, &(body, _)) in recursion.unknowns.iter().zip(&recursion.bodies) {
                            last[unknown as usize] = position;
                            last[body as usize] = position;
                        }
                    }
                }
            }
            position += 1;
        }
        let keep = layout == Layout::Keep;
        Allocator { bases, sets, row, next_row, free: Vec::new(), last, keep, guard_at: 0 }
    }

    fn place(&mut self, value: Value) -> u32 {
        let row = &mut self.row[value as usize];
        if *row == NOWHERE {
            *row = self.free.pop().unwrap_or_else(|| {
                self.next_row += 1;
                self.next_row - 1
            });
        }
        *row
    }

    /// Frees the row of `value` if nothing after `position` reads it. Rows below `first_free` have a fixed
    /// use and are never freed.
    fn release(&mut self, value: Value, position: usize, first_free: u32) {
        let row = self.row[value as usize];
        if !self.keep && self.last[value as usize] <= position && row != NOWHERE && row >= first_free {
            self.row[value as usize] = NOWHERE;
            self.free.push(row);
        }
    }

    /// Places the gates of all sections and the values of `outputs` in rows, and completes `program`. `last_gates` has
    /// the gates that compute each role's legal moves at the end of their section, leaf by leaf.
    pub(crate) fn finish(
        &mut self,
        mut program: Program,
        sections: [Section; 4],
        outputs: &OutputValues,
        last_gates: &[Option<LastGates>],
    ) -> Program {
        let first_free = self.next_row;
        let ends = self.keep_outputs(&sections, outputs);
        // The choice of moves reads the inputs of gates that run leaf by leaf, and the values of moves without such a gate,
        // after it has overwritten the move rows of the roles before.
        let after_choice = ends[LEGAL] + 1;
        for (last_gates, legal) in last_gates.iter().zip(&outputs.legal) {
            for (gate, &literal) in last_gates.iter().flatten().zip(legal) {
                for value in gate.map_or([literal.0; 3], |gate| gate.inputs) {
                    self.keep_until(value, after_choice);
                }
            }
        }
        let mut position = 0;
        for (number, section) in sections.into_iter().enumerate() {
            let mut copies = Vec::new();
            let mut blocks = Vec::new();
            if !self.keep && number == LEGAL {
                self.place_legal(&section, &outputs.legal, ends[LEGAL], last_gates, &mut copies);
            }
            if !self.keep && number == NEXT {
                self.place_next(&section, &outputs.next, &mut copies, &mut program, &mut blocks);
            }
            for item in section {
                position += 1;
                self.place_item(&item, &mut program.gates, &mut blocks, position, first_free);
            }
            position += 1;
            self.assign_outputs(number, outputs, &mut program);
            self.push_copies(copies, &mut program.gates, &mut blocks);
            if number == LEGAL {
                for (role, gates) in last_gates.iter().enumerate() {
                    program.choices[role].leaves = gates.as_ref().map(|gates| {
                        self.push_leaves(role, gates, &outputs.legal[role], &mut program.gates, &mut blocks)
                    });
                }
            }
            for value in 0..self.row.len() as u32 {
                self.release(value, position, first_free);
            }
            match number {
                TERMINAL => program.terminal_blocks = blocks,
                GOALS => program.goal_blocks = blocks,
                LEGAL => program.legal_blocks = blocks,
                _ => program.next_blocks = blocks,
            }
        }
        program.steps.scheduled = program.gates.len();
        program.live_rows = self.next_row as usize;
        program.rows = program.live_rows.next_power_of_two();
        program
    }

    /// Keeps the value of each output until the end of its section. Returns the position at which each
    /// section ends.
    fn keep_outputs(&mut self, sections: &[Section; 4], outputs: &OutputValues) -> [usize; 4] {
        let mut ends = [0; 4];
        let mut position = 0;
        for (section, end) in sections.iter().zip(&mut ends) {
            position += section.len() + 1;
            *end = position;
        }
        let mut keep_until = |literals: &[Literal<Value>], end: usize| {
            for &(value, _) in literals {
                self.keep_until(value, end);
            }
        };
        keep_until(&[outputs.terminal], ends[TERMINAL]);
        outputs.goals.iter().for_each(|goals| keep_until(goals, ends[GOALS]));
        outputs.legal.iter().chain(&outputs.verdicts).for_each(|legal| keep_until(legal, ends[LEGAL]));
        keep_until(&outputs.next, ends[NEXT]);
        outputs.percepts.iter().for_each(|percepts| keep_until(percepts, ends[NEXT]));
        ends
    }

    /// Keeps the row of `value` at least until the position `end`.
    fn keep_until(&mut self, value: Value, end: usize) {
        let last = &mut self.last[value as usize];
        *last = (*last).max(end);
    }

    /// Assigns rows to the values of one item of a section. Frees the rows that no later item reads.
    fn place_item(
        &mut self,
        item: &Item,
        gates: &mut Gates,
        blocks: &mut Vec<Block>,
        position: usize,
        first_free: u32,
    ) {
        match item {
            Item::Gate(gate) | Item::Fixed(gate) => {
                let inputs = gate.inputs.map(|input| self.row[input as usize]);
                gate.inputs.iter().for_each(|&input| self.release(input, position, first_free));
                let out = self.place(gate.out);
                push_gate(gates, blocks, gate.kind, Gate::new(out, inputs));
                self.release(gate.out, position, first_free);
            }
            Item::Loop(recursion) => {
                let block = self.place_loop(recursion, gates, position, first_free);
                blocks.push(block);
            }
            Item::Guard(value) => {
                let guard = self.row[*value as usize];
                self.guard_at = blocks.len();
                blocks.push(Block::Guard { guard, blocks: 0, zero: None });
                self.release(*value, position, first_free);
            }
            Item::End(value) => {
                let from = self.guard_at;
                let count = blocks.len().saturating_sub(from + 1) as u32;
                if let Some(Block::Guard { blocks, zero, .. }) = blocks.get_mut(from) {
                    (*blocks, *zero) = (count, value.map(|value| self.row[value as usize]));
                }
                // An empty run keeps later gates out of the last run of the group.
                let end = gates.len() as u32;
                blocks.push(Block::Run(Run { kind: Kind::Copy, gates: end..end }));
                if let Some(value) = *value {
                    self.release(value, position, first_free);
                }
            }
        }
    }

    /// The row and the negation of `literal`. Its value must have a row.
    fn row_of(&self, (value, negated): Literal<Value>) -> Literal<u32> {
        (self.row[value as usize], negated)
    }

    /// Stores in `program` the rows of those outputs whose values can be read once the section with the index
    /// `number` has run.
    fn assign_outputs(&self, number: usize, outputs: &OutputValues, program: &mut Program) {
        let rows = |list: &Vec<Literal<Value>>| -> Vec<Literal<u32>> {
            list.iter().map(|&literal| self.row_of(literal)).collect()
        };
        match number {
            TERMINAL => program.terminal = self.row_of(outputs.terminal),
            GOALS => program.goals = outputs.goals.iter().map(rows).collect(),
            LEGAL => program.verdicts = outputs.verdicts.iter().map(rows).collect(),
            NEXT if self.keep => {
                program.legal = outputs.legal.iter().map(rows).collect();
                program.next = rows(&outputs.next);
                program.percepts = outputs.percepts.iter().map(rows).collect();
            }
            _ => {}
        }
    }

    /// Appends gates that perform `copies` at the end of a section.
    fn push_copies(&self, copies: Vec<Copying>, gates: &mut Gates, blocks: &mut Vec<Block>) {
        for Copying { to, from } in copies {
            let from = match from {
                From::Row(row) => (row, false),
                From::Value(literal) => self.row_of(literal),
            };
            let (kind, gate) = copy(to, from);
            push_gate(gates, blocks, kind, gate);
        }
    }

    /// Appends the gates of the move rows of `role`, leaf by leaf: the last gates of the moves, and copies of the
    /// other literals of `legal`.
    fn push_leaves(
        &self,
        role: usize,
        last: &LastGates,
        legal: &[Literal<Value>],
        gates: &mut Gates,
        blocks: &mut Vec<Block>,
    ) -> LeafBlocks {
        let base = self.bases[role];
        let moves = last.iter().zip(legal).map(Some).chain(std::iter::repeat(None));
        let filled = last.len().next_multiple_of(GROUP);
        let rows = (base..).zip(moves.take(filled)).map(|(to, mv)| match mv {
            Some((Some(gate), _)) => {
                (gate.kind, Gate::new(to, gate.inputs.map(|input| self.row[input as usize])))
            }
            Some((None, &literal)) => copy(to, self.row_of(literal)),
            None => copy(to, (ZEROS, false)),
        });
        let rows: Vec<(Kind, Gate)> = rows.collect();
        let first = blocks.len() as u32;
        let ends = rows.chunks(LEAF_MOVES).map(|leaf| {
            let mut leaf = leaf.to_vec();
            leaf.sort_by_key(|&(kind, _)| kind as u8);
            let mut of_leaf = Vec::new();
            for (kind, gate) in leaf {
                push_gate(gates, &mut of_leaf, kind, gate);
            }
            blocks.append(&mut of_leaf);
            blocks.len() as u32
        });
        LeafBlocks { first, ends: ends.collect() }
    }

    /// Assigns the value of each legal move directly to the move's own row if possible. Otherwise, the value
    /// gets another row, and its copy to the move's row is added to `copies`. A value that the choice of another
    /// role's move or the next-state section also reads always needs another row, because the choice of moves overwrites the
    /// moves' rows.
    fn place_legal(
        &mut self,
        section: &Section,
        legal: &[Vec<Literal<Value>>],
        end: usize,
        last_gates: &[Option<LastGates>],
        copies: &mut Vec<Copying>,
    ) {
        let made: FxHashSet<Value> = made_by(section);
        for (role, list) in legal.iter().enumerate().filter(|&(role, _)| last_gates[role].is_none()) {
            for (at, &(value, negated)) in list.iter().enumerate() {
                let target = self.bases[role] + at as u32;
                let index = value as usize;
                if !negated && made.contains(&value) && self.row[index] == NOWHERE && self.last[index] <= end
                {
                    self.row[index] = target;
                } else {
                    copies.push(Copying { to: target, from: From::Value((value, negated)) });
                }
            }
        }
    }

    /// Assigns the value of each next state bit directly to the bit's own row if nothing reads the old bit
    /// later. All other bits are added to `copies`. If the next value of a bit is the old value of another
    /// state bit, or the negation of an old value, a gate at the start of the section saves that value in a
    /// spare row.
    fn place_next(
        &mut self,
        section: &Section,
        next: &[Literal<Value>],
        copies: &mut Vec<Copying>,
        program: &mut Program,
        blocks: &mut Vec<Block>,
    ) {
        let made: FxHashSet<Value> = made_by(section);
        let states = FIRST_STATE..FIRST_STATE + next.len() as u32;
        let mut last_read = vec![0; next.len()];
        // The first item that writes each value: chains of gates write a value several times.
        let mut written_at: FxHashMap<Value, usize> = FxHashMap::default();
        let row = &self.row;
        for (at, item) in section.iter().enumerate() {
            let mut read = |value: Value| {
                let row = row[value as usize];
                if states.contains(&row) {
                    last_read[(row - FIRST_STATE) as usize] = at;
                }
            };
            match item {
                Item::Gate(gate) | Item::Fixed(gate) => {
                    gate.inputs.iter().for_each(|&input| read(input));
                    written_at.entry(gate.out).or_insert(at);
                }
                Item::Loop(recursion) => {
                    recursion.gates.iter().flat_map(|gate| gate.inputs).for_each(&mut read);
                    recursion.bodies.iter().for_each(|&(value, _)| read(value));
                }
                Item::Guard(value) => read(*value),
                Item::End(_) => {}
            }
        }
        for (bit, &(value, negated)) in next.iter().enumerate() {
            let target = FIRST_STATE + bit as u32;
            let from = self.row[value as usize];
            if from == target && !negated {
                continue;
            }
            if states.contains(&from) && !made.contains(&value) {
                self.next_row += 1;
                let aside = self.next_row - 1;
                let kind = if negated { Kind::Not } else { Kind::Copy };
                push_gate(&mut program.gates, blocks, kind, Gate::new(aside, [from; 3]));
                copies.push(Copying { to: target, from: From::Row(aside) });
            } else if !negated
                && from == NOWHERE
                && written_at.get(&value).is_some_and(|&at| at >= last_read[bit])
            {
                self.row[value as usize] = target;
            } else {
                copies.push(Copying { to: target, from: From::Value((value, negated)) });
            }
        }
    }

    fn place_loop(&mut self, recursion: &Loop, gates: &mut Gates, position: usize, first_free: u32) -> Block {
        for &unknown in &recursion.unknowns {
            self.place(unknown);
        }
        let mut body = Vec::new();
        for gate in &recursion.gates {
            let inputs = gate.inputs.map(|input| self.row[input as usize]);
            let out = self.place(gate.out);
            push_gate(gates, &mut body, gate.kind, Gate::new(out, inputs));
        }
        let unknowns = recursion
            .unknowns
            .iter()
            .zip(&recursion.bodies)
            .map(|(&unknown, &(value, negated))| {
                (self.row[unknown as usize], (self.row[value as usize], negated))
            })
            .collect();
        for gate in &recursion.gates {
            gate.inputs.iter().for_each(|&input| self.release(input, position, first_free));
            self.release(gate.out, position, first_free);
        }
        for (&unknown, &(value, _)) in recursion.unknowns.iter().zip(&recursion.bodies) {
            self.release(value, position, first_free);
            self.release(unknown, position, first_free);
        }
        let body = body
            .into_iter()
            .filter_map(|block| match block {
                Block::Run(run) => Some(run),
                Block::Loop { .. } | Block::Guard { .. } => None,
            })
            .collect();
        Block::Loop { body, unknowns, is_kept: recursion.is_kept }
    }
}

/// A copy of a value to a row, at the end of a section.
struct Copying {
    to: u32,
    from: From,
}

enum From {
    Row(u32),
    Value(Literal<Value>),
}

/// The gate that copies a literal to the row `to`.
fn copy(to: u32, (from, negated): Literal<u32>) -> (Kind, Gate) {
    let (kind, from) = match (from, negated) {
        (ZEROS, true) => (Kind::Copy, ONES),
        (_, true) => (Kind::Not, from),
        (_, false) => (Kind::Copy, from),
    };
    (kind, Gate::new(to, [from; 3]))
}

/// The values that the gates of `section` compute. The gates inside loops are left out.
fn made_by(section: &Section) -> FxHashSet<Value> {
    let out = |item: &Item| match item {
        Item::Gate(gate) | Item::Fixed(gate) => Some(gate.out),
        Item::Loop(_) | Item::Guard(_) | Item::End(_) => None,
    };
    section.iter().filter_map(out).collect()
}

fn push_gate(gates: &mut Gates, blocks: &mut Vec<Block>, kind: Kind, gate: Gate) {
    gates.push(gate);
    let end = gates.len() as u32;
    match blocks.last_mut() {
        Some(Block::Run(run)) if run.kind == kind && run.gates.end + 1 == end => run.gates.end = end,
        _ => blocks.push(Block::Run(Run { kind, gates: end - 1..end })),
    }
}
