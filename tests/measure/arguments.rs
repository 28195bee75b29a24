//! The arguments of a command of the ruler: players, and options as `--NAME VALUE`.

use crate::suite;
use ggp_search::{MctsOptions, PlayerSpec};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The options that take no value.
const FLAGS: [&str; 2] = ["json", "build"];

/// Arguments of which some are still to be taken.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// The arguments that are no options, in order.
    plain: Vec<String>,
    options: BTreeMap<String, String>,
}

impl Arguments {
    pub(crate) fn read(args: &[String]) -> Arguments {
        let (mut plain, mut options) = (Vec::new(), BTreeMap::new());
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.strip_prefix("--") {
                Some(name) if FLAGS.contains(&name) => drop(options.insert(name.to_owned(), String::new())),
                Some(name) => {
                    let value = rest.next().unwrap_or_else(|| panic!("--{name} needs a value"));
                    options.insert(name.to_owned(), value.clone());
                }
                None => plain.push(arg.clone()),
            }
        }
        Arguments { plain, options }
    }

    /// The value of the option `name`, or `default`.
    pub(crate) fn take<T: FromStr>(&mut self, name: &str, default: T) -> T {
        self.given(name).unwrap_or(default)
    }

    /// The value of the option `name` if it is given.
    pub(crate) fn given<T: FromStr>(&mut self, name: &str) -> Option<T> {
        let text = self.options.remove(name)?;
        Some(text.parse().unwrap_or_else(|_| panic!("`{text}` is no value of --{name}")))
    }

    /// Whether the flag `name` is given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        self.options.remove(name).is_some()
    }

    /// The games that `--games NAME,NAME` or `--suite NAME` selects; the suite `default` without both.
    pub(crate) fn games(&mut self, default: &str) -> Vec<String> {
        let suite = suite::named(&self.take("suite", default.to_owned()));
        self.given::<String>("games").map_or(suite, |games| games.split(',').map(str::to_owned).collect())
    }

    /// The players, which are the arguments that are no options; `mcts` without any.
    ///
    /// # Panics
    /// If an option is left that the command does not know.
    pub(crate) fn players(self) -> Vec<String> {
        assert!(self.options.is_empty(), "unknown options: {:?}", self.options.keys());
        let players = if self.plain.is_empty() { vec!["mcts".to_owned()] } else { self.plain };
        for player in &players {
            let _ = searcher(player, 0);
        }
        players
    }
}

/// The options of the search `spec` with the seed `seed`, unless the specification gives one.
pub(crate) fn searcher(spec: &str, seed: u64) -> MctsOptions {
    let mut options = options(spec);
    options.seed.get_or_insert(seed);
    options
}

/// The options of the search `spec`.
pub(crate) fn options(spec: &str) -> MctsOptions {
    match spec.parse::<PlayerSpec>().unwrap_or_else(|error| panic!("{spec}: {error}")) {
        PlayerSpec::Mcts(options) => options,
        PlayerSpec::Random(_) => panic!("{spec}: a search is wanted"),
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn arguments(text: &str) -> Arguments {
        Arguments::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn players_and_options_are_told_apart() {
        let mut args = arguments("mcts --games a,b --json mcts:mast=off --seeds 3");
        assert_eq!((args.games("all"), args.flag("json")), (vec!["a".to_owned(), "b".to_owned()], true));
        assert_eq!((args.take("seeds", 6), args.take("descents", 7)), (3, 7));
        assert_eq!(args.players(), ["mcts", "mcts:mast=off"]);
        assert_eq!(arguments("").players(), ["mcts"]);
    }

    #[test]
    #[should_panic(expected = "unknown options")]
    fn an_unknown_option_is_refused() {
        drop(arguments("mcts --sedes 3").players());
    }
}
