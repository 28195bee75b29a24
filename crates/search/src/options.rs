//! What kind of player: specifications such as `mcts:iterations=200,seed=7` or `random`.

use crate::batch::Batch;
use crate::select::EXPLORATION;
use crate::technique::{Technique, Techniques};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A player's specification: `NAME` or `NAME:OPTION=VALUE,…`.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerSpec {
    /// Tree search.
    Mcts(MctsOptions),
    /// Uniformly random legal moves.
    Random(RandomOptions),
}

/// The options of [`crate::MctsPlayer`] and [`crate::Search`].
#[derive(Clone, Debug, PartialEq)]
pub struct MctsOptions {
    /// Iterations for each move instead of the clock, which still holds as a limit.
    pub iterations: Option<u64>,
    /// The tree's memory bound in MiB.
    pub memory: usize,
    /// The exploration constant, for scores from 0 to 1.
    pub exploration: f64,
    /// The seed; `None` leaves it to whoever makes the player.
    pub seed: Option<u64>,
    /// What is kept free at the end of each clock, for the answer to get out.
    pub margin: Duration,
    /// How playouts come in batches.
    pub batch: Batch,
    /// How many threads grow the tree, from 1 to 64; games of one role are searched by one, and
    /// so are those whose machine's clones do not agree ([`ggp_game::Playouts::clones_agree`]). With more than
    /// one, equal seeds do not give equal searches.
    pub threads: usize,
    /// So many visits' worth is what is thought of an arm before it is tried (with
    /// [`Technique::History`]); `None` to learn it.
    pub belief: Option<f64>,
    /// What is done beyond plain UCT.
    pub techniques: Techniques,
}

/// The options of [`crate::RandomPlayer`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomOptions {
    /// The seed; `None` leaves it to whoever makes the player.
    pub seed: Option<u64>,
}

/// What is wrong with a specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The name before the colon.
    #[error("there is no player `{0}`; known are {known}", known = PLAYERS.join(", "))]
    UnknownPlayer(String),
    /// An option that the player does not have.
    #[error("{player} has no option `{option}`; known are {known}", known = known.join(", "))]
    UnknownOption {
        /// The player's name.
        player: &'static str,
        /// What was given.
        option: String,
        /// What it has.
        known: &'static [&'static str],
    },
    /// A value that does not fit.
    #[error("`{value}` is no value for {option}: {wanted} is wanted")]
    BadValue {
        /// The option.
        option: String,
        /// What was given.
        value: String,
        /// What would fit.
        wanted: &'static str,
    },
}

/// More playouts at once than this fill no machine's lanes, and take room.
const MAX_LANES: usize = 65_535;

/// More threads than this are no use to one search.
const MAX_THREADS: usize = 64;

const PLAYERS: [&str; 3] = ["mcts", "uct", "random"];
const MCTS_OPTIONS: &[&str] = &[
    "iterations",
    "memory",
    "c",
    "seed",
    "margin",
    Technique::Transpositions.name(),
    Technique::Solver.name(),
    Technique::Regret.name(),
    Technique::Line.name(),
    Technique::Beam.name(),
    Technique::Subgames.name(),
    Technique::History.name(),
    Technique::Mast.name(),
    Technique::Decisive.name(),
    Technique::Floor.name(),
    Technique::Secure.name(),
    "belief",
    "lanes",
    "growth",
    "per_leaf",
    "least",
    "threads",
];
const RANDOM_OPTIONS: &[&str] = &["seed"];

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
    /// Plain UCT: a tree, one playout an iteration, nothing else. What every technique has to beat.
    pub fn uct() -> MctsOptions {
        MctsOptions { techniques: Techniques::none(), batch: Batch::single(), ..MctsOptions::default() }
    }

    /// Whether `technique` is used.
    pub fn has(&self, technique: Technique) -> bool {
        self.techniques.has(technique)
    }

    /// The seed, 0 unless given.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// The memory bound in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.memory.saturating_mul(1 << 20)
    }
}

impl PlayerSpec {
    /// The same player with `seed`, unless its own specification gives one.
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
            "mcts" => mcts("mcts", MctsOptions::default(), pairs),
            "uct" => mcts("uct", MctsOptions::uct(), pairs),
            "random" => {
                let mut options = RandomOptions::default();
                for (option, value) in pairs {
                    match option {
                        "seed" => options.seed = Some(number(option, value, "a whole number from 0")?),
                        _ => return Err(unknown("random", option, RANDOM_OPTIONS)),
                    }
                }
                Ok(PlayerSpec::Random(options))
            }
            other => Err(SpecError::UnknownPlayer(other.to_owned())),
        }
    }
}

fn mcts<'a>(
    player: &'static str,
    mut options: MctsOptions,
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<PlayerSpec, SpecError> {
    for (option, value) in pairs {
        match option {
            "iterations" => {
                let wanted = "a whole number from 1";
                options.iterations = Some(number_in(option, value, wanted, |&n: &u64| n > 0)?);
            }
            "memory" => {
                let wanted = "a whole number of MiB from 1";
                options.memory = number_in(option, value, wanted, |&mib| mib > 0)?;
            }
            "c" => {
                let is_fit = |c: &f64| c.is_finite() && *c >= 0.0;
                options.exploration = number_in(option, value, "a number from 0", is_fit)?;
            }
            "seed" => options.seed = Some(number(option, value, "a whole number from 0")?),
            "margin" => {
                options.margin =
                    Duration::from_millis(number(option, value, "a whole number of milliseconds")?);
            }
            "belief" => {
                let is_fit = |belief: &f64| belief.is_finite() && *belief > 0.0;
                options.belief = Some(number_in(option, value, "a number above 0", is_fit)?);
            }
            "lanes" => {
                let wanted = "a whole number from 1 to 65535";
                let is_fit = |lanes: &usize| (1..=MAX_LANES).contains(lanes);
                options.batch.lanes = Some(number_in(option, value, wanted, is_fit)?);
            }
            "growth" => options.batch.growth = number(option, value, "a whole number")?,
            "per_leaf" => options.batch.per_leaf = number(option, value, "a whole number")?,
            "least" => options.batch.least = number(option, value, "a whole number")?,
            "threads" => {
                let wanted = "a whole number from 1 to 64";
                let is_fit = |threads: &usize| (1..=MAX_THREADS).contains(threads);
                options.threads = number_in(option, value, wanted, is_fit)?;
            }
            _ => {
                let technique =
                    Technique::named(option).ok_or_else(|| unknown(player, option, MCTS_OPTIONS))?;
                options.techniques = options.techniques.with(technique, switch(option, value)?);
            }
        }
    }
    Ok(PlayerSpec::Mcts(options))
}

fn switch(option: &str, value: &str) -> Result<bool, SpecError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(bad(option, value, "`on` or `off`")),
    }
}

fn number<T: FromStr>(option: &str, value: &str, wanted: &'static str) -> Result<T, SpecError> {
    number_in(option, value, wanted, |_| true)
}

/// A number that `is_fit`.
fn number_in<T: FromStr>(
    option: &str,
    value: &str,
    wanted: &'static str,
    is_fit: impl FnOnce(&T) -> bool,
) -> Result<T, SpecError> {
    value.parse().ok().filter(is_fit).ok_or_else(|| bad(option, value, wanted))
}

fn bad(option: &str, value: &str, wanted: &'static str) -> SpecError {
    SpecError::BadValue { option: option.to_owned(), value: value.to_owned(), wanted }
}

fn unknown(player: &'static str, option: &str, known: &'static [&'static str]) -> SpecError {
    SpecError::UnknownOption { player, option: option.to_owned(), known }
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
            "mcts has no option `iteration`; known are iterations, memory, c, seed, margin, \
             transpositions, solver, regret, line, beam, subgames, history, mast, decisive, floor, secure, \
             belief, lanes, growth, per_leaf, least, threads"
        );
        assert_eq!(parse("random:c=5").unwrap_err(), "random has no option `c`; known are seed");
        assert_eq!(
            parse("mcts:iterations=many").unwrap_err(),
            "`many` is no value for iterations: a whole number from 1 is wanted"
        );
        assert_eq!(
            parse("mcts:iterations=0").unwrap_err(),
            "`0` is no value for iterations: a whole number from 1 is wanted"
        );
        for lanes in ["0", "65536"] {
            assert_eq!(
                parse(&format!("mcts:lanes={lanes}")).unwrap_err(),
                format!("`{lanes}` is no value for lanes: a whole number from 1 to 65535 is wanted")
            );
        }
        assert_eq!(parse("mcts:c=-1").unwrap_err(), "`-1` is no value for c: a number from 0 is wanted");
        assert_eq!(parse("uct:c").unwrap_err(), "`` is no value for c: a number from 0 is wanted");
    }
}
