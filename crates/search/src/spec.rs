//! Player specifications such as `mcts:iterations=200,seed=7` or `random`.

use crate::options::{MctsOptions, RandomOptions};
use crate::setting::{self, FORMER, Setting};
use std::fmt;
use std::str::FromStr;

/// A player's specification: `NAME` or `NAME:OPTION=VALUE,…`.
///
/// The names are `mcts`, `uct` (tree search without further techniques) and `random`.
/// [`PlayerSpec::search_options`] lists the options of the first two.
///
/// ```
/// use ggp_search::{PlayerSpec, SpecError};
///
/// let Ok(PlayerSpec::Mcts(options)) = "mcts:iterations=200,memory=64".parse() else { unreachable!() };
/// assert_eq!((options.iterations, options.memory), (Some(200), 64));
///
/// let error = "mcts:memory=lots".parse::<PlayerSpec>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`lots` is not a valid value for the option `memory`: give a whole number from 1 on"
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerSpec {
    /// Monte-Carlo tree search.
    Mcts(MctsOptions),
    /// Uniformly random legal moves.
    Random(RandomOptions),
}

/// An error in a player's specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no player of the name before the colon.
    #[error("there is no player `{0}`; the players are {players}", players = PLAYERS.join(", "))]
    UnknownPlayer(String),
    /// The player has no such option.
    #[error("{player} has no option `{option}`; its options are {known}", known = known.join(", "))]
    UnknownOption {
        /// The player's name.
        player: &'static str,
        /// The option given.
        option: String,
        /// The player's options.
        known: Vec<&'static str>,
    },
    /// The player has the option no longer.
    #[error("{player} has no option `{option}` any more: {mend}", mend = mend(*instead))]
    FormerOption {
        /// The player's name.
        player: &'static str,
        /// The option given.
        option: String,
        /// The option that has taken its place. `None` if there is none.
        instead: Option<&'static str>,
    },
    /// The option does not accept the value.
    #[error("`{value}` is not a valid value for the option `{option}`: give {wanted}")]
    BadValue {
        /// The option.
        option: String,
        /// The value given.
        value: String,
        /// The values that the option accepts.
        wanted: &'static str,
    },
}

/// What to do about an option that the player has no longer.
fn mend(instead: Option<&str>) -> String {
    instead.map_or("leave it out".to_owned(), |instead| format!("write `{instead}`"))
}

const PLAYERS: [&str; 3] = ["mcts", "uct", "random"];

/// The description of one option of a player's specification, for help texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecOption {
    /// The option's name.
    pub name: &'static str,
    /// The values that the option accepts.
    pub values: &'static str,
    /// What the option sets in the player, in one line.
    pub meaning: &'static str,
    /// The default values. An option of tree search has two, the default of `mcts` and then that of `uct`; an
    /// option of `random` has one.
    pub defaults: Vec<String>,
}

impl PlayerSpec {
    /// All options of `mcts` and `uct`, with the defaults of both.
    pub fn search_options() -> Vec<SpecOption> {
        describe(&setting::of_search(), &[MctsOptions::default(), MctsOptions::uct()])
    }

    /// All options of `random`.
    pub fn random_options() -> Vec<SpecOption> {
        describe(&setting::of_random(), &[RandomOptions::default()])
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
            "mcts" => with_values("mcts", MctsOptions::default(), &setting::of_search(), pairs)
                .map(PlayerSpec::Mcts),
            "uct" => {
                with_values("uct", MctsOptions::uct(), &setting::of_search(), pairs).map(PlayerSpec::Mcts)
            }
            "random" => {
                let options = RandomOptions::default();
                with_values("random", options, &setting::of_random(), pairs).map(PlayerSpec::Random)
            }
            other => Err(SpecError::UnknownPlayer(other.to_owned())),
        }
    }
}

/// Returns `options` after setting each option that `pairs` names to the value given there. `player` is the
/// player's name for error messages.
fn with_values<'a, O>(
    player: &'static str,
    mut options: O,
    settings: &[Setting<O>],
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<O, SpecError> {
    for (option, value) in pairs {
        let Some(setting) = settings.iter().find(|setting| setting.name == option) else {
            return Err(no_option(player, option, settings));
        };
        (setting.set)(&mut options, setting.name, value).ok_or_else(|| SpecError::BadValue {
            option: option.to_owned(),
            value: value.to_owned(),
            wanted: setting.values,
        })?;
    }
    Ok(options)
}

/// The error that no option of `player`, which has those of `settings`, is called `option`.
fn no_option<O>(player: &'static str, option: &str, settings: &[Setting<O>]) -> SpecError {
    let known: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
    let option = option.to_owned();
    let former = FORMER.into_iter().find(|&(name, _)| name == option && player != "random");
    match former {
        Some((_, instead)) => SpecError::FormerOption { player, option, instead },
        None => SpecError::UnknownOption { player, option, known },
    }
}

/// Describes each of `settings` for help texts. Each element of `defaults` holds one value for every
/// setting. A setting gets these values, in order, as its default values.
fn describe<O>(settings: &[Setting<O>], defaults: &[O]) -> Vec<SpecOption> {
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
    fn a_seed_in_the_specification_takes_precedence() {
        let seed = |text: &str| match parse(text).unwrap().with_seed(9) {
            PlayerSpec::Mcts(options) => options.seed,
            PlayerSpec::Random(options) => options.seed,
        };
        assert_eq!(seed("mcts:seed=1"), Some(1));
        assert_eq!(seed("mcts"), Some(9));
        assert_eq!(seed("random"), Some(9));
    }

    #[test]
    fn errors_name_what_is_accepted() {
        assert_eq!(
            parse("mtcs").unwrap_err(),
            "there is no player `mtcs`; the players are mcts, uct, random"
        );
        assert_eq!(
            parse("mcts:iteration=5").unwrap_err(),
            "mcts has no option `iteration`; its options are iterations, memory, c, seed, margin, threads, \
             prior_weight, knowledge, self_play, transpositions, solver, regret, line, beam, conditions, \
             subgames, history, mast, decisive, floor, secure, breadth, halving, learn, minimax"
        );
        for player in ["mcts", "uct"] {
            let former = |option: &str| parse(&format!("{player}:{option}=2")).unwrap_err();
            let no_option = |option: &str| format!("{player} has no option `{option}` any more: ");
            assert_eq!(former("belief"), no_option("belief") + "write `prior_weight`");
            assert_eq!(former("lanes"), no_option("lanes") + "leave it out");
        }
        assert!(parse("random:belief=2").unwrap_err().ends_with("its options are seed"));
        assert_eq!(parse("random:c=5").unwrap_err(), "random has no option `c`; its options are seed");
        assert_eq!(
            parse("mcts:iterations=many").unwrap_err(),
            "`many` is not a valid value for the option `iterations`: give a whole number from 1 on"
        );
        assert_eq!(
            parse("mcts:iterations=0").unwrap_err(),
            "`0` is not a valid value for the option `iterations`: give a whole number from 1 on"
        );
        assert_eq!(
            parse("mcts:c=-1").unwrap_err(),
            "`-1` is not a valid value for the option `c`: give a number from 0 on"
        );
        assert_eq!(
            parse("uct:c").unwrap_err(),
            "`` is not a valid value for the option `c`: give a number from 0 on"
        );
        for option in ["threads", "memory", "prior_weight"] {
            assert!(parse(&format!("mcts:{option}=0")).is_err(), "{option}");
        }
        assert_eq!(
            parse("mcts:mast=yes").unwrap_err(),
            "`yes` is not a valid value for the option `mast`: give `on` or `off`"
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
            assert!(written >= 4 + 11, "{written} of {player}");
        }
        assert_eq!(PlayerSpec::random_options().len(), 1);
    }
}
