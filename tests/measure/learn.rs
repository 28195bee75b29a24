//! What self-play teaches: for each generation, the share of the variance of siblings' values that the policy and the
//! history of moves explain on held-out matches, and whether searches use the policy.

use crate::arguments::{Arguments, searcher};
use crate::table::{Cell, Table};
use crate::{jobs, suite};
use ggp_game::CpuClock;
use ggp_search::{Generation, Limits, Search};
use std::time::Duration;

const COLUMNS: [&str; 8] =
    ["game", "generation", "matches", "samples", "by history", "by policy", "used", "cpu s"];

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    let (games, json, jobs) = (args.games("all"), args.flag("json"), args.take("jobs", 1));
    let (descents, seed) = (args.take("descents", 1_000_000), args.take("seed", 1));
    let player = args.players().remove(0);
    let settings = format!("self-play of {descents} descents by {player}, seed {seed}");
    let table = Table::begin("learn", &settings, &COLUMNS, json);
    let measured = |game: &String| {
        let clock = CpuClock::of_this_thread();
        let mut search = Search::new(suite::network(game), &searcher(&player, seed)).expect("evaluable");
        let generations = search.learn(&Limits::iterations(descents)).expect("evaluable");
        (suite::name(game), generations, clock.elapsed())
    };
    jobs::in_order(
        jobs,
        &games,
        measured,
        |(game, generations, cpu): (String, Vec<Generation>, Duration)| {
            for (number, generation) in (1..).zip(&generations) {
                table.row(&[
                    Cell::text(&game),
                    Cell::Count(number),
                    Cell::Count(generation.matches),
                    Cell::Count(generation.samples),
                    Cell::Number(generation.by_history, 3),
                    Cell::Number(generation.by_policy, 3),
                    Cell::text(if generation.passes() { "yes" } else { "no" }),
                    Cell::Number(cpu.as_secs_f64(), 1),
                ]);
            }
        },
    );
}
