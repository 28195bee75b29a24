//! [`Reasoner`]: one type that stands for every kind of state machine.
//!
//! Invariants: all machines of one reasoner execute the same game. A state stays valid when the network takes
//! over from the interpreter; a move does not.

mod building;
mod comparison;
#[cfg(test)]
mod tests;

use crate::background::{BackgroundBuild, Built};
use crate::build::{Build, BuildError};
use crate::machine::{BuiltMachine, Machine};
use ggp_arena::{MachineReferee, Referee};
use ggp_compiled::{CodeSet, CompiledMachine};
use ggp_game::{
    Batches, Deadline, EvalError, Fact, FluentSet, Game, Goals, Hints, Interpreter, Move, Playout,
    PlayoutPlan, Playouts, Role, StateMachine, StopToken,
};
use ggp_propnet::{BitState, PropNetMachine};
use std::sync::Arc;

/// The executable rules of one game on any state machine: the interpreter, the compiled evaluator, the
/// propositional network, or the interpreter until a faster machine has been built in the background.
///
/// A reasoner implements [`StateMachine`], so everything that takes a machine takes a reasoner. Work that
/// evaluates millions of states runs on the concrete machine instead ([`Reasoner::with`]); [`crate::Search`],
/// [`Reasoner::player`] and the playouts do so by themselves.
///
/// # Examples
/// ```
/// use ggp::{Reasoner, StateMachine};
/// let game = ggp::parse(
///     "(role a) (init (at 0)) (succ 0 1) (succ 1 2) (legal a step) (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
///      (<= terminal (true (at 2))) (<= (goal a 100) (true (at 2))) (<= (goal a 0) (not (true (at 2))))",
/// )?;
/// let mut reasoner = Reasoner::new(&game)?;
/// let mut state = reasoner.initial_state()?;
/// while !reasoner.is_terminal(&state)? {
///     let joint = reasoner.parse_legal_joint(&state, &["step"])?;
///     state = reasoner.next_state(&state, &joint)?;
/// }
/// let facts: Vec<String> = reasoner.facts_of(&state)?.iter().map(ToString::to_string).collect();
/// assert_eq!(facts, ["(at 2)"]);
/// # Ok::<(), ggp::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reasoner {
    machine: Machine,
    /// The interpreter that evaluated the game before the network took over. It is kept to convert the states
    /// that it made. `None` if no network has taken over.
    previous: Option<Box<Interpreter>>,
    /// The build of the network that will replace the interpreter when it is ready. `None` if no network is
    /// awaited.
    coming: Option<BackgroundBuild>,
    /// The reason why another machine evaluates the game although a network was wanted. `None` if that is not
    /// the case.
    fallback: Option<BuildError>,
    /// The stop token that [`StateMachine::interrupt_on`] received last. The network gets it when it takes
    /// over.
    stop: StopToken,
}

/// A state of a [`Reasoner`]. States of different machines compare as different even if the same facts hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State(AnyState);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum AnyState {
    Interpreter(FluentSet),
    Compiled(CodeSet),
    Network(BitState),
}

impl State {
    /// A state of the network.
    pub(crate) fn of_network(state: BitState) -> State {
        State(AnyState::Network(state))
    }

    /// The state of the network. `None` for a state of another machine.
    pub(crate) fn network(&self) -> Option<&BitState> {
        match &self.0 {
            AnyState::Network(state) => Some(state),
            AnyState::Interpreter(_) | AnyState::Compiled(_) => None,
        }
    }

    /// The fluents of a state of the network as bits, in the order of [`Reasoner::fluents`]. `None` for a state of
    /// another machine.
    pub fn words(&self) -> Option<&[u64]> {
        self.network().map(BitState::words)
    }
}

/// Work that is generic over the state machine. [`Reasoner::with`] runs it.
pub trait WithMachine {
    /// The result of the work.
    type Output;

    /// Does the work with `machine`.
    fn run<M: Playouts + 'static>(self, machine: M) -> Self::Output;
}

/// Evaluates `$body`. In it, `$machine` is the concrete machine of the reasoner `$self`, and `$own` is
/// `$state` as a state of that machine. The state is converted if another machine of the reasoner made it.
macro_rules! with_state {
    ($self:ident, $state:ident, |$machine:ident, $own:ident| $body:expr) => {{
        let converted;
        let state = if $self.owns($state) {
            $state
        } else {
            converted = $self.convert($state)?;
            &converted
        };
        match (&mut $self.machine, &state.0) {
            (Machine::Interpreter($machine), AnyState::Interpreter($own)) => $body,
            (Machine::Compiled($machine), AnyState::Compiled($own)) => $body,
            (Machine::Network($machine), AnyState::Network($own)) => $body,
            _ => unreachable!("`convert` gives a state of this machine"),
        }
    }};
}

/// Evaluates `$body`. In it, `$machine` is the concrete machine inside `$machines`, a value of the type
/// `Machine`.
macro_rules! with_machine {
    ($machines:expr, |$machine:ident| $body:expr) => {
        match $machines {
            Machine::Interpreter($machine) => $body,
            Machine::Compiled($machine) => $body,
            Machine::Network($machine) => $body,
        }
    };
}

impl Reasoner {
    /// A reasoner for `game`. It has the network, or another machine if the network takes more than [`Build::TIME`] or
    /// too much memory: the compiled evaluator if it is much faster than the interpreter, else the interpreter (see
    /// [`Choice::Auto`](crate::Choice::Auto)). Waits for the build. [`Reasoner::name`](StateMachine::name) tells which
    /// machine it has, and [`Reasoner::fallback`] tells why.
    ///
    /// # Errors
    /// Never, because the interpreter replaces a network that cannot be built.
    pub fn new(game: &Arc<Game>) -> Result<Reasoner, BuildError> {
        Build::default().reasoner(game)
    }

    /// A reasoner on the interpreter of `game`.
    pub fn interpreter(game: &Arc<Game>) -> Reasoner {
        Reasoner::of(Interpreter::new(game).into())
    }

    /// A reasoner on the network `machine`.
    pub fn network(machine: PropNetMachine) -> Reasoner {
        Reasoner::of(machine.into())
    }

    /// A reasoner on the compiled evaluator `machine`.
    pub fn compiled(machine: CompiledMachine) -> Reasoner {
        Reasoner::of(machine.into())
    }

    /// A reasoner on the interpreter of `game`. When [`Reasoner::poll`] finds that the network of `build` is
    /// ready, the network takes over.
    ///
    /// # Errors
    /// When the building thread cannot be started.
    ///
    /// # Examples
    /// ```
    /// use ggp::{Build, Deadline, Reasoner, StateMachine, StopToken};
    /// let game = ggp::parse("(role a) (legal a go) (next done) (<= terminal (true done)) (goal a 100)")?;
    /// let mut reasoner = Reasoner::in_background(&game, &Build::default()).unwrap();
    /// let state = reasoner.initial_state()?;
    /// let was_building = reasoner.is_building();
    /// assert_eq!(reasoner.wait(Deadline::never(), &StopToken::new()), was_building);
    /// assert_eq!(reasoner.name(), "propnet");
    /// assert!(!reasoner.is_terminal(&state)?, "a state from before is still valid");
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn in_background(game: &Arc<Game>, build: &Build) -> std::io::Result<Reasoner> {
        Ok(Reasoner::replaced_by(game, build.begin(game)?))
    }

    /// A reasoner on the interpreter of `game`, until the network of `coming` is ready.
    pub fn replaced_by(game: &Arc<Game>, coming: BackgroundBuild) -> Reasoner {
        let mut reasoner = Reasoner { coming: Some(coming), ..Reasoner::interpreter(game) };
        reasoner.poll();
        reasoner
    }

    fn of_built(built: BuiltMachine) -> Reasoner {
        Reasoner { fallback: built.instead_of, ..Reasoner::of(built.machine) }
    }

    fn of(machine: Machine) -> Reasoner {
        Reasoner { machine, previous: None, coming: None, fallback: None, stop: StopToken::new() }
    }

    /// The name that [`StateMachine::name`] gives for the interpreter.
    pub const INTERPRETER: &str = "datalog";

    /// Whether this reasoner runs on the network.
    pub fn is_network(&self) -> bool {
        matches!(self.machine, Machine::Network(_))
    }

    /// The reason why the compiled evaluator or the interpreter evaluates the game although a network was wanted.
    /// [`Reasoner::name`](StateMachine::name) tells which of them does. `None` if the network evaluates it, if the
    /// network is still being built, or if it was not wanted.
    pub fn fallback(&self) -> Option<&BuildError> {
        self.fallback.as_ref()
    }

    /// Whether a network is being built that will take over if the build succeeds.
    pub fn is_building(&self) -> bool {
        self.coming.is_some()
    }

    /// Changes over to the network if the network has become ready. Returns whether the change was made. The
    /// change makes all earlier moves invalid. States stay valid.
    pub fn poll(&mut self) -> bool {
        let built = self.coming.as_ref().and_then(BackgroundBuild::machine);
        built.is_some_and(|built| self.take_over(built))
    }

    /// Waits for the network until `deadline` or until `stop` is raised. Changes over to the network if it is
    /// ready by then. Returns whether the change was made.
    pub fn wait(&mut self, deadline: Deadline, stop: &StopToken) -> bool {
        let built = self.coming.as_ref().and_then(|coming| coming.wait_for_machine(deadline, stop));
        built.is_some_and(|built| self.take_over(built))
    }

    fn take_over(&mut self, built: Built) -> bool {
        self.coming = None;
        let mut machine = match built {
            Ok(BuiltMachine { machine: Machine::Interpreter(_), .. }) => return false,
            Ok(BuiltMachine { machine, instead_of }) => {
                self.fallback = instead_of;
                machine
            }
            Err(why) => {
                self.fallback = Some(why);
                return false;
            }
        };
        with_machine!(&mut machine, |machine| machine.interrupt_on(&self.stop));
        match std::mem::replace(&mut self.machine, machine) {
            Machine::Interpreter(interpreter) => self.previous = Some(interpreter),
            Machine::Compiled(_) | Machine::Network(_) => {}
        }
        true
    }

    /// Runs `work` with a clone of the concrete machine, for code that evaluates many states.
    pub fn with<W: WithMachine>(&self, work: W) -> W::Output {
        with_machine!(&self.machine, |machine| work.run(machine.as_ref().clone()))
    }

    /// The network on which this reasoner runs. `None` if the reasoner runs on another machine.
    pub fn as_network(&self) -> Option<&PropNetMachine> {
        match &self.machine {
            Machine::Network(machine) => Some(machine),
            Machine::Interpreter(_) | Machine::Compiled(_) => None,
        }
    }

    /// A referee that evaluates the rules of matches with this machine.
    pub fn referee(&self) -> Box<dyn Referee> {
        struct MakeReferee;

        impl WithMachine for MakeReferee {
            type Output = Box<dyn Referee>;

            fn run<M: Playouts + 'static>(self, machine: M) -> Box<dyn Referee> {
                Box::new(MachineReferee::new(machine))
            }
        }

        self.with(MakeReferee)
    }

    fn owns(&self, state: &State) -> bool {
        matches!(
            (&self.machine, &state.0),
            (Machine::Interpreter(_), AnyState::Interpreter(_))
                | (Machine::Compiled(_), AnyState::Compiled(_))
                | (Machine::Network(_), AnyState::Network(_))
        )
    }

    /// Converts `state` to a state of this machine. The state was made by the previous machine of this
    /// reasoner, or by a machine of one of the reasoner's clones.
    fn convert(&mut self, state: &State) -> Result<State, EvalError> {
        let mut facts = Vec::new();
        if let (AnyState::Interpreter(own), Some(previous)) = (&state.0, &mut self.previous) {
            previous.facts(own, &mut facts)?;
        } else {
            // A clone has changed over to the other machine before this reasoner.
            let built = self.coming.as_ref().and_then(BackgroundBuild::machine);
            match (&state.0, built.and_then(Result::ok).map(|built| built.machine)) {
                (AnyState::Network(own), Some(Machine::Network(mut machine))) => {
                    machine.facts(own, &mut facts)?;
                }
                (AnyState::Compiled(own), Some(Machine::Compiled(mut machine))) => {
                    machine.facts(own, &mut facts)?;
                }
                _ => return Err(EvalError::ForeignState),
            }
        }
        self.state_of(&facts)
    }

    /// Copies of `states` for this machine. States that another machine made are converted.
    fn owned(&mut self, states: &[State]) -> Result<Vec<State>, EvalError> {
        let mut own = Vec::with_capacity(states.len());
        for state in states {
            own.push(if self.owns(state) { state.clone() } else { self.convert(state)? });
        }
        Ok(own)
    }
}

impl StateMachine for Reasoner {
    type State = State;

    fn game(&self) -> &Arc<Game> {
        with_machine!(&self.machine, |machine| machine.game())
    }

    fn name(&self) -> &'static str {
        with_machine!(&self.machine, |machine| machine.name())
    }

    fn initial_state(&mut self) -> Result<State, EvalError> {
        Ok(State(match &mut self.machine {
            Machine::Interpreter(machine) => AnyState::Interpreter(machine.initial_state()?),
            Machine::Compiled(machine) => AnyState::Compiled(machine.initial_state()?),
            Machine::Network(machine) => AnyState::Network(machine.initial_state()?),
        }))
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, EvalError> {
        with_state!(self, state, |machine, own| machine.is_terminal(own))
    }

    fn legal_moves(&mut self, state: &State, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError> {
        with_state!(self, state, |machine, own| machine.legal_moves(own, role, out))
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, EvalError> {
        let converted;
        let state = if self.owns(state) {
            state
        } else {
            converted = self.convert(state)?;
            &converted
        };
        Ok(State(match (&mut self.machine, &state.0) {
            (Machine::Interpreter(machine), AnyState::Interpreter(own)) => {
                AnyState::Interpreter(machine.next_state(own, joint)?)
            }
            (Machine::Compiled(machine), AnyState::Compiled(own)) => {
                AnyState::Compiled(machine.next_state(own, joint)?)
            }
            (Machine::Network(machine), AnyState::Network(own)) => {
                AnyState::Network(machine.next_state(own, joint)?)
            }
            _ => unreachable!("`convert` gives a state of this machine"),
        }))
    }

    fn goals(&mut self, state: &State, out: &mut [Goals]) -> Result<(), EvalError> {
        with_state!(self, state, |machine, own| machine.goals(own, out))
    }

    fn facts(&mut self, state: &State, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        with_state!(self, state, |machine, own| machine.facts(own, out))
    }

    fn state_of(&mut self, facts: &[Fact]) -> Result<State, EvalError> {
        Ok(State(match &mut self.machine {
            Machine::Interpreter(machine) => AnyState::Interpreter(machine.state_of(facts)?),
            Machine::Compiled(machine) => AnyState::Compiled(machine.state_of(facts)?),
            Machine::Network(machine) => AnyState::Network(machine.state_of(facts)?),
        }))
    }

    fn percepts(
        &mut self,
        state: &State,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError> {
        with_state!(self, state, |machine, own| machine.percepts(own, joint, role, out))
    }

    fn heap_bytes(&self, state: &State) -> usize {
        match (&self.machine, &state.0) {
            (Machine::Interpreter(machine), AnyState::Interpreter(own)) => machine.heap_bytes(own),
            (Machine::Compiled(machine), AnyState::Compiled(own)) => machine.heap_bytes(own),
            (Machine::Network(machine), AnyState::Network(own)) => machine.heap_bytes(own),
            _ => 0,
        }
    }

    fn move_text(&self, mv: Move) -> &str {
        with_machine!(&self.machine, |machine| machine.move_text(mv))
    }

    fn parse_move(&mut self, text: &str) -> Option<Move> {
        with_machine!(&mut self.machine, |machine| machine.parse_move(text))
    }

    fn has_many_moves(&self) -> bool {
        with_machine!(&self.machine, |machine| machine.has_many_moves())
    }

    fn release_moves(&mut self) {
        with_machine!(&mut self.machine, |machine| machine.release_moves());
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        self.stop = stop.clone();
        with_machine!(&mut self.machine, |machine| machine.interrupt_on(stop));
    }
}

impl Batches for Reasoner {
    fn lanes(&self) -> usize {
        with_machine!(&self.machine, |machine| machine.lanes())
    }

    fn playouts(
        &mut self,
        starts: &[State],
        plan: PlayoutPlan,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> Result<(), EvalError> {
        let starts = self.owned(starts)?;
        match &mut self.machine {
            Machine::Interpreter(machine) => {
                let own =
                    |state: State| if let AnyState::Interpreter(own) = state.0 { Some(own) } else { None };
                machine.playouts(&starts.into_iter().filter_map(own).collect::<Vec<_>>(), plan, sink)
            }
            Machine::Compiled(machine) => {
                let own = |state: State| if let AnyState::Compiled(own) = state.0 { Some(own) } else { None };
                machine.playouts(&starts.into_iter().filter_map(own).collect::<Vec<_>>(), plan, sink)
            }
            Machine::Network(machine) => {
                let own = |state: State| if let AnyState::Network(own) = state.0 { Some(own) } else { None };
                machine.playouts(&starts.into_iter().filter_map(own).collect::<Vec<_>>(), plan, sink)
            }
        }
    }
}

impl Hints for Reasoner {}
