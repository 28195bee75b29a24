//! Positions from seeded playouts, and one search of a position.

use crate::arguments::searcher;
use ggp_game::rng::Stream;
use ggp_game::{CpuClock, Move, Role, StateMachine};
use ggp_propnet::PropNetMachine;
use ggp_search::{Halt, Limits, Search};
use std::ops::RangeInclusive;
use std::time::Duration;

/// A state after some joint moves, and a role that has a choice in it.
#[derive(Clone, Debug)]
pub(crate) struct Position<S> {
    /// The joint moves from the initial state, as texts.
    pub(crate) moves: Vec<Vec<String>>,
    pub(crate) state: S,
    pub(crate) role: Role,
}

pub(crate) type NetPosition = Position<<PropNetMachine as StateMachine>::State>;

/// Plays uniformly at random to a ply that is drawn from `plies`, and on until a role has a choice. The seed and the
/// number of the position decide all draws. `None` if the game ends before.
pub(crate) fn draw(
    machine: &mut PropNetMachine,
    seed: u64,
    number: u64,
    plies: &RangeInclusive<u32>,
) -> Option<NetPosition> {
    let stream = Stream::new(seed, number);
    // The ply is drawn as by a role that no game has.
    let ply = plies.start() + stream.below(0, Role(u8::MAX), plies.end() - plies.start() + 1);
    let (mut moves, mut state) = (Vec::new(), machine.initial_state().expect("a state"));
    loop {
        if machine.is_terminal(&state).expect("evaluable") {
            return None;
        }
        let legal = legal(machine, &state);
        let step = moves.len() as u32;
        if step >= ply
            && let Some(role) = chooser(machine, &legal)
        {
            return Some(Position { moves, state, role });
        }
        let pick = |(role, moves): (usize, &Vec<Move>)| {
            moves[stream.below(step, Role(role as u8), moves.len() as u32) as usize]
        };
        let joint: Vec<Move> = legal.iter().enumerate().map(pick).collect();
        moves.push(joint.iter().map(|&mv| machine.move_text(mv).to_owned()).collect());
        state = machine.next_state(&state, &joint).expect("evaluable");
    }
}

/// The first role other than chance that has a choice.
pub(crate) fn chooser(machine: &PropNetMachine, legal: &[Vec<Move>]) -> Option<Role> {
    let nature = machine.game().nature();
    machine.game().roles().find(|&role| nature != Some(role) && legal[role.index()].len() > 1)
}

/// Each role's legal moves.
pub(crate) fn legal(
    machine: &mut PropNetMachine,
    state: &<PropNetMachine as StateMachine>::State,
) -> Vec<Vec<Move>> {
    let roles: Vec<Role> = machine.game().roles().collect();
    let mut legal = vec![Vec::new(); roles.len()];
    for (role, moves) in roles.into_iter().zip(&mut legal) {
        machine.legal_moves(state, role, moves).expect("evaluable");
    }
    legal
}

/// What one search says about a position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Probe {
    /// The score of the move that the search plays, 0 to 100: its proved goal, or its mean.
    pub(crate) score: f64,
    /// The goal of the role, if it is proved.
    pub(crate) proven: Option<u8>,
    /// The move that the search plays.
    pub(crate) chosen: String,
    /// The role's moves in the order of their texts, with their visits and scores.
    pub(crate) moves: Vec<(String, f64, Option<f64>)>,
}

/// A probe and the CPU time that it took.
pub(crate) type Costed = (Probe, Duration);

/// Searches `position` anew with `descents` iterations.
pub(crate) fn probe(
    machine: &PropNetMachine,
    position: &NetPosition,
    spec: &str,
    seed: u64,
    descents: u64,
) -> Costed {
    let clock = CpuClock::of_this_thread();
    let mut search = Search::from_state(machine.clone(), &searcher(spec, seed), position.state.clone())
        .expect("evaluable");
    let halt = search.run(&Limits::iterations(descents).for_role(position.role));
    (result(&mut search, position.role, &halt), clock.elapsed())
}

/// The result of a search that has run.
pub(crate) fn result(search: &mut Search<PropNetMachine>, role: Role, halt: &Halt) -> Probe {
    assert!(!matches!(halt, Halt::Failing(_)), "{halt:?}");
    // A search that had no time has not listed the moves yet.
    search.choices(role).expect("evaluable");
    let report = search.report(role);
    let first = report.candidates.first().expect("a legal move");
    let mut moves: Vec<(String, f64, Option<f64>)> =
        report.candidates.iter().map(|one| (one.mv.clone(), one.visits as f64, one.score)).collect();
    moves.sort_by(|a, b| a.0.cmp(&b.0));
    let proven = if *halt == Halt::Decided { first.proven } else { None };
    let score = first.proven.map(f64::from).or(first.score).unwrap_or(0.0);
    Probe { score, proven, chosen: first.mv.clone(), moves }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str) -> PropNetMachine {
        ggp_tests::network(&ggp_tests::rulesheet(name))
    }

    #[test]
    fn positions_depend_on_seed_and_number_alone() {
        let mut machine = machine("connect_four");
        let draw = |machine: &mut PropNetMachine, number| draw(machine, 3, number, &(4..=9)).unwrap();
        let (first, second) = (draw(&mut machine, 0), draw(&mut machine, 1));
        assert_eq!(draw(&mut machine, 0).moves, first.moves);
        assert_ne!(first.moves, second.moves);
        assert!((4..=9).contains(&first.moves.len()), "{:?}", first.moves);
        assert!(super::draw(&mut machine, 3, 0, &(60..=60)).is_none(), "the board has 42 cells");
    }

    #[test]
    fn a_search_of_fixed_descents_repeats() {
        let mut machine = machine("connect_four");
        let position = draw(&mut machine, 1, 0, &(4..=4)).unwrap();
        for spec in ["mcts", "mcts:mast=off", "uct"] {
            let once = probe(&machine, &position, spec, 5, 400).0;
            assert_eq!(probe(&machine, &position, spec, 5, 400).0, once, "{spec}");
            assert_ne!(probe(&machine, &position, spec, 6, 400).0, once, "{spec}");
        }
    }

    #[test]
    fn the_end_is_proved() {
        let mut machine = machine("tic_tac_toe");
        let position = draw(&mut machine, 1, 0, &(6..=6)).unwrap();
        let probe = probe(&machine, &position, "mcts", 1, 2_000).0;
        assert!(probe.proven.is_some_and(|goal| (f64::from(goal) - probe.score).abs() < 1e-9), "{probe:?}");
    }
}
