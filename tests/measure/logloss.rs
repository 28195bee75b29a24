//! How well a search foretells a ten times longer one: the log-loss of its visit shares, how often both choose the
//! same move, and what the choice costs by the longer search's scores.

use crate::arguments::Arguments;
use crate::deviation::{DRAWS, PLIES};
use crate::probe::{Probe, draw, probe};
use crate::statistics::{Mean, entropy, log_loss};
use crate::table::{Cell, Table};
use crate::{jobs, suite};
use std::time::Duration;

/// The seeds of the longer searches begin here, so that they share none with the shorter ones.
const LONG_SEED: u64 = 1_000_000;

/// A player's searches against the longer searches of one player.
#[derive(Clone, Default, Debug)]
struct Forecast {
    loss: Vec<f64>,
    /// The loss above its least value, which is the entropy of the longer search's shares.
    excess: Vec<f64>,
    agreement: Vec<f64>,
    /// By how many points the longer search scores the chosen move below its own choice.
    regret: Vec<f64>,
    cpu: Duration,
}

impl Forecast {
    fn add(&mut self, short: &Probe, long: &Probe, cpu: Duration) {
        let visits = |probe: &Probe| probe.moves.iter().map(|one| one.1).collect::<Vec<_>>();
        let (shares, reference) = (visits(short), visits(long));
        let loss = log_loss(&shares, &reference);
        self.loss.push(loss);
        self.excess.push(loss - entropy(&reference));
        self.agreement.push(f64::from(u8::from(short.chosen == long.chosen)));
        // A move without a visit in the longer search has no score there, and no regret is known.
        if let Some(score) = long.moves.iter().find(|one| one.0 == short.chosen).and_then(|one| one.2) {
            self.regret.push((long.score - score).max(0.0));
        }
        self.cpu += cpu;
    }

    fn merge(&mut self, other: &Forecast) {
        self.loss.extend(&other.loss);
        self.excess.extend(&other.excess);
        self.agreement.extend(&other.agreement);
        self.regret.extend(&other.regret);
        self.cpu += other.cpu;
    }

    fn row(&self, game: &str, player: &str, reference: &str, left_out: usize) -> Vec<Cell> {
        let excess = Mean::of(&self.excess);
        vec![
            Cell::text(game),
            Cell::text(player),
            Cell::text(reference),
            Cell::Count(self.loss.len() as u64),
            Cell::Number(Mean::of(&self.loss).mean(), 3),
            Cell::Number(excess.mean(), 3),
            Cell::Number(excess.error(), 3),
            Cell::Number(Mean::of(&self.agreement).mean(), 2),
            Cell::Number(Mean::of(&self.regret).mean(), 2),
            Cell::Count(left_out as u64),
            Cell::Number(self.cpu.as_secs_f64() / (self.loss.len() as f64).max(1.0), 2),
        ]
    }
}

const COLUMNS: [&str; 11] = [
    "game",
    "player",
    "reference",
    "searches",
    "loss",
    "excess",
    "error",
    "agree",
    "regret",
    "proved",
    "cpu s",
];

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    let (games, json, jobs) = (args.games("all"), args.flag("json"), args.take("jobs", 1));
    let (positions, seeds) = (args.take("positions", 10), args.take("seeds", 2));
    let (descents, times) = (args.take("descents", 5_000), args.take("times", 10));
    let seed = args.take("seed", 1);
    let players = args.players();
    let settings = format!(
        "log-loss in nats of the visit shares at {descents} descents against searches of {times} times as many, \
         {seeds} seeds, positions of seed {seed}"
    );
    let table = Table::begin("logloss", &settings, &COLUMNS, json);
    let pairs: Vec<(&String, &String)> =
        players.iter().flat_map(|player| players.iter().map(move |reference| (player, reference))).collect();
    let mut total = vec![Forecast::default(); pairs.len()];
    let mut left_out = 0;
    let measured = |game: &String| {
        (suite::name(game), of_game(game, &players, seed, positions, seeds, (descents, times)))
    };
    jobs::in_order(jobs, &games, measured, |(game, (forecasts, proved))| {
        left_out += proved;
        for (((player, reference), forecast), total) in pairs.iter().zip(&forecasts).zip(&mut total) {
            table.row(&forecast.row(&game, player, reference, proved));
            total.merge(forecast);
        }
    });
    for ((player, reference), total) in pairs.iter().zip(&total) {
        table.row(&total.row("all", player, reference, left_out));
    }
}

/// The forecasts of each player against each reference, and the number of positions that a search proved.
fn of_game(
    game: &str,
    players: &[String],
    seed: u64,
    positions: usize,
    seeds: u64,
    (descents, times): (u64, u64),
) -> (Vec<Forecast>, usize) {
    let mut machine = suite::network(game);
    let mut forecasts = vec![Forecast::default(); players.len() * players.len()];
    let (mut used, mut proved) = (0, 0);
    for number in 0..(positions * DRAWS) as u64 {
        if used == positions {
            break;
        }
        let Some(position) = draw(&mut machine, seed, number, &PLIES) else { continue };
        let search = |player: &String, seed, descents| probe(&machine, &position, player, seed, descents);
        let long: Vec<Probe> =
            players.iter().map(|player| search(player, LONG_SEED, descents * times).0).collect();
        let short: Vec<Vec<(Probe, Duration)>> = players
            .iter()
            .map(|player| (0..seeds).map(|seed| search(player, seed, descents)).collect())
            .collect();
        if long.iter().chain(short.iter().flatten().map(|(probe, _)| probe)).any(|one| one.proven.is_some()) {
            proved += 1;
            continue;
        }
        used += 1;
        let mut pairs = forecasts.iter_mut();
        for short in &short {
            for long in &long {
                let forecast = pairs.next().expect("one for each pair");
                for (probe, cpu) in short {
                    forecast.add(probe, long, *cpu);
                }
            }
        }
    }
    (forecasts, proved)
}
