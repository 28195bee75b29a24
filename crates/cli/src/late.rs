//! A player whose network is built during its match. The interpreter plays until the network is ready.

use crate::entry;
use crate::exit::UsageError;
use crate::preparation::Preparation;
use crate::reasoner::{Reasoner, Reasoning};
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Report, Role, StopToken};
use ggp_search::PlayerSpec;
use std::sync::Arc;
use std::time::Duration;

/// Divisor of the start clock: the last such part is left to the interpreter if the network is not ready.
const INTERPRETERS_PART: u32 = 5;

/// Divisor of the first move's clock: the move waits for the network for at most such a part. Most networks
/// are built in less time, and in the rest of the clock they search more than the interpreter in all of it.
const FIRST_WAIT: u32 = 2;

/// Starts the build of the network of a game, or returns a running one.
type Prepare = Arc<dyn Fn(&Arc<Game>) -> std::io::Result<Preparation> + Send + Sync>;

/// A specification, and the player made from it at the start of each match.
pub(crate) struct LatePlayer {
    spec: PlayerSpec,
    prepare: Prepare,
    /// Whether the interpreter may play.
    falls_back: bool,
    /// The game and the running build of a start that failed for lack of time. The next start continues
    /// it.
    begun: Option<(Arc<Game>, Preparation)>,
    seat: Option<Seat>,
}

/// A running match.
struct Seat {
    spec: PlayerSpec,
    game: Arc<Game>,
    role: Role,
    clocks: Clocks,
    player: Box<dyn Player>,
    /// The build of the network whose player takes over, and all joint moves until then.
    coming: Option<Preparation>,
    joints: Vec<Vec<String>>,
}

impl LatePlayer {
    /// A player that gets its network from `prepare`. Without `falls_back`, it cannot play games that
    /// have no network.
    pub(crate) fn new(
        spec: PlayerSpec,
        falls_back: bool,
        prepare: impl Fn(&Arc<Game>) -> std::io::Result<Preparation> + Send + Sync + 'static,
    ) -> LatePlayer {
        LatePlayer { spec, prepare: Arc::new(prepare), falls_back, begun: None, seat: None }
    }

    /// A player of `spec` in the game that `preparation` is for. A searching player is a [`LatePlayer`];
    /// any other uses the interpreter only.
    ///
    /// # Errors
    /// When the player does not support the game.
    pub(crate) fn seat(
        spec: PlayerSpec,
        reasoning: Reasoning,
        preparation: &Preparation,
        game: &Arc<Game>,
    ) -> Result<Box<dyn Player>, UsageError> {
        if let PlayerSpec::Random(_) = spec {
            return entry::player(&Reasoner::datalog(game), game, spec);
        }
        let preparation = preparation.clone();
        Ok(Box::new(LatePlayer::new(spec, reasoning.falls_back(), move |_| Ok(preparation.clone()))))
    }

    /// A player that has not started yet, and the build whose player may take over. Returns by
    /// `deadline`, unless the network is required.
    fn make(
        &mut self,
        game: &Arc<Game>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(Box<dyn Player>, Option<Preparation>), PlayError> {
        let preparation = match self.begun.take().filter(|(known, _)| Arc::ptr_eq(known, game)) {
            Some((_, preparation)) => preparation,
            None => (self.prepare)(game).map_err(|error| PlayError::Unable(error.to_string()))?,
        };
        self.begun = Some((Arc::clone(game), preparation.clone()));
        let until = match deadline.remaining() {
            _ if !self.falls_back => Deadline::never(),
            Some(left) => Deadline::after(left.saturating_sub(left / INTERPRETERS_PART)),
            None => Deadline::never(),
        };
        let player = |reasoner: &Reasoner| player(reasoner, game, &self.spec);
        match preparation.wait(until, stop) {
            Some(Ok(reasoner)) => Ok((player(&reasoner)?, None)),
            Some(Err(why)) if !self.falls_back => Err(PlayError::Unable(why)),
            None if !self.falls_back => Err(PlayError::TimedOut),
            Some(built) => {
                preparation.say_outcome(&built);
                Ok((player(&Reasoner::datalog(game))?, None))
            }
            None => Ok((player(&Reasoner::datalog(game))?, Some(preparation))),
        }
    }
}

impl Seat {
    /// Switches to the network if it is ready by `deadline`.
    fn look(&mut self, deadline: Deadline, stop: &StopToken) {
        let Some(preparation) = &self.coming else { return };
        let Some(built) = preparation.wait(deadline, stop) else {
            preparation.say_waiting();
            return;
        };
        preparation.say_outcome(&built);
        self.coming = None;
        let joints = std::mem::take(&mut self.joints);
        if let Ok(reasoner) = built {
            match self.catch_up(&reasoner, &joints) {
                Ok(player) => self.player = player,
                Err(error) => tracing::warn!(%error, "the interpreter goes on: the network cannot take over"),
            }
        }
    }

    /// A player with `reasoner` that is brought to the current state of the match. It does not search
    /// before its next turn.
    fn catch_up(&self, reasoner: &Reasoner, joints: &[Vec<String>]) -> Result<Box<dyn Player>, PlayError> {
        let mut player = player(reasoner, &self.game, &self.spec)?;
        let at_once = Deadline::after(Duration::ZERO);
        player.start(&self.game, self.role, self.clocks, at_once, &StopToken::new())?;
        for joint in joints {
            player.observe(Observation::Moves(joint))?;
        }
        Ok(player)
    }

    /// Records the observation for the player that takes over.
    fn note(&mut self, seen: Observation<'_>) {
        match seen {
            Observation::Moves(joint) if self.coming.is_some() => self.joints.push(joint.to_vec()),
            // Percepts are not recorded, so no player can take over in games with hidden information.
            Observation::Percepts { .. } => self.coming = None,
            _ => {}
        }
    }
}

fn player(reasoner: &Reasoner, game: &Game, spec: &PlayerSpec) -> Result<Box<dyn Player>, PlayError> {
    entry::player(reasoner, game, spec.clone()).map_err(|error| PlayError::Unable(error.to_string()))
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
        self.seat = None;
        let (mut player, coming) = self.make(game, deadline, stop)?;
        player.start(game, role, clocks, deadline, stop)?;
        let (spec, game) = (self.spec.clone(), Arc::clone(game));
        self.seat = Some(Seat { spec, game, role, clocks, player, coming, joints: Vec::new() });
        self.begun = None;
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let not_started = || PlayError::Unable("no match has been started".to_owned());
        let seat = self.seat.as_mut().ok_or_else(not_started)?;
        let wait = match (seen, deadline.remaining()) {
            (Observation::Start, Some(left)) => left / FIRST_WAIT,
            _ => Duration::ZERO,
        };
        seat.look(Deadline::after(wait), stop);
        seat.note(seen);
        seat.player.play(seen, deadline, stop)
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let Some(seat) = &mut self.seat else { return Ok(()) };
        seat.look(Deadline::after(Duration::ZERO), &StopToken::new());
        seat.note(seen);
        seat.player.observe(seen)
    }

    fn ponder(&mut self, stop: &StopToken) {
        if let Some(seat) = &mut self.seat {
            seat.look(Deadline::after(Duration::ZERO), stop);
            seat.player.ponder(stop);
        }
    }

    fn report(&self) -> Option<Report> {
        self.seat.as_ref()?.player.report()
    }

    fn reasoner(&self) -> Option<&'static str> {
        self.seat.as_ref()?.player.reasoner()
    }

    fn stop(&mut self, seen: Observation<'_>) {
        self.begun = None;
        if let Some(mut seat) = self.seat.take() {
            seat.player.stop(seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LatePlayer;
    use crate::preparation::Preparation;
    use crate::reasoner::{Build, LONG_BUILD_TIME};
    use ggp_game::{
        Clocks, Deadline, Game, Interpreter, Observation, PlayError, Player, Role, StateMachine, StopToken,
    };
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    const CLOCK: Duration = Duration::from_millis(100);

    fn nim() -> Arc<Game> {
        let description = ggp_gdl::parse(include_bytes!("../../../games/nim.kif")).expect("rules");
        Arc::new(Game::new(description).expect("a game"))
    }

    /// A player whose build waits for a message: `Ok` builds the network, `Err` makes the build fail.
    fn player(told: Receiver<Result<(), String>>) -> LatePlayer {
        let told = Arc::new(Mutex::new(told));
        LatePlayer::new("mcts:seed=1".parse().expect("a player"), true, move |game| {
            let (game, told) = (Arc::clone(game), Arc::clone(&told));
            Preparation::begin(move |halt| {
                told.lock().unwrap().recv().map_err(|_| "nobody waits".to_owned())??;
                Build::within(LONG_BUILD_TIME).network(&game, halt)
            })
        })
    }

    /// Plays a match as the first role; the second role makes its first legal move. `each` gets the
    /// player before every move but the first.
    fn play(player: &mut LatePlayer, mut each: impl FnMut(&mut LatePlayer)) -> Result<(), PlayError> {
        let (game, stop) = (nim(), StopToken::new());
        let mut machine = Interpreter::new(&game);
        let (mut state, mut legal) = (machine.initial_state().unwrap(), Vec::new());
        player.start(&game, Role(0), Clocks { start: CLOCK, play: CLOCK }, Deadline::after(CLOCK), &stop)?;
        let mut last: Option<Vec<String>> = None;
        while !machine.is_terminal(&state).unwrap() {
            if last.is_some() {
                each(player);
            }
            let seen = last.as_deref().map_or(Observation::Start, Observation::Moves);
            let text = player.play(seen, Deadline::after(CLOCK), &stop)?;
            machine.legal_moves(&state, Role(0), &mut legal).unwrap();
            let own = machine.parse_move(&text).expect("a move");
            assert!(legal.contains(&own), "{text} is not legal");
            machine.legal_moves(&state, Role(1), &mut legal).unwrap();
            let joint = [own, legal[0]];
            last = Some(joint.iter().map(|&mv| machine.move_text(mv).to_owned()).collect());
            state = machine.next_state(&state, &joint).unwrap();
        }
        Ok(())
    }

    fn is_waiting(player: &LatePlayer) -> bool {
        player.seat.as_ref().unwrap().coming.is_some()
    }

    #[test]
    fn the_interpreter_plays_until_the_network_is_there() {
        let (tell, told) = channel();
        let mut player = player(told);
        let mut moves = 0;
        play(&mut player, |player| {
            moves += 1;
            if moves < 3 {
                assert!(is_waiting(player));
                assert_eq!(player.reasoner(), Some("datalog"));
                return;
            }
            let _ = tell.send(Ok(()));
            while is_waiting(player) {
                std::thread::sleep(Duration::from_millis(2));
                player.seat.as_mut().unwrap().look(Deadline::after(Duration::ZERO), &StopToken::new());
            }
        })
        .unwrap();
        assert!(moves >= 3 && !is_waiting(&player));
        assert_eq!(player.reasoner(), Some("propnet"));
    }

    #[test]
    fn without_a_network_the_interpreter_plays_to_the_end() {
        let (tell, told) = channel();
        tell.send(Err("too large".to_owned())).unwrap();
        let mut player = player(told);
        play(&mut player, |player| assert!(!is_waiting(player))).unwrap();
    }

    #[test]
    fn a_network_that_is_asked_for_is_needed() {
        let (tell, told) = channel();
        tell.send(Err("too large".to_owned())).unwrap();
        let mut late = LatePlayer { falls_back: false, ..player(told) };
        let error = play(&mut late, |_| ()).unwrap_err();
        assert_eq!(error.to_string(), "too large");
    }

    #[test]
    fn a_repeated_start_goes_on_with_the_network_that_was_begun() {
        let game = nim();
        let builds = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&builds);
        let mut late = LatePlayer::new("mcts".parse().expect("a player"), false, move |game| {
            counted.fetch_add(1, Ordering::Relaxed);
            let game = Arc::clone(game);
            Preparation::begin(move |halt| Build::within(LONG_BUILD_TIME).network(&game, halt))
        });
        let (raised, clocks) = (StopToken::new(), Clocks { start: CLOCK, play: CLOCK });
        raised.stop();
        while let Err(error) = late.start(&game, Role(0), clocks, Deadline::after(CLOCK), &raised) {
            assert!(matches!(error, PlayError::TimedOut), "{error}");
        }
        assert_eq!(builds.load(Ordering::Relaxed), 1);
        late.start(&nim(), Role(0), clocks, Deadline::after(CLOCK), &StopToken::new()).unwrap();
        assert_eq!(builds.load(Ordering::Relaxed), 2, "another game");
    }

    #[test]
    fn building_ends_with_the_match() {
        let (tell, told) = channel();
        let mut late = LatePlayer::new("random".parse().expect("a player"), true, move |_| {
            let tell = tell.clone();
            Preparation::begin(move |halt| {
                while !halt.is_stopped() {
                    std::thread::yield_now();
                }
                tell.send(()).unwrap();
                Err("halted".to_owned())
            })
        });
        play(&mut late, |player| assert!(is_waiting(player))).unwrap();
        assert!(told.try_recv().is_err());
        late.stop(Observation::Start);
        told.recv_timeout(Duration::from_secs(60)).expect("the build has ended");
    }
}
