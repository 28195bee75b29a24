//! The sequential test of two players over a suite, at fixed descents: every game in turn, each pair from one random
//! opening with swapped seats.

use crate::arguments::Arguments;
use crate::contest::{self, Duel, Outcome, Side};
use crate::statistics::Mean;
use crate::table::{Cell, Table};
use ggp_arena::elo::{Sprt, SprtState};

const COLUMNS: [&str; 5] = ["game", "player", "pairs", "share", "error"];

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    let (games, json, jobs) = (args.games("development"), args.flag("json"), args.take("jobs", 1));
    let (matches, opening) = (args.take("matches", 600u64), args.take("opening", 4));
    let (descents, seed) = (args.take("descents", 20_000), args.take("seed", 1));
    let (elo0, elo1, out) = (args.take("elo0", 0.0), args.take("elo1", 40.0), args.given("out"));
    let players = args.players();
    let [a, b] = &players[..] else { panic!("two players are compared: A B") };
    let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap_or_else(|why| panic!("{why}"));
    let settings = format!(
        "{a} (A) against {b} (B) at {descents} descents, elo0 {elo0}, elo1 {elo1}, at most {matches} matches, \
         openings of {opening} plies of seed {seed}"
    );
    let sides = [a, b].map(|spec| Side::new(spec, descents));
    let machines = contest::machines(&games);
    let round = 2 * machines.len() as u64;
    let duel = Duel { sides, seed, opening, matches, jobs, sprt: Some(sprt), out };
    let table = Table::begin("sprt", &settings, &COLUMNS, json);
    let outcome = contest::play(&duel, machines, |_, done, sprt| {
        if done.is_multiple_of(round)
            && let Some(state) = sprt
        {
            eprintln!("{done} matches, {}", ratio(&state));
        }
    });
    print(&table, &outcome, a);
}

fn print(table: &Table, outcome: &Outcome, player: &str) {
    let row = |game: &str, share: &Mean| {
        let (mean, error) = (Cell::Number(share.mean(), 3), Cell::Number(share.error(), 3));
        table.row(&[Cell::text(game), Cell::text(player), Cell::Count(share.count()), mean, error]);
    };
    let mut all = Mean::default();
    for (game, share) in &outcome.games {
        row(game, share);
        all.merge(share);
    }
    row("all", &all);
    if let Some(pairs) = &outcome.pairs {
        table.note(&format!("pairs with 0, ¼, ½, ¾ and 1: {:?}", pairs.pentanomial));
        if let Some(difference) = &pairs.difference {
            let elo = difference.elo;
            table.note(&format!("Elo of A above B {:+.0} ({:+.0} to {:+.0})", elo.value, elo.low, elo.high));
        }
    }
    if let Some(state) = &outcome.sprt {
        table.note(&ratio(state));
    }
    let [a, b] = outcome.cpu.map(|cpu| cpu.as_secs_f64());
    table.note(&format!("CPU time of this run: A {a:.0} s, B {b:.0} s"));
}

/// The state of the test in words.
fn ratio(state: &SprtState) -> String {
    let decision = state.accepted.map_or("undecided".to_owned(), |accepted| format!("{accepted:?} accepted"));
    format!(
        "log-likelihood ratio {:+.2} of {:.2} to {:.2} after {} pairs: {decision}",
        state.llr, state.lower, state.upper, state.count
    )
}
