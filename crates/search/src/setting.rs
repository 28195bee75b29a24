//! The options that a player's specification can set. One table serves both for parsing specifications and
//! for listing the options.

use crate::options::{MctsOptions, RandomOptions};
use crate::technique::Technique;
use std::str::FromStr;
use std::time::Duration;

/// One option of a player whose options have type `O`.
pub(crate) struct Setting<O> {
    pub(crate) name: &'static str,
    /// The accepted values, worded so that an error message can put "give" before them.
    pub(crate) values: &'static str,
    /// The effect of the option, in one line.
    pub(crate) meaning: &'static str,
    /// A function that sets this option in a player's options. Its arguments are the player's options, the
    /// name of this option, and its new value as a text. Returns `None` if the text is not accepted.
    pub(crate) set: fn(&mut O, &'static str, &str) -> Option<()>,
    /// A function that returns the value of this option in a player's options, as a text: a number, or words
    /// if the value is not a number. Its arguments are the player's options and the name of this option.
    pub(crate) show: fn(&O, &'static str) -> String,
}

/// The maximum number of threads. More threads do not improve a search.
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
        set: |options, _, text| parse_optional(&mut options.seed, text, |_| true),
        show: |options, _| options.seed.map_or(DERIVED_SEED.to_owned(), |seed| seed.to_string()),
    }]
}

/// The options that tree search had in version 0.1, each with the one that has taken its place.
pub(crate) const FORMER: [(&str, Option<&str>); 4] =
    [("belief", Some("prior_weight")), ("growth", None), ("least", None), ("lanes", None)];

const FROM_0: &str = "a whole number from 0 on";
const FROM_1: &str = "a whole number from 1 on";
const SEED: &str = "seed of the player's random numbers";
const DERIVED_SEED: &str = "derived from the seed of the command";

const NUMBERS: [Setting<MctsOptions>; 9] = [
    Setting {
        name: "iterations",
        values: FROM_1,
        meaning: "number of iterations for each move; the clock remains a limit",
        set: |options, _, text| parse_optional(&mut options.iterations, text, |&n| n > 0),
        show: |options, _| options.iterations.map_or("no limit".to_owned(), |most| most.to_string()),
    },
    Setting {
        name: "memory",
        values: FROM_1,
        meaning: "memory bound of the search tree in MiB",
        set: |options, _, text| parse_into(&mut options.memory, text, |&mib| mib > 0),
        show: |options, _| options.memory.to_string(),
    },
    Setting {
        name: "c",
        values: "a number from 0 on",
        meaning: "exploration constant of UCT, for scores from 0 to 1",
        set: |options, _, text| parse_into(&mut options.exploration, text, |c| c.is_finite() && *c >= 0.0),
        show: |options, _| options.exploration.to_string(),
    },
    Setting {
        name: "seed",
        values: FROM_0,
        meaning: SEED,
        set: |options, _, text| parse_optional(&mut options.seed, text, |_| true),
        show: |options, _| options.seed.map_or(DERIVED_SEED.to_owned(), |seed| seed.to_string()),
    },
    Setting {
        name: "margin",
        values: FROM_0,
        meaning: "milliseconds at the end of each clock that are reserved for sending the answer",
        set: |options, _, text| text.parse().ok().map(|ms| options.margin = Duration::from_millis(ms)),
        show: |options, _| options.margin.as_millis().to_string(),
    },
    Setting {
        name: "threads",
        values: "a whole number from 1 to 64",
        meaning: "number of threads that share the tree; with more than one, a seed does not repeat a search",
        set: |options, _, text| parse_into(&mut options.threads, text, |n| (1..=MAX_THREADS).contains(n)),
        show: |options, _| options.threads.to_string(),
    },
    Setting {
        name: "prior_weight",
        values: "a number above 0",
        meaning: "weight of a move's prior value in visits (with `history`)",
        set: |options, _, text| {
            parse_optional(&mut options.prior_weight, text, |weight: &f64| {
                weight.is_finite() && *weight > 0.0
            })
        },
        show: |options, _| {
            options.prior_weight.map_or("fitted to the tree".to_owned(), |weight| weight.to_string())
        },
    },
    Setting {
        name: "knowledge",
        values: "the name of a file",
        meaning: "file of what `ggp learn` and earlier matches have learnt; goes on learning in it (with `learn`)",
        set: |options, _, text| parse_optional(&mut options.knowledge, text, |_| !text.is_empty()),
        show: |options, _| {
            options.knowledge.as_ref().map_or("none".to_owned(), |file| file.display().to_string())
        },
    },
    Setting {
        name: "self_play",
        values: FROM_1,
        meaning: "number of descents of self-play before the first move (with `learn`)",
        set: |options, _, text| parse_optional(&mut options.self_play, text, |&n| n > 0),
        show: |options, _| {
            options
                .self_play
                .map_or("with `knowledge`, a part of the start clock".to_owned(), |most| most.to_string())
        },
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

/// Parses `text` into `number` if `is_accepted` holds for the parsed value. `None` otherwise.
fn parse_into<T: FromStr>(number: &mut T, text: &str, is_accepted: impl FnOnce(&T) -> bool) -> Option<()> {
    *number = text.parse().ok().filter(is_accepted)?;
    Some(())
}

/// Parses `text` into the optional `number` if `is_accepted` holds for the parsed value. `None` otherwise.
fn parse_optional<T: FromStr>(
    number: &mut Option<T>,
    text: &str,
    is_accepted: impl FnOnce(&T) -> bool,
) -> Option<()> {
    *number = Some(text.parse().ok().filter(is_accepted)?);
    Some(())
}
