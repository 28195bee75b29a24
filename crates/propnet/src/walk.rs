//! Depth-first traversal of a network that visits each node and each fixpoint component once.

use crate::net::PropNet;
use crate::node::{Node, Signal};

/// A traversal of a network, with marks on the visited nodes and components.
pub(crate) struct Walk<'a> {
    net: &'a PropNet,
    /// For each node, the identifier of the traversal that last visited the node; 0 if none has visited it.
    nodes: Vec<u32>,
    /// For each fixpoint component, the identifier of the traversal that last visited the component; 0 if
    /// none has visited it.
    components: Vec<u32>,
    /// The identifier of the current traversal.
    number: u32,
    stack: Vec<usize>,
}

impl<'a> Walk<'a> {
    /// A traversal that has visited nothing.
    pub(crate) fn new(net: &'a PropNet) -> Walk<'a> {
        let (nodes, components) = (vec![0; net.nodes.len()], vec![0; net.components.len()]);
        Walk { net, nodes, components, number: 1, stack: Vec::new() }
    }

    /// Starts a new traversal: all nodes count as unvisited.
    pub(crate) fn restart(&mut self) {
        self.number += 1;
    }

    /// Visits all nodes that `signals` depend on. Calls `met` with each newly visited node, and returns the
    /// number of newly visited nodes.
    pub(crate) fn on(
        &mut self,
        signals: impl IntoIterator<Item = Signal>,
        mut met: impl FnMut(&'a Node),
    ) -> usize {
        let Walk { net, nodes, components, number, stack } = self;
        let mut count = 0;
        stack.extend(signals.into_iter().map(Signal::node));
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut nodes[at], *number) == *number {
                continue;
            }
            count += 1;
            let node = &net.nodes[at];
            met(node);
            match node {
                Node::And(inputs) => stack.extend(inputs.iter().map(|input| input.node())),
                Node::Fixpoint(unknown) => {
                    let component = unknown.component as usize;
                    if std::mem::replace(&mut components[component], *number) != *number {
                        stack.extend(net.components[component].iter().map(|body| body.node()));
                    }
                }
                Node::False | Node::State(_) | Node::MoveSet(_) | Node::Variable(_) => {}
            }
        }
        count
    }

    /// Whether the current traversal has visited `node`.
    pub(crate) fn has_met(&self, node: usize) -> bool {
        self.nodes[node] == self.number
    }

    /// Whether the current traversal has visited `component`.
    pub(crate) fn has_met_component(&self, component: usize) -> bool {
        self.components[component] == self.number
    }
}
