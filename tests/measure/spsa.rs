//! Tuning of several constants at once by SPSA, simultaneous perturbation stochastic approximation (Spall 1998), in
//! matches at fixed descents.
//!
//! Each iteration changes every constant by plus or minus its step, with random signs, and plays a pair of matches with
//! swapped seats from one random opening: the constants with these changes against those with the opposite ones. Every
//! constant then moves towards the side with more goals. The games of the suite take turns. A file keeps one line an
//! iteration, so that a run of many hours can be stopped and go on.

use crate::arguments::{Arguments, options};
use crate::contest::{self, Duel, Machine, Side};
use crate::table::{Cell, Table};
use ggp_game::rng::Sequence;
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
    of: fn(&mut MctsOptions) -> &mut f64,
}

impl Parameter {
    const fn new(
        name: &'static str,
        step: f64,
        range: RangeInclusive<f64>,
        of: fn(&mut MctsOptions) -> &mut f64,
    ) -> Parameter {
        Parameter { name, step, range, of }
    }

    /// The value in the range that is nearest to `value`.
    fn within(&self, value: f64) -> f64 {
        value.clamp(*self.range.start(), *self.range.end())
    }
}

const PARAMETERS: [Parameter; 6] = [
    Parameter::new("exploration", 0.1, 0.05..=2.0, |options| &mut options.exploration),
    Parameter::new("many_arms", 3.0, 1.0..=100.0, |options| &mut options.constants.many_arms),
    Parameter::new("certainty", 2.0, 0.0..=50.0, |options| &mut options.constants.certainty),
    Parameter::new("preferring", 0.15, 0.0..=1.0, |options| &mut options.constants.preferring),
    Parameter::new("preferred_lead", 0.01, 0.0..=0.2, |options| &mut options.constants.preferred_lead),
    Parameter::new("secure_spread", 1.0, 0.0..=20.0, |options| &mut options.constants.secure_spread),
];

/// The values of the constants, in the order of [`PARAMETERS`].
type Values = [f64; PARAMETERS.len()];

/// The values in `options`.
fn values_of(options: &mut MctsOptions) -> Values {
    PARAMETERS.each_ref().map(|parameter| *(parameter.of)(options))
}

fn names() -> Vec<String> {
    PARAMETERS.iter().map(|parameter| parameter.name.to_owned()).collect()
}

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

    /// The values of the two sides of an iteration that begins with `values`.
    fn changed(&self, values: Values, iteration: u64) -> [Values; 2] {
        let ((perturbation, _), signs) = (self.sizes(iteration), self.signs(iteration));
        [1.0, -1.0].map(|side| {
            std::array::from_fn(|at| {
                let parameter = &PARAMETERS[at];
                let change = side * perturbation * parameter.step * f64::from(signs[at]);
                parameter.within(values[at] + change)
            })
        })
    }

    /// The values after an iteration that begins with `values` and whose first side has `result` more than the second one.
    fn moved(&self, values: Values, iteration: u64, result: f64) -> Values {
        let ((perturbation, gain), signs) = (self.sizes(iteration), self.signs(iteration));
        std::array::from_fn(|at| {
            let parameter = &PARAMETERS[at];
            // The slope along each constant, in shares for each step; every sign is its own inverse.
            let slope = result / (2.0 * perturbation) * f64::from(signs[at]);
            parameter.within(values[at] + gain * slope * parameter.step)
        })
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
    let (player, names, begin) = (player.clone(), names(), values_of(&mut options(player)));
    let settings = Settings { player, games, descents, opening, seed, gain, stability, names, begin };
    let known = read(&out, &settings).unwrap_or_else(|why| panic!("{}: {why}", out.display()));
    let mut values = known.last().map_or(begin, |last| last.values);
    for iteration in known.len() as u64..iterations {
        let machine = &machines[iteration as usize % machines.len()];
        let result = pair(&settings, iteration, machine, values, jobs);
        values = settings.moved(values, iteration, result);
        let (game, signs) = (machine.0.clone(), settings.signs(iteration));
        let line = Step { iteration, game, signs, result, values };
        append(&out, &line).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
        eprintln!("{iteration} {} {result:+.2} {values:.3?}", machine.0);
    }
    let done = iterations.max(known.len() as u64);
    let about = format!("{} at {descents} descents after {done} iterations, seed {seed}", settings.player);
    let table = Table::begin("spsa", &about, &["constant", "before", "now"], json);
    for ((parameter, before), now) in PARAMETERS.iter().zip(begin).zip(values) {
        table.row(&[Cell::text(parameter.name), Cell::Number(before, 3), Cell::Number(now, 3)]);
    }
}

/// Plays the pair of an iteration that begins with `values`. Returns the first side's share minus the second one's.
fn pair(settings: &Settings, iteration: u64, machine: &Machine, values: Values, jobs: usize) -> f64 {
    let sides = settings.changed(values, iteration).map(|values| {
        let mut side = Side::new(&settings.player, settings.descents);
        for (parameter, value) in PARAMETERS.iter().zip(values) {
            *(parameter.of)(&mut side.options) = value;
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
        Settings {
            player: "mcts".to_owned(),
            games: vec!["connect_four".to_owned()],
            descents: 20,
            opening: 2,
            seed: 1,
            gain: 0.5,
            stability: 20.0,
            names: names(),
            begin: values_of(&mut MctsOptions::default()),
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
            let [plus, minus] = settings.changed(values, iteration).map(distance);
            let chance = 0.5 + (minus - plus).clamp(-5.0, 5.0) / 20.0;
            let result = if random.between(0.0..1.0) < chance { 1.0 } else { -1.0 };
            values = settings.moved(values, iteration, result);
        }
        assert!((distance(settings.begin) - 6.0).abs() < 1e-9);
        assert!(distance(values) < 2.0, "{values:?}");
    }

    #[test]
    fn every_constant_reaches_the_player() {
        for (at, parameter) in PARAMETERS.iter().enumerate() {
            let mut options = MctsOptions::default();
            *(parameter.of)(&mut options) = *parameter.range.end();
            for (other, Parameter { of, range, .. }) in PARAMETERS.iter().enumerate() {
                let is_at_end = (*of(&mut options) - range.end()).abs() < 1e-6;
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
        let result = pair(&settings, 0, &machine, settings.begin, 1);
        let again = pair(&settings, 0, &machine, settings.begin, 1);
        assert_eq!(result.to_bits(), again.to_bits(), "seeds decide");
        let values = settings.moved(settings.begin, 0, result);
        let line = Step { iteration: 0, game: machine.0, signs: settings.signs(0), result, values };
        append(&out, &line).unwrap();
        assert_eq!(read(&out, &settings), Ok(vec![line.clone()]));
        let other = Settings { seed: 2, ..settings.clone() };
        assert!(read(&out, &other).unwrap_err().contains("other settings"));
        append(&out, &line).unwrap();
        assert!(read(&out, &settings).unwrap_err().contains("line 3: not iteration 1"));
        std::fs::remove_file(&out).unwrap();
    }
}
