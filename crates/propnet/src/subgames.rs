//! Subgames: independent parts of a game of one role. If each move concerns at most one part of the state and
//! the best goal is a conjunction over several parts (a series compound; Günther, Schiffel & Thielscher 2009,
//! Cox, Schkufza, Madsen & Genesereth 2009), each part can be played alone while the others rest.
//!
//! The caller must check that the concatenated solutions of the parts solve the game: the rules may count
//! steps, or change a part that no move concerns.

use crate::builder::NetBuilder;
use crate::net::PropNet;
use crate::node::{Node, Signal};
use crate::specialise::{autonomous_fluents, needed_fluents};
use crate::walk::Walk;
use ggp_game::{Goal, StopToken};
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;

/// The search for the part that each move concerns visits at most this many nodes, which takes a fraction of
/// a second.
const WORK: usize = 4_000_000;
/// The maximum number of nodes of all subgame networks together.
const MOST_NODES: usize = 20_000_000;

/// One part of a game: the moves that concern it, in ascending order, and the conjuncts of the best goal that
/// read it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Component {
    moves: Vec<u32>,
    goal: Vec<Signal>,
}

/// The subgames of the game of `net`, those with the fewest moves first. Each subgame is built when the
/// caller asks for it. A subgame is a network with all fluents and moves of `net`, in which only the
/// subgame's moves are ever legal and only the subgame's fluents are updated. Its states are terminal, with
/// goal 100, once the part's conjuncts of the best goal hold. The iterator is empty if there are fewer than
/// two subgames, or if finding or building them would take too much work or space.
pub(crate) fn subgames(net: &PropNet) -> impl Iterator<Item = PropNet> {
    let parts = parts(net).filter(|parts| parts.len() > 1 && parts.len() * net.nodes.len() <= MOST_NODES);
    parts.unwrap_or_default().into_iter().map(|part| subgame(net, &part))
}

/// The parts that the best goal constrains, fewest moves first. `None` if there are several roles or
/// percepts, or if finding the parts would take too long.
fn parts(net: &PropNet) -> Option<Vec<Component>> {
    let [role] = net.roles.as_slice() else { return None };
    if !role.sees.is_empty() {
        return None;
    }
    let mut partition = Partition::new(net);
    let owners = partition.owners()?;
    // 1. The conjuncts of the best goal. Each conjunct joins the fluents that it reads to one part.
    let (_, best) = role.goals.iter().max_by_key(|(goal, _)| goal.value())?;
    let mut walk = Walk::new(net);
    let conjuncts = conjuncts(net, *best).into_iter();
    let goal = conjuncts.filter_map(|signal| Some((signal, partition.read_by(signal, &mut walk)?)));
    let goal: Vec<(Signal, usize)> = goal.collect();
    // 2. The conjuncts and the moves of each part.
    let mut parts: FxHashMap<usize, Component> = FxHashMap::default();
    for (signal, element) in goal {
        let part = parts.entry(partition.sets.find_mut(element));
        part.or_insert_with(|| Component { moves: Vec::new(), goal: Vec::new() }).goal.push(signal);
    }
    for (mv, owner) in (0..).zip(owners) {
        if let Some(part) = owner.and_then(|element| parts.get_mut(&partition.sets.find_mut(element))) {
            part.moves.push(mv);
        }
    }
    let mut parts: Vec<Component> = parts.into_values().collect();
    parts.sort_unstable_by(|a, b| (a.moves.len(), a).cmp(&(b.moves.len(), b)));
    Some(parts)
}

/// The conjuncts of `signal`.
fn conjuncts(net: &PropNet, signal: Signal) -> Vec<Signal> {
    let mut conjuncts = Vec::new();
    let mut left = vec![signal];
    while let Some(signal) = left.pop() {
        match &net.nodes[signal.node()] {
            Node::And(inputs) if !signal.is_negated() => left.extend(inputs),
            _ => conjuncts.push(signal),
        }
    }
    conjuncts
}

/// The game restricted to the moves of `part`. It ends when the part's conjuncts of the goal hold.
fn subgame(net: &PropNet, part: &Component) -> PropNet {
    let mut builder = NetBuilder::of(net);
    let won = builder.and(part.goal.iter().copied());
    let mut roles = net.roles.clone();
    let role = &mut roles[0];
    for (mv, one) in (0..).zip(&mut role.moves) {
        if part.moves.binary_search(&mv).is_err() {
            one.legal = Signal::FALSE;
        }
    }
    role.goals = Goal::new(100).map(|goal| (goal, won)).into_iter().collect();
    role.bad_goal = None;
    let mut game = builder.finish(net.fluents.clone(), roles, won);
    // Fluents of other parts would distinguish states that are equal in the subgame.
    let needed = needed_fluents(&[&game]);
    for (number, fluent) in (0..).zip(&mut game.fluents) {
        if needed.binary_search(&number).is_err() {
            fluent.next = Signal::FALSE;
        }
    }
    game
}

/// A partition of elements into parts, by union-find. Each node, each fluent and each fixpoint component is
/// an element.
struct Partition<'a> {
    net: &'a PropNet,
    sets: UnionFind<usize>,
    /// For each fluent, whether the number of steps alone determines its value.
    autonomous: Vec<bool>,
    /// For each node, whether it depends on a fluent whose value the number of steps does not determine. True
    /// for every node of a fixpoint component.
    reads: Vec<bool>,
    /// Pairs of an element and the index of a move set that the element reads.
    readers: Vec<(usize, u32)>,
    work: usize,
}

impl<'a> Partition<'a> {
    fn new(net: &'a PropNet) -> Partition<'a> {
        let autonomous = autonomous_fluents(net, &StopToken::new()).expect("nothing stops it");
        let mut reads = vec![false; net.nodes.len()];
        for (number, node) in net.nodes.iter().enumerate() {
            reads[number] = match node {
                Node::False | Node::MoveSet(_) => false,
                Node::State(fluent) => !autonomous[*fluent as usize],
                Node::And(inputs) => inputs.iter().any(|input| reads[input.node()]),
                Node::Variable(_) | Node::Fixpoint(_) => true,
            };
        }
        let sets = UnionFind::new(net.nodes.len() + net.fluents.len() + net.components.len());
        let mut partition = Partition { net, sets, autonomous, reads, readers: Vec::new(), work: 0 };
        // 1. A node belongs to the part of its inputs.
        let played: Vec<usize> =
            (0..net.fluents.len()).filter(|&fluent| !partition.autonomous[fluent]).collect();
        let next = played.iter().map(|&fluent| net.fluents[fluent].next);
        let legal = net.roles[0].moves.iter().map(|mv| mv.legal);
        let mut walk = Walk::new(net);
        walk.on(next.chain(legal), |_| {});
        let met: Vec<usize> =
            (0..net.nodes.len()).filter(|&node| walk.has_met(node) && partition.reads[node]).collect();
        for node in met {
            match &net.nodes[node] {
                Node::State(fluent) => partition.join(node, partition.fluent(*fluent)),
                Node::And(inputs) => {
                    inputs.iter().for_each(|&input| partition.add_reader(node, input, &mut walk));
                }
                Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                    partition.join(node, partition.component(unknown.component));
                }
                Node::False | Node::MoveSet(_) => {}
            }
        }
        for component in 0..net.components.len() as u32 {
            let element = partition.component(component);
            net.component(component).iter().for_each(|&body| partition.add_reader(element, body, &mut walk));
        }
        // 2. A fluent belongs to the part of its next value.
        for fluent in played {
            let element = partition.fluent(fluent as u32);
            partition.add_reader(element, net.fluents[fluent].next, &mut walk);
        }
        partition
    }

    fn fluent(&self, fluent: u32) -> usize {
        self.net.nodes.len() + fluent as usize
    }

    fn component(&self, component: u32) -> usize {
        self.net.nodes.len() + self.net.fluents.len() + component as usize
    }

    fn join(&mut self, a: usize, b: usize) {
        self.sets.union(a, b);
    }

    /// Records that `element` reads `signal`. If the signal depends on a fluent that is not autonomous (not
    /// determined by the number of steps), `element` and the signal's node join into one part. Otherwise,
    /// notes the move sets that the signal depends on.
    fn add_reader(&mut self, element: usize, signal: Signal, walk: &mut Walk<'_>) {
        if self.reads[signal.node()] {
            self.join(element, signal.node());
        } else if self.work < WORK {
            walk.restart();
            let readers = &mut self.readers;
            self.work += walk.on([signal], |node| {
                if let Node::MoveSet(number) = *node {
                    readers.push((element, number));
                }
            });
        }
    }

    /// For each move, an element of the part that the move concerns; `None` for a move that concerns no part.
    /// The whole result is `None` if finding it would take too long.
    fn owners(&mut self) -> Option<Vec<Option<usize>>> {
        if self.work >= WORK {
            return None;
        }
        let moves = &self.net.roles[0].moves;
        // 1. The move sets that each part reads.
        let mut by_part: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        for &(element, set) in &self.readers {
            by_part.entry(self.sets.find_mut(element)).or_default().push(set);
        }
        let mut by_part: Vec<(usize, Vec<u32>)> = by_part.into_iter().collect();
        by_part.sort_unstable();
        // 2. For each part, the part's move sets divide the moves into classes: the moves of a class are
        //    members of the same sets. The largest class leaves the part unchanged; all other moves concern
        //    the part.
        let mut owners: Vec<Option<usize>> = vec![None; moves.len()];
        for (part, mut sets) in by_part {
            sets.sort_unstable();
            sets.dedup();
            let mut distinguished_by: Vec<Vec<u32>> = vec![Vec::new(); moves.len()];
            for set in sets {
                let members = &self.net.move_set(set).members;
                members.iter().for_each(|&mv| distinguished_by[mv as usize].push(set));
                self.work += members.len();
            }
            self.work += moves.len();
            if self.work > WORK {
                return None;
            }
            let mut sizes: FxHashMap<&[u32], usize> = FxHashMap::default();
            for distinguished_by in &distinguished_by {
                *sizes.entry(distinguished_by).or_default() += 1;
            }
            let rest = sizes
                .into_iter()
                .max_by_key(|&(distinguished_by, size)| (size, std::cmp::Reverse(distinguished_by)))?
                .0;
            for (owner, distinguished_by) in owners.iter_mut().zip(&distinguished_by) {
                if distinguished_by != rest {
                    match *owner {
                        // A move that concerns two parts joins them.
                        Some(other) => self.join(other, part),
                        None => *owner = Some(part),
                    }
                }
            }
        }
        // 3. The signal of a move's legality belongs to the part that the move concerns.
        for (owner, mv) in owners.iter().zip(moves) {
            if let &Some(owner) = owner
                && self.reads[mv.legal.node()]
            {
                self.join(owner, mv.legal.node());
            }
        }
        Some(owners)
    }

    /// Joins into one part all non-autonomous fluents that `signal` depends on: those whose values the number
    /// of steps does not determine. Returns the element of one of these fluents. `None` if the signal depends
    /// on no such fluent.
    fn read_by(&mut self, signal: Signal, walk: &mut Walk<'_>) -> Option<usize> {
        let mut first = None;
        walk.restart();
        walk.on([signal], |node| {
            if let Node::State(fluent) = *node
                && !self.autonomous[fluent as usize]
            {
                let element = self.fluent(fluent);
                self.join(*first.get_or_insert(element), element);
            }
        });
        first
    }
}
