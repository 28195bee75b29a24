//! The network lowered to plain logic: state bits, single moves and n-ary ANDs.
//!
//! Move sets become disjunctions of single moves, but for those of roles with many moves, which stay as they are.
//! Lowering then factors out common literals and shares common pairs of inputs. The disjunctions that have replaced
//! move sets take part in both.

use crate::net::PropNet;
use crate::node::{Node, Signal, Unknown};
use crate::select::has_many_moves;
use crate::steps::Steps;
use crate::walk::Walk;
use ggp_game::{EvalError, StopToken};
use rustc_hash::FxHashMap;

/// A node of a circuit.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    False,
    State(u32),
    /// `role` makes its move with the index `index`.
    Move {
        role: u32,
        index: u32,
    },
    /// The move of a role is in the set with this index.
    MoveSet(u32),
    Variable(Unknown),
    Fixpoint(Unknown),
    /// The conjunction of one or more inputs.
    And(Vec<Signal>),
}

/// The logic of some outputs of a network. A [`Signal`] of a circuit refers to one of its `cells`. Unlike in
/// a network, a cell may precede its inputs.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    pub(crate) cells: Vec<Cell>,
    /// The equations of each fixpoint component. Empty for a component that the circuit's outputs do not
    /// need.
    pub(crate) components: Vec<Vec<Signal>>,
    pub(crate) roots: Vec<Signal>,
    /// The number of gates after each compilation step that has been done.
    pub(crate) steps: Steps,
}

/// How much work lowering does to make a circuit small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sharing {
    /// Lowering is fast: it skips factoring and the sharing of pairs.
    Off,
    /// Lowering factors, then shares pairs.
    Once,
    /// Lowering does so with two choices of factors, and the smaller circuit counts. Which choice is better
    /// depends on the game.
    Best,
}

/// Circuits of more gates get no second choice of factors, because it takes as long as the first.
const SECOND_UP_TO: usize = 150_000;
/// They get none either if pairs of inputs are less than one in this many gates.
const SECOND_FROM: usize = 5;
/// The second choice of factors counts if its circuit has at most this percentage of the gates.
const SECOND_PERCENT: usize = 90;

impl Circuit {
    /// Lowers `roots` to a circuit. Returns the circuit, and `roots` as signals of the circuit.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn lower(
        net: &PropNet,
        roots: &[Signal],
        sharing: Sharing,
        stop: &StopToken,
    ) -> Result<(Circuit, Vec<Signal>), EvalError> {
        let mut circuit = Circuit {
            cells: vec![Cell::False],
            components: vec![Vec::new(); net.components.len()],
            roots: Vec::new(),
            steps: Steps::default(),
        };
        circuit.copy(net, roots);
        stop.check()?;
        circuit.steps.lowered = circuit.gates();
        circuit.flatten(stop)?;
        circuit.steps.flattened = circuit.gates();
        circuit.steps.factored = circuit.steps.flattened;
        circuit.steps.shared = circuit.steps.flattened;
        let second = if sharing == Sharing::Best { circuit.dissolved() } else { None };
        if sharing != Sharing::Off {
            circuit.share(false, stop)?;
        }
        if let Some(mut second) = second {
            second.share(true, stop)?;
            if second.wide_gates() * 100 <= circuit.wide_gates() * SECOND_PERCENT {
                circuit = second;
            }
        }
        let roots = circuit.roots.clone();
        Ok((circuit, roots))
    }

    /// Factors, then shares pairs. For `fewest_readers` see [`Circuit::factor`].
    fn share(&mut self, fewest_readers: bool, stop: &StopToken) -> Result<(), EvalError> {
        self.factor(fewest_readers, stop)?;
        self.flatten(stop)?;
        self.steps.factored = self.gates();
        self.share_pairs(stop)?;
        self.steps.shared = self.gates();
        Ok(())
    }

    /// The size of the circuit, counted in two-input gates.
    fn gates(&self) -> usize {
        (0..self.cells.len()).map(|at| self.width(at).saturating_sub(1)).sum()
    }

    /// The number of gates of three inputs that the circuit takes, apart from gates in several sections. A
    /// disjunction of two inputs with one reader becomes a part of the gate that reads it.
    fn wide_gates(&self) -> usize {
        let fanouts = self.fanouts();
        let is_clause = |at: usize| self.width(at) == 2 && fanouts[at] == 1;
        let read = |input: &Signal| if input.is_negated() && is_clause(input.node()) { 2 } else { 1 };
        let gates = |at: usize| self.inputs(at).iter().map(read).sum::<usize>() / 2;
        (0..self.cells.len()).map(|at| if is_clause(at) { 0 } else { gates(at) }).sum()
    }

    pub(crate) fn push(&mut self, cell: Cell) -> Signal {
        self.cells.push(cell);
        Signal::of_node(self.cells.len() - 1)
    }

    /// Copies the nodes that `roots` need into the circuit. A search finds these nodes first, because
    /// fixpoints break the topological order of a network's nodes.
    fn copy(&mut self, net: &PropNet, roots: &[Signal]) {
        let mut needed = Walk::new(net);
        needed.on(roots.iter().copied(), |_| ());
        let mut image = vec![Signal::FALSE; net.nodes.len()];
        let mut moves: FxHashMap<(u32, u32), Signal> = FxHashMap::default();
        for (number, node) in net.nodes.iter().enumerate().filter(|&(number, _)| needed.has_met(number)) {
            let through =
                |image: &[Signal], signal: Signal| image[signal.node()].negated_if(signal.is_negated());
            image[number] = match node {
                Node::False => Signal::FALSE,
                Node::State(fluent) => self.push(Cell::State(*fluent)),
                Node::Variable(unknown) => self.push(Cell::Variable(*unknown)),
                Node::Fixpoint(unknown) => self.push(Cell::Fixpoint(*unknown)),
                Node::And(inputs) => {
                    self.steps.needed += inputs.len() - 1;
                    let inputs = inputs.iter().map(|&input| through(&image, input)).collect();
                    self.push(Cell::And(inputs))
                }
                Node::MoveSet(number) if has_many_moves(&net.roles[net.move_set(*number).role as usize]) => {
                    self.push(Cell::MoveSet(*number))
                }
                Node::MoveSet(set) => {
                    let set = net.move_set(*set);
                    let none: Vec<Signal> = set
                        .members
                        .iter()
                        .map(|&index| {
                            let role = set.role;
                            let new = || {
                                self.cells.push(Cell::Move { role, index });
                                Signal::of_node(self.cells.len() - 1)
                            };
                            !*moves.entry((role, index)).or_insert_with(new)
                        })
                        .collect();
                    if let [one] = none[..] { !one } else { !self.push(Cell::And(none)) }
                }
            };
        }
        let through = |signal: &Signal| image[signal.node()].negated_if(signal.is_negated());
        for (component, bodies) in net.components.iter().enumerate() {
            if needed.has_met_component(component) {
                self.components[component] = bodies.iter().map(through).collect();
            }
        }
        self.roots = roots.iter().map(through).collect();
    }

    /// For each cell, the number of cells and roots that read it.
    pub(crate) fn fanouts(&self) -> Vec<u32> {
        let mut fanouts = vec![0; self.cells.len()];
        let inputs = (0..self.cells.len()).flat_map(|at| self.inputs(at));
        for signal in inputs.chain(self.components.iter().flatten()).chain(&self.roots) {
            fanouts[signal.node()] += 1;
        }
        fanouts
    }

    /// The inputs of a conjunction. Other cells have none.
    pub(crate) fn inputs(&self, at: usize) -> &[Signal] {
        match &self.cells[at] {
            Cell::And(inputs) => inputs,
            _ => &[],
        }
    }

    /// `signal`, with conjunctions of one input replaced by this input.
    pub(crate) fn resolved(&self, mut signal: Signal) -> Signal {
        while let [one] = *self.inputs(signal.node()) {
            signal = one.negated_if(signal.is_negated());
        }
        signal
    }

    /// The number of inputs of a cell.
    pub(crate) fn width(&self, at: usize) -> usize {
        self.inputs(at).len()
    }

    /// The cells that `roots` depend on.
    pub(crate) fn cone(&self, roots: &[Signal]) -> Vec<bool> {
        let mut cone = vec![false; self.cells.len()];
        let mut stack: Vec<usize> = roots.iter().map(|root| root.node()).collect();
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut cone[at], true) {
                continue;
            }
            match &self.cells[at] {
                Cell::And(inputs) => stack.extend(inputs.iter().map(|input| input.node())),
                Cell::Fixpoint(unknown) => {
                    let bodies = &self.components[unknown.component as usize];
                    stack.extend(bodies.iter().map(|body| body.node()));
                }
                _ => {}
            }
        }
        cone
    }

    /// Merges each conjunction into its reader if its only reader is a conjunction.
    fn flatten(&mut self, stop: &StopToken) -> Result<(), EvalError> {
        let fanouts = self.fanouts();
        let mergeable = |cells: &[Cell], signal: Signal| {
            !signal.is_negated()
                && fanouts[signal.node()] == 1
                && matches!(cells[signal.node()], Cell::And(_))
        };
        for at in 0..self.cells.len() {
            stop.check()?;
            let Cell::And(inputs) = &mut self.cells[at] else { continue };
            let mut pending = std::mem::take(inputs);
            let mut merged = Vec::with_capacity(pending.len());
            while let Some(signal) = pending.pop() {
                if mergeable(&self.cells, signal) {
                    // The merged conjunction has no other reader, so it becomes an empty cell.
                    if let Cell::And(inner) = &mut self.cells[signal.node()] {
                        pending.append(inner);
                    }
                    self.cells[signal.node()] = Cell::False;
                } else {
                    merged.push(signal);
                }
            }
            merged.sort_unstable();
            merged.dedup();
            self.cells[at] = Cell::And(merged);
        }
        Ok(())
    }

    /// The circuit with each conjunction of two inputs replaced by these inputs in the conjunctions that read it.
    /// Factoring then sees the literals inside the pair. The sharing of pairs makes a cell of the pair again if
    /// enough readers still contain it. `None` if few pairs are replaced, or if the circuit is large.
    fn dissolved(&self) -> Option<Circuit> {
        let fanouts = self.fanouts();
        let pair = |signal: Signal| match *self.inputs(signal.node()) {
            [one, two] if fanouts[signal.node()] > 1 && !signal.is_negated() => Some([one, two]),
            _ => None,
        };
        let of_pairs =
            (0..self.cells.len()).flat_map(|at| self.inputs(at)).filter(|&&input| pair(input).is_some());
        if self.steps.flattened > SECOND_UP_TO || of_pairs.count() * SECOND_FROM < self.steps.flattened {
            return None;
        }
        let mut circuit = self.clone();
        for cell in &mut circuit.cells {
            let Cell::And(inputs) = cell else { continue };
            let mut pending = std::mem::take(inputs);
            while let Some(signal) = pending.pop() {
                match pair(signal) {
                    Some(both) => pending.extend(both),
                    None => inputs.push(signal),
                }
            }
            inputs.sort_unstable();
            inputs.dedup();
        }
        Some(circuit)
    }
}

#[cfg(test)]
impl Circuit {
    /// The value of `signal` in a circuit without moves and fixpoints, where bit `i` of `state` is state bit `i`.
    pub(crate) fn value(&self, signal: Signal, state: u32) -> bool {
        let value = match &self.cells[signal.node()] {
            Cell::State(bit) => state >> bit & 1 == 1,
            Cell::And(inputs) => inputs.iter().all(|&input| self.value(input, state)),
            _ => false,
        };
        value != signal.is_negated()
    }
}
