//! `ggp play`: seeded, interrupted and resumed matches, and people.

use super::{TINY, command, ggp, ggp_with, scratch};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

/// The output of a match without its times.
fn untimed(stdout: &str) -> String {
    let cut = |line: &str| {
        line.split_once(" thought ")
            .and_then(|(role, rest)| Some(format!("{role} {}", rest.split_once(", ")?.1)))
    };
    stdout.lines().map(|line| cut(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

#[test]
fn a_seeded_match_repeats_and_can_be_taken_up_again() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("match.json");
    let saved = path.to_str().unwrap();
    let args = [
        "play",
        "games/tic_tac_toe.kif",
        "--seed",
        "5",
        "--player",
        "x=mcts:iterations=50",
        "--player",
        "o=random",
        "--save",
        saved,
    ];
    let run = ggp(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("Over after "), "{}", run.stdout);
    assert!(run.stdout.contains("x thought "), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "colours in a pipe");
    assert_eq!(run.stderr, "x mcts:iterations=50, o random (seed 5)\n");
    assert_eq!(untimed(&ggp(&args).stdout), untimed(&run.stdout));
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let moves = record["moves"].as_array().unwrap().clone();
    assert_eq!(record["states"].as_array().unwrap().len(), moves.len() + 1);
    assert_eq!(record["playerNamesFromHost"][0], "mcts:iterations=50");
    // Resume after the first three joint moves.
    let begun = serde_json::json!({ "moves": moves[..3] }).to_string();
    let begun = scratch("begun.json", &begun);
    let from = ["--from", begun.to_str().unwrap()];
    let run = ggp(&[&args[..], &from].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let resumed: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let resumed_moves = resumed["moves"].as_array().unwrap();
    assert_eq!(resumed_moves[..3], moves[..3]);
    assert!(resumed_moves.len() > 3);
    assert_eq!(resumed["isCompleted"], true);
}

#[test]
fn a_person_plays_by_numbers_and_words() {
    // The other role's choice is printed only after the person has moved.
    let args = [
        "play",
        "games/rock_paper_scissors.kif",
        "--human",
        "left",
        "--player",
        "right=random",
        "--seed",
        "1",
    ];
    let run = ggp_with(&args, "lizard\n0\n?\n2\nROCK\n");
    assert_eq!(run.code, 1, "the input ended before the match");
    assert_eq!(
        run.stdout.matches("left ").count() - run.stdout.matches("points left ").count(),
        2,
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("  2. left rock   right "), "{}", run.stdout);
    assert!(run.stderr.contains("left has no legal move `lizard`; legal: "), "{}", run.stderr);
    assert!(run.stderr.contains("there is no move 0; they are numbered 1 to 3"), "{}", run.stderr);
    assert!(run.stderr.ends_with("not saved; --save FILE keeps a match, --from FILE goes on with it\n"));
    let run = ggp_with(&args, &"1\n".repeat(200));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("Over after "), "{}", run.stdout);
}

#[test]
fn help_and_quit_do_what_the_signs_do() {
    let args = ["play", "games/tic_tac_toe.kif", "--human", "x", "--player", "o=random", "--seed", "1"];
    for quit in ["quit", "exit"] {
        let run = ggp_with(&args, &format!("help\nundo\n{quit}\n"));
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert_eq!(run.stderr.matches("1 (mark 1 1)").count(), 2, "at first, and by `help`: {}", run.stderr);
        assert_eq!(run.stderr.matches("has no legal move `").count(), 1, "{}", run.stderr);
        let undo = run.stderr.lines().find(|line| line.contains("x has no legal move `undo`"));
        assert!(undo.is_some_and(|line| line.ends_with(" (? lists the moves)")), "{}", run.stderr);
        assert!(run.stderr.contains("\nended after 0 steps\n"), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_is_saved_and_says_how_to_go_on() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupted.json");
    let saved = path.to_str().unwrap();
    let mut child =
        command(&["play", "games/connect_four.kif", "--playclock", "0.2", "--save", saved]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let made = lines.by_ref().map(Result::unwrap).find(|line| line.starts_with("  2. "));
    assert!(made.is_some());
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    lines.for_each(drop);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(&format!("--save {saved} --from {saved}")), "{stderr}");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(record["moves"].as_array().unwrap().len() >= 2);
    assert_eq!(record["isCompleted"], false);
    let begun = ggp(&["replay", "games/connect_four.kif", saved, "--json"]);
    assert_eq!(begun.code, 0, "{}", begun.stderr);
}

#[test]
fn moves_of_any_length_are_analyzed() {
    // Formatting pads to at most 65,535 characters.
    let kif = TINY.replace("(choice l)", &format!("(choice {})", "l".repeat(70_000)));
    let run = ggp_with(&["analyze", "-", "--iterations", "20"], &kif);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.lines().any(|line| line.len() > 70_000), "{}", run.stdout.len());
}

#[test]
fn moves_of_any_length_are_listed() {
    let kif = TINY.replace("(choice l)", &format!("(choice {})", "l".repeat(70_000)));
    let rules = scratch("long-moves.kif", &kif);
    let args = ["play", rules.to_str().unwrap(), "--human", "a", "--player", "b=random"];
    let run = ggp_with(&args, "2\n2\n");
    assert_eq!(run.code, 0, "{}", run.stderr.len());
    assert_eq!(run.stderr.lines().filter(|line| line.ends_with("  2 (pick r)")).count(), 2);
    assert!(run.stdout.ends_with("Over after 2 steps: a 30, b 50\n"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_match_that_is_interrupted_while_it_is_replayed_keeps_its_record() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replayed.json");
    let saved = path.to_str().unwrap();
    let match_of = ["play", "games/connect_four.kif", "--save", saved];
    let whole = ggp(&[&match_of[..], &["--iterations", "10", "--seed", "1"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    let before = std::fs::read_to_string(&path).unwrap();
    let again = ["--from", saved, "--step", "5", "--startclock", "60"];
    let mut child = command(&[&match_of[..], &again].concat()).spawn().unwrap();
    let mut board = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut board).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("the record is unchanged") && stderr.contains(&again.join(" ")), "{stderr}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
}
