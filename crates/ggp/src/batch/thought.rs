//! The search of one role for its move in one lane.

use crate::batch_error::BatchError;
use crate::reasoner::{Reasoner, State};
use crate::search::Search;
use ggp_game::{Clocks, OwnedObservation, Role, StateMachine, StopToken, advice};
use ggp_search::{Limits, MctsOptions, PlayerSpec};
use std::time::Duration;

/// The knowledge of a role about a lane's episode.
pub(super) enum Known {
    /// The state.
    State(State),
    /// Its moves and percepts, in a game of hidden information.
    Observations(Vec<OwnedObservation>),
}

/// The search of one role for its move in one lane.
pub(super) struct Thought {
    lane: usize,
    known: Known,
    seed: u64,
    found: Result<String, BatchError>,
}

impl Thought {
    pub(super) fn new(lane: usize, known: Known, seed: u64) -> Thought {
        Thought { lane, known, seed, found: Ok(String::new()) }
    }

    /// The lane and the text of the move that was found.
    pub(super) fn found(self) -> Result<(usize, String), BatchError> {
        Ok((self.lane, self.found?))
    }

    /// Searches for the move of `role`.
    pub(super) fn think(
        &mut self,
        reasoner: &Reasoner,
        role: Role,
        options: &MctsOptions,
        iterations: u64,
        stop: &StopToken,
    ) {
        let options = MctsOptions { seed: Some(self.seed), threads: 1, ..options.clone() };
        let found = match &self.known {
            Known::State(state) => best_move(reasoner, state, role, &options, iterations, stop),
            Known::Observations(all) => advised(reasoner, all, role, options, stop),
        };
        self.found = found.map_err(|error| match error {
            crate::Error::Eval(error) => BatchError::Eval(error),
            error => BatchError::Opponents(error.to_string()),
        });
    }
}

fn best_move(
    reasoner: &Reasoner,
    state: &State,
    role: Role,
    options: &MctsOptions,
    iterations: u64,
    stop: &StopToken,
) -> Result<String, crate::Error> {
    let mut search = Search::from_state(reasoner, options, state)?;
    search.run_for_move(&Limits::iterations(iterations).or_when(stop), role);
    search.best_move(role)
}

fn advised(
    reasoner: &Reasoner,
    observations: &[OwnedObservation],
    role: Role,
    options: MctsOptions,
    stop: &StopToken,
) -> Result<String, crate::Error> {
    let mut player = reasoner.player(PlayerSpec::Mcts(options))?;
    let clocks = Clocks { start: Duration::MAX, play: Duration::MAX };
    let report = advice(player.as_mut(), (reasoner.game(), role), observations, clocks, stop)?;
    let chosen = report.candidates.into_iter().next();
    chosen
        .map(|chosen| chosen.mv)
        .ok_or_else(|| crate::Error::NoMove(reasoner.game().role_name(role).to_owned()))
}
