//! The building of the bank. Matches of self-play are walked back from their ends, from position to position, as
//! long as a proof is found. A position is kept if short searches of all players do not prove it. Proofs come from
//! the depth-first solver and from long searches of every player, so that the bank does not prefer the positions of
//! one player. Everything has fixed numbers of states and descents, so a seed gives the same bank.

use super::entry::Entry;
use crate::arguments::Arguments;
use crate::probe::{NetPosition, probe};
use crate::{self_play, suite};
use ggp_propnet::PropNetMachine;
use ggp_search::{Limits, Solver};
use std::io::Write;

/// The memory of the solver in bytes.
const MEMORY: usize = 256 << 20;

/// What may be spent on a position.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// Descents a move of self-play.
    play: u64,
    /// A position that so many descents prove is too easy.
    easy: u64,
    /// Descents of the long searches.
    long: u64,
    /// States of the solver.
    states: u64,
    /// Positions of one match that are kept.
    kept: usize,
}

pub(super) fn run(mut args: Arguments) {
    let (games, seed, matches) = (args.games("all"), args.take("seed", 1), args.take("matches", 6));
    let budget = Budget {
        play: args.take("descents", 1_000),
        easy: args.take("easy", 10_000),
        long: args.take("long", 200_000),
        states: args.take("states", 2_000_000),
        kept: args.take("positions", 2),
    };
    let players = args.players();
    println!("# Positions that `measure bank --build` proved with {budget:?}, seed {seed}, {players:?}.");
    println!("# The columns are described in tests/measure/bank/entry.rs.");
    for game in &games {
        let mut machine = suite::network(game);
        for number in 0..matches {
            for entry in of_match(game, &mut machine, &players, (seed, number), budget) {
                println!("{}", entry.line());
                let _ = std::io::stdout().flush();
            }
        }
    }
}

/// The positions of one match that are kept, from the last to the first.
fn of_match(
    game: &str,
    machine: &mut PropNetMachine,
    players: &[String],
    (seed, number): (u64, u64),
    budget: Budget,
) -> Vec<Entry> {
    let (mut kept, mut turns) = (Vec::new(), Vec::new());
    let keep = |position: &NetPosition, _, _| turns.push(position.clone());
    self_play::play(machine, &players[0], (seed, number), budget.play, keep);
    for position in turns.into_iter().rev() {
        if kept.len() == budget.kept {
            break;
        }
        let goals = |descents: u64| {
            let prove = |player: &String| probe(machine, &position, player, seed, descents).0.proven;
            players.iter().map(prove).collect::<Vec<_>>()
        };
        if goals(budget.easy).iter().any(Option::is_some) {
            continue;
        }
        let mut proofs = goals(budget.long);
        proofs.push(solved(machine, &position, budget.states));
        proofs.retain(Option::is_some);
        let Some(Some(value)) = proofs.first().copied() else { break };
        assert!(proofs.iter().all(|proof| *proof == Some(value)), "{game}: proofs {proofs:?} disagree");
        kept.push(Entry { game: game.to_owned(), role: position.role, value, moves: position.moves });
    }
    kept
}

/// The value of the position if the depth-first solver proves it with `states` states.
fn solved(machine: &PropNetMachine, position: &NetPosition, states: u64) -> Option<u8> {
    let mut solver = Solver::new(machine.clone(), position.state.clone(), position.role, MEMORY);
    solver.run(&Limits::iterations(states));
    let solution = solver.solution();
    (solution.low == solution.high).then_some(solution.low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggp_game::StateMachine;

    #[test]
    fn a_seed_gives_the_same_bank_of_true_values() {
        let mut machine = ggp_tests::network(&ggp_tests::rulesheet("connect_four"));
        let budget = Budget { play: 50, easy: 50, long: 1_000, states: 20_000, kept: 2 };
        let players = ["mcts".to_owned(), "mcts:mast=off".to_owned()];
        let mut build = || {
            let of_match = |number| of_match("connect_four", &mut machine, &players, (1, number), budget);
            (0..4).flat_map(of_match).collect::<Vec<Entry>>()
        };
        let bank = build();
        assert!(!bank.is_empty());
        assert_eq!(build(), bank);
        for entry in bank {
            let position = entry.position(&mut machine);
            assert!(!machine.is_terminal(&position.state).unwrap());
            let solved = solved(&machine, &position, 60_000);
            assert!(solved.is_none_or(|value| value == entry.value), "{entry:?}: {solved:?}");
        }
    }
}
