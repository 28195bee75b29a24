//! Technology mapping: orders the circuit topologically and cuts conjunctions into gates of at most three
//! inputs.
//!
//! Each section of a step (terminal, goals, legal, next) is a list of items: gates, and loops that iterate a
//! fixpoint component until it is stable. Each value has an index. The allocator assigns rows to the values
//! later.

use crate::circuit::{Cell, Circuit};
use crate::gate::{Kind, Literal, conjunction, conjunction_with_clause};
use crate::latch::Kept;
use crate::node::Signal;
use ggp_game::{EvalError, StopToken};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A conjunction of at least this many clauses is computed in several chains.
const WIDE: usize = 24;
/// The number of chains of a wide conjunction. Each gate of a chain waits for the one before, so a single long
/// chain would leave the processor idle.
const APART: usize = 4;

/// The index of a value: the output of a gate, an unknown of a loop, or a leaf.
pub(crate) type Value = u32;

/// A gate whose inputs and output are values, not rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueGate {
    pub(crate) kind: Kind,
    pub(crate) out: Value,
    pub(crate) inputs: [Value; 3],
}

/// A loop that solves a fixpoint component: its gates, its unknowns, and for each unknown the literal of its
/// new value.
#[derive(Debug, Default)]
pub(crate) struct Loop {
    pub(crate) gates: Vec<ValueGate>,
    pub(crate) unknowns: Vec<Value>,
    pub(crate) bodies: Vec<Literal<Value>>,
    /// Whether the unknowns keep their values from step to step.
    pub(crate) is_kept: bool,
}

#[derive(Debug)]
pub(crate) enum Item {
    Gate(ValueGate),
    /// A gate that keeps its place among the items. It may change a value that an earlier gate has computed.
    Fixed(ValueGate),
    Loop(Box<Loop>),
    /// The start of a group of gates, up to the next [`Item::End`]. The group is left out where the value is
    /// false in all lanes.
    Guard(Value),
    /// The end of a group, with the value that is false if the group is left out. Without such a value, the
    /// group changes only values that stay as they are if it is left out.
    End(Option<Value>),
}

impl Item {
    /// The number of gates of the item.
    pub(crate) fn gates(&self) -> usize {
        match self {
            Item::Gate(_) | Item::Fixed(_) => 1,
            Item::Loop(recursion) => recursion.gates.len(),
            Item::Guard(_) | Item::End(_) => 0,
        }
    }
}

/// The part of a step that computes one kind of output, as a list of items in execution order.
pub(crate) type Section = Vec<Item>;

/// The source of a value that no gate computes: the constant false, a state bit, a move of a role, a set of moves
/// by its index, or an unknown that is kept from step to step, by its position among the kept rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Leaf {
    False,
    State(u32),
    Move(u32, u32),
    MoveSet(u32),
    Kept(u32),
}

/// Maps the cells of a circuit to gates, section by section.
pub(crate) struct Mapper<'a> {
    circuit: &'a Circuit,
    kept: &'a Kept,
    fanouts: Vec<u32>,
    /// The literal of each cell that has been computed and that later sections may read, or [`HIDDEN`].
    visible: Vec<Literal<Value>>,
    leaves: FxHashMap<Leaf, Value>,
    next_value: Value,
    /// For each cell, whether its negation is an output: the cell's gate then computes the negation.
    negative: Vec<bool>,
    /// The literals and the clauses of the conjunction that is mapped to gates.
    literals: VecDeque<Literal<Value>>,
    clauses: Vec<[Literal<Value>; 2]>,
}

/// The literal of a cell that has not been computed.
const HIDDEN: Literal<Value> = (Value::MAX, false);

enum Operand {
    Literal(Literal<Value>),
    Clause(Literal<Value>, Literal<Value>),
}

impl<'a> Mapper<'a> {
    /// Creates a mapper. Where possible, the gate for a signal in `wanted` computes the signal itself and not
    /// its negation, so that no further gate has to negate the result.
    pub(crate) fn new(
        circuit: &'a Circuit,
        kept: &'a Kept,
        wanted: impl Iterator<Item = Signal>,
    ) -> Mapper<'a> {
        let mut negative = vec![false; circuit.cells.len()];
        for signal in wanted {
            negative[signal.node()] = signal.is_negated();
        }
        let fanouts = circuit.fanouts();
        Mapper {
            circuit,
            kept,
            fanouts,
            visible: vec![HIDDEN; circuit.cells.len()],
            leaves: FxHashMap::default(),
            next_value: 0,
            negative,
            literals: VecDeque::new(),
            clauses: Vec::new(),
        }
    }

    /// The number of values.
    pub(crate) fn value_count(&self) -> usize {
        self.next_value as usize
    }

    /// The leaves that the gates read, each with its value.
    pub(crate) fn leaves(&self) -> &FxHashMap<Leaf, Value> {
        &self.leaves
    }

    /// Hides the values of earlier sections: their rows may be overwritten before the next section.
    pub(crate) fn forget(&mut self) {
        self.visible.fill(HIDDEN);
    }

    /// The literals of the cells that later sections may read.
    pub(crate) fn visible(&self) -> Vec<Literal<Value>> {
        self.visible.clone()
    }

    /// Restores the visible values that [`Mapper::visible`] returned earlier.
    pub(crate) fn restore(&mut self, visible: Vec<Literal<Value>>) {
        self.visible = visible;
    }

    /// Creates a new value.
    pub(crate) fn fresh(&mut self) -> Value {
        self.next_value += 1;
        self.next_value - 1
    }

    /// The value of `leaf`. The first call for a leaf creates the value.
    pub(crate) fn leaf(&mut self, leaf: Leaf) -> Value {
        if let Some(&value) = self.leaves.get(&leaf) {
            return value;
        }
        let value = self.fresh();
        self.leaves.insert(leaf, value);
        value
    }

    /// The literal of a signal that a section has computed, or of a leaf.
    pub(crate) fn literal(&mut self, signal: Signal) -> Literal<Value> {
        let (value, negated) = match self.circuit.cells[signal.node()] {
            Cell::False => (self.leaf(Leaf::False), false),
            Cell::State(fluent) => (self.leaf(Leaf::State(fluent)), false),
            Cell::Move { role, index } => (self.leaf(Leaf::Move(role, index)), false),
            Cell::MoveSet(number) => (self.leaf(Leaf::MoveSet(number)), false),
            _ => self.visible[signal.node()],
        };
        (value, negated != signal.is_negated())
    }

    /// Maps the cells that `roots` depend on to gates. Cells whose literals are visible already are left out.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn section(&mut self, roots: &[Signal], stop: &StopToken) -> Result<Section, EvalError> {
        enum Visit {
            Enter(usize),
            Leave(usize),
            EnterLoop(usize),
            LeaveLoop(usize),
        }
        const OUTSIDE: u32 = u32::MAX;
        let mut items = Vec::new();
        let mut loops: FxHashMap<usize, Loop> = FxHashMap::default();
        // For each cell, the component whose unknowns it depends on. Empty without components.
        let has_loops = self.circuit.components.iter().any(|bodies| !bodies.is_empty());
        let mut region = vec![OUTSIDE; if has_loops { self.circuit.cells.len() } else { 0 }];
        let mut gates = Vec::new();
        let mut stack: Vec<Visit> = roots.iter().rev().map(|root| Visit::Enter(root.node())).collect();
        while let Some(visit) = stack.pop() {
            stop.check()?;
            match visit {
                Visit::Enter(at) if self.visible[at] != HIDDEN => {}
                Visit::Enter(at) => match &self.circuit.cells[at] {
                    Cell::False | Cell::State(_) | Cell::Move { .. } | Cell::MoveSet(_) => {}
                    Cell::Variable(unknown) => {
                        let unknowns = &loops.entry(unknown.component as usize).or_default().unknowns;
                        self.visible[at] = (unknowns[unknown.index as usize], false);
                        region[at] = unknown.component;
                    }
                    Cell::Fixpoint(unknown) => {
                        stack.push(Visit::Leave(at));
                        stack.push(Visit::EnterLoop(unknown.component as usize));
                    }
                    Cell::And(inputs) => {
                        stack.push(Visit::Leave(at));
                        stack.extend(inputs.iter().map(|input| Visit::Enter(input.node())));
                    }
                },
                Visit::EnterLoop(component) if loops.contains_key(&component) => {}
                Visit::EnterLoop(component) => {
                    let bodies = &self.circuit.components[component];
                    let first = self.kept.first(component);
                    let unknowns = (0..bodies.len() as u32).map(|at| match first {
                        Some(first) => self.leaf(Leaf::Kept(first + at)),
                        None => self.fresh(),
                    });
                    let unknowns = unknowns.collect();
                    loops.insert(component, Loop { unknowns, is_kept: first.is_some(), ..Loop::default() });
                    stack.push(Visit::LeaveLoop(component));
                    stack.extend(bodies.iter().map(|body| Visit::Enter(body.node())));
                }
                Visit::LeaveLoop(component) => {
                    let bodies = &self.circuit.components[component];
                    let bodies = bodies.iter().map(|&body| self.literal(body)).collect();
                    if let Some(recursion) = loops.get_mut(&component) {
                        let gates = std::mem::take(&mut recursion.gates);
                        let unknowns = recursion.unknowns.clone();
                        let is_kept = recursion.is_kept;
                        items.push(Item::Loop(Box::new(Loop { gates, unknowns, bodies, is_kept })));
                    }
                }
                Visit::Leave(at) => match &self.circuit.cells[at] {
                    _ if self.visible[at] != HIDDEN => {}
                    Cell::Fixpoint(unknown) => {
                        let value = loops[&(unknown.component as usize)].unknowns[unknown.index as usize];
                        self.visible[at] = (value, false);
                    }
                    Cell::And(inputs) => {
                        let region_of = |input: &Signal| region.get(input.node()).copied();
                        let inside = inputs.iter().filter_map(region_of).find(|&one| one != OUTSIDE);
                        self.visible[at] = self.map_conjunction(at, inputs, &mut gates);
                        match inside.unwrap_or(OUTSIDE) {
                            OUTSIDE => items.extend(gates.drain(..).map(Item::Gate)),
                            component => {
                                region[at] = component;
                                loops.entry(component as usize).or_default().gates.append(&mut gates);
                            }
                        }
                    }
                    _ => {}
                },
            }
        }
        Ok(items)
    }

    /// Maps the conjunction of cell `at` to gates and returns its literal. An input that is a negated
    /// conjunction of two literals, and that nothing else reads, becomes a clause of the gate that reads it.
    fn map_conjunction(
        &mut self,
        at: usize,
        inputs: &[Signal],
        gates: &mut Vec<ValueGate>,
    ) -> Literal<Value> {
        let circuit = self.circuit;
        if let [one] = *inputs {
            return self.literal(one);
        }
        let negated = self.negative[at];
        for &input in inputs {
            match self.operand(circuit, input) {
                Operand::Literal(literal) => self.literals.push_back(literal),
                Operand::Clause(one, two) => self.clauses.push([one, two]),
            }
        }
        let apart = if self.clauses.len() >= WIDE { APART } else { 0 };
        for [one, two] in self.clauses.drain(..apart) {
            let (kind, inputs) = conjunction(&[(one.0, !one.1), (two.0, !two.1)], true);
            let out = self.next_value;
            self.next_value += 1;
            gates.push(ValueGate { kind, out, inputs });
            self.literals.push_back((out, false));
        }
        loop {
            let last = self.literals.len() + 2 * self.clauses.len() <= 3;
            let negate = last && negated;
            let (kind, inputs) = if let Some([one, two]) = self.clauses.pop() {
                match self.literals.pop_front() {
                    Some(literal) => conjunction_with_clause(literal, one, two, negate),
                    None => conjunction(&[(one.0, !one.1), (two.0, !two.1)], true),
                }
            } else {
                let mut some = [HIDDEN; 3];
                let count = self.literals.len().min(some.len());
                some.iter_mut().zip(self.literals.drain(..count)).for_each(|(one, literal)| *one = literal);
                conjunction(&some[..count], negate)
            };
            let out = self.fresh();
            gates.push(ValueGate { kind, out, inputs });
            if last {
                return (out, negated);
            }
            self.literals.push_back((out, false));
        }
    }

    fn operand(&mut self, circuit: &Circuit, input: Signal) -> Operand {
        let absorbed = input.is_negated() && self.fanouts[input.node()] == 1 && !self.negative[input.node()];
        if absorbed
            && let Cell::And(inner) = &circuit.cells[input.node()]
            && let [one, two] = inner[..]
        {
            return Operand::Clause(self.literal(!one), self.literal(!two));
        }
        Operand::Literal(self.literal(input))
    }
}

/// Drops gates whose values are never read. `read` marks the values that outputs read; the function also
/// marks the values that the kept gates read.
pub(crate) fn drop_unread(sections: &mut [Section], read: &mut [bool]) {
    for section in sections.iter_mut().rev() {
        section.reverse();
        section.retain_mut(|item| match item {
            Item::Gate(gate) | Item::Fixed(gate) => {
                let keep = read[gate.out as usize];
                if keep {
                    gate.inputs.iter().for_each(|&input| read[input as usize] = true);
                }
                keep
            }
            Item::Loop(recursion) => {
                recursion.bodies.iter().for_each(|&(value, _)| read[value as usize] = true);
                recursion.gates.reverse();
                recursion.gates.retain(|gate| {
                    let keep = read[gate.out as usize];
                    if keep {
                        gate.inputs.iter().for_each(|&input| read[input as usize] = true);
                    }
                    keep
                });
                recursion.gates.reverse();
                true
            }
            Item::Guard(_) | Item::End(_) => true,
        });
        section.reverse();
    }
}
