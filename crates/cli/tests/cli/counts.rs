//! `ggp perft` and `ggp bench`: counts of moves and playouts.

use super::{TINY, command, ggp, ggp_with};
use serde_json::Value;
use std::io::{BufRead, BufReader};

#[test]
fn perft_prints_a_line_a_depth() {
    let run = ggp(&["perft", "games/endgame.kif", "--depth", "3"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "0\t1\n1\t14\n2\t66\n3\t1161\n"), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    let run = ggp_with(&["perft", "-", "--depth", "3"], TINY);
    assert_eq!((run.code, run.stdout.as_str()), (0, "0\t1\n1\t2\n2\t4\n3\t0\n"), "{}", run.stderr);
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let mut child =
        command(&["perft", "games/pawn_whopping.kif", "--depth", "60"]).spawn().expect("ggp starts");
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("a line");
    assert_eq!(line, "0\t1\n");
    drop(reader);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn bench_prints_exactly_these_keys() {
    let run = ggp(&["bench", "games/nim.kif", "--seconds", "0.1", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let speed: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let keys: Vec<&str> = speed.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "format",
            "version",
            "game",
            "reasoner",
            "build_seconds",
            "playouts",
            "steps",
            "cpu_seconds",
            "playouts_per_cpu_second",
            "steps_per_cpu_second",
            "mean_length",
            "mean_goals",
            "peak_rss_mib"
        ]
    );
    let args = ["--profile", "--against", "100", "--cpu", "plain", "--reasoner", "propnet"];
    let run = ggp(&[["bench", "games/nim.kif", "--seconds", "0.1", "--json"].as_slice(), &args].concat());
    let profiled: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!(profiled.as_object().unwrap().len(), keys.len() + 2, "{profiled}");
    let shares = profiled["shares"].as_object().unwrap();
    assert_eq!(shares.keys().collect::<Vec<_>>(), ["gates", "choice", "next", "bookkeeping"]);
    let sum: f64 = shares.values().map(|share| share.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{profiled}");
    let ratio = profiled["playouts_per_cpu_second"].as_f64().unwrap() / profiled["ratio"].as_f64().unwrap();
    assert!((ratio - 100.0).abs() < 1e-6, "{profiled}");
    assert_eq!(speed["game"], "nim");
    let number = |key: &str| speed[key].as_f64().unwrap();
    assert!(number("playouts") >= 1.0 && number("cpu_seconds") > 0.0 && number("peak_rss_mib") > 1.0);
    let rate = number("playouts") / number("cpu_seconds");
    assert!((number("playouts_per_cpu_second") / rate - 1.0).abs() < 1e-6);
    assert!((number("mean_length") - number("steps") / number("playouts")).abs() < 1e-6);
}

/// The counts of playouts depend only on the rules, the seed and the random streams. If the counts change,
/// every recorded experiment changes.
#[test]
fn counted_playouts_do_not_drift() {
    for (game, expected) in [
        ("endgame", "game       endgame\nseed       7\nplayouts   50\nsteps      700\n"),
        ("tic_tac_toe", "game       tic_tac_toe\nseed       7\nplayouts   50\n"),
    ] {
        let path = format!("games/{game}.kif");
        let args = ["bench", &path, "--playouts", "50", "--seed", "7"];
        let run = ggp(&args);
        assert!(run.stdout.starts_with(expected), "{}{}", run.stdout, run.stderr);
        assert_eq!(ggp(&args).stdout, run.stdout);
    }
    let run = ggp(&["bench", "games/tic_tac_toe.kif", "--playouts", "50", "--seed", "7", "--json"]);
    assert_eq!(run.stdout, FINGERPRINT);
}

const FINGERPRINT: &str = "{\"game\":\"tic_tac_toe\",\"seed\":7,\"playouts\":50,\"steps\":381,\
    \"goal_sums\":[2900,2100],\"checksum\":\"528b0b31962eec2a\"}\n";
