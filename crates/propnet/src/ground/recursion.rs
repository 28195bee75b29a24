//! Recursion among ground facts. Each strongly connected component of facts becomes a least fixpoint; facts
//! of a recursive relation that do not depend on themselves become plain gates.

use crate::builder::NetBuilder;
use crate::node::Signal;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// One way to derive a fact of a recursive stratum: the fact `head` holds if all of `facts` and the signal
/// `rest` hold. `head` and `facts` are indices of facts of the stratum.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) head: u32,
    pub(super) facts: Box<[u32]>,
    pub(super) rest: Signal,
}

/// The signals of the `count` facts of a recursive stratum. `alternatives` are all ways to derive these
/// facts.
pub(super) fn solve(builder: &mut NetBuilder, count: usize, alternatives: &[Alternative]) -> Vec<Signal> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count, alternatives.len());
    for _ in 0..count {
        graph.add_node(());
    }
    let mut of_head: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (number, alternative) in alternatives.iter().enumerate() {
        of_head[alternative.head as usize].push(number as u32);
        for &fact in &alternative.facts {
            graph.add_edge(NodeIndex::new(alternative.head as usize), NodeIndex::new(fact as usize), ());
        }
    }
    let mut signals = vec![Signal::FALSE; count];
    // Edges lead from heads to the facts they need, so components come in dependency order.
    for component in kosaraju_scc(&graph) {
        let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        members.sort_unstable();
        let body = |builder: &mut NetBuilder, signals: &[Signal], head: usize| {
            let mut options = Vec::with_capacity(of_head[head].len());
            for &number in &of_head[head] {
                let Alternative { facts, rest, .. } = &alternatives[number as usize];
                // An alternative that needs its own head derives nothing new.
                if !facts.contains(&(head as u32)) {
                    let facts = facts.iter().map(|&f| signals[f as usize]);
                    options.push(builder.and(facts.chain([*rest])));
                }
            }
            builder.or(options)
        };
        if let [only] = members[..] {
            signals[only] = body(builder, &signals, only);
            continue;
        }
        let (number, unknowns) = builder.open_fixpoint(members.len());
        for (&member, unknown) in members.iter().zip(unknowns) {
            signals[member] = unknown;
        }
        let bodies = members.iter().map(|&member| body(builder, &signals, member)).collect();
        let solved = builder.close_fixpoint(number, bodies);
        for (&member, signal) in members.iter().zip(solved) {
            signals[member] = signal;
        }
    }
    signals
}
