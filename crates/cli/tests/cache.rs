//! The cache of built networks: `ggp cache`, `--no-cache`, and what `ggp info` says about it.

use ggp::NetworkCache;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// A game of four dials with `values` values each. Its network has a gate for each four of them.
fn dials(values: usize) -> String {
    let values: String = (0..values).map(|value| format!("(value {value}) ")).collect();
    let dials: String = (0..4).map(|dial| format!("(dial {dial}) (init (at {dial} {dial})) ")).collect();
    format!(
        "(role turner) {values} {dials} (<= (legal turner (turn ?d ?v)) (dial ?d) (value ?v))
        (<= (next (at ?d ?v)) (does turner (turn ?d ?v)))
        (<= (next (at ?d ?v)) (true (at ?d ?v)) (not (turned ?d))) (<= (turned ?d) (does turner (turn ?d ?v)))
        (<= (next (open ?a ?d)) (true (at 0 ?a)) (true (at 1 ?b)) (true (at 2 ?c)) (true (at 3 ?d))
            (distinct ?a ?b) (distinct ?a ?c) (distinct ?a ?d) (distinct ?b ?c) (distinct ?b ?d) (distinct ?c ?d))
        (<= terminal (true (open ?a ?d))) (goal turner 100)"
    )
}

/// `ggp` with `arguments`, for a user whose cache is `folder`.
fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env_remove("GGP_NO_CACHE").env("GGP_CACHE", folder);
    command.envs(variables.iter().copied()).args(arguments);
    let output = command.output().expect("ggp runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn text(output: Output) -> String {
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What `ggp info --json` says about the network, apart from times, and whether it came from the cache.
fn network(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (Value, bool) {
    let output = run(folder, &[&["info", "--json"], arguments].concat(), variables);
    let mut info: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let network = info["network"].as_object_mut().expect("a network");
    let was_read = network["cache_seconds"].is_number();
    for time in ["ground_seconds", "compile_seconds", "cache_seconds"] {
        network.remove(time);
    }
    (info["network"].take(), was_read)
}

#[test]
fn the_second_command_reads_the_network_of_the_first() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join("cache");
    let file = scratch.path().join("dials.kif");
    let rules = file.to_str().expect("UTF-8");
    // A network that takes longer to build than the cache asks for, on this machine.
    let mut values = 16;
    loop {
        std::fs::write(&file, dials(values)).expect("a rulesheet");
        let output = run(&folder, &["info", "--json", rules], &[("GGP_NO_CACHE", "1")]);
        let info: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let seconds = |part: &str| info["network"][part].as_f64().expect("seconds");
        if seconds("ground_seconds") + seconds("compile_seconds")
            > 2.0 * NetworkCache::KEEP_FROM.as_secs_f64()
        {
            break;
        }
        values += values / 4;
    }

    // Without the cache, by the option or by the variable, nothing is written.
    let (fresh, was_read) = network(&folder, &[rules], &[("GGP_NO_CACHE", "1")]);
    assert!(!was_read && !folder.exists());
    assert_eq!(
        text(run(&folder, &["cache"], &[])).split(": ").nth(1),
        Some("0 networks, 0.0 MiB of at most 1024 MiB\n")
    );

    let (first, was_read) = network(&folder, &[rules], &[]);
    assert!(!was_read && first == fresh);
    assert!(text(run(&folder, &["cache"], &[])).contains(": 1 network, "));
    let told = text(run(&folder, &["info", rules], &[]));
    assert_eq!(told.lines().filter(|line| line.starts_with("from the cache ")).count(), 1, "{told}");
    let (second, was_read) = network(&folder, &[rules], &[]);
    assert!(was_read && second == fresh);

    // Nor is anything read.
    let files = || std::fs::read_dir(&folder).expect("the cache").map(|file| file.expect("a file").path());
    let file = files().next().expect("a network");
    let written = std::fs::File::options().write(true).open(&file).expect("a file");
    written.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    let (third, was_read) = network(&folder, &["--no-cache", rules], &[]);
    assert!(!was_read && third == fresh);
    let used = std::fs::metadata(&file).and_then(|metadata| metadata.modified()).expect("a time");
    assert_eq!(used, std::time::SystemTime::UNIX_EPOCH, "the file is untouched");

    assert!(text(run(&folder, &["cache", "--clear"], &[])).starts_with("removed 1 network, "));
    assert_eq!(files().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let scratch = tempfile::tempdir().expect("a folder");
    let file = scratch.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/nim.kif");
    let output = run(&file, &["info", rules], &[]);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
