//! States that carry what each role has observed. Under perfect recall, a role's own moves and percepts
//! determine its information set, so these states tell the information sets of all roles apart.

use crate::rng::mix;
use crate::{EvalError, Fact, Game, Goals, Move, Role, StateMachine, StopToken};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

/// A machine whose states carry what each role has observed since the start. Two of its states are equal only
/// if every role has made the same moves and received the same percepts on the way to them. The role `random`
/// observes nothing, because its draws do not depend on the past.
///
/// # Examples
/// ```
/// use ggp_game::{Game, Interpreter, Recall, Role, StateMachine};
/// use std::sync::Arc;
/// // Only `dealer` sees the card that falls.
/// let rules = b"(role random) (role dealer) (role guest) (card ace) (card king) (init start)
///     (<= (legal random (drop ?c)) (card ?c)) (legal dealer look) (legal guest wait)
///     (<= (next (lies ?c)) (does random (drop ?c))) (<= (sees dealer ?c) (does random (drop ?c)))
///     (<= terminal (true (lies ?c))) (goal random 0) (goal dealer 0) (goal guest 0)";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
/// let mut machine = Recall::new(Interpreter::new(&game));
/// let start = machine.initial_state().unwrap();
/// let mut after = |card: &str| {
///     let joint = machine.parse_legal_joint(&start, &[card, "look", "wait"]).unwrap();
///     machine.next_state(&start, &joint).unwrap()
/// };
/// let (ace, king) = (after("(drop ace)"), after("(drop king)"));
/// assert_ne!(ace.observed(Role(1)).key(), king.observed(Role(1)).key());
/// assert_eq!(ace.observed(Role(2)).key(), king.observed(Role(2)).key());
/// ```
#[derive(Clone, Debug)]
pub struct Recall<M> {
    machine: M,
    percepts: Vec<Fact>,
}

/// A state of [`Recall`].
#[derive(Clone, Debug)]
pub struct Recalled<S> {
    state: S,
    observed: Box<[Observed]>,
}

/// The observations of one role since the start: its own moves and its percepts.
#[derive(Clone, Debug)]
pub struct Observed {
    key: u64,
    last: Option<Arc<Turn>>,
}

/// One turn as a role has observed it.
#[derive(Debug)]
struct Turn {
    before: Observed,
    own: Box<str>,
    seen: Box<[Fact]>,
}

impl Observed {
    /// A number that identifies the information set: equal observations of one role have equal keys. Keys of
    /// different observations are different with overwhelming probability.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The turns, the last one first: what the role had observed before the turn, the text of its move in the
    /// turn, and its percepts after it.
    pub fn turns(&self) -> impl Iterator<Item = (&Observed, &str, &[Fact])> {
        let mut last = self.last.as_deref();
        std::iter::from_fn(move || {
            let turn = last?;
            last = turn.before.last.as_deref();
            Some((&turn.before, &*turn.own, &*turn.seen))
        })
    }
}

impl Drop for Turn {
    /// Drops the earlier turns one by one, because a recursive drop of a long match overflows the stack.
    fn drop(&mut self) {
        let mut last = self.before.last.take();
        while let Some(mut turn) = last.and_then(Arc::into_inner) {
            last = turn.before.last.take();
        }
    }
}

impl<S> Recalled<S> {
    /// The state of the underlying machine.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The observations of `role`.
    pub fn observed(&self, role: Role) -> &Observed {
        &self.observed[role.index()]
    }
}

impl<S: PartialEq> PartialEq for Recalled<S> {
    fn eq(&self, other: &Recalled<S>) -> bool {
        let keys = |one: &Recalled<S>| one.observed.iter().map(Observed::key).collect::<Vec<_>>();
        self.state == other.state && keys(self) == keys(other)
    }
}

impl<S: Eq> Eq for Recalled<S> {}

impl<S: Hash> Hash for Recalled<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
        self.observed.iter().for_each(|observed| hasher.write_u64(observed.key));
    }
}

impl<M: StateMachine> Recall<M> {
    /// Wraps `machine`.
    pub fn new(machine: M) -> Recall<M> {
        Recall { machine, percepts: Vec::new() }
    }

    /// The underlying machine.
    pub fn machine(&mut self) -> &mut M {
        &mut self.machine
    }

    /// `state`, in which no role has observed anything.
    fn unobserved(&self, state: M::State) -> Recalled<M::State> {
        let key = |role: Role| mix(u64::from(role.0) + 1);
        let observed = self.game().roles().map(|role| Observed { key: key(role), last: None }).collect();
        Recalled { state, observed }
    }
}

/// The key of the observations with the key `before` followed by the move `own` and the percepts `seen`.
fn key(before: u64, own: &str, seen: &[Fact]) -> u64 {
    let hasher = BuildHasherDefault::<rustc_hash::FxHasher>::default();
    mix(before ^ mix(hasher.hash_one((own, seen))))
}

impl<M: StateMachine> StateMachine for Recall<M> {
    type State = Recalled<M::State>;

    fn game(&self) -> &Arc<Game> {
        self.machine.game()
    }

    fn name(&self) -> &'static str {
        self.machine.name()
    }

    fn initial_state(&mut self) -> Result<Self::State, EvalError> {
        let state = self.machine.initial_state()?;
        Ok(self.unobserved(state))
    }

    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, EvalError> {
        self.machine.is_terminal(&state.state)
    }

    fn legal_moves(&mut self, state: &Self::State, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError> {
        self.machine.legal_moves(&state.state, role, out)
    }

    fn next_state(&mut self, state: &Self::State, joint: &[Move]) -> Result<Self::State, EvalError> {
        let game = Arc::clone(self.machine.game());
        let mut observed = Vec::with_capacity(joint.len());
        for ((role, before), &own) in game.roles().zip(&state.observed).zip(joint) {
            if game.nature() == Some(role) {
                observed.push(before.clone());
                continue;
            }
            self.machine.percepts(&state.state, joint, role, &mut self.percepts)?;
            let own = self.machine.move_text(own);
            let key = key(before.key, own, &self.percepts);
            let turn =
                Turn { before: before.clone(), own: own.into(), seen: self.percepts.as_slice().into() };
            observed.push(Observed { key, last: Some(Arc::new(turn)) });
        }
        let state = self.machine.next_state(&state.state, joint)?;
        Ok(Recalled { state, observed: observed.into() })
    }

    fn goals(&mut self, state: &Self::State, out: &mut [Goals]) -> Result<(), EvalError> {
        self.machine.goals(&state.state, out)
    }

    fn facts(&mut self, state: &Self::State, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        self.machine.facts(&state.state, out)
    }

    /// The state in which exactly `facts` are true and no role has observed anything.
    fn state_of(&mut self, facts: &[Fact]) -> Result<Self::State, EvalError> {
        let state = self.machine.state_of(facts)?;
        Ok(self.unobserved(state))
    }

    fn percepts(
        &mut self,
        state: &Self::State,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError> {
        self.machine.percepts(&state.state, joint, role, out)
    }

    /// The heap data of the underlying state, and one turn for each role. Earlier turns are shared.
    fn heap_bytes(&self, state: &Self::State) -> usize {
        let turn = size_of::<Observed>() + size_of::<Turn>() + 2 * size_of::<usize>();
        self.machine.heap_bytes(&state.state) + state.observed.len() * turn
    }

    fn move_text(&self, mv: Move) -> &str {
        self.machine.move_text(mv)
    }

    fn parse_move(&mut self, text: &str) -> Option<Move> {
        self.machine.parse_move(text)
    }

    fn has_many_moves(&self) -> bool {
        self.machine.has_many_moves()
    }

    fn release_moves(&mut self) {
        self.machine.release_moves();
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        self.machine.interrupt_on(stop);
    }
}
