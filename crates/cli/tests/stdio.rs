//! `ggp serve --stdio`: a player on standard input and output.

use ggp_tests::workspace;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

const GGP: &str = env!("CARGO_BIN_EXE_ggp");

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(GGP);
    command.env("GGP_NO_CACHE", "1").args(args).current_dir(workspace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The rules of a published game in one line.
fn rules(name: &str) -> String {
    let source = std::fs::read_to_string(workspace().join(format!("games/{name}.kif"))).expect("a game");
    let lines = source.lines().map(|line| line.split(';').next().unwrap_or_default());
    lines.collect::<Vec<_>>().join(" ")
}

/// The output of the player `spec` on the whole input `lines`.
fn on(spec: &str, lines: &str) -> Output {
    let mut child = command(&["serve", "--stdio", spec]).spawn().expect("ggp serves");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("the input is read");
    child.wait_with_output().expect("ggp ends")
}

#[test]
fn every_line_has_an_answer_and_the_end_of_the_input_ends_the_player() {
    let lines = format!(
        "(INFO)\n(PLAY m NIL)\nwhat\n(START m x ({}) 60 60)\n(PLAY m NIL)\n(STOP m ((mark 1 1) noop))\n(PING)\n",
        rules("tic_tac_toe")
    );
    for (spec, again) in [("random:seed=4", "random:seed=4"), ("mcts:seed=4,iterations=50", "uct")] {
        let output = on(spec, &lines);
        let answers: Vec<&str> = text(&output.stdout).lines().collect();
        let mv = answers[4];
        let wanted = ["( ( name ggp ) ( status available ) )", "busy", "nil", "ready", mv, "done", "ready"];
        assert_eq!((output.status.code(), answers), (Some(0), wanted.to_vec()), "{}", text(&output.stderr));
        assert!(mv.starts_with("(mark "), "{mv}");
        let errors: Vec<&str> =
            text(&output.stderr).lines().filter(|line| line.starts_with("error")).collect();
        assert!(errors.len() == 1 && errors[0].starts_with("error: line 3: "), "{errors:?}");
        // The seed decides the answer.
        if again == spec {
            assert_eq!(on(again, &lines).stdout, output.stdout);
        }
    }
}

#[test]
fn builds_are_matched() {
    let player = |name: &str| format!("--player={name}=cmd:'{GGP}' serve --stdio mcts:iterations=50");
    // In the second game the player has percepts, and chance is the other role.
    for (game, names) in [("tic_tac_toe", &["a", "b"][..]), ("monty_hall", &["a"])] {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stdio-{game}.jsonl"));
        let _ = std::fs::remove_file(&out);
        let path = format!("games/{game}.kif");
        let mut match_command = command(&["match", &path, "--games", "2", "--playclock", "3", "--out"]);
        match_command.arg(&out).args(names.iter().map(|name| player(name)));
        if names.len() == 1 {
            match_command.arg("--player=b=random");
        }
        let Output { status, stderr, .. } = match_command.output().expect("ggp matches");
        assert!(status.success(), "{}", text(&stderr));
        let results = std::fs::read_to_string(&out).expect("results");
        for line in results.lines() {
            let result: Value = serde_json::from_str(line).expect("JSON");
            assert!(result.get("faults").is_none(), "{result}");
        }
        assert_eq!(results.lines().count(), 2);
    }
}

/// A player that has begun a match of hex with a long play clock, and has answered START.
fn started() -> (Child, BufReader<ChildStdout>) {
    let mut child = command(&["serve", "--stdio"]).spawn().expect("ggp serves");
    let line = format!("(START m red ({}) 1 600)\n", rules("hex"));
    child.stdin.as_mut().expect("a pipe").write_all(line.as_bytes()).expect("the input is read");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut answer = String::new();
    output.read_line(&mut answer).expect("an answer");
    assert_eq!(answer, "ready\n");
    (child, output)
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_player_while_it_thinks() {
    let (mut child, mut output) = started();
    child.stdin.as_mut().unwrap().write_all(b"(PLAY m NIL)\n").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10));
    let mut rest = String::new();
    output.read_line(&mut rest).unwrap();
    assert_eq!(rest, "nil\n");
}

#[test]
fn a_match_without_a_question_ends_with_the_input() {
    let (mut child, _output) = started();
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn there_is_no_port_beside_the_streams() {
    for option in [["--port", "9200"], ["--bind", "0.0.0.0"]] {
        let output = command(&[&["serve", "--stdio"], &option[..]].concat()).output().expect("ggp runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("cannot be used with"), "{}", text(&output.stderr));
    }
}
