//! Matches of hidden information that `ggp play --save` keeps sealed until they are over.

use ggp_arena::SealedRecord;
use ggp_tests::workspace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The output of a run of `ggp`, and its exit code.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// `ggp` with `arguments`, for the user whose data are in the folder `user`.
fn start(user: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    command.current_dir(workspace()).env("GGP_DATA", folder).args(arguments);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    piped.spawn().expect("ggp runs")
}

fn ggp_of(user: &str, arguments: &[&str], typed: &str) -> Run {
    let mut child = start(user, arguments);
    // A match may end before it has read all lines.
    let _ = child.stdin.take().expect("a pipe").write_all(typed.as_bytes());
    let output = child.wait_with_output().expect("ggp ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn ggp(arguments: &[&str], typed: &str) -> Run {
    ggp_of("sealed_user", arguments, typed)
}

/// A path for the record `name`, where no file is.
fn record(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    let text = path.to_str().expect("UTF-8").to_owned();
    (path, text)
}

fn moves(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a record");
    serde_json::from_str::<Value>(&text).expect("an open record")["moves"].clone()
}

const MATCH: [&str; 6] = ["play", "games/monty_hall.kif", "--human", "guest", "--seed", "3"];

/// Saves a match of Monty Hall that stops before the guest's last decision.
fn stopped(name: &str) -> (PathBuf, String) {
    let (path, saved) = record(name);
    let run = ggp(&[&MATCH[..], &["--save", &saved]].concat(), "1\n");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    (path, saved)
}

#[test]
fn a_match_goes_on_from_its_sealed_record() {
    let (path, saved) = stopped("sealed_resumed.json");
    let text = std::fs::read_to_string(&path).expect("a file");
    let known = SealedRecord::read(&text).expect("a sealed record");
    assert_eq!(known.roles(), ["guest"]);
    let turns: Vec<String> = known.history().iter().map(|turn| turn.own.clone()).collect();
    assert_eq!(turns, ["(choose 1)", "wait"]);
    assert!(text.contains("(opened "), "{text}");
    // The moves of chance, the hidden facts, and the match id with the seed.
    for hidden in ["hide", "prize", "monty_hall.3", "(open ", "stage", "states\":"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    // The seed is in the sealed record, so the command need not repeat it.
    let resume = ["play", "games/monty_hall.kif", "--human", "guest", "--from", &saved, "--save", &saved];
    let run = ggp(&resume, "1\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let shown = run.stdout.split("The match, with all").next().unwrap_or_default();
    for line in ["  1. guest (choose 1)   sees nothing\n", "  2. guest wait   sees (opened "] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(shown.contains("67 %") && shown.contains("33 %"), "{shown}");
    assert!(run.stderr.ends_with("(seed 3)\n"), "{}", run.stderr);
    let (whole, whole_name) = record("sealed_never_stopped.json");
    assert_eq!(ggp(&[&MATCH[..], &["--save", &whole_name]].concat(), "1\n1\n").code, Some(0));
    assert_eq!(moves(&path), moves(&whole));
    assert_eq!(ggp(&["replay", "games/monty_hall.kif", &saved], "").code, Some(0));
}

#[test]
fn a_match_that_is_killed_goes_on() {
    let (path, saved) = record("sealed_killed.json");
    let arguments = ["play", "games/kuhn_poker.kif", "--human", "first", "--player", "second=random"];
    let mut child = start("sealed_user", &[&arguments[..], &["--seed", "5", "--save", &saved]].concat());
    // The person's first turn has only one legal move, so the second state is saved without any input.
    let end = Instant::now() + Duration::from_secs(60);
    let turns = || {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        SealedRecord::read(&text).map_or(0, |record| record.history().len())
    };
    while turns() < 1 {
        assert!(Instant::now() < end, "the match is not saved");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let run = ggp(&[&arguments[..], &["--from", &saved, "--save", &saved]].concat(), &"1\n".repeat(9));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("  1. first wait   sees (dealt "), "{}", run.stdout);
    let (whole, whole_name) = record("sealed_not_killed.json");
    let run = ggp(&[&arguments[..], &["--seed", "5", "--save", &whole_name]].concat(), &"1\n".repeat(9));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // Equal seeds deal equal cards.
    assert_eq!(moves(&path)[0], moves(&whole)[0]);
}

#[test]
fn no_command_shows_a_sealed_record() {
    let (path, saved) = stopped("sealed_refused.json");
    let before = std::fs::read(&path).expect("a file");
    let game = "games/monty_hall.kif";
    let refused: [(&[&str], &str); 14] = [
        (&["replay", game, &saved], "it is sealed"),
        (&["view", game, "--from", &saved], "it is sealed"),
        (&["analyze", game, "--role", "guest", "--from", &saved], "it is sealed"),
        (&["explain", game, "(prize 1)", "--from", &saved], "it is sealed"),
        (&["solve", game, "--from", &saved], "it is sealed"),
        (&["perft", game, "--depth", "1", "--from", &saved], "it is sealed"),
        (&["stats", &saved], "has no result yet"),
        (&["merge", &saved], "has no result yet"),
        (&["play", game, "--from", &saved], "continue it with --human guest"),
        (&["play", game, "--player", "guest=random", "--from", &saved], "continue it with --human guest"),
        (&["play", game, "--human", "guest", "--reveal", "--from", &saved], "--reveal is not allowed"),
        (&["play", game, "--human", "guest", "--step", "1", "--from", &saved], "--step is not allowed"),
        (&["play", "games/kuhn_poker.kif", "--human", "first", "--from", &saved], "--human guest"),
        (&["play", "games/connect_four.kif", "--human", "red", "--from", &saved], "--human guest"),
    ];
    for (arguments, wanted) in refused {
        let run = ggp(arguments, "");
        assert!(matches!(run.code, Some(1 | 2)), "{arguments:?}: {:?}", run.code);
        assert!(run.stderr.contains(wanted), "{arguments:?}: {}", run.stderr);
        assert!(
            !run.stdout.contains("prize") && !run.stderr.contains("hide "),
            "{arguments:?}: {}",
            run.stdout
        );
    }
    assert_eq!(std::fs::read(&path).expect("a file"), before);
}

#[test]
fn only_the_same_user_and_rules_continue_a_match() {
    let (path, saved) = stopped("sealed_owned.json");
    let resume = ["play", "games/monty_hall.kif", "--human", "guest", "--from", &saved];
    let other = ggp_of("another_user", &resume, "1\n");
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("was changed, or was sealed by another user"), "{}", other.stderr);
    let rules = std::fs::read_to_string(workspace().join("games/monty_hall.kif")).expect("rules");
    let (revealing, revealing_name) = record("revealing.kif");
    std::fs::write(revealing, rules + "\n(<= (sees guest (prize ?door)) (true (prize ?door)))\n")
        .expect("a file");
    let run = ggp(&["play", &revealing_name, "--human", "guest", "--from", &saved], "1\n");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("with other rules, those of games/monty_hall.kif"), "{}", run.stderr);
    let text = std::fs::read_to_string(&path).expect("a file");
    let damages = [
        (text.replace("(opened ", "(closed "), "was changed"),
        (
            text.replace("\"version\":1", "\"version\":9"),
            "version 9 of the format `ggp sealed record` is unknown",
        ),
        (text[..text.len() / 2].to_owned(), "the file ends too early"),
    ];
    for (damaged, wanted) in damages {
        std::fs::write(&path, damaged).expect("a file");
        let run = ggp(&resume, "1\n");
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
        assert!(run.stderr.contains(wanted), "{}", run.stderr);
    }
}

/// Matches in which the role has seen the same differ in nothing but the encrypted text.
#[test]
fn what_is_hidden_changes_neither_the_clear_part_nor_the_length() {
    let mut files: BTreeMap<String, BTreeSet<(String, usize)>> = BTreeMap::new();
    let (path, saved) = record("sealed_equal.json");
    for seed in 0..12 {
        let seed = seed.to_string();
        let run = ggp(
            &["play", "games/monty_hall.kif", "--human", "guest", "--seed", &seed, "--save", &saved],
            "1\n",
        );
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let text = std::fs::read_to_string(&path).expect("a file");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let seen = value["known"]["turns"].to_string();
        files.entry(seen).or_default().insert((value["known"].to_string(), text.len()));
    }
    assert!(files.len() > 1 && files.len() < 12, "{files:?}");
    assert!(files.values().all(|one| one.len() == 1), "{files:?}");
}

#[test]
fn the_percepts_of_two_people_are_both_sealed() {
    let (path, saved) = record("sealed_two.json");
    let people = ["play", "games/kuhn_poker.kif", "--human", "first", "--human", "second"];
    let run = ggp(&[&people[..], &["--seed", "2", "--save", &saved]].concat(), "\n");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(!text.contains("dealt"), "{text}");
    let one = ["play", "games/kuhn_poker.kif", "--human", "first", "--from", &saved];
    let run = ggp(&one, "");
    assert!(run.stderr.contains("--human first --human second"), "{}", run.stderr);
    let run = ggp(&[&people[..], &["--from", &saved, "--save", &saved]].concat(), &"\n1\n".repeat(10));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
