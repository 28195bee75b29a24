//! The choice of the state machine for a game.
//!
//! The other modules of this crate are generic over the machine, by [`WithMachine`].

use crate::console;
use crate::meter::ThreadClock;
use clap::ValueEnum;
use ggp_game::{EvalError, Game, Interpreter, Player, Playouts, StateMachine, StopToken};
use ggp_propnet::{Cpu, GroundError, GroundLimits, PropNet, PropNetMachine};
use ggp_search::{MctsPlayer, PlayerSpec, RandomPlayer, Technique};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// CPU time limit of a build that a user waits for. It is longer than nearly all published games need.
pub(crate) const BUILD_TIME: Duration = Duration::from_secs(20);

/// CPU time limit of a build in the background, or for a whole tournament.
pub(crate) const LONG_BUILD_TIME: Duration = Duration::from_secs(120);

/// Interval of the checks whether a build must end or has ended.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// What evaluates the rules, as asked for on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Choice {
    /// The fastest that can take the game
    #[default]
    Auto,
    /// The interpreter: bottom-up Datalog, the reference
    Datalog,
    /// The propositional network: grounds the rules first
    Propnet,
}

/// The option of every command that evaluates rules.
#[derive(Clone, Copy, Default, Debug, clap::Args)]
pub(crate) struct Reasoning {
    /// What evaluates the rules
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    reasoner: Choice,
}

impl Reasoning {
    /// The selected reasoner.
    pub(crate) fn choice(self) -> Choice {
        self.reasoner
    }

    /// Whether the interpreter may replace a network that cannot be built.
    pub(crate) fn falls_back(self) -> bool {
        self.reasoner != Choice::Propnet
    }

    /// Builds the selected reasoner, for work that needs the fastest machine. If `auto` falls back to the
    /// interpreter, a line on standard error gives the reason.
    ///
    /// # Errors
    /// When a network is required and the game has none.
    pub(crate) fn build(self, game: &Arc<Game>) -> anyhow::Result<Reasoner> {
        self.build_with(game, &Build::within(BUILD_TIME))
    }

    /// Builds the selected reasoner with the parameters `build`.
    ///
    /// # Errors
    /// When a network is required and the game has none.
    pub(crate) fn build_with(self, game: &Arc<Game>, build: &Build) -> anyhow::Result<Reasoner> {
        self.build_named("this game", game, build)
    }

    /// Builds the selected reasoner; messages call the game `name`.
    ///
    /// # Errors
    /// When a network is required and the game has none.
    pub(crate) fn build_named(self, name: &str, game: &Arc<Game>, build: &Build) -> anyhow::Result<Reasoner> {
        match self.reasoner {
            Choice::Datalog => Ok(Reasoner::datalog(game)),
            Choice::Propnet => {
                let build = Build { time: Duration::MAX, ..*build };
                let network = build.network(game, &StopToken::new());
                network.map_err(|why| anyhow::anyhow!("{name} has no network: {why}"))
            }
            Choice::Auto => Ok(build.network(game, &StopToken::new()).unwrap_or_else(|why| {
                console::say(&format!("the interpreter evaluates {name}: {why}"));
                Reasoner::datalog(game)
            })),
        }
    }

    /// Builds the selected reasoner, for work on few states, which does not justify a build: `auto`
    /// selects the interpreter.
    ///
    /// # Errors
    /// When a network is required and the game has none.
    pub(crate) fn build_for_few_states(self, game: &Arc<Game>) -> anyhow::Result<Reasoner> {
        match self.reasoner {
            Choice::Auto => Ok(Reasoner::datalog(game)),
            Choice::Datalog | Choice::Propnet => self.build(game),
        }
    }
}

/// The parameters of a build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Build {
    /// Limits of grounding.
    pub(crate) limits: GroundLimits,
    /// CPU time limit of grounding and compiling together.
    pub(crate) time: Duration,
    /// The kind of processor to compile for.
    pub(crate) cpu: Cpu,
    /// Whether to compile playouts with decisive moves too, so that the first search need not.
    pub(crate) decisive: bool,
}

/// The durations of the two parts of a build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildTimes {
    pub(crate) ground: Duration,
    pub(crate) compile: Duration,
}

impl Build {
    /// A build within `time`, with the default limits, for this processor.
    pub(crate) fn within(time: Duration) -> Build {
        Build { limits: GroundLimits::default(), time, cpu: Cpu::detect(), decisive: false }
    }

    /// Builds the network of `game`, or returns the reason why there is none. Ends soon after `halt` is
    /// raised.
    pub(crate) fn network(&self, game: &Arc<Game>, halt: &StopToken) -> Result<Reasoner, String> {
        let (machine, _) = self.timed_network(game, halt)?;
        Ok(Reasoner::Propnet(Box::new(machine)))
    }

    /// The same as [`Build::network`], with the durations.
    pub(crate) fn timed_network(
        &self,
        game: &Arc<Game>,
        halt: &StopToken,
    ) -> Result<(PropNetMachine, BuildTimes), String> {
        self.watched(halt, |stop| {
            let began = Instant::now();
            let net = self.ground_unless(game, stop, halt)?;
            let ground = began.elapsed();
            let began = Instant::now();
            let machine =
                PropNetMachine::compile(game, net, self.cpu, stop).map_err(|error| match error {
                    EvalError::Interrupted => self.why_interrupted(halt),
                    other => other.to_string(),
                })?;
            if self.decisive {
                machine.compile_decisive(stop);
            }
            Ok((machine, BuildTimes { ground, compile: began.elapsed() }))
        })
    }

    /// Grounds `game` without compiling it, or returns the reason why it cannot.
    pub(crate) fn ground(&self, game: &Arc<Game>) -> Result<PropNet, String> {
        let halt = StopToken::new();
        self.watched(&halt, |stop| self.ground_unless(game, stop, &halt))
    }

    fn ground_unless(&self, game: &Arc<Game>, stop: &StopToken, halt: &StopToken) -> Result<PropNet, String> {
        PropNet::ground(game, &self.limits, stop).map_err(|error| match error {
            GroundError::Interrupted => self.why_interrupted(halt),
            GroundError::TooLarge(_) => error.to_string(),
        })
    }

    fn why_interrupted(&self, halt: &StopToken) -> String {
        if halt.is_stopped() {
            return "building its network was stopped".to_owned();
        }
        format!("building its network takes more than {} s of CPU time", self.time.as_secs_f64())
    }

    /// Calls `work` with a token. A watchdog stops it when this thread has used its CPU time, or `halt`
    /// is raised.
    fn watched<T>(&self, halt: &StopToken, work: impl FnOnce(&StopToken) -> T) -> T {
        let stop = StopToken::new();
        if self.time.is_zero() {
            // The watchdog would notice this only after an interval.
            stop.stop();
        }
        let clock = ThreadClock::of_this_thread();
        // The watchdog thread ends when `done` is dropped after the work.
        let (done, wait) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let (stop, time) = (&stop, self.time);
            scope.spawn(move || {
                while wait.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                    if halt.is_stopped() || clock.elapsed() >= time {
                        stop.stop();
                    }
                }
            });
            let made = work(stop);
            drop(done);
            made
        })
    }
}

/// A state machine for one game, of either kind. [`Reasoner::with`] clones it.
#[derive(Clone, Debug)]
pub(crate) enum Reasoner {
    Datalog(Box<Interpreter>),
    Propnet(Box<PropNetMachine>),
}

/// Work that is generic over the machine.
pub(crate) trait WithMachine {
    type Output;

    fn run<M: Playouts + 'static>(self, machine: M) -> Self::Output;
}

impl Reasoner {
    /// The interpreter of `game`.
    pub(crate) fn datalog(game: &Arc<Game>) -> Reasoner {
        Reasoner::Datalog(Box::new(Interpreter::new(game)))
    }

    /// The name of the interpreter.
    pub(crate) const INTERPRETER: &str = "datalog";

    /// The name of the machine, as in `ggp bench --json`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Reasoner::Datalog(_) => Reasoner::INTERPRETER,
            Reasoner::Propnet(machine) => machine.name(),
        }
    }

    /// Runs `work` with a clone of the machine.
    pub(crate) fn with<W: WithMachine>(&self, work: W) -> W::Output {
        match self {
            Reasoner::Datalog(machine) => work.run(machine.as_ref().clone()),
            Reasoner::Propnet(machine) => work.run(machine.as_ref().clone()),
        }
    }

    /// The player that `spec` describes, with clones of this machine.
    pub(crate) fn player(&self, spec: PlayerSpec) -> Box<dyn Player> {
        self.with(MakePlayer(spec))
    }
}

struct MakePlayer(PlayerSpec);

impl WithMachine for MakePlayer {
    type Output = Box<dyn Player>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> Box<dyn Player> {
        match self.0 {
            PlayerSpec::Mcts(options) => {
                // Prepare once for all matches, before any clock runs.
                if options.has(Technique::Decisive) {
                    machine.prepare_decisive();
                }
                Box::new(MctsPlayer::new(options, move |_, _, _| Ok(machine.clone())))
            }
            PlayerSpec::Random(options) => {
                Box::new(RandomPlayer::new(&options, move |_, _, _| Ok(machine.clone())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILD_TIME, Build};
    use ggp_game::{Game, StopToken};
    use ggp_propnet::{Cpu, GroundLimits, PropNet, PropNetMachine};
    use std::sync::Arc;
    use std::time::Duration;

    fn nim() -> Arc<Game> {
        let description = ggp_gdl::parse(include_bytes!("../../../games/nim.kif")).expect("rules");
        Arc::new(Game::new(description).expect("a game"))
    }

    #[test]
    fn a_build_ends_with_its_time_or_when_it_is_halted() {
        let (game, halt) = (nim(), StopToken::new());
        assert!(Build::within(BUILD_TIME).network(&game, &halt).is_ok());
        let late = Build::within(Duration::ZERO).network(&game, &halt).unwrap_err();
        assert_eq!(late, "building its network takes more than 0 s of CPU time");
    }

    #[test]
    fn compiling_can_be_stopped_too() {
        let (game, stop) = (nim(), StopToken::new());
        let net = PropNet::ground(&game, &GroundLimits::default(), &stop).expect("a network");
        stop.stop();
        let error = PropNetMachine::compile(&game, net, Cpu::detect(), &stop).unwrap_err();
        assert_eq!(error, ggp_game::EvalError::Interrupted);
    }
}
