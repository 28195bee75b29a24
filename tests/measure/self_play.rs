//! Matches of a player against itself at fixed descents.

use crate::arguments::searcher;
use crate::probe::{NetPosition, Position, Probe, draw, result};
use ggp_game::{CpuClock, Move, Role, StateMachine};
use ggp_propnet::PropNetMachine;
use ggp_search::{Limits, Search};
use std::time::Duration;

/// The random plies before each match, so that matches differ.
pub(crate) const OPENING: u32 = 4;

/// Plays the match `number` of `seed`. Each role has a search of its own, which keeps its tree from turn to turn as in
/// a real match. `turn` is called for each turn of a role that has a choice. No match is played if the opening ends
/// the game.
pub(crate) fn play(
    machine: &mut PropNetMachine,
    player: &str,
    (seed, number): (u64, u64),
    descents: u64,
    mut turn: impl FnMut(&NetPosition, Probe, Duration),
) {
    let Some(Position { mut moves, mut state, .. }) = draw(machine, seed, number, &(OPENING..=OPENING))
    else {
        return;
    };
    let game = machine.game().clone();
    let options = |role: Role| searcher(player, 2 * number + u64::from(role.0));
    let search =
        |role| Search::from_state(machine.clone(), &options(role), state.clone()).expect("evaluable");
    let mut searches: Vec<Search<PropNetMachine>> = game.roles().map(search).collect();
    while !machine.is_terminal(&state).expect("evaluable") {
        let mut joint: Vec<Move> = Vec::new();
        for (role, search) in game.roles().zip(&mut searches) {
            if game.nature() != Some(role) && search.choices(role).expect("evaluable") > 1 {
                let clock = CpuClock::of_this_thread();
                let halt = search.run(&Limits::iterations(descents).for_role(role));
                let cpu = clock.elapsed();
                let position = Position { moves: moves.clone(), state: state.clone(), role };
                turn(&position, result(search, role, &halt), cpu);
            }
            joint.push(search.best_move(role).expect("evaluable").expect("a move"));
        }
        moves.push(joint.iter().map(|&mv| machine.move_text(mv).to_owned()).collect());
        state = machine.next_state(&state, &joint).expect("evaluable");
        for search in &mut searches {
            search.advance(&joint).expect("evaluable");
        }
    }
}
