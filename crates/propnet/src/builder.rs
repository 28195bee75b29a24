//! The construction of a network, bottom-up, with simplification on the way.

use crate::move_set::{MoveSet, MoveSets};
use crate::net::{Fluent, GroundCounts, NetRole, PropNet};
use crate::node::{Node, Signal, Unknown};
use ggp_game::Game;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::ops::Not;
use std::sync::Arc;

/// Builds a network bottom-up and simplifies each node: by constants, duplicates, complements, absorption one
/// level down, and set algebra on move sets (a role makes exactly one move).
///
/// # Examples
/// ```
/// use ggp_propnet::{NetBuilder, Signal};
/// # let rules = b"(role a) (legal a x) (legal a y) (<= terminal (true over)) (next over) (goal a 100)";
/// # let game = std::sync::Arc::new(ggp_game::Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
/// // The network of a `game` whose only role has two moves.
/// let mut net = NetBuilder::new(&game, &[2]);
/// let (on, first) = (net.state(0), net.move_set(0, &[0]));
/// let both = net.and([on, first]);
/// assert_eq!(net.and([both, on]), both);
/// assert_eq!(net.or([first, !first]), Signal::TRUE);
/// ```
#[derive(Clone, Debug)]
pub struct NetBuilder {
    game: Arc<Game>,
    nodes: IndexSet<Node, FxBuildHasher>,
    move_sets: MoveSets,
    components: Vec<Box<[Signal]>>,
}

/// Absorption and unit propagation skip operands with more inputs than this.
pub(crate) const LOOK_INTO: usize = 12;

impl NetBuilder {
    /// Creates a builder of the network of `game`. `moves` gives the number of moves of each role.
    ///
    /// # Panics
    /// If the number of entries of `moves` is not the number of roles of `game`.
    pub fn new(game: &Arc<Game>, moves: &[usize]) -> NetBuilder {
        assert_eq!(moves.len(), game.role_count(), "one number of moves for each role of the game");
        NetBuilder {
            game: Arc::clone(game),
            nodes: [Node::False].into_iter().collect(),
            move_sets: MoveSets::new(moves),
            components: Vec::new(),
        }
    }

    /// Creates a builder that contains the nodes of `net`. Signals of `net` have the same meaning in the
    /// builder.
    pub(crate) fn of(net: &PropNet) -> NetBuilder {
        NetBuilder {
            game: Arc::clone(&net.game),
            nodes: net.nodes.iter().cloned().collect(),
            move_sets: net.move_sets.clone(),
            components: net.components.clone(),
        }
    }

    /// The number of nodes, including those that nothing uses.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node of `signal`.
    pub fn node(&self, signal: Signal) -> &Node {
        &self.nodes[signal.node()]
    }

    /// The move set with the index `number`.
    pub fn set(&self, number: u32) -> &MoveSet {
        self.move_sets.get(number)
    }

    fn intern(&mut self, node: Node) -> Signal {
        Signal::of_node(self.nodes.insert_full(node).0)
    }

    /// The signal that is true if the fluent with the index `fluent` is true in the current state.
    pub fn state(&mut self, fluent: usize) -> Signal {
        self.intern(Node::State(fluent as u32))
    }

    /// A signal that is true if `role`'s move is one of `members`, which are indices into the role's moves,
    /// in any order.
    pub fn move_set(&mut self, role: usize, members: &[u32]) -> Signal {
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        self.sorted_move_set(role, sorted, false)
    }

    /// The signal of the moves of `role` in `members`, or not in `members` if `negated` is set. Of a set and its
    /// complement, the network has the smaller one; of two equally large ones that with the first move.
    fn sorted_move_set(&mut self, role: usize, members: Vec<u32>, negated: bool) -> Signal {
        let all = self.move_sets.move_count(role);
        let is_large = members.len() * 2 > all || (members.len() * 2 == all && members.first() != Some(&0));
        let members = if is_large { MoveSet::complement(&members, all) } else { members };
        let negated = negated != is_large;
        if members.is_empty() {
            return Signal::constant(negated);
        }
        let number = self.move_sets.intern(MoveSet { role: role as u32, members: members.into() });
        self.intern(Node::MoveSet(number)).negated_if(negated)
    }

    /// The conjunction of `inputs`. True if `inputs` is empty.
    pub fn and(&mut self, inputs: impl IntoIterator<Item = Signal>) -> Signal {
        let mut list: Vec<Signal> = inputs.into_iter().collect();
        self.and_list(&mut list, true)
    }

    /// The disjunction of `inputs`. False if `inputs` is empty.
    pub fn or(&mut self, inputs: impl IntoIterator<Item = Signal>) -> Signal {
        let mut list: Vec<Signal> = inputs.into_iter().map(Signal::not).collect();
        !self.and_list(&mut list, true)
    }

    fn and_list(&mut self, list: &mut Vec<Signal>, look: bool) -> Signal {
        loop {
            list.sort_unstable();
            list.dedup();
            if list.first() == Some(&Signal::FALSE) || list.windows(2).any(|pair| pair[0] == !pair[1]) {
                return Signal::FALSE;
            }
            list.retain(|&signal| signal != Signal::TRUE);
            self.inline_move_sets(list);
            let merged = self.merge_move_sets(list);
            let changed = merged || (look && self.look_into_operands(list));
            if !changed {
                break;
            }
        }
        match list.as_slice() {
            [] => Signal::TRUE,
            [one] => *one,
            _ => self.intern(Node::And(list.as_slice().into())),
        }
    }

    /// Finds the conjunctions in `list` whose inputs are all move sets, and puts these inputs into `list` in
    /// place of the conjunctions. They can then merge with the other move sets in `list`. Such a conjunction
    /// has at most one move set of each role.
    fn inline_move_sets(&self, list: &mut Vec<Signal>) {
        let is_set = |signal: &Signal| matches!(self.nodes[signal.node()], Node::MoveSet(_));
        let mut at = 0;
        while at < list.len() {
            match &self.nodes[list[at].node()] {
                Node::And(inner) if !list[at].is_negated() && inner.iter().all(is_set) => {
                    list.swap_remove(at);
                    list.extend(
                        inner.iter().filter(|signal| !list.contains(signal)).copied().collect::<Vec<_>>(),
                    );
                }
                _ => at += 1,
            }
        }
        list.sort_unstable();
    }

    /// Finds a role with two or more move sets in `list`, and replaces these sets by their intersection.
    /// Returns whether `list` changed.
    fn merge_move_sets(&mut self, list: &mut Vec<Signal>) -> bool {
        let set_of = |nodes: &IndexSet<Node, FxBuildHasher>, signal: Signal| match nodes[signal.node()] {
            Node::MoveSet(number) => Some(number),
            _ => None,
        };
        let sets: Vec<Signal> =
            list.iter().copied().filter(|&signal| set_of(&self.nodes, signal).is_some()).collect();
        if sets.len() < 2 {
            return false;
        }
        let role = |signal: Signal| self.move_sets.get(set_of(&self.nodes, signal).unwrap_or(0)).role;
        let Some(first) = sets
            .iter()
            .enumerate()
            .find_map(|(i, &one)| sets[i + 1..].iter().any(|&two| role(one) == role(two)).then_some(one))
        else {
            return false;
        };
        let shared = role(first) as usize;
        let together: Vec<Signal> = sets.into_iter().filter(|&set| role(set) as usize == shared).collect();
        let literals: Vec<(u32, bool)> = together
            .iter()
            .map(|&signal| (set_of(&self.nodes, signal).unwrap_or(0), signal.is_negated()))
            .collect();
        let (members, negated) = self.move_sets.intersection(shared, &literals);
        list.retain(|signal| !together.contains(signal));
        let merged = self.sorted_move_set(shared, members, negated);
        list.push(merged);
        true
    }

    /// Applies unit propagation and absorption between `list` and the inputs of its conjunctions. Returns
    /// whether `list` changed.
    fn look_into_operands(&mut self, list: &mut Vec<Signal>) -> bool {
        let (length, mut at) = (list.len(), 0);
        while at < list.len() {
            let signal = list[at];
            at += 1;
            let Node::And(inner) = &self.nodes[signal.node()] else { continue };
            if inner.len() > LOOK_INTO {
                continue;
            }
            let has = |signal: Signal| list.binary_search(&signal).is_ok();
            if !signal.is_negated() {
                if inner.iter().any(|&signal| has(!signal)) {
                    *list = vec![Signal::FALSE];
                    return true;
                }
                if inner.iter().any(|&signal| has(signal)) {
                    let rest: Vec<Signal> = inner.to_vec();
                    list.swap_remove(at - 1);
                    list.extend(rest);
                    return true;
                }
                continue;
            }
            if inner.iter().any(|&signal| has(!signal)) {
                // The rest stays in order, and no conjunction before has more to do without this one.
                at -= 1;
                list.remove(at);
                continue;
            }
            if inner.iter().any(|&signal| has(signal)) {
                let mut rest: Vec<Signal> = inner.iter().copied().filter(|&signal| !has(signal)).collect();
                list[at - 1] = !self.and_list(&mut rest, false);
                return true;
            }
        }
        list.len() < length
    }

    /// Opens a fixpoint component: a set of mutually recursive equations with `size` unknowns. Returns the
    /// index of the component and the signals of its unknowns.
    pub fn open_fixpoint(&mut self, size: usize) -> (u32, Vec<Signal>) {
        let component = self.components.len() as u32;
        self.components.push(Box::default());
        let unknowns = (0..size)
            .map(|index| self.intern(Node::Variable(Unknown { component, index: index as u32 })))
            .collect();
        (component, unknowns)
    }

    /// Closes the component with the index `component`. `bodies[i]` is the equation of unknown `i` and must
    /// be monotone in the unknowns. Returns the values of the unknowns in the least fixpoint.
    pub fn close_fixpoint(&mut self, component: u32, bodies: Vec<Signal>) -> Vec<Signal> {
        let size = bodies.len();
        let constants: Vec<Option<bool>> = bodies.iter().map(|body| body.as_constant()).collect();
        self.components[component as usize] = bodies.into();
        (0..size)
            .map(|index| match constants[index] {
                Some(value) => Signal::constant(value),
                None => self.intern(Node::Fixpoint(Unknown { component, index: index as u32 })),
            })
            .collect()
    }

    /// Finishes the network with the given outputs.
    ///
    /// # Panics
    /// If the number of `roles` is not the number of roles of the game.
    pub fn finish(self, fluents: Vec<Fluent>, roles: Vec<NetRole>, terminal: Signal) -> PropNet {
        let NetBuilder { game, nodes, move_sets, components, .. } = self;
        assert_eq!(roles.len(), game.role_count(), "outputs for each role of the game");
        let grounding = GroundCounts::default();
        let nodes = nodes.into_iter().collect();
        let exclusive = Vec::new();
        PropNet { game, nodes, move_sets, components, fluents, roles, terminal, exclusive, grounding }
    }
}

#[cfg(test)]
mod tests {
    use super::{NetBuilder, Node, Signal};
    use ggp_game::Game;
    use std::sync::Arc;

    /// A builder for a game with one role for each entry of `moves`.
    fn builder(moves: &[usize]) -> NetBuilder {
        let roles =
            (0..moves.len()).map(|role| format!("(role r{role}) (legal r{role} x) (goal r{role} 100)"));
        let rules = format!("(init on) (<= terminal (not (true on))) {}", roles.collect::<String>());
        let game = Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap();
        NetBuilder::new(&Arc::new(game), moves)
    }

    #[test]
    fn conjunctions_are_reduced() {
        let mut b = builder(&[4]);
        let (x, y, z) = (b.state(0), b.state(1), b.state(2));
        assert_eq!(b.and([x, Signal::TRUE]), x);
        assert_eq!(b.and([x, y, !x]), Signal::FALSE);
        assert_eq!(b.or([x, !x]), Signal::TRUE);
        let xy = b.and([x, y]);
        assert_eq!(b.and([y, x, y]), xy);
        assert_eq!(b.or([!x, !y]), !xy);
        let x_or_y = b.or([x, y]);
        assert_eq!(b.and([x, x_or_y]), x, "absorption");
        let reduced = b.or([!x, y]);
        assert_eq!(b.and([x, reduced]), xy, "unit propagation");
        let flat = b.and([xy, z, x]);
        assert_eq!(b.and([x, y, z]), flat);
    }

    #[test]
    fn a_role_makes_exactly_one_of_its_moves() {
        let mut b = builder(&[4, 3]);
        let (a, c) = (b.move_set(0, &[0, 1]), b.move_set(0, &[2, 3]));
        assert_eq!(a, !c);
        assert_eq!(b.and([a, c]), Signal::FALSE);
        assert_eq!(b.or([a, c]), Signal::TRUE);
        let one = b.move_set(0, &[1]);
        let mostly = b.move_set(0, &[1, 2, 3]);
        assert_eq!(b.and([a, mostly]), one);
        let none_of_it = b.move_set(0, &[0]);
        assert_eq!(!mostly, none_of_it);
        let other = b.move_set(1, &[1]);
        let both = b.and([one, other]);
        assert!(matches!(b.node(both), Node::And(inputs) if inputs.len() == 2));
        assert_eq!(b.move_set(1, &[0, 1, 2]), Signal::TRUE);
        // A disjunction of disjunctions of moves is one disjunction of moves.
        let (two, three) = (b.move_set(0, &[2]), b.move_set(0, &[3]));
        let (either, or_else) = (b.or([two, other]), b.or([three, other]));
        let (both, of_first) = (b.or([either, or_else]), b.move_set(0, &[2, 3]));
        assert_eq!(both, b.or([of_first, other]));
    }
}
