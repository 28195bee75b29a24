//! Conditions on the state after a move, expressed as signals of the state before the move. They are built
//! from the gates of the phase that follows the move, with each fluent replaced by its next value under that
//! move.
//!
//! The moves are processed one after the other, and only gates that a move changes are rebuilt. Two
//! assumptions keep the signals small: the game is not over, and the move is legal. Where other roles choose
//! simultaneously, a signal is a lower bound: it is true only if the condition holds for all moves of the
//! other roles.

use crate::bounds::Encoding;
use crate::builder::{LOOK_INTO, NetBuilder};
use crate::net::PropNet;
use crate::node::{Node, Signal};
use ggp_game::NoDecisiveMoves;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The construction for one role in one phase does at most this much work, which takes about a second: a visit of
/// an input counts as [`INPUT_WORK`], and each input of a gate that is read for a new conjunction as 1.
const WORK: usize = 100_000_000;
const INPUT_WORK: usize = 25;
/// The maximum number of nodes of a network after the signals have been added to it, as a multiple of its
/// nodes before.
const GROWTH: usize = 24;
/// Conjunctions of more signals than this are built as a balanced binary tree.
const NARROW: usize = 3;
/// A conjunction of `n` inputs, `k` of which change, is rebuilt as a balanced tree if `k` is small enough: if
/// `k` log₂ `n` (about the number of the tree's gates that change), times this factor, is below `n`.
const FEW: usize = 4;

/// For each move, the signals of the requested conditions after that move; `None` for a move that gets no
/// signals (see [`Successor::by_move`]).
pub(crate) type ByMove = Vec<Option<Vec<Signal>>>;

/// The assumption about the other roles' moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Others {
    /// They make their only moves: the role chooses alone (see [`is_alone`]).
    Forced,
    /// They make any moves: a signal is true only if the condition holds for all of them.
    Any,
    /// They make no move.
    Silent,
}

/// Builds signals of the phase after a move, in terms of the state before the move.
pub(crate) struct Successor<'a> {
    builder: NetBuilder,
    now: &'a PropNet,
    role: usize,
    /// With [`Others::Forced`], only moves that are legal only where no other role has a choice get signals.
    others: Others,
    /// The part of the current phase's network that computes the next values of the fluents. No move of the
    /// role is assumed yet: all move sets of the role are false.
    values: Image<'a>,
    /// The part of the next phase's network on which the requested signals depend. In place of each fluent, it
    /// reads the value that `values` computes for the fluent after the move.
    after: Image<'a>,
    /// Signals that are true in every non-terminal state.
    non_terminal: FxHashSet<Signal>,
    signals: Vec<Signal>,
}

impl<'a> Successor<'a> {
    /// Prepares the construction of conditions on the state after a move of `role` in the phase `now`. The
    /// conditions are given as the signals `signals` of the phase `next`.
    ///
    /// # Errors
    /// [`NoDecisiveMoves::Recursive`] if the conditions depend on a fixpoint component.
    pub(crate) fn new(
        now: &'a PropNet,
        next: &'a PropNet,
        role: usize,
        others: Others,
        signals: Vec<Signal>,
    ) -> Result<Successor<'a>, NoDecisiveMoves> {
        let mut builder = NetBuilder::of(now);
        let non_terminal = implied(now, !now.terminal);
        let encoding = if others == Others::Any { Encoding::bounds } else { Encoding::exact };
        let (before, after) = (encoding(&now.nodes), encoding(&next.nodes));
        let signals: Vec<Signal> = signals.into_iter().map(|signal| after.bound(signal, false)).collect();
        let inside = cone(&after, signals.iter().copied()).ok_or(NoDecisiveMoves::Recursive)?;
        let next_of = |number: usize, fluent: u32| {
            before.bound(now.fluents[fluent as usize].next, after.is_upper(number))
        };
        let read = after.nodes.iter().enumerate().filter_map(|(number, node)| match *node {
            Node::State(fluent) if inside[number] => Some(next_of(number, fluent)),
            _ => None,
        });
        let within = cone(&before, read).ok_or(NoDecisiveMoves::Recursive)?;
        let values =
            Image::new(before.clone(), within, &mut builder, &non_terminal, |builder, number, node| {
                match *node {
                    Node::State(fluent) => builder.state(fluent as usize),
                    // The other roles' moves are unknown; the role's own move is set later, per move.
                    Node::MoveSet(set) if now.move_set(set).role as usize != role => {
                        Signal::constant(before.is_upper(number))
                    }
                    _ => Signal::FALSE,
                }
            });
        let after =
            Image::new(after.clone(), inside, &mut builder, &non_terminal, |_, number, node| match *node {
                Node::State(fluent) => values.of(next_of(number, fluent)),
                _ => Signal::FALSE,
            });
        Ok(Successor { builder, now, role, others, values, after, non_terminal, signals })
    }

    /// The signals of the conditions after each move. With [`Others::Forced`], a move gets `None` unless it is legal
    /// only where no other role has a choice.
    ///
    /// # Errors
    /// [`NoDecisiveMoves::TooLarge`] once the work or the number of nodes exceeds its bound.
    pub(crate) fn by_move(mut self) -> Result<(NetBuilder, ByMove), NoDecisiveMoves> {
        let (now, largest) = (self.now, GROWTH * self.now.nodes.len());
        // The sets that contain each move, and the fluents of the next phase by the node of their next value.
        let mut sets: Vec<Vec<Vec<usize>>> =
            now.roles.iter().map(|role| vec![Vec::new(); role.moves.len()]).collect();
        let inside = |image: &Image<'_>, at: usize| image.inside[at];
        let before = &self.values.encoding;
        for (number, node) in before.nodes.iter().enumerate().filter(|&(at, _)| inside(&self.values, at)) {
            if let Node::MoveSet(set) = node {
                let set = now.move_set(*set);
                let of_role = &mut sets[set.role as usize];
                set.members.iter().for_each(|&member| of_role[member as usize].push(number));
            }
        }
        let mut states: FxHashMap<usize, Vec<(usize, Signal)>> = FxHashMap::default();
        let after = &self.after.encoding;
        for (number, node) in after.nodes.iter().enumerate().filter(|&(at, _)| inside(&self.after, at)) {
            if let Node::State(fluent) = *node {
                let next = before.bound(now.fluents[fluent as usize].next, after.is_upper(number));
                states.entry(next.node()).or_default().push((number, next));
            }
        }
        let mut work = 0;
        let mut by_move = Vec::with_capacity(sets[self.role].len());
        for (mv, of_move) in sets[self.role].iter().enumerate() {
            // The signals that are true wherever the move is legal.
            let implied = implied(now, now.roles[self.role].moves[mv].legal);
            let idle = match self.others {
                Others::Forced => idle(now, self.role, &implied),
                Others::Any | Others::Silent => Some(Vec::new()),
            };
            let Some(idle) = idle else {
                by_move.push(None);
                continue;
            };
            let idle = idle.into_iter().flat_map(|(role, mv)| &sets[role][mv]);
            let made = of_move.iter().chain(idle).map(|&node| (node, Signal::TRUE));
            let known = implied.iter().flat_map(|signal| {
                let value = Signal::constant(!signal.is_negated());
                before.of(signal.node()).map(move |node| (node, value))
            });
            let seeds = made.chain(known.filter(|&(node, _)| inside(&self.values, node)));
            let changed =
                self.values.changed(seeds.collect(), &mut self.builder, &self.non_terminal, &mut work)?;
            let readers = changed.keys().filter_map(|node| states.get(node)).flatten();
            let seeds = readers.map(|&(state, next)| (state, self.values.seen(next, &changed))).collect();
            let changed = self.after.changed(seeds, &mut self.builder, &self.non_terminal, &mut work)?;
            by_move.push(Some(self.signals.iter().map(|&one| self.after.seen(one, &changed)).collect()));
            if self.builder.node_count() > largest {
                return Err(NoDecisiveMoves::TooLarge);
            }
        }
        Ok((self.builder, by_move))
    }
}

/// Whether some move of `role` is legal only where no other role has a choice.
pub(crate) fn is_alone(net: &PropNet, role: usize) -> bool {
    net.roles[role].moves.iter().any(|mv| idle(net, role, &implied(net, mv.legal)).is_some())
}

/// For each other role that has several moves, its forced move, as the index of the role and the index of the
/// move. `implied` holds signals that are true wherever a certain move of `role` is legal. A move of another
/// role is forced if its legality is one of these signals. `None` if one of these roles has no forced move.
fn idle(net: &PropNet, role: usize, implied: &FxHashSet<Signal>) -> Option<Vec<(usize, usize)>> {
    let others = net.roles.iter().enumerate().filter(|&(other, one)| other != role && one.moves.len() > 1);
    let idle = others
        .map(|(other, one)| Some((other, one.moves.iter().position(|mv| implied.contains(&mv.legal))?)));
    idle.collect()
}

/// An image of a part of a network: the part rebuilt with other signals in place of its leaves.
struct Image<'a> {
    encoding: Encoding<'a>,
    inside: Vec<bool>,
    /// For each node, the nodes of the part that have it as an input.
    readers: Vec<Vec<u32>>,
    of: Vec<Signal>,
}

impl<'a> Image<'a> {
    fn new(
        encoding: Encoding<'a>,
        inside: Vec<bool>,
        builder: &mut NetBuilder,
        non_terminal: &FxHashSet<Signal>,
        leaf: impl Fn(&mut NetBuilder, usize, &Node) -> Signal,
    ) -> Image<'a> {
        let mut readers = vec![Vec::new(); encoding.nodes.len()];
        let mut of = vec![Signal::FALSE; encoding.nodes.len()];
        for (number, node) in encoding.nodes.iter().enumerate().filter(|&(number, _)| inside[number]) {
            of[number] = if let Node::And(inputs) = node {
                inputs.iter().for_each(|input| readers[input.node()].push(number as u32));
                builder.and(inputs.iter().map(|input| of[input.node()].negated_if(input.is_negated())))
            } else {
                leaf(builder, number, node)
            };
            of[number] = simplified(of[number], non_terminal);
        }
        Image { encoding, inside, readers, of }
    }

    fn of(&self, signal: Signal) -> Signal {
        self.of[signal.node()].negated_if(signal.is_negated())
    }

    /// The image of `signal`, where `changed` overrides the images of some nodes.
    fn seen(&self, signal: Signal, changed: &FxHashMap<usize, Signal>) -> Signal {
        let image = changed.get(&signal.node()).copied().unwrap_or(self.of[signal.node()]);
        image.negated_if(signal.is_negated())
    }

    /// Assumes that each node in `seeds` gets the image that is given with it. Returns all nodes whose images
    /// then change, each with its new image. The stored images stay as they are.
    fn changed(
        &self,
        seeds: Vec<(usize, Signal)>,
        builder: &mut NetBuilder,
        non_terminal: &FxHashSet<Signal>,
        work: &mut usize,
    ) -> Result<FxHashMap<usize, Signal>, NoDecisiveMoves> {
        let mut changed: FxHashMap<usize, Signal> = FxHashMap::default();
        let mut pending: BTreeSet<u32> = BTreeSet::new();
        for (node, signal) in seeds {
            if changed.insert(node, signal) != Some(signal) {
                pending.extend(&self.readers[node]);
            }
        }
        // Nodes are in topological order.
        while let Some(number) = pending.pop_first() {
            let number = number as usize;
            let Node::And(inputs) = &self.encoding.nodes[number] else { continue };
            *work += INPUT_WORK * inputs.len();
            if *work > WORK {
                return Err(NoDecisiveMoves::TooLarge);
            }
            if changed.contains_key(&number) {
                continue;
            }
            let others = inputs.iter().filter(|input| changed.contains_key(&input.node())).count();
            let few = others * inputs.len().ilog2() as usize * FEW < inputs.len();
            let seen: Vec<Signal> = inputs.iter().map(|&input| self.seen(input, &changed)).collect();
            // The builder looks into the inputs of these gates.
            let inputs_of = |&input: &Signal| match builder.node(input) {
                Node::And(inputs) if inputs.len() <= LOOK_INTO => inputs.len(),
                _ => 0,
            };
            *work += seen.iter().map(inputs_of).sum::<usize>();
            let image = if seen.contains(&Signal::FALSE) {
                Signal::FALSE
            } else if few {
                all_of(builder, &seen)
            } else {
                builder.and(seen)
            };
            let image = simplified(image, non_terminal);
            if image != self.of[number] {
                changed.insert(number, image);
                pending.extend(&self.readers[number]);
            }
        }
        Ok(changed)
    }
}

/// Returns the constant value of `signal` in non-terminal states if it has one there, otherwise `signal`.
fn simplified(signal: Signal, non_terminal: &FxHashSet<Signal>) -> Signal {
    if non_terminal.contains(&signal) {
        Signal::TRUE
    } else if non_terminal.contains(&!signal) {
        Signal::FALSE
    } else {
        signal
    }
}

/// The signals that `signal` implies: itself and, recursively, its conjuncts.
pub(crate) fn implied(net: &PropNet, signal: Signal) -> FxHashSet<Signal> {
    let mut implied = FxHashSet::default();
    let mut stack = vec![signal];
    while let Some(signal) = stack.pop() {
        if signal.as_constant().is_some() {
            continue;
        }
        implied.insert(signal);
        if let (Node::And(inputs), false) = (&net.nodes[signal.node()], signal.is_negated()) {
            stack.extend(inputs);
        }
    }
    implied
}

/// The nodes that `roots` depend on; `None` if these include a fixpoint component.
fn cone(encoding: &Encoding<'_>, roots: impl IntoIterator<Item = Signal>) -> Option<Vec<bool>> {
    let mut inside = vec![false; encoding.nodes.len()];
    let mut stack: Vec<usize> = roots.into_iter().map(Signal::node).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut inside[node], true) {
            continue;
        }
        match &encoding.nodes[node] {
            Node::And(inputs) => stack.extend(inputs.iter().map(|input| input.node())),
            Node::Variable(_) | Node::Fixpoint(_) => return None,
            Node::False | Node::State(_) | Node::MoveSet(_) => {}
        }
    }
    Some(inside)
}

/// The conjunction of `signals` as a balanced tree, in which few gates change if few inputs change.
fn all_of(builder: &mut NetBuilder, signals: &[Signal]) -> Signal {
    if signals.len() <= NARROW {
        return builder.and(signals.iter().copied());
    }
    let (left, right) = signals.split_at(signals.len() / 2);
    let both = [all_of(builder, left), all_of(builder, right)];
    builder.and(both)
}

/// The disjunction of `signals` as a balanced tree, in which few gates change if few inputs change.
pub(crate) fn any_of(builder: &mut NetBuilder, signals: &[Signal]) -> Signal {
    let none: Vec<Signal> = signals.iter().map(|&signal| !signal).collect();
    !all_of(builder, &none)
}
