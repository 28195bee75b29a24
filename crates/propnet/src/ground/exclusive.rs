//! Sets of fluents of which at most one holds in each reachable state, such as the places of a piece. The
//! proof is by induction over the steps of a match, on a network whose legal moves and next states include
//! those of the game.
//!
//! The induction step assumes that at most one fluent of the set holds. A signal then implies at most one
//! fluent of the set: a conjunction implies what one of its inputs implies, and a disjunction what all its
//! inputs imply. A legal move implies a fluent in the same way. Two fluents can hold in the next state
//! together only if a way to derive the one, a way to derive the other, and the moves in both agree in the
//! fluents that they imply.

use crate::net::PropNet;
use crate::node::{Node, Signal};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// The maximum number of pairs of derivations in one proof.
const MOST_PAIRS: usize = 2_000_000;

/// The maximum number of derivations of all fluents of a set.
const MOST_BRANCHES: usize = 20_000;

/// The maximum number of combinations of the roles' moves, by the fluents that they imply, for one pair.
const MOST_COMBINATIONS: usize = 100_000;

/// The fluent of one set that a signal implies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Implied {
    /// No fluent is known.
    Any,
    /// This fluent holds.
    One(u32),
    /// The signal cannot be true, because two fluents of the set would hold.
    Never,
}

impl Implied {
    fn and(self, other: Implied) -> Implied {
        match (self, other) {
            (Implied::Any, one) | (one, Implied::Any) => one,
            (a, b) if a == b => a,
            _ => Implied::Never,
        }
    }

    fn or(self, other: Implied) -> Implied {
        match (self, other) {
            (Implied::Never, one) | (one, Implied::Never) => one,
            (a, b) if a == b => a,
            _ => Implied::Any,
        }
    }
}

/// The fluent of one set that each signal implies: for each node, if the node is true and if it is false.
struct Implications(Vec<[Implied; 2]>);

impl Implications {
    fn new(net: &PropNet, set: &[u32]) -> Implications {
        let mut values: Vec<[Implied; 2]> = Vec::with_capacity(net.nodes.len());
        let members: FxHashSet<u32> = set.iter().copied().collect();
        for node in &net.nodes {
            let of = |values: &Vec<[Implied; 2]>, signal: Signal| {
                values[signal.node()][usize::from(signal.is_negated())]
            };
            values.push(match node {
                Node::False => [Implied::Never, Implied::Any],
                Node::State(fluent) if members.contains(fluent) => [Implied::One(*fluent), Implied::Any],
                Node::And(inputs) => [
                    inputs.iter().fold(Implied::Any, |all, &input| all.and(of(&values, input))),
                    inputs.iter().fold(Implied::Never, |all, &input| all.or(of(&values, !input))),
                ],
                Node::State(_) | Node::MoveSet(_) | Node::Variable(_) | Node::Fixpoint(_) => {
                    [Implied::Any, Implied::Any]
                }
            });
        }
        Implications(values)
    }

    fn of(&self, signal: Signal) -> Implied {
        self.0[signal.node()][usize::from(signal.is_negated())]
    }
}

/// A set of moves of one role, as bits. `None` for all moves.
type Moves = Option<Vec<u64>>;

/// A way to derive a fluent of the next state: a signal that implies the fluent's `next`.
struct Branch {
    /// The index of the derived fluent.
    fluent: u32,
    /// For each set of fluents, the fluent that the branch implies in the current state.
    implied: Vec<Implied>,
    /// For each role, the moves with which the branch can be true.
    moves: Vec<Moves>,
}

/// The classes of a role's moves: the moves of a class imply the same fluents.
struct Classes {
    /// For each class, the fluent of each set that its moves imply.
    implied: Vec<Vec<Implied>>,
    /// For each move, the index of its class.
    of_move: Vec<u32>,
}

impl Classes {
    fn new(proved: &[(Implications, Vec<Vec<Implied>>)], role: usize, moves: usize) -> Classes {
        let mut numbers: IndexSet<Vec<Implied>, FxBuildHasher> = IndexSet::default();
        let class = |mv: usize| proved.iter().map(|(_, legal)| legal[role][mv]).collect();
        let of_move = (0..moves).map(|mv| numbers.insert_full(class(mv)).0 as u32).collect();
        Classes { implied: numbers.into_iter().collect(), of_move }
    }

    /// The classes of the moves in both sets.
    fn in_both(&self, a: &Moves, b: &Moves) -> Vec<bool> {
        let mut seen = vec![false; self.implied.len()];
        for word in 0..self.of_move.len().div_ceil(64) {
            let of = |moves: &Moves| moves.as_ref().map_or(u64::MAX, |moves| moves[word]);
            let mut bits = of(a) & of(b);
            while bits != 0 {
                let mv = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(&class) = self.of_move.get(mv) {
                    seen[class as usize] = true;
                }
            }
        }
        seen
    }
}

/// The proofs for one network.
pub(super) struct Proofs<'a> {
    net: &'a PropNet,
    /// For each proved set: what signals and, by role and move, legal moves imply.
    proved: Vec<(Implications, Vec<Vec<Implied>>)>,
    /// For each role, the classes of its moves.
    classes: Vec<Classes>,
    /// For each node, whether it depends on the moves.
    reads_moves: Vec<bool>,
}

impl<'a> Proofs<'a> {
    pub(super) fn new(net: &'a PropNet) -> Proofs<'a> {
        let mut reads_moves: Vec<bool> = Vec::with_capacity(net.nodes.len());
        for node in &net.nodes {
            reads_moves.push(match node {
                Node::MoveSet(_) => true,
                Node::And(inputs) => inputs.iter().any(|input| reads_moves[input.node()]),
                Node::False | Node::State(_) | Node::Variable(_) | Node::Fixpoint(_) => false,
            });
        }
        Proofs { net, proved: Vec::new(), classes: Vec::new(), reads_moves }
    }

    /// Whether at most one of the fluents `set` is proved to hold in each reachable state. Later proofs use
    /// the set.
    pub(super) fn prove(&mut self, set: &[u32]) -> bool {
        let initial = set.iter().filter(|&&fluent| self.net.fluents[fluent as usize].initial).count();
        if initial > 1 {
            return false;
        }
        let implications = Implications::new(self.net, set);
        let legal = |role: &crate::net::NetRole| -> Vec<Implied> {
            role.moves.iter().map(|mv| implications.of(mv.legal)).collect()
        };
        let by_move = self.net.roles.iter().map(legal).collect();
        self.proved.push((implications, by_move));
        self.classes = (0..self.net.roles.len())
            .map(|role| Classes::new(&self.proved, role, self.net.roles[role].moves.len()))
            .collect();
        let holds = self.step(set).unwrap_or(false);
        if !holds {
            self.proved.pop();
        }
        holds
    }

    /// Whether a step keeps the set exclusive. `None` if the proof would take too long.
    fn step(&mut self, set: &[u32]) -> Option<bool> {
        let mut branches: Vec<Branch> = Vec::new();
        for &fluent in set {
            // Conjunctions of signals, each of which derives the fluent.
            let mut open: Vec<Vec<Signal>> = vec![vec![self.net.fluents[fluent as usize].next]];
            while let Some(mut all) = open.pop() {
                let is_open = |signal: &Signal| {
                    let node = &self.net.nodes[signal.node()];
                    matches!(node, Node::And(_)) && self.reads_moves[signal.node()]
                };
                let Some(place) = all.iter().position(is_open) else {
                    branches.push(self.branch(fluent, &all));
                    continue;
                };
                let signal = all.swap_remove(place);
                let Node::And(inputs) = &self.net.nodes[signal.node()] else { continue };
                if signal.is_negated() {
                    open.extend(inputs.iter().map(|&input| {
                        let mut one = all.clone();
                        one.push(!input);
                        one
                    }));
                } else {
                    all.extend(inputs);
                    open.push(all);
                }
                if branches.len() + open.len() > MOST_BRANCHES {
                    return None;
                }
            }
        }
        let branches = merged(branches);
        let mut pairs = 0;
        for (number, one) in branches.iter().enumerate() {
            for two in branches[number + 1..].iter().filter(|two| two.fluent != one.fluent) {
                pairs += 1;
                if pairs > MOST_PAIRS {
                    return None;
                }
                if !self.excludes(one, two)? {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// The branch in which all of `signals` are true. Only move sets among them depend on the moves.
    fn branch(&self, fluent: u32, signals: &[Signal]) -> Branch {
        let implied = |(implications, _): &(Implications, Vec<Vec<Implied>>)| {
            signals.iter().fold(Implied::Any, |all, &signal| all.and(implications.of(signal)))
        };
        let implied = self.proved.iter().map(implied).collect();
        let moves = (0..self.net.roles.len()).map(|role| self.moves(signals, role)).collect();
        Branch { fluent, implied, moves }
    }

    /// The moves of `role` that are in all of its move sets among `signals`.
    fn moves(&self, signals: &[Signal], role: usize) -> Moves {
        let mut all: Moves = None;
        for signal in signals {
            let Node::MoveSet(number) = &self.net.nodes[signal.node()] else { continue };
            let set = self.net.move_set(*number);
            if set.role as usize != role {
                continue;
            }
            let mut bits = vec![0u64; self.net.roles[role].moves.len().div_ceil(64)];
            for &mv in &set.members {
                bits[mv as usize / 64] |= 1 << (mv % 64);
            }
            if signal.is_negated() {
                for word in &mut bits {
                    *word = !*word;
                }
            }
            match &mut all {
                None => all = Some(bits),
                Some(all) => all.iter_mut().zip(&bits).for_each(|(word, more)| *word &= more),
            }
        }
        all
    }

    /// Whether both branches can never be true together.
    fn excludes(&self, one: &Branch, two: &Branch) -> Option<bool> {
        let together: Vec<Implied> = one.implied.iter().zip(&two.implied).map(|(a, b)| a.and(*b)).collect();
        if together.contains(&Implied::Never) {
            return Some(true);
        }
        // For each role, the fluents that its remaining moves imply, without repetition.
        let mut choices: Vec<Vec<Vec<Implied>>> = Vec::with_capacity(self.net.roles.len());
        for role in 0..self.net.roles.len() {
            let classes = &self.classes[role];
            let both = classes.in_both(&one.moves[role], &two.moves[role]);
            let mut seen: Vec<Vec<Implied>> = Vec::new();
            for (implied, _) in classes.implied.iter().zip(both).filter(|(_, both)| *both) {
                let implied: Vec<Implied> = implied.iter().zip(&together).map(|(a, b)| a.and(*b)).collect();
                if !implied.contains(&Implied::Never) {
                    seen.push(implied);
                }
            }
            if seen.is_empty() {
                return Some(true);
            }
            choices.push(seen);
        }
        // The combinations of the roles' choices that agree.
        let mut agreed: Vec<Vec<Implied>> = vec![together];
        for seen in &choices {
            if agreed.len() * seen.len() > MOST_COMBINATIONS {
                return None;
            }
            let mut next: Vec<Vec<Implied>> = Vec::new();
            for known in &agreed {
                for choice in seen {
                    let both: Vec<Implied> = known.iter().zip(choice).map(|(a, b)| a.and(*b)).collect();
                    if !both.contains(&Implied::Never) {
                        next.push(both);
                    }
                }
            }
            next.sort_unstable_by_key(|both| {
                both.iter().map(|i| if let Implied::One(f) = i { *f + 1 } else { 0 }).collect::<Vec<u32>>()
            });
            next.dedup();
            agreed = next;
            if agreed.is_empty() {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The branches that can be true, where those of one fluent that imply the same and restrict the same roles
/// are one. Its moves are the union of theirs.
fn merged(branches: Vec<Branch>) -> Vec<Branch> {
    /// The derived fluent, the implied fluents, and for each role whether its moves are restricted.
    type Key = (u32, Vec<Implied>, Vec<bool>);
    let mut merged: IndexMap<Key, Vec<Moves>, FxBuildHasher> = IndexMap::default();
    for Branch { fluent, implied, moves } in branches {
        if implied.contains(&Implied::Never) {
            continue;
        }
        let restricted = moves.iter().map(Option::is_some).collect();
        let all = merged.entry((fluent, implied, restricted)).or_insert_with(|| moves.clone());
        for (all, moves) in all.iter_mut().zip(moves) {
            if let (Some(all), Some(moves)) = (all, moves) {
                all.iter_mut().zip(moves).for_each(|(word, more)| *word |= more);
            }
        }
    }
    let branch = |((fluent, implied, _), moves)| Branch { fluent, implied, moves };
    merged.into_iter().map(branch).collect()
}
