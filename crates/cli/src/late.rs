//! A player that learns its game when a match begins, as one that is served does.
//!
//! Where the start clock is too short for grounding, that goes on beside the match: the interpreter plays
//! until the network is there.

use crate::console;
use crate::entry;
use crate::reasoner::{GROUNDING_TIME, LOOK, Reasoner, Reasoning};
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Report, Role, StopToken};
use ggp_propnet::{Cpu, GroundLimits};
use ggp_search::PlayerSpec;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// One part in so many of the start clock is the interpreter's, where the network is not there before.
const INTERPRETERS_PART: u32 = 5;

/// The stack of the thread that grounds, as of those of players.
const STACK: usize = 4 << 20;

/// A player that thinks with a network, not started yet, or why there is none.
type Built = Result<Box<dyn Player>, String>;

/// Builds such a player; gives up soon after the flag is raised.
type Build = Arc<dyn Fn(&Arc<Game>, &StopToken) -> Built + Send + Sync>;

/// A specification, and the player made of it at the start of each match.
pub(crate) struct LatePlayer {
    spec: PlayerSpec,
    reasoning: Reasoning,
    limits: GroundLimits,
    build: Build,
    seat: Option<Seat>,
}

/// A match under way.
struct Seat {
    game: Arc<Game>,
    role: Role,
    clocks: Clocks,
    player: Box<dyn Player>,
    /// The one that takes over when it is ready, and all joint moves until then.
    coming: Option<Coming>,
    joints: Vec<Vec<String>>,
}

/// A player that is being built by another thread, which gives up when this is dropped.
struct Coming {
    built: Receiver<Built>,
    halt: StopToken,
}

impl Coming {
    /// # Errors
    /// Where the system has no thread to give.
    fn begin(build: &Build, game: &Arc<Game>) -> std::io::Result<Coming> {
        let (send, built) = channel();
        let halt = StopToken::new();
        let (build, game, raised) = (Arc::clone(build), Arc::clone(game), halt.clone());
        thread::Builder::new().name("ground".to_owned()).stack_size(STACK).spawn(move || {
            // Whoever waited may be gone.
            let _ = send.send(build(&game, &raised));
        })?;
        Ok(Coming { built, halt })
    }

    /// What has become of it by `deadline`, or by the time that `stop` is raised; `None` if it is still being
    /// built.
    fn wait(&self, deadline: Deadline, stop: &StopToken) -> Option<Built> {
        loop {
            let left = deadline.remaining().unwrap_or(LOOK).min(LOOK);
            match self.built.recv_timeout(left) {
                Ok(built) => return Some(built),
                Err(RecvTimeoutError::Disconnected) => return Some(Err("grounding failed".to_owned())),
                Err(RecvTimeoutError::Timeout) if stop.is_stopped() || deadline.is_over() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.halt.stop();
    }
}

impl LatePlayer {
    /// A player that thinks within `limits`.
    pub(crate) fn new(spec: PlayerSpec, reasoning: Reasoning, limits: GroundLimits) -> LatePlayer {
        let of_network = spec.clone();
        let build: Build = Arc::new(move |game, halt| {
            let reasoner = Reasoning::NETWORK.build_within(&limits, game, Cpu::detect(), halt);
            let reasoner = reasoner.map_err(|error| format!("{error:#}"))?;
            entry::player(&reasoner, game, of_network.clone()).map_err(|error| error.to_string())
        });
        LatePlayer { spec, reasoning, limits, build, seat: None }
    }

    /// A player that has not been started, and the one that may take over from it; within `deadline`.
    fn make(
        &self,
        game: &Arc<Game>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(Box<dyn Player>, Option<Coming>), PlayError> {
        let unable = |why: String| PlayError::Unable(why);
        if !self.reasoning.is_auto() {
            let reasoner = self.reasoning.build_within(&self.limits, game, Cpu::detect(), stop);
            let reasoner = reasoner.map_err(|error| unable(format!("{error:#}")))?;
            return Ok((self.player(&reasoner, game)?, None));
        }
        let coming = Coming::begin(&self.build, game).map_err(|error| unable(error.to_string()))?;
        let until = match deadline.remaining() {
            Some(left) => Deadline::after(left.saturating_sub(left / INTERPRETERS_PART)),
            None => Deadline::after(GROUNDING_TIME),
        };
        let began = Instant::now();
        let coming = match coming.wait(until, stop) {
            Some(Ok(player)) => return Ok((player, None)),
            Some(Err(why)) => {
                console::say(&format!("using the interpreter: {why}"));
                None
            }
            None => {
                let after = began.elapsed().as_secs_f64();
                console::say(&format!(
                    "using the interpreter until the game is grounded, after {after:.1} s"
                ));
                Some(coming)
            }
        };
        Ok((self.player(&Reasoner::datalog(game), game)?, coming))
    }

    fn player(&self, reasoner: &Reasoner, game: &Game) -> Result<Box<dyn Player>, PlayError> {
        let player = entry::player(reasoner, game, self.spec.clone());
        player.map_err(|error| PlayError::Unable(error.to_string()))
    }
}

impl Seat {
    /// Goes over to the network's player if that is ready.
    fn look(&mut self) {
        let at_once = Deadline::after(Duration::ZERO);
        let built = self.coming.as_ref().and_then(|coming| coming.wait(at_once, &StopToken::new()));
        let Some(built) = built else { return };
        self.coming = None;
        let joints = std::mem::take(&mut self.joints);
        let taken_over = built.and_then(|player| self.catch_up(player, &joints));
        match taken_over {
            Ok(player) => {
                console::say("the game is grounded");
                self.player = player;
            }
            Err(why) => console::say(&format!("going on with the interpreter: {why}")),
        }
    }

    /// Takes a player to where the match is; it thinks about that when it is asked next.
    fn catch_up(&self, mut player: Box<dyn Player>, joints: &[Vec<String>]) -> Built {
        let at_once = Deadline::after(Duration::ZERO);
        player
            .start(&self.game, self.role, self.clocks, at_once, &StopToken::new())
            .map_err(|error| error.to_string())?;
        for joint in joints {
            player.observe(Observation::Moves(joint)).map_err(|error| error.to_string())?;
        }
        Ok(player)
    }

    /// Keeps what is seen for the player to come.
    fn note(&mut self, seen: Observation<'_>) {
        match seen {
            Observation::Moves(joint) if self.coming.is_some() => self.joints.push(joint.to_vec()),
            // What one role sees is told once, to a player that was there from the start.
            Observation::Percepts { .. } => self.coming = None,
            _ => {}
        }
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
        self.seat = None;
        let (mut player, coming) = self.make(game, deadline, stop)?;
        player.start(game, role, clocks, deadline, stop)?;
        let game = Arc::clone(game);
        self.seat = Some(Seat { game, role, clocks, player, coming, joints: Vec::new() });
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
        seat.look();
        seat.note(seen);
        seat.player.play(seen, deadline, stop)
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let Some(seat) = &mut self.seat else { return Ok(()) };
        seat.look();
        seat.note(seen);
        seat.player.observe(seen)
    }

    fn ponder(&mut self, stop: &StopToken) {
        if let Some(seat) = &mut self.seat {
            seat.look();
            seat.player.ponder(stop);
        }
    }

    fn report(&self) -> Option<Report> {
        self.seat.as_ref()?.player.report()
    }

    fn stop(&mut self, seen: Observation<'_>) {
        if let Some(mut seat) = self.seat.take() {
            seat.player.stop(seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Build, LatePlayer};
    use crate::entry;
    use crate::reasoner::Reasoning;
    use ggp_game::{
        Clocks, Deadline, Game, Interpreter, Observation, PlayError, Player, Role, StateMachine, StopToken,
    };
    use ggp_propnet::{Cpu, GroundLimits};
    use ggp_search::PlayerSpec;
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    const CLOCK: Duration = Duration::from_millis(100);

    fn nim() -> Arc<Game> {
        let description = ggp_gdl::parse(include_bytes!("../../../games/nim.kif")).expect("rules");
        Arc::new(Game::new(description).expect("a game"))
    }

    /// A player whose network is built when it is told to be, or is not to be had.
    fn player(told: Receiver<Result<(), String>>) -> LatePlayer {
        let spec: PlayerSpec = "mcts:seed=1".parse().expect("a player");
        let (of_network, told) = (spec.clone(), Mutex::new(told));
        let build: Build = Arc::new(move |game, halt| {
            told.lock().unwrap().recv().map_err(|_| "nobody waits".to_owned())??;
            let limits = GroundLimits::default();
            let reasoner = Reasoning::NETWORK.build_within(&limits, game, Cpu::detect(), halt);
            Ok(entry::player(&reasoner.unwrap(), game, of_network.clone()).unwrap())
        });
        LatePlayer { build, ..LatePlayer::new(spec, Reasoning::default(), GroundLimits::default()) }
    }

    /// Plays the first role's match, in which the other takes what it can first; `each` sees the player before
    /// every move but the first.
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
                return;
            }
            let _ = tell.send(Ok(()));
            while is_waiting(player) {
                std::thread::sleep(Duration::from_millis(2));
                player.seat.as_mut().unwrap().look();
            }
        })
        .unwrap();
        assert!(moves >= 3 && !is_waiting(&player));
    }

    #[test]
    fn without_a_network_the_interpreter_plays_to_the_end() {
        let (tell, told) = channel();
        tell.send(Err("too large".to_owned())).unwrap();
        let mut player = player(told);
        play(&mut player, |player| assert!(!is_waiting(player))).unwrap();
    }

    #[test]
    fn grounding_ends_with_the_match() {
        let (tell, told) = channel();
        let mut late = player(told);
        play(&mut late, |player| assert!(is_waiting(player))).unwrap();
        let halt = late.seat.as_ref().unwrap().coming.as_ref().unwrap().halt.clone();
        assert!(!halt.is_stopped());
        late.stop(Observation::Start);
        assert!(halt.is_stopped());
        drop(tell);
    }
}
