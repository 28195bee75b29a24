//! Perft (performance test): counting joint-move sequences.

use crate::{EvalError, Move, Role, StateMachine, StopToken};

/// The number of sequences of exactly `d` joint moves from `state`, for each `d` from 0 to `depth`. A
/// sequence ends at a terminal state and at a state in which a role has no legal move.
///
/// # Errors
/// See [`StateMachine`]; also when a count exceeds 64 bits.
///
/// # Examples
/// ```
/// use ggp_game::{Game, Interpreter, StateMachine, perft};
/// use std::sync::Arc;
/// let rules = b"(role a) (role b) (legal a x) (legal a y) (legal b x) (<= terminal (true never)) (goal a 0) (goal b 0)
///     (init on) (next on)";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
/// let mut machine = Interpreter::new(&game);
/// let state = machine.initial_state().unwrap();
/// // Two joint moves in every state.
/// assert_eq!(perft(&mut machine, &state, 3).unwrap(), [1, 2, 4, 8]);
/// ```
pub fn perft<M: StateMachine>(machine: &mut M, state: &M::State, depth: u32) -> Result<Vec<u64>, EvalError> {
    perft_until(machine, state, depth, &StopToken::new())
}

/// The same as [`perft`], until `stop` is raised.
///
/// # Errors
/// As [`perft`], and [`EvalError::Interrupted`] soon after `stop` is raised.
pub fn perft_until<M: StateMachine>(
    machine: &mut M,
    state: &M::State,
    depth: u32,
    stop: &StopToken,
) -> Result<Vec<u64>, EvalError> {
    let depth = depth as usize;
    let mut counts = vec![0u64; depth + 1];
    counts[0] = 1;
    // The states on the path to the current state, each with its remaining joint moves. This explicit stack
    // replaces recursion, so that any depth is possible.
    let mut way: Vec<Branches<M::State>> = Vec::new();
    let mut open = (depth > 0).then(|| state.clone());
    loop {
        stop.check()?;
        if let Some(state) = open.take() {
            let branches = Branches::of(machine, state)?;
            let deeper = &mut counts[way.len() + 1];
            *deeper = deeper.checked_add(branches.count).ok_or_else(too_many)?;
            if way.len() + 1 < depth {
                way.push(branches);
            }
        }
        let Some(branches) = way.last_mut() else { return Ok(counts) };
        if branches.advance() {
            open = Some(machine.next_state(&branches.state, &branches.joint)?);
        } else {
            way.pop();
        }
    }
}

fn too_many() -> EvalError {
    EvalError::TooLarge("more than 2^64 joint moves".to_owned())
}

/// A state on the current sequence of joint moves, and an enumeration of the joint moves in that state.
struct Branches<S> {
    state: S,
    choices: Vec<Vec<Move>>,
    joint: Vec<Move>,
    /// The number of joint moves in the state. 0 if the state is terminal or a role has no legal move.
    count: u64,
    /// The index of the next joint move to try, in the enumeration of the state's joint moves.
    next: u64,
}

impl<S> Branches<S> {
    fn of<M: StateMachine<State = S>>(machine: &mut M, state: S) -> Result<Branches<S>, EvalError> {
        let mut choices = Vec::new();
        if !machine.is_terminal(&state)? {
            for role in 0..machine.game().role_count() {
                let mut legal = Vec::new();
                machine.legal_moves(&state, Role(role as u8), &mut legal)?;
                choices.push(legal);
            }
        }
        let product = |product: u64, legal: &Vec<Move>| product.checked_mul(legal.len() as u64);
        let stuck = choices.is_empty() || choices.iter().any(Vec::is_empty);
        let count = if stuck { 0 } else { choices.iter().try_fold(1, product).ok_or_else(too_many)? };
        Ok(Branches { state, choices, joint: Vec::new(), count, next: 0 })
    }

    /// Sets `joint` to the next joint move. Returns false if there is none.
    fn advance(&mut self) -> bool {
        if self.next == self.count {
            return false;
        }
        let mut number = self.next;
        self.next += 1;
        self.joint.clear();
        for legal in self.choices.iter().rev() {
            self.joint.push(legal[(number % legal.len() as u64) as usize]);
            number /= legal.len() as u64;
        }
        self.joint.reverse();
        true
    }
}

/// Enumerates the joint moves that combine the roles' choices. The move of the last role changes fastest.
#[derive(Debug)]
pub struct JointMoves<'a> {
    choices: &'a [Vec<Move>],
    at: Vec<usize>,
    joint: Vec<Move>,
    done: bool,
}

impl<'a> JointMoves<'a> {
    /// Enumerates the joint moves of `choices`, which has one list of moves for each role.
    pub fn new(choices: &'a [Vec<Move>]) -> JointMoves<'a> {
        let done = choices.iter().any(Vec::is_empty);
        JointMoves { choices, at: Vec::new(), joint: Vec::new(), done }
    }

    /// The next joint move, in role order. `None` after the last one. The type is not an `Iterator`, because
    /// the result borrows a buffer of `self`.
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
