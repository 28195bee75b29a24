//! The match that a tree-search player is playing.

use crate::learn::Learner;
use crate::limits::Limits;
use crate::options::MctsOptions;
use crate::search::{RunCounts, Search};
use ggp_game::{Clocks, Deadline, Draft, EvalError, Move, PlayError, Playouts, Role, StopToken};
use std::collections::VecDeque;

/// Keeping the positions of the last search takes at most the clock divided by this number.
const WATCHED_PART: u32 = 10;

/// A player's data for its current match.
pub(crate) struct RunningMatch<M: Playouts> {
    pub(crate) search: LazySearch<M>,
    pub(crate) role: Role,
    pub(crate) clocks: Clocks,
    /// The observed joint moves, as texts, that the search has not applied yet. There can be several joint
    /// moves if the player was not asked for a move in between, or if the evaluation of one of them was
    /// interrupted.
    pub(crate) pending_moves: VecDeque<Vec<String>>,
    /// What learns from the searches of the match.
    pub(crate) learner: Option<Learner<M>>,
}

/// A search that is created once there is time to evaluate the initial state.
pub(crate) enum LazySearch<M: Playouts> {
    /// The search does not exist yet: so far the clock was too short to evaluate the initial state.
    Pending(Box<M>),
    /// The search exists and owns the machine.
    Created(Box<Search<M>>),
}

impl<M: Playouts> LazySearch<M> {
    /// The machine. The search owns it if the search exists.
    pub(crate) fn machine(&mut self) -> &mut M {
        match self {
            LazySearch::Pending(machine) => machine,
            LazySearch::Created(search) => search.machine(),
        }
    }

    /// Returns the search; creates it if necessary.
    ///
    /// # Errors
    /// The machine's errors; [`PlayError::TimedOut`] if the machine was interrupted.
    pub(crate) fn get_or_create(&mut self, options: &MctsOptions) -> Result<&mut Search<M>, PlayError> {
        if let LazySearch::Pending(machine) = self {
            let search = Search::new(machine.as_ref().clone(), options).map_err(play_error)?;
            *self = LazySearch::Created(Box::new(search));
        }
        match self {
            LazySearch::Created(search) => Ok(search),
            LazySearch::Pending(_) => Err(PlayError::TimedOut),
        }
    }

    /// The search; `None` if it does not exist yet.
    pub(crate) fn get(&mut self) -> Option<&mut Search<M>> {
        match self {
            LazySearch::Created(search) => Some(search),
            LazySearch::Pending(_) => None,
        }
    }
}

impl<M: Playouts> RunningMatch<M> {
    /// Applies all observed joint moves to the search, and searches until `clock`. Keeps `draft` up to date during the
    /// search. Returns the move to play.
    pub(crate) fn choose(
        &mut self,
        options: &MctsOptions,
        clock: Deadline,
        stop: &StopToken,
        draft: &Draft,
    ) -> Result<Move, PlayError> {
        let RunningMatch { search, role, clocks, pending_moves, learner } = self;
        let (search, iterations) = (search.get_or_create(options)?, options.iterations);
        if let Some(learner) = learner
            && !pending_moves.is_empty()
        {
            let part = clock.remaining().map(|left| left / WATCHED_PART);
            learner.watch(search, part.map_or_else(Deadline::never, Deadline::after));
        }
        while let Some(texts) = pending_moves.front() {
            // A machine may parse only the moves that it has listed before.
            search.choices(*role).map_err(play_error)?;
            let joint = search.machine().parse_joint(texts);
            if let Ok(joint) = &joint {
                search.advance(joint).map_err(play_error)?;
            }
            pending_moves.pop_front();
            joint?;
            if search.machine().has_many_moves() {
                search.renew().map_err(play_error)?;
            }
        }
        search.counts = RunCounts::default();
        if search.choices(*role).map_err(play_error)? > 1 {
            let untimed = iterations.is_none() && clock.0.is_none();
            let clock = if untimed { Deadline::after(clocks.play) } else { clock };
            let limits =
                Limits { iterations, ..Limits::default() }.until(clock).or_when(stop).for_role(*role);
            search.begin_draft(*role, draft);
            search.run_for_move(&limits, *role);
            search.end_draft();
        }
        search.best_move(*role).map_err(play_error)?.ok_or(PlayError::NoMove)
    }
}

/// Converts a machine error. An interrupted evaluation means that the clock has run out.
fn play_error(error: EvalError) -> PlayError {
    match error {
        EvalError::Interrupted => PlayError::TimedOut,
        other => PlayError::Eval(other),
    }
}
