//! Programs: gates in an order and with rows to live in.
//!
//! The rows of a program: 0 is all zeros, 1 all ones, then the state bits, then per role one
//! row a move (the legal moves; after the choice the move made), then whatever gates compute,
//! renamed so that few rows are live at a time and stay in the first-level cache.

use crate::circuit::Circuit;
use crate::gate::{Gate, Kind, Literal};
use crate::gates::{Item, Leaf, Loop, Mapper, Section, Value, ValueGate, drop_unread};
use crate::net::{PropNet, Signal};
use std::ops::Range;

/// Row 0: false in every lane.
pub(crate) const ZEROS: u32 = 0;
/// Row 1: true in every lane.
pub(crate) const ONES: u32 = 1;
const FIRST_STATE: u32 = 2;
/// A role's rows come in groups of this many.
pub(crate) const GROUP: usize = 8;
/// Gates are sorted by kind within windows of this many: larger windows make longer runs, and
/// more rows live at a time.
const WINDOW: usize = 512;

/// Gates of one kind, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) kind: Kind,
    pub(crate) gates: Range<u32>,
}

/// What is evaluated together.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Run(Run),
    /// Unknowns start as zeros and grow until nothing changes.
    Loop {
        body: Vec<Run>,
        /// The row of each unknown and that of its new value, negated or not.
        unknowns: Vec<(u32, Literal<u32>)>,
    },
}

/// One role's choice.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) role: usize,
    /// The first of its rows.
    pub(crate) base: u32,
    /// The move that each row stands for, as an index into the role's moves.
    pub(crate) moves: Vec<u32>,
    /// Whether it has a legal move in every state.
    pub(crate) always: bool,
}

/// When rows of one section may be read by the next ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// For playouts: rows are reused; lanes may get another state after the terminal section.
    Refill,
    /// For playouts: rows are reused; the legal section reads what the terminal section computed.
    Share,
    /// For single states: every value keeps a row of its own.
    Keep,
}

/// Which outputs of a network a program computes.
pub(crate) struct Outputs<'a> {
    pub(crate) net: &'a PropNet,
    /// The fluents that have a state row.
    pub(crate) fluents: &'a [u32],
    /// Per role, the moves that have a row.
    pub(crate) moves: Vec<Vec<u32>>,
    /// Whether percepts are computed (with the next state).
    pub(crate) percepts: bool,
}

/// The evaluation of a network, or of one phase of it.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) gates: Vec<Gate>,
    pub(crate) terminal_blocks: Vec<Block>,
    pub(crate) goal_blocks: Vec<Block>,
    pub(crate) legal_blocks: Vec<Block>,
    pub(crate) next_blocks: Vec<Block>,
    pub(crate) terminal: Literal<u32>,
    /// Per role, each goal's row, then that of the bad goal.
    pub(crate) goals: Vec<Vec<Literal<u32>>>,
    /// Per role and move of [`Outputs::moves`], where legality is found (in [`Layout::Keep`];
    /// otherwise it is the move's own row).
    pub(crate) legal: Vec<Vec<Literal<u32>>>,
    /// Per fluent of [`Outputs::fluents`], its next value (in [`Layout::Keep`]; otherwise the
    /// state rows are overwritten).
    pub(crate) next: Vec<Literal<u32>>,
    /// Per role, each percept's row.
    pub(crate) percepts: Vec<Vec<Literal<u32>>>,
    pub(crate) choices: Vec<Choice>,
    /// How many rows it needs: a power of two.
    pub(crate) rows: usize,
    /// How many rows are written by gates.
    pub(crate) live_rows: usize,
    pub(crate) layout: Layout,
}

/// The row of the state bit at `position` in [`Outputs::fluents`].
pub(crate) fn state_row(position: usize) -> usize {
    FIRST_STATE as usize + position
}

impl Program {
    /// How many gates a step takes, the goals left out.
    pub(crate) fn gates_per_step(&self) -> usize {
        let length = |blocks: &[Block]| -> usize {
            let run = |run: &Run| run.gates.len();
            blocks
                .iter()
                .map(|block| match block {
                    Block::Run(one) => run(one),
                    Block::Loop { body, .. } => body.iter().map(run).sum(),
                })
                .sum()
        };
        length(&self.terminal_blocks) + length(&self.legal_blocks) + length(&self.next_blocks)
    }
}

/// The circuit of a network's outputs, ready to be laid out.
pub(crate) struct Compiler<'a> {
    outputs: &'a Outputs<'a>,
    circuit: Circuit,
    terminal: Signal,
    goals: Vec<Vec<Signal>>,
    legal: Vec<Vec<Signal>>,
    next: Vec<Signal>,
    percepts: Vec<Vec<Signal>>,
}

impl<'a> Compiler<'a> {
    /// Lowers `outputs` to a circuit.
    pub(crate) fn new(outputs: &'a Outputs<'a>) -> Compiler<'a> {
        let net = outputs.net;
        let goals: Vec<Vec<Signal>> = net
            .roles
            .iter()
            .map(|role| {
                let values = role.goals.iter().map(|&(_, signal)| signal);
                values.chain([role.bad_goal.unwrap_or(Signal::FALSE)]).collect()
            })
            .collect();
        let legal: Vec<Vec<Signal>> = net
            .roles
            .iter()
            .zip(&outputs.moves)
            .map(|(role, moves)| moves.iter().map(|&mv| role.moves[mv as usize].legal).collect())
            .collect();
        let next: Vec<Signal> =
            outputs.fluents.iter().map(|&fluent| net.fluents[fluent as usize].next).collect();
        let percepts: Vec<Vec<Signal>> = net
            .roles
            .iter()
            .map(|role| {
                let sees = role.sees.iter().map(|(_, signal)| *signal);
                if outputs.percepts { sees.collect() } else { Vec::new() }
            })
            .collect();
        let mut roots = vec![net.terminal];
        for lists in [&goals, &legal, &percepts] {
            roots.extend(lists.iter().flatten());
        }
        roots.extend(&next);
        let (circuit, roots) = Circuit::lower(net, &roots);
        let mut roots = roots.into_iter();
        let mut one = || roots.next().unwrap_or(Signal::FALSE);
        let terminal = one();
        let mut shape = |lists: &Vec<Vec<Signal>>| -> Vec<Vec<Signal>> {
            lists.iter().map(|list| list.iter().map(|_| one()).collect()).collect()
        };
        let (goals, legal, percepts) = (shape(&goals), shape(&legal), shape(&percepts));
        let next = next.iter().map(|_| one()).collect();
        Compiler { outputs, circuit, terminal, goals, legal, next, percepts }
    }

    /// The gates that both the terminal condition and the legal moves need, as a share of the
    /// gates of a step.
    pub(crate) fn shared_by_terminal_and_legal(&self) -> f64 {
        let terminal = self.circuit.cone(&[self.terminal]);
        let legal = self.circuit.cone(&self.legal.iter().flatten().copied().collect::<Vec<_>>());
        let next = self.circuit.cone(&self.next);
        let weight = |pick: &dyn Fn(usize) -> bool| -> usize {
            (0..terminal.len()).filter(|&at| pick(at)).map(|at| self.circuit.width(at)).sum()
        };
        let all = weight(&|at| terminal[at] || legal[at] || next[at]);
        weight(&|at| terminal[at] && legal[at]) as f64 / all.max(1) as f64
    }

    /// Lays the circuit out as a program.
    pub(crate) fn compile(&self, layout: Layout) -> Program {
        let keep = layout == Layout::Keep;
        let wanted = self.legal.iter().flatten().chain(&self.next).copied();
        let wanted: Vec<Signal> = if keep { Vec::new() } else { wanted.collect() };
        let mut mapper = Mapper::new(&self.circuit, wanted.into_iter());
        let flat = |lists: &[Vec<Signal>]| -> Vec<Signal> { lists.iter().flatten().copied().collect() };

        let terminal_section = mapper.section(&[self.terminal]);
        let terminal = mapper.literal(self.terminal);
        let after_terminal = mapper.visible();
        let goal_section = mapper.section(&flat(&self.goals));
        let goals = literals(&mut mapper, &self.goals);
        match layout {
            Layout::Refill => mapper.forget(),
            Layout::Share => mapper.restore(after_terminal),
            Layout::Keep => {}
        }
        let legal_section = mapper.section(&flat(&self.legal));
        let legal = literals(&mut mapper, &self.legal);
        let mut next_roots = self.next.clone();
        next_roots.extend(flat(&self.percepts));
        let next_section = mapper.section(&next_roots);
        let next: Vec<Literal<Value>> = self.next.iter().map(|&signal| mapper.literal(signal)).collect();
        let percepts = literals(&mut mapper, &self.percepts);

        let mut sections = [terminal_section, goal_section, legal_section, next_section];
        let mut read = vec![false; mapper.value_count()];
        let outside = goals.iter().chain(&legal).chain(&percepts).flatten().chain(&next).chain([&terminal]);
        outside.for_each(|&(value, _)| read[value as usize] = true);
        drop_unread(&mut sections, &mut read);
        let sections = sections.map(sort_by_kind);

        let mut allocator = Allocator::new(&mut mapper, self.outputs, &sections, layout);
        let program = Program {
            gates: Vec::new(),
            terminal_blocks: Vec::new(),
            goal_blocks: Vec::new(),
            legal_blocks: Vec::new(),
            next_blocks: Vec::new(),
            terminal: (ZEROS, false),
            goals: Vec::new(),
            legal: Vec::new(),
            next: Vec::new(),
            percepts: Vec::new(),
            choices: self.choices(&allocator),
            rows: 0,
            live_rows: 0,
            layout,
        };
        allocator.finish(program, sections, terminal, &goals, &legal, &next, &percepts)
    }

    fn choices(&self, allocator: &Allocator) -> Vec<Choice> {
        self.outputs
            .moves
            .iter()
            .enumerate()
            .map(|(role, moves)| Choice {
                role,
                base: allocator.bases[role],
                moves: moves.clone(),
                always: self.legal[role].contains(&Signal::TRUE),
            })
            .collect()
    }
}

fn literals(mapper: &mut Mapper<'_>, lists: &[Vec<Signal>]) -> Vec<Vec<Literal<Value>>> {
    lists.iter().map(|list| list.iter().map(|&signal| mapper.literal(signal)).collect()).collect()
}

/// Reorders the gates within windows so that gates of one kind stand together.
fn sort_by_kind(section: Section) -> Section {
    let mut sorted = Vec::with_capacity(section.len());
    let mut window = Vec::new();
    for item in section {
        match item {
            Item::Gate(gate) => {
                window.push(gate);
                if window.len() == WINDOW {
                    sorted.extend(sort_window(&std::mem::take(&mut window)).into_iter().map(Item::Gate));
                }
            }
            Item::Loop(mut recursion) => {
                sorted.extend(sort_window(&std::mem::take(&mut window)).into_iter().map(Item::Gate));
                recursion.gates = sort_window(&recursion.gates);
                sorted.push(Item::Loop(recursion));
            }
        }
    }
    sorted.extend(sort_window(&window).into_iter().map(Item::Gate));
    sorted
}

/// List scheduling: always the kind of which most gates are ready.
fn sort_window(gates: &[ValueGate]) -> Vec<ValueGate> {
    let writer: rustc_hash::FxHashMap<Value, usize> =
        gates.iter().enumerate().map(|(at, gate)| (gate.out, at)).collect();
    let mut waiting = vec![0u32; gates.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); gates.len()];
    for (at, gate) in gates.iter().enumerate() {
        for input in gate.inputs {
            if let Some(&from) = writer.get(&input) {
                if !readers[from].contains(&at) {
                    readers[from].push(at);
                    waiting[at] += 1;
                }
            }
        }
    }
    let mut ready: Vec<std::collections::VecDeque<usize>> = vec![Default::default(); Kind::ALL.len()];
    for (at, gate) in gates.iter().enumerate() {
        if waiting[at] == 0 {
            ready[gate.kind as usize].push_back(at);
        }
    }
    let mut sorted = Vec::with_capacity(gates.len());
    while let Some(kind) = (0..ready.len()).filter(|&k| !ready[k].is_empty()).max_by_key(|&k| ready[k].len())
    {
        while let Some(at) = ready[kind].pop_front() {
            sorted.push(gates[at]);
            for &reader in &readers[at] {
                waiting[reader] -= 1;
                if waiting[reader] == 0 {
                    ready[gates[reader].kind as usize].push_back(reader);
                }
            }
        }
    }
    sorted
}

const NOWHERE: u32 = u32::MAX;

/// Gives values their rows.
struct Allocator {
    /// The first row of each role's moves.
    bases: Vec<u32>,
    row: Vec<u32>,
    next_row: u32,
    free: Vec<u32>,
    /// The last position at which a value is read.
    last: Vec<usize>,
    keep: bool,
}

const TERMINAL: usize = 0;
const GOALS: usize = 1;
const LEGAL: usize = 2;
const NEXT: usize = 3;

impl Allocator {
    fn new(mapper: &mut Mapper<'_>, outputs: &Outputs<'_>, sections: &[Section; 4], layout: Layout) -> Self {
        let mut next_row = FIRST_STATE + outputs.fluents.len() as u32;
        let mut bases = Vec::new();
        for moves in &outputs.moves {
            next_row = next_row.next_multiple_of(GROUP as u32);
            bases.push(next_row);
            next_row += moves.len().next_multiple_of(GROUP) as u32;
        }
        mapper.leaf(Leaf::False);
        let mut row = vec![NOWHERE; mapper.value_count()];
        for (leaf, &value) in mapper.leaves() {
            row[value as usize] = match *leaf {
                Leaf::False => ZEROS,
                Leaf::State(fluent) => match outputs.fluents.binary_search(&fluent) {
                    Ok(position) => state_row(position) as u32,
                    Err(_) => ZEROS,
                },
                Leaf::Move(role, index) => match outputs.moves[role as usize].binary_search(&index) {
                    Ok(position) => bases[role as usize] + position as u32,
                    Err(_) => ZEROS,
                },
            };
        }
        let mut last = vec![0; row.len()];
        let mut position = 0;
        for section in sections {
            for item in section {
                position += 1;
                match item {
                    Item::Gate(gate) => {
                        last[gate.out as usize] = last[gate.out as usize].max(position);
                        gate.inputs.iter().for_each(|&input| last[input as usize] = position);
                    }
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
        Allocator { bases, row, next_row, free: Vec::new(), last, keep: layout == Layout::Keep }
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

    /// Frees the row of `value` if nothing after `position` reads it. Only rows above
    /// `first_free` were given out here.
    fn release(&mut self, value: Value, position: usize, first_free: u32) {
        let row = self.row[value as usize];
        if !self.keep && self.last[value as usize] <= position && row != NOWHERE && row >= first_free {
            self.row[value as usize] = NOWHERE;
            self.free.push(row);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one list of outputs for each section")]
    fn finish(
        &mut self,
        mut program: Program,
        sections: [Section; 4],
        terminal: Literal<Value>,
        goals: &[Vec<Literal<Value>>],
        legal: &[Vec<Literal<Value>>],
        next: &[Literal<Value>],
        percepts: &[Vec<Literal<Value>>],
    ) -> Program {
        let first_free = self.next_row;
        // Ends of the sections, at which their outputs are read.
        let mut ends = [0; 4];
        let mut position = 0;
        for (section, end) in sections.iter().zip(&mut ends) {
            position += section.len() + 1;
            *end = position;
        }
        let mut keep_until = |value: Value, end: usize| {
            let last = &mut self.last[value as usize];
            *last = (*last).max(end);
        };
        keep_until(terminal.0, ends[TERMINAL]);
        goals.iter().flatten().for_each(|&(value, _)| keep_until(value, ends[GOALS]));
        legal.iter().flatten().for_each(|&(value, _)| keep_until(value, ends[LEGAL]));
        next.iter().for_each(|&(value, _)| keep_until(value, ends[NEXT]));
        percepts.iter().flatten().for_each(|&(value, _)| keep_until(value, ends[NEXT]));

        let row_of = |row: &[u32], literal: Literal<Value>| (row[literal.0 as usize], literal.1);
        let mut position = 0;
        for (number, section) in sections.into_iter().enumerate() {
            let mut copies = Vec::new();
            let mut blocks = Vec::new();
            if !self.keep && number == LEGAL {
                self.place_legal(&section, legal, ends[LEGAL], &mut copies);
            }
            if !self.keep && number == NEXT {
                self.place_next(&section, next, &mut copies, &mut program, &mut blocks);
            }
            for item in section {
                position += 1;
                match item {
                    Item::Gate(gate) => {
                        let inputs = gate.inputs.map(|input| self.row[input as usize]);
                        gate.inputs.iter().for_each(|&input| self.release(input, position, first_free));
                        let out = self.place(gate.out);
                        push_gate(&mut program.gates, &mut blocks, gate.kind, Gate { out, inputs });
                        self.release(gate.out, position, first_free);
                    }
                    Item::Loop(recursion) => {
                        let block = self.place_loop(&recursion, &mut program.gates, position, first_free);
                        blocks.push(block);
                    }
                }
            }
            position += 1;
            match number {
                TERMINAL => program.terminal = row_of(&self.row, terminal),
                GOALS => {
                    let rows = |list: &Vec<Literal<Value>>| -> Vec<Literal<u32>> {
                        list.iter().map(|&literal| row_of(&self.row, literal)).collect()
                    };
                    program.goals = goals.iter().map(rows).collect();
                }
                NEXT if self.keep => {
                    let rows = |list: &Vec<Literal<Value>>| -> Vec<Literal<u32>> {
                        list.iter().map(|&literal| row_of(&self.row, literal)).collect()
                    };
                    program.legal = legal.iter().map(rows).collect();
                    program.next = next.iter().map(|&literal| row_of(&self.row, literal)).collect();
                    program.percepts = percepts.iter().map(rows).collect();
                }
                _ => {}
            }
            for (target, literal) in copies {
                let (from, negated) = match target.1 {
                    Some(row) => (row, false),
                    None => row_of(&self.row, literal),
                };
                let kind = if negated { Kind::Not } else { Kind::Copy };
                let (kind, from) = if from == ZEROS && negated { (Kind::Copy, ONES) } else { (kind, from) };
                push_gate(&mut program.gates, &mut blocks, kind, Gate { out: target.0, inputs: [from; 3] });
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
        program.live_rows = self.next_row as usize;
        program.rows = program.live_rows.next_power_of_two();
        program
    }

    /// Legal moves go straight to their rows, unless the next state reads them too: the choice
    /// overwrites those rows.
    fn place_legal(
        &mut self,
        section: &Section,
        legal: &[Vec<Literal<Value>>],
        end: usize,
        copies: &mut Vec<((u32, Option<u32>), Literal<Value>)>,
    ) {
        let made: rustc_hash::FxHashSet<Value> = made_by(section);
        for (role, list) in legal.iter().enumerate() {
            for (at, &(value, negated)) in list.iter().enumerate() {
                let target = self.bases[role] + at as u32;
                let index = value as usize;
                if !negated && made.contains(&value) && self.row[index] == NOWHERE && self.last[index] <= end
                {
                    self.row[index] = target;
                } else {
                    copies.push(((target, None), (value, negated)));
                }
            }
        }
    }

    /// A next state bit goes straight to its row where nothing reads the old one later. Bits that
    /// take over other state bits are put aside first.
    fn place_next(
        &mut self,
        section: &Section,
        next: &[Literal<Value>],
        copies: &mut Vec<((u32, Option<u32>), Literal<Value>)>,
        program: &mut Program,
        blocks: &mut Vec<Block>,
    ) {
        let made: rustc_hash::FxHashSet<Value> = made_by(section);
        let states = FIRST_STATE..FIRST_STATE + next.len() as u32;
        let mut last_read = vec![0; next.len()];
        let mut written_at: rustc_hash::FxHashMap<Value, usize> = Default::default();
        let row = &self.row;
        for (at, item) in section.iter().enumerate() {
            let mut read = |value: Value| {
                let row = row[value as usize];
                if states.contains(&row) {
                    last_read[(row - FIRST_STATE) as usize] = at;
                }
            };
            match item {
                Item::Gate(gate) => {
                    gate.inputs.iter().for_each(|&input| read(input));
                    written_at.insert(gate.out, at);
                }
                Item::Loop(recursion) => {
                    recursion.gates.iter().flat_map(|gate| gate.inputs).for_each(&mut read);
                    recursion.bodies.iter().for_each(|&(value, _)| read(value));
                }
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
                push_gate(&mut program.gates, blocks, kind, Gate { out: aside, inputs: [from; 3] });
                copies.push(((target, Some(aside)), (value, negated)));
            } else if !negated
                && from == NOWHERE
                && written_at.get(&value).is_some_and(|&at| at >= last_read[bit])
            {
                self.row[value as usize] = target;
            } else {
                copies.push(((target, None), (value, negated)));
            }
        }
    }

    fn place_loop(
        &mut self,
        recursion: &Loop,
        gates: &mut Vec<Gate>,
        position: usize,
        first_free: u32,
    ) -> Block {
        for &unknown in &recursion.unknowns {
            self.place(unknown);
        }
        let mut body = Vec::new();
        for gate in &recursion.gates {
            let inputs = gate.inputs.map(|input| self.row[input as usize]);
            let out = self.place(gate.out);
            push_gate(gates, &mut body, gate.kind, Gate { out, inputs });
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
                Block::Loop { .. } => None,
            })
            .collect();
        Block::Loop { body, unknowns }
    }
}

/// The values that the gates of a section compute, those of loops left out.
fn made_by(section: &Section) -> rustc_hash::FxHashSet<Value> {
    let out = |item: &Item| match item {
        Item::Gate(gate) => Some(gate.out),
        Item::Loop(_) => None,
    };
    section.iter().filter_map(out).collect()
}

fn push_gate(gates: &mut Vec<Gate>, blocks: &mut Vec<Block>, kind: Kind, gate: Gate) {
    gates.push(gate);
    let end = gates.len() as u32;
    match blocks.last_mut() {
        Some(Block::Run(run)) if run.kind == kind && run.gates.end + 1 == end => run.gates.end = end,
        _ => blocks.push(Block::Run(Run { kind, gates: end - 1..end })),
    }
}
