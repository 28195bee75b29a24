//! For games of hidden information: states that a role cannot tell from the actual state of a playout.
//!
//! Such a game is well formed only if each role can derive its legal moves, the end of the match and its goal
//! from its own moves and percepts (Haufe & Thielscher, "Automated Verification of Epistemic Properties for
//! General Game Playing", 2012). Some states that are possible as far as a role can tell are kept for this
//! role. Invariant: a state that is kept for a role can be reached by joint moves that give the role the same
//! moves and percepts as in the playout.

use ggp_game::rng::Sequence;
use ggp_game::{EvalError, Fact, Goals, Move, Role, StateMachine};

/// The maximum number of states that are kept for each role, besides the actual state.
const KEPT: usize = 12;

/// The number of random joint moves that are tried from one state to find its successors. In each turn and
/// for each role, this is done in the actual state and in each state that is kept for the role.
const DRAWN: usize = 4;

/// For each role, some states that it cannot tell from the actual state of a playout.
pub(super) struct Indistinguishable<S> {
    of_role: Vec<Vec<S>>,
    random: Sequence,
}

impl<S: Clone + Eq> Indistinguishable<S> {
    /// Creates an empty set for each of `roles` roles: at the start of a playout, every role knows the state, so
    /// there is no other state to keep. `seed` seeds the random joint moves.
    pub(super) fn new(roles: usize, seed: u64) -> Indistinguishable<S> {
        Indistinguishable { of_role: vec![Vec::new(); roles], random: Sequence::new(seed) }
    }

    /// Follows one turn of the playout, in which the joint move `joint` leads from the actual state `state`
    /// to `next`. New states replace those that are kept for each role. A new state is a successor of a kept
    /// state or of `state`, by a joint move with the role's actual move, that gives the role the percepts which
    /// it actually receives.
    ///
    /// # Errors
    /// See [`StateMachine`].
    pub(super) fn follow<M: StateMachine<State = S>>(
        &mut self,
        machine: &mut M,
        (state, joint, next): (&S, &[Move], &S),
    ) -> Result<(), EvalError> {
        let (mut seen, mut percepts): (Vec<Fact>, Vec<Fact>) = (Vec::new(), Vec::new());
        for role in machine.game().clone().roles() {
            if machine.game().nature() == Some(role) {
                continue;
            }
            machine.percepts(state, joint, role, &mut seen)?;
            let mut after: Vec<S> = Vec::new();
            let before = std::mem::take(&mut self.of_role[role.index()]);
            for origin in before.iter().chain([state]) {
                for _ in 0..DRAWN {
                    let Some(drawn) = self.draw(machine, origin, role, joint[role.index()])? else { break };
                    machine.percepts(origin, &drawn, role, &mut percepts)?;
                    if percepts != seen {
                        continue;
                    }
                    let reached = machine.next_state(origin, &drawn)?;
                    if reached != *next && !after.contains(&reached) {
                        after.push(reached);
                    }
                }
            }
            self.random.shuffle(&mut after);
            after.truncate(KEPT);
            self.of_role[role.index()] = after;
        }
        Ok(())
    }

    /// A random joint move in `state` in which `role` makes the move `own`. `None` if `state` is terminal, if
    /// some role has no legal move there, or if `own` is not legal there.
    fn draw<M: StateMachine<State = S>>(
        &mut self,
        machine: &mut M,
        state: &S,
        role: Role,
        own: Move,
    ) -> Result<Option<Vec<Move>>, EvalError> {
        if machine.is_terminal(state)? {
            return Ok(None);
        }
        let (mut joint, mut legal) = (Vec::new(), Vec::new());
        for other in machine.game().clone().roles() {
            machine.legal_moves(state, other, &mut legal)?;
            if legal.is_empty() || other == role && !legal.contains(&own) {
                return Ok(None);
            }
            joint.push(if other == role { own } else { legal[self.random.below(legal.len())] });
        }
        Ok(Some(joint))
    }

    /// Compares the actual state `state` with the states that are kept for each role. If one of them differs
    /// from `state` in the role's legal moves, in whether the match is over, or in the role's goal, the role
    /// cannot know this; the result says so in words. `None` if there is no such difference. `is_over` tells
    /// whether `state` is terminal.
    ///
    /// # Errors
    /// See [`StateMachine`].
    pub(super) fn difference<M: StateMachine<State = S>>(
        &self,
        machine: &mut M,
        state: &S,
        is_over: bool,
    ) -> Result<Option<String>, EvalError> {
        let game = machine.game().clone();
        let (mut here, mut there) = (Vec::new(), Vec::new());
        let mut goals = [vec![Goals::None; game.role_count()], vec![Goals::None; game.role_count()]];
        for role in game.roles() {
            for other in &self.of_role[role.index()] {
                let name = game.role_name(role);
                if machine.is_terminal(other)? != is_over {
                    return Ok(Some(format!("{name} does not know whether the match is over")));
                }
                if is_over {
                    machine.goals(state, &mut goals[0])?;
                    machine.goals(other, &mut goals[1])?;
                    let [here, there] = [0, 1].map(|at| goals[at][role.index()].score().value());
                    if here != there {
                        return Ok(Some(format!(
                            "{name} does not know whether its goal is {here} or {there}"
                        )));
                    }
                    continue;
                }
                machine.legal_moves(state, role, &mut here)?;
                machine.legal_moves(other, role, &mut there)?;
                let only = |one: &[Move], other: &[Move]| one.iter().copied().find(|mv| !other.contains(mv));
                if let Some(mv) = only(&here, &there).or_else(|| only(&there, &here)) {
                    let mv = machine.move_text(mv);
                    return Ok(Some(format!("{name} does not know whether `{mv}` is legal")));
                }
            }
        }
        Ok(None)
    }
}
