//! The fluents that keep a property from step to step, as greatest fixpoints. A worklist visits each input of
//! each node at most once.

use crate::move_set::MoveSet;
use crate::net::{NetRole, PropNet};
use crate::node::{Node, Signal};
use crate::walk::Walk;
use ggp_game::{EvalError, StopToken};

/// The nodes and fluents that depend on each node, directly.
pub(crate) struct Dependence<'a> {
    net: &'a PropNet,
    /// For each node, the end of its part of `readers`; the part begins where that of the node before ends.
    ends: Vec<u32>,
    /// The conjunctions that read each node, each with whether it reads the negation of the node.
    readers: Vec<(u32, bool)>,
    /// The fluents, in the order of the nodes of their next values.
    by_next: Vec<u32>,
    /// For each fluent, the node that stands for it. `None` if the network has no such node.
    nodes: Vec<Option<u32>>,
}

impl<'a> Dependence<'a> {
    pub(crate) fn new(net: &'a PropNet) -> Dependence<'a> {
        let mut ends = vec![0; net.nodes.len()];
        let mut nodes = vec![None; net.fluents.len()];
        for (number, node) in (0..).zip(&net.nodes) {
            match node {
                Node::And(inputs) => inputs.iter().for_each(|input| ends[input.node()] += 1),
                Node::State(fluent) => nodes[*fluent as usize] = Some(number),
                _ => {}
            }
        }
        let mut all = 0;
        for end in &mut ends {
            // The start of the part, which becomes its end as the part is filled.
            all += std::mem::replace(end, all);
        }
        let mut readers = vec![(0, false); all as usize];
        for (number, node) in (0..).zip(&net.nodes) {
            let Node::And(inputs) = node else { continue };
            for input in inputs {
                let end = &mut ends[input.node()];
                readers[*end as usize] = (number, input.is_negated());
                *end += 1;
            }
        }
        let mut by_next: Vec<u32> = (0..net.fluents.len() as u32).collect();
        by_next.sort_by_key(|&fluent| net.fluents[fluent as usize].next.node());
        Dependence { net, ends, readers, by_next, nodes }
    }

    fn readers(&self, node: usize) -> &[(u32, bool)] {
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.readers[start as usize..self.ends[node] as usize]
    }

    /// The fluents whose next values are `node` or its negation.
    fn fluents_of(&self, node: usize) -> &[u32] {
        let next = |fluent: &u32| self.net.fluents[*fluent as usize].next.node();
        let start = self.by_next.partition_point(|fluent| next(fluent) < node);
        let rest = &self.by_next[start..];
        &rest[..rest.partition_point(|fluent| next(fluent) == node)]
    }

    /// The largest subset of `set` whose next values depend on no move and on no fluent outside the subset.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn independent(&self, mut set: Vec<bool>, stop: &StopToken) -> Result<Vec<bool>, EvalError> {
        let is_source = |node: &Node| match node {
            Node::False | Node::And(_) => false,
            Node::State(fluent) => !set[*fluent as usize],
            Node::MoveSet(_) | Node::Variable(_) | Node::Fixpoint(_) => true,
        };
        let mut depends: Vec<bool> = self.net.nodes.iter().map(is_source).collect();
        let mut stack: Vec<usize> = (0..depends.len()).filter(|&node| depends[node]).collect();
        while let Some(node) = stack.pop() {
            stop.check()?;
            let mut reach = |node: usize| {
                if !std::mem::replace(&mut depends[node], true) {
                    stack.push(node);
                }
            };
            self.readers(node).iter().for_each(|&(reader, _)| reach(reader as usize));
            for &fluent in self.fluents_of(node) {
                set[fluent as usize] = false;
                if let Some(node) = self.nodes[fluent as usize] {
                    reach(node as usize);
                }
            }
        }
        Ok(set)
    }

    /// `values` without those that may change: for each fluent that has a value, this value if its next value
    /// is the same wherever all remaining values hold, otherwise `None`.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn constant(
        &self,
        mut values: Vec<Option<bool>>,
        stop: &StopToken,
    ) -> Result<Vec<Option<bool>>, EvalError> {
        let net = self.net;
        let mut known = simulate(net, &values);
        // For each conjunction, the number of its inputs that are known to be false.
        let mut refuted: Vec<u32> = net.nodes.iter().map(|node| count_false(&known, node)).collect();
        // Nodes whose values are no longer known, and whose readers do not know it yet.
        let mut stack: Vec<usize> = Vec::new();
        let mut changed: Vec<u32> = Vec::new();
        for (number, (fluent, &value)) in (0..).zip(net.fluents.iter().zip(&values)) {
            if value.is_some() && value_of(&known, fluent.next) != value {
                changed.push(number);
            }
        }
        loop {
            stop.check()?;
            for fluent in changed.drain(..) {
                let fluent = fluent as usize;
                if values[fluent].take().is_some()
                    && let Some(node) = self.nodes[fluent]
                {
                    stack.push(node as usize);
                }
            }
            let Some(node) = stack.pop() else { return Ok(values) };
            let Some(old) = known[node].take() else { continue };
            changed.extend(self.fluents_of(node));
            for &(reader, negated) in self.readers(node) {
                let reader = reader as usize;
                refuted[reader] -= u32::from(old == negated);
                if refuted[reader] == 0 && known[reader].is_some() {
                    stack.push(reader);
                }
            }
        }
    }
}

/// The number of inputs of `node` that are known to be false.
fn count_false(known: &[Option<bool>], node: &Node) -> u32 {
    match node {
        Node::And(inputs) => {
            inputs.iter().filter(|&&input| value_of(known, input) == Some(false)).count() as u32
        }
        _ => 0,
    }
}

/// The value of `signal`, where `nodes` holds the values of the nodes.
pub(crate) fn value_of(nodes: &[Option<bool>], signal: Signal) -> Option<bool> {
    nodes[signal.node()].map(|value| value != signal.is_negated())
}

/// For each node, its value if the known values of `fluents` determine it, otherwise `None`.
pub(crate) fn simulate(net: &PropNet, fluents: &[Option<bool>]) -> Vec<Option<bool>> {
    simulate_with(net, fluents, |_| true, |_| None)
}

/// The same as [`simulate`] for the nodes that `cone` has met. The other nodes have no values.
pub(crate) fn simulate_in(net: &PropNet, fluents: &[Option<bool>], cone: &Walk<'_>) -> Vec<Option<bool>> {
    simulate_with(net, fluents, |node| cone.has_met(node), |_| None)
}

/// The same as [`simulate`] for a step of a match, in which each role makes one legal move: a move set without
/// a move that may be legal is false, and a move set with all moves that may be legal is true.
pub(crate) fn simulate_step(net: &PropNet, fluents: &[Option<bool>]) -> Vec<Option<bool>> {
    let values = simulate(net, fluents);
    let may_be_legal = |role: &NetRole| -> Vec<bool> {
        role.moves.iter().map(|mv| value_of(&values, mv.legal) != Some(false)).collect()
    };
    let legal: Vec<Vec<bool>> = net.roles.iter().map(may_be_legal).collect();
    let counts: Vec<usize> = legal.iter().map(|of_role| of_role.iter().filter(|&&may| may).count()).collect();
    simulate_with(
        net,
        fluents,
        |_| true,
        |set| {
            let role = set.role as usize;
            match set.members.iter().filter(|&&member| legal[role][member as usize]).count() {
                0 => Some(false),
                some => (some == counts[role]).then_some(true),
            }
        },
    )
}

/// For each node that `is_wanted`, its value if the known values of `fluents` and of the move sets, which `made`
/// gives, determine it, otherwise `None`.
fn simulate_with(
    net: &PropNet,
    fluents: &[Option<bool>],
    is_wanted: impl Fn(usize) -> bool,
    made: impl Fn(&MoveSet) -> Option<bool>,
) -> Vec<Option<bool>> {
    let mut values: Vec<Option<bool>> = vec![None; net.nodes.len()];
    for (number, node) in net.nodes.iter().enumerate().filter(|&(number, _)| is_wanted(number)) {
        values[number] = match node {
            Node::False => Some(false),
            Node::State(fluent) => fluents[*fluent as usize],
            Node::And(inputs) => {
                let mut all = Some(true);
                for &input in inputs {
                    match value_of(&values, input) {
                        Some(true) => {}
                        Some(false) => {
                            all = Some(false);
                            break;
                        }
                        None => all = None,
                    }
                }
                all
            }
            Node::MoveSet(set) => made(net.move_set(*set)),
            Node::Variable(_) | Node::Fixpoint(_) => None,
        };
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{Dependence, simulate, value_of};
    use crate::ground::GroundLimits;
    use crate::net::PropNet;
    use crate::node::Node;
    use crate::walk::Walk;
    use ggp_game::{Game, StopToken};
    use std::sync::Arc;

    /// Networks with constant fluents, with fluents that the number of steps determines, and with neither.
    fn nets() -> Vec<PropNet> {
        let locked = b"(role a) (legal a push) (legal a wait) (init locked) (init (at 0))
            (<= (next locked) (true locked)) (<= (next open) (does a push) (not (true locked)))
            (<= (next seen) (true open)) (<= (next (at 1)) (true (at 0))) (<= (next (at 0)) (true (at 1)))
            (<= terminal (true seen)) (<= (goal a 100) (true open)) (goal a 0)";
        let games: [&[u8]; 3] = [
            locked,
            include_bytes!("../../../games/english_draughts.kif"),
            include_bytes!("../../../games/pawn_whopping.kif"),
        ];
        let ground = |text: &[u8]| {
            let game = Arc::new(Game::new(ggp_gdl::parse(text).unwrap()).unwrap());
            PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap()
        };
        games.into_iter().map(ground).collect()
    }

    #[test]
    fn independent_fluents_are_those_that_are_left_when_one_after_the_other_is_removed() {
        for net in nets() {
            for step in 1..4 {
                let set: Vec<bool> =
                    (0..net.fluents.len()).map(|fluent| step == 1 || fluent % step > 0).collect();
                let mut expected = set.clone();
                let mut walk = Walk::new(&net);
                while let Some(dependent) = (0..set.len()).find(|&fluent| {
                    let mut outside = false;
                    walk.restart();
                    walk.on([net.fluents[fluent].next], |node| {
                        outside |= match node {
                            Node::State(other) => !expected[*other as usize],
                            Node::False | Node::And(_) => false,
                            Node::MoveSet(_) | Node::Variable(_) | Node::Fixpoint(_) => true,
                        }
                    });
                    expected[fluent] && outside
                }) {
                    expected[dependent] = false;
                }
                let found = Dependence::new(&net).independent(set, &StopToken::new()).unwrap();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn constant_fluents_are_those_that_are_left_after_repeated_simulation() {
        let mut constant = 0;
        for net in nets() {
            let initial: Vec<Option<bool>> = net.fluents.iter().map(|fluent| Some(fluent.initial)).collect();
            let mut expected = initial.clone();
            loop {
                let nodes = simulate(&net, &expected);
                let next = net.fluents.iter().map(|fluent| value_of(&nodes, fluent.next));
                let kept = expected.iter().zip(next).map(|(&value, next)| value.filter(|_| value == next));
                let kept: Vec<Option<bool>> = kept.collect();
                if kept == expected {
                    break;
                }
                expected = kept;
            }
            let found = Dependence::new(&net).constant(initial, &StopToken::new()).unwrap();
            assert_eq!(found, expected);
            constant += found.iter().flatten().count();
        }
        assert!(constant > 0, "some game has constant fluents");
    }
}
