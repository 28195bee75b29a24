//! The decoding of nodes: they stand in topological order, exist once, and only the equations of a fixpoint
//! component read its unknowns.

use super::{FIXPOINT, LEAF, MOVE_SET, NetForm, STATE, VARIABLE};
use crate::encoding::{DecodeError, require};
use crate::node::{Node, Signal, Unknown};
use rustc_hash::FxHashSet;

/// The largest number of nodes, so that a [`Signal`] can refer to each.
const MAX_NODES: usize = 1 << 31;

/// The decoded nodes of a network.
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    /// For each node, the fixpoint component whose unknowns it reads, plus 1; 0 for a node that reads none.
    inside: Vec<u32>,
}

impl Nodes {
    /// The nodes of `form`, which has `sets` move sets and the equations `components`.
    pub(super) fn new(form: &NetForm, components: &[&[u32]], sets: usize) -> Result<Nodes, DecodeError> {
        const FAULT: &str = "a node";
        let mut decoded = Nodes { nodes: vec![Node::False], inside: vec![0] };
        let mut rest = form.nodes.as_slice();
        let mut take = |count: usize| {
            let (taken, after) = rest.split_at_checked(count)?;
            rest = after;
            Some(taken)
        };
        let unknown = |component: u32, index: u32| {
            let exists = components.get(component as usize).is_some_and(|of| (index as usize) < of.len());
            exists.then_some(Unknown { component, index }).ok_or(DecodeError::Malformed(FAULT))
        };
        let mut solved = vec![false; components.len()];
        while let Some(&[inputs]) = take(1) {
            let (node, inside) = if inputs == LEAF {
                let [kind, index] = *take(2).unwrap_or_default() else {
                    return Err(DecodeError::Malformed(FAULT));
                };
                let mut second = || Ok(take(1).ok_or(DecodeError::Malformed(FAULT))?[0]);
                match kind {
                    STATE if (index as usize) < form.fluents.len() => (Node::State(index), 0),
                    MOVE_SET if (index as usize) < sets => (Node::MoveSet(index), 0),
                    VARIABLE => (Node::Variable(unknown(index, second()?)?), index + 1),
                    FIXPOINT => {
                        let unknown = unknown(index, second()?)?;
                        let component = unknown.component as usize;
                        if !std::mem::replace(&mut solved[component], true) {
                            decoded.check_equations(unknown.component, components[component])?;
                        }
                        (Node::Fixpoint(unknown), 0)
                    }
                    _ => return Err(DecodeError::Malformed(FAULT)),
                }
            } else {
                decoded.conjunction(take(inputs as usize).unwrap_or_default())?
            };
            require(decoded.nodes.len() < MAX_NODES, "too many nodes")?;
            decoded.nodes.push(node);
            decoded.inside.push(inside);
        }
        let mut met: FxHashSet<&Node> = FxHashSet::default();
        met.reserve(decoded.nodes.len());
        require(decoded.nodes.iter().all(|node| met.insert(node)), "a node twice")?;
        Ok(decoded)
    }

    /// The conjunction of the signals with the given distances, and the component whose unknowns it reads.
    fn conjunction(&self, inputs: &[u32]) -> Result<(Node, u32), DecodeError> {
        const FAULT: &str = "a conjunction";
        require(inputs.len() > 1, FAULT)?;
        let mut list = Vec::with_capacity(inputs.len());
        let (mut inside, mut before) = (0, 0u32);
        for &distance in inputs {
            let number = before.checked_add(distance).ok_or(DecodeError::Malformed(FAULT))?;
            // No node occurs twice, not even negated, and the constant does not occur.
            require(number >> 1 > before >> 1, FAULT)?;
            before = number;
            let signal = self.signal(number)?;
            let own = self.inside[signal.node()];
            require(own == 0 || inside == 0 || own == inside, "a node in two components")?;
            inside = inside.max(own);
            list.push(signal);
        }
        Ok((Node::And(list.into()), inside))
    }

    /// Checks the equations of `component`: they consist of the nodes so far, and they read no unknowns of
    /// other components.
    fn check_equations(&self, component: u32, equations: &[u32]) -> Result<(), DecodeError> {
        for &equation in equations {
            let inside = self.inside[self.signal(equation)?.node()];
            require(inside == 0 || inside == component + 1, "an equation")?;
        }
        Ok(())
    }

    /// The signal with the given number.
    pub(super) fn signal(&self, number: u32) -> Result<Signal, DecodeError> {
        let node = (number >> 1) as usize;
        require(node < self.nodes.len(), "a signal")?;
        Ok(Signal::of_node(node).negated_if(number & 1 == 1))
    }

    /// The signal with the given number, which must read no unknowns.
    pub(super) fn output(&self, number: u32) -> Result<Signal, DecodeError> {
        let signal = self.signal(number)?;
        require(self.inside[signal.node()] == 0, "an output inside of a component")?;
        Ok(signal)
    }
}
