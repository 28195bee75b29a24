//! What more descents are worth: a player with some times the descents against itself. Where they are worth little,
//! the search is biased, and no speed helps.

use crate::arguments::Arguments;
use crate::contest::{self, Duel, Side};
use crate::statistics::Mean;
use crate::table::{Cell, Table};
use std::time::Duration;

const COLUMNS: [&str; 7] = ["game", "player", "pairs", "share", "error", "cpu s", "cpu s less"];

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    let (games, json, jobs) = (args.games("ten"), args.flag("json"), args.take("jobs", 1));
    let (matches, opening) = (args.take("matches", 30u64), args.take("opening", 4));
    let (descents, times) = (args.take("descents", 3_000), args.take("times", 10));
    let seed = args.take("seed", 1);
    let players = args.players();
    let settings = format!(
        "share of {} descents a move against {descents}, {matches} matches a game in pairs with swapped seats, \
         openings of {opening} plies of seed {seed}",
        descents * times
    );
    let table = Table::begin("scaling", &settings, &COLUMNS, json);
    for player in &players {
        let (mut shares, mut cpu) = (Mean::default(), [Duration::ZERO; 2]);
        for game in &games {
            let sides = [descents * times, descents].map(|descents| Side::new(player, descents));
            let duel = Duel { sides, seed, opening, matches, jobs, sprt: None, out: None };
            let outcome = contest::play(&duel, contest::machines(std::slice::from_ref(game)), |_, _, _| {});
            for share in outcome.games.values() {
                table.row(&row(game, player, share, outcome.cpu));
                shares.merge(share);
            }
            cpu = [cpu[0] + outcome.cpu[0], cpu[1] + outcome.cpu[1]];
        }
        table.row(&row("all", player, &shares, cpu));
    }
}

fn row(game: &str, player: &str, share: &Mean, cpu: [Duration; 2]) -> Vec<Cell> {
    vec![
        Cell::text(game),
        Cell::text(player),
        Cell::Count(share.count()),
        Cell::Number(share.mean(), 3),
        Cell::Number(share.error(), 3),
        Cell::Number(cpu[0].as_secs_f64(), 0),
        Cell::Number(cpu[1].as_secs_f64(), 0),
    ]
}
