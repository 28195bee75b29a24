//! Programs: gates in execution order, with a row for each value.
//!
//! The rows of a program are, in this order: 0 (false in all lanes), 1 (true in all lanes), the state bits,
//! one row per move of each role (legal moves; after the choice, the chosen move), and intermediate values.
//! The latter share rows, so that few rows are live at a time and stay in the first-level cache.

use crate::allocate::Allocator;
use crate::circuit::Circuit;
use crate::gate::{Gate, Kind, Literal};
use crate::gates::{Item, Mapper, Section, Value, ValueGate, drop_unread};
use crate::net::{PropNet, Signal};
use crate::report::Steps;
use ggp_game::{EvalError, StopToken};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Row 0: false in every lane.
pub(crate) const ZEROS: u32 = 0;
/// Row 1: true in every lane.
pub(crate) const ONES: u32 = 1;
pub(crate) const FIRST_STATE: u32 = 2;
/// Each role's move rows are padded to a multiple of this number.
pub(crate) const GROUP: usize = 8;
/// Gates are sorted by kind within windows of this many gates. Larger windows make longer runs, but keep
/// more rows live at a time.
const WINDOW: usize = 512;

/// Consecutive gates of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) kind: Kind,
    pub(crate) gates: Range<u32>,
}

/// A unit of evaluation: a run of gates, or a loop for a fixpoint component.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    Run(Run),
    /// Computes a least fixpoint: unknowns start as zeros, and the body repeats until none changes.
    Loop {
        body: Vec<Run>,
        /// The row of each unknown, and the literal of its new value.
        unknowns: Vec<(u32, Literal<u32>)>,
    },
}

/// The move rows of one role, among which one move is chosen.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) role: usize,
    /// The first of the role's move rows.
    pub(crate) base: u32,
    /// The move of each row, as an index into the role's moves.
    pub(crate) moves: Vec<u32>,
    /// Whether the role has a legal move in every state.
    pub(crate) always: bool,
}

/// How long the rows of one section remain readable for later sections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// For playouts: rows are reused, and lanes may get another state after the terminal section.
    Refill,
    /// For playouts: rows are reused, and the legal section reads values of the terminal section.
    Share,
    /// For single states: every value has a row of its own.
    Keep,
}

/// The outputs of a network that a program computes.
pub(crate) struct Outputs<'a> {
    pub(crate) net: &'a PropNet,
    /// The fluents that have a state row, ascending.
    pub(crate) fluents: &'a [u32],
    /// Per role, the moves that have a row.
    pub(crate) moves: Vec<Vec<u32>>,
    /// Whether percepts are computed, together with the next state.
    pub(crate) percepts: bool,
}

/// Compiled gates that evaluate a network, or one phase of it.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) gates: Vec<Gate>,
    pub(crate) terminal_blocks: Vec<Block>,
    pub(crate) goal_blocks: Vec<Block>,
    pub(crate) legal_blocks: Vec<Block>,
    pub(crate) next_blocks: Vec<Block>,
    pub(crate) terminal: Literal<u32>,
    /// Per role, the literal of each goal, then that of `bad_goal`.
    pub(crate) goals: Vec<Vec<Literal<u32>>>,
    /// Per role and move of [`Outputs::moves`], the literal of its legality. Used with [`Layout::Keep`];
    /// otherwise legality is in the move's own row.
    pub(crate) legal: Vec<Vec<Literal<u32>>>,
    /// Per fluent of [`Outputs::fluents`], the literal of its next value. Used with [`Layout::Keep`];
    /// otherwise the next-state section overwrites the state rows.
    pub(crate) next: Vec<Literal<u32>>,
    /// Per role, the literal of each percept.
    pub(crate) percepts: Vec<Vec<Literal<u32>>>,
    pub(crate) choices: Vec<Choice>,
    /// The number of rows to allocate: a power of two.
    pub(crate) rows: usize,
    /// The number of rows in use.
    pub(crate) live_rows: usize,
    pub(crate) layout: Layout,
    /// Gates after each compilation step.
    pub(crate) steps: Steps,
}

/// The row of the state bit at `position` in [`Outputs::fluents`].
pub(crate) fn state_row(position: usize) -> usize {
    FIRST_STATE as usize + position
}

impl Program {
    /// The number of gates per step, without the goals.
    pub(crate) fn gates_per_step(&self) -> usize {
        [&self.terminal_blocks, &self.legal_blocks, &self.next_blocks]
            .into_iter()
            .map(|b| gate_count(b))
            .sum()
    }

    /// The blocks of a step and of the goals, in execution order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let sections = [&self.terminal_blocks, &self.goal_blocks, &self.legal_blocks, &self.next_blocks];
        sections.into_iter().flatten()
    }

    /// The depth: gates on the longest path through the whole step. Loop bodies count once.
    pub(crate) fn levels(&self) -> usize {
        let mut levels = vec![0; self.rows];
        let mut highest = 0;
        for block in self.blocks() {
            let runs = match block {
                Block::Run(run) => std::slice::from_ref(run),
                Block::Loop { body, .. } => body,
            };
            for gate in
                runs.iter().flat_map(|run| &self.gates[run.gates.start as usize..run.gates.end as usize])
            {
                let below = gate.inputs.iter().map(|&input| levels[input as usize]).max();
                let level = below.unwrap_or(0) + 1;
                levels[gate.out as usize] = level;
                // Rows are reused, so the maximum must be taken here.
                highest = highest.max(level);
            }
        }
        highest
    }

    /// Bytes of the program's lists.
    pub(crate) fn bytes(&self) -> usize {
        let block = |block: &Block| match block {
            Block::Run(_) => size_of::<Block>(),
            Block::Loop { body, unknowns } => {
                size_of::<Block>() + size_of_val(body.as_slice()) + size_of_val(unknowns.as_slice())
            }
        };
        let lists = self.goals.iter().chain(&self.legal).chain(&self.percepts);
        let literals = lists.map(Vec::len).sum::<usize>() + self.next.len();
        let moves: usize = self.choices.iter().map(|choice| size_of_val(choice.moves.as_slice())).sum();
        size_of_val(self.gates.as_slice())
            + self.blocks().map(block).sum::<usize>()
            + literals * size_of::<Literal<u32>>()
            + moves
    }

    /// The number of gates of the goals beyond those of the terminal condition.
    pub(crate) fn gates_of_goals(&self) -> usize {
        gate_count(&self.goal_blocks)
    }
}

fn gate_count(blocks: &[Block]) -> usize {
    let run = |run: &Run| run.gates.len();
    let count = |block: &Block| match block {
        Block::Run(one) => run(one),
        Block::Loop { body, .. } => body.iter().map(run).sum(),
    };
    blocks.iter().map(count).sum()
}

/// The circuit of a network's outputs, ready for scheduling.
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
    /// Lowers `outputs` to a circuit. `share` selects the slow sharing of common gates.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn new(
        outputs: &'a Outputs<'a>,
        share: bool,
        stop: &StopToken,
    ) -> Result<Compiler<'a>, EvalError> {
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
        let (circuit, roots) = Circuit::lower(net, &roots, share, stop)?;
        let mut roots = roots.into_iter();
        let mut one = || roots.next().unwrap_or(Signal::FALSE);
        let terminal = one();
        let mut shape = |lists: &Vec<Vec<Signal>>| -> Vec<Vec<Signal>> {
            lists.iter().map(|list| list.iter().map(|_| one()).collect()).collect()
        };
        let (goals, legal, percepts) = (shape(&goals), shape(&legal), shape(&percepts));
        let next = next.iter().map(|_| one()).collect();
        Ok(Compiler { outputs, circuit, terminal, goals, legal, next, percepts })
    }

    /// The gates that both the terminal condition and the legal moves need, as a share of the gates of a
    /// step.
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

    /// Schedules the circuit and allocates rows.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn compile(&self, layout: Layout, stop: &StopToken) -> Result<Program, EvalError> {
        let keep = layout == Layout::Keep;
        let wanted = self.legal.iter().flatten().chain(&self.next).copied();
        let wanted: Vec<Signal> = if keep { Vec::new() } else { wanted.collect() };
        let mut mapper = Mapper::new(&self.circuit, wanted.into_iter());
        let flat = |lists: &[Vec<Signal>]| -> Vec<Signal> { lists.iter().flatten().copied().collect() };

        let terminal_section = mapper.section(&[self.terminal], stop)?;
        let terminal = mapper.literal(self.terminal);
        let after_terminal = mapper.visible();
        let goal_section = mapper.section(&flat(&self.goals), stop)?;
        let goals = literals(&mut mapper, &self.goals);
        match layout {
            Layout::Refill => mapper.forget(),
            Layout::Share | Layout::Keep => mapper.restore(after_terminal),
        }
        let legal_section = mapper.section(&flat(&self.legal), stop)?;
        let legal = literals(&mut mapper, &self.legal);
        let mut next_roots = self.next.clone();
        next_roots.extend(flat(&self.percepts));
        let next_section = mapper.section(&next_roots, stop)?;
        let next: Vec<Literal<Value>> = self.next.iter().map(|&signal| mapper.literal(signal)).collect();
        let percepts = literals(&mut mapper, &self.percepts);

        let mut sections = [terminal_section, goal_section, legal_section, next_section];
        let mut read = vec![false; mapper.value_count()];
        let outside = goals.iter().chain(&legal).chain(&percepts).flatten().chain(&next).chain([&terminal]);
        for &(value, _) in outside {
            read[value as usize] = true;
        }
        drop_unread(&mut sections, &mut read);
        for section in &mut sections {
            *section = sort_by_kind(std::mem::take(section), stop)?;
        }

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
            steps: Steps { mapped: sections.iter().flatten().map(Item::gates).sum(), ..self.circuit.steps },
        };
        stop.check()?;
        Ok(allocator.finish(program, sections, terminal, &goals, &legal, &next, &percepts))
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

/// Reorders the gates within windows so that gates of one kind are consecutive.
fn sort_by_kind(section: Section, stop: &StopToken) -> Result<Section, EvalError> {
    let mut sorted = Vec::with_capacity(section.len());
    let mut window = Vec::new();
    for item in section {
        match item {
            Item::Gate(gate) => {
                window.push(gate);
                if window.len() == WINDOW {
                    stop.check()?;
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
    Ok(sorted)
}

/// List scheduling that always continues with the kind of which most gates are ready.
fn sort_window(gates: &[ValueGate]) -> Vec<ValueGate> {
    let writer: FxHashMap<Value, usize> = gates.iter().enumerate().map(|(at, gate)| (gate.out, at)).collect();
    let mut waiting = vec![0u32; gates.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); gates.len()];
    for (at, gate) in gates.iter().enumerate() {
        for input in gate.inputs {
            let Some(&from) = writer.get(&input) else { continue };
            if !readers[from].contains(&at) {
                readers[from].push(at);
                waiting[at] += 1;
            }
        }
    }
    let mut ready: Vec<std::collections::VecDeque<usize>> =
        vec![std::collections::VecDeque::new(); Kind::ALL.len()];
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
