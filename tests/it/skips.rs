//! Tests without their data: they report that they are skipped, and fail if skipping is forbidden.

use std::process::{Command, Output};

/// All tests of this crate that need external data.
const TESTS: [&str; 14] = [
    "board::published_games_have_boards",
    "decisive::simultaneous::nobody_does_so_in_published_games",
    "decisive::published_games_are_no_exception",
    "equivalent_moves::whichever_equivalent_move_is_made_the_game_goes_on_alike",
    "five::breakthrough_holes",
    "five::endgame",
    "five::english_draughts",
    "five::pawn_whopping",
    "five::skirmish",
    "mistakes::published_rulesheets_show_nothing_that_is_not_genuine",
    "published::each_published_rulesheet_loads",
    "published::layout_keeps_the_rules_and_settles_at_once",
    "published::what_is_printed_is_the_same_description",
    "walks::published_rulesheets_mean_the_same_to_network_and_interpreter",
];

/// Runs the tests without their data, with `forbid` as `$GGP_NO_SKIP` if given.
fn without_data(tests: &[&str], forbid: Option<&str>) -> Output {
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.arg("--exact").args(tests).env_remove("GGP_NO_SKIP");
    child.env("GGP_CORPUS", "no/such/folder").env("GGP_FIVE", "no/such/folder");
    child.envs(forbid.map(|value| ("GGP_NO_SKIP", value))).output().expect("it starts")
}

#[test]
fn tests_without_their_data_say_that_they_are_skipped() {
    for test in TESTS {
        let output = without_data(&[test], None);
        let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && out.contains("1 passed"), "{test}: {out}");
        assert!(said.starts_with("SKIPPED: no/such/folder is not there"), "{test}: {said}");
    }
}

#[test]
fn they_fail_where_nothing_may_be_skipped() {
    let output = without_data(&TESTS, Some("1"));
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && out.contains("14 failed"), "{out}");
}
