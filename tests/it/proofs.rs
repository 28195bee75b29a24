//! The proofs of `Solver` and of the search against an exhaustive search that shares no code with them:
//! it lists all states by depth and then computes their values backwards (retrograde analysis).

use ggp_game::Batches;
use ggp_game::{Role, StateMachine};
use ggp_propnet::PropNetMachine;
use ggp_search::{Halt, Limits, Solver};
use std::collections::HashMap;

/// A state: the role to choose (`None` if terminal), the first role's goal, and the indices of its
/// children in the next layer.
struct Place {
    chooser: Option<Role>,
    goal: u8,
    children: Vec<u32>,
}

/// The value for the first role, and the number of states. The game must have two roles that move in turn
/// and end after a bounded number of moves.
fn exhaust(machine: &mut PropNetMachine) -> (u8, usize) {
    let mut layer = vec![machine.initial_state().expect("a state")];
    let mut layers: Vec<Vec<Place>> = Vec::new();
    while !layer.is_empty() {
        let mut places = Vec::new();
        let mut index: HashMap<_, u32> = HashMap::new();
        let mut next = Vec::new();
        for states in layer.chunks(64) {
            let states: Vec<_> = states.iter().collect();
            let (mut over, mut goals, mut legal) = (Vec::new(), Vec::new(), Vec::new());
            machine.outcomes(&states, &mut over, &mut goals).expect("outcomes");
            machine.all_legal_moves(&states, &mut legal).expect("legal moves");
            let (mut parents, mut joints, mut of) = (Vec::new(), Vec::new(), Vec::new());
            for (at, state) in states.iter().enumerate() {
                let goal = goals[2 * at].score().value();
                let [first, second] = &legal[2 * at..2 * at + 2] else { panic!("two roles") };
                assert!(over[at] || first.len() == 1 || second.len() == 1, "they move in turn");
                let chooser = (!over[at]).then_some(Role(u8::from(first.len() == 1)));
                places.push(Place { chooser, goal, children: Vec::new() });
                if chooser.is_some() {
                    for one in first {
                        for two in second {
                            parents.push(*state);
                            joints.extend([*one, *two]);
                            of.push(places.len() - 1);
                        }
                    }
                }
            }
            let mut made = Vec::new();
            machine.next_states(&parents, &joints, &mut made).expect("next states");
            for (state, parent) in made.into_iter().zip(of) {
                let fresh = next.len() as u32;
                let number = *index.entry(state.clone()).or_insert(fresh);
                if number == fresh {
                    next.push(state);
                }
                places[parent].children.push(number);
            }
        }
        layers.push(places);
        layer = next;
    }
    let states = layers.iter().map(Vec::len).sum();
    let mut below: Vec<u8> = Vec::new();
    for places in layers.iter().rev() {
        let value = |place: &Place| {
            let children = place.children.iter().map(|&child| below[child as usize]);
            match place.chooser {
                None => place.goal,
                Some(Role(0)) => children.max().expect("a move"),
                Some(_) => children.min().expect("a move"),
            }
        };
        below = places.iter().map(value).collect();
    }
    (below[0], states)
}

/// Exhaustive search and solver must both return `value`.
fn proved(rulesheet: &str, value: u8) {
    let mut machine = ggp_tests::network(rulesheet);
    assert_eq!(exhaust(&mut machine).0, value, "by exhaustion");
    let state = machine.initial_state().expect("a state");
    let mut solver = Solver::new(machine, state, Role(0), 256 << 20);
    assert_eq!(solver.run(&Limits::default()), Halt::Decided);
    let solution = solver.solution();
    assert_eq!((solution.low, solution.high), (value, value), "by proof");
}

#[test]
fn the_endgame_is_what_an_exhaustive_search_says() {
    proved(&ggp_tests::rulesheet("endgame"), 0);
}

#[test]
fn tic_tac_toe_is_drawn() {
    proved(&ggp_tests::rulesheet("tic_tac_toe"), 50);
}

#[test]
fn nim_is_lost_for_whoever_begins() {
    proved(&ggp_tests::rulesheet("nim"), 0);
}

#[test]
fn small_hex_is_won_by_whoever_begins() {
    let mut rules = ggp_tests::rulesheet("hex");
    for line in ["(index 4)", "(index 5)", "(succ 3 4)", "(succ 4 5)"] {
        rules = rules.replace(line, "");
    }
    let rules = rules.replace("(finish red ?x 5)", "(finish red ?x 3)");
    proved(&rules.replace("(finish blue 5 ?y)", "(finish blue 3 ?y)"), 100);
}

#[test]
fn four_in_a_row_on_a_small_board_is_drawn() {
    let mut rules = ggp_tests::rulesheet("connect_four");
    for line in ["(column 5)", "(column 6)", "(column 7)", "(row 5)", "(row 6)"] {
        rules = rules.replace(line, "");
    }
    for line in ["(succ 4 5)", "(succ 5 6)", "(succ 6 7)"] {
        rules = rules.replace(line, "");
    }
    proved(&rules.replace("(occupied ?x 6)", "(occupied ?x 4)"), 50);
}
