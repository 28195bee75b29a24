//! The options in a player's specification: one table serves for parsing, printing and listing them.

use crate::options::{MctsOptions, RandomOptions, SpecError};
use crate::technique::Technique;
use std::str::FromStr;
use std::time::Duration;

/// One option of a player whose options have type `O`.
pub(crate) struct Setting<O> {
    pub(crate) name: &'static str,
    /// The accepted values, worded to follow "write …".
    pub(crate) values: &'static str,
    pub(crate) meaning: &'static str,
    /// Sets the option of that name; `None` if the value is not accepted.
    set: fn(&mut O, &'static str, &str) -> Option<()>,
    /// The text of the option's value; words where the value is not a number.
    pub(crate) show: fn(&O, &'static str) -> String,
}

/// The maximum number of simultaneous playouts: more would fill no machine's lanes, only memory.
const MAX_LANES: usize = 65_535;

/// The maximum number of threads: one search gains nothing from more.
const MAX_THREADS: usize = 64;

/// The options of tree search.
pub(crate) fn of_search() -> Vec<Setting<MctsOptions>> {
    let mut all = NUMBERS.to_vec();
    all.extend(Technique::ALL.map(|technique| Setting {
        name: technique.name(),
        values: "`on` or `off`",
        meaning: technique.meaning(),
        set: set_technique,
        show: show_technique,
    }));
    all
}

/// The options of the random player.
pub(crate) fn of_random() -> Vec<Setting<RandomOptions>> {
    vec![Setting {
        name: "seed",
        values: FROM_0,
        meaning: SEED,
        set: |options, _, text| set(&mut options.seed, text, |_| true),
        show: |options, _| options.seed.map_or(DRAWN.to_owned(), |seed| seed.to_string()),
    }]
}

/// Sets the option of a player called `player` in `options`, from its name and value.
pub(crate) fn apply<O>(
    settings: &[Setting<O>],
    options: &mut O,
    player: &'static str,
    (option, value): (&str, &str),
) -> Result<(), SpecError> {
    let Some(setting) = settings.iter().find(|setting| setting.name == option) else {
        let known = settings.iter().map(|setting| setting.name).collect();
        return Err(SpecError::UnknownOption { player, option: option.to_owned(), known });
    };
    (setting.set)(options, setting.name, value).ok_or_else(|| SpecError::BadValue {
        option: option.to_owned(),
        value: value.to_owned(),
        wanted: setting.values,
    })
}

const FROM_0: &str = "a whole number from 0 on";
const FROM_1: &str = "a whole number from 1 on";
const SEED: &str = "the seed of whatever is random";
const DRAWN: &str = "one from the seed of the command";

const NUMBERS: [Setting<MctsOptions>; 11] = [
    Setting {
        name: "iterations",
        values: FROM_1,
        meaning: "iterations for each move; the clock still holds as a limit",
        set: |options, _, text| set(&mut options.iterations, text, |&n| n > 0),
        show: |options, _| options.iterations.map_or("no limit".to_owned(), |most| most.to_string()),
    },
    Setting {
        name: "memory",
        values: FROM_1,
        meaning: "MiB for the tree",
        set: |options, _, text| put(&mut options.memory, text, |&mib| mib > 0),
        show: |options, _| options.memory.to_string(),
    },
    Setting {
        name: "c",
        values: "a number from 0 on",
        meaning: "the exploration constant of UCT, for scores from 0 to 1",
        set: |options, _, text| put(&mut options.exploration, text, |c| c.is_finite() && *c >= 0.0),
        show: |options, _| options.exploration.to_string(),
    },
    Setting {
        name: "seed",
        values: FROM_0,
        meaning: SEED,
        set: |options, _, text| set(&mut options.seed, text, |_| true),
        show: |options, _| options.seed.map_or(DRAWN.to_owned(), |seed| seed.to_string()),
    },
    Setting {
        name: "margin",
        values: FROM_0,
        meaning: "milliseconds of each clock that are kept for the answer",
        set: |options, _, text| text.parse().ok().map(|ms| options.margin = Duration::from_millis(ms)),
        show: |options, _| options.margin.as_millis().to_string(),
    },
    Setting {
        name: "threads",
        values: "a whole number from 1 to 64",
        meaning: "threads that grow one tree; with more than one, equal seeds give different searches",
        set: |options, _, text| put(&mut options.threads, text, |n| (1..=MAX_THREADS).contains(n)),
        show: |options, _| options.threads.to_string(),
    },
    Setting {
        name: "lanes",
        values: "a whole number from 1 to 65535",
        meaning: "the most playouts of a thread at once",
        set: |options, _, text| set(&mut options.batch.lanes, text, |n| (1..=MAX_LANES).contains(n)),
        show: |options, _| {
            let lanes = options.batch.lanes;
            lanes.map_or("twice the lanes of the network".to_owned(), |lanes| lanes.to_string())
        },
    },
    Setting {
        name: "growth",
        values: FROM_1,
        meaning: "visits of the root for each leaf of a batch",
        set: |options, _, text| put(&mut options.batch.growth, text, |&n| n > 0),
        show: |options, _| options.batch.growth.to_string(),
    },
    Setting {
        name: "per_leaf",
        values: FROM_1,
        meaning: "the most playouts from one leaf of a batch",
        set: |options, _, text| put(&mut options.batch.per_leaf, text, |&n| n > 0),
        show: |options, _| options.batch.per_leaf.to_string(),
    },
    Setting {
        name: "least",
        values: FROM_1,
        meaning: "the fewest playouts from one leaf of a batch, where there are lanes for them",
        set: |options, _, text| put(&mut options.batch.least, text, |&n| n > 0),
        show: |options, _| options.batch.least.to_string(),
    },
    Setting {
        name: "belief",
        values: "a number above 0",
        meaning: "visits that the prior value of a move is worth (with `history`)",
        set: |options, _, text| set(&mut options.belief, text, |b: &f64| b.is_finite() && *b > 0.0),
        show: |options, _| options.belief.map_or("learned".to_owned(), |belief| belief.to_string()),
    },
];

impl<O> Clone for Setting<O> {
    fn clone(&self) -> Setting<O> {
        Setting { ..*self }
    }
}

fn set_technique(options: &mut MctsOptions, name: &'static str, value: &str) -> Option<()> {
    let on = match value {
        "on" => true,
        "off" => false,
        _ => return None,
    };
    options.techniques = options.techniques.with(Technique::named(name)?, on);
    Some(())
}

fn show_technique(options: &MctsOptions, name: &'static str) -> String {
    let on = Technique::named(name).is_some_and(|technique| options.has(technique));
    if on { "on" } else { "off" }.to_owned()
}

/// Parses `text` into `place` if the number is one that `is_fit` accepts.
fn put<T: FromStr>(place: &mut T, text: &str, is_fit: impl FnOnce(&T) -> bool) -> Option<()> {
    *place = text.parse().ok().filter(is_fit)?;
    Some(())
}

/// Parses `text` into the optional `place` if the number is one that `is_fit` accepts.
fn set<T: FromStr>(place: &mut Option<T>, text: &str, is_fit: impl FnOnce(&T) -> bool) -> Option<()> {
    *place = Some(text.parse().ok().filter(is_fit)?);
    Some(())
}
