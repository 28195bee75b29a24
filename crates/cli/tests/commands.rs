//! Single commands in corner cases: closed output, records without moves, steps of records, numbers out
//! of range, missing paths.

mod run;

use run::{Run, command, ggp, ggp_with};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// Runs `ggp` with a standard output that is closed from the start.
fn ggp_unread(args: &[&str]) -> Run {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    command(args).stdout(writer).output().expect("ggp runs").into()
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Writes a file that only one test uses, and returns its path.
fn scratch(name: &str, contents: &str) -> String {
    std::fs::write(path(name), contents).expect("a scratch file");
    path(name).display().to_string()
}

/// The path of a file that only one test uses. The file does not exist yet.
fn fresh(name: &str) -> String {
    let _ = std::fs::remove_file(path(name));
    path(name).display().to_string()
}

fn json(path: &str) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).expect("JSON")
}

/// A running player server. Dropping this value ends the server.
struct Served(Child);

impl Served {
    fn start(spec: &str) -> (Served, String) {
        let mut child = command(&["serve", spec, "--port", "0"]).spawn().expect("ggp serves");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        (Served(child), url)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The joint moves of a complete match of tic-tac-toe.
const MATCH: &str = "((mark 1 1) noop)
(noop (mark 2 2))
((mark 1 2) noop)
(noop (mark 3 3))
((mark 1 3) noop)
";
/// The number of joint moves of [`MATCH`].
const LENGTH: usize = 5;
const RULES: &str = "games/tic_tac_toe.kif";

#[test]
fn a_match_without_a_reader_goes_on_for_its_players() {
    let (_served, url) = Served::start("random");
    let guest = format!("x={url}");
    let clocks = ["--startclock", "5", "--playclock", "5"];
    for (name, args) in [
        ("host", [&["host", RULES, "--player=o=random", "--player", &guest][..], &clocks].concat()),
        ("play", ["play", RULES, "--player=x=random", "--player=o=random"].to_vec()),
    ] {
        let kept = fresh(&format!("unread-{name}.json"));
        let run = ggp_unread(&[&args[..], &["--save", &kept]].concat());
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert_eq!(run.stderr.matches("note: standard output is closed").count(), 1, "{}", run.stderr);
        let record = json(&kept);
        assert_eq!(record["isCompleted"], true, "{name}: {record}");
        assert!(record["goalValues"].is_array(), "{record}");
        let errors = record["errors"].as_array().unwrap().iter().flat_map(|step| step.as_array().unwrap());
        assert!(errors.into_iter().all(|error| error == ""), "{record}");
    }
}

#[test]
fn a_reader_that_leaves_in_the_middle_does_not_end_the_match() {
    let kept = fresh("left.json");
    let search = "mcts:iterations=30";
    let players = [format!("--player=red={search}"), format!("--player=yellow={search}")];
    let args = ["play", "games/connect_four.kif", &players[0], &players[1], "--save", &kept];
    let mut child = command(&args).spawn().expect("ggp starts");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.expect("a line").starts_with("  1. ")));
    drop(lines);
    let output = child.wait_with_output().expect("ggp ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&kept)["isCompleted"], true);
}

#[test]
fn a_fault_is_told_whether_or_not_somebody_reads() {
    // No server listens on port 1.
    let guest = "--player=x=http://127.0.0.1:1";
    let args = ["host", RULES, guest, "--player=o=random", "--startclock=1", "--playclock=1"];
    let run = ggp_unread(&args);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("x in step 1: "), "{}", run.stderr);
    let run = ggp_unread(&["comply", "http://127.0.0.1:1"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let run = ggp_unread(&["solve", "games/connect_four.kif", "--memory=10", "--seconds=0.1"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
}

#[test]
fn iterations_of_an_analysis_hold_wherever_they_are_given() {
    for (args, expected) in [
        (&["--spec", "mcts:iterations=5"][..], 5),
        (&["--spec", "mcts:iterations=5", "--iterations", "9"], 9),
        (&["--spec", "mcts:iterations=9", "--iterations", "5"], 5),
        (&["--spec", "mcts:iterations=5", "--seconds", "600"], 5),
        (&["--iterations", "5", "--seconds", "600"], 5),
    ] {
        let run = ggp(&[&["analyze", "games/connect_four.kif", "--json"][..], args].concat());
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        let thought: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
        assert_eq!(thought["iterations"], expected, "{args:?}");
    }
}

#[test]
fn an_analysis_shows_how_often_a_move_is_drawn() {
    let hands = ["analyze", "games/rock_paper_scissors.kif", "--spec", "mcts:iterations=3000,seed=1"];
    let run = ggp(&[&hands[..], &["--json"]].concat());
    let thought: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    for (role, moves) in thought["roles"].as_object().expect("roles") {
        let shares = moves.as_array().expect("moves").iter().map(|one| one["probability"].as_f64());
        let shares: Vec<f64> = shares.map(|share| share.expect("a probability")).collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{role}: {shares:?}");
        assert!(shares.iter().all(|&share| share < 0.6), "{role}: {shares:?}");
    }
    let run = ggp(&hands);
    assert_eq!(run.stdout.lines().filter(|line| line.ends_with(" %")).count(), 6, "{}", run.stdout);
    // Where a role chooses alone, it plays its best move.
    let run = ggp(&["analyze", "games/nim.kif", "--iterations", "100", "--json"]);
    let thought: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!(thought["roles"]["first"][0]["probability"], Value::Null);
}

#[test]
fn what_has_no_move_is_no_record() {
    for (number, contents) in ["", " \r\n\n", "; nothing\n; yet"].into_iter().enumerate() {
        let record = scratch(&format!("empty-{number}.txt"), contents);
        let message =
            format!("error: {record} is not a record of a match: it has no joint move; a record is ");
        for args in [
            &["replay", RULES, &record][..],
            &["play", RULES, "--from", &record],
            &["view", RULES, "--from", &record],
            &["explain", RULES, "terminal", "--from", &record],
            &["analyze", RULES, "--iterations=5", "--from", &record],
            &["solve", RULES, "--from", &record],
            &["perft", RULES, "--from", &record],
        ] {
            let run = ggp(args);
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{args:?}");
            assert!(run.stderr.contains(&message), "{args:?}: {}", run.stderr);
            assert!(run.stderr.contains("`moves`") && run.stderr.contains("((move 1 2 1 3) noop)"));
        }
    }
    // A record without moves is valid as JSON.
    let record = scratch("begun.json", r#"{"moves": []}"#);
    let run = ggp(&["replay", RULES, &record, "--json"]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 1), "{}", run.stderr);
    let run = ggp(&["view", RULES, "--from", &record]);
    assert_eq!((run.code, run.stdout), (0, ggp(&["view", RULES]).stdout), "{}", run.stderr);
}

#[test]
fn a_record_is_entered_at_any_step() {
    let whole = scratch("whole.txt", MATCH);
    let commands: [&[&str]; 5] = [
        &["view", RULES],
        &["explain", RULES, "(true (cell 2 2 o))"],
        &["perft", RULES, "--depth", "2"],
        &["solve", RULES, "--json"],
        &["analyze", RULES, "--iterations", "50", "--json"],
    ];
    for args in commands {
        let shown = |more: &[&str]| {
            let run = ggp(&[args, more].concat());
            assert_eq!(run.code, 0, "{args:?} {more:?}: {}", run.stderr);
            match serde_json::from_str::<Value>(&run.stdout) {
                Ok(Value::Object(mut object)) => {
                    object.remove("seconds");
                    Value::Object(object).to_string()
                }
                _ => run.stdout,
            }
        };
        for step in 0..=LENGTH {
            let beginning: String = MATCH.lines().take(step).map(|line| format!("{line}\n")).collect();
            let beginning = scratch("beginning.txt", &beginning);
            let expected = if step == 0 { shown(&[]) } else { shown(&["--from", &beginning]) };
            assert_eq!(shown(&["--from", &whole, "--step", &step.to_string()]), expected, "{args:?} {step}");
        }
        assert_ne!(shown(&["--from", &whole]), shown(&["--from", &whole, "--step", "2"]), "{args:?}");
        let run = ggp(&[args, &["--from", &whole, "--step", "6"]].concat());
        let message = format!("error: --step 6 is too large: {whole} has 5 joint moves\n");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.ends_with(&message), "{args:?}: {}", run.stderr);
        assert_eq!(ggp(&[args, &["--step", "1"]].concat()).code, 2, "{args:?}: a step of no record");
    }
    let run = ggp_with(&["view", "-", "--from", "-"], "");
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: standard input cannot be two things at once\n"));
}

#[test]
fn a_match_branches_off_at_a_step() {
    let whole = scratch("trunk.txt", MATCH);
    let begun: Value = serde_json::json!([["(mark 1 1)", "noop"], ["noop", "(mark 2 2)"]]);
    let mut branches = std::collections::BTreeSet::new();
    for seed in ["1", "2", "3", "4"] {
        let kept = fresh("branch.json");
        let players = ["--player=x=random", "--player=o=random", "--seed", seed, "--save", &kept];
        let from = ["play", RULES, "--from", &whole, "--step", "2"];
        let run = ggp(&[&from[..], &players].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let moves = json(&kept)["moves"].as_array().unwrap().clone();
        assert_eq!(moves[..2], begun.as_array().unwrap()[..]);
        branches.insert(Value::from(moves).to_string());
    }
    assert!(branches.len() > 1, "{branches:?}");
    // An interrupted branch resumes from its own record, not from the original one.
    let kept = fresh("left-branch.json");
    let args = ["play", RULES, "--from", &whole, "--step=2", "--human=x", "--save", &kept];
    let run = ggp_with(&args, "q\n");
    let (_, going) = run.stderr.trim_end().rsplit_once("go on with: ").expect(&run.stderr);
    assert!(going.ends_with(&format!("play {RULES} --human=x --save {kept} --from {kept}")), "{going}");
    assert_eq!(json(&kept)["moves"], begun);
}

#[test]
fn iterations_stand_in_for_the_clock_of_play() {
    let kept = fresh("counted.json");
    let args =
        ["play", RULES, "--seed=5", "--iterations=40", "--player=o=mcts:iterations=7", "--save", &kept];
    let run = ggp(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = json(&kept);
    let names = serde_json::json!(["mcts:iterations=40", "mcts:iterations=7"]);
    assert_eq!(record["playerNamesFromHost"], names);
    assert_eq!(record["playClock"], i32::MAX, "no clock");
    assert_eq!(ggp(&args).code, 0);
    assert_eq!(json(&kept)["moves"], record["moves"], "a seeded match repeats");
    // An explicit clock takes effect. With a limit of iterations, a game of hidden information needs no
    // clock either.
    assert_eq!(ggp(&[&args[..], &["--playclock", "3"]].concat()).code, 0);
    assert_eq!(json(&kept)["playClock"], 3);
    let hidden = ["play", "games/monty_hall.kif", "--iterations", "20", "--save", &kept];
    assert_eq!(ggp(&hidden).code, 0);
    assert_eq!(json(&kept)["playClock"], i32::MAX);
}

const SECONDS: &str = "not a valid number of seconds; write a positive number such as 0.5";
const FROM_1: &str = "not a valid number; write a whole number from 1 on";

#[test]
fn a_number_out_of_range_is_refused_with_what_would_do() {
    let nim = "games/nim.kif";
    for (args, option, value, wanted) in [
        (&["bench", nim][..], "--playouts", "0", FROM_1),
        (&["bench", nim], "--playouts", "-1", FROM_1),
        (&["bench", nim], "--seconds", "0", SECONDS),
        (&["bench", nim], "--seconds", "-1", SECONDS),
        (&["bench", nim], "--seconds", "-0.5", SECONDS),
        (&["bench", nim], "--seconds", "1e99", SECONDS),
        (&["bench", nim], "--threads", "0", "not a valid number; write a whole number from 1 to 255"),
        (&["bench", nim], "--seed", "-1", "not a valid number; write a whole number from 0 on"),
        (&["bench", nim], "--against", "-2", "not a valid number of playouts; write a positive number"),
        (&["play", nim], "--playclock", "0", SECONDS),
        (&["play", nim], "--iterations", "0", FROM_1),
        (&["play", nim, "--from=x"], "--step", "-1", "not a valid number; write a whole number from 0 on"),
        (
            &["play", nim],
            "--startclock",
            "-3",
            "not a valid number of seconds; write 0, or a positive number such as 0.5",
        ),
        (&["host", nim], "--playclock", "0", SECONDS),
        (&["host", nim], "--preview", "-1", SECONDS),
        (&["analyze", nim], "--seconds", "0", SECONDS),
        (&["analyze", nim], "--iterations", "0", FROM_1),
        (&["solve", nim], "--seconds", "-1", SECONDS),
        (&["solve", nim], "--memory", "0", FROM_1),
        (&["check", nim], "--simulate", "-5", FROM_1),
        (&["perft", nim], "--depth", "-1", "not a valid number; write a whole number from 0 on"),
        (&["graph", nim, "--propnet"], "--limit", "0", FROM_1),
        (&["serve"], "--matches", "0", "not a valid number; write a whole number from 1 to 65535"),
        (&["serve"], "--memory", "-1", "not a valid number; write a whole number from 16 on"),
        (&["web"], "--sessions", "-1", "not a valid number; write a whole number from 1 to 65535"),
        (&["web"], "--idle", "0", SECONDS),
        (&["web"], "--upload", "-1", FROM_1),
        (&["web"], "--port", "65536", "not a valid number; write a whole number from 0 to 65535"),
    ] {
        let run = ggp(&[args, &[option, value]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?} {option} {value}");
        let line = run.stderr.lines().next().unwrap_or_default();
        let begins = line.starts_with(&format!("error: invalid value '{value}' for '{option} <"));
        assert!(begins && line.ends_with(&format!("': {wanted}")), "{args:?} {option} {value}: {line}");
        assert!(!run.stderr.contains("tip:"), "{}", run.stderr);
    }
    assert_eq!(ggp(&["perft", nim, "--depth", "0"]).stdout, "0\t1\n");
    for option in ["--build-seconds", "--seconds"] {
        let run = ggp(&["info", nim, option, "0"]);
        assert!(
            run.code == 0 && run.stdout.contains("building its network takes more than 0 s of CPU time"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn help_is_had_of_every_command_and_of_the_players() {
    let run = ggp(&["help"]);
    assert_eq!((run.code, &run.stdout), (0, &ggp(&["--help"]).stdout), "{}", run.stderr);
    for name in ["play", "match", "solve", "help"] {
        let run = ggp(&["help", name]);
        assert_eq!((run.code, run.stdout), (0, ggp(&[name, "--help"]).stdout), "{}", run.stderr);
    }
    let run = ggp(&["help", "plya"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr
            .starts_with("error: there is no help on `plya`; write one of: players, exit-codes, play, ")
    );

    let players = ggp(&["help", "players"]).stdout;
    let knows = |word: &str| players.lines().any(|line| line.split_whitespace().next() == Some(word));
    for player in ["mcts", "uct", "random", "http://HOST:PORT", "cmd:PROGRAM"] {
        assert!(knows(player), "{player}: {players}");
    }
    // The options that the parser itself lists.
    for player in ["mcts", "uct", "random"] {
        let run = ggp(&["play", RULES, "--player", &format!("x={player}:zzz=1")]);
        let known = run.stderr.trim().split_once("its options are ").expect("the options").1;
        assert!(known.split(", ").count() >= if player == "random" { 1 } else { 18 }, "{known}");
        for option in known.split(", ") {
            assert!(knows(option), "{player} has {option}: {players}");
        }
    }
    assert!(
        players.contains("default: 512\n") && players.contains("default: on, for uct off\n"),
        "{players}"
    );
}

#[cfg(unix)]
#[test]
fn paths_of_the_pages_are_looked_at_before_they_are_served() {
    let empty = path("no-games");
    std::fs::create_dir_all(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    for (args, message) in [
        (["--games", "/nowhere"], "error: cannot read the games in /nowhere: ".to_owned()),
        (
            ["--watch", "/nowhere/match.json"],
            "error: cannot watch /nowhere/match.json: there is no folder /nowhere\n".to_owned(),
        ),
    ] {
        let (code, stdout, stderr) = served(&args);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(stderr.starts_with(&message), "{args:?}: {stderr}");
    }
    // A folder without games gets some in the studio.
    let (code, _, stderr) = served(&["--games", empty]);
    assert!(
        code.is_none() && stderr.starts_with(&format!("there are no games in {empty} yet; ")),
        "{stderr}"
    );
    let missing = fresh("to-come.json");
    let (code, stdout, stderr) = served(&["--watch", &missing]);
    assert!(code.is_none() && stdout.starts_with("listening on "), "{stdout}");
    assert_eq!(stderr, format!("waiting for {missing}\n"));
    let (code, _, stderr) = served(&["--watch", empty]);
    assert_eq!((code, stderr), (None, format!("waiting for a record, NAME.json, in {empty}\n")));
    let there = scratch("there.json", r#"{"moves": []}"#);
    let (code, _, stderr) = served(&["--watch", &there]);
    assert_eq!((code, stderr.as_str()), (None, ""));
}

/// Runs `ggp web` with `args`. Returns the exit code if it ends by itself, the first line of standard
/// output, and standard error. A server that starts is stopped.
#[cfg(unix)]
fn served(args: &[&str]) -> (Option<i32>, String, String) {
    let mut child = command(&[&["web", "--port", "0"], args].concat()).spawn().expect("ggp starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let serves = !line.is_empty();
    if serves {
        // All messages appear before the first line, so the server can be stopped now.
        let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }
    let output = child.wait_with_output().unwrap();
    let code = output.status.code().filter(|_| !serves);
    (code, line, String::from_utf8(output.stderr).unwrap())
}

/// A game that does not end; its state changes with each step.
const ENDLESS: &str = "\
(role a)
(init (step 0))
(succ 0 1) (succ 1 2) (succ 2 0)
(<= (legal a (go ?n)) (true (step ?n)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 0)) (true (step 1)))
(<= (goal a 100) (true (step 1)))
";

#[test]
fn a_long_refutation_is_cut_and_can_be_kept() {
    let rules = scratch("endless.kif", ENDLESS);
    let kept = fresh("refutation.json");
    let args = ["check", "--simulate", "1", &rules, "--save", &kept];
    let run = ggp(&args);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.lines().count() < 30, "{}", run.stdout);
    // The shortest loop is shown: step n starts in the state (n - 1) mod 3.
    let shown = "  ; `every playout ends` is refuted: 3 joint moves lead back to the same state, so nothing counts \
                 the steps:\n   9937. ((go 0))\n   9938. ((go 1))\n   9939. ((go 2))\n";
    assert!(run.stdout.contains(shown), "{}", run.stdout);
    let told = format!("wrote {kept}: 9939 joint moves against `every playout ends`\n");
    assert!(run.stderr.contains(&told), "{}", run.stderr);
    let replayed = ggp(&["replay", &rules, &kept, "--json"]);
    assert_eq!((replayed.code, replayed.stdout.lines().count()), (0, 9_940), "{}", replayed.stderr);
    let unread = ggp_unread(&["replay", &rules, &kept, "--json"]);
    assert_eq!((unread.code, unread.stderr.as_str()), (0, ""), "it only prints: its end is quiet");
    let late = ggp(&["explain", &rules, "(true (step 2))", "--from", &kept, "--step", "5"]);
    assert!(late.stdout.starts_with('✓'), "{}{}", late.stdout, late.stderr);

    let run = ggp(&[&args[..4], &["--json"]].concat());
    let verdict: Value = serde_json::from_str(&run.stdout).unwrap();
    let refuted = &verdict["simulation"]["refuted"];
    let refuted = refuted.as_array().unwrap().iter().find(|r| r["property"] == "ends").unwrap();
    assert_eq!((&refuted["step"], &refuted["first"]), (&9_939.into(), &9_937.into()));
    assert_eq!(refuted["moves"].as_array().unwrap().len(), 3);

    // A short refutation is shown in full. Without a refutation, no file is written.
    let stuck =
        ENDLESS.replace("(true (step ?n)))\n(<= (next", "(true (step ?n)) (distinct ?n 2))\n(<= (next");
    let run = ggp_with(&["check", "--simulate", "1", "-"], &stuck);
    let shown = "  ; `every role always has a move` is refuted by 2 joint moves:\n      1. ((go 0))\n      2. ((go 1))\n";
    assert!(run.stdout.contains(shown), "{}", run.stdout);
    let none = fresh("none.json");
    let run = ggp(&["check", "--simulate", "3", RULES, "--save", &none]);
    assert_eq!((run.code, run.stderr), (0, format!("nothing is refuted: {none} is not written\n")));
    assert!(!Path::new(&none).exists());
    assert_eq!(ggp(&["check", "--simulate", "3", RULES, RULES, "--save", &none]).code, 2);
}

#[test]
fn a_view_that_cannot_be_used_is_a_finding() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/tic_tac_toe.kif");
    let rules = std::fs::read_to_string(rules).expect("the rules of a game");
    let game = scratch("viewed.kif", &rules);
    let view = |text: &str| scratch("viewed.view.json", text);
    let unused = view(r#"{"glyph": {}}"#);
    let run = ggp(&["view", &game]);
    assert!(run.code == 1 && run.stdout.contains("┌"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("unknown field `glyph`"), "{}", run.stderr);
    let run = ggp(&["check", &game]);
    assert!(
        run.code == 1 && run.stderr.starts_with(&format!("error: {unused}: not a view: ")),
        "{}",
        run.stderr
    );
    let found: Value = serde_json::from_str(&ggp(&["check", "--json", &game]).stdout).expect("JSON");
    assert!(found["view"].as_str().is_some_and(|text| text.contains("unknown field")), "{found}");
    view(r#"{"glyphs": {"y": "Y"}}"#);
    let run = ggp(&["check", &game]);
    assert!(
        run.stderr.contains("`glyphs`: nothing on the board is called `y`; its contents are "),
        "{}",
        run.stderr
    );
    view(r#"{"glyphs": {"x": "X"}}"#);
    for args in [["check", &game], ["view", &game]] {
        let run = ggp(&args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn errors_are_shown_before_warnings() {
    let rules = "(role a)\n(init (s 1))\n(<= (unused ?x)\n  (true (s ?x)))\n(<= (legal a go) (true (s 1)) (not (true (s ?y))))\n(<= (next (s 2)) (true (s 1)))\n(<= terminal (true (s 2)))\n(goal a 1)";
    let run = ggp(&["check", &scratch("error-below.kif", rules)]);
    let at = |code: &str| run.stderr.find(code).unwrap_or_else(|| panic!("{code}: {}", run.stderr));
    assert!(at("error[unsafe-variable]") < at("warning[never-used]"), "{}", run.stderr);
}
