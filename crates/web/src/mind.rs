//! A search that thinks in slices, so that many of them share a few threads fairly.

use crate::rules::joint_of;
use ggp_game::{EvalError, Fact, Playouts, Report, Role, StopToken};
use ggp_search::{Halt, Limits, MctsOptions, Search};
use std::time::Duration;

/// How far a slice came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// There is more to think about.
    More,
    /// Nothing more would come of it: the goal is proved.
    Done,
    /// The rules could not be evaluated.
    Failed(String),
}

/// Thinks about one position of a match at a time.
pub trait Mind: Send {
    /// Thinks about the state of `facts` from now on. `from`, if given, is the state before it and
    /// the joint move that led to it: what is known below that move is kept.
    ///
    /// # Errors
    /// Those of the machine.
    fn turn_to(
        &mut self,
        facts: &[Fact],
        from: Option<(&[Fact], &[String])>,
        stop: &StopToken,
    ) -> Result<(), EvalError>;

    /// Thinks for about `time`, and at most `iterations`; at least one iteration, unless `stop` is
    /// raised.
    fn think(&mut self, role: Role, time: Duration, iterations: Option<u64>, stop: &StopToken) -> Slice;

    /// Iterations since [`Mind::turn_to`].
    fn iterations(&self, role: Role) -> u64;

    /// What it thinks of `role`'s moves.
    fn report(&self, role: Role) -> Report;

    /// The move that it would make; `None` if there is none.
    ///
    /// # Errors
    /// Those of the machine.
    fn choose(&mut self, role: Role) -> Result<Option<String>, EvalError>;
}

pub(crate) struct SearchMind<M: Playouts> {
    search: Search<M>,
    at: Vec<Fact>,
    /// Iterations done before the present position was turned to.
    before: u64,
}

impl<M: Playouts> SearchMind<M> {
    pub(crate) fn new(machine: M, options: &MctsOptions) -> Result<SearchMind<M>, EvalError> {
        let mut search = Search::new(machine, options)?;
        let mut at = Vec::new();
        let state = search.state().clone();
        search.machine().facts(&state, &mut at)?;
        Ok(SearchMind { search, at, before: 0 })
    }
}

impl<M: Playouts> Mind for SearchMind<M> {
    fn turn_to(
        &mut self,
        facts: &[Fact],
        from: Option<(&[Fact], &[String])>,
        stop: &StopToken,
    ) -> Result<(), EvalError> {
        if self.at == facts {
            return Ok(());
        }
        self.search.machine().interrupt_on(stop);
        match from {
            Some((before, joint)) if before == self.at => {
                let state = self.search.state().clone();
                let joint = joint_of(self.search.machine(), &state, joint)?;
                self.search.advance(&joint)?;
            }
            _ => {
                let state = self.search.machine().state_of(facts)?;
                self.search.restart(state)?;
            }
        }
        self.at = facts.to_vec();
        self.before = self.search.report(Role(0)).iterations;
        Ok(())
    }

    fn think(&mut self, role: Role, time: Duration, iterations: Option<u64>, stop: &StopToken) -> Slice {
        self.search.machine().interrupt_on(stop);
        let began = self.iterations(role);
        let mut limits = Limits::time(time).or_when(stop).for_role(role);
        limits.iterations = iterations;
        let mut halt = self.search.run(&limits);
        if halt == Halt::Deadline && self.iterations(role) == began {
            // One iteration takes longer than a slice: it is thought through all the same.
            halt = self.search.run(&Limits::iterations(1).or_when(stop).for_role(role));
        }
        match halt {
            Halt::Decided | Halt::Full => Slice::Done,
            Halt::Failing(error) => Slice::Failed(error.to_string()),
            Halt::Deadline | Halt::Iterations | Halt::Stopped => Slice::More,
        }
    }

    fn iterations(&self, role: Role) -> u64 {
        self.search.report(role).iterations.saturating_sub(self.before)
    }

    fn report(&self, role: Role) -> Report {
        let report = self.search.report(role);
        Report { iterations: report.iterations.saturating_sub(self.before), ..report }
    }

    fn choose(&mut self, role: Role) -> Result<Option<String>, EvalError> {
        let mv = self.search.best_move(role)?;
        Ok(mv.map(|mv| self.search.machine().move_text(mv).to_owned()))
    }
}
