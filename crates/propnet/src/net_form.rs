//! The serialised form of a network: flat lists of numbers and texts, without the game.
//!
//! The form of a network gives an equal network. Decoding rebuilds every invariant that users of a network
//! rely on: signals refer to nodes, nodes stand in topological order and exist once, and only the equations of
//! a fixpoint component read its unknowns.

mod nodes;

use crate::encoding::{DecodeError, Texts, parts, require};
use crate::move_set::{MoveSet, MoveSets};
use crate::net::{Fluent, GroundCounts, NetMove, NetRole, PropNet};
use crate::node::{Node, Signal};
use crate::select::MAX_MOVES;
use ggp_game::{Fact, Game, Goal};
use nodes::Nodes;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The kinds of nodes in [`NetForm::nodes`]. A conjunction has the number of its inputs, at least 2, in place of
/// [`LEAF`].
const LEAF: u32 = 0;
const STATE: u32 = 0;
const MOVE_SET: u32 = 1;
const VARIABLE: u32 = 2;
const FIXPOINT: u32 = 3;

/// The serialised form of a network. A signal is twice the index of its node, plus 1 if it is negated.
#[derive(Serialize, Deserialize)]
pub(crate) struct NetForm {
    /// The fields of [`GroundCounts`], in the order of their declaration.
    grounding: [u64; 8],
    fluents: Texts,
    initial: Vec<bool>,
    next: Vec<u32>,
    terminal: u32,
    /// The distinct texts of the moves of all roles.
    moves: Texts,
    roles: Vec<RoleForm>,
    /// For each move set, its role and its number of members.
    sets: Vec<(u32, u32)>,
    /// The members of all sets. Each set has its least member, and then the distance of each from the one
    /// before.
    members: Vec<u32>,
    /// The number of equations of each fixpoint component.
    components: Vec<u32>,
    equations: Vec<u32>,
    /// The sizes of the sets of fluents on which the network relies, and their members like those of
    /// [`NetForm::members`].
    exclusive: Vec<u32>,
    exclusive_members: Vec<u32>,
    /// The nodes from node 1 on. A conjunction takes the number of its inputs, the first of them, and the
    /// distance of each from the one before. A leaf takes [`LEAF`], its kind and one or two indices.
    nodes: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct RoleForm {
    /// For each move, the index of its text in [`NetForm::moves`], and its legality.
    moves: Vec<(u32, u32)>,
    goals: Vec<(u8, u32)>,
    bad_goal: Option<u32>,
    percepts: Texts,
    sees: Vec<u32>,
}

fn number(signal: Signal) -> u32 {
    (signal.node() as u32) << 1 | u32::from(signal.is_negated())
}

/// The first number of a list in ascending order, and then the distance of each from the one before.
fn distances(list: impl IntoIterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut before = 0;
    list.into_iter().map(move |number| number - std::mem::replace(&mut before, number))
}

/// The inverse of [`distances`]. All distances except the first must be positive, and no number may exceed the
/// largest `u32`.
fn ascending(distances: &[u32], fault: &'static str) -> Result<Box<[u32]>, DecodeError> {
    let mut before = 0u32;
    let sum = |(at, &distance): (usize, &u32)| {
        before = before.checked_add(distance).filter(|_| at == 0 || distance > 0)?;
        Some(before)
    };
    let list: Option<Box<[u32]>> = distances.iter().enumerate().map(sum).collect();
    list.ok_or(DecodeError::Malformed(fault))
}

impl NetForm {
    /// The form of `net`.
    pub(crate) fn of(net: &PropNet) -> NetForm {
        let counts = &net.grounding;
        let mut text_of: FxHashMap<&str, u32> = FxHashMap::default();
        let mut texts: Vec<&str> = Vec::new();
        let role = |role: &'_ NetRole| RoleForm {
            moves: Vec::with_capacity(role.moves.len()),
            goals: role.goals.iter().map(|&(goal, signal)| (goal.value(), number(signal))).collect(),
            bad_goal: role.bad_goal.map(number),
            percepts: role.sees.iter().map(|(fact, _)| fact.as_str()).collect(),
            sees: role.sees.iter().map(|&(_, signal)| number(signal)).collect(),
        };
        let mut roles: Vec<RoleForm> = net.roles.iter().map(role).collect();
        for (form, role) in roles.iter_mut().zip(&net.roles) {
            for mv in &role.moves {
                let text = *text_of.entry(&mv.text).or_insert_with(|| {
                    texts.push(&mv.text);
                    texts.len() as u32 - 1
                });
                form.moves.push((text, number(mv.legal)));
            }
        }
        let sets: Vec<&MoveSet> = net.move_sets.iter().collect();
        let mut nodes = Vec::new();
        for node in &net.nodes {
            match node {
                Node::False => {}
                Node::State(fluent) => nodes.extend([LEAF, STATE, *fluent]),
                Node::MoveSet(set) => nodes.extend([LEAF, MOVE_SET, *set]),
                Node::Variable(of) => nodes.extend([LEAF, VARIABLE, of.component, of.index]),
                Node::Fixpoint(of) => nodes.extend([LEAF, FIXPOINT, of.component, of.index]),
                Node::And(inputs) => {
                    nodes.push(inputs.len() as u32);
                    nodes.extend(distances(inputs.iter().copied().map(number)));
                }
            }
        }
        NetForm {
            grounding: [
                counts.fixed_facts as u64,
                counts.possible_facts as u64,
                counts.rules as u64,
                counts.instances,
                counts.instances_by_move,
                counts.kept,
                counts.gates,
                counts.nodes as u64,
            ],
            fluents: net.fluents.iter().map(|fluent| fluent.fact.as_str()).collect(),
            initial: net.fluents.iter().map(|fluent| fluent.initial).collect(),
            next: net.fluents.iter().map(|fluent| number(fluent.next)).collect(),
            terminal: number(net.terminal),
            moves: texts.into_iter().collect(),
            roles,
            sets: sets.iter().map(|set| (set.role, set.members.len() as u32)).collect(),
            members: sets.iter().flat_map(|set| distances(set.members.iter().copied())).collect(),
            components: net.components.iter().map(|equations| equations.len() as u32).collect(),
            equations: net.components.iter().flatten().map(|&signal| number(signal)).collect(),
            exclusive: net.exclusive.iter().map(|set| set.len() as u32).collect(),
            exclusive_members: net.exclusive.iter().flat_map(|set| distances(set.iter().copied())).collect(),
            nodes,
        }
    }

    /// The network of `game` with this form.
    ///
    /// # Errors
    /// When the form breaks an invariant of networks.
    pub(crate) fn net(&self, game: &Arc<Game>) -> Result<PropNet, DecodeError> {
        let fluents = self.fluents.len();
        let of_fluents = [self.initial.len(), self.next.len()];
        require(of_fluents == [fluents; 2], "fluents without values")?;
        require(self.roles.len() == game.role_count(), "other roles")?;
        let lengths: Vec<usize> = self.roles.iter().map(|role| role.moves.len()).collect();
        require(lengths.iter().all(|&moves| moves <= MAX_MOVES), "too many moves")?;
        let move_sets = self.move_sets(&lengths)?;
        let components = parts(&self.equations, &self.components, "equations")?;
        let nodes = Nodes::new(self, &components, move_sets.len())?;
        let signal = |&number: &u32| nodes.output(number);
        let mut facts = self.fluents.terms()?.into_iter().map(Fact::from_canonical);
        let fluents = self.next.iter().zip(&self.initial).map(|(next, &initial)| {
            let fact = facts.next().ok_or(DecodeError::Malformed("fluents without values"))?;
            Ok(Fluent { fact, initial, next: signal(next)? })
        });
        let fluents: Vec<Fluent> = fluents.collect::<Result<_, _>>()?;
        let exclusive = |members: &[u32]| {
            let members = ascending(members, "an exclusive set")?;
            let last = members.last().map_or(0, |&last| last as usize);
            require(last < fluents.len(), "an exclusive set")?;
            Ok(members)
        };
        let exclusive =
            parts(&self.exclusive_members, &self.exclusive, "exclusive sets")?.into_iter().map(exclusive);
        let exclusive = exclusive.collect::<Result<_, _>>()?;
        let texts = self.moves.terms()?;
        let roles = self.roles.iter().map(|role| role.role(&texts, &signal));
        let roles: Vec<NetRole> = roles.collect::<Result<_, _>>()?;
        let inside = |equations: &&[u32]| equations.iter().map(|&number| nodes.signal(number)).collect();
        let components = components.iter().map(inside).collect::<Result<_, _>>()?;
        let terminal = nodes.output(self.terminal)?;
        Ok(PropNet {
            game: Arc::clone(game),
            nodes: nodes.nodes,
            move_sets,
            components,
            fluents,
            roles,
            terminal,
            exclusive,
            grounding: self.grounding(),
        })
    }

    fn grounding(&self) -> GroundCounts {
        let [fixed_facts, possible_facts, rules, instances, instances_by_move, kept, gates, nodes] =
            self.grounding;
        GroundCounts {
            fixed_facts: fixed_facts as usize,
            possible_facts: possible_facts as usize,
            rules: rules as usize,
            instances,
            instances_by_move,
            kept,
            gates,
            nodes: nodes as usize,
        }
    }

    fn move_sets(&self, moves: &[usize]) -> Result<MoveSets, DecodeError> {
        let sizes: Vec<u32> = self.sets.iter().map(|&(_, size)| size).collect();
        let mut sets = MoveSets::new(moves);
        for (&(role, _), members) in self.sets.iter().zip(parts(&self.members, &sizes, "members of sets")?) {
            let members = ascending(members, "a set")?;
            let (Some(&moves), Some(&last)) = (moves.get(role as usize), members.last()) else {
                return Err(DecodeError::Malformed("a set"));
            };
            require((last as usize) < moves, "a set")?;
            let expected = sets.len() as u32;
            require(sets.intern(MoveSet { role, members }) == expected, "a set twice")?;
        }
        Ok(sets)
    }
}

impl RoleForm {
    fn role(
        &self,
        texts: &[&str],
        signal: &impl Fn(&u32) -> Result<Signal, DecodeError>,
    ) -> Result<NetRole, DecodeError> {
        let mut moves: Vec<NetMove> = Vec::with_capacity(self.moves.len());
        for (text, legal) in &self.moves {
            let text = *texts.get(*text as usize).ok_or(DecodeError::Malformed("a move without a text"))?;
            require(moves.last().is_none_or(|mv| *mv.text < *text), "moves out of order")?;
            moves.push(NetMove { text: text.into(), legal: signal(legal)? });
        }
        let goal = |(value, condition): &(u8, u32)| {
            Ok((Goal::new(*value).ok_or(DecodeError::Malformed("a goal"))?, signal(condition)?))
        };
        let percepts = self.percepts.terms()?;
        require(percepts.len() == self.sees.len(), "percepts")?;
        let percept = |(text, condition): (&str, &u32)| Ok((Fact::from_canonical(text), signal(condition)?));
        Ok(NetRole {
            moves,
            goals: self.goals.iter().map(goal).collect::<Result<_, _>>()?,
            bad_goal: self.bad_goal.as_ref().map(signal).transpose()?,
            sees: percepts.into_iter().zip(&self.sees).map(percept).collect::<Result<_, _>>()?,
        })
    }
}
