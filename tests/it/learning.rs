//! Learning by self-play before the first move.

use ggp_game::Interpreter;
use ggp_search::{Limits, MctsOptions, Search};

fn options() -> MctsOptions {
    MctsOptions { seed: Some(3), memory: 64, ..MctsOptions::default() }
}

#[test]
fn self_play_of_given_descents_repeats_and_so_does_the_search_after_it() {
    let network = ggp_tests::network(&ggp_tests::rulesheet("breakthrough_holes"));
    let run = || {
        let mut search = Search::new(network.clone(), &options()).unwrap();
        let generations = search.learn(&Limits::iterations(40_000)).unwrap();
        search.run(&Limits::iterations(2_000));
        let tests: Vec<_> = generations.iter().map(|one| (one.matches, one.samples, one.by_policy)).collect();
        (tests, search.report(ggp_game::Role(0)).candidates)
    };
    let (generations, candidates) = run();
    assert!((2..=4).contains(&generations.len()), "{generations:?}");
    assert!(generations.is_sorted_by_key(|one| one.0) && generations[0].0 > 0, "{generations:?}");
    assert_eq!(run(), (generations, candidates));
}

#[test]
fn a_policy_predicts_unknown_matches_better_than_the_history() {
    let network = ggp_tests::network(&ggp_tests::rulesheet("breakthrough_holes"));
    let mut search = Search::new(network, &options()).unwrap();
    let generations = search.learn(&Limits::iterations(300_000)).unwrap();
    let last = generations.last().unwrap();
    assert!(last.passes() && last.by_policy > last.by_history + 0.02, "{last:?}");
}

#[test]
fn nothing_is_learnt_where_there_are_no_contexts_or_no_opponents() {
    let game = ggp_tests::game(&ggp_tests::rulesheet("breakthrough_holes"));
    let mut search = Search::new(Interpreter::new(&game), &options()).unwrap();
    assert!(search.learn(&Limits::iterations(10_000)).unwrap().is_empty());
    let puzzle = ggp_tests::network(&ggp_tests::rulesheet("eight_puzzle"));
    let mut search = Search::new(puzzle, &options()).unwrap();
    assert!(search.learn(&Limits::iterations(10_000)).unwrap().is_empty(), "one role");
}
