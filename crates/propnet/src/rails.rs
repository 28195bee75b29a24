//! A network's nodes in one rail or two: as they are, or for each a lower and an upper bound of what it may
//! be where some of what it reads is unknown (dual-rail encoding of three-valued logic).

use crate::net::{Node, Signal};
use std::borrow::Cow;
use std::ops::Range;

/// The nodes of a network, or bounds of them.
#[derive(Clone, Debug)]
pub(crate) struct Rails<'a> {
    /// The nodes, or first the lower and then the upper bound of each.
    pub(crate) nodes: Cow<'a, [Node]>,
    count: usize,
}

impl<'a> Rails<'a> {
    /// The nodes as they are.
    pub(crate) fn exact(nodes: &'a [Node]) -> Rails<'a> {
        Rails { nodes: Cow::Borrowed(nodes), count: 1 }
    }

    /// Two bounds of each node. Leaves have both as they are: whoever gives them values sees to it that the
    /// upper one holds wherever the lower does.
    pub(crate) fn bounds(nodes: &'a [Node]) -> Rails<'a> {
        let bounds = |node: &Node, upper| match node {
            Node::And(inputs) => Node::And(inputs.iter().map(|&input| bound(input, upper)).collect()),
            leaf => leaf.clone(),
        };
        let nodes = nodes.iter().flat_map(|node| [false, true].map(|upper| bounds(node, upper)));
        Rails { nodes: Cow::Owned(nodes.collect()), count: 2 }
    }

    /// A bound of `signal` of the network; the signal itself where there is one rail.
    pub(crate) fn bound(&self, signal: Signal, upper: bool) -> Signal {
        if self.count == 1 { signal } else { bound(signal, upper) }
    }

    /// Whether node `number` is an upper bound.
    pub(crate) fn is_upper(&self, number: usize) -> bool {
        self.count == 2 && number % 2 == 1
    }

    /// The nodes for the network's node `node`.
    pub(crate) fn of(&self, node: usize) -> Range<usize> {
        self.count * node..self.count * (node + 1)
    }
}

/// A negated node is bounded from below by the negation of what bounds it from above.
fn bound(signal: Signal, upper: bool) -> Signal {
    let negated = signal.is_negated();
    Signal::of_node(2 * signal.node() + usize::from(upper != negated)).negated_if(negated)
}
