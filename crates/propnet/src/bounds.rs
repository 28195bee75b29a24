//! Single-rail and dual-rail encodings of a network's nodes. Dual-rail gives each node a lower and an upper
//! bound, for evaluation with unknown inputs (three-valued logic).

use crate::node::{Node, Signal};
use std::borrow::Cow;
use std::ops::Range;

/// The nodes of a network, single-rail (the nodes themselves) or dual-rail (their bounds).
#[derive(Clone, Debug)]
pub(crate) struct Encoding<'a> {
    /// Single-rail: the nodes. Dual-rail: for each node its lower bound, then its upper bound.
    pub(crate) nodes: Cow<'a, [Node]>,
    count: usize,
}

impl<'a> Encoding<'a> {
    /// The single-rail encoding: the nodes themselves.
    pub(crate) fn exact(nodes: &'a [Node]) -> Encoding<'a> {
        Encoding { nodes: Cow::Borrowed(nodes), count: 1 }
    }

    /// The dual-rail encoding. A leaf of the network becomes two equal leaves, its lower and its upper bound.
    /// The caller must give them values such that the lower bound implies the upper bound.
    pub(crate) fn bounds(nodes: &'a [Node]) -> Encoding<'a> {
        let bounds = |node: &Node, upper| match node {
            Node::And(inputs) => Node::And(inputs.iter().map(|&input| bound(input, upper)).collect()),
            leaf => leaf.clone(),
        };
        let nodes = nodes.iter().flat_map(|node| [false, true].map(|upper| bounds(node, upper)));
        Encoding { nodes: Cow::Owned(nodes.collect()), count: 2 }
    }

    /// The upper bound of the network's `signal` if `upper` is true, otherwise its lower bound. In the
    /// single-rail encoding, both are the signal itself.
    pub(crate) fn bound(&self, signal: Signal, upper: bool) -> Signal {
        if self.count == 1 { signal } else { bound(signal, upper) }
    }

    /// Whether node `number` of the encoding is an upper bound.
    pub(crate) fn is_upper(&self, number: usize) -> bool {
        self.count == 2 && number % 2 == 1
    }

    /// The nodes of the encoding that belong to the network's node `node`.
    pub(crate) fn of(&self, node: usize) -> Range<usize> {
        self.count * node..self.count * (node + 1)
    }
}

/// The upper bound of `signal` if `upper` is true, otherwise its lower bound. The lower bound of a negated
/// node is the negation of the node's upper bound, and vice versa.
fn bound(signal: Signal, upper: bool) -> Signal {
    let negated = signal.is_negated();
    Signal::of_node(2 * signal.node() + usize::from(upper != negated)).negated_if(negated)
}
