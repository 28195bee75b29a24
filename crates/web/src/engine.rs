//! A search that runs in slices, so that many searches share a few threads fairly.

use ggp::{
    Error, EvalError, Fact, Halt, Lesson, MctsOptions, Reasoner, Role, Search, SearchLimits, StopToken,
};
use ggp_game::SearchReport;
use std::time::Duration;

/// The result of one slice of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slice {
    /// The search is not finished and needs another slice.
    More,
    /// The search is finished: the goal of the role is proved, the game is over, or the tree is full.
    Done,
    /// The rules could not be evaluated; the text says why.
    Failed(String),
}

/// An engine: the search of one role in one session. It searches one position at a time.
pub(crate) struct Engine {
    search: Search,
    /// The facts of the position that the engine searches.
    at: Vec<Fact>,
}

impl Engine {
    /// An engine on the machine of `reasoner`, whose search takes at most `memory` MiB and uses `lesson`.
    pub(crate) fn new(
        reasoner: &Reasoner,
        lesson: Option<&Lesson>,
        memory: usize,
        seed: u64,
    ) -> Result<Engine, Error> {
        let options = MctsOptions { memory, seed: Some(seed), ..MctsOptions::default() };
        let mut search = Search::new(reasoner, &options)?;
        if let Some(lesson) = lesson {
            search.use_lesson(lesson)?;
        }
        let at = search.facts()?;
        Ok(Engine { search, at })
    }

    /// Makes the state with the facts `facts` the position to search. If `from` is given, it is the preceding
    /// state and the joint move that leads from there to the new position. If the engine's current position
    /// is that preceding state, the engine keeps the part of the tree below the joint move.
    pub(crate) fn turn_to(
        &mut self,
        facts: &[Fact],
        from: Option<(&[Fact], &[String])>,
        stop: &StopToken,
    ) -> Result<(), EvalError> {
        if self.at == facts {
            return Ok(());
        }
        self.search.interrupt_on(stop);
        match from {
            Some((before, joint)) if before == self.at => match self.search.advance(joint) {
                Ok(()) => {}
                Err(Error::Eval(error)) => return Err(error),
                Err(_) => self.search.restart(facts)?,
            },
            _ => self.search.restart(facts)?,
        }
        self.at = facts.to_vec();
        Ok(())
    }

    /// Searches for a move of `role` for about `time`, but does at most `iterations` iterations (`None` for no such limit).
    /// Does at least one iteration, unless `stop` is raised. `spent` is the share of the search for this move that is over,
    /// from 0 to 1.
    pub(crate) fn think(
        &mut self,
        role: Role,
        time: Duration,
        iterations: Option<u64>,
        spent: f64,
        stop: &StopToken,
    ) -> Slice {
        self.search.interrupt_on(stop);
        let began = self.search.iterations();
        let mut limits = SearchLimits::time(time).or_when(stop).for_role(role);
        limits.iterations = iterations;
        let mut halt = self.search.run_part_for_move(&limits, role, spent);
        if halt == Halt::Deadline && self.search.iterations() == began {
            // One iteration takes longer than a slice; complete one without a time limit.
            halt = self.search.run(&SearchLimits::iterations(1).or_when(stop).for_role(role));
        }
        match halt {
            Halt::Decided | Halt::Full => Slice::Done,
            Halt::Deadline | Halt::Iterations | Halt::Stopped | Halt::Failing(EvalError::Interrupted) => {
                Slice::More
            }
            Halt::Failing(error) => Slice::Failed(error.to_string()),
        }
    }

    /// The number of iterations of the search in the current position.
    pub(crate) fn iterations(&self) -> u64 {
        self.search.iterations()
    }

    /// The report of the search on the moves of `role`.
    pub(crate) fn report(&self, role: Role) -> SearchReport {
        self.search.report(role)
    }

    /// The best move that the search has found for `role`. `None` if it has found none.
    pub(crate) fn choose(&mut self, role: Role) -> Result<Option<String>, EvalError> {
        match self.search.best_move(role) {
            Ok(mv) => Ok(Some(mv)),
            Err(Error::Eval(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
