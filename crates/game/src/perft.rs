//! Performance test: counting joint-move sequences.

use crate::{EvalError, Move, Role, StateMachine};

/// The number of sequences of exactly `d` joint moves from `state`, for each `d` from 0 to
/// `depth`. A terminal state is not continued, and neither is one in which a role has no legal
/// move.
///
/// # Errors
/// See [`StateMachine`].
pub fn perft<M: StateMachine>(machine: &mut M, state: &M::State, depth: u32) -> Result<Vec<u64>, EvalError> {
    let mut counts = vec![0; depth as usize + 1];
    count(machine, state, &mut counts)?;
    Ok(counts)
}

fn count<M: StateMachine>(machine: &mut M, state: &M::State, counts: &mut [u64]) -> Result<(), EvalError> {
    let (here, deeper) = counts.split_first_mut().expect("the depth of `state` at least");
    *here += 1;
    if deeper.is_empty() || machine.is_terminal(state)? {
        return Ok(());
    }
    let mut choices = Vec::new();
    for role in 0..machine.game().role_count() {
        let mut legal = Vec::new();
        machine.legal_moves(state, Role(role as u8), &mut legal)?;
        choices.push(legal);
    }
    if let [last] = deeper {
        let joints = choices.iter().try_fold(1u64, |product, legal| product.checked_mul(legal.len() as u64));
        let sum = joints.and_then(|joints| last.checked_add(joints));
        *last = sum.ok_or_else(|| EvalError::TooLarge("more than 2^64 joint moves".to_owned()))?;
        return Ok(());
    }
    let mut joints = JointMoves::new(&choices);
    while let Some(joint) = joints.next() {
        let next = machine.next_state(state, joint)?;
        count(machine, &next, deeper)?;
    }
    Ok(())
}

/// Every joint move of a product of choices, the last role's move changing fastest.
#[derive(Debug)]
pub struct JointMoves<'a> {
    choices: &'a [Vec<Move>],
    at: Vec<usize>,
    joint: Vec<Move>,
    done: bool,
}

impl<'a> JointMoves<'a> {
    /// Over `choices`, one list a role.
    pub fn new(choices: &'a [Vec<Move>]) -> JointMoves<'a> {
        let done = choices.iter().any(Vec::is_empty);
        JointMoves { choices, at: Vec::new(), joint: Vec::new(), done }
    }

    /// The next joint move, in role order. (Lends, so it is no `Iterator`.)
    #[expect(clippy::should_implement_trait, reason = "lends its buffer")]
    pub fn next(&mut self) -> Option<&[Move]> {
        if self.done {
            return None;
        }
        if self.at.is_empty() {
            self.at = vec![0; self.choices.len()];
            self.joint = self.choices.iter().map(|legal| legal[0]).collect();
            return Some(&self.joint);
        }
        for role in (0..self.choices.len()).rev() {
            self.at[role] += 1;
            if self.at[role] < self.choices[role].len() {
                self.joint[role] = self.choices[role][self.at[role]];
                return Some(&self.joint);
            }
            self.at[role] = 0;
            self.joint[role] = self.choices[role][0];
        }
        self.done = true;
        None
    }
}
