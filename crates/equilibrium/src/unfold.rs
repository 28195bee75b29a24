//! The extensive form of a game: the tree of all histories, with the information set of each decision.
//!
//! In the tree, the roles of one turn decide one after the other in role order, and `random` decides last. No
//! role sees the moves of the others in the same turn. A role with one legal move gets no node. Nodes are
//! numbered level by level. Each turn has one level for the terminal states that the previous turn reached,
//! and then one level for the decisions of each role. Invariants: a child has a larger index and a later
//! level than its parent, and all nodes of an information set are in one level.

use crate::Budget;
use crate::history::{EMPTY, Histories};
use ggp_game::{EvalError, Fact, Move, Role, StateMachine};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The kind of a node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A decision of a player. The field is the index of the player's information set in `Unfolding::sets`.
    Decision(u32),
    /// A chance node: `random` draws one of its legal moves uniformly. The field is the index of the list of
    /// these moves in `Unfolding::chances`.
    Chance(u32),
    /// A terminal state. The field is the index of the row of `Unfolding::goals` that holds the players'
    /// goals in this state.
    Terminal(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The index of the node's first edge. The node's edges lead to its children, in the order of the legal
    /// moves.
    first: u32,
    children: u32,
}

/// An information set of the tree: the decisions of one role with the same history.
#[derive(Clone, Debug)]
pub(crate) struct DecisionSet {
    /// The index of the role among the players.
    pub(crate) player: usize,
    /// The index of the role's history in its `Histories`.
    history: u32,
    /// The index of the set's first action among the actions of all information sets.
    pub(crate) first_action: usize,
    /// The actions of the set, which are the role's legal moves, in bytewise order of their texts.
    pub(crate) moves: Vec<Move>,
}

impl DecisionSet {
    /// The indices of the set's actions among the actions of all information sets.
    pub(crate) fn actions(&self) -> Range<usize> {
        self.first_action..self.first_action + self.moves.len()
    }
}

/// A game in extensive form (von Neumann & Morgenstern 1944; for GDL-II: Thielscher 2011).
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// The roles except `random`.
    players: Vec<Role>,
    names: Vec<String>,
    nodes: Vec<Node>,
    edges: Vec<u32>,
    /// For each level, the index of its first node.
    levels: Vec<u32>,
    sets: Vec<DecisionSet>,
    histories: Vec<Histories>,
    /// The distinct lists of moves from which `random` draws.
    chances: Vec<Vec<Move>>,
    /// For each list of moves in `chances`, its index there.
    chance_numbers: FxHashMap<Vec<Move>, u32>,
    /// The goals, in rows: one row for each terminal node, with one goal for each player.
    goals: Vec<u8>,
    /// The texts of all moves that occur.
    moves: FxHashMap<Move, String>,
}

/// The reason why a game was not unfolded.
#[derive(Debug, thiserror::Error)]
pub enum UnfoldError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The tree does not fit into [`Budget::bytes`].
    #[error("the tree has more than {nodes} nodes: {turns} turns of it fill {mib} MiB")]
    Full {
        /// The number of nodes so far, plus an estimate of the number of states that are kept in memory while
        /// the current turn is unfolded.
        nodes: usize,
        /// The number of turns that are unfolded completely.
        turns: usize,
        /// The bound on memory, in MiB.
        mib: usize,
    },
    /// The deadline passed, or the stop flag was set.
    #[error("the time ended after {nodes} nodes of the tree, in turn {turn}")]
    Stopped {
        /// The number of nodes so far.
        nodes: usize,
        /// The turn that was being unfolded. Turns are counted from 1.
        turn: usize,
    },
    /// A role has different legal moves in two states that it cannot tell apart.
    #[error("{role} has different legal moves after equal moves and percepts: {history}")]
    LegalMovesUnknown {
        /// The role's name.
        role: String,
        /// The role's history.
        history: String,
    },
    /// A role has no legal move in a state that is not terminal.
    #[error("{role} has no legal move after {history}")]
    NoMove {
        /// The role's name.
        role: String,
        /// The role's history.
        history: String,
    },
}

/// A state in which the current turn begins.
struct Open<S> {
    state: S,
    /// For each player, the index of its history.
    histories: Vec<u32>,
    /// The index of the last edge on the path from the root to the state; `None` if this path has no edge.
    edge: Option<u32>,
}

/// A state in which the current turn begins, with a joint move in which only some of the roles have decided
/// so far.
struct Partial {
    /// The index of the state among the states of the turn.
    state: u32,
    joint: Box<[Move]>,
    edge: Option<u32>,
}

/// The number of states or joint moves that are handled between two checks of the budget.
const CHECKED: usize = 256;

impl Unfolding {
    /// Unfolds the game of `machine` from its initial state.
    ///
    /// # Errors
    /// Fails when the rules cannot be evaluated, when a role has no legal move or cannot know which moves are
    /// legal, and when the budget is used up.
    pub fn new<M: StateMachine>(machine: &mut M, budget: &Budget<'_>) -> Result<Unfolding, UnfoldError> {
        let game = machine.game().clone();
        let nature = game.nature();
        let players: Vec<Role> = game.roles().filter(|&role| Some(role) != nature).collect();
        let names = players.iter().map(|&role| game.role_name(role).to_owned()).collect();
        let mut unfolding = Unfolding {
            histories: vec![Histories::default(); players.len()],
            players,
            names,
            nodes: Vec::new(),
            edges: Vec::new(),
            levels: Vec::new(),
            sets: Vec::new(),
            chances: Vec::new(),
            chance_numbers: FxHashMap::default(),
            goals: Vec::new(),
            moves: FxHashMap::default(),
        };
        let state = machine.initial_state()?;
        let each = size_of::<Open<M::State>>() + machine.heap_bytes(&state) + OVERHEAD;
        let mut turn = vec![Open { state, histories: vec![EMPTY; unfolding.players.len()], edge: None }];
        for number in 1.. {
            turn = unfolding.unfold_turn(machine, &turn, nature, each, (number, budget))?;
            if turn.is_empty() {
                break;
            }
        }
        Ok(unfolding)
    }

    /// Adds the nodes of one turn, and returns the states in which the next turn begins. `each` is the
    /// approximate number of bytes that one state takes. `number` counts turns from 1.
    fn unfold_turn<M: StateMachine>(
        &mut self,
        machine: &mut M,
        turn: &[Open<M::State>],
        nature: Option<Role>,
        each: usize,
        (number, budget): (usize, &Budget<'_>),
    ) -> Result<Vec<Open<M::State>>, UnfoldError> {
        // 1. Each terminal state becomes a node. For the other states, the legal moves are computed.
        self.levels.push(self.nodes.len() as u32);
        let roles = machine.game().role_count();
        let mut legal: Vec<Vec<Vec<Move>>> = Vec::with_capacity(turn.len());
        let mut partial = Vec::new();
        for (index, open) in turn.iter().enumerate() {
            if index % CHECKED == 0 {
                self.check(turn.len() + index, each, number, budget)?;
            }
            if machine.is_terminal(&open.state)? {
                self.add_terminal(machine, open)?;
                legal.push(Vec::new());
                continue;
            }
            legal.push(self.legal(machine, open)?);
            let joint = vec![Move(0); roles].into();
            partial.push(Partial { state: index as u32, joint, edge: open.edge });
        }
        // 2. Each role decides in turn, and `random` decides last.
        let mut sets: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        for role in self.players.clone().into_iter().chain(nature) {
            self.levels.push(self.nodes.len() as u32);
            let mut decided = Vec::with_capacity(partial.len());
            for (index, entry) in partial.into_iter().enumerate() {
                if index % CHECKED == 0 {
                    self.check(turn.len() * 2 + decided.len(), each, number, budget)?;
                }
                let moves = &legal[entry.state as usize][role.index()];
                let player = self.players.iter().position(|&player| player == role);
                let kind = match player {
                    None if moves.len() > 1 => Some(self.chance(moves)),
                    None => None,
                    Some(player) => {
                        let history = turn[entry.state as usize].histories[player];
                        self.set(&mut sets, player, history, moves)?.map(Kind::Decision)
                    }
                };
                self.add_choice(kind, entry, role, moves, &mut decided);
            }
            partial = decided;
        }
        // 3. Each joint move leads to a state of the next turn.
        let mut next = Vec::with_capacity(partial.len());
        let (sees, mut percepts) = (machine.game().has_percepts(), Vec::new());
        for (index, Partial { state, joint, edge }) in partial.into_iter().enumerate() {
            if index % CHECKED == 0 {
                self.check(turn.len() * 2 + next.len(), each, number, budget)?;
            }
            let open = &turn[state as usize];
            let mut histories = open.histories.clone();
            for (player, &role) in self.players.iter().enumerate() {
                perceive(machine, sees, &open.state, &joint, role, &mut percepts)?;
                histories[player] =
                    self.histories[player].extend(histories[player], joint[role.index()], &percepts);
            }
            next.push(Open { state: machine.next_state(&open.state, &joint)?, histories, edge });
        }
        Ok(next)
    }

    fn check(&self, open: usize, each: usize, number: usize, budget: &Budget<'_>) -> Result<(), UnfoldError> {
        let nodes = self.nodes.len();
        if budget.stop.is_stopped() || budget.deadline.is_over() {
            return Err(UnfoldError::Stopped { nodes, turn: number });
        }
        if self.bytes() + open * each > budget.bytes {
            return Err(UnfoldError::Full {
                nodes: nodes + open,
                turns: number - 1,
                mib: budget.bytes >> 20,
            });
        }
        Ok(())
    }

    /// The approximate number of bytes that the tree takes, including the bytes that solving it by CFR+ will
    /// need.
    fn bytes(&self) -> usize {
        let nodes = self.nodes.capacity() * (size_of::<Node>() + SOLUTION_NODE_BYTES);
        let sets = self.sets.len() * SET_BYTES;
        let histories: usize = self.histories.iter().map(Histories::bytes).sum();
        nodes + self.edges.capacity() * size_of::<u32>() + self.goals.capacity() + sets + histories
    }

    fn legal<M: StateMachine>(
        &mut self,
        machine: &mut M,
        open: &Open<M::State>,
    ) -> Result<Vec<Vec<Move>>, UnfoldError> {
        let game = machine.game().clone();
        let mut all = Vec::with_capacity(game.role_count());
        for role in game.roles() {
            let mut moves = Vec::new();
            machine.legal_moves(&open.state, role, &mut moves)?;
            for &mv in &moves {
                self.moves.entry(mv).or_insert_with(|| machine.move_text(mv).to_owned());
            }
            if moves.is_empty() {
                let player = self.players.iter().position(|&player| player == role);
                let history = player.map_or("some moves".to_owned(), |player| {
                    self.history_text(player, open.histories[player])
                });
                return Err(UnfoldError::NoMove { role: game.role_name(role).to_owned(), history });
            }
            all.push(moves);
        }
        Ok(all)
    }

    fn add_terminal<M: StateMachine>(
        &mut self,
        machine: &mut M,
        open: &Open<M::State>,
    ) -> Result<(), UnfoldError> {
        let goals = machine.goals_of(&open.state)?;
        let row = self.goals.len() / self.players.len().max(1);
        for &role in &self.players {
            self.goals.push(goals[role.index()].score().value());
        }
        self.add_node(open.edge, Kind::Terminal(row as u32), 0);
        Ok(())
    }

    /// Adds a node to which `edge` leads. If `edge` is `None`, the node is the root.
    fn add_node(&mut self, edge: Option<u32>, kind: Kind, children: usize) {
        if let Some(edge) = edge {
            self.edges[edge as usize] = self.nodes.len() as u32;
        }
        self.nodes.push(Node { kind, first: self.edges.len() as u32, children: children as u32 });
    }

    /// The kind of a chance node in which `random` draws one of `moves`.
    fn chance(&mut self, moves: &[Move]) -> Kind {
        let known = self.chance_numbers.get(moves).copied();
        Kind::Chance(known.unwrap_or_else(|| {
            let number = self.chances.len() as u32;
            self.chances.push(moves.to_vec());
            self.chance_numbers.insert(moves.to_vec(), number);
            number
        }))
    }

    /// The index of the information set of `player` that has the given history. Adds the set if it does not
    /// exist yet. Returns `None` if the player has only one legal move.
    fn set(
        &mut self,
        sets: &mut FxHashMap<(usize, u32), u32>,
        player: usize,
        history: u32,
        moves: &[Move],
    ) -> Result<Option<u32>, UnfoldError> {
        // A history after which only one move is legal gets the entry NO_CHOICE.
        let known = *sets.entry((player, history)).or_insert_with(|| {
            if moves.len() == 1 {
                return NO_CHOICE;
            }
            let first_action = self.sets.last().map_or(0, |set| set.actions().end);
            self.sets.push(DecisionSet { player, history, first_action, moves: moves.to_vec() });
            self.sets.len() as u32 - 1
        });
        let agrees = match known {
            NO_CHOICE => moves.len() == 1,
            set => self.sets[set as usize].moves == moves,
        };
        if !agrees {
            let role = self.names[player].clone();
            return Err(UnfoldError::LegalMovesUnknown { role, history: self.history_text(player, history) });
        }
        Ok((known != NO_CHOICE).then_some(known))
    }

    /// For each move in `moves`, adds to `decided` a copy of `entry` in which `role` makes this move. If
    /// `kind` is given, first adds a node of this kind, with one edge for each copy. `kind` is `None` if the
    /// role has only one legal move.
    fn add_choice(
        &mut self,
        kind: Option<Kind>,
        mut entry: Partial,
        role: Role,
        moves: &[Move],
        decided: &mut Vec<Partial>,
    ) {
        let Some(kind) = kind else {
            entry.joint[role.index()] = moves[0];
            decided.push(entry);
            return;
        };
        self.add_node(entry.edge, kind, moves.len());
        for &mv in moves {
            let mut joint = entry.joint.clone();
            joint[role.index()] = mv;
            self.edges.push(u32::MAX);
            let edge = Some(self.edges.len() as u32 - 1);
            decided.push(Partial { state: entry.state, joint, edge });
        }
    }

    /// The names of the players, in role order. The players are the roles except `random`.
    pub fn players(&self) -> &[String] {
        &self.names
    }

    /// The number of nodes of the tree: decisions with at least two moves, chance nodes and terminal nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of information sets in which a player has at least two legal moves.
    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// The sum of the players' goals in a terminal state. `None` if the sum is not the same in all terminal
    /// states.
    pub fn constant_sum(&self) -> Option<u32> {
        let sum = |row: &[u8]| row.iter().map(|&goal| u32::from(goal)).sum::<u32>();
        let mut sums = self.goals.chunks(self.players.len().max(1)).map(sum);
        let first = sums.next()?;
        sums.all(|sum| sum == first).then_some(first)
    }

    /// The lowest and the highest goal of `player` over all terminal states. `player` is an index into
    /// [`Unfolding::players()`].
    pub fn goal_range(&self, player: usize) -> (u8, u8) {
        let goals = || self.goals.iter().skip(player).step_by(self.players.len().max(1)).copied();
        (goals().min().unwrap_or(0), goals().max().unwrap_or(0))
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The indices of the children of a node, in the order of the moves.
    pub(crate) fn children(&self, node: Node) -> &[u32] {
        &self.edges[node.first as usize..(node.first + node.children) as usize]
    }

    /// For each level, from the root on, the range of its nodes.
    pub(crate) fn levels(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + use<'_> {
        let end = |level: usize| self.levels.get(level + 1).map_or(self.nodes.len(), |&node| node as usize);
        (0..self.levels.len()).map(move |level| self.levels[level] as usize..end(level))
    }

    pub(crate) fn sets(&self) -> &[DecisionSet] {
        &self.sets
    }

    /// The total number of actions in all information sets.
    pub(crate) fn action_count(&self) -> usize {
        self.sets.last().map_or(0, |set| set.actions().end)
    }

    /// The goal of `player` in the terminal node whose goals are in the row with index `row`.
    pub(crate) fn goal(&self, row: u32, player: usize) -> u8 {
        self.goals[row as usize * self.players.len() + player]
    }

    /// The moves from which `random` draws in a node of the kind `Kind::Chance(number)`.
    pub(crate) fn chance_moves(&self, number: u32) -> &[Move] {
        &self.chances[number as usize]
    }

    pub(crate) fn move_text(&self, mv: Move) -> &str {
        &self.moves[&mv]
    }

    /// The history of an information set. The entry for each turn holds the role's move, followed by its
    /// percepts.
    pub(crate) fn history(&self, set: &DecisionSet) -> Vec<Vec<String>> {
        self.history_terms(set.player, set.history)
    }

    fn history_terms(&self, player: usize, history: u32) -> Vec<Vec<String>> {
        let turns = self.histories[player].turns(history).into_iter();
        let terms = |(own, percepts): (Move, &[Fact])| {
            let percepts = percepts.iter().map(|percept| percept.as_str().to_owned());
            std::iter::once(self.moves[&own].clone()).chain(percepts).collect()
        };
        turns.map(terms).collect()
    }

    fn history_text(&self, player: usize, history: u32) -> String {
        let turns = self.history_terms(player, history);
        if turns.is_empty() {
            return "the start".to_owned();
        }
        turns.into_iter().map(|turn| turn.join(" ")).collect::<Vec<_>>().join(", ")
    }
}

/// While a turn is unfolded, a map leads from each history to the index of its information set. This value
/// takes the place of the index if only one move is legal after the history, since there is no set then.
const NO_CHOICE: u32 = u32::MAX;

/// An estimate of the bytes that a state of the current turn takes in addition to the state itself: for its
/// histories, its legal moves and its joint move.
const OVERHEAD: usize = 200;

/// The number of bytes that CFR+ needs for each node of the tree, in addition to the node itself.
const SOLUTION_NODE_BYTES: usize = 24;
/// An estimate of the bytes that an information set takes, including the bytes that CFR+ needs for it.
const SET_BYTES: usize = 300;

/// Replaces `percepts` by the percepts of `role` after the joint move `joint` in `state`. If `sees` is true,
/// the rules define these percepts by `sees`. Otherwise the percepts are the moves of all roles.
pub(crate) fn perceive<M: StateMachine>(
    machine: &mut M,
    sees: bool,
    state: &M::State,
    joint: &[Move],
    role: Role,
    percepts: &mut Vec<Fact>,
) -> Result<(), EvalError> {
    if sees {
        return machine.percepts(state, joint, role, percepts);
    }
    percepts.clear();
    let roles = machine.game().clone().roles();
    percepts.extend(roles.zip(joint).map(|(role, &mv)| {
        let name = machine.game().role_name(role);
        Fact::from_canonical(format!("(does {name} {})", machine.move_text(mv)))
    }));
    Ok(())
}
