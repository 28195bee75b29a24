//! How much the score jumps between successive own turns of self-play. A search that is misled sees its score
//! corrected by the match.

use crate::arguments::Arguments;
use crate::probe::Probe;
use crate::self_play::OPENING;
use crate::statistics::{Mean, median, quantile};
use crate::table::{Cell, Table};
use crate::{jobs, self_play, suite};
use ggp_game::StateMachine;
use ggp_propnet::PropNetMachine;
use std::time::Duration;

/// The jumps of one player in one game.
#[derive(Clone, Default, Debug)]
pub(crate) struct Jumps {
    /// The differences between the scores of successive turns of a role, neither of which is proved.
    open: Vec<f64>,
    /// The differences between a proved goal and the role's score in the turn before, which was not proved.
    at_proof: Vec<f64>,
    turns: u64,
    cpu: Duration,
}

impl Jumps {
    fn merge(&mut self, other: &Jumps) {
        self.open.extend(&other.open);
        self.at_proof.extend(&other.at_proof);
        self.turns += other.turns;
        self.cpu += other.cpu;
    }

    fn row(&self, game: &str, player: &str) -> Vec<Cell> {
        let mean = Mean::of(&self.open);
        vec![
            Cell::text(game),
            Cell::text(player),
            Cell::Count(self.open.len() as u64),
            Cell::Number(mean.mean(), 2),
            Cell::Number(mean.error(), 2),
            Cell::Number(median(&self.open), 2),
            Cell::Number(quantile(&self.open, 0.9), 2),
            Cell::Count(self.at_proof.len() as u64),
            Cell::Number(Mean::of(&self.at_proof).mean(), 1),
            Cell::Number(self.cpu.as_secs_f64() / self.turns.max(1) as f64, 2),
        ]
    }
}

const COLUMNS: [&str; 10] =
    ["game", "player", "jumps", "mean", "error", "median", "p90", "proofs", "at proof", "cpu s"];

pub(crate) fn run(args: &[String]) {
    let mut args = Arguments::read(args);
    let (games, json, jobs) = (args.games("all"), args.flag("json"), args.take("jobs", 1));
    let (matches, descents) = (args.take("matches", 2), args.take("descents", 5_000));
    let seed = args.take("seed", 1);
    let players = args.players();
    let settings = format!(
        "jumps of the score between successive own turns, {matches} matches of self-play at {descents} descents, \
         openings of {OPENING} plies of seed {seed}"
    );
    let table = Table::begin("jump", &settings, &COLUMNS, json);
    let mut total = vec![Jumps::default(); players.len()];
    let measured = |game: &String| {
        let mut machine = suite::network(game);
        let of_player = |player: &String| {
            let mut jumps = Jumps::default();
            for number in 0..matches {
                of_match(&mut machine, player, (seed, number), descents, &mut jumps);
            }
            jumps
        };
        (suite::name(game), players.iter().map(of_player).collect::<Vec<_>>())
    };
    jobs::in_order(jobs, &games, measured, |(game, all)| {
        for ((player, jumps), total) in players.iter().zip(&all).zip(&mut total) {
            table.row(&jumps.row(&game, player));
            total.merge(jumps);
        }
    });
    for (player, total) in players.iter().zip(&total) {
        table.row(&total.row("all", player));
    }
}

/// Adds the jumps of one match of `player` against itself.
fn of_match(
    machine: &mut PropNetMachine,
    player: &str,
    match_id: (u64, u64),
    descents: u64,
    jumps: &mut Jumps,
) {
    // The probe of each role's last turn.
    let mut last: Vec<Option<Probe>> = vec![None; machine.game().role_count()];
    self_play::play(machine, player, match_id, descents, |position, probe, cpu| {
        jumps.cpu += cpu;
        jumps.turns += 1;
        let last = &mut last[position.role.index()];
        if let Some(before) = last.as_ref().filter(|before| before.proven.is_none()) {
            let jumps = if probe.proven.is_some() { &mut jumps.at_proof } else { &mut jumps.open };
            jumps.push((probe.score - before.score).abs());
        }
        *last = Some(probe);
    });
}

#[cfg(test)]
mod tests {
    use super::{Jumps, of_match};

    #[test]
    fn self_play_repeats() {
        let mut machine = ggp_tests::network(&ggp_tests::rulesheet("connect_four"));
        let mut jumps = |seed| {
            let mut jumps = Jumps::default();
            of_match(&mut machine, "mcts", (seed, 0), 60, &mut jumps);
            (jumps.open, jumps.at_proof, jumps.turns)
        };
        let once = jumps(1);
        assert!(!once.0.is_empty() && once.0.iter().all(|jump| (0.0..=100.0).contains(jump)), "{once:?}");
        assert_eq!(jumps(1), once);
        assert_ne!(jumps(2), once);
    }
}
