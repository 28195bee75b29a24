//! `EquivalentMoves`: interchangeable moves of a role, which nothing that the terminal condition, the goals and the
//! relevant legal moves depend on distinguishes. Among several games side by side of which one counts, all
//! moves in the others are twins (compare Cox, Schkufza, Madsen & Genesereth 2009, factoring on
//! propositional automata).
//!
//! The analysis runs backwards from the terminal condition and the goals: over the fluents read, their next
//! values, and the legality of the moves that those distinguish. If no gate reads the moves of a class, it
//! does not follow that the class keeps a legal move: one of its moves may disable others, so that it matters
//! which was made. Such a class is merged only if every move affects the legality of at most one of its
//! members, as when a move marks a cell or presses a button.

use crate::builder::NetBuilder;
use crate::move_set::MoveSet;
use crate::net::PropNet;
use crate::node::{Node, Signal};
use crate::specialise::Specialised;
use crate::walk::Walk;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most nodes visited to find which moves disable moves without influence: a fraction of a second.
const WORK: usize = 4_000_000;

/// The classes of interchangeable moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EquivalentMoves {
    /// Per role, for each of its moves the first move of its class.
    first: Vec<Vec<u32>>,
}

impl EquivalentMoves {
    /// The twins of the game of `net`. `None` if no two moves are interchangeable, or if the game has
    /// percepts. The role `nature` has no twins, because merging its moves would change their probabilities.
    pub(crate) fn find(net: &PropNet, nature: Option<usize>) -> Option<EquivalentMoves> {
        if net.roles.iter().any(|role| !role.sees.is_empty()) {
            return None;
        }
        let dependencies = Dependencies::of(net);
        let mut first: Vec<Vec<u32>> = Vec::with_capacity(net.roles.len());
        let mut some = false;
        for (role, sets) in dependencies.sets.iter().enumerate() {
            let mut classes: FxHashMap<&[u32], Vec<u32>> = FxHashMap::default();
            for (mv, sets) in sets.iter().enumerate() {
                classes.entry(sets).or_default().push(mv as u32);
            }
            let mut of_role: Vec<u32> = (0..sets.len() as u32).collect();
            for (sets, members) in classes {
                if members.len() > 1
                    && Some(role) != nature
                    && (!sets.is_empty() || dependencies.may_merge(net, role, &members))
                {
                    for &mv in &members {
                        of_role[mv as usize] = members[0];
                    }
                    some = true;
                }
            }
            first.push(of_role);
        }
        some.then_some(EquivalentMoves { first })
    }

    /// The first move in the class of `role`'s move `mv`.
    pub(crate) fn first(&self, role: usize, mv: u32) -> u32 {
        self.first[role][mv as usize]
    }

    /// The networks of a game's phases, restricted so that of each class only the first legal move is legal.
    /// `None` if that changes nothing.
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

/// The fluents and moves that the terminal condition and the goals depend on.
struct Dependencies {
    fluents: Vec<bool>,
    /// Per role and move, the move sets that are read and that distinguish the move, ascending.
    sets: Vec<Vec<Vec<u32>>>,
}

impl Dependencies {
    fn of(net: &PropNet) -> Dependencies {
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
                    for (role, mv) in distinguished(net, number) {
                        next.push(net.roles[role].moves[mv as usize].legal);
                        sets[role][mv as usize].push(number);
                    }
                }
                _ => {}
            });
            read = next;
        }
        sets.iter_mut().flatten().for_each(|sets| sets.sort_unstable());
        Dependencies { fluents, sets }
    }

    /// Whether every move affects the legality of at most one of `members`, moves of `role` that no gate
    /// reads.
    fn may_merge(&self, net: &PropNet, role: usize, members: &[u32]) -> bool {
        // 1. The fluents that the members' legality depends on, now or later.
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
        // 2. The moves that change those fluents.
        let mut ends: FxHashMap<(usize, u32), FxHashSet<u32>> = FxHashMap::default();
        for (&fluent, readers) in &readers {
            let mut changed_by = Vec::new();
            walk.restart();
            work += walk.on([net.fluents[fluent as usize].next], |node| {
                if let Node::MoveSet(number) = *node {
                    changed_by.extend(distinguished(net, number));
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

/// The moves that a set distinguishes within its role: its members, or the others if those are fewer.
fn distinguished(net: &PropNet, number: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
    let set = net.move_set(number);
    let role = set.role as usize;
    let all = net.roles[role].moves.len();
    let few = set.members.len() * 2 <= all;
    let moves = if few { set.members.to_vec() } else { MoveSet::complement(&set.members, all) };
    moves.into_iter().map(move |mv| (role, mv))
}
