//! The one place that knows which machines there are: from a game to whatever evaluates it.
//!
//! Everything else in this crate is generic over the machine, by [`WithMachine`].

use clap::ValueEnum;
use ggp_game::{Game, Interpreter, Player, Playouts};
use ggp_search::{MctsPlayer, PlayerSpec, RandomPlayer};
use std::sync::Arc;

/// What evaluates the rules, as asked for on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Choice {
    /// The fastest that can take the game
    #[default]
    Auto,
    /// The interpreter: bottom-up Datalog, the reference
    Datalog,
}

/// The option of every command that evaluates rules.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Reasoning {
    /// What evaluates the rules
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    reasoner: Choice,
}

impl Reasoning {
    /// Builds what was asked for.
    pub(crate) fn build(self, game: &Arc<Game>) -> Reasoner {
        match self.reasoner {
            Choice::Auto | Choice::Datalog => Reasoner::Datalog(Interpreter::new(game)),
        }
    }
}

/// A machine for one game, of any kind; cheap to clone machines from.
#[derive(Clone, Debug)]
pub(crate) enum Reasoner {
    Datalog(Interpreter),
}

/// Work that can be done with any kind of machine.
pub(crate) trait WithMachine {
    type Output;

    fn run<M: Playouts + 'static>(self, machine: M) -> Self::Output;
}

impl Reasoner {
    /// The name, as in `ggp bench --json`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Reasoner::Datalog(_) => "datalog",
        }
    }

    /// Does `work` with a machine of its own.
    pub(crate) fn with<W: WithMachine>(&self, work: W) -> W::Output {
        match self {
            Reasoner::Datalog(machine) => work.run(machine.clone()),
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

    fn run<M: Playouts + 'static>(self, machine: M) -> Box<dyn Player> {
        match self.0 {
            PlayerSpec::Mcts(options) => {
                Box::new(MctsPlayer::new(options, move |_, _, _| Ok(machine.clone())))
            }
            PlayerSpec::Random(options) => {
                Box::new(RandomPlayer::new(&options, move |_, _, _| Ok(machine.clone())))
            }
        }
    }
}
