//! `ggp solve`, `ggp analyze` and `ggp check` in games of hidden information.

use ggp_tests::workspace;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn ggp(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.current_dir(workspace()).args(arguments).output().expect("ggp runs")
}

fn solve(arguments: &[&str]) -> Output {
    ggp(&[&["solve"], arguments].concat())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn written(name: &str, rules: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, rules).expect("a file");
    path
}

#[test]
fn best_play_against_chance_is_told_with_its_plan() {
    let run = solve(&["games/monty_hall.kif"]);
    assert_eq!(run.status.code(), Some(0));
    let wanted = "guest  66.67 expected by best play against chance; 22 beliefs over 34 states\n  \
        at the start: (choose 1)\n  after (choose 1), wait (opened 2): change\n  \
        after (choose 1), wait (opened 3): change\n";
    assert_eq!(text(&run.stdout), wanted);
    let run = solve(&["games/monty_hall.kif", "--json"]);
    let solution: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert!((solution["value"].as_f64().expect("a number") - 200.0 / 3.0).abs() < 1e-9, "{solution}");
    assert_eq!(solution["plan"][1]["history"], serde_json::json!([["(choose 1)"], ["wait", "(opened 2)"]]));
    assert_eq!(solution["plan"][1]["move"], "change");
}

#[test]
fn an_equilibrium_is_told_with_its_strategies() {
    let run = solve(&["games/kuhn_poker.kif"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let said = text(&run.stdout);
    assert!(said.starts_with("first  48.61 expected in equilibrium\nsecond  51.39 "), "{said}");
    assert!(said.contains(" on 55 nodes with 12 information sets\n"), "{said}");
    assert_eq!(said.lines().count(), 4 + 12, "{said}");
    // The king never folds, and the jack never calls.
    assert!(
        said.contains("second after wait (dealt king), wait (did first bet): call 1.000, fold 0.000\n"),
        "{said}"
    );
    assert!(
        said.contains("second after wait (dealt jack), wait (did first bet): call 0.000, fold 1.000\n"),
        "{said}"
    );
    let run = solve(&["games/kuhn_poker.kif", "--json", "--exploitability", "0.01"]);
    let solution: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(solution["complete"], true);
    assert!(solution["exploitability"].as_f64().expect("a number") <= 0.01);
    let strategy = solution["strategy"].as_array().expect("a list");
    assert_eq!(strategy.len(), 12);
    for set in strategy {
        let sum: f64 = set["moves"].as_object().expect("moves").values().filter_map(Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{set}");
    }
}

#[test]
fn the_extensive_form_is_written_for_others() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kuhn_poker.efg");
    let run = solve(&["games/kuhn_poker.kif", "--efg", path.to_str().expect("UTF-8")]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let efg = std::fs::read_to_string(&path).expect("a file");
    let lines: Vec<&str> = efg.lines().collect();
    assert_eq!(lines[0], "EFG 2 R \"kuhn_poker\" { \"first\" \"second\" }");
    // One deal node, 24 decision nodes and 30 terminal nodes.
    let count = |kind: &str| lines.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!([count("c "), count("p "), count("t ")], [1, 24, 30]);
    assert!(lines[3].contains("\"(deal jack king)\" 1/6"), "{}", lines[3]);
}

#[test]
fn a_limit_that_ends_the_run_is_told() {
    let run = solve(&["games/liars_dice.kif", "--memory", "1"]);
    assert_eq!(run.status.code(), Some(1));
    let said = text(&run.stderr);
    assert!(
        said.contains("liars_dice (first, second, random) cannot be solved within 1 MiB (--memory)"),
        "{said}"
    );
    assert!(said.contains(" nodes: ") && said.contains("turns of it fill 1 MiB"), "{said}");
    let run = solve(&["games/phantom_tic_tac_toe.kif", "--seconds", "0.1"]);
    assert_eq!(run.status.code(), Some(1));
    let said = text(&run.stderr);
    assert!(said.contains("cannot be solved in so little time (--seconds): the time ended after "), "{said}");
    assert!(!said.contains("--memory"), "{said}");
    let run = solve(&["games/kuhn_poker.kif", "--exploitability", "1e-12", "--seconds", "0.2"]);
    assert_eq!(run.status.code(), Some(1));
    let said = text(&run.stdout);
    assert!(
        said.contains("of the goal range, which is not as little as --exploitability asks for\n"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_solved_is_refused_with_the_reason() {
    let run = solve(&["games/kuhn_poker.kif", "--from", "no_such_match.json"]);
    assert_ne!(run.status.code(), Some(0));
    let run = solve(&["games/nim.kif", "--efg", "nim.efg"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("--efg is for games of hidden information"), "{}", text(&run.stderr));
    let three = "(role a) (role b) (role c) (<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
        (<= (sees ?r moved) (does ?r go)) (next over) (<= terminal (true over)) (<= (goal ?r 0) (role ?r))";
    let three = written("three_roles.kif", three);
    let run = solve(&[three.to_str().expect("UTF-8")]);
    assert_eq!(run.status.code(), Some(1));
    let wanted = "this game has 3 roles that choose; its tree has 15 nodes";
    assert!(text(&run.stderr).contains(wanted), "{}", text(&run.stderr));
    let both = "(role a) (role b) (<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
        (<= (sees ?r moved) (does ?r go)) (<= (next (did ?m)) (does a ?m)) (<= terminal (true (did ?m)))
        (<= (goal ?r 100) (true (did go)) (role ?r)) (<= (goal ?r 0) (not (true (did go))) (role ?r))";
    let both = written("both_win.kif", both);
    let run = solve(&[both.to_str().expect("UTF-8")]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("the sum differs between ends"), "{}", text(&run.stderr));
}

#[test]
fn an_analysis_without_a_role_would_see_what_is_hidden() {
    let run = ggp(&["analyze", "games/kuhn_poker.kif", "--iterations", "100"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(run.stdout.is_empty());
    let said = text(&run.stderr);
    assert!(said.contains("choose the role to search for: --role first or --role second"), "{said}");
    for (role, why) in [("random", "belongs to nobody"), ("third", "the game has no role `third`")] {
        let run = ggp(&["analyze", "games/kuhn_poker.kif", "--role", role]);
        assert_eq!(run.status.code(), Some(2));
        assert!(text(&run.stderr).contains(why), "{}", text(&run.stderr));
    }
    let run = ggp(&["analyze", "games/kuhn_poker.kif", "--role", "first", "--spec", "mcts:threads=2"]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
}

/// Two records in which the guest has seen the same, and the prize is behind different doors.
#[test]
fn an_analysis_for_a_role_rests_on_its_percepts_alone() {
    let analyze = |name: &str, prize: u32, more: &[&str]| {
        let record = written(name, &format!("((hide {prize}) (choose 1))\n((open 3) wait)\n"));
        let record = record.to_str().expect("UTF-8").to_owned();
        let arguments = ["analyze", "games/monty_hall.kif", "--role", "guest", "--iterations", "2000"];
        let run = ggp(&[&arguments[..], &["--from", &record], more].concat());
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        run
    };
    let json = |name: &str, prize: u32| {
        let run = analyze(name, prize, &["--json"]);
        let mut value: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert!(value["seconds"].take().is_number());
        value
    };
    let found = json("prize_1.txt", 1);
    assert_eq!(found, json("prize_2.txt", 2));
    assert_eq!(found["possible"], serde_json::json!({ "states": 2, "extent": "enumerated" }));
    let best = &found["roles"]["guest"][0];
    assert_eq!(best["move"], "change");
    assert!((best["score"].as_f64().expect("a mean") - 200.0 / 3.0).abs() < 5.0, "{found}");
    assert_eq!(found["roles"].as_object().map(serde_json::Map::len), Some(1));
    let said = analyze("prize_1.txt", 1, &[]).stdout;
    let said = text(&said);
    assert!(said.contains("\nExpected goals of guest are means over 2 possible states.\n"), "{said}");
    let said = analyze("prize_1.txt", 1, &["--step", "0"]).stdout;
    assert!(text(&said).contains("over the state, which is known."), "{}", text(&said));
}

#[test]
fn an_analysis_of_an_open_game_can_be_limited_to_a_role() {
    let run = ggp(&["analyze", "games/tic_tac_toe.kif", "--role", "o", "--iterations", "100", "--json"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let found: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let roles: Vec<&String> = found["roles"].as_object().expect("roles").keys().collect();
    assert_eq!(roles, ["o"]);
}

/// Rules in which chance throws a coin. `seen` is what the player sees of it. `rest` gives the player's legal moves,
/// the end and the goals.
fn coin(name: &str, seen: &str, rest: &str) -> PathBuf {
    let rules = format!(
        "(role random) (role you) (side heads) (side tails) (init falling)
         (<= (legal random (drop ?s)) (side ?s) (true falling)) (<= (legal random wait) (not (true falling)))
         (<= (next (lies ?s)) (does random (drop ?s))) (<= (next (lies ?s)) (true (lies ?s)))
         (<= (next named) (not (true falling)))
         (goal random 0) {seen} {rest}"
    );
    written(name, &rules)
}

#[test]
fn rules_that_do_not_tell_a_role_what_it_must_know_are_found() {
    let seen = "(<= (sees you ?s) (does random (drop ?s)))";
    let blind = "(<= (sees you click) (does random (drop ?s)))";
    let moves = "(<= (legal you listen) (true falling)) (<= (legal you (name ?s)) (true (lies ?s)))
        (<= terminal (true named)) (goal you 100)";
    let end =
        "(legal you listen) (<= terminal (true (lies heads))) (<= terminal (true named)) (goal you 100)";
    let goal = "(legal you listen) (<= terminal (true named)) (<= (goal you 100) (true (lies heads)))
        (<= (goal you 0) (not (true (lies heads))))";
    for (name, rest, why) in [
        ("moves", moves, "you does not know whether `(name "),
        ("end", end, "you does not know whether the match is over"),
        ("goal", goal, "you does not know whether its goal is "),
    ] {
        let good = coin(&format!("{name}_seen.kif"), seen, rest);
        let run = ggp(&["check", "--simulate", "20", good.to_str().expect("UTF-8")]);
        let said = text(&run.stdout);
        assert_eq!(run.status.code(), Some(0), "{said}{}", text(&run.stderr));
        assert!(said.contains("roles know moves, end and goals    not refuted in 20 playouts"), "{said}");
        let bad = coin(&format!("{name}_blind.kif"), blind, rest);
        let run = ggp(&["check", "--simulate", "20", bad.to_str().expect("UTF-8")]);
        let said = text(&run.stdout);
        assert_eq!(run.status.code(), Some(1), "{said}{}", text(&run.stderr));
        assert!(said.contains(why), "{said}");
    }
    // The rulesheets of this project tell their roles all of it, and open games have no such property.
    for name in ["monty_hall", "kuhn_poker", "liars_dice", "mastermind", "phantom_tic_tac_toe", "ship_hunt"] {
        let run = ggp(&["check", "--simulate", "100", &format!("games/{name}.kif")]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stdout));
    }
    let run = ggp(&["check", "--simulate", "10", "games/nim.kif"]);
    assert!(!text(&run.stdout).contains("roles know"), "{}", text(&run.stdout));
}
