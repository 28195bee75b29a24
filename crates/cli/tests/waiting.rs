//! No command waits for a network that it does not need, and players without a network report it.

use serde_json::Value;
use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The number of values of each of the four dials in the game of [`dials`].
const VALUES: usize = 60;

/// Writes the rulesheet of a game of three steps. The interpreter plays the game at once, but grounding it
/// takes very long: the rule that opens the lock has an instance for each setting of four dials to four
/// different values, out of [`VALUES`] values.
fn dials(name: &str) -> PathBuf {
    let mut kif =
        String::from("(role turner) (role watcher) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)\n");
    for value in 0..VALUES {
        let _ = write!(kif, "(value {value})");
    }
    for dial in 0..4 {
        let _ = writeln!(
            kif,
            "(init (dial {dial} {dial}))
             (<= (legal turner (turn {dial} ?v)) (value ?v))
             (<= (next (dial {dial} ?v)) (does turner (turn {dial} ?v)))
             (<= (next (dial {dial} ?v)) (true (dial {dial} ?v)) (not (turned {dial})))
             (<= (turned {dial}) (does turner (turn {dial} ?v)))"
        );
    }
    kif.push_str(
        "(<= (legal watcher noop) (role watcher))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (next (open ?a ?d)) (true (dial 0 ?a)) (true (dial 1 ?b)) (true (dial 2 ?c)) (true (dial 3 ?d))
             (distinct ?a ?b) (distinct ?a ?c) (distinct ?a ?d)
             (distinct ?b ?c) (distinct ?b ?d) (distinct ?c ?d))
         (<= terminal (true (step 3)))
         (<= (goal turner 100) (true (open ?a ?d)))
         (<= (goal turner 0) (not any_open))
         (<= any_open (true (open ?a ?d)))
         (goal watcher 50)",
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.kif"));
    std::fs::write(&path, kif).expect("a scratch file");
    path
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.args(args).env("NO_COLOR", "1").env("LANG", "C.UTF-8").env_remove("LC_ALL");
    command
}

fn ggp(args: &[&str]) -> Output {
    command(args).output().expect("ggp starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs `ggp` and returns standard output. The run must succeed without a message about the reasoner.
fn quietly(args: &[&str]) -> String {
    let output = ggp(args);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    assert!(!errors.contains("interpreter") && !errors.contains("network"), "{args:?}: {errors}");
    text(&output.stdout)
}

#[test]
fn single_states_need_no_network() {
    let rules = dials("dials_states");
    let rules = rules.to_str().expect("UTF-8");
    let record = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dials_states.txt");
    std::fs::write(&record, "((turn 0 7) noop)\n").expect("a scratch file");
    let record = record.to_str().expect("UTF-8");
    assert!(quietly(&["view", rules]).contains('0'));
    let states = quietly(&["replay", rules, record, "--json"]);
    assert!(states.lines().nth(1).expect("two states").contains("(dial 0 7)"), "{states}");
    assert!(quietly(&["explain", rules, "(legal turner (turn 0 1))"]).starts_with('✓'));
    let checked = quietly(&["check", "--simulate", "3", rules]);
    assert!(checked.contains("turner can win                     seen in 3 of 3 playouts"), "{checked}");
}

#[test]
fn a_referee_and_random_players_need_no_network() {
    let rules = dials("dials_random");
    let rules = rules.to_str().expect("UTF-8");
    for command in ["play", "host"] {
        let told = quietly(&[
            command,
            rules,
            "--player",
            "turner=random",
            "--player",
            "watcher=random",
            "--playclock",
            "1",
        ]);
        assert!(told.contains("Over after 3 steps: turner "), "{told}");
    }
}

/// Tests that the board is shown at once, even though two searches that insist on the network cannot start
/// before the network is built.
#[test]
fn the_first_board_does_not_wait_for_the_network() {
    let rules = dials("dials_board");
    let rules = rules.to_str().expect("UTF-8");
    for name in ["play", "host"] {
        let args = [name, rules, "--reasoner", "propnet", "--startclock", "600", "--playclock", "600"];
        let mut command = command(&args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("ggp starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let shown = lines.any(|line| line.contains("step 0"));
        let _ = child.kill();
        let _ = child.wait();
        assert!(shown, "{name}");
    }
}

#[test]
fn a_search_on_the_interpreter_is_announced_and_recorded() {
    let rules = dials("dials_search");
    let rules = rules.to_str().expect("UTF-8");
    let saved = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dials_search.json");
    let saved = saved.to_str().expect("UTF-8");
    for command in ["play", "host"] {
        let output = ggp(&[
            command,
            rules,
            "--player",
            "watcher=random",
            "--startclock",
            "1",
            "--playclock",
            "1",
            "--save",
            saved,
        ]);
        let (told, errors) = (text(&output.stdout), text(&output.stderr));
        assert!(told.contains("Over after 3 steps"), "{told}\n{errors}");
        let announced =
            errors.matches("the interpreter plays until the network of this game is built").count();
        assert_eq!(announced, 1, "{errors}");
        let record: Value = serde_json::from_slice(&std::fs::read(saved).expect("a record")).expect("JSON");
        assert_eq!(record["reasoners"], serde_json::json!(["datalog", null]), "{command}");
    }
}

#[test]
fn a_search_of_few_iterations_is_called_a_guess() {
    let play = |iterations: &str| {
        let spec = format!("mcts:iterations={iterations},seed=1,solver=off");
        let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/connect_four.kif");
        let (red, yellow) = (format!("red={spec}"), format!("yellow={spec}"));
        text(&ggp(&["play", rules, "--player", &red, "--player", &yellow, "--seed", "1"]).stdout)
    };
    let few = play("10");
    assert!(few.contains("(a guess: only 10 iterations)"), "{few}");
    assert!(!play("600").contains("a guess"));
}

#[test]
fn the_network_is_recorded_where_it_plays() {
    let saved = Path::new(env!("CARGO_TARGET_TMPDIR")).join("network.json");
    let saved = saved.to_str().expect("UTF-8");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/nim.kif");
    let record = |reasoner: &str| -> Value {
        let spec = "first=mcts:iterations=20";
        quietly(&["play", rules, "--player", spec, "--reasoner", reasoner, "--save", saved]);
        serde_json::from_slice(&std::fs::read(saved).expect("a record")).expect("JSON")
    };
    // A search with a limit of iterations waits for the network, so that seeds give equal moves.
    assert_eq!(record("auto")["reasoners"][0], "propnet");
    assert_eq!(record("propnet")["reasoners"][0], "propnet");
    assert_eq!(record("datalog")["reasoners"][0], "datalog");
}
