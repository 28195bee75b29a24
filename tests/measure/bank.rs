//! A bank of proved positions: how many of them a search proves too, in some CPU time and in fixed descents.

mod build;
mod entry;

use crate::arguments::{Arguments, searcher};
use crate::probe::{NetPosition, probe, result};
use crate::table::{Cell, Table};
use crate::{duel, jobs, suite};
use ggp_game::CpuClock;
use ggp_propnet::PropNetMachine;
use ggp_search::{Halt, Search};
use std::path::PathBuf;
use std::time::Duration;

/// The results of one player on the positions of one game.
#[derive(Clone, Copy, Default, Debug)]
struct Proofs {
    positions: u64,
    in_time: u64,
    in_descents: u64,
    /// The proofs that contradict the bank. There must be none.
    wrong: u64,
    /// The CPU time of the searches with fixed descents.
    cpu: Duration,
}

impl Proofs {
    fn merge(&mut self, other: Proofs) {
        self.positions += other.positions;
        self.in_time += other.in_time;
        self.in_descents += other.in_descents;
        self.wrong += other.wrong;
        self.cpu += other.cpu;
    }

    fn row(&self, game: &str, player: &str) -> Vec<Cell> {
        let positions = self.positions.max(1) as f64;
        vec![
            Cell::text(game),
            Cell::text(player),
            Cell::Count(self.positions),
            Cell::Count(self.in_time),
            Cell::Number(self.in_time as f64 / positions, 2),
            Cell::Count(self.in_descents),
            Cell::Number(self.in_descents as f64 / positions, 2),
            Cell::Count(self.wrong),
            Cell::Number(self.cpu.as_secs_f64() / positions, 2),
        ]
    }
}

const COLUMNS: [&str; 9] =
    ["game", "player", "positions", "in time", "share", "in descents", "share of them", "wrong", "cpu s"];

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    if args.flag("build") {
        return build::run(args);
    }
    let (json, jobs) = (args.flag("json"), args.take("jobs", 1));
    let (seconds, descents) = (args.take("seconds", 1.0), args.take("descents", 20_000));
    let (seed, most) = (args.take("seed", 1), args.take("positions", usize::MAX));
    let bank = entry::read(&args.given("bank").unwrap_or_else(default_bank));
    let games: Vec<String> =
        args.games("all").into_iter().filter(|game| bank.iter().any(|entry| entry.game == *game)).collect();
    let players = args.players();
    let settings =
        format!("positions proved in {seconds} s of CPU time, and in {descents} descents, seed {seed}");
    let table = Table::begin("bank", &settings, &COLUMNS, json);
    let mut total = vec![Proofs::default(); players.len()];
    let measured = |game: &String| {
        let mut machine = suite::network(game);
        let mut proofs = vec![Proofs::default(); players.len()];
        for entry in bank.iter().filter(|entry| entry.game == *game).take(most) {
            let position = entry.position(&mut machine);
            for (player, proofs) in players.iter().zip(&mut proofs) {
                let timed = in_time(&machine, &position, player, seed, Duration::from_secs_f64(seconds));
                let (fixed, cpu) = probe(&machine, &position, player, seed, descents);
                let wrong = |goal: &Option<u8>| goal.is_some_and(|goal| goal != entry.value);
                proofs.merge(Proofs {
                    positions: 1,
                    in_time: u64::from(timed.is_some()),
                    in_descents: u64::from(fixed.proven.is_some()),
                    wrong: u64::from(wrong(&timed) || wrong(&fixed.proven)),
                    cpu,
                });
            }
        }
        (game.clone(), proofs)
    };
    jobs::in_order(jobs, &games, measured, |(game, proofs)| {
        for ((player, proofs), total) in players.iter().zip(&proofs).zip(&mut total) {
            table.row(&proofs.row(&game, player));
            total.merge(*proofs);
        }
    });
    for (player, total) in players.iter().zip(&total) {
        table.row(&total.row("all", player));
    }
}

/// The bank of the project.
fn default_bank() -> PathBuf {
    ggp_tests::workspace().join("tests/positions/proved.tsv")
}

/// The goal that a search proves within `budget` of CPU time.
fn in_time(
    machine: &PropNetMachine,
    position: &NetPosition,
    spec: &str,
    seed: u64,
    budget: Duration,
) -> Option<u8> {
    let clock = CpuClock::of_this_thread();
    let mut search = Search::from_state(machine.clone(), &searcher(spec, seed), position.state.clone())
        .expect("evaluable");
    // What a search prepares counts, as it does in a match.
    duel::think(&mut search, budget.saturating_sub(clock.elapsed()), |search, limits| {
        search.run(&limits.for_role(position.role))
    });
    result(&mut search, position.role, &Halt::Decided).proven
}
