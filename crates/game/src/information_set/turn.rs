//! A finished turn as its role knows it, and the states that it can lead to.

use crate::rng::Sequence;
use crate::{EvalError, Fact, JointMoves, Move, Role, StateMachine};

/// A turn in which `role` has made the move `own` and received the percepts `seen`.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) role: Role,
    pub(super) own: Move,
    pub(super) seen: &'a [Fact],
}

/// The moves of each role that are possible in a turn. No role is without a move.
pub(super) struct Choices(Vec<Vec<Move>>);

impl Choices {
    /// The number of joint moves; at most `usize::MAX`.
    pub(super) fn count(&self) -> usize {
        self.0.iter().fold(1, |count, legal| count.saturating_mul(legal.len()))
    }
}

impl Turn<'_> {
    /// The moves of each role that are possible in `state`: for the turn's role only its own move, for every
    /// other role its legal moves. `None` if the own move is not legal in `state`, or if another role has no
    /// legal move there. In both cases the match cannot have reached `state`.
    pub(super) fn choices<M: StateMachine>(
        self,
        machine: &mut M,
        state: &M::State,
    ) -> Result<Option<Choices>, EvalError> {
        let mut choices: Vec<Vec<Move>> = Vec::new();
        for other in machine.game().clone().roles() {
            let mut legal = Vec::new();
            machine.legal_moves(state, other, &mut legal)?;
            if other == self.role {
                legal.retain(|&mv| mv == self.own);
            }
            if legal.is_empty() {
                return Ok(None);
            }
            choices.push(legal);
        }
        Ok(Some(Choices(choices)))
    }

    /// The states after those of `examined` joint moves of `choices` in `state` that give the role its percepts
    /// and do not end the match. Examines each joint move once if `examined` is their number, otherwise draws
    /// that many. A state is listed once for each joint move that leads to it.
    pub(super) fn successors<M: StateMachine>(
        self,
        machine: &mut M,
        state: &M::State,
        choices: &Choices,
        examined: usize,
        random: &mut Sequence,
    ) -> Result<Vec<M::State>, EvalError> {
        let (mut found, mut percepts, mut drawn) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = JointMoves::new(&choices.0);
        let draws = examined < choices.count();
        for _ in 0..examined {
            let joint = if draws {
                drawn.clear();
                drawn.extend(choices.0.iter().map(|legal| legal[random.below(legal.len())]));
                &drawn
            } else {
                match all.next() {
                    Some(joint) => joint,
                    None => break,
                }
            };
            machine.percepts(state, joint, self.role, &mut percepts)?;
            if percepts == self.seen {
                let next = machine.next_state(state, joint)?;
                if !machine.is_terminal(&next)? {
                    found.push(next);
                }
            }
        }
        Ok(found)
    }
}
