//! A player that learns its game when a match begins, as one that is served does.

use crate::entry;
use crate::reasoner::Reasoning;
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Report, Role, StopToken};
use ggp_propnet::{Cpu, GroundLimits};
use ggp_search::PlayerSpec;
use std::sync::Arc;

/// A specification, and the player made of it at the start of each match.
pub(crate) struct LatePlayer {
    spec: PlayerSpec,
    reasoning: Reasoning,
    limits: GroundLimits,
    player: Option<Box<dyn Player>>,
}

impl LatePlayer {
    /// A player that thinks within `limits`.
    pub(crate) fn new(spec: PlayerSpec, reasoning: Reasoning, limits: GroundLimits) -> LatePlayer {
        LatePlayer { spec, reasoning, limits, player: None }
    }
}

impl Player for LatePlayer {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        let reasoner = self.reasoning.build_within(&self.limits, game, Cpu::detect(), stop);
        let reasoner = reasoner.map_err(|error| PlayError::Unable(format!("{error:#}")))?;
        let mut player = entry::player(&reasoner, game, self.spec.clone());
        player.start(game, role, clocks, deadline, stop)?;
        self.player = Some(player);
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        match &mut self.player {
            Some(player) => player.play(seen, deadline, stop),
            None => Err(PlayError::Unable("no match has been started".to_owned())),
        }
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.player.as_mut().map_or(Ok(()), |player| player.observe(seen))
    }

    fn ponder(&mut self, stop: &StopToken) {
        if let Some(player) = &mut self.player {
            player.ponder(stop);
        }
    }

    fn report(&self) -> Option<Report> {
        self.player.as_ref()?.report()
    }

    fn stop(&mut self, seen: Observation<'_>) {
        if let Some(mut player) = self.player.take() {
            player.stop(seen);
        }
    }
}
