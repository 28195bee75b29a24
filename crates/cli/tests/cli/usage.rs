//! Command lines and their exit codes, the help texts, and `ggp doctor`.

use super::{ggp, scratch};
use serde_json::Value;

#[test]
fn a_wrong_command_line_is_2_and_a_wrong_input_is_1() {
    for (args, code, message) in [
        (
            &["play", "games/nim.kif", "--human", "third"][..],
            2,
            "error: the game has no role `third`; its roles are first, second\n",
        ),
        (
            &["play", "games/nim.kif", "--player", "first=mtcs"],
            2,
            "error: there is no player `mtcs`; the players are ",
        ),
        (&["play", "games/nim.kif", "--player", "first"], 2, "error: `first` is not ROLE=SPEC"),
        // Options of the tree search that the player for games of hidden information does not support.
        (
            &["play", "games/monty_hall.kif", "--player", "guest=mcts:threads=2"],
            2,
            "error: the option `threads` does not apply to a game of hidden information: ",
        ),
        (
            &["host", "games/monty_hall.kif", "--player", "guest=uct:solver=on"],
            2,
            "error: the option `solver` does not apply to a game of hidden information: ",
        ),
        (
            &[
                "match",
                "games/nim.kif",
                "games/monty_hall.kif",
                "--games=2",
                "--iterations=5",
                "--player=a=mcts:prior_weight=2",
                "--player=b=random",
            ],
            2,
            "error: a in monty_hall: the option `prior_weight` does not apply to a game of hidden information: ",
        ),
        (
            &["play", "games/nim.kif", "--player", "first=random", "--human", "first"],
            2,
            "error: two players want the role `first`\n",
        ),
        (&["perft", "games/nim.kif", "--depht", "3"], 2, "error: unexpected argument '--depht' found"),
        (
            &["perft", "games/nim.kif", "3"],
            2,
            "error: `3` is not expected: the depth goes with --depth: `ggp perft games/nim.kif --depth 3`\n",
        ),
        (
            &["comply", "cmd:python3 player.py"],
            2,
            "error: `comply` examines players over HTTP: let the program listen",
        ),
        (&["bench", "games/nim.kif", "--seconds", "-1"], 2, "error: "),
        (&["bench", "games/nim.kif", "--cpu", "z80"], 2, "error: "),
        (&["bench", "games/nim.kif", "--against", "0"], 2, "error: "),
        (&["check", "--strict", "--lenient", "games/nim.kif"], 2, "error: "),
        (&["frobnicate"], 2, "error: unrecognized subcommand 'frobnicate'"),
        (&["check", "games/none.kif"], 1, "error: cannot read games/none.kif: "),
        (&["perft", "nimm"], 1, "error: cannot read nimm: "),
        (
            &["play", "games/nim.kif", "--player", "first=mcts:belief=2"],
            2,
            "error: mcts has no option `belief` any more: write `prior_weight`\n",
        ),
        (&["serve", "--allow-origin", "manager.example"], 2, "error: invalid value 'manager.example' for "),
        (&["perft", "nowhere/nim.kif"], 1, "error: cannot read nowhere/nim.kif"),
        (&["perft", "games"], 1, "error: cannot read games: it is a directory; name a file in it\n"),
        (&["fmt", "games/none.kif"], 1, "error: cannot read games/none.kif: "),
        // A game that is part of the program has no file to lay out.
        (&["fmt", "hex"], 1, "error: cannot read hex"),
        (&["analyze", "games/nim.kif", "--learnt=x", "--from=y"], 2, "error: the argument '--"),
        (&["analyze", "games/nim.kif", "--learnt=x", "--from=y", "--step=1"], 2, "error: the argument '--"),
        (
            &["play", "games/nim.kif", "--from", "tests/Cargo.toml"],
            1,
            "error: tests/Cargo.toml is not a record of a match: ",
        ),
        (&["play", "games/nim.kif", "--save", "/nowhere/m.json"], 1, "error: cannot write /nowhere/m.json: "),
        (&["play", "tests/invalid/unsafe_not.kif"], 1, "error[unsafe-variable]: "),
    ] {
        let run = ggp(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.starts_with(message), "{args:?}: {}", run.stderr);
    }
    let run = ggp(&["play", "tests/invalid/unsafe_not.kif"]);
    assert!(
        run.stderr.ends_with("error: tests/invalid/unsafe_not.kif cannot be played: 1 error\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_file_that_holds_no_rules_is_told_with_the_command_that_reads_it() {
    let record = scratch("record-as-rules.json", r#"{"moves":[["(pick r)","noop"]]}"#);
    let results = scratch("results-as-rules.jsonl", r#"{"format":"ggp result","version":1}"#);
    for (file, command) in [(record, "ggp replay RULES "), (results, "ggp stats ")] {
        let name = file.to_str().unwrap();
        for args in [&["check"][..], &["fmt", "--check"], &["play"], &["info"]] {
            let run = ggp(&[args, &[name]].concat());
            let message = format!("error: {name} is not a rulesheet: it ");
            assert!(run.code == 1 && run.stderr.starts_with(&message), "{args:?}: {}", run.stderr);
            assert!(run.stderr.contains(&format!("`{command}{name}`")), "{}", run.stderr);
        }
    }
}

#[test]
fn a_misspelled_game_of_the_program_is_answered_with_the_right_name() {
    let run = ggp(&["play", "conect_four"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.ends_with(": did you mean `connect_four`?\n"), "{}", run.stderr);
}

#[test]
fn a_program_that_cannot_be_started_is_at_fault() {
    let players = ["--player", "first=random", "--player", "second=cmd:/nonexistent"];
    let run = ggp(&[&["host", "games/nim.kif"][..], &players].concat());
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("`/nonexistent` cannot be started: "), "{}", run.stderr);
}

#[test]
fn help_has_examples_and_exit_codes() {
    let run = ggp(&["--help"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("Exit codes:\n  0  "), "{}", run.stdout);
    for name in
        ["play", "check", "fmt", "explain", "perft", "replay", "bench", "info", "graph", "completions"]
    {
        assert!(run.stdout.contains(&format!("\n  {name} ")), "{name} is not in --help");
        let help = ggp(&[name, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains(&format!("Examples:\n  ggp {name} ")), "{}", help.stdout);
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = ggp(&["completions", shell]);
        assert!(run.code == 0 && run.stdout.contains("playclock"), "{shell}");
    }
    let pages = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("man1");
    assert_eq!(ggp(&["man", &pages.display().to_string()]).code, 0);
    let page = std::fs::read_to_string(pages.join("ggp-play.1")).expect("a page");
    assert!(page.contains(".TH ggp-play 1") && page.contains("playclock"), "{page}");
    assert!(std::fs::read_to_string(pages.join("ggp.1")).expect("a page").contains("ggp\\-play(1)"));
}

#[test]
fn the_doctor_tests_the_program_with_every_class_of_processors() {
    let run = ggp(&["doctor", "--cpu", "plain", "--json"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let told: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(told["passed"], true);
    let tested = |name: &str| {
        let line = told["lines"].as_array().unwrap().iter().find(|line| line["name"] == name);
        line.unwrap_or_else(|| panic!("no line {name}"))["passed"] == true
    };
    assert!(["moves", "network", "match"].into_iter().all(tested));
    // The health check of a container, where nothing listens.
    let run = ggp(&["doctor", "--reach", "localhost:1"]);
    assert!(run.code == 1 && run.stdout.contains("nothing answers at localhost:1"), "{}", run.stdout);
    assert!(!run.stdout.contains("8080"), "{}", run.stdout);
    let run = ggp(&["doctor", "--reach", "256.0.0.1"]);
    assert!(run.stdout.contains("256.0.0.1:9147, the port of `ggp serve`"), "{}", run.stdout);
    assert!(run.stdout.contains("write 256.0.0.1:8080"), "{}", run.stdout);
    let run = ggp(&["doctor", "--cpu", "z80"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("the classes are plain, avx2, avx512"), "{}", run.stderr);
}
