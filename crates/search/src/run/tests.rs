//! Tests of complete searches.

use crate::limits::{Halt, Limits};
use crate::options::MctsOptions;
use crate::search::Search;
use crate::technique::Technique;
use crate::test_games::{self, Rules, TestMachine};
use ggp_game::{Move, Role, SearchReport};
use std::time::Duration;

fn options() -> [MctsOptions; 2] {
    [MctsOptions::default(), MctsOptions::uct()]
}

fn searched<R: Rules>(
    machine: TestMachine<R>,
    options: &MctsOptions,
    iterations: u64,
) -> Search<TestMachine<R>> {
    let mut search = Search::new(machine, options).unwrap();
    search.run(&Limits::iterations(iterations));
    search
}

#[test]
fn it_wins_and_blocks_in_one() {
    for options in options() {
        for (cells, best) in [([1, 1, 0, 2, 2, 0, 0, 0, 0], 2), ([1, 0, 0, 2, 2, 0, 1, 0, 0], 5)] {
            let mut state = cells.to_vec();
            state.push(0);
            let mut search = Search::from_state(test_games::tic_tac_toe(), &options, state).unwrap();
            search.run(&Limits::iterations(800));
            assert_eq!(search.best_move(Role(0)), Ok(Some(Move(best))), "{:?}", search.report(Role(0)));
        }
    }
}

#[test]
fn equal_seeds_give_equal_searches() {
    let report = |seed, iterations| -> SearchReport {
        let options = MctsOptions { seed: Some(seed), ..MctsOptions::default() };
        let report = searched(test_games::tic_tac_toe(), &options, iterations).report(Role(0));
        SearchReport { elapsed: Duration::ZERO, ..report }
    };
    assert_eq!(report(1, 700), report(1, 700));
    assert_ne!(report(1, 700), report(2, 700));
}

#[test]
fn a_run_in_pieces_is_the_same_run() {
    let mut pieces = Search::new(test_games::tic_tac_toe(), &MctsOptions::default()).unwrap();
    for _ in 0..7 {
        assert_eq!(pieces.run(&Limits::iterations(100)), Halt::Iterations);
    }
    let whole = searched(test_games::tic_tac_toe(), &MctsOptions::default(), 700).report(Role(0));
    assert_eq!(pieces.report(Role(0)).candidates, whole.candidates);
}

/// The moves of `role` at the root with their visits.
fn visits(search: &Search<impl ggp_game::Playouts>, role: Role) -> Vec<(String, u64)> {
    search.report(role).candidates.into_iter().map(|one| (one.mv, one.visits)).collect()
}

#[test]
fn a_run_among_some_moves_visits_no_others() {
    for options in options() {
        let mut search = searched(test_games::tic_tac_toe(), &options, 300);
        let before = visits(&search, Role(0));
        let among = [Move(0), Move(1), Move(99)];
        assert_eq!(search.run_among(&Limits::iterations(600), Role(0), &among), Halt::Iterations);
        let after = visits(&search, Role(0));
        for (mv, visited) in &after {
            let (_, was) = before.iter().find(|(other, _)| other == mv).unwrap();
            assert_eq!(visited > was, ["0", "1"].contains(&mv.as_str()), "{before:?} {after:?}");
        }
        search.run(&Limits::iterations(600));
        let grown = |&(ref mv, visited): &(String, u64)| {
            after.iter().any(|(other, was)| other == mv && visited > *was)
        };
        let all = visits(&search, Role(0));
        assert!(
            all.iter().filter(|one| !["0", "1"].contains(&one.0.as_str())).any(grown),
            "{after:?} {all:?}"
        );
    }
}

#[test]
fn a_run_among_lost_moves_goes_on_with_the_others() {
    // Role 0 must block in cell 5: each other move loses at once.
    let state = vec![1, 0, 0, 2, 2, 0, 0, 0, 1, 0];
    let mut search = Search::from_state(test_games::tic_tac_toe(), &MctsOptions::default(), state).unwrap();
    search.run_among(&Limits::iterations(2000), Role(0), &[Move(1), Move(2)]);
    let report = search.report(Role(0));
    assert!(report.candidates.iter().any(|one| one.mv == "5" && one.visits > 0), "{report:?}");
    assert_eq!(search.best_move(Role(0)), Ok(Some(Move(5))));
}

#[test]
fn three_roles_each_want_their_own() {
    // The role to move takes all items and wins if three or fewer are left. From 3 the win is immediate.
    let mut search = searched(test_games::heap(3, 3), &MctsOptions::default(), 300);
    assert_eq!(search.best_move(Role(0)), Ok(Some(Move(3))));
    assert_eq!(search.choices(Role(1)), Ok(1));
}

#[test]
fn ends_without_a_goal_or_with_several_count_as_in_playouts() {
    // Playouts start only from the root; the other states are terminal.
    let plain = searched(test_games::ill_formed(4), &MctsOptions::uct(), 400);
    for candidate in plain.report(Role(0)).candidates {
        let state: usize = candidate.mv.parse().unwrap();
        let expected = 100.0 * test_games::ILL_FORMED_SCORES[state - 1][0];
        assert!((candidate.score.unwrap() - expected).abs() < 1e-6, "{candidate:?}");
    }
    let mut proved = Search::new(test_games::ill_formed(4), &MctsOptions::default()).unwrap();
    assert_eq!(proved.run(&Limits::iterations(100)), Halt::Decided);
    assert_eq!(proved.best_move(Role(0)), Ok(Some(Move(3))));
    assert_eq!(proved.report(Role(0)).candidates[0].proven, Some(100));
}

#[test]
fn chance_is_averaged_and_not_wished_for() {
    for options in options() {
        let mut search = searched(test_games::gamble(), &options, 2000);
        assert_eq!(search.best_move(Role(0)), Ok(Some(Move(1))));
        let report = search.report(Role(0));
        let coin = report.candidates.iter().find(|candidate| candidate.mv == "2").unwrap();
        // The solver proves 60 for the safe move, so the coin is tried only until it scores worse.
        assert!(options.has(Technique::Solver) || (coin.score.unwrap() - 53.3).abs() < 4.0, "{coin:?}");
    }
}

#[test]
fn simultaneous_moves_mix_where_nothing_dominates_and_settle_where_they_can() {
    let (all, none) = ([100, 100], [0, 0]);
    let mut coordination =
        searched(test_games::matrix(&[&[all, none], &[none, all]]), &MctsOptions::default(), 3000);
    assert_eq!(coordination.best_move(Role(0)), coordination.best_move(Role(1)));
    assert!(coordination.report(Role(0)).candidates[0].score > Some(95.0));

    let (w, d, l) = ([100, 0], [50, 50], [0, 100]);
    let rps =
        searched(test_games::matrix(&[&[d, l, w], &[w, d, l], &[l, w, d]]), &MctsOptions::default(), 6000);
    for role in [Role(0), Role(1)] {
        for candidate in rps.report(role).candidates {
            assert!((1000..=3000).contains(&candidate.visits), "{candidate:?}");
        }
    }
}

#[test]
fn a_game_that_goes_in_circles_is_searched_to_its_end() {
    for options in options() {
        let options = MctsOptions { techniques: options.techniques.with(Technique::Line, false), ..options };
        let search = searched(test_games::ring(), &options, 2000);
        let report = search.report(Role(0));
        assert!(report.candidates.iter().all(|c| c.score > Some(80.0)), "{report:?}");
        assert_eq!(options.has(Technique::Transpositions), search.nodes() <= 10, "{} nodes", search.nodes());
    }
}

#[test]
fn the_tree_goes_along_with_the_match() {
    for options in options() {
        let mut search = searched(test_games::tic_tac_toe(), &options, 2000);
        let before = search.nodes();
        search.advance(&[Move(4), Move(test_games::NOOP)]).unwrap();
        assert_eq!(search.state()[4], 1);
        let kept: u64 = search.report(Role(1)).candidates.iter().map(|c| c.visits).sum();
        assert!(kept > 200, "{kept}");
        search.run(&Limits::iterations(1000));
        let most = kept as usize + 1010;
        assert!(search.nodes() < most.min(before + 1000), "{} of {before}, {kept} kept", search.nodes());
        for mv in [[test_games::NOOP, 0], [1, test_games::NOOP], [test_games::NOOP, 2], [7, test_games::NOOP]]
        {
            search.advance(&mv.map(Move)).unwrap();
        }
        assert_eq!(search.run(&Limits::iterations(10)), Halt::Decided);
        assert_eq!(
            search.best_move(Role(0)),
            Ok(Some(Move(test_games::NOOP))),
            "not in control, still legal"
        );
    }
}

#[test]
fn a_tree_that_has_no_room_still_grows_where_it_matters() {
    let options = MctsOptions { memory: 1, ..MctsOptions::uct() };
    let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
    let mut most = 0;
    let mut least = usize::MAX;
    for _ in 0..60 {
        search.run(&Limits::iterations(1000));
        most = most.max(search.nodes());
        least = if search.nodes() < most { least.min(search.nodes()) } else { least };
        assert!(search.bytes() < 1 << 20, "{}", search.bytes());
    }
    assert!(least < most / 2, "{least} of {most}: nothing was recycled");
    // All frequently visited nodes are kept: the best line down to the end of the game.
    let root = search.tree.root();
    let (mut id, mut depth) = (root, 0);
    while let Some(arm) = search.tree[id].arms.iter().max_by_key(|arm| arm.visits)
        && arm.child.is_some()
    {
        (id, depth) = (arm.child, depth + 1);
    }
    assert!(depth >= 6, "{depth}");
}

#[test]
fn memory_is_bounded_and_the_search_goes_on_without_growing() {
    let options = MctsOptions { memory: 1, ..MctsOptions::uct() };
    let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
    assert_eq!(search.run(&Limits::iterations(30_000)), Halt::Iterations);
    assert!(search.bytes() < (1 << 20) + 4096, "{}", search.bytes());
    assert_eq!(search.run(&Limits::default().or_when_full()), Halt::Full);
    let full = search.nodes();
    search.run(&Limits::iterations(1000));
    assert!(search.nodes() <= full);
}
