//! Subgames: what a game of one role falls into if each of its moves concerns one part of the state at
//! most, and the best goal asks something of several (a series compound; Günther, Schiffel & Thielscher 2009,
//! Cox, Schkufza, Madsen & Genesereth 2009). Each can be played apart, with the others at rest.
//!
//! Whether ways through them put one after the other are a way through the game is for whoever plays them
//! to see: the rules may count steps, or let things decay that nobody touches.

use crate::net::{NetBuilder, Node, PropNet, Signal};
use crate::specialise::{autonomous_fluents, needed_fluents};
use crate::walk::Walk;
use ggp_game::{Goal, StopToken};
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;

/// Nodes looked at, at most, to see which moves concern what: a fraction of a second.
const WORK: usize = 4_000_000;
/// Networks of subgames have at most as many nodes together.
const MOST_NODES: usize = 20_000_000;

/// A part of a game: what the game's best goal asks of it, and the moves that concern it, ascending.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    moves: Vec<u32>,
    asked: Vec<Signal>,
}

/// The subgames of the game that `net` describes, fewest moves first, each made when it is asked for: networks with
/// its fluents and moves, in which only the subgame's moves are ever legal, only its fluents are kept up, and which
/// end, with the goal 100, as soon as all holds that the game's best goal asks of it. None if there are not two.
pub(crate) fn subgames(net: &PropNet) -> impl Iterator<Item = PropNet> {
    let parts = parts(net).filter(|parts| parts.len() > 1 && parts.len() * net.nodes.len() <= MOST_NODES);
    parts.unwrap_or_default().into_iter().map(|part| subgame(net, &part))
}

/// The parts that something is asked of, fewest moves first; `None` if it would take too long to tell them apart, or
/// there is more than one role.
fn parts(net: &PropNet) -> Option<Vec<Part>> {
    let [role] = net.roles.as_slice() else { return None };
    if !role.sees.is_empty() {
        return None;
    }
    let mut bonds = Bonds::new(net);
    let owners = bonds.owners()?;
    // 1. What the best goal asks, and which fluents that makes one part.
    let (_, best) = role.goals.iter().max_by_key(|(goal, _)| goal.value())?;
    let mut walk = Walk::new(net);
    let conjuncts = conjuncts(net, *best).into_iter();
    let asked = conjuncts.filter_map(|signal| Some((signal, bonds.read_by(signal, &mut walk)?)));
    let asked: Vec<(Signal, usize)> = asked.collect();
    // 2. Each with its part, and with the part its moves.
    let mut parts: FxHashMap<usize, Part> = FxHashMap::default();
    for (signal, element) in asked {
        let part = parts.entry(bonds.sets.find_mut(element));
        part.or_insert_with(|| Part { moves: Vec::new(), asked: Vec::new() }).asked.push(signal);
    }
    for (mv, owner) in (0..).zip(owners) {
        if let Some(part) = owner.and_then(|element| parts.get_mut(&bonds.sets.find_mut(element))) {
            part.moves.push(mv);
        }
    }
    let mut parts: Vec<Part> = parts.into_values().collect();
    parts.sort_unstable_by(|a, b| (a.moves.len(), a).cmp(&(b.moves.len(), b)));
    Some(parts)
}

/// What `signal` is the conjunction of.
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

/// The game with the moves of `part` alone, until all is true that is asked of it.
fn subgame(net: &PropNet, part: &Part) -> PropNet {
    let mut builder = NetBuilder::of(net);
    let won = builder.and(part.asked.iter().copied());
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
    // Others' fluents would tell states apart that are the same here.
    let needed = needed_fluents(&[&game]);
    for (number, fluent) in (0..).zip(&mut game.fluents) {
        if needed.binary_search(&number).is_err() {
            fluent.next = Signal::FALSE;
        }
    }
    game
}

/// What belongs together: an element for each node, each fluent and each fixpoint component.
struct Bonds<'a> {
    net: &'a PropNet,
    sets: UnionFind<usize>,
    /// Per fluent, whether its value follows from the number of steps made.
    autonomous: Vec<bool>,
    /// Per node, whether it depends on a fluent whose value does not.
    reads: Vec<bool>,
    /// The sets of moves that are read, each with who reads it.
    readers: Vec<(usize, u32)>,
    work: usize,
}

impl<'a> Bonds<'a> {
    fn new(net: &'a PropNet) -> Bonds<'a> {
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
        let mut bonds = Bonds { net, sets, autonomous, reads, readers: Vec::new(), work: 0 };
        // 1. What is computed belongs to what it is computed from.
        let played: Vec<usize> = (0..net.fluents.len()).filter(|&fluent| !bonds.autonomous[fluent]).collect();
        let next = played.iter().map(|&fluent| net.fluents[fluent].next);
        let legal = net.roles[0].moves.iter().map(|mv| mv.legal);
        let mut walk = Walk::new(net);
        walk.on(next.chain(legal), |_| {});
        let met: Vec<usize> =
            (0..net.nodes.len()).filter(|&node| walk.has_met(node) && bonds.reads[node]).collect();
        for node in met {
            match &net.nodes[node] {
                Node::State(fluent) => bonds.tie(node, bonds.fluent(*fluent)),
                Node::And(inputs) => inputs.iter().for_each(|&input| bonds.bind(node, input, &mut walk)),
                Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                    bonds.tie(node, bonds.component(unknown.component));
                }
                Node::False | Node::MoveSet(_) => {}
            }
        }
        for component in 0..net.components.len() as u32 {
            let element = bonds.component(component);
            net.component(component).iter().for_each(|&body| bonds.bind(element, body, &mut walk));
        }
        // 2. And a fluent to what says when it holds next.
        for fluent in played {
            let element = bonds.fluent(fluent as u32);
            bonds.bind(element, net.fluents[fluent].next, &mut walk);
        }
        bonds
    }

    fn fluent(&self, fluent: u32) -> usize {
        self.net.nodes.len() + fluent as usize
    }

    fn component(&self, component: u32) -> usize {
        self.net.nodes.len() + self.net.fluents.len() + component as usize
    }

    fn tie(&mut self, a: usize, b: usize) {
        self.sets.union(a, b);
    }

    /// `element` reads `signal`: itself, or the sets of moves that it is made of.
    fn bind(&mut self, element: usize, signal: Signal, walk: &mut Walk<'_>) {
        if self.reads[signal.node()] {
            self.tie(element, signal.node());
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

    /// Per move, an element of the part that it concerns, if it concerns any: one whose sets tell it from most.
    /// `None` if that would take too long to see.
    fn owners(&mut self) -> Option<Vec<Option<usize>>> {
        if self.work >= WORK {
            return None;
        }
        let moves = &self.net.roles[0].moves;
        // 1. The sets that each part reads.
        let mut by_part: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        for &(element, set) in &self.readers {
            by_part.entry(self.sets.find_mut(element)).or_default().push(set);
        }
        let mut by_part: Vec<(usize, Vec<u32>)> = by_part.into_iter().collect();
        by_part.sort_unstable();
        // 2. The moves that those tell from the largest class, which leaves the part at rest.
        let mut owners: Vec<Option<usize>> = vec![None; moves.len()];
        for (part, mut sets) in by_part {
            sets.sort_unstable();
            sets.dedup();
            let mut told: Vec<Vec<u32>> = vec![Vec::new(); moves.len()];
            for set in sets {
                let members = &self.net.move_set(set).members;
                members.iter().for_each(|&mv| told[mv as usize].push(set));
                self.work += members.len();
            }
            self.work += moves.len();
            if self.work > WORK {
                return None;
            }
            let mut sizes: FxHashMap<&[u32], usize> = FxHashMap::default();
            for told in &told {
                *sizes.entry(told).or_default() += 1;
            }
            let rest = sizes.into_iter().max_by_key(|&(told, size)| (size, std::cmp::Reverse(told)))?.0;
            for (owner, told) in owners.iter_mut().zip(&told) {
                if told != rest {
                    match *owner {
                        // A move that concerns two parts makes them one.
                        Some(other) => self.tie(other, part),
                        None => *owner = Some(part),
                    }
                }
            }
        }
        // 3. When a move is legal is for its part to say.
        for (owner, mv) in owners.iter().zip(moves) {
            if let &Some(owner) = owner
                && self.reads[mv.legal.node()]
            {
                self.tie(owner, mv.legal.node());
            }
        }
        Some(owners)
    }

    /// An element of what `signal` depends on, which that makes one part; none if that is the number of steps made.
    fn read_by(&mut self, signal: Signal, walk: &mut Walk<'_>) -> Option<usize> {
        let mut first = None;
        walk.restart();
        walk.on([signal], |node| {
            if let Node::State(fluent) = *node
                && !self.autonomous[fluent as usize]
            {
                let element = self.fluent(fluent);
                self.tie(*first.get_or_insert(element), element);
            }
        });
        first
    }
}
