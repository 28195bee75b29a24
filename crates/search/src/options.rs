//! Player specifications such as `mcts:iterations=200,seed=7` or `random`, and the options that they set.

use crate::batch::Batch;
use crate::select::EXPLORATION;
use crate::setting::{self, Setting};
use crate::technique::{Technique, Techniques};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A player's specification: `NAME` or `NAME:OPTION=VALUE,…`.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerSpec {
    /// Monte-Carlo tree search.
    Mcts(MctsOptions),
    /// Uniformly random legal moves.
    Random(RandomOptions),
}

/// The options of [`crate::MctsPlayer`] and [`crate::Search`].
#[derive(Clone, Debug, PartialEq)]
pub struct MctsOptions {
    /// The number of iterations for each move; `None` for as many as the clock allows. The deadline still
    /// applies.
    pub iterations: Option<u64>,
    /// The memory bound of the tree in MiB.
    pub memory: usize,
    /// The exploration constant of UCT, for shares from 0 to 1.
    pub exploration: f64,
    /// The seed; `None` leaves the choice to the creator of the player.
    pub seed: Option<u64>,
    /// The time reserved at the end of each clock for sending the answer.
    pub margin: Duration,
    /// The size of the batches of playouts.
    pub batch: Batch,
    /// The number of threads that share the tree, from 1 to 64. Games of one role use one thread, and so do
    /// machines whose clones do not agree ([`ggp_game::Playouts::clones_agree`]). With more than one thread,
    /// equal seeds do not give equal searches.
    pub threads: usize,
    /// The weight of an arm's prior in visits (with [`Technique::History`]); `None` to fit the prior to the
    /// tree. A given weight also fixes the prior's slope at 1 and its offset at 0.
    pub belief: Option<f64>,
    /// The techniques used beyond plain UCT.
    pub techniques: Techniques,
}

/// The options of [`crate::RandomPlayer`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomOptions {
    /// The seed; `None` leaves the choice to the creator of the player.
    pub seed: Option<u64>,
}

/// An error in a player's specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no player of the name before the colon.
    #[error("there is no player `{0}`; known are {known}", known = PLAYERS.join(", "))]
    UnknownPlayer(String),
    /// The player has no such option.
    #[error("{player} has no option `{option}`; known are {known}", known = known.join(", "))]
    UnknownOption {
        /// The player's name.
        player: &'static str,
        /// The option given.
        option: String,
        /// The player's options.
        known: Vec<&'static str>,
    },
    /// The option does not accept the value.
    #[error("`{value}` is not a valid value for {option}; write {wanted}")]
    BadValue {
        /// The option.
        option: String,
        /// The value given.
        value: String,
        /// The values that the option accepts.
        wanted: &'static str,
    },
}

const PLAYERS: [&str; 3] = ["mcts", "uct", "random"];
impl Default for MctsOptions {
    fn default() -> MctsOptions {
        MctsOptions {
            iterations: None,
            memory: 512,
            exploration: EXPLORATION,
            seed: None,
            margin: Duration::from_millis(10),
            batch: Batch::default(),
            threads: 1,
            belief: None,
            techniques: Techniques::all(),
        }
    }
}

impl MctsOptions {
    /// Plain UCT: a tree, one playout for each iteration, no further technique. The baseline of all
    /// measurements.
    pub fn uct() -> MctsOptions {
        MctsOptions { techniques: Techniques::none(), batch: Batch::single(), ..MctsOptions::default() }
    }

    /// Whether `technique` is enabled.
    pub fn has(&self, technique: Technique) -> bool {
        self.techniques.has(technique)
    }

    /// The seed; 0 by default.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// The memory bound in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.memory.saturating_mul(1 << 20)
    }
}

/// The description of one option of a player's specification, for help texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecOption {
    /// The option's name.
    pub name: &'static str,
    /// The values that it accepts.
    pub values: &'static str,
    /// The property of the player that it sets.
    pub meaning: &'static str,
    /// Its default values; for tree search that of `mcts`, then that of `uct`.
    pub defaults: Vec<String>,
}

impl PlayerSpec {
    /// All options of `mcts` and `uct`, with the defaults of both.
    pub fn search_options() -> Vec<SpecOption> {
        listed(&setting::of_search(), &[MctsOptions::default(), MctsOptions::uct()])
    }

    /// All options of `random`.
    pub fn random_options() -> Vec<SpecOption> {
        listed(&setting::of_random(), &[RandomOptions::default()])
    }

    /// Sets the seed unless the specification already gives one.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> PlayerSpec {
        let own = match &mut self {
            PlayerSpec::Mcts(options) => &mut options.seed,
            PlayerSpec::Random(options) => &mut options.seed,
        };
        own.get_or_insert(seed);
        self
    }
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let pairs = rest.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let pairs = pairs.map(|(option, value)| (option.trim(), value.trim()));
        match name.trim() {
            "mcts" => {
                changed("mcts", MctsOptions::default(), &setting::of_search(), pairs).map(PlayerSpec::Mcts)
            }
            "uct" => changed("uct", MctsOptions::uct(), &setting::of_search(), pairs).map(PlayerSpec::Mcts),
            "random" => {
                let options = RandomOptions::default();
                changed("random", options, &setting::of_random(), pairs).map(PlayerSpec::Random)
            }
            other => Err(SpecError::UnknownPlayer(other.to_owned())),
        }
    }
}

/// Applies `pairs` of option and value to `options`.
fn changed<'a, O>(
    player: &'static str,
    mut options: O,
    settings: &[Setting<O>],
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<O, SpecError> {
    for pair in pairs {
        setting::apply(settings, &mut options, player, pair)?;
    }
    Ok(options)
}

/// Describes the options, with their values in each of `defaults`.
fn listed<O>(settings: &[Setting<O>], defaults: &[O]) -> Vec<SpecOption> {
    let one = |setting: &Setting<O>| SpecOption {
        name: setting.name,
        values: setting.values,
        meaning: setting.meaning,
        defaults: defaults.iter().map(|options| (setting.show)(options, setting.name)).collect(),
    };
    settings.iter().map(one).collect()
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlayerSpec::Mcts(_) => "mcts",
            PlayerSpec::Random(_) => "random",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{MctsOptions, PlayerSpec, RandomOptions};

    fn parse(text: &str) -> Result<PlayerSpec, String> {
        text.parse().map_err(|error: super::SpecError| error.to_string())
    }

    #[test]
    fn options_are_read_in_any_order() {
        let expected = MctsOptions {
            iterations: Some(200),
            memory: 64,
            exploration: 1.5,
            seed: Some(7),
            ..MctsOptions::default()
        };
        assert_eq!(parse("mcts:seed=7, c=1.5,memory=64,iterations=200"), Ok(PlayerSpec::Mcts(expected)));
        assert_eq!(parse("mcts"), Ok(PlayerSpec::Mcts(MctsOptions::default())));
        assert_eq!(parse("uct:"), Ok(PlayerSpec::Mcts(MctsOptions::uct())));
        assert_eq!(parse("random:seed=3"), Ok(PlayerSpec::Random(RandomOptions { seed: Some(3) })));
    }

    #[test]
    fn a_seed_of_its_own_wins() {
        let seed = |text: &str| match parse(text).unwrap().with_seed(9) {
            PlayerSpec::Mcts(options) => options.seed,
            PlayerSpec::Random(options) => options.seed,
        };
        assert_eq!(seed("mcts:seed=1"), Some(1));
        assert_eq!(seed("mcts"), Some(9));
        assert_eq!(seed("random"), Some(9));
    }

    #[test]
    fn errors_say_what_would_do() {
        assert_eq!(parse("mtcs").unwrap_err(), "there is no player `mtcs`; known are mcts, uct, random");
        assert_eq!(
            parse("mcts:iteration=5").unwrap_err(),
            "mcts has no option `iteration`; known are iterations, memory, c, seed, margin, threads, lanes, \
             growth, per_leaf, least, belief, transpositions, solver, regret, line, beam, subgames, history, \
             mast, decisive, floor, secure"
        );
        assert_eq!(parse("random:c=5").unwrap_err(), "random has no option `c`; known are seed");
        assert_eq!(
            parse("mcts:iterations=many").unwrap_err(),
            "`many` is not a valid value for iterations; write a whole number from 1 on"
        );
        assert_eq!(
            parse("mcts:iterations=0").unwrap_err(),
            "`0` is not a valid value for iterations; write a whole number from 1 on"
        );
        for lanes in ["0", "65536"] {
            assert_eq!(
                parse(&format!("mcts:lanes={lanes}")).unwrap_err(),
                format!("`{lanes}` is not a valid value for lanes; write a whole number from 1 to 65535")
            );
        }
        assert_eq!(
            parse("mcts:c=-1").unwrap_err(),
            "`-1` is not a valid value for c; write a number from 0 on"
        );
        assert_eq!(parse("uct:c").unwrap_err(), "`` is not a valid value for c; write a number from 0 on");
        for option in ["growth", "per_leaf", "least", "threads", "memory", "belief"] {
            assert!(parse(&format!("mcts:{option}=0")).is_err(), "{option}");
        }
        assert_eq!(
            parse("mcts:mast=yes").unwrap_err(),
            "`yes` is not a valid value for mast; write `on` or `off`"
        );
    }

    #[test]
    fn listed_defaults_are_those_of_the_parser() {
        for (player, column) in [("mcts", 0), ("uct", 1)] {
            let plain = parse(player).unwrap();
            let mut written = 0;
            for option in PlayerSpec::search_options() {
                let default = &option.defaults[column];
                let is_value = default.parse::<f64>().is_ok() || ["on", "off"].contains(&default.as_str());
                if is_value {
                    // Setting an option to its default value changes nothing; setting it to another value
                    // changes the options.
                    assert_eq!(parse(&format!("{player}:{}={default}", option.name)), Ok(plain.clone()));
                    written += 1;
                }
                let other = ["3", "on", "off"].into_iter().filter(|other| other != default);
                let other =
                    other.filter_map(|other| parse(&format!("{player}:{}={other}", option.name)).ok());
                assert!(other.into_iter().all(|other| other != plain), "{}", option.name);
            }
            assert!(written >= 7 + 11, "{written} of {player}");
        }
        assert_eq!(PlayerSpec::random_options().len(), 1);
    }
}
