//! A search that runs in slices, so that many searches share a few threads fairly.

use ggp_game::{EvalError, Fact, Playouts, Role, SearchReport, StopToken};
use ggp_search::{Halt, Limits, MctsOptions, Search};
use std::time::Duration;

/// The result of one slice of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// The search can continue.
    More,
    /// The search is finished: the value is proved, or the tree is full.
    Done,
    /// The rules could not be evaluated; the text says why.
    Failed(String),
}

/// `Engine`: the search of one role in one session, about one position at a time.
pub trait Engine: Send {
    /// Sets the position to the state of `facts`. `from`, if given, is the preceding state and the joint
    /// move that led here; the subtree below that move is then kept.
    ///
    /// # Errors
    /// The errors of the state machine.
    fn turn_to(
        &mut self,
        facts: &[Fact],
        from: Option<(&[Fact], &[String])>,
        stop: &StopToken,
    ) -> Result<(), EvalError>;

    /// Searches for about `time`, with a limit of `iterations` if given. Makes at least one iteration,
    /// unless `stop` is raised.
    fn think(&mut self, role: Role, time: Duration, iterations: Option<u64>, stop: &StopToken) -> Slice;

    /// Number of iterations since [`Engine::turn_to`].
    fn iterations(&self, role: Role) -> u64;

    /// The search's report about the moves of `role`.
    fn report(&self, role: Role) -> SearchReport;

    /// The best move found for `role`; `None` if there is none.
    ///
    /// # Errors
    /// The errors of the state machine.
    fn choose(&mut self, role: Role) -> Result<Option<String>, EvalError>;
}

pub(crate) struct SearchEngine<M: Playouts> {
    search: Search<M>,
    at: Vec<Fact>,
    /// Number of iterations when the present position was set.
    before: u64,
}

impl<M: Playouts> SearchEngine<M> {
    pub(crate) fn new(machine: M, options: &MctsOptions) -> Result<SearchEngine<M>, EvalError> {
        let mut search = Search::new(machine, options)?;
        let mut at = Vec::new();
        let state = search.state().clone();
        search.machine().facts(&state, &mut at)?;
        Ok(SearchEngine { search, at, before: 0 })
    }
}

impl<M: Playouts> Engine for SearchEngine<M> {
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
                let joint = self.search.machine().parse_legal_joint(&state, joint)?;
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
            // One iteration takes longer than a slice; complete one without a time limit.
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

    fn report(&self, role: Role) -> SearchReport {
        let report = self.search.report(role);
        SearchReport { iterations: report.iterations.saturating_sub(self.before), ..report }
    }

    fn choose(&mut self, role: Role) -> Result<Option<String>, EvalError> {
        let mv = self.search.best_move(role)?;
        Ok(mv.map(|mv| self.search.machine().move_text(mv).to_owned()))
    }
}
