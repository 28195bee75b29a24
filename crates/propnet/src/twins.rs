//! Twins: moves that come to the same, because nothing that the game's end, its goals and the moves that
//! matter depend on tells them apart. In several games side by side of which one counts, all moves in the
//! others are twins (compare Cox, Schkufza, Madsen & Genesereth 2009, factoring on propositional automata).
//!
//! What matters is found backwards from the terminal condition and the goals: the fluents that are read, what
//! their next values read, and when the moves are legal that those tell from others. Whether there is *any*
//! move of a class does not follow from that where no gate reads its moves: in such a class a move may put an
//! end to others, and which one was made does matter in the end. So that class is left alone unless each
//! move puts an end to one of it at most, as marking a cell or pressing a button does.

use crate::move_set::MoveSet;
use crate::net::{NetBuilder, Node, PropNet, Signal};
use crate::specialise::Specialised;
use crate::walk::Walk;
use rustc_hash::{FxHashMap, FxHashSet};

/// Nodes looked at, at most, to see what moves without influence put an end to: a fraction of a second.
const WORK: usize = 4_000_000;

/// Which moves come to the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Twins {
    /// Per role, for each of its moves the first of its class.
    first: Vec<Vec<u32>>,
}

impl Twins {
    /// Those of the game that `net` describes; none if no two moves come to the same. Those of the role
    /// `nature` are as likely as they are many, so it has none; nor has anybody where roles are told what happens.
    pub(crate) fn find(net: &PropNet, nature: Option<usize>) -> Option<Twins> {
        if net.roles.iter().any(|role| !role.sees.is_empty()) {
            return None;
        }
        let cause = Cause::of(net);
        let mut first: Vec<Vec<u32>> = Vec::with_capacity(net.roles.len());
        let mut some = false;
        for (role, sets) in cause.sets.iter().enumerate() {
            let mut classes: FxHashMap<&[u32], Vec<u32>> = FxHashMap::default();
            for (mv, sets) in sets.iter().enumerate() {
                classes.entry(sets).or_default().push(mv as u32);
            }
            let mut of_role: Vec<u32> = (0..sets.len() as u32).collect();
            for (sets, members) in classes {
                if members.len() > 1
                    && Some(role) != nature
                    && (!sets.is_empty() || cause.can_idle(net, role, &members))
                {
                    for &mv in &members {
                        of_role[mv as usize] = members[0];
                    }
                    some = true;
                }
            }
            first.push(of_role);
        }
        some.then_some(Twins { first })
    }

    /// The first move of the class of `role`'s move `mv`.
    pub(crate) fn first(&self, role: usize, mv: u32) -> u32 {
        self.first[role][mv as usize]
    }

    /// The networks of a game's phases where of each class only the first legal move is legal; none where
    /// that changes nothing.
    pub(crate) fn one_each(&self, nets: &[Specialised]) -> Option<Vec<Specialised>> {
        let mut changed = false;
        let narrowed: Vec<Specialised> = nets
            .iter()
            .map(|one| {
                let mut builder = NetBuilder::of(&one.net);
                let mut roles = one.net.roles.clone();
                for (role, moves) in one.moves.iter().enumerate() {
                    // For each class, whether one of its moves so far is legal.
                    let mut any: FxHashMap<u32, Signal> = FxHashMap::default();
                    for (at, &original) in moves.iter().enumerate() {
                        let legal = roles[role].moves[at].legal;
                        let before = any.entry(self.first[role][original as usize]).or_insert(Signal::FALSE);
                        changed |= *before != Signal::FALSE;
                        roles[role].moves[at].legal = builder.and([legal, !*before]);
                        *before = builder.or([*before, legal]);
                    }
                }
                let net = builder.finish(one.net.fluents.clone(), roles, one.net.terminal);
                Specialised { net, moves: one.moves.clone() }
            })
            .collect();
        changed.then_some(narrowed)
    }
}

/// What the end of the game and the goals depend on.
struct Cause {
    fluents: Vec<bool>,
    /// Per role, for each of its moves the sets that are read and that it is in, ascending.
    sets: Vec<Vec<Vec<u32>>>,
}

impl Cause {
    fn of(net: &PropNet) -> Cause {
        let mut fluents = vec![false; net.fluents.len()];
        let mut sets: Vec<Vec<Vec<u32>>> =
            net.roles.iter().map(|role| vec![Vec::new(); role.moves.len()]).collect();
        let goals = net
            .roles
            .iter()
            .flat_map(|role| role.goals.iter().map(|&(_, signal)| signal).chain(role.bad_goal));
        let mut walk = Walk::new(net);
        let mut read: Vec<Signal> = goals.chain([net.terminal]).collect();
        while !read.is_empty() {
            let mut next = Vec::new();
            walk.on(read, |node| match *node {
                Node::State(fluent) => {
                    fluents[fluent as usize] = true;
                    next.push(net.fluents[fluent as usize].next);
                }
                Node::MoveSet(number) => {
                    for (role, mv) in told_apart(net, number) {
                        next.push(net.roles[role].moves[mv as usize].legal);
                        sets[role][mv as usize].push(number);
                    }
                }
                _ => {}
            });
            read = next;
        }
        sets.iter_mut().flatten().for_each(|sets| sets.sort_unstable());
        Cause { fluents, sets }
    }

    /// Whether each move puts an end to one of `members`, moves of `role` that nothing reads, at most.
    fn can_idle(&self, net: &PropNet, role: usize, members: &[u32]) -> bool {
        // 1. The fluents that say when each of them is or comes to be legal.
        let mut work = 0;
        let mut readers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut walk = Walk::new(net);
        for &mv in members {
            walk.restart();
            let mut read = vec![net.roles[role].moves[mv as usize].legal];
            while !read.is_empty() {
                let mut next = Vec::new();
                work += walk.on(read, |node| match *node {
                    Node::State(fluent) if !self.fluents[fluent as usize] => {
                        readers.entry(fluent).or_default().push(mv);
                        next.push(net.fluents[fluent as usize].next);
                    }
                    _ => {}
                });
                read = next;
            }
            if work > WORK {
                return false;
            }
        }
        // 2. The moves that change those.
        let mut ends: FxHashMap<(usize, u32), FxHashSet<u32>> = FxHashMap::default();
        for (&fluent, readers) in &readers {
            let mut changed_by = Vec::new();
            walk.restart();
            work += walk.on([net.fluents[fluent as usize].next], |node| {
                if let Node::MoveSet(number) = *node {
                    changed_by.extend(told_apart(net, number));
                }
            });
            work += changed_by.len() * readers.len();
            if work > WORK {
                return false;
            }
            for mv in changed_by {
                ends.entry(mv).or_default().extend(readers);
            }
        }
        ends.values().all(|ended| ended.len() <= 1)
    }
}

/// The moves that a set tells from the others of its role: its members, or all others if those are fewer.
fn told_apart(net: &PropNet, number: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
    let set = net.move_set(number);
    let role = set.role as usize;
    let all = net.roles[role].moves.len();
    let few = set.members.len() * 2 <= all;
    let moves = if few { set.members.to_vec() } else { MoveSet::complement(&set.members, all) };
    moves.into_iter().map(move |mv| (role, mv))
}
