//! The extensive form of a game: the tree of all histories, with the information set of each decision.
//!
//! The roles of one turn decide one after the other in role order, none of them seeing the others' moves, and
//! `random` decides last. A role with one legal move gets no node. Nodes are numbered level by level; a level
//! holds the decisions of one role in one turn, or states in which a turn begins and the game is over.
//! Invariants: a child has a larger number and a later level than its parent, and all nodes of an information
//! set are in one level.

use crate::Budget;
use crate::history::{EMPTY, Histories};
use ggp_game::{EvalError, Fact, Move, Role, StateMachine};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a node of the tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A decision in the information set with this number.
    Decision(u32),
    /// `random` draws one of the children uniformly, among the moves of this number in `chances`.
    Chance(u32),
    /// The game is over; the goals are in the row of this number of `goals`.
    Terminal(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The number of the first edge to a child. The edges are in the order of the legal moves.
    first: u32,
    children: u32,
}

/// An information set of the tree: the decisions of one role with the same history.
#[derive(Clone, Debug)]
pub(crate) struct DecisionSet {
    /// The index of the role among the players.
    pub(crate) player: usize,
    /// The number of the role's history.
    history: u32,
    /// The number of its first action among the actions of all information sets.
    pub(crate) first_action: usize,
    /// The legal moves: the actions, in bytewise order of their texts.
    pub(crate) moves: Vec<Move>,
}

impl DecisionSet {
    /// The numbers of its actions among the actions of all information sets.
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
    /// The first node of each level.
    levels: Vec<u32>,
    sets: Vec<DecisionSet>,
    histories: Vec<Histories>,
    /// The lists of moves among which `random` draws, and their numbers.
    chances: Vec<Vec<Move>>,
    chance_numbers: FxHashMap<Vec<Move>, u32>,
    /// The goals of the players in each terminal node.
    goals: Vec<u8>,
    /// The texts of all moves that occur.
    moves: FxHashMap<Move, String>,
}

/// Why a game was not unfolded.
#[derive(Debug, thiserror::Error)]
pub enum UnfoldError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The tree does not fit into the memory.
    #[error("the tree has more than {nodes} nodes: {turns} turns of it fill {mib} MiB")]
    Full {
        /// The nodes so far.
        nodes: usize,
        /// The number of turns that are unfolded completely.
        turns: usize,
        /// The bound of the memory, in MiB.
        mib: usize,
    },
    /// The time was over, or the computation was stopped.
    #[error("the time ended after {nodes} nodes of the tree, in turn {turn}")]
    Stopped {
        /// The nodes so far.
        nodes: usize,
        /// The turn that was being unfolded, from 1.
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

/// A state of the current turn.
struct Open<S> {
    state: S,
    /// The number of each player's history.
    histories: Vec<u32>,
    /// The edge that leads to the state; `None` for the initial state.
    edge: Option<u32>,
}

/// A state of the current turn with the moves that some of the roles have chosen in it.
struct Partial {
    /// The index of the state in the turn.
    state: u32,
    joint: Box<[Move]>,
    edge: Option<u32>,
}

/// The number of transitions between two checks of the budget.
const CHECKED: usize = 256;

impl Unfolding {
    /// Unfolds the game of `machine` from its initial state.
    ///
    /// # Errors
    /// When the rules cannot be evaluated or are not those of a game, or when the budget is used up.
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

    /// Adds the nodes of one turn, and returns the states in which the next turn begins. `each` is the number of
    /// bytes of a state; `number` is the number of the turn, from 1.
    fn unfold_turn<M: StateMachine>(
        &mut self,
        machine: &mut M,
        turn: &[Open<M::State>],
        nature: Option<Role>,
        each: usize,
        (number, budget): (usize, &Budget<'_>),
    ) -> Result<Vec<Open<M::State>>, UnfoldError> {
        // 1. Terminal states become nodes; the others get their legal moves.
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
        // 2. Each role decides, `random` last.
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

    /// The approximate number of bytes of the tree, with those that a solution adds.
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

    /// Adds a node at the end of `edge`.
    fn add_node(&mut self, edge: Option<u32>, kind: Kind, children: usize) {
        if let Some(edge) = edge {
            self.edges[edge as usize] = self.nodes.len() as u32;
        }
        self.nodes.push(Node { kind, first: self.edges.len() as u32, children: children as u32 });
    }

    /// The kind of a node in which `random` draws among `moves`.
    fn chance(&mut self, moves: &[Move]) -> Kind {
        let known = self.chance_numbers.get(moves).copied();
        Kind::Chance(known.unwrap_or_else(|| {
            let number = self.chances.len() as u32;
            self.chances.push(moves.to_vec());
            self.chance_numbers.insert(moves.to_vec(), number);
            number
        }))
    }

    /// The information set of `player` with that history, if it has several legal moves.
    fn set(
        &mut self,
        sets: &mut FxHashMap<(usize, u32), u32>,
        player: usize,
        history: u32,
        moves: &[Move],
    ) -> Result<Option<u32>, UnfoldError> {
        // A history with one legal move gets the entry NO_CHOICE.
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

    /// Adds to `decided` one entry for each move of `role`, below a node of `kind` if there is a choice.
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

    /// The players: the names of the roles except `random`, in role order.
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

    /// The sum of the players' goals, if it is the same in all terminal states.
    pub fn constant_sum(&self) -> Option<u32> {
        let sum = |row: &[u8]| row.iter().map(|&goal| u32::from(goal)).sum::<u32>();
        let mut sums = self.goals.chunks(self.players.len().max(1)).map(sum);
        let first = sums.next()?;
        sums.all(|sum| sum == first).then_some(first)
    }

    /// The least and the largest goal of `player` over all terminal states.
    pub fn goal_range(&self, player: usize) -> (u8, u8) {
        let goals = || self.goals.iter().skip(player).step_by(self.players.len().max(1)).copied();
        (goals().min().unwrap_or(0), goals().max().unwrap_or(0))
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The children of a node, in the order of the moves.
    pub(crate) fn children(&self, node: Node) -> &[u32] {
        &self.edges[node.first as usize..(node.first + node.children) as usize]
    }

    /// The nodes of each level, from the root on.
    pub(crate) fn levels(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + use<'_> {
        let end = |level: usize| self.levels.get(level + 1).map_or(self.nodes.len(), |&node| node as usize);
        (0..self.levels.len()).map(move |level| self.levels[level] as usize..end(level))
    }

    pub(crate) fn sets(&self) -> &[DecisionSet] {
        &self.sets
    }

    /// The number of actions in all information sets.
    pub(crate) fn action_count(&self) -> usize {
        self.sets.last().map_or(0, |set| set.actions().end)
    }

    /// The goal of `player` in the terminal node with the row `row`.
    pub(crate) fn goal(&self, row: u32, player: usize) -> u8 {
        self.goals[row as usize * self.players.len() + player]
    }

    /// The moves among which `random` draws in a node of the kind `Kind::Chance(number)`.
    pub(crate) fn chance_moves(&self, number: u32) -> &[Move] {
        &self.chances[number as usize]
    }

    pub(crate) fn move_text(&self, mv: Move) -> &str {
        &self.moves[&mv]
    }

    /// The turns of an information set's history: the role's move, then its percepts, for each turn.
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

/// The entry of a history with one legal move.
const NO_CHOICE: u32 = u32::MAX;

/// An estimate of the bytes of an open state beside the state: its histories, legal moves and joint move.
const OVERHEAD: usize = 200;

/// The bytes that a solution needs for each node, and an estimate of those for each information set.
const SOLUTION_NODE_BYTES: usize = 24;
const SET_BYTES: usize = 300;

/// Replaces `percepts` by what `role` perceives of `joint`: the facts of `sees`, or the whole joint move in a
/// game whose rules have no `sees`.
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
