//! Recursion among ground facts. Each strongly connected component of facts becomes a least fixpoint; facts
//! of a recursive relation that do not depend on themselves become plain gates. Facts that hold in every state depend
//! on nothing: on a board whose lines close to rings, they cut the ring of what is reached from a place.

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
    let certain = certain_facts(count, alternatives);
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count, alternatives.len());
    for _ in 0..count {
        graph.add_node(());
    }
    let mut of_head: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (number, alternative) in alternatives.iter().enumerate() {
        let head = alternative.head as usize;
        of_head[head].push(number as u32);
        // Nothing depends on how a fact that always holds is derived. Without these edges, many cycles are none.
        for &fact in alternative.facts.iter().filter(|_| !certain[head]) {
            if !certain[fact as usize] {
                graph.add_edge(NodeIndex::new(head), NodeIndex::new(fact as usize), ());
            }
        }
    }
    let mut signals: Vec<Signal> = certain.iter().map(|&certain| Signal::constant(certain)).collect();
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
            if certain[only] {
                continue;
            }
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

/// For each of the `count` facts, whether it holds in every state: facts that alternatives without a condition
/// derive from such facts.
fn certain_facts(count: usize, alternatives: &[Alternative]) -> Vec<bool> {
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); count];
    // For each alternative, the number of its facts that are not known to be certain.
    let mut open: Vec<usize> = alternatives.iter().map(|one| one.facts.len()).collect();
    let unconditional = (0..).zip(alternatives).filter(|(_, one)| one.rest == Signal::TRUE);
    let mut pending = Vec::new();
    for (number, one) in unconditional {
        one.facts.iter().for_each(|&fact| readers[fact as usize].push(number));
        if one.facts.is_empty() {
            pending.push(one.head);
        }
    }
    let mut certain = vec![false; count];
    while let Some(fact) = pending.pop() {
        if std::mem::replace(&mut certain[fact as usize], true) {
            continue;
        }
        for &number in &readers[fact as usize] {
            open[number as usize] -= 1;
            if open[number as usize] == 0 {
                pending.push(alternatives[number as usize].head);
            }
        }
    }
    certain
}

#[cfg(test)]
mod tests {
    use super::{Alternative, certain_facts};
    use crate::{GroundLimits, PropNet, Signal};
    use ggp_game::{Game, StopToken};
    use std::sync::Arc;

    /// The number of components of a game on a ring of lamps, in which each lamp shows what is lit as far as the
    /// lamps after it are on.
    fn components(rules: &str) -> usize {
        let rules = format!(
            "(role r) (after 0 1) (after 1 2) (after 2 3) (after 3 0) (<= (point ?p) (after ?p ?q))
            (<= (legal r (put ?p)) (point ?p)) (legal r wait) (<= (next (lamp ?p)) (does r (put ?p)))
            (<= (shown ?p ?s) (after ?p ?q) (true (lamp ?q)) (shown ?q ?s))
            (<= terminal (shown 0 2)) (goal r 0) {rules}"
        );
        let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
        PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap().components.len()
    }

    #[test]
    fn certain_facts_cut_cycles() {
        assert_eq!(components("(<= (shown ?p ?s) (after ?p ?s))"), 0);
        assert_eq!(components("(<= (shown ?s ?s) (point ?s) (true (lamp ?s)))"), 4);
    }

    #[test]
    fn certain_facts_follow_from_certain_facts_without_conditions() {
        let one = |head, facts: &[u32], rest| Alternative { head, facts: facts.into(), rest };
        let (holds, open) = (Signal::TRUE, Signal::of_node(1));
        let alternatives = [
            one(0, &[], holds),
            one(1, &[0, 0], holds),
            one(2, &[1], open),
            one(3, &[2, 0], holds),
            one(4, &[1, 0], holds),
            one(5, &[5], holds),
        ];
        assert_eq!(certain_facts(6, &alternatives), [true, true, false, false, true, false]);
    }
}
