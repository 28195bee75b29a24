//! Expansion of many states at once: the states after all their moves, and what the machine knows of these.

use super::Prover;
use super::graph::{Edge, Phase};
use super::numbers::Numbers;
use crate::id::NodeId;
use ggp_game::{EvalError, Goals, Move, Playouts};
use std::hash::Hash;

/// The machine's answers on many states.
#[derive(Debug)]
pub(super) struct Answers<S> {
    joints: Vec<Move>,
    states: Vec<S>,
    over: Vec<bool>,
    goals: Vec<Goals>,
    legal: Vec<Vec<Move>>,
    decisive: Vec<Vec<Move>>,
}

impl<S> Default for Answers<S> {
    fn default() -> Answers<S> {
        let (over, goals, legal, decisive) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Answers { joints: Vec::new(), states: Vec::new(), over, goals, legal, decisive }
    }
}

impl<S: Clone + Eq + Hash> Prover<S> {
    /// The places of `states`, found or created.
    pub(super) fn intern<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        states: &[&S],
    ) -> Result<Vec<NodeId>, EvalError> {
        let mut fresh = Vec::new();
        let mut place = |&state: &&S| {
            self.graph.find(state).unwrap_or_else(|| {
                let id = self.graph.add(state.clone(), machine.heap_bytes(state));
                fresh.push(id);
                id
            })
        };
        let places = states.iter().map(&mut place).collect();
        self.ask(machine, &fresh)?;
        Ok(places)
    }

    /// Expands `leaves`, which are open.
    pub(super) fn expand<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        leaves: &[NodeId],
    ) -> Result<(), EvalError> {
        let mut answers = std::mem::take(&mut self.answers);
        let expanded = self.expand_with(machine, leaves, &mut answers);
        self.answers = answers;
        expanded
    }

    fn expand_with<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        leaves: &[NodeId],
        answers: &mut Answers<S>,
    ) -> Result<(), EvalError> {
        answers.joints.clear();
        let mut parents: Vec<&S> = Vec::new();
        for &id in leaves {
            let place = &self.graph[id];
            for edge in &place.edges {
                parents.push(&place.state);
                answers.joints.extend(joint(place.mover, edge.mv, place.pass));
            }
        }
        machine.next_states(&parents, &answers.joints, &mut answers.states)?;
        let mut fresh = Vec::new();
        let mut children = Vec::with_capacity(answers.states.len());
        for state in answers.states.drain(..) {
            children.push(self.graph.find(&state).unwrap_or_else(|| {
                let heap = machine.heap_bytes(&state);
                let id = self.graph.add(state, heap);
                fresh.push(id);
                id
            }));
        }
        self.counts.states += children.len() as u64;
        self.ask_with(machine, &fresh, answers)?;
        let mut children = children.into_iter();
        for &id in leaves {
            let place = &mut self.graph[id];
            for edge in &mut place.edges {
                edge.child = children.next().unwrap_or(NodeId::NONE);
            }
            place.phase = Phase::Expanded;
        }
        Ok(())
    }

    fn ask<M: Playouts<State = S>>(&mut self, machine: &mut M, ids: &[NodeId]) -> Result<(), EvalError> {
        let mut answers = std::mem::take(&mut self.answers);
        let asked = self.ask_with(machine, ids, &mut answers);
        self.answers = answers;
        asked
    }

    /// Asks the machine about the new states `ids`, and gives them their first numbers.
    fn ask_with<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        ids: &[NodeId],
        answers: &mut Answers<S>,
    ) -> Result<(), EvalError> {
        let Answers { over, goals, legal, decisive, joints, states } = answers;
        // 1. Which of the states end the game?
        let asked: Vec<&S> = ids.iter().map(|&id| &self.graph[id].state).collect();
        machine.outcomes(&asked, over, goals)?;
        machine.all_legal_moves(&asked, legal)?;
        machine.decisive_moves(&asked, decisive)?;
        // 2. Where the machine leaves only some moves, do they win at once?
        joints.clear();
        let (mut narrowed, mut of) = (Vec::new(), Vec::new());
        for (at, &state) in asked.iter().enumerate() {
            let Some((mover, pass)) = mover(&legal[2 * at..2 * at + 2]) else { continue };
            let few = decisive.get(2 * at + mover).filter(|few| !few.is_empty());
            if !over[at]
                && let Some(few) = few
                && few.len() < legal[2 * at + mover].len()
            {
                narrowed.push(state);
                of.push(at);
                joints.extend(joint(mover as u8, few[0], pass));
            }
        }
        machine.next_states(&narrowed, joints, states)?;
        let (mut ends, mut end_goals) = (Vec::new(), Vec::new());
        machine.outcomes(&states.iter().collect::<Vec<_>>(), &mut ends, &mut end_goals)?;
        // 3. Numbers and moves of each state.
        let mut of = of.into_iter().zip(ends.into_iter().zip(end_goals.chunks_exact(2))).peekable();
        for (at, &id) in ids.iter().enumerate() {
            let after = of.next_if(|&(other, _)| other == at).map(|(_, after)| after);
            if over[at] {
                self.end(id, &goals[2 * at..2 * at + 2], 0);
                continue;
            }
            let Some((mover, pass)) = mover(&legal[2 * at..2 * at + 2]) else {
                self.graph[id].phase = Phase::Closed;
                *self.graph.numbers_mut(id) = [Numbers { proof: HOPELESS, disproof: HOPELESS }; 2];
                continue;
            };
            let is_narrowed = after.is_some();
            if let Some((true, goals)) = after
                && goals[mover].score().value() == self.best[mover]
            {
                self.end(id, goals, 1);
                let mv = decisive[2 * at + mover][0];
                let place = &mut self.graph[id];
                place.edges = Box::new([Edge { mv, child: NodeId::NONE }]);
                (place.mover, place.pass) = (mover as u8, pass);
                continue;
            }
            let moves = if is_narrowed { &decisive[2 * at + mover] } else { &legal[2 * at + mover] };
            let count = moves.len() as u32;
            let place = &mut self.graph[id];
            place.edges = moves.iter().map(|&mv| Edge { mv, child: NodeId::NONE }).collect();
            (place.mover, place.pass, place.phase) = (mover as u8, pass, Phase::Open);
            let bytes = size_of_val(&*place.edges);
            self.graph.grow(bytes);
            let own = Numbers { proof: 1, disproof: count };
            let numbers = self.graph.numbers_mut(id);
            numbers[mover] = own;
            numbers[1 - mover] = own.swapped();
        }
        Ok(())
    }

    /// Marks the end of the game, `distance` steps after the state.
    fn end(&mut self, id: NodeId, goals: &[Goals], distance: u16) {
        let goals = [goals[0].score().value(), goals[1].score().value()];
        let sum = u32::from(goals[0]) + u32::from(goals[1]);
        self.has_one_sum &= *self.sum.get_or_insert(sum) == sum;
        let place = &mut self.graph[id];
        (place.phase, place.distance) = (Phase::Ended, distance);
        let wins = [0, 1].map(|role| goals[role] == self.best[role]);
        *self.graph.numbers_mut(id) = wins.map(|wins| if wins { Numbers::PROVED } else { Numbers::REFUTED });
    }
}

/// The numbers of a state that the prover cannot expand.
const HOPELESS: u32 = 1 << 30;

/// The role that decides, and the only move of the other; `None` if both decide, or one has no move. A state in
/// which nobody decides counts as decided by the first role.
fn mover(legal: &[Vec<Move>]) -> Option<(usize, Move)> {
    match (legal[0].len(), legal[1].len()) {
        (1.., 1) => Some((0, legal[1][0])),
        (1, 1..) => Some((1, legal[0][0])),
        _ => None,
    }
}

fn joint(mover: u8, mv: Move, pass: Move) -> [Move; 2] {
    if mover == 0 { [mv, pass] } else { [pass, mv] }
}
