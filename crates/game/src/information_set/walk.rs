//! Random walks from the start of a match that repeat a role's moves and percepts.
//!
//! In each turn, a walk chooses among the joint moves that agree with the role's history: those that contain
//! the role's move and give its percepts. If no joint move agrees, the walk goes back one turn and chooses
//! another joint move there (depth-first, as in the player `HyperPlay`; Schofield, Cerexhe & Thielscher
//! 2012). The weight of the state in which the walk ends is a product with one factor for each turn: the
//! share of the joint moves that agree. This is importance sampling, which is exact for walks that never go
//! back.

use super::OwnTurn;
use super::turn::Turn;
use crate::rng::Sequence;
use crate::{EvalError, Role, StateMachine};

/// The history that the walks repeat.
pub(super) struct Walks<'a, S> {
    pub(super) role: Role,
    pub(super) start: &'a S,
    pub(super) history: &'a [&'a OwnTurn],
}

/// The largest number of joint moves that a walk examines in one state.
const TRIED: usize = 64;

/// The walks may together examine A × B × C joint moves: A is this constant, B is the number of wanted
/// states, and C is the number of turns in the history. [`LEAST_EXAMINED`] can raise this limit.
const EXAMINED: usize = 32;

/// If few states are wanted, the walks may nevertheless examine this many joint moves for each turn in the
/// history.
const LEAST_EXAMINED: usize = 16 * TRIED;

/// A turn of a walk in progress.
struct Step<S> {
    /// The states after the joint moves that agree with the history, in random order. The states that the
    /// walk has already tried are removed.
    open: Vec<S>,
    /// The share of the examined joint moves that agree with the history.
    share: f64,
    /// Whether the walk has examined all joint moves of this turn. If not, it has examined a random sample of
    /// them.
    is_complete: bool,
}

/// How a walk ends.
enum End<S> {
    /// The walk has repeated the whole history. The fields are the state that it has reached and its weight.
    Arrived(S, Weight),
    /// The walk could not repeat the whole history, but another walk may be able to. Either this walk has
    /// examined only a sample of the joint moves, or the walks have used up the permitted number of joint
    /// moves.
    Lost,
    /// No walk can repeat the whole history: this walk has examined all joint moves and found no way.
    Impossible,
}

/// A weight that is scaled by a power of [`SCALE`], because the product over many turns is smaller than every
/// positive `f64`.
#[derive(Clone, Copy)]
struct Weight {
    /// The weight multiplied by [`SCALE`] to the power of `scaled`.
    product: f64,
    scaled: i32,
}

/// A product that falls below the inverse of this number is multiplied by it.
const SCALE: f64 = 1e150;

impl Weight {
    /// The weight of a walk with these `shares`.
    fn of(shares: impl Iterator<Item = f64>) -> Weight {
        let mut weight = Weight { product: 1.0, scaled: 0 };
        for share in shares {
            weight.product *= share;
            if weight.product * SCALE < 1.0 {
                weight.product *= SCALE;
                weight.scaled += 1;
            }
        }
        weight
    }

    /// The weight multiplied by [`SCALE`] to the power of `least`. It is 0 if it is still too small.
    fn scaled_by(self, least: i32) -> f64 {
        self.product / SCALE.powi(self.scaled - least)
    }
}

impl<S> Walks<'_, S> {
    /// Makes walks until `wanted` of them have repeated the whole history, until the permitted number of
    /// joint moves is used up, or until a walk shows that no walk can repeat the history. Returns the last
    /// state of each successful walk with its weight, where all weights are multiplied by the same number. A
    /// state that several walks reach is listed several times. A state is left out if its weight is nothing
    /// beside the largest one.
    pub(super) fn states<M: StateMachine<State = S>>(
        &self,
        machine: &mut M,
        wanted: usize,
        random: &mut Sequence,
    ) -> Result<Vec<(S, f64)>, EvalError>
    where
        S: Clone,
    {
        let mut left = wanted.saturating_mul(EXAMINED).max(LEAST_EXAMINED).saturating_mul(self.history.len());
        let mut found: Vec<(S, Weight)> = Vec::new();
        while found.len() < wanted && left > 0 {
            match self.walk(machine, random, &mut left)? {
                End::Arrived(state, weight) => found.push((state, weight)),
                End::Lost => {}
                End::Impossible => break,
            }
        }
        let least = found.iter().map(|(_, weight)| weight.scaled).min().unwrap_or(0);
        let states = found.into_iter().map(|(state, weight)| (state, weight.scaled_by(least)));
        Ok(states.filter(|&(_, weight)| weight > 0.0).collect())
    }

    /// Makes one walk. `left` is the number of joint moves that may still be examined; the walk reduces it.
    fn walk<M: StateMachine<State = S>>(
        &self,
        machine: &mut M,
        random: &mut Sequence,
        left: &mut usize,
    ) -> Result<End<S>, EvalError>
    where
        S: Clone,
    {
        let mut state = self.start.clone();
        let mut steps: Vec<Step<S>> = Vec::with_capacity(self.history.len());
        let mut is_complete = true;
        loop {
            if steps.len() == self.history.len() {
                let weight = Weight::of(steps.iter().map(|step| step.share));
                return Ok(End::Arrived(state, weight));
            }
            let step = self.step(machine, &state, self.history[steps.len()], random, left)?;
            is_complete &= step.is_complete;
            steps.push(step);
            // Go back to the last turn with a state that has not been tried.
            loop {
                match steps.last_mut().map(|step| step.open.pop()) {
                    Some(Some(next)) => {
                        state = next;
                        break;
                    }
                    Some(None) if *left > 0 => drop(steps.pop()),
                    None if is_complete => return Ok(End::Impossible),
                    _ => return Ok(End::Lost),
                }
            }
        }
    }

    /// The step of a walk that repeats `turn` from `state`. Examines at most [`TRIED`] joint moves and
    /// reduces `left` accordingly.
    fn step<M: StateMachine<State = S>>(
        &self,
        machine: &mut M,
        state: &S,
        turn: &OwnTurn,
        random: &mut Sequence,
        left: &mut usize,
    ) -> Result<Step<S>, EvalError> {
        let mut step = Step { open: Vec::new(), share: 0.0, is_complete: true };
        *left = left.saturating_sub(1);
        let mut legal = Vec::new();
        machine.legal_moves(state, self.role, &mut legal)?;
        let Some(own) = legal.into_iter().find(|&mv| machine.move_text(mv) == turn.own) else {
            return Ok(step);
        };
        let turn = Turn { role: self.role, own, seen: &turn.seen };
        let Some(choices) = turn.choices(machine, state)? else { return Ok(step) };
        let tried = choices.count().min(TRIED);
        *left = left.saturating_sub(tried);
        step.is_complete = choices.count() == tried;
        step.open = turn.successors(machine, state, &choices, tried, random)?;
        step.share = step.open.len() as f64 / tried as f64;
        random.shuffle(&mut step.open);
        Ok(step)
    }
}
