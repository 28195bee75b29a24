//! A player that plays uniformly at random.

use crate::observation::{not_started, observed};
use crate::options::RandomOptions;
use crate::player::MakeMachine;
use ggp_game::rng::Sequence;
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role, StateMachine, StopToken};
use std::sync::Arc;

/// Plays one role by uniform draws from its legal moves; also plays the chance role `random`.
///
/// ```
/// use ggp_game::{Clocks, Deadline, Game, Interpreter, Observation, Player, Role, StopToken};
/// use ggp_search::{RandomOptions, RandomPlayer};
/// use std::{sync::Arc, time::Duration};
///
/// let rules = "(role coin) (init up) (<= (legal coin (show ?side)) (side ?side)) (side heads) (side tails)
///     (<= (next (shown ?side)) (does coin (show ?side))) (<= terminal (not (true up)))
///     (<= (goal coin 100) (true (shown heads))) (<= (goal coin 0) (true (shown tails)))";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
/// let (stop, second) = (StopToken::new(), Duration::from_secs(1));
/// let clocks = Clocks { start: second, play: second };
/// let mut player = RandomPlayer::new(&RandomOptions { seed: Some(7) }, |game, _, _| Ok(Interpreter::new(game)));
/// player.start(&game, Role(0), clocks, Deadline::never(), &stop).unwrap();
/// let mv = player.play(Observation::Start, Deadline::never(), &stop).unwrap();
/// assert!(["(show heads)", "(show tails)"].contains(&mv.as_str()));
/// ```
pub struct RandomPlayer<M: StateMachine> {
    random: Sequence,
    make: MakeMachine<M>,
    current: Option<RunningMatch<M>>,
}

/// The player's data for its current match.
struct RunningMatch<M: StateMachine> {
    machine: M,
    state: M::State,
    role: Role,
}

impl<M: StateMachine> RandomPlayer<M> {
    /// Creates a player with `options`. `make` creates the player's machine for each match.
    pub fn new(
        options: &RandomOptions,
        make: impl FnMut(&Arc<Game>, Deadline, &StopToken) -> Result<M, PlayError> + Send + 'static,
    ) -> RandomPlayer<M> {
        RandomPlayer { random: Sequence::new(options.seed.unwrap_or(0)), make: Box::new(make), current: None }
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
        self.current = None;
        let mut machine = (self.make)(game, deadline, stop)?;
        let state = machine.initial_state()?;
        self.current = Some(RunningMatch { machine, state, role });
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        _deadline: Deadline,
        _stop: &StopToken,
    ) -> Result<String, PlayError> {
        let RunningMatch { machine, state, role } = self.current.as_mut().ok_or_else(not_started)?;
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
        Ok(machine.move_text(legal[self.random.below(legal.len())]).to_owned())
    }

    fn stop(&mut self, _seen: Observation<'_>) {
        self.current = None;
    }
}
