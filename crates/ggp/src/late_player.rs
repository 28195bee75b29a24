//! A player whose network is built during its match. The interpreter plays until the network is ready.

use crate::background::BackgroundBuild;
use crate::build::Choice;
use crate::reasoner::Reasoner;
use crate::spec::SuitError;
use ggp_game::{
    Clocks, Deadline, Draft, Game, Observation, PlayError, Player, Role, SearchReport, StopToken,
};
use ggp_search::PlayerSpec;
use std::sync::Arc;
use std::time::Duration;

/// At START, the player waits for the network until `1 / INTERPRETERS_PART` of the start clock is left. If
/// the network is not ready then, the interpreter gets the rest of the start clock.
const INTERPRETERS_PART: u32 = 5;

/// Before the first move, the player waits for the network for at most `1 / FIRST_WAIT` of the play clock.
/// Most networks are built in less time. In the rest of the clock, a search on the network does more
/// iterations than a search on the interpreter does in the whole clock.
const FIRST_WAIT: u32 = 2;

/// A function that starts to build the network of a game. If that build is running already, it returns the
/// running build.
type BeginBuild = Arc<dyn Fn(&Arc<Game>) -> std::io::Result<BackgroundBuild> + Send + Sync>;

/// A player whose network is built during its match. The build begins at START. The interpreter plays until
/// the network is ready, or to the end of the match if the network cannot be built.
pub struct LatePlayer {
    spec: PlayerSpec,
    begin: BeginBuild,
    /// Whether the interpreter may play. If `false`, the player waits for the network.
    falls_back: bool,
    /// The game of the last START and the build of its network, if the player was not ready in time. When
    /// START comes again for the same game, the player uses this build instead of a new one. `None` before
    /// the first START, after a START that succeeded, and after STOP.
    begun: Option<(Arc<Game>, BackgroundBuild)>,
    running: Option<RunningMatch>,
}

/// A match in progress.
struct RunningMatch {
    spec: PlayerSpec,
    game: Arc<Game>,
    role: Role,
    clocks: Clocks,
    player: Box<dyn Player>,
    /// The build of the network that will replace the interpreter when it is ready. `None` if the player will
    /// not change over: it uses the network already, or it keeps the interpreter to the end of the match.
    coming: Option<BackgroundBuild>,
    /// The joint moves made so far, as texts. They are recorded as long as `coming` is not `None`.
    joints: Vec<Vec<String>>,
}

impl LatePlayer {
    /// A player that gets its network from the build that `begin` starts. If `falls_back` is `false`, the
    /// player cannot play a game whose network cannot be built.
    pub fn new(
        spec: PlayerSpec,
        falls_back: bool,
        begin: impl Fn(&Arc<Game>) -> std::io::Result<BackgroundBuild> + Send + Sync + 'static,
    ) -> LatePlayer {
        LatePlayer { spec, begin: Arc::new(begin), falls_back, begun: None, running: None }
    }

    /// The player that `spec` describes, for the game `game`. `build` is the build of the network of `game`.
    /// A player that searches is a [`LatePlayer`]. Any other player uses the interpreter only.
    ///
    /// # Errors
    /// When the player does not support the game.
    pub fn in_game(
        spec: PlayerSpec,
        choice: Choice,
        build: &BackgroundBuild,
        game: &Arc<Game>,
    ) -> Result<Box<dyn Player>, SuitError> {
        if let PlayerSpec::Random(_) = spec {
            return Reasoner::interpreter(game).player(spec);
        }
        let build = build.clone();
        Ok(Box::new(LatePlayer::new(spec, choice.falls_back(), move |_| Ok(build.clone()))))
    }

    /// Makes the player with which the match begins, but does not start it. Also returns the build of the
    /// network that may take over later, or `None` if no network will take over. Returns by `deadline`,
    /// unless the network is required.
    fn make(
        &mut self,
        game: &Arc<Game>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(Box<dyn Player>, Option<BackgroundBuild>), PlayError> {
        let build = match self.begun.take().filter(|(known, _)| Arc::ptr_eq(known, game)) {
            Some((_, build)) => build,
            None => (self.begin)(game).map_err(|error| PlayError::Unable(error.to_string()))?,
        };
        self.begun = Some((Arc::clone(game), build.clone()));
        let until = match deadline.remaining() {
            _ if !self.falls_back => Deadline::never(),
            Some(left) => Deadline::after(left.saturating_sub(left / INTERPRETERS_PART)),
            None => Deadline::never(),
        };
        let player = |reasoner: &Reasoner| player(reasoner, &self.spec);
        match build.wait(until, stop) {
            Some(Ok(reasoner)) => Ok((player(&reasoner)?, None)),
            Some(Err(why)) if !self.falls_back => Err(PlayError::Unable(why.to_string())),
            None if !self.falls_back => Err(PlayError::TimedOut),
            Some(_) => {
                build.tell_outcome();
                Ok((player(&Reasoner::interpreter(game))?, None))
            }
            None => Ok((player(&Reasoner::interpreter(game))?, Some(build))),
        }
    }
}

impl RunningMatch {
    /// Changes over to the network if it is ready by `deadline`.
    fn switch_if_ready(&mut self, deadline: Deadline, stop: &StopToken) {
        let Some(build) = &self.coming else { return };
        let Some(built) = build.wait(deadline, stop) else {
            build.tell_waiting();
            return;
        };
        build.tell_outcome();
        self.coming = None;
        let joints = std::mem::take(&mut self.joints);
        if let Ok(reasoner) = built {
            match self.catch_up(&reasoner, &joints) {
                Ok(player) => self.player = player,
                Err(error) => tracing::warn!(%error, "the interpreter goes on: the network cannot take over"),
            }
        }
    }

    /// Makes a player on `reasoner` and brings it to the current state of the match by the joint moves
    /// `joints`. The player does not search before its next turn.
    fn catch_up(&self, reasoner: &Reasoner, joints: &[Vec<String>]) -> Result<Box<dyn Player>, PlayError> {
        let mut player = player(reasoner, &self.spec)?;
        let at_once = Deadline::after(Duration::ZERO);
        player.start(&self.game, self.role, self.clocks, at_once, &StopToken::new())?;
        for joint in joints {
            player.observe(Observation::Moves(joint))?;
        }
        Ok(player)
    }

    /// Records the joint move in `seen`, so that a player on the network can catch up when it takes over.
    fn record(&mut self, seen: Observation<'_>) {
        match seen {
            Observation::Moves(joint) if self.coming.is_some() => self.joints.push(joint.to_vec()),
            // Percepts are not recorded, so no player can take over in games with hidden information.
            Observation::Percepts { .. } => self.coming = None,
            _ => {}
        }
    }
}

fn player(reasoner: &Reasoner, spec: &PlayerSpec) -> Result<Box<dyn Player>, PlayError> {
    reasoner.player(spec.clone()).map_err(|error| PlayError::Unable(error.to_string()))
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
        self.running = None;
        let (mut player, coming) = self.make(game, deadline, stop)?;
        player.start(game, role, clocks, deadline, stop)?;
        let (spec, game) = (self.spec.clone(), Arc::clone(game));
        self.running = Some(RunningMatch { spec, game, role, clocks, player, coming, joints: Vec::new() });
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
        let running = self.running.as_mut().ok_or_else(not_started)?;
        let wait = match (seen, deadline.remaining()) {
            (Observation::Start, Some(left)) => left / FIRST_WAIT,
            _ => Duration::ZERO,
        };
        running.switch_if_ready(Deadline::after(wait), stop);
        running.record(seen);
        running.player.play(seen, deadline, stop)
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let Some(running) = &mut self.running else { return Ok(()) };
        running.switch_if_ready(Deadline::after(Duration::ZERO), &StopToken::new());
        running.record(seen);
        running.player.observe(seen)
    }

    fn draft(&self) -> Option<Draft> {
        self.running.as_ref()?.player.draft()
    }

    fn ponder(&mut self, stop: &StopToken) {
        if let Some(running) = &mut self.running {
            running.switch_if_ready(Deadline::after(Duration::ZERO), stop);
            running.player.ponder(stop);
        }
    }

    fn report(&self) -> Option<SearchReport> {
        self.running.as_ref()?.player.report()
    }

    fn reasoner(&self) -> Option<&'static str> {
        self.running.as_ref()?.player.reasoner()
    }

    fn stop(&mut self, seen: Observation<'_>) {
        self.begun = None;
        if let Some(mut running) = self.running.take() {
            running.player.stop(seen);
        }
    }

    fn abort(&mut self, seen: Observation<'_>) {
        self.begun = None;
        if let Some(mut running) = self.running.take() {
            running.player.abort(seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LatePlayer;
    use crate::background::BackgroundBuild;
    use crate::build::{Build, BuildError};
    use ggp_game::{
        Clocks, Deadline, Game, Interpreter, Observation, PlayError, Player, Role, StateMachine, StopToken,
    };
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    const CLOCK: Duration = Duration::from_millis(100);

    fn nim() -> Arc<Game> {
        crate::parse(include_str!("../../../games/nim.kif")).expect("a game")
    }

    /// A player whose build waits for a message in the channel `told`. After `Ok` the network is built; after
    /// `Err` the build fails.
    fn player(told: Receiver<Result<(), BuildError>>) -> LatePlayer {
        let told = Arc::new(Mutex::new(told));
        LatePlayer::new("mcts:seed=1".parse().expect("a player"), true, move |game| {
            let (game, told) = (Arc::clone(game), Arc::clone(&told));
            BackgroundBuild::run(move |halt| {
                told.lock().unwrap().recv().map_err(|_| BuildError::Failed)??;
                Build::within(Build::LONG_TIME).network(&game, halt).map(Into::into)
            })
        })
    }

    /// Plays a match as the first role. The second role makes its first legal move. Calls `each` with the player
    /// before every move except the first.
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
        player.running.as_ref().unwrap().coming.is_some()
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
                player
                    .running
                    .as_mut()
                    .unwrap()
                    .switch_if_ready(Deadline::after(Duration::ZERO), &StopToken::new());
            }
        })
        .unwrap();
        assert!(moves >= 3 && !is_waiting(&player));
        assert_eq!(player.reasoner(), Some("propnet"));
    }

    #[test]
    fn without_a_network_the_interpreter_plays_to_the_end() {
        let (tell, told) = channel();
        tell.send(Err(BuildError::TooLarge("too large".to_owned()))).unwrap();
        let mut player = player(told);
        play(&mut player, |player| assert!(!is_waiting(player))).unwrap();
    }

    #[test]
    fn a_network_that_is_asked_for_is_needed() {
        let (tell, told) = channel();
        tell.send(Err(BuildError::TooLarge("too large".to_owned()))).unwrap();
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
            BackgroundBuild::run(move |halt| {
                Build::within(Build::LONG_TIME).network(&game, halt).map(Into::into)
            })
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
            BackgroundBuild::run(move |halt| {
                while !halt.is_stopped() {
                    std::thread::yield_now();
                }
                tell.send(()).unwrap();
                Err(BuildError::Stopped)
            })
        });
        play(&mut late, |player| assert!(is_waiting(player))).unwrap();
        assert!(told.try_recv().is_err());
        late.stop(Observation::Start);
        told.recv_timeout(Duration::from_secs(60)).expect("the build has ended");
    }
}
