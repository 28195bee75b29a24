//! How much the score of the root depends on the seed: searches of the same positions with several seeds.

use crate::arguments::Arguments;
use crate::probe::{Probe, draw, probe};
use crate::statistics::{Mean, deviation, median, quantile};
use crate::table::{Cell, Table};
use crate::{jobs, suite};
use std::time::Duration;

/// The plies at which positions are taken: late enough to differ, early enough to be undecided.
pub(crate) const PLIES: std::ops::RangeInclusive<u32> = 8..=24;

/// So many times the wanted positions are drawn at most; those that a search proves are left out.
pub(crate) const DRAWS: usize = 20;

/// The results of one player in one game.
#[derive(Clone, Default, Debug)]
struct Spread {
    /// The standard deviation of the score over the seeds, for each position.
    deviations: Vec<f64>,
    /// The share of seeds that choose the most frequent move, for each position.
    agreement: Vec<f64>,
    searches: u32,
    cpu: Duration,
}

impl Spread {
    fn add(&mut self, probes: &[Probe]) {
        self.deviations.push(deviation(&probes.iter().map(|probe| probe.score).collect::<Vec<_>>()));
        let votes = |one: &Probe| probes.iter().filter(|other| other.chosen == one.chosen).count();
        self.agreement.push(probes.iter().map(votes).max().unwrap_or(0) as f64 / probes.len() as f64);
    }

    fn merge(&mut self, other: &Spread) {
        self.deviations.extend(&other.deviations);
        self.agreement.extend(&other.agreement);
        self.searches += other.searches;
        self.cpu += other.cpu;
    }

    fn row(&self, game: &str, player: &str, left_out: usize) -> Vec<Cell> {
        vec![
            Cell::text(game),
            Cell::text(player),
            Cell::Count(self.deviations.len() as u64),
            Cell::Number(median(&self.deviations), 2),
            Cell::Number(quantile(&self.deviations, 0.9), 2),
            Cell::Number(Mean::of(&self.deviations).mean(), 2),
            Cell::Number(Mean::of(&self.agreement).mean(), 2),
            Cell::Count(left_out as u64),
            Cell::Number(self.cpu.as_secs_f64() / f64::from(self.searches.max(1)), 2),
        ]
    }
}

const COLUMNS: [&str; 9] =
    ["game", "player", "positions", "median", "p90", "mean", "agree", "proved", "cpu s"];

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    let (games, json, jobs) = (args.games("all"), args.flag("json"), args.take("jobs", 1));
    let (positions, seeds) = (args.take("positions", 10), args.take("seeds", 6));
    let (descents, seed) = (args.take("descents", 50_000), args.take("seed", 1));
    let players = args.players();
    let settings = format!(
        "deviation of the root's score over {seeds} seeds at {descents} descents, positions of seed {seed}"
    );
    let table = Table::begin("deviation", &settings, &COLUMNS, json);
    let mut totals = vec![[Spread::default(), Spread::default(), Spread::default()]; players.len()];
    let mut left_out = [0; 3];
    let measured =
        |game: &String| (suite::name(game), of_game(game, &players, seed, positions, seeds, descents));
    jobs::in_order(jobs, &games, measured, |(game, (spreads, proved))| {
        let group = usize::from(suite::of(&game) != "development");
        for (at, (player, spread)) in players.iter().zip(&spreads).enumerate() {
            table.row(&spread.row(&game, player, proved));
            totals[at][group].merge(spread);
            totals[at][2].merge(spread);
        }
        left_out[group] += proved;
        left_out[2] += proved;
    });
    for (group, name) in ["development", "other games", "all"].into_iter().enumerate() {
        for (player, total) in players.iter().zip(&totals).filter(|(_, total)| total[group].searches > 0) {
            table.row(&total[group].row(name, player, left_out[group]));
        }
    }
}

/// The spread of each player over the same positions, and the number of positions that a search proved.
fn of_game(
    game: &str,
    players: &[String],
    seed: u64,
    positions: usize,
    seeds: u64,
    descents: u64,
) -> (Vec<Spread>, usize) {
    let mut machine = suite::network(game);
    let mut spreads = vec![Spread::default(); players.len()];
    let mut proved = 0;
    for number in 0..(positions * DRAWS) as u64 {
        if spreads[0].deviations.len() == positions {
            break;
        }
        let Some(position) = draw(&mut machine, seed, number, &PLIES) else { continue };
        let mut probes = vec![Vec::new(); players.len()];
        let mut is_proved = false;
        'searches: for seed in 0..seeds {
            for ((player, spread), probes) in players.iter().zip(&mut spreads).zip(&mut probes) {
                let (probe, cpu) = probe(&machine, &position, player, seed, descents);
                is_proved = probe.proven.is_some();
                if is_proved {
                    break 'searches;
                }
                spread.searches += 1;
                spread.cpu += cpu;
                probes.push(probe);
            }
        }
        if is_proved {
            proved += 1;
        } else {
            spreads.iter_mut().zip(&probes).for_each(|(spread, probes)| spread.add(probes));
        }
    }
    (spreads, proved)
}
