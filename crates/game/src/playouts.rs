//! Random playouts: from a state to a terminal one by moves drawn uniformly, from all legal ones or
//! from those preferred.
//!
//! Playout `i` of a run draws its moves from random stream `(seed, i)` (see [`crate::rng`]) in
//! whatever order or lane it is played, and legal moves are ranked in the order of their texts.
//! So every machine, and every vector width, plays the same playouts.

use crate::{EvalError, Goals, Move, Preference, Role, StateMachine, rng};

/// One finished playout.
#[derive(Clone, Copy, Debug)]
pub struct Playout<'a> {
    /// Which of the run's playouts, from 0; it started from
    /// `starts[index / plan.per_start]`.
    pub index: usize,
    /// The goals of the last state, in role order.
    pub goals: &'a [Goals],
    /// Joint moves made.
    pub steps: u32,
    /// The joint moves made, one after the other, each in role order; empty unless asked for.
    pub moves: &'a [Move],
    /// Whether it ended in a terminal state; otherwise it was cut off at the step limit, or a
    /// role had no legal move.
    pub terminal: bool,
}

/// Which random stream and how far.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutPlan<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// The stream number of playout 0; playout `i` has `first + i`.
    pub first: u64,
    /// How many playouts begin at each of the starts, one start after the other.
    pub per_start: usize,
    /// A playout of this many steps is cut off.
    pub max_steps: u32,
    /// Whether [`Playout::moves`] is wanted.
    pub moves: bool,
    /// Whether it is known that none of the starts is terminal, so that a machine need not look.
    pub going: bool,
    /// Whether a role that can win by its next move does so, and else, of two roles, makes no move after which
    /// the other can (decisive and anti-decisive moves; Teytaud & Teytaud 2010), nor, where others choose at the same
    /// time, one that cannot but end the game without a win; where the machine sees such moves at little
    /// cost. Only networks do, and not of every game.
    pub decisive: bool,
    /// The moves that some of the playouts prefer.
    pub preferred: Option<&'a Preference>,
}

impl PlayoutPlan<'_> {
    /// Stream `(seed, 0…)`, one playout a start, up to [`MAX_STEPS`] steps, without moves, from any states,
    /// with no moves preferred.
    pub fn new(seed: u64) -> PlayoutPlan<'static> {
        PlayoutPlan {
            seed,
            first: 0,
            per_start: 1,
            max_steps: MAX_STEPS,
            moves: false,
            going: false,
            decisive: false,
            preferred: None,
        }
    }
}

/// The default cut-off, far beyond any published game.
pub const MAX_STEPS: u32 = 100_000;

/// A machine that plays many playouts at once. The default plays one at a time.
pub trait Playouts: StateMachine {
    /// How many states this machine evaluates in about the time that one takes.
    fn lanes(&self) -> usize {
        1
    }

    /// Whether a state or a move that one clone has made means the same to every other, also to those made
    /// before: then several threads, each with a clone, can work on the same states.
    fn clones_agree(&self) -> bool {
        false
    }

    /// Makes ready for playouts with decisive moves ([`PlayoutPlan::decisive`]), so that the first of them
    /// take no longer than others.
    fn prepare_decisive(&mut self) {}

    /// Leaves the least of those among `role`'s `moves` that come to the same, as far as the machine can tell:
    /// whichever of them is made, the game ends at the same time with the same goals.
    fn one_of_twins(&mut self, role: Role, moves: &mut Vec<Move>) {
        let _ = (role, moves);
    }

    /// The subgames of a game of one role whose moves each concern one part of the state at most, as far as the
    /// machine can tell: machines of the same states and moves, in which only the subgame's moves are legal, and
    /// which end, with the goal 100, once all holds that the game's best goal asks of that part. None if there are not two.
    fn subgames(&mut self) -> Vec<Self> {
        Vec::new()
    }

    /// Replaces `out` by those of the legal moves of each role in each of `states` that playouts with
    /// decisive moves draw from: role by role, state by state; leaves it empty where the machine cannot tell.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn decisive_moves(&mut self, states: &[&Self::State], out: &mut Vec<Vec<Move>>) -> Result<(), EvalError> {
        let _ = states;
        out.clear();
        Ok(())
    }

    /// Replaces `out` by the states after one joint move in each of `states`; `joints` holds the
    /// joint moves one after the other, each in role order. The moves are not checked for legality.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn next_states(
        &mut self,
        states: &[&Self::State],
        joints: &[Move],
        out: &mut Vec<Self::State>,
    ) -> Result<(), EvalError> {
        let roles = self.game().role_count();
        out.clear();
        for (state, joint) in states.iter().zip(joints.chunks_exact(roles)) {
            out.push(self.next_state(state, joint)?);
        }
        Ok(())
    }

    /// Replaces `over` by whether each of `states` is terminal, and `goals` by the goals of all
    /// roles in each of them; those of states that are not terminal are of no account.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn outcomes(
        &mut self,
        states: &[&Self::State],
        over: &mut Vec<bool>,
        goals: &mut Vec<Goals>,
    ) -> Result<(), EvalError> {
        let roles = self.game().role_count();
        over.clear();
        goals.clear();
        goals.resize(states.len() * roles, Goals::None);
        for (state, goals) in states.iter().zip(goals.chunks_exact_mut(roles)) {
            over.push(self.is_terminal(state)?);
            if over.last() == Some(&true) {
                self.goals(state, goals)?;
            }
        }
        Ok(())
    }

    /// Replaces `out` by the legal moves of each role in each of `states`: role by role, state by
    /// state, each as [`StateMachine::legal_moves`] gives them.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn all_legal_moves(
        &mut self,
        states: &[&Self::State],
        out: &mut Vec<Vec<Move>>,
    ) -> Result<(), EvalError> {
        let roles = self.game().role_count();
        out.resize_with(states.len() * roles, Vec::new);
        for (state, legal) in states.iter().zip(out.chunks_exact_mut(roles)) {
            for (role, legal) in self.game().clone().roles().zip(legal) {
                self.legal_moves(state, role, legal)?;
            }
        }
        Ok(())
    }

    /// Replaces `out` by how near each of `states` comes to `role`'s best goal, from 0 to 1, by as
    /// many of the goal's conditions as hold; leaves it empty where the machine cannot tell. A guess
    /// to order states by, nothing more.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn nearness(&mut self, states: &[&Self::State], role: Role, out: &mut Vec<f32>) -> Result<(), EvalError> {
        let _ = (states, role);
        out.clear();
        Ok(())
    }

    /// Starts `plan.per_start` playouts from each of `starts`, finishes all of them, and gives each
    /// to `sink` as it ends, in any order.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn playouts(
        &mut self,
        starts: &[Self::State],
        plan: PlayoutPlan,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> Result<(), EvalError> {
        let roles = self.game().role_count();
        let mut goals = vec![Goals::None; roles];
        let mut joint = vec![Move(0); roles];
        let (mut legal, mut moves) = (Vec::new(), Vec::new());
        for index in 0..starts.len() * plan.per_start {
            let start = &starts[index / plan.per_start];
            let number = plan.first.wrapping_add(index as u64);
            let stream = rng::Stream::new(plan.seed, number);
            let preferred = plan.preferred.filter(|preferred| preferred.applies(number));
            let mut state = start.clone();
            let mut steps = 0;
            moves.clear();
            let terminal = 'playout: loop {
                if self.is_terminal(&state)? {
                    break true;
                }
                if steps == plan.max_steps {
                    break false;
                }
                for role in self.game().clone().roles() {
                    self.legal_moves(&state, role, &mut legal)?;
                    if legal.is_empty() {
                        break 'playout false;
                    }
                    if let Some(preferred) = preferred {
                        preferred.narrow(role, &mut legal);
                    }
                    let rank = stream.below(steps, role, legal.len() as u32);
                    joint[role.index()] = legal[rank as usize];
                }
                if plan.moves {
                    moves.extend_from_slice(&joint);
                }
                state = self.next_state(&state, &joint)?;
                steps += 1;
            };
            self.goals(&state, &mut goals)?;
            sink(Playout { index, goals: &goals, steps, moves: &moves, terminal });
        }
        Ok(())
    }
}
