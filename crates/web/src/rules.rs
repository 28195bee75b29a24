//! The interface between sessions and the rules of a game, independent of the state machine.
//!
//! States are facts and moves are text in this interface, so that a session can hold any game. All
//! sessions of a game share one machine; it evaluates a few states per move, the searches evaluate
//! clones.

use crate::engine::{Engine, SearchEngine};
use ggp_game::{EvalError, Fact, Goal, Goals, Playouts, StopToken};
use ggp_search::MctsOptions;

/// A state of a match, with what the players need to know about it.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// The facts of the state, sorted.
    pub facts: Vec<Fact>,
    /// The legal moves of each role; none in a terminal state.
    pub legal: Vec<Vec<String>>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The goals, in role order.
    pub goals: Vec<Goals>,
}

impl Moment {
    /// The score of each role: in a terminal state its result, before that its largest goal, if any.
    pub(crate) fn scores(&self) -> Vec<Option<u8>> {
        let counts = |goals: &Goals| if self.terminal { Some(goals.score()) } else { goals.largest() };
        self.goals.iter().map(|goals| counts(goals).map(Goal::value)).collect()
    }
}

/// The rules of a game.
pub trait Rules: Send {
    /// The initial state.
    ///
    /// # Errors
    /// The errors of the state machine.
    fn start(&mut self, stop: &StopToken) -> Result<Moment, EvalError>;

    /// The state after the legal joint move `joint` in the state of `facts`.
    ///
    /// # Errors
    /// The errors of the state machine.
    fn after(&mut self, facts: &[Fact], joint: &[String], stop: &StopToken) -> Result<Moment, EvalError>;

    /// A search with a memory limit of `memory` MiB.
    ///
    /// # Errors
    /// The errors of the state machine.
    fn engine(&mut self, memory: usize, seed: u64) -> Result<Box<dyn Engine>, EvalError>;
}

/// [`Rules`] by a state machine.
#[derive(Clone, Debug)]
pub struct MachineRules<M>(M);

impl<M: Playouts + 'static> MachineRules<M> {
    /// The rules that `machine` evaluates.
    pub fn new(machine: M) -> MachineRules<M> {
        MachineRules(machine)
    }

    fn moment(&mut self, state: &M::State) -> Result<Moment, EvalError> {
        let machine = &mut self.0;
        let roles = machine.game().role_count();
        let mut moment = Moment { terminal: machine.is_terminal(state)?, ..Moment::default() };
        machine.facts(state, &mut moment.facts)?;
        moment.goals = vec![Goals::None; roles];
        machine.goals(state, &mut moment.goals)?;
        let mut legal = Vec::new();
        for role in machine.game().clone().roles() {
            legal.clear();
            if !moment.terminal {
                machine.legal_moves(state, role, &mut legal)?;
            }
            moment.legal.push(legal.iter().map(|&mv| machine.move_text(mv).to_owned()).collect());
        }
        Ok(moment)
    }
}

impl<M: Playouts + 'static> Rules for MachineRules<M> {
    fn start(&mut self, stop: &StopToken) -> Result<Moment, EvalError> {
        self.0.interrupt_on(stop);
        let state = self.0.initial_state()?;
        self.moment(&state)
    }

    fn after(&mut self, facts: &[Fact], joint: &[String], stop: &StopToken) -> Result<Moment, EvalError> {
        self.0.interrupt_on(stop);
        let state = self.0.state_of(facts)?;
        let joint = self.0.parse_legal_joint(&state, joint)?;
        let next = self.0.next_state(&state, &joint)?;
        self.moment(&next)
    }

    fn engine(&mut self, memory: usize, seed: u64) -> Result<Box<dyn Engine>, EvalError> {
        let options = MctsOptions { memory, seed: Some(seed), ..MctsOptions::default() };
        Ok(Box::new(SearchEngine::new(self.0.clone(), &options)?))
    }
}
