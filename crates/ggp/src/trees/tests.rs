//! Searches without any knowledge find wins, and repeat.

use super::{Root, TreeOptions, Trees};
use crate::reasoner::{Reasoner, State};
use ggp_game::{Role, StateMachine};

fn game(name: &str) -> Reasoner {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/");
    Reasoner::new(&crate::load(format!("{path}{name}.kif")).expect("rules")).expect("a reasoner")
}

/// Searches from `states` with a flat policy and values of one half, `capacity` leaves at a time.
fn search(reasoner: &Reasoner, states: &[State], options: &TreeOptions, capacity: usize) -> Trees {
    let mut trees = Trees::new(reasoner, states, options).expect("a network");
    let (roles, width) = trees.shape();
    let fluents = reasoner.fluents().expect("a network").len();
    loop {
        let count = trees.descend(capacity).expect("evaluable");
        if count == 0 {
            return trees;
        }
        assert!(count <= capacity);
        let (mut rows, mut mask) = (vec![9; count * fluents], vec![9; count * roles * width]);
        trees.write_facts(&mut rows);
        trees.write_legal(&mut mask);
        assert!(rows.iter().chain(&mask).all(|&byte| byte <= 1));
        assert!(mask.chunks(width).all(|mask| mask.contains(&1)), "every role has a move");
        trees.update(&vec![0.0; count * roles * width], &vec![0.5; count * roles]);
    }
}

#[test]
#[should_panic(expected = "a value for each of 2 leaves and role")]
fn leaves_without_a_value_are_refused() {
    let mut reasoner = game("tic_tac_toe");
    let start = reasoner.initial_state().expect("a state");
    let mut trees =
        Trees::new(&reasoner, &[start.clone(), start], &TreeOptions::default()).expect("a network");
    let (roles, width) = trees.shape();
    let count = trees.descend(2).expect("evaluable");
    trees.update(&vec![0.0; count * roles * width], &vec![0.5; roles]);
}

/// States of tic-tac-toe in which the role to move wins at once, each with that role and the winning move.
fn wins(reasoner: &mut Reasoner) -> Vec<(State, Role, String)> {
    let mut found = Vec::new();
    let roles: Vec<Role> = reasoner.game().roles().collect();
    let mut open = vec![reasoner.initial_state().expect("a state")];
    while let Some(state) = open.pop() {
        if found.len() > 20 || reasoner.is_terminal(&state).expect("evaluable") {
            continue;
        }
        let legal: Vec<Vec<String>> =
            roles.iter().map(|&role| reasoner.legal_texts(&state, role).expect("moves")).collect();
        let Some(mover) = legal.iter().position(|legal| legal.len() > 1) else { continue };
        let mut winning = Vec::new();
        for text in &legal[mover] {
            let joint: Vec<&str> = legal
                .iter()
                .enumerate()
                .map(|(role, legal)| if role == mover { text.as_str() } else { legal[0].as_str() })
                .collect();
            let moves = reasoner.parse_joint(&joint).expect("moves");
            let next = reasoner.next_state(&state, &moves).expect("a state");
            let goals = reasoner.goals_of(&next).expect("goals");
            if reasoner.is_terminal(&next).expect("evaluable") && goals[mover].score().value() == 100 {
                winning.push(text.clone());
            }
            open.push(next);
        }
        if let [one] = &winning[..] {
            found.push((state, roles[mover], one.clone()));
        }
    }
    found
}

#[test]
fn a_winning_move_is_found_and_searches_repeat() {
    let mut reasoner = game("tic_tac_toe");
    let wins = wins(&mut reasoner);
    assert!(wins.len() > 10);
    let states: Vec<State> = wins.iter().map(|(state, ..)| state.clone()).collect();
    for root in [Root::Puct, Root::Gumbel(8)] {
        let options = TreeOptions { simulations: 64, root, seed: 4, ..TreeOptions::default() };
        let trees = search(&reasoner, &states, &options, 7);
        let again = search(&reasoner, &states, &options, 64);
        for (tree, (_, role, winning)) in wins.iter().enumerate() {
            let moves = reasoner.moves(*role).expect("a network");
            let policy = trees.policy(tree, *role);
            let first = (0..policy.len()).max_by(|&one, &other| policy[one].total_cmp(&policy[other]));
            let best = match root {
                Root::Puct => trees.best(tree, *role).expect("a move") as usize,
                // Noise may choose another move, but the policy has none.
                Root::Gumbel(_) => first.expect("a move"),
            };
            assert_eq!(moves[best], winning, "{root:?}");
            assert_eq!(trees.visits(tree, *role).iter().sum::<u32>(), 64);
            assert_eq!(trees.visits(tree, *role), again.visits(tree, *role), "the capacity changes nothing");
            assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            // Gumbel roots also visit the moves that lose.
            assert!(root != Root::Puct || trees.value(tree, *role) > 0.6);
        }
    }
}

#[test]
fn roles_that_choose_at_once_mix_their_moves() {
    let mut reasoner = game("rock_paper_scissors");
    let start = reasoner.initial_state().expect("a state");
    let options = TreeOptions { simulations: 300, ..TreeOptions::default() };
    let trees = search(&reasoner, &[start], &options, 64);
    let visits = trees.visits(0, Role(0));
    assert!(visits.iter().filter(|&&count| count > 30).count() == 3, "{visits:?}");
}

#[test]
fn an_ended_game_has_its_goals() {
    let mut reasoner = game("tic_tac_toe");
    let (state, role, winning) = wins(&mut reasoner).swap_remove(0);
    let roles: Vec<Role> = reasoner.game().roles().collect();
    let joint: Vec<String> = roles
        .iter()
        .map(|&one| {
            if one == role {
                winning.clone()
            } else {
                reasoner.legal_texts(&state, one).expect("moves")[0].clone()
            }
        })
        .collect();
    let moves = reasoner.parse_joint(&joint).expect("moves");
    let over = reasoner.next_state(&state, &moves).expect("a state");
    let trees = search(&reasoner, &[over], &TreeOptions::default(), 8);
    assert!((trees.value(0, role) - 1.0).abs() < 1e-6);
    assert_eq!(trees.best(0, role), None);
    assert!(trees.policy(0, role).iter().all(|&share| share == 0.0));
}
