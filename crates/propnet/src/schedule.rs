//! Scheduling: turns a circuit into a program. The order of the gates keeps the number of values that are
//! live at a time small.

use crate::allocate::{Allocator, LEGAL, OutputValues};
use crate::circuit::{Circuit, Sharing};
use crate::gate::{Gates, Kind, Literal};
use crate::gates::{Item, Leaf, Mapper, Section, Value, ValueGate, drop_unread};
use crate::guard::{Sizes, guarded, pays, uses};
use crate::hold::Holds;
use crate::leaves::{LastGates, take_last_gates};
use crate::node::Signal;
use crate::program::{Choice, Layout, Outputs, Program, SetRows, ZEROS};
use crate::select::{has_many, has_many_moves};
use crate::steps::Steps;
use ggp_game::{EvalError, StopToken};
use std::collections::VecDeque;

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
    verdicts: Vec<Vec<Signal>>,
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
        let verdicts = outputs.verdicts.to_vec();
        let mut roots = vec![net.terminal];
        for lists in [&goals, &legal, &percepts, &verdicts] {
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
        let verdicts = shape(&verdicts);
        let next = next.iter().map(|_| one()).collect();
        Ok(Compiler { outputs, circuit, terminal, goals, legal, next, percepts, verdicts })
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
        let legal_roots = [flat(&self.legal), flat(&self.verdicts)].concat();
        let legal_section = mapper.section(&legal_roots, stop)?;
        let legal = literals(&mut mapper, &self.legal);
        let verdicts = literals(&mut mapper, &self.verdicts);
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
        let outputs = OutputValues { terminal, goals, legal, next, percepts, verdicts };

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
        let mut last_of = |(legal, moves): (&Vec<Literal<Value>>, &Vec<u32>)| {
            let may = !keep && has_many(moves.len());
            may.then(|| take_last_gates(&mut sections[LEGAL], legal, &uses))?
        };
        let last_gates: Vec<Option<LastGates>> =
            outputs.legal.iter().zip(&self.outputs.moves).map(&mut last_of).collect();
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
            gates: Gates::default(),
            terminal_blocks: Vec::new(),
            goal_blocks: Vec::new(),
            legal_blocks: Vec::new(),
            next_blocks: Vec::new(),
            terminal: (ZEROS, false),
            goals: Vec::new(),
            legal: Vec::new(),
            next: Vec::new(),
            percepts: Vec::new(),
            verdicts: Vec::new(),
            choices: self.choices(&allocator),
            rows: 0,
            live_rows: 0,
            layout,
            steps: Steps { mapped: sections.iter().flatten().map(Item::gates).sum(), ..self.circuit.steps },
        };
        stop.check()?;
        Ok(allocator.finish(program, sections, &outputs, &last_gates))
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
                leaves: None,
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
    let mut sorter = Sorter::default();
    for item in section {
        match item {
            Item::Gate(gate) => {
                window.push(gate);
                if window.len() == WINDOW {
                    stop.check()?;
                    sorted.extend(sorter.sorted(&window).map(Item::Gate));
                    window.clear();
                }
            }
            Item::Fixed(_) | Item::Guard(_) | Item::End(_) => {
                sorted.extend(sorter.sorted(&window).map(Item::Gate));
                window.clear();
                sorted.push(item);
            }
            Item::Loop(mut recursion) => {
                sorted.extend(sorter.sorted(&window).map(Item::Gate));
                window.clear();
                recursion.gates = sorter.sorted(&recursion.gates).collect();
                sorted.push(Item::Loop(recursion));
            }
        }
    }
    sorted.extend(sorter.sorted(&window).map(Item::Gate));
    Ok(sorted)
}

/// Orders the gates of windows by list scheduling: always continues with the kind that has the most gates ready.
#[derive(Default)]
struct Sorter {
    /// The number of windows so far.
    windows: u32,
    /// For each value, the last window that computes it, and the index of the gate in this window.
    writers: Vec<(u32, u32)>,
    /// For each gate of the window, the number of its inputs that the window computes and that are not placed yet.
    waiting: Vec<u32>,
    /// For each gate of the window, the end of its part of `readers`; the part begins where that of the gate before
    /// ends.
    ends: Vec<u32>,
    /// The gates of the window that read the output of each gate.
    readers: Vec<u32>,
    /// For each kind, the gates whose inputs are all placed.
    ready: Vec<VecDeque<u32>>,
    order: Vec<u32>,
}

impl Sorter {
    /// The gates of `window` in their new order.
    fn sorted(&mut self, window: &[ValueGate]) -> impl Iterator<Item = ValueGate> {
        self.windows += 1;
        let largest = window.iter().map(|gate| gate.out as usize + 1).max().unwrap_or(0);
        if largest > self.writers.len() {
            self.writers.resize(largest.next_power_of_two(), (0, 0));
        }
        for (at, gate) in (0..).zip(window) {
            self.writers[gate.out as usize] = (self.windows, at);
        }
        // 1. The readers of each gate, each reader once.
        let (writers, windows) = (&self.writers, self.windows);
        let read_by = |gate: &ValueGate| {
            let inputs = gate.inputs;
            let is_first = move |at: usize| !inputs[..at].contains(&inputs[at]);
            let inputs = (0..inputs.len()).filter(move |&at| is_first(at)).map(move |at| inputs[at]);
            inputs.filter_map(move |input| match writers.get(input as usize) {
                Some(&(of, at)) if of == windows => Some(at as usize),
                _ => None,
            })
        };
        self.waiting.clear();
        self.ends.clear();
        self.ends.resize(window.len(), 0);
        for gate in window {
            let before = read_by(gate).inspect(|&from| self.ends[from] += 1).count();
            self.waiting.push(before as u32);
        }
        let mut all = 0;
        for end in &mut self.ends {
            // The start of the part, which becomes its end as the part is filled.
            all += std::mem::replace(end, all);
        }
        self.readers.clear();
        self.readers.resize(all as usize, 0);
        for (at, gate) in (0..).zip(window) {
            for from in read_by(gate) {
                self.readers[self.ends[from] as usize] = at;
                self.ends[from] += 1;
            }
        }
        // 2. The order.
        self.ready.resize(Kind::ALL.len(), VecDeque::new());
        for (at, gate) in (0..).zip(window) {
            if self.waiting[at as usize] == 0 {
                self.ready[gate.kind as usize].push_back(at);
            }
        }
        self.order.clear();
        let ready = &mut self.ready;
        while let Some(kind) =
            (0..ready.len()).filter(|&kind| !ready[kind].is_empty()).max_by_key(|&kind| ready[kind].len())
        {
            while let Some(at) = ready[kind].pop_front() {
                self.order.push(at);
                let start = if at == 0 { 0 } else { self.ends[at as usize - 1] };
                for &reader in &self.readers[start as usize..self.ends[at as usize] as usize] {
                    let waiting = &mut self.waiting[reader as usize];
                    *waiting -= 1;
                    if *waiting == 0 {
                        ready[window[reader as usize].kind as usize].push_back(reader);
                    }
                }
            }
        }
        self.order.iter().map(|&at| window[at as usize])
    }
}

#[cfg(test)]
mod tests;
