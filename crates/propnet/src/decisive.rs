//! Decisive and anti-decisive moves (Teytaud & Teytaud 2010): networks for playouts in which a role that
//! can win at once does so, and else makes no move after which another role can.
//!
//! Each move of a role that decides alone gets a signal that says whether the game is over after it and
//! won: the next phase's terminal condition and best goal, read through the next values that the fluents
//! have by that move. Two things keep those signals small: that the game is not over yet, so that of all
//! lines of a board only those that the move touches are left, and that the move is legal. In the same
//! way another signal says whether another role has such a move then. The legal moves are narrowed by
//! both, as long as any are left.

use crate::net::{NetBuilder, Node, PropNet, Signal};
use crate::specialise::Specialised;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Inputs of gates looked at most while the signals of one role in one phase are made: less than a second.
const WORK: usize = 1_500_000;
/// Nodes that a network may come to have, for each of its own.
const GROWTH: usize = 24;

/// Conjunctions of more signals than this are built from halves.
const NARROW: usize = 3;
/// Where this many times as many gates as halves would take are saved by them.
const FEW: usize = 4;

/// The networks of a game's phases with decisive moves; none if no phase has a move that is seen to win,
/// or seeing it would take too much. The role `nature` wants nothing.
pub(crate) fn decisive(nets: &[Specialised], nature: Option<usize>) -> Option<Vec<Specialised>> {
    let after = |number: usize| (number + 1) % nets.len();
    let roles = nets.first()?.net.roles.len();
    let wants = |role: usize| Some(role) != nature;
    let mut narrowed = nets.to_vec();
    // 1. The moves that win, by phase and role.
    let mut wins: Vec<Vec<Option<Wins>>> = Vec::with_capacity(nets.len());
    for (number, one) in narrowed.iter_mut().enumerate() {
        let next = &nets[after(number)].net;
        let find = |role| wants(role).then(|| Wins::find(&mut one.net, next, role))?;
        wins.push((0..roles).map(find).collect());
    }
    // 2. Those that leave another role such a move, by phase and role.
    let mut guards: Vec<Vec<Option<Guard>>> = Vec::with_capacity(nets.len());
    for number in 0..nets.len() {
        let next = narrowed[after(number)].net.clone();
        let to_come = &wins[after(number)];
        let net = &mut narrowed[number].net;
        let guard = |role| wants(role).then(|| Guard::find(net, &next, role, to_come))?;
        guards.push((0..roles).map(guard).collect());
    }
    // 3. Winning at once is overrated against those who do not see it coming.
    for number in 0..nets.len() {
        let guards = &guards[number];
        for (role, wins) in wins[after(number)].iter_mut().enumerate() {
            let is_guarded = guards.iter().flatten().any(|guard| guard.is_against(role));
            if roles > 1 && !is_guarded {
                *wins = None;
            }
        }
    }
    if wins.iter().flatten().all(Option::is_none) {
        return None;
    }
    for (number, one) in narrowed.iter_mut().enumerate() {
        let to_come = &wins[after(number)];
        for (role, (wins, guard)) in wins[number].iter().zip(&guards[number]).enumerate() {
            one.net = narrowed_moves(&one.net, role, wins.as_ref(), guard.as_ref(), to_come);
        }
    }
    Some(narrowed)
}

/// `net` with the moves of `role` narrowed to those that `wins`, or else to those that leave no other role
/// what it has `to_come`.
fn narrowed_moves(
    net: &PropNet,
    role: usize,
    wins: Option<&Wins>,
    guard: Option<&Guard>,
    to_come: &[Option<Wins>],
) -> PropNet {
    let mut builder = NetBuilder::of(net);
    let mut roles = net.roles.clone();
    let moves = &mut roles[role].moves;
    if let Some(guard) = guard {
        let mut safe = Vec::with_capacity(moves.len());
        for (mv, threats) in moves.iter().zip(&guard.threats) {
            let felt = threats.iter().filter(|&&(other, _)| to_come[other].is_some());
            let none: Vec<Signal> = felt.map(|&(_, threat)| !threat).chain([mv.legal]).collect();
            safe.push(builder.and(none));
        }
        let any = any_of(&mut builder, &safe);
        for (mv, safe) in moves.iter_mut().zip(safe) {
            let another = builder.and([any, !safe]);
            mv.legal = builder.and([mv.legal, !another]);
        }
    }
    if let Some(wins) = wins {
        for (mv, &winning) in moves.iter_mut().zip(&wins.moves) {
            let quiet = builder.and([mv.legal, !wins.any]);
            mv.legal = builder.or([winning, quiet]);
        }
    }
    builder.finish(net.fluents.clone(), roles, net.terminal)
}

/// All of `signals`, by halves: where few of them change, few of those gates do.
fn all_of(builder: &mut NetBuilder, signals: &[Signal]) -> Signal {
    if signals.len() <= NARROW {
        return builder.and(signals.iter().copied());
    }
    let (left, right) = signals.split_at(signals.len() / 2);
    let both = [all_of(builder, left), all_of(builder, right)];
    builder.and(both)
}

/// Any of `signals`, in the same way.
fn any_of(builder: &mut NetBuilder, signals: &[Signal]) -> Signal {
    let none: Vec<Signal> = signals.iter().map(|&signal| !signal).collect();
    !all_of(builder, &none)
}

/// A role's moves that win at once, as signals of its phase's network.
struct Wins {
    /// Whether each of the moves is legal and wins.
    moves: Vec<Signal>,
    any: Signal,
}

impl Wins {
    /// Those of `role` in `now`, which gets the gates for them, where `next` is the network of the phase
    /// after; none if no move is seen to win.
    fn find(now: &mut PropNet, next: &PropNet, role: usize) -> Option<Wins> {
        let &(_, won) = next.roles[role].goals.iter().max_by_key(|(goal, _)| goal.value())?;
        if now.roles[role].moves.len() < 2 || won == Signal::FALSE {
            return None;
        }
        let (mut builder, after) = Step::new(now, next, role, vec![next.terminal, won])?.by_move()?;
        let mut moves = Vec::with_capacity(after.len());
        for (mv, after) in now.roles[role].moves.iter().zip(after) {
            moves.push(match after {
                Some(after) => builder.and(after.into_iter().chain([mv.legal])),
                None => Signal::FALSE,
            });
        }
        let any = any_of(&mut builder, &moves);
        if any == Signal::FALSE {
            return None;
        }
        *now = builder.finish(now.fluents.clone(), now.roles.clone(), now.terminal);
        Some(Wins { moves, any })
    }
}

/// What a role has to beware of, as signals of its phase's network.
struct Guard {
    /// For each of its moves, whether that leaves which other role a move that wins.
    threats: Vec<Vec<(usize, Signal)>>,
}

impl Guard {
    /// Whether it sees anything of that role coming.
    fn is_against(&self, other: usize) -> bool {
        self.threats.iter().flatten().any(|&(role, threat)| role == other && threat != Signal::FALSE)
    }

    /// Against what roles other than `role` have `to_come` in the phase after `now`, which gets the gates
    /// for it.
    fn find(now: &mut PropNet, next: &PropNet, role: usize, to_come: &[Option<Wins>]) -> Option<Guard> {
        let others = to_come.iter().enumerate().filter(|&(other, _)| other != role);
        let (others, signals): (Vec<usize>, Vec<Signal>) =
            others.filter_map(|(other, wins)| Some((other, wins.as_ref()?.any))).unzip();
        if now.roles[role].moves.len() < 2 || others.is_empty() {
            return None;
        }
        let (builder, after) = Step::new(now, next, role, signals)?.by_move()?;
        let threats = after.into_iter().map(|after| others.iter().copied().zip(after.unwrap_or_default()));
        let threats = threats.map(Iterator::collect).collect();
        *now = builder.finish(now.fluents.clone(), now.roles.clone(), now.terminal);
        Some(Guard { threats })
    }
}

/// Signals of the phase after a move, read before it.
struct Step<'a> {
    builder: NetBuilder,
    now: &'a PropNet,
    role: usize,
    /// The next values of fluents, where no move that sets speak of is made.
    values: Image<'a>,
    /// What the signals depend on, read through `values`.
    after: Image<'a>,
    /// What holds wherever the game is not over yet.
    going: FxHashSet<Signal>,
    signals: Vec<Signal>,
    work: usize,
}

impl<'a> Step<'a> {
    /// For `signals` of `next` after a move of `role` in `now`; none where recursion is among what they
    /// depend on.
    fn new(now: &'a PropNet, next: &'a PropNet, role: usize, signals: Vec<Signal>) -> Option<Step<'a>> {
        let mut builder = NetBuilder::of(now);
        let mut going = FxHashSet::default();
        note(now, !now.terminal, &mut |signal| {
            going.insert(signal);
        });
        let inside = cone(next, signals.iter().copied())?;
        let fluents = next.nodes.iter().zip(&inside).filter_map(|(node, &inside)| match node {
            Node::State(fluent) if inside => Some(*fluent as usize),
            _ => None,
        });
        let within = cone(now, fluents.map(|fluent| now.fluents[fluent].next))?;
        let values = Image::new(now, within, &mut builder, &going, |builder, node| match *node {
            Node::State(fluent) => builder.state(fluent as usize),
            _ => Signal::FALSE,
        });
        let after = Image::new(next, inside, &mut builder, &going, |_, node| match *node {
            Node::State(fluent) => values.of(now.fluents[fluent as usize].next),
            _ => Signal::FALSE,
        });
        Some(Step { builder, now, role, values, after, going, signals, work: 0 })
    }

    /// The signals after each move, none for those that do not imply what the other roles do; none at
    /// all once too much has been done.
    fn by_move(mut self) -> Option<(NetBuilder, Vec<Option<Vec<Signal>>>)> {
        let (now, largest) = (self.now, GROWTH * self.now.nodes.len());
        // The sets that each move is in, and the fluents that read each node for their next values.
        let mut sets: Vec<Vec<Vec<usize>>> =
            now.roles.iter().map(|role| vec![Vec::new(); role.moves.len()]).collect();
        for (number, node) in now.nodes.iter().enumerate().filter(|&(at, _)| self.values.inside[at]) {
            if let Node::MoveSet(set) = node {
                let set = now.move_set(*set);
                let of_role = &mut sets[set.role as usize];
                set.members.iter().for_each(|&member| of_role[member as usize].push(number));
            }
        }
        let mut states: FxHashMap<usize, Vec<(usize, Signal)>> = FxHashMap::default();
        for (number, node) in self.after.net.nodes.iter().enumerate().filter(|&(at, _)| self.after.inside[at])
        {
            if let Node::State(fluent) = *node {
                let next = now.fluents[fluent as usize].next;
                states.entry(next.node()).or_default().push((number, next));
            }
        }
        let mut by_move = Vec::with_capacity(sets[self.role].len());
        for (mv, of_move) in sets[self.role].iter().enumerate() {
            // What holds wherever the move is legal.
            let mut implied = FxHashSet::default();
            note(now, now.roles[self.role].moves[mv].legal, &mut |signal| {
                implied.insert(signal);
            });
            let Some(idle) = self.idle(&implied) else {
                by_move.push(None);
                continue;
            };
            let idle = idle.into_iter().flat_map(|(role, mv)| &sets[role][mv]);
            let made = of_move.iter().chain(idle).map(|&node| (node, Signal::TRUE));
            let inside = implied.iter().filter(|signal| self.values.inside[signal.node()]);
            let seeds =
                made.chain(inside.map(|signal| (signal.node(), Signal::constant(!signal.is_negated()))));
            let changed =
                self.values.changed(seeds.collect(), &mut self.builder, &self.going, &mut self.work)?;
            let readers = changed.keys().filter_map(|node| states.get(node)).flatten();
            let seeds = readers.map(|&(state, next)| (state, self.values.seen(next, &changed))).collect();
            let changed = self.after.changed(seeds, &mut self.builder, &self.going, &mut self.work)?;
            by_move.push(Some(self.signals.iter().map(|&one| self.after.seen(one, &changed)).collect()));
            if self.builder.node_count() > largest {
                return None;
            }
        }
        Some((self.builder, by_move))
    }

    /// The move of each other role that has several, where what is `implied` makes one legal: that is the
    /// one of a role that waits.
    fn idle(&self, implied: &FxHashSet<Signal>) -> Option<Vec<(usize, usize)>> {
        let roles = self.now.roles.iter().enumerate();
        let others = roles.filter(|&(role, one)| role != self.role && one.moves.len() > 1);
        let idle = others.map(|(role, one)| {
            one.moves.iter().position(|mv| implied.contains(&mv.legal)).map(|mv| (role, mv))
        });
        idle.collect()
    }
}

/// A part of a network, rebuilt with other signals for its leaves.
struct Image<'a> {
    net: &'a PropNet,
    inside: Vec<bool>,
    /// The nodes inside that read each node.
    readers: Vec<Vec<u32>>,
    of: Vec<Signal>,
}

impl<'a> Image<'a> {
    fn new(
        net: &'a PropNet,
        inside: Vec<bool>,
        builder: &mut NetBuilder,
        going: &FxHashSet<Signal>,
        leaf: impl Fn(&mut NetBuilder, &Node) -> Signal,
    ) -> Image<'a> {
        let mut readers = vec![Vec::new(); net.nodes.len()];
        let mut of = vec![Signal::FALSE; net.nodes.len()];
        for (number, node) in net.nodes.iter().enumerate().filter(|&(number, _)| inside[number]) {
            of[number] = if let Node::And(inputs) = node {
                inputs.iter().for_each(|input| readers[input.node()].push(number as u32));
                builder.and(inputs.iter().map(|input| of[input.node()].negated_if(input.is_negated())))
            } else {
                leaf(builder, node)
            };
            of[number] = settled(of[number], going);
        }
        Image { net, inside, readers, of }
    }

    fn of(&self, signal: Signal) -> Signal {
        self.of[signal.node()].negated_if(signal.is_negated())
    }

    /// The same where `changed` has other images.
    fn seen(&self, signal: Signal, changed: &FxHashMap<usize, Signal>) -> Signal {
        let image = changed.get(&signal.node()).copied().unwrap_or(self.of[signal.node()]);
        image.negated_if(signal.is_negated())
    }

    /// The nodes whose images are others when `seeds` have those; none once too much has been done.
    fn changed(
        &self,
        seeds: Vec<(usize, Signal)>,
        builder: &mut NetBuilder,
        going: &FxHashSet<Signal>,
        work: &mut usize,
    ) -> Option<FxHashMap<usize, Signal>> {
        let mut changed: FxHashMap<usize, Signal> = FxHashMap::default();
        let mut pending: BTreeSet<u32> = BTreeSet::new();
        for (node, signal) in seeds {
            if changed.insert(node, signal) != Some(signal) {
                pending.extend(&self.readers[node]);
            }
        }
        // Every node stands after what it reads.
        while let Some(number) = pending.pop_first() {
            let number = number as usize;
            let Node::And(inputs) = &self.net.nodes[number] else { continue };
            *work += inputs.len();
            if *work > WORK {
                return None;
            }
            if changed.contains_key(&number) {
                continue;
            }
            let others = inputs.iter().filter(|input| changed.contains_key(&input.node())).count();
            let few = others * inputs.len().ilog2() as usize * FEW < inputs.len();
            let seen: Vec<Signal> = inputs.iter().map(|&input| self.seen(input, &changed)).collect();
            let image = if seen.contains(&Signal::FALSE) {
                Signal::FALSE
            } else if few {
                all_of(builder, &seen)
            } else {
                builder.and(seen)
            };
            let image = settled(image, going);
            if image != self.of[number] {
                changed.insert(number, image);
                pending.extend(&self.readers[number]);
            }
        }
        Some(changed)
    }
}

/// `signal`, or the constant that it is while the game goes on.
fn settled(signal: Signal, going: &FxHashSet<Signal>) -> Signal {
    if going.contains(&signal) {
        Signal::TRUE
    } else if going.contains(&!signal) {
        Signal::FALSE
    } else {
        signal
    }
}

/// Everything that holds where `signal` does: its conjuncts and theirs.
fn note(net: &PropNet, signal: Signal, sink: &mut dyn FnMut(Signal)) {
    let mut stack = vec![signal];
    while let Some(signal) = stack.pop() {
        if signal.as_constant().is_some() {
            continue;
        }
        sink(signal);
        if let (Node::And(inputs), false) = (&net.nodes[signal.node()], signal.is_negated()) {
            stack.extend(inputs);
        }
    }
}

/// The nodes that `roots` depend on; none where recursion is among them.
fn cone(net: &PropNet, roots: impl IntoIterator<Item = Signal>) -> Option<Vec<bool>> {
    let mut inside = vec![false; net.nodes.len()];
    let mut stack: Vec<usize> = roots.into_iter().map(Signal::node).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut inside[node], true) {
            continue;
        }
        match &net.nodes[node] {
            Node::And(inputs) => stack.extend(inputs.iter().map(|input| input.node())),
            Node::Variable(_) | Node::Fixpoint(_) => return None,
            Node::False | Node::State(_) | Node::MoveSet(_) => {}
        }
    }
    Some(inside)
}
