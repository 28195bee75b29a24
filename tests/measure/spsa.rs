//! Tuning of several constants at once by SPSA, simultaneous perturbation stochastic approximation (Spall 1998), in
//! matches at fixed descents.
//!
//! Each iteration changes every constant by plus or minus its step, with random signs, and plays a pair of matches with
//! swapped seats from one random opening: the constants with these changes against those with the opposite ones. Every
//! constant then moves towards the side with more goals. The games of the suite take turns. A file keeps one line an
//! iteration, so that a run of many hours can be stopped and go on.

use crate::arguments::{Arguments, options};
use crate::contest::{self, Duel, Side};
use crate::table::{Cell, Table};
use ggp_game::rng::Sequence;
use ggp_propnet::PropNetMachine;
use ggp_search::MctsOptions;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The exponents by which the gain and the perturbation fall with the iterations (Spall 1998).
const GAIN_DECAY: f64 = 0.602;
const STEP_DECAY: f64 = 0.101;

/// A constant that is tuned.
struct Parameter {
    name: &'static str,
    /// The perturbation of the first iteration.
    step: f64,
    range: RangeInclusive<f64>,
    get: fn(&MctsOptions) -> f64,
    set: fn(&mut MctsOptions, f64),
}

const PARAMETERS: [Parameter; 6] = [
    Parameter {
        name: "exploration",
        step: 0.1,
        range: 0.05..=2.0,
        get: |options| options.exploration,
        set: |options, value| options.exploration = value,
    },
    Parameter {
        name: "many_arms",
        step: 3.0,
        range: 1.0..=100.0,
        get: |options| decimal(options.constants.many_arms),
        set: |options, value| options.constants.many_arms = value as f32,
    },
    Parameter {
        name: "certainty",
        step: 2.0,
        range: 0.0..=50.0,
        get: |options| decimal(options.constants.certainty),
        set: |options, value| options.constants.certainty = value as f32,
    },
    Parameter {
        name: "preferring",
        step: 0.15,
        range: 0.0..=1.0,
        get: |options| decimal(options.constants.preferring),
        set: |options, value| options.constants.preferring = value as f32,
    },
    Parameter {
        name: "preferred_lead",
        step: 0.01,
        range: 0.0..=0.2,
        get: |options| decimal(options.constants.preferred_lead),
        set: |options, value| options.constants.preferred_lead = value as f32,
    },
    Parameter {
        name: "secure_spread",
        step: 1.0,
        range: 0.0..=20.0,
        get: |options| decimal(options.constants.secure_spread),
        set: |options, value| options.constants.secure_spread = value as f32,
    },
];

/// A game's name and network.
type Machine = (String, PropNetMachine);

/// The values of the constants, in the order of [`PARAMETERS`].
type Values = [f64; PARAMETERS.len()];

/// A line of the file: an iteration that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Step {
    iteration: u64,
    game: String,
    /// The signs of the changes of the side that `result` is for.
    signs: [i8; PARAMETERS.len()],
    /// The share of that side minus the share of the other one, from -1 to 1.
    result: f64,
    /// The values after the iteration.
    values: Values,
}

/// The first line of the file. A run goes on only with the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    player: String,
    games: Vec<String>,
    descents: u64,
    opening: u32,
    seed: u64,
    /// The gain of the first iteration: half of it is the part of its step by which a constant moves if one side gets
    /// all goals.
    gain: f64,
    /// The number of iterations after which the gain begins to fall (Spall's A).
    stability: f64,
    names: Vec<String>,
    begin: Values,
}

impl Settings {
    /// The perturbation and the gain of the iteration with this number, as parts of the steps of [`PARAMETERS`].
    fn sizes(&self, iteration: u64) -> (f64, f64) {
        let number = iteration as f64;
        let fallen = (1.0 + self.stability) / (number + 1.0 + self.stability);
        ((number + 1.0).powf(-STEP_DECAY), self.gain * fallen.powf(GAIN_DECAY))
    }

    fn signs(&self, iteration: u64) -> [i8; PARAMETERS.len()] {
        let mut random = Sequence::new(self.seed ^ iteration.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        std::array::from_fn(|_| if random.below(2) == 0 { 1 } else { -1 })
    }
}

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    let (games, json, jobs) = (args.games("development"), args.flag("json"), args.take("jobs", 2));
    let (iterations, out) = (args.take("iterations", 1_000u64), args.given::<PathBuf>("out"));
    let (descents, opening, seed) =
        (args.take("descents", 30_000), args.take("opening", 4), args.take("seed", 1));
    let (gain, stability) = (args.take("gain", 0.5), args.take("stability", 50.0));
    let players = args.players();
    let [player] = &players[..] else { panic!("the constants of one player are tuned") };
    let out = out.unwrap_or_else(|| panic!("--out FILE is needed: the file that keeps the iterations"));
    let machines = contest::machines(&games);
    let begin = PARAMETERS.each_ref().map(|parameter| (parameter.get)(&options(player)));
    let names = PARAMETERS.iter().map(|parameter| parameter.name.to_owned()).collect();
    let settings =
        Settings { player: player.clone(), games, descents, opening, seed, gain, stability, names, begin };
    let known = read(&out, &settings).unwrap_or_else(|why| panic!("{}: {why}", out.display()));
    let mut values = known.last().map_or(begin, |last| last.values);
    for iteration in known.len() as u64..iterations {
        let machine = &machines[iteration as usize % machines.len()];
        let signs = settings.signs(iteration);
        let sides = changed(&settings, values, signs, iteration);
        let result = pair(&settings, iteration, machine, &sides, jobs);
        values = moved(&settings, values, signs, iteration, result);
        let line = Step { iteration, game: machine.0.clone(), signs, result, values };
        append(&out, &line).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
        eprintln!("{iteration} {} {result:+.2} {values:.3?}", machine.0);
    }
    let about = format!("{player} at {descents} descents after {iterations} iterations, seed {seed}");
    let table = Table::begin("spsa", &about, &["constant", "before", "now"], json);
    for ((parameter, before), now) in PARAMETERS.iter().zip(begin).zip(values) {
        table.row(&[Cell::text(parameter.name), Cell::Number(before, 3), Cell::Number(now, 3)]);
    }
}

/// `value` as the file shows it.
fn decimal(value: f32) -> f64 {
    (f64::from(value) * 1e6).round() / 1e6
}

/// The values of the two sides of an iteration.
fn changed(
    settings: &Settings,
    values: Values,
    signs: [i8; PARAMETERS.len()],
    iteration: u64,
) -> [Values; 2] {
    let (perturbation, _) = settings.sizes(iteration);
    [1.0, -1.0].map(|side| {
        std::array::from_fn(|at| {
            let Parameter { step, range, .. } = &PARAMETERS[at];
            let change = side * perturbation * step * f64::from(signs[at]);
            (values[at] + change).clamp(*range.start(), *range.end())
        })
    })
}

/// The values after an iteration whose first side had `result` more than the second one.
fn moved(
    settings: &Settings,
    values: Values,
    signs: [i8; PARAMETERS.len()],
    iteration: u64,
    result: f64,
) -> Values {
    let (perturbation, gain) = settings.sizes(iteration);
    std::array::from_fn(|at| {
        let Parameter { step, range, .. } = &PARAMETERS[at];
        // The slope along each constant, in shares for each step; every sign is its own inverse.
        let slope = result / (2.0 * perturbation) * f64::from(signs[at]);
        (values[at] + gain * slope * step).clamp(*range.start(), *range.end())
    })
}

/// Plays a pair between `sides`. Returns the first side's share minus the second one's.
fn pair(settings: &Settings, iteration: u64, machine: &Machine, sides: &[Values; 2], jobs: usize) -> f64 {
    let sides = sides.map(|values| {
        let mut side = Side::new(&settings.player, settings.descents);
        for (parameter, value) in PARAMETERS.iter().zip(values) {
            (parameter.set)(&mut side.options, value);
        }
        side
    });
    let (seed, opening) = (settings.seed.wrapping_add(iteration), settings.opening);
    let duel = Duel { sides, seed, opening, matches: 2, jobs, sprt: None, out: None };
    let outcome = contest::play(&duel, vec![machine.clone()], |_, _, _| {});
    // A match that is too long has no score.
    outcome.games.values().next().map_or(0.0, |share| 2.0 * share.mean() - 1.0)
}

/// The iterations in the file `out`; none if there is no such file, which is then begun.
fn read(out: &Path, settings: &Settings) -> Result<Vec<Step>, String> {
    if !out.exists() {
        append(out, settings).map_err(|error| error.to_string())?;
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(out).map_err(|error| error.to_string())?;
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let known: Settings = serde_json::from_str(first).map_err(|why| format!("line 1: {why}"))?;
    if known != *settings {
        return Err(format!("it was begun with other settings: {first}"));
    }
    let read = |(number, line)| -> Result<Step, String> {
        let wrong = |why: String| format!("line {}: {why}; remove it and all after it to go on", number + 2);
        let read: Step = serde_json::from_str(line).map_err(|why| wrong(why.to_string()))?;
        if read.iteration == number as u64 { Ok(read) } else { Err(wrong(format!("not iteration {number}"))) }
    };
    lines.enumerate().map(read).collect()
}

/// Adds a line to the file `out`.
fn append(out: &Path, line: &impl Serialize) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(out)?;
    writeln!(file, "{}", serde_json::to_string(line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let begin = PARAMETERS.each_ref().map(|parameter| (parameter.get)(&MctsOptions::default()));
        Settings {
            player: "mcts".to_owned(),
            games: vec!["connect_four".to_owned()],
            descents: 20,
            opening: 2,
            seed: 1,
            gain: 0.5,
            stability: 20.0,
            names: PARAMETERS.iter().map(|parameter| parameter.name.to_owned()).collect(),
            begin,
        }
    }

    /// Matches are replaced by a function whose maximum is one step above the defaults in each constant.
    #[test]
    fn constants_approach_the_maximum_of_a_noisy_function() {
        let settings = settings();
        let best: Values = std::array::from_fn(|at| settings.begin[at] + PARAMETERS[at].step);
        let distance = |values: Values| -> f64 {
            values.iter().zip(best).zip(&PARAMETERS).map(|((v, b), p)| ((v - b) / p.step).powi(2)).sum()
        };
        let (mut values, mut random) = (settings.begin, Sequence::new(3));
        for iteration in 0..2_000 {
            let signs = settings.signs(iteration);
            let [plus, minus] = changed(&settings, values, signs, iteration).map(distance);
            let chance = 0.5 + (minus - plus).clamp(-5.0, 5.0) / 20.0;
            let result = if random.between(0.0..1.0) < chance { 1.0 } else { -1.0 };
            values = moved(&settings, values, signs, iteration, result);
        }
        assert!((distance(settings.begin) - 6.0).abs() < 1e-9);
        assert!(distance(values) < 2.0, "{values:?}");
    }

    #[test]
    fn every_constant_reaches_the_player() {
        for (at, parameter) in PARAMETERS.iter().enumerate() {
            let mut options = MctsOptions::default();
            (parameter.set)(&mut options, *parameter.range.end());
            for (other, Parameter { get, range, .. }) in PARAMETERS.iter().enumerate() {
                let is_at_end = (get(&options) - range.end()).abs() < 1e-6;
                assert_eq!(is_at_end, at == other, "{}", parameter.name);
            }
        }
    }

    #[test]
    fn a_run_goes_on_where_its_file_ends() {
        let out = std::env::temp_dir().join(format!("ggp-spsa-{}.jsonl", std::process::id()));
        let settings = settings();
        assert_eq!(read(&out, &settings), Ok(Vec::new()));
        let machine = ("connect_four".to_owned(), ggp_tests::network(&ggp_tests::rulesheet("connect_four")));
        let signs = settings.signs(0);
        let sides = changed(&settings, settings.begin, signs, 0);
        let result = pair(&settings, 0, &machine, &sides, 1);
        assert_eq!(result.to_bits(), pair(&settings, 0, &machine, &sides, 1).to_bits(), "seeds decide");
        let values = moved(&settings, settings.begin, signs, 0, result);
        let line = Step { iteration: 0, game: machine.0, signs, result, values };
        append(&out, &line).unwrap();
        assert_eq!(read(&out, &settings), Ok(vec![line.clone()]));
        let other = Settings { seed: 2, ..settings.clone() };
        assert!(read(&out, &other).unwrap_err().contains("other settings"));
        append(&out, &line).unwrap();
        assert!(read(&out, &settings).unwrap_err().contains("line 3: not iteration 1"));
        std::fs::remove_file(&out).unwrap();
    }
}
