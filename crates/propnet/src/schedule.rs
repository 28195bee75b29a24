//! Scheduling: turns a circuit into a program. The order of the gates keeps the number of values that are
//! live at a time small.

use crate::allocate::{Allocator, OutputValues};
use crate::circuit::{Circuit, Sharing};
use crate::gate::{Kind, Literal};
use crate::gates::{Item, Leaf, Mapper, Section, Value, ValueGate, drop_unread};
use crate::guard::{Sizes, guarded, pays, uses};
use crate::hold::Holds;
use crate::node::Signal;
use crate::program::{Choice, Layout, Outputs, Program, SetRows, ZEROS};
use crate::select::has_many_moves;
use crate::steps::Steps;
use ggp_game::{EvalError, StopToken};
use rustc_hash::FxHashMap;

/// Gates are sorted by kind within windows of this many gates. Larger windows make longer runs, but keep
/// more rows live at a time.
const WINDOW: usize = 512;

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
    /// Lowers `outputs` to a circuit. Sharing common parts of gates makes the circuit smaller but takes long.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn new(
        outputs: &'a Outputs<'a>,
        sharing: Sharing,
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
        let (circuit, roots) = Circuit::lower(net, &roots, sharing, stop)?;
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

    /// The fraction of a step's gates, from 0 to 1, that both the terminal condition and the legal moves
    /// need.
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

    /// Schedules the circuit and allocates rows. Groups of gates from `sizes` on get guards; with
    /// [`Layout::Keep`], no gates get guards.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn compile(
        &self,
        layout: Layout,
        sizes: Sizes,
        stop: &StopToken,
    ) -> Result<Program, EvalError> {
        let keep = layout == Layout::Keep;
        let wanted = self.legal.iter().flatten().chain(&self.next).copied();
        let wanted: Vec<Signal> = if keep { Vec::new() } else { wanted.collect() };
        let mut mapper = Mapper::new(&self.circuit, &self.outputs.kept, wanted.into_iter());
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
        let percept_roots = flat(&self.percepts);
        let fluents = self.outputs.fluents;
        let holds = if keep || self.circuit.cells.len() < sizes.section {
            Holds::default()
        } else {
            Holds::find(&self.circuit, fluents, &self.next, &percept_roots, sizes.group)
        };
        let computed = (0..).zip(&self.next).filter(|&(at, _)| !holds.has(at)).map(|(_, &signal)| signal);
        let next_roots: Vec<Signal> = computed.chain(percept_roots).chain(holds.signals()).collect();
        let next_section = mapper.section(&next_roots, stop)?;
        let next = fluents.iter().zip(&self.next).enumerate().map(|(at, (&fluent, &signal))| {
            if holds.has(at) { (mapper.leaf(Leaf::State(fluent)), false) } else { mapper.literal(signal) }
        });
        let next = next.collect();
        let held_section = holds.section(&mut mapper);
        let percepts = literals(&mut mapper, &self.percepts);
        let outputs = OutputValues { terminal, goals, legal, next, percepts };

        let mut sections = [terminal_section, goal_section, legal_section, next_section];
        let mut read = vec![false; mapper.value_count()];
        for (value, _) in outputs.iter() {
            read[value as usize] = true;
        }
        for item in &held_section {
            if let Item::Fixed(gate) = item {
                gate.inputs.iter().for_each(|&input| read[input as usize] = true);
            }
        }
        drop_unread(&mut sections, &mut read);
        let uses =
            if keep { Vec::new() } else { uses(mapper.value_count(), &sections, &held_section, &outputs) };
        for section in &mut sections {
            let grouped = if keep { None } else { guarded(section, &uses, sizes) };
            *section = sort_by_kind(std::mem::take(section), stop)?;
            if let Some(grouped) = grouped {
                let grouped = sort_by_kind(grouped, stop)?;
                if pays(section, &grouped, sizes) {
                    *section = grouped;
                }
            }
        }
        let [.., next_section] = &mut sections;
        next_section.extend(held_section);

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
        Ok(allocator.finish(program, sections, &outputs))
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
                sets: has_many_moves(&self.outputs.net.roles[role]).then(|| {
                    let (first, sets) = &allocator.sets[role];
                    self.set_rows(*first, sets, moves)
                }),
            })
            .collect()
    }

    /// The rows of `sets`, sets of moves by their indices, from the row `first` on. `moves` are the moves that have
    /// a row, in ascending order.
    fn set_rows(&self, first: u32, sets: &[u32], moves: &[u32]) -> SetRows {
        let row_of = |mv: &u32| moves.binary_search(mv).ok().map(|row| row as u32);
        let in_rows = |&set: &u32| self.outputs.net.move_set(set).members.iter().filter_map(row_of).collect();
        SetRows::new(first, moves.len(), &sets.iter().map(in_rows).collect::<Vec<_>>())
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
            Item::Fixed(_) | Item::Guard(_) | Item::End(_) => {
                sorted.extend(sort_window(&std::mem::take(&mut window)).into_iter().map(Item::Gate));
                sorted.push(item);
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

/// Orders the gates of one window by list scheduling: always continues with the kind that has the most gates
/// ready.
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

#[cfg(test)]
mod tests;
