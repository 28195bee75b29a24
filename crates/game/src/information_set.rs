//! The information set of a role in a game of imperfect information (GDL-II): the states that are consistent
//! with the role's moves and percepts, and their probabilities when all other roles draw their moves
//! uniformly.
//!
//! Invariant: the weights of the states are positive and sum to 1, unless the set is empty. While
//! [`InformationSet::is_complete`] holds, the states are exactly the possible ones; otherwise they are the
//! most probable ones of a sample. The update is Bayes' rule over the joint moves that contain the role's own
//! move (Thielscher, "A General Game Description Language for Incomplete Information Games", 2010).

use crate::rng::{Stream, mix};
use crate::{EvalError, Fact, Move, Role, StateMachine};
use rustc_hash::FxHashMap;

/// The states of a match that are possible as far as one role knows.
#[derive(Clone, Debug)]
pub struct InformationSet<M: StateMachine> {
    role: Role,
    states: Vec<(M::State, f64)>,
    bound: usize,
    complete: bool,
    turn: u32,
}

/// The largest number of joint moves that an update examines in each state.
const JOINT_MOVES: usize = 64;

impl<M: StateMachine> InformationSet<M> {
    /// The information set of `role` before the first move: the initial state. The set never keeps more than
    /// `bound` states; a bound of 0 counts as 1.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn initial(machine: &mut M, role: Role, bound: usize) -> Result<InformationSet<M>, EvalError> {
        Ok(InformationSet::certain(machine.initial_state()?, role, bound))
    }

    /// The information set of `role` when the role knows that the match is in the state `state`. The set
    /// never keeps more than `bound` states; a bound of 0 counts as 1.
    pub fn certain(state: M::State, role: Role, bound: usize) -> InformationSet<M> {
        InformationSet { role, states: vec![(state, 1.0)], bound: bound.max(1), complete: true, turn: 0 }
    }

    /// The largest bound for which an update takes at most `bytes` bytes of memory, if one state takes `each`
    /// bytes. The result is at least 1.
    pub fn bound_within(bytes: usize, each: usize) -> usize {
        // An update holds the kept states and their successors. Each successor is in a list and is also a key
        // of a map.
        let held = (each + size_of::<(f64, usize)>()).saturating_mul(1 + 2 * JOINT_MOVES);
        (bytes / held).max(1)
    }

    /// The possible states with their probabilities, in a fixed order. Empty when no kept state is
    /// consistent with the percepts.
    pub fn states(&self) -> &[(M::State, f64)] {
        &self.states
    }

    /// Whether the set contains all possible states: no update has dropped a state or left out a joint move.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Replaces `out` by the role's legal moves. By the definition of GDL-II these moves are the same in all
    /// possible states. If the rules violate that condition, `out` gets the legal moves in the most probable
    /// state. `out` becomes empty if the set is empty.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn legal_moves(&self, machine: &mut M, out: &mut Vec<Move>) -> Result<(), EvalError> {
        out.clear();
        let likeliest = self.states.iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
        likeliest.map_or(Ok(()), |(state, _)| machine.legal_moves(state, self.role, out))
    }

    /// Draws a state with the random `bits`, according to the probabilities of the states. `None` if the set
    /// is empty.
    pub fn draw(&self, bits: u32) -> Option<&M::State> {
        let mut left = f64::from(bits) / 4_294_967_296.0;
        let drawn = self.states.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        drawn.or(self.states.last()).map(|(state, _)| state)
    }

    /// Updates the information set after the role has made the move `own` and received the percepts `seen`.
    /// If a state has too many joint moves, the update examines a random sample of them, which `seed`
    /// determines.
    ///
    /// # Errors
    /// When the rules cannot be evaluated. The information set is then unchanged.
    pub fn update(&mut self, machine: &mut M, own: Move, seen: &[Fact], seed: u64) -> Result<(), EvalError> {
        let mut next =
            Successors::<M> { states: FxHashMap::default(), order: Vec::new(), complete: self.complete };
        for (number, (state, weight)) in self.states.iter().enumerate() {
            let stream = Stream::new(mix(seed ^ u64::from(self.turn)), number as u64);
            next.add(machine, (state, *weight), (self.role, own), seen, stream)?;
        }
        self.complete = next.complete;
        self.states = next.order;
        if self.states.len() > self.bound {
            self.complete = false;
            self.states.sort_by(|a, b| b.1.total_cmp(&a.1));
            self.states.truncate(self.bound);
        }
        let sum: f64 = self.states.iter().map(|(_, weight)| weight).sum();
        self.states.iter_mut().for_each(|(_, weight)| *weight /= sum);
        self.turn += 1;
        Ok(())
    }
}

/// The states after a turn that have been found so far.
struct Successors<M: StateMachine> {
    states: FxHashMap<M::State, usize>,
    order: Vec<(M::State, f64)>,
    complete: bool,
}

impl<M: StateMachine> Successors<M> {
    /// Adds those successors of `state` in which `role` makes the move `own` and receives the percepts
    /// `seen`.
    fn add(
        &mut self,
        machine: &mut M,
        (state, weight): (&M::State, f64),
        (role, own): (Role, Move),
        seen: &[Fact],
        stream: Stream,
    ) -> Result<(), EvalError> {
        if machine.is_terminal(state)? {
            return Ok(());
        }
        let mut choices: Vec<Vec<Move>> = Vec::new();
        for other in machine.game().clone().roles() {
            let mut legal = Vec::new();
            machine.legal_moves(state, other, &mut legal)?;
            if other == role {
                // If the role's own move is not legal in this state, the state is impossible.
                legal.retain(|&mv| mv == own);
            }
            choices.push(legal);
        }
        let Some(count) = choices.iter().try_fold(1usize, |count, legal| count.checked_mul(legal.len()))
        else {
            return Ok(());
        };
        let tried = count.min(JOINT_MOVES);
        self.complete &= tried == count;
        let (mut joint, mut percepts) = (vec![Move(0); choices.len()], Vec::new());
        for number in 0..tried {
            let mut rest = number;
            for (other, legal) in choices.iter().enumerate() {
                let at = if tried == count {
                    let at = rest % legal.len();
                    rest /= legal.len();
                    at
                } else {
                    stream.below(number as u32, Role(other as u8), legal.len() as u32) as usize
                };
                joint[other] = legal[at];
            }
            machine.percepts(state, &joint, role, &mut percepts)?;
            if percepts == seen {
                let next = machine.next_state(state, &joint)?;
                self.insert(next, weight / tried as f64);
            }
        }
        Ok(())
    }

    fn insert(&mut self, state: M::State, weight: f64) {
        if let Some(&at) = self.states.get(&state) {
            self.order[at].1 += weight;
        } else {
            self.states.insert(state.clone(), self.order.len());
            self.order.push((state, weight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Interpreter};
    use std::sync::Arc;

    /// The rules of a game in which a prize is behind one of three doors. The seer picks a door, and the host
    /// opens another one without the prize.
    const DOORS: &str = "
        (role random) (role seer) (door 1) (door 2) (door 3) (init hiding)
        (<= chosen (true (picked ?d)))
        (<= (legal random (hide ?d)) (door ?d) (true hiding))
        (<= (legal random (open ?d)) (door ?d) (true (picked ?p)) (distinct ?d ?p) (not (true (prize ?d))))
        (<= (legal random idle) (not (true hiding)) (not chosen))
        (<= (legal seer idle) (true hiding))
        (<= (legal seer (pick ?d)) (door ?d) (not (true hiding)))
        (<= (next (prize ?d)) (does random (hide ?d)))
        (<= (next (prize ?d)) (true (prize ?d)))
        (<= (next (picked ?d)) (does seer (pick ?d)))
        (<= (sees seer (opened ?d)) (does random (open ?d)))
        (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";

    fn doors() -> Interpreter {
        Interpreter::new(&Arc::new(Game::new(ggp_gdl::parse(DOORS.as_bytes()).unwrap()).unwrap()))
    }

    fn own(machine: &mut Interpreter, set: &InformationSet<Interpreter>, text: &str) -> Move {
        let mut legal = Vec::new();
        set.legal_moves(machine, &mut legal).unwrap();
        legal.into_iter().find(|&mv| machine.move_text(mv) == text).unwrap()
    }

    #[test]
    fn the_other_door_is_twice_as_likely() {
        let mut machine = doors();
        let seer = Role(1);
        let mut set = InformationSet::initial(&mut machine, seer, 100).unwrap();
        for (text, seen) in [("idle", &[][..]), ("(pick 1)", &[]), ("(pick 1)", &["(opened 3)"])] {
            let mv = own(&mut machine, &set, text);
            let seen: Vec<Fact> = seen.iter().map(|&s| Fact::from_canonical(s)).collect();
            set.update(&mut machine, mv, &seen, 1).unwrap();
        }
        assert!(set.is_complete());
        let mut found = Vec::new();
        for (state, weight) in set.states() {
            let mut facts = Vec::new();
            machine.facts(state, &mut facts).unwrap();
            let prize = facts.iter().find(|fact| fact.functor() == "prize").unwrap().as_str().to_owned();
            found.push((prize, (weight * 3000.0).round() as u32));
        }
        found.sort();
        assert_eq!(found, [("(prize 1)".to_owned(), 1000), ("(prize 2)".to_owned(), 2000)]);
        let draws = (0..3000u32).filter(|i| set.draw(i * 1_431_655) == Some(&set.states()[0].0)).count();
        assert!((900..2100).contains(&draws));
    }

    #[test]
    fn what_cannot_have_been_seen_leaves_no_state_and_the_bound_holds() {
        let mut machine = doors();
        let mut set = InformationSet::initial(&mut machine, Role(1), 2).unwrap();
        let idle = own(&mut machine, &set, "idle");
        set.update(&mut machine, idle, &[], 1).unwrap();
        assert_eq!((set.states().len(), set.is_complete()), (2, false));
        let pick = own(&mut machine, &set, "(pick 2)");
        set.update(&mut machine, pick, &[Fact::from_canonical("thunder")], 1).unwrap();
        assert!(set.states().is_empty() && set.draw(0).is_none());
    }
}
