//! The network: a boolean circuit from state bits and chosen moves to legal moves, terminal, goals,
//! percepts and the next state.
//!
//! The circuit is an and-inverter graph with n-ary ANDs: a [`Signal`] is a node or its negation, and an OR
//! is the negation of an AND of negations. Nodes are hash-consed and stand in topological order; only a
//! [`Node::Variable`] closes a cycle, inside its fixpoint component.

use crate::move_set::{MoveSet, MoveSets};
use crate::node::{Node, Signal};
use ggp_game::{Ending, Fact, Game, Goal, Role};
use std::sync::Arc;

/// A fluent: one proposition of a state.
#[derive(Clone, Debug)]
pub struct Fluent {
    /// The canonical text of the fluent, without `true`.
    pub fact: Fact,
    /// Whether the fluent holds in the initial state.
    pub initial: bool,
    /// Whether the fluent holds in the next state.
    pub next: Signal,
}

/// A possible move of a role.
#[derive(Clone, Debug)]
pub struct NetMove {
    /// The canonical text of the move.
    pub text: Box<str>,
    /// Whether the move is legal in the current state.
    pub legal: Signal,
}

/// The moves, goals and percepts of one role.
#[derive(Clone, Debug, Default)]
pub struct NetRole {
    /// The role's distinct moves, in bytewise order of their texts.
    pub moves: Vec<NetMove>,
    /// The role's goal values, each with the condition under which it holds.
    pub goals: Vec<(Goal, Signal)>,
    /// The condition under which `goal` holds for a term that is not a valid goal value. `None` if no
    /// possible goal of the role has such a term.
    pub bad_goal: Option<Signal>,
    /// The role's percepts after a joint move, each with the condition under which the role receives it.
    pub sees: Vec<(Fact, Signal)>,
}

/// The network of a game. It is immutable, and a machine and its clones share it.
#[derive(Clone, Debug)]
pub struct PropNet {
    pub(crate) game: Arc<Game>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) move_sets: MoveSets,
    pub(crate) components: Vec<Box<[Signal]>>,
    pub(crate) fluents: Vec<Fluent>,
    pub(crate) roles: Vec<NetRole>,
    pub(crate) terminal: Signal,
    /// Sets of fluents on which the network relies: in each reachable state at most one fluent of a set holds.
    /// In other states the outputs may differ from the rules. The indices of a set are in ascending order.
    pub(crate) exclusive: Vec<Box<[u32]>>,
    pub(crate) grounding: GroundCounts,
}

impl PropNet {
    /// The game whose rules the network computes.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// The nodes in topological order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The fluents of a state.
    pub fn fluents(&self) -> &[Fluent] {
        &self.fluents
    }

    /// The roles.
    pub fn roles(&self) -> &[NetRole] {
        &self.roles
    }

    /// The signal that is true if the current state is terminal.
    pub fn terminal(&self) -> Signal {
        self.terminal
    }

    /// The move set with the index `number`.
    pub fn move_set(&self, number: u32) -> &MoveSet {
        self.move_sets.get(number)
    }

    /// The equations of the fixpoint component with the index `number`, one equation for each unknown.
    pub fn component(&self, number: u32) -> &[Signal] {
        &self.components[number as usize]
    }

    /// All outputs: terminal, legal moves, goals, percepts and next fluents.
    pub fn outputs(&self) -> impl Iterator<Item = Signal> + '_ {
        let of_roles = self.roles.iter().flat_map(|role| {
            let moves = role.moves.iter().map(|mv| mv.legal);
            let goals = role.goals.iter().map(|&(_, signal)| signal).chain(role.bad_goal);
            moves.chain(goals).chain(role.sees.iter().map(|(_, signal)| *signal))
        });
        std::iter::once(self.terminal).chain(of_roles).chain(self.fluents.iter().map(|fluent| fluent.next))
    }

    /// Sets of fluents on which the network relies: at most one fluent of each set holds in a reachable state.
    pub(crate) fn set_exclusive(&mut self, sets: &[Vec<Fact>]) {
        let number = |fact: &Fact| self.fluents.binary_search_by(|fluent| fluent.fact.cmp(fact)).ok();
        let numbers = |set: &Vec<Fact>| -> Box<[u32]> {
            let mut numbers: Vec<u32> = set.iter().filter_map(number).map(|n| n as u32).collect();
            numbers.sort_unstable();
            numbers.into()
        };
        self.exclusive = sets.iter().map(numbers).collect();
    }

    /// Two fluents of `holds` that cannot hold together in a reachable state, if the network relies on that.
    pub(crate) fn never_together(&self, holds: impl Fn(usize) -> bool) -> Option<(&Fact, &Fact)> {
        self.exclusive.iter().find_map(|set| {
            let mut both = set.iter().map(|&fluent| fluent as usize).filter(|&fluent| holds(fluent));
            let (one, two) = (both.next()?, both.next()?);
            Some((&self.fluents[one].fact, &self.fluents[two].fact))
        })
    }

    /// The only role besides `role` and chance. `None` in games that have not two roles besides chance, and if
    /// `role` is chance.
    pub(crate) fn rival(&self, role: usize) -> Option<usize> {
        let nature = self.game.nature().map(Role::index);
        let mut others = (0..self.roles.len()).filter(|&other| other != role && Some(other) != nature);
        let rival = others.next().filter(|_| Some(role) != nature);
        rival.filter(|_| others.next().is_none())
    }

    /// The end of the game in which `winner` gets its largest goal and `loser` its smallest.
    pub(crate) fn ending(&self, winner: usize, loser: usize) -> Ending {
        let goals = |role: usize| self.roles[role].goals.iter().map(|&(goal, _)| goal);
        Ending {
            winner: Role(winner as u8),
            best: goals(winner).max().unwrap_or(Goal::ZERO),
            least: goals(loser).min().unwrap_or(Goal::ZERO),
        }
    }

    /// Sizes of the grounded rules.
    pub fn grounding(&self) -> &GroundCounts {
        &self.grounding
    }
}

/// Sizes of the grounded rules. All sizes are zero for a network that was not made by grounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroundCounts {
    /// The number of facts that the network needs and that do not depend on the state or on the moves.
    pub fixed_facts: usize,
    /// The number of facts that depend on the state or on the moves and that hold in some state according to
    /// the relaxed rules. This is an over-approximation.
    pub possible_facts: usize,
    /// The number of rules that depend on the state or on the moves, including rules that grounding adds.
    pub rules: usize,
    /// The number of ground instances of the rules that [`GroundCounts::rules`] counts. One instance may
    /// stand for many moves.
    pub instances: u64,
    /// The number of instances if each instance stood for only one move of each role.
    pub instances_by_move: u64,
    /// The number of instances whose condition does not simplify to false and whose head the network needs.
    pub kept: u64,
    /// The number of two-input gates that the kept instances need without further simplification: each
    /// instance takes the gates of a conjunction of its conditions, and each fact those of a disjunction of
    /// its instances.
    pub gates: u64,
    /// The number of nodes of the network, including those that no output needs.
    pub nodes: usize,
}
