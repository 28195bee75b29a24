//! Equivalent moves of a role: moves that are interchangeable, because no signal distinguishes them that
//! affects the terminal condition or the goals, now or later, either directly or through the legality of
//! moves. If a game consists of several boards of which only one counts, all moves on the other boards are
//! equivalent (compare Cox, Schkufza, Madsen & Genesereth 2009, factoring on propositional automata).
//!
//! The analysis runs backwards from the terminal condition and the goals: over the fluents that they read,
//! the next values of these fluents, and the legality of the moves that the next values distinguish. If no
//! gate of this analysis reads some moves of a role, these moves form one class. Merging this class needs one
//! more condition, because one of its moves may make others illegal later, so that the choice among them
//! matters. Its moves are therefore merged only if every move of the game affects the legality of at most one
//! of them, for example if each move marks its own cell.

use crate::builder::NetBuilder;
use crate::move_set::MoveSet;
use crate::net::{NetRole, PropNet};
use crate::node::{Node, Signal};
use crate::specialise::Specialised;
use crate::walk::Walk;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// For each class of moves that no gate reads, [`Dependencies::may_merge`] visits at most this many nodes,
/// which takes a fraction of a second. A class that needs more is not merged.
const WORK: usize = 4_000_000;

/// The classes of equivalent moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EquivalentMoves {
    /// For each role and each of its moves, the first move of the class to which the move belongs.
    first: Vec<Vec<u32>>,
}

impl EquivalentMoves {
    /// The equivalent moves of the game of `net`. `None` if no two moves are equivalent, or if the game has
    /// percepts. The moves of the role `nature` (chance) are never merged, because that would change their
    /// probabilities.
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

    /// Whether the classes are classes of the moves of `roles`, where the first move of each class belongs to
    /// itself.
    pub(crate) fn fit(&self, roles: &[NetRole]) -> bool {
        let fits = |(first, role): (&Vec<u32>, &NetRole)| {
            let is_first = |&mv: &u32| first.get(mv as usize) == Some(&mv);
            first.len() == role.moves.len() && first.iter().all(is_first)
        };
        self.first.len() == roles.len() && self.first.iter().zip(roles).all(fits)
    }

    /// The first move in the class of `role`'s move `mv`.
    pub(crate) fn first(&self, role: usize, mv: u32) -> u32 {
        self.first[role][mv as usize]
    }

    /// The networks of a game's phases, restricted so that only the first legal move of each class is legal.
    /// `None` if this restriction changes no network.
    pub(crate) fn one_each(&self, nets: &[Specialised]) -> Option<Vec<Specialised>> {
        let mut changed = false;
        let narrowed: Vec<Specialised> = nets
            .iter()
            .map(|one| {
                let mut builder = NetBuilder::of(&one.net);
                let mut roles = one.net.roles.clone();
                for (role, moves) in one.moves.iter().enumerate() {
                    // For each class, whether one of its previous moves is legal.
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
                Specialised { net, moves: one.moves.clone(), verdicts: Vec::new() }
            })
            .collect();
        changed.then_some(narrowed)
    }
}

/// The fluents and moves that the terminal condition and the goals depend on.
struct Dependencies {
    fluents: Vec<bool>,
    /// For each role and each of its moves, the indices of the move sets that some gate reads and that
    /// distinguish the move from others, in ascending order.
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

    /// Whether `members`, a class of moves of `role` that no gate reads, may be merged: whether every move of
    /// the game affects the legality of at most one of them. Also false if this takes too long to find out.
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

/// The moves that the move set with the index `number` distinguishes from the role's other moves: the members
/// of the set, or the moves outside the set if these are fewer. Each move comes with the index of its role.
fn distinguished(net: &PropNet, number: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
    let set = net.move_set(number);
    let role = set.role as usize;
    let all = net.roles[role].moves.len();
    let few = set.members.len() * 2 <= all;
    let moves = if few { set.members.to_vec() } else { MoveSet::complement(&set.members, all) };
    moves.into_iter().map(move |mv| (role, mv))
}
