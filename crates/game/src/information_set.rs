//! The information set of a role in a game of imperfect information (GDL-II): the states that are consistent
//! with the role's moves and percepts, and their probabilities when all other roles draw their moves uniformly
//! (Thielscher, "A General Game Description Language for Incomplete Information Games", 2010).
//!
//! The set is enumerated while it is small. A set that outgrows its bound becomes a particle filter: an
//! update draws some joint moves in each state, and systematic resampling reduces the states after these
//! moves to the bound. If few of the particles agree with the percepts, random walks add new particles
//! ([`walk`]). These walks repeat the role's moves and percepts from the start of the match.
//!
//! Invariants: the weights are positive and, unless the set is empty, sum to 1. An enumerated set holds exactly
//! the possible states. No state is terminal except the start, because a role is only told of turns after which
//! the match goes on.

mod knowledge;
mod turn;
mod walk;
mod weighted;

pub use knowledge::Knowledge;

use self::turn::Turn;
use self::walk::Walks;
use self::weighted::{Weighted, merge, normalise, reduce};
use crate::rng::{Sequence, mix};
use crate::{EvalError, Fact, JointMoveError, Move, Observation, PlayError, Role, StateMachine};

/// The states of a match that one role considers possible.
///
/// # Examples
/// ```
/// use ggp_game::{Extent, Fact, Game, InformationSet, Interpreter, Observation, Role, StateMachine};
/// use std::sync::Arc;
/// // A coin falls; `you` hear it, but not on which side it lies.
/// let rules = b"(role random) (role you) (side heads) (side tails) (init falling) (legal you listen)
///     (<= (legal random (drop ?s)) (side ?s)) (<= (next (lies ?s)) (does random (drop ?s)))
///     (<= (sees you click) (true falling)) (<= terminal (true never)) (goal random 0) (goal you 0)";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
/// let mut machine = Interpreter::new(&game);
/// let mut set = InformationSet::initial(&mut machine, Role(1), 100).unwrap();
/// let seen = [Fact::from_canonical("click")];
/// let turn = Observation::Percepts { turn: 1, own: "listen", seen: &seen };
/// set.follow(&mut machine, turn, 7).unwrap();
/// assert_eq!((set.states().len(), set.extent()), (2, Extent::Enumerated));
/// let knowledge = set.knowledge(&mut machine).unwrap();
/// assert!(knowledge.certain.is_empty());
/// assert_eq!(knowledge.possible[0].0.as_str(), "(lies heads)");
/// ```
#[derive(Clone, Debug)]
pub struct InformationSet<M: StateMachine> {
    role: Role,
    /// The state in which the history begins. All roles know it.
    start: M::State,
    history: Vec<OwnTurn>,
    states: Vec<(M::State, f64)>,
    bound: usize,
    extent: Extent,
}

/// A role's knowledge of one turn: its own move and its percepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnTurn {
    /// The canonical text of the role's move.
    pub own: String,
    /// The role's percepts after the turn, sorted bytewise.
    pub seen: Vec<Fact>,
}

/// How the states of an information set relate to the possible states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The set holds all possible states with their exact probabilities.
    Enumerated,
    /// The set is a weighted sample of the possible states.
    Sampled,
}

/// A limit for an update that enumerates the set. The update may examine as many joint moves as this factor
/// times the bound of the set, plus one for each state in the set. If there are more, it draws a sample
/// instead.
const JOINT_MOVES: usize = 16;

/// An update that cannot examine all joint moves draws some at random: about as many as this factor times the
/// bound of the set.
const DRAWS: usize = 4;

/// If an update of a sampled set leaves fewer states than this share of the bound of the set, random walks
/// from the start of the match add new states.
const RENEWED_BELOW: f64 = 0.125;

impl<M: StateMachine> InformationSet<M> {
    /// The information set of `role` before the first move: the initial state. The set never keeps more than
    /// `bound` states; a bound of 0 counts as 1.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn initial(machine: &mut M, role: Role, bound: usize) -> Result<InformationSet<M>, EvalError> {
        Ok(InformationSet::certain(machine.initial_state()?, role, bound))
    }

    /// The information set of `role` in a state that all roles know. It never keeps more than `bound` states; a
    /// bound of 0 counts as 1.
    pub fn certain(state: M::State, role: Role, bound: usize) -> InformationSet<M> {
        let states = vec![(state.clone(), 1.0)];
        let (history, bound) = (Vec::new(), bound.max(1));
        InformationSet { role, start: state, history, states, bound, extent: Extent::Enumerated }
    }

    /// As [`InformationSet::initial`], but with a smaller bound if an update could otherwise take more than
    /// `bytes` bytes of memory. The set keeps at least one state.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn initial_within(
        machine: &mut M,
        role: Role,
        bound: usize,
        bytes: usize,
    ) -> Result<InformationSet<M>, EvalError> {
        let start = machine.initial_state()?;
        let each = size_of::<M::State>() + machine.heap_bytes(&start);
        // An update holds the kept states and the states of `Weighted`, each in a list and as a key of a map.
        let held = (each + size_of::<(f64, usize)>()).saturating_mul(1 + 2 * (DRAWS + 2));
        Ok(InformationSet::certain(start, role, bound.min(bytes / held)))
    }

    /// The role whose information this is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The state in which the history begins. All roles know it.
    pub fn start(&self) -> &M::State {
        &self.start
    }

    /// The role's moves and percepts since the last turn in which the role observed all moves, or since the
    /// start if there was no such turn.
    pub fn history(&self) -> &[OwnTurn] {
        &self.history
    }

    /// The states with their probabilities, in a fixed order. Empty if no state that was found agrees with the
    /// percepts.
    pub fn states(&self) -> &[(M::State, f64)] {
        &self.states
    }

    /// Whether the set holds all possible states or only a sample of them.
    pub fn extent(&self) -> Extent {
        self.extent
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

    /// Updates the information set with what the role is told before a turn. `seed` determines what is sampled;
    /// it should not depend on anything that the role cannot know.
    ///
    /// # Errors
    /// When a move is unknown, when no state that was found agrees with the observation, or when the rules cannot
    /// be evaluated. The information set is then unchanged.
    pub fn follow(&mut self, machine: &mut M, seen: Observation<'_>, seed: u64) -> Result<(), PlayError> {
        // A machine may parse only the moves that it has listed before.
        let mut legal = Vec::new();
        match seen {
            Observation::Start => Ok(()),
            Observation::Moves(texts) => {
                let Some((state, _)) = self.states.first().cloned() else { return Err(inconsistent()) };
                for role in machine.game().clone().roles() {
                    machine.legal_moves(&state, role, &mut legal)?;
                }
                let joint = machine.parse_joint(texts)?;
                let next = machine.next_state(&state, &joint)?;
                *self = InformationSet::certain(next, self.role, self.bound);
                Ok(())
            }
            Observation::Percepts { own, seen, .. } => {
                self.legal_moves(machine, &mut legal)?;
                let name = machine.game().role_name(self.role).to_owned();
                let own = machine.parse_move(own).ok_or_else(|| JointMoveError::unknown(&name, own))?;
                let after = self.after(machine, own, seen, seed)?;
                if after.states.is_empty() {
                    return Err(inconsistent());
                }
                self.enter(after);
                Ok(())
            }
        }
    }

    /// Updates the information set after the role has made the move `own` and received the percepts `seen`, in a
    /// turn after which the match goes on. `seed` determines what is sampled. The set is empty afterwards if no
    /// state that was found agrees with the percepts.
    ///
    /// # Errors
    /// When the rules cannot be evaluated. The information set is then unchanged.
    pub fn update(&mut self, machine: &mut M, own: Move, seen: &[Fact], seed: u64) -> Result<(), EvalError> {
        let after = self.after(machine, own, seen, seed)?;
        self.enter(after);
        Ok(())
    }

    fn enter(&mut self, after: After<M::State>) {
        self.history.push(after.turn);
        (self.states, self.extent) = (after.states, after.extent);
    }

    /// Computes what an update with the same arguments changes.
    fn after(
        &self,
        machine: &mut M,
        own: Move,
        seen: &[Fact],
        seed: u64,
    ) -> Result<After<M::State>, EvalError> {
        let mut random = Sequence::new(mix(seed ^ self.history.len() as u64));
        let turn = Turn { role: self.role, own, seen };
        let mut extent = self.extent;
        let mut states = self.successors(machine, turn, &mut random, Examine::All)?;
        if states.is_none() {
            extent = Extent::Sampled;
            states = self.successors(machine, turn, &mut random, Examine::Sample)?;
        }
        let turn = OwnTurn { own: machine.move_text(own).to_owned(), seen: seen.to_vec() };
        let mut states = states.unwrap_or_default().into_states();
        if extent == Extent::Sampled {
            reduce(&mut states, self.bound, &mut random);
            if (states.len() as f64) < RENEWED_BELOW * self.bound as f64 {
                let history: Vec<&OwnTurn> = self.history.iter().chain([&turn]).collect();
                let walks = Walks { role: self.role, start: &self.start, history: &history };
                let walked = walks.states(machine, self.bound - states.len(), &mut random)?;
                states = merge(states, walked);
            }
        }
        normalise(&mut states);
        Ok(After { turn, states, extent })
    }

    /// The states after `turn`. `examine` says which joint moves are examined in each state of the set.
    fn successors(
        &self,
        machine: &mut M,
        turn: Turn<'_>,
        random: &mut Sequence,
        examine: Examine,
    ) -> Result<Option<Weighted<M::State>>, EvalError> {
        let mut next = Weighted::default();
        let mut examined = 0usize;
        for (state, weight) in &self.states {
            let Some(choices) = turn.choices(machine, state)? else { continue };
            let mut count = choices.count();
            if examine == Examine::Sample {
                count = count.min(((DRAWS * self.bound) as f64 * weight).ceil() as usize);
            }
            examined = examined.saturating_add(count);
            if examine == Examine::All && examined > JOINT_MOVES * self.bound + self.states.len() {
                return Ok(None);
            }
            for after in turn.successors(machine, state, &choices, count, random)? {
                next.insert(after, weight / count as f64);
            }
            if examine == Examine::All && next.len() > self.bound {
                return Ok(None);
            }
        }
        Ok(Some(next))
    }
}

/// The joint moves that an update examines in each state of the set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Examine {
    /// All joint moves. The update gives up, with `None`, if they or the states after them are too many.
    All,
    /// Joint moves that are drawn at random: more of them in a more probable state, in proportion to the
    /// probability.
    Sample,
}

/// The changes of an information set in one turn.
struct After<S> {
    turn: OwnTurn,
    /// The states after the turn with their probabilities. Empty if no state that was found agrees with the
    /// percepts.
    states: Vec<(S, f64)>,
    extent: Extent,
}

fn inconsistent() -> PlayError {
    PlayError::Unable("no possible state agrees with the observations".to_owned())
}

#[cfg(test)]
mod tests;
