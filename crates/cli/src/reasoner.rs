//! The options `--reasoner` and `--no-cache`, and the messages about the machine that it selects.

use crate::console;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use ggp::{Build, BuildError, Choice, NetworkCache, Notice, Reasoner, StateMachine};
use ggp_game::Game;
use ggp_propnet::Cpu;
use std::sync::Arc;

/// [`Choice`] as a value of the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct ChoiceValue(Choice);

impl ValueEnum for ChoiceValue {
    fn value_variants<'a>() -> &'a [ChoiceValue] {
        &[
            ChoiceValue(Choice::Auto),
            ChoiceValue(Choice::Datalog),
            ChoiceValue(Choice::Compiled),
            ChoiceValue(Choice::Propnet),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Choice::Auto => "The fastest that can take the game",
            Choice::Datalog => "The interpreter: bottom-up Datalog, the reference",
            Choice::Compiled => "The compiled evaluator: joins over integers, for games without a network",
            Choice::Propnet => "The propositional network: grounds the rules first",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// Parses the name of a class of processors. Refuses a class that this computer's processor does not support.
pub(crate) fn cpu(text: &str) -> Result<Cpu, String> {
    let Some(cpu) = Cpu::ALL.into_iter().find(|cpu| cpu.name() == text) else {
        let names = Cpu::ALL.map(Cpu::name).join(", ");
        return Err(format!("there is no such class of processors; the classes are {names}"));
    };
    let known = Cpu::available().contains(&cpu);
    if known { Ok(cpu) } else { Err(format!("this processor does not support {text}")) }
}

/// The environment variable that turns the cache off, unless it is empty.
const NO_CACHE: &str = "GGP_NO_CACHE";

/// The option `--reasoner`.
#[derive(Clone, Copy, Default, Debug, clap::Args)]
pub(crate) struct MachineOption {
    /// The state machine that evaluates the rules
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    reasoner: ChoiceValue,
}

/// The option of every command that builds networks and may keep them.
#[derive(Clone, Copy, Default, Debug, clap::Args)]
pub(crate) struct CacheOption {
    /// Neither read networks from the cache of built networks nor keep them there
    #[arg(long)]
    no_cache: bool,
}

impl CacheOption {
    /// The user's cache. `None` if the option, the environment variable `GGP_NO_CACHE` or the system says that
    /// there is none.
    pub(crate) fn cache(self) -> Option<NetworkCache> {
        let is_off = self.no_cache || std::env::var_os(NO_CACHE).is_some_and(|value| !value.is_empty());
        if is_off { None } else { NetworkCache::of_user() }
    }
}

/// The options of every command that evaluates rules.
#[derive(Clone, Copy, Default, Debug, clap::Args)]
pub(crate) struct Reasoning {
    #[command(flatten)]
    machine: MachineOption,
    #[command(flatten)]
    cache: CacheOption,
}

impl MachineOption {
    /// Builds the machine that the option selects. All other parameters of the build, such as its time limit,
    /// are those of `build`. If `auto` falls back to another machine, a line on standard error gives the reason.
    ///
    /// # Errors
    /// When a network or the compiled evaluator is required and cannot be built.
    pub(crate) fn build(self, game: &Arc<Game>, build: Build) -> anyhow::Result<Reasoner> {
        let built = Build { choice: self.reasoner.0, ..build }.reasoner(game);
        let reasoner = built.map_err(|why| match why {
            BuildError::Refused(_) => anyhow::anyhow!("{why}"),
            _ => anyhow::anyhow!("this game has no network: {why}"),
        })?;
        if let Some(why) = reasoner.fallback() {
            console::say(&fallback("this game", reasoner.name(), &why.to_string()));
        }
        Ok(reasoner)
    }
}

impl Reasoning {
    /// The machine that the option selects.
    pub(crate) fn choice(self) -> Choice {
        self.machine.reasoner.0
    }

    /// The user's cache of networks. `None` if it is not used.
    pub(crate) fn cache(self) -> Option<NetworkCache> {
        self.cache.cache()
    }

    /// The parameters of a build of the selected machine with the user's cache and a time limit for work in the
    /// background.
    pub(crate) fn long_build(self) -> Build {
        Build { choice: self.choice(), cache: self.cache(), ..Build::within(Build::LONG_TIME) }
    }

    /// Builds the selected machine, for work on many states: `auto` builds a network if the game can have
    /// one. If `auto` falls back to another machine, a line on standard error gives the reason.
    ///
    /// # Errors
    /// When a network or the compiled evaluator is required and cannot be built.
    pub(crate) fn build(self, game: &Arc<Game>) -> anyhow::Result<Reasoner> {
        self.machine.build(game, Build { cache: self.cache(), ..Build::default() })
    }

    /// Builds the selected machine for work on few states. Such work does not justify building a network, so
    /// `auto` selects the interpreter.
    ///
    /// # Errors
    /// When a network is required and the game has none.
    pub(crate) fn build_for_few_states(self, game: &Arc<Game>) -> anyhow::Result<Reasoner> {
        match self.choice() {
            Choice::Auto => Ok(Reasoner::interpreter(game)),
            Choice::Datalog | Choice::Compiled | Choice::Propnet => self.build(game),
        }
    }
}

/// The message that the machine with the name `machine` evaluates `game`. `why` is the reason why the game has no
/// network.
pub(crate) fn fallback(game: &str, machine: &str, why: &str) -> String {
    let machine = if machine == Reasoner::INTERPRETER { "interpreter" } else { "compiled evaluator" };
    format!("the {machine} evaluates {game}: {why}")
}

/// Prints a notice about the network that is built in the background. It is meant for people who watch a
/// match.
pub(crate) fn say(notice: Notice<'_>) {
    console::say(&match notice {
        Notice::Waiting => {
            "the interpreter plays until the network of this game is built; it is far weaker".to_owned()
        }
        Notice::Ready => "the network is built: the engine plays with it from here on".to_owned(),
        Notice::Compiled(why) => {
            format!("the compiled evaluator plays this game, weaker than a network would: {why}")
        }
        Notice::Unavailable(why) => {
            format!("the interpreter plays this game, far weaker than a network would: {why}")
        }
    });
}
