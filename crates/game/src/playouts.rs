//! Random playouts: sequences of random joint moves from a state to a terminal state. Each role's move is
//! drawn uniformly from its legal moves, or from its preferred legal moves.
//!
//! Playout `i` of a run draws its moves from the random stream `(seed, first + i)` (see [`crate::rng`]), in
//! whatever order and in whatever lane it is played. Legal moves are ordered by their texts. Therefore every
//! machine and every vector width plays the same playouts.

use crate::hints::Hints;
use crate::{EvalError, Goals, Move, Preference, StateMachine, rng};

/// One finished playout.
#[derive(Clone, Copy, Debug)]
pub struct Playout<'a> {
    /// The index of the playout within the run, from 0. The playout started from
    /// `starts[index / plan.per_start]`.
    pub index: usize,
    /// The goals in the last state, in role order.
    pub goals: &'a [Goals],
    /// The number of joint moves made.
    pub steps: u32,
    /// The joint moves of the playout in order, concatenated. Each joint move lists its moves in role order.
    /// Empty unless [`PlayoutPlan::moves`] is set.
    pub moves: &'a [Move],
    /// Whether the last state is terminal. If not, the playout was cut off (usually at the step limit), or a
    /// role had no legal move.
    pub terminal: bool,
}

/// The parameters of a run of playouts.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutPlan<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// The index of the random stream of playout 0. Playout `i` uses the stream `first + i`.
    pub first: u64,
    /// The number of playouts from each start state. The playouts from one start state have consecutive
    /// indices.
    pub per_start: usize,
    /// The number of steps after which a playout is cut off.
    pub max_steps: u32,
    /// Whether to record [`Playout::moves`].
    pub moves: bool,
    /// Whether the caller guarantees that no start state is terminal. If so, the machine need not check
    /// whether the start states are terminal.
    pub no_terminal_start: bool,
    /// Whether playouts use decisive and anti-decisive moves (Teytaud & Teytaud 2010). In a state in which
    /// only one role has a choice, that role makes a winning move if it has one. Otherwise, in a game of two
    /// players, it avoids moves after which the other player can win at once. In a state in which several
    /// roles choose simultaneously, a role avoids a move if the move, whatever the other roles do, ends the
    /// game without a win for the role. Only propositional networks implement this option, and only in games
    /// where they can detect these moves at a moderate cost ([`Hints::decisive`]).
    pub decisive: bool,
    /// The preferred moves, which a share of the playouts uses. `None` if all playouts draw among all legal
    /// moves.
    pub preferred: Option<&'a Preference>,
}

impl PlayoutPlan<'_> {
    /// The default plan: the random streams of `seed` from index 0 on, one playout from each start state, and
    /// at most [`MAX_STEPS`] steps. The playouts do not record moves, and use neither decisive nor preferred
    /// moves.
    pub fn new(seed: u64) -> PlayoutPlan<'static> {
        PlayoutPlan {
            seed,
            first: 0,
            per_start: 1,
            max_steps: MAX_STEPS,
            moves: false,
            no_terminal_start: false,
            decisive: false,
            preferred: None,
        }
    }
}

/// The default limit of steps of a playout. All published games are much shorter.
pub const MAX_STEPS: u32 = 100_000;

/// The evaluation of many states at once. The default methods evaluate one state after the other.
pub trait Batches: StateMachine {
    /// The number of states that the machine can evaluate at once, in about the time that it takes for a
    /// single state.
    fn lanes(&self) -> usize {
        1
    }

    /// Whether states and moves are valid in every clone of the machine, including clones that are older than
    /// the state or move. If so, several threads can work on the same states, each thread with a clone.
    fn clones_agree(&self) -> bool {
        false
    }

    /// Replaces `out` by the states after one joint move in each of `states`. `joints` is the concatenation
    /// of these joint moves, each in role order. The moves are not checked for legality.
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

    /// Sets `over` to one value for each of `states`: whether the state is terminal. Sets `goals` to the
    /// goals of all roles in each state, state by state. The goals of states that are not terminal are
    /// unspecified.
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

    /// Replaces `out` by one list of legal moves for each role in each of `states`: state by state, and role
    /// by role within a state. Each list is the same as from [`StateMachine::legal_moves`].
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

    /// Plays `plan.per_start` playouts from each of `starts` to their end. Passes each playout to `sink` when
    /// it ends, so their order is unspecified.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn playouts(
        &mut self,
        starts: &[Self::State],
        plan: PlayoutPlan,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> Result<(), EvalError> {
        let mut playing = StepwisePlayouts::new(self.game().role_count());
        for index in 0..starts.len() * plan.per_start {
            sink(playing.play(self, &starts[index / plan.per_start], index, &plan, |_| Ok(true))?);
        }
        Ok(())
    }
}

/// A state machine on which a search can run: the machine evaluates batches of states and gives hints. Every
/// type with [`Batches`] and [`Hints`] implements this trait.
pub trait Playouts: Batches + Hints {}

impl<M: Batches + Hints> Playouts for M {}

/// Plays random playouts on any [`StateMachine`], one playout after the other and one joint move at a time. A
/// machine plays its random playouts in this way unless it has a faster method. The value holds buffers that
/// the playouts reuse.
#[derive(Clone, Debug)]
pub struct StepwisePlayouts {
    moves: Vec<Move>,
    joint: Vec<Move>,
    legal: Vec<Move>,
    goals: Vec<Goals>,
}

impl StepwisePlayouts {
    /// Creates the buffers for a game of `roles` roles.
    pub fn new(roles: usize) -> StepwisePlayouts {
        StepwisePlayouts {
            moves: Vec::new(),
            joint: vec![Move(0); roles],
            legal: Vec::new(),
            goals: vec![Goals::None; roles],
        }
    }

    /// Plays playout `index` of `plan` from `start`. Before each step, the function calls `may_continue` with
    /// the number of joint moves made so far. If `may_continue` returns `false`, the playout ends in the
    /// current state, which may be terminal.
    ///
    /// # Errors
    /// See [`StateMachine`]. Also passes on the errors of `may_continue`.
    #[inline]
    pub fn play<M: StateMachine>(
        &mut self,
        machine: &mut M,
        start: &M::State,
        index: usize,
        plan: &PlayoutPlan<'_>,
        mut may_continue: impl FnMut(u32) -> Result<bool, EvalError>,
    ) -> Result<Playout<'_>, EvalError> {
        let StepwisePlayouts { moves, joint, legal, goals } = self;
        let game = machine.game().clone();
        let number = plan.first.wrapping_add(index as u64);
        let stream = rng::Stream::new(plan.seed, number);
        let preferred = plan.preferred.filter(|preferred| preferred.applies(number));
        let mut state = start.clone();
        let mut steps = 0;
        moves.clear();
        let terminal = 'playout: loop {
            let continues = may_continue(steps)?;
            if machine.is_terminal(&state)? {
                break true;
            }
            if steps == plan.max_steps || !continues {
                break false;
            }
            for role in game.roles() {
                machine.legal_moves(&state, role, legal)?;
                if legal.is_empty() {
                    break 'playout false;
                }
                if let Some(preferred) = preferred {
                    preferred.narrow(role, legal);
                }
                let rank = stream.below(steps, role, legal.len() as u32);
                joint[role.index()] = legal[rank as usize];
            }
            if plan.moves {
                moves.extend_from_slice(joint);
            }
            state = machine.next_state(&state, joint)?;
            steps += 1;
        };
        machine.goals(&state, goals)?;
        Ok(Playout { index, goals, steps, moves, terminal })
    }
}
