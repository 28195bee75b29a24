//! A state of a match, in the form that sessions store.
//!
//! States are facts and moves are texts here, so that a session can hold any game. All sessions of a game
//! share one reasoner. This reasoner evaluates a few states for each move. Searches use clones of it.

use ggp::{EvalError, Fact, Goal, Goals, StateMachine, StopToken};

/// A state of a match, with the information about it that the players need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moment {
    /// The facts of the state, sorted.
    pub(crate) facts: Vec<Fact>,
    /// The legal moves of each role. The lists are empty in a terminal state.
    pub(crate) legal: Vec<Vec<String>>,
    /// Whether the state is terminal.
    pub(crate) terminal: bool,
    /// The goals, in role order.
    pub(crate) goals: Vec<Goals>,
}

impl Moment {
    /// The initial state of the game of `reasoner`.
    pub(crate) fn initial<M: StateMachine>(reasoner: &mut M, stop: &StopToken) -> Result<Moment, EvalError> {
        reasoner.interrupt_on(stop);
        let state = reasoner.initial_state()?;
        Moment::of(reasoner, &state)
    }

    /// The state after the legal joint move `joint`.
    pub(crate) fn next<M: StateMachine>(
        &self,
        joint: &[String],
        reasoner: &mut M,
        stop: &StopToken,
    ) -> Result<Moment, EvalError> {
        reasoner.interrupt_on(stop);
        let state = reasoner.state_of(&self.facts)?;
        let joint = reasoner.parse_legal_joint(&state, joint)?;
        let next = reasoner.next_state(&state, &joint)?;
        Moment::of(reasoner, &next)
    }

    /// The state with the facts `facts`.
    #[cfg(test)]
    pub(crate) fn from_facts<M: StateMachine>(
        facts: &[Fact],
        reasoner: &mut M,
        stop: &StopToken,
    ) -> Result<Moment, EvalError> {
        reasoner.interrupt_on(stop);
        let state = reasoner.state_of(facts)?;
        Moment::of(reasoner, &state)
    }

    fn of<M: StateMachine>(reasoner: &mut M, state: &M::State) -> Result<Moment, EvalError> {
        let terminal = reasoner.is_terminal(state)?;
        let mut moment = Moment { terminal, facts: reasoner.facts_of(state)?, ..Moment::default() };
        moment.goals = reasoner.goals_of(state)?;
        for role in reasoner.game().clone().roles() {
            let legal = if terminal { Vec::new() } else { reasoner.legal_texts(state, role)? };
            moment.legal.push(legal);
        }
        Ok(moment)
    }

    /// The score of each role. In a terminal state it is the result. In other states it is the role's largest
    /// goal, or `None` if there is no goal.
    pub(crate) fn scores(&self) -> Vec<Option<u8>> {
        let counts = |goals: &Goals| if self.terminal { Some(goals.score()) } else { goals.largest() };
        self.goals.iter().map(|goals| counts(goals).map(Goal::value)).collect()
    }
}
