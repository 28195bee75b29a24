//! A player that plays uniformly at random.

use crate::dice::Dice;
use crate::options::RandomOptions;
use crate::player::{MakeMachine, not_started, observed};
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role, StateMachine, StopToken};
use std::sync::Arc;

/// Plays one role by uniform draws from its legal moves; also plays the chance role `random`.
pub struct RandomPlayer<M: StateMachine> {
    dice: Dice,
    make: MakeMachine<M>,
    seat: Option<Seat<M>>,
}

/// `Seat`: the player's data for the current match.
struct Seat<M: StateMachine> {
    machine: M,
    state: M::State,
    role: Role,
}

impl<M: StateMachine> RandomPlayer<M> {
    /// Creates a player with `options` whose machines come from `make`.
    pub fn new(
        options: &RandomOptions,
        make: impl FnMut(&Arc<Game>, Deadline, &StopToken) -> Result<M, PlayError> + Send + 'static,
    ) -> RandomPlayer<M> {
        RandomPlayer { dice: Dice::new(options.seed.unwrap_or(0)), make: Box::new(make), seat: None }
    }
}

impl<M: StateMachine> Player for RandomPlayer<M> {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        _clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        self.seat = None;
        let mut machine = (self.make)(game, deadline, stop)?;
        let state = machine.initial_state()?;
        self.seat = Some(Seat { machine, state, role });
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        _deadline: Deadline,
        _stop: &StopToken,
    ) -> Result<String, PlayError> {
        let Seat { machine, state, role } = self.seat.as_mut().ok_or_else(not_started)?;
        if let Some(joint) = observed(machine, seen)? {
            *state = machine.next_state(state, &joint)?;
            if machine.has_many_moves() {
                machine.release_moves();
            }
        }
        let mut legal = Vec::new();
        machine.legal_moves(state, *role, &mut legal)?;
        if legal.is_empty() {
            return Err(PlayError::NoMove);
        }
        Ok(machine.move_text(legal[self.dice.below(legal.len())]).to_owned())
    }

    fn stop(&mut self, _seen: Observation<'_>) {
        self.seat = None;
    }
}
