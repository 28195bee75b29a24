//! How much the score jumps between successive own turns of self-play. A search that is misled sees its score
//! corrected by the match.

use crate::arguments::{Arguments, searcher};
use crate::probe::{draw, result};
use crate::statistics::{Mean, median, quantile};
use crate::table::{Cell, Table};
use crate::{jobs, suite};
use ggp_game::{CpuClock, Move, Role, StateMachine};
use ggp_propnet::PropNetMachine;
use ggp_search::{Limits, Search};
use std::time::Duration;

/// The random plies before the matches, so that they differ.
const OPENING: u32 = 4;

/// The jumps of one player in one game.
#[derive(Clone, Default, Debug)]
pub(crate) struct Jumps {
    /// The differences between the scores of successive turns of a role, neither of which is proved.
    open: Vec<f64>,
    /// The differences between a role's first proved goal and its score in the turn before.
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
            (0..matches).for_each(|number| play(&mut machine, player, (seed, number), descents, &mut jumps));
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

/// Plays one match of `player` against itself. Each role has a search of its own, which keeps its tree from turn to
/// turn as in a real match.
fn play(
    machine: &mut PropNetMachine,
    player: &str,
    (seed, number): (u64, u64),
    descents: u64,
    jumps: &mut Jumps,
) {
    let Some(start) = draw(machine, seed, number, &(OPENING..=OPENING)) else { return };
    let game = machine.game().clone();
    let mut state = start.state;
    let options = |role: Role| searcher(player, 2 * number + u64::from(role.0));
    let search =
        |role| Search::from_state(machine.clone(), &options(role), state.clone()).expect("evaluable");
    let mut searches: Vec<Search<PropNetMachine>> = game.roles().map(search).collect();
    // The score of each role in its last turn; `None` before the first, and after a proof.
    let mut last: Vec<Option<f64>> = vec![None; game.role_count()];
    let mut is_proved = vec![false; game.role_count()];
    while !machine.is_terminal(&state).expect("evaluable") {
        let mut joint: Vec<Move> = Vec::new();
        for (role, search) in game.roles().zip(&mut searches) {
            let is_nature = game.nature() == Some(role);
            if !is_nature && search.choices(role).expect("evaluable") > 1 {
                let clock = CpuClock::of_this_thread();
                let halt = search.run(&Limits::iterations(descents).for_role(role));
                jumps.cpu += clock.elapsed();
                jumps.turns += 1;
                let probe = result(search, role, &halt);
                let before = last[role.index()].take();
                let is_new = !is_proved[role.index()];
                match (probe.proven, before) {
                    (None, Some(before)) => jumps.open.push((probe.score - before).abs()),
                    (Some(_), Some(before)) if is_new => jumps.at_proof.push((probe.score - before).abs()),
                    _ => {}
                }
                is_proved[role.index()] |= probe.proven.is_some();
                last[role.index()] = probe.proven.is_none().then_some(probe.score);
            }
            joint.push(search.best_move(role).expect("evaluable").expect("a move"));
        }
        state = machine.next_state(&state, &joint).expect("evaluable");
        for search in &mut searches {
            search.advance(&joint).expect("evaluable");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Jumps, play};

    #[test]
    fn self_play_repeats() {
        let mut machine = ggp_tests::network(&ggp_tests::rulesheet("connect_four"));
        let mut jumps = |seed| {
            let mut jumps = Jumps::default();
            play(&mut machine, "mcts", (seed, 0), 60, &mut jumps);
            (jumps.open, jumps.at_proof, jumps.turns)
        };
        let once = jumps(1);
        assert!(!once.0.is_empty() && once.0.iter().all(|jump| (0.0..=100.0).contains(jump)), "{once:?}");
        assert_eq!(jumps(1), once);
        assert_ne!(jumps(2), once);
    }
}
