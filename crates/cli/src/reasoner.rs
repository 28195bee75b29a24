//! The one place that knows which machines there are: from a game to whatever evaluates it.
//!
//! Everything else in this crate is generic over the machine, by [`WithMachine`].

use crate::console;
use clap::ValueEnum;
use ggp_game::{Game, Interpreter, Player, Playouts, StopToken};
use ggp_propnet::{Cpu, GroundError, GroundLimits, PropNet, PropNetMachine};
use ggp_search::{MctsPlayer, PlayerSpec, RandomPlayer, Technique};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// How long `auto` tries to ground a game before it takes the interpreter: longer than nearly all
/// published games need, shorter than a person's patience.
pub(crate) const GROUNDING_TIME: Duration = Duration::from_secs(20);

/// How often a long grounding looks whether it should end.
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
    /// The network and nothing else.
    pub(crate) const NETWORK: Reasoning = Reasoning { reasoner: Choice::Propnet };

    /// Whether it is up to the game what evaluates it.
    pub(crate) fn is_auto(self) -> bool {
        self.reasoner == Choice::Auto
    }

    /// Builds what was asked for. Where `auto` falls back to the interpreter, one line on standard
    /// error says so and why.
    ///
    /// # Errors
    /// When a network was asked for and the game has none.
    pub(crate) fn build(self, game: &Arc<Game>) -> anyhow::Result<Reasoner> {
        self.build_within(&GroundLimits::default(), game, Cpu::detect(), &StopToken::new())
    }

    /// Builds what was asked for within `limits`, for a kind of processor that this one is; soon
    /// after `halt` is raised, whatever there is.
    ///
    /// # Errors
    /// When a network was asked for and the game has none.
    pub(crate) fn build_within(
        self,
        limits: &GroundLimits,
        game: &Arc<Game>,
        cpu: Cpu,
        halt: &StopToken,
    ) -> anyhow::Result<Reasoner> {
        let network = |time| {
            let net = ground_within(game, limits, time, halt)?;
            let machine = PropNetMachine::for_cpu(game, net, cpu).map_err(|error| error.to_string())?;
            Ok(Reasoner::Propnet(Box::new(machine)))
        };
        match self.reasoner {
            Choice::Datalog => Ok(Reasoner::datalog(game)),
            Choice::Propnet => {
                network(Duration::MAX).map_err(|why: String| anyhow::anyhow!("no network: {why}"))
            }
            Choice::Auto => Ok(network(GROUNDING_TIME).unwrap_or_else(|why| {
                console::say(&format!("using the interpreter: {why}"));
                Reasoner::datalog(game)
            })),
        }
    }
}

/// Grounds `game` within `time`, or says why not.
pub(crate) fn ground(game: &Arc<Game>, time: Duration) -> Result<PropNet, String> {
    ground_within(game, &GroundLimits::default(), time, &StopToken::new())
}

/// Grounds `game` within `limits` and `time`, or says why not; gives up soon after `halt` is raised.
fn ground_within(
    game: &Arc<Game>,
    limits: &GroundLimits,
    time: Duration,
    halt: &StopToken,
) -> Result<PropNet, String> {
    let (stop, began) = (StopToken::new(), Instant::now());
    if time.is_zero() {
        // No watchdog is quick enough for that.
        stop.stop();
    }
    // The watchdog ends with the sender, when the work is done.
    let (done, wait) = mpsc::channel::<()>();
    let watchdog = {
        let (stop, halt) = (stop.clone(), halt.clone());
        std::thread::spawn(move || {
            while wait.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                if halt.is_stopped() || began.elapsed() >= time {
                    stop.stop();
                }
            }
        })
    };
    let net = PropNet::ground(game, limits, &stop);
    drop(done);
    watchdog.join().map_err(|_| "the watchdog failed".to_owned())?;
    net.map_err(|error| match error {
        GroundError::Interrupted if !halt.is_stopped() => {
            format!("grounding took longer than {} s", time.as_secs_f64())
        }
        error => error.to_string(),
    })
}

/// A machine for one game, of any kind; cheap to clone machines from.
#[derive(Clone, Debug)]
pub(crate) enum Reasoner {
    Datalog(Box<Interpreter>),
    Propnet(Box<PropNetMachine>),
}

/// Work that can be done with any kind of machine.
pub(crate) trait WithMachine {
    type Output;

    fn run<M: Playouts + 'static>(self, machine: M) -> Self::Output;
}

impl Reasoner {
    /// The interpreter of `game`.
    pub(crate) fn datalog(game: &Arc<Game>) -> Reasoner {
        Reasoner::Datalog(Box::new(Interpreter::new(game)))
    }

    /// The name, as in `ggp bench --json`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Reasoner::Datalog(_) => "datalog",
            Reasoner::Propnet(_) => "propnet",
        }
    }

    /// Does `work` with a machine of its own.
    pub(crate) fn with<W: WithMachine>(&self, work: W) -> W::Output {
        match self {
            Reasoner::Datalog(machine) => work.run(machine.as_ref().clone()),
            Reasoner::Propnet(machine) => work.run(machine.as_ref().clone()),
        }
    }

    /// The player that `spec` describes, thinking with this.
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
                // Once for all matches, and before any clock runs.
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
