//! Counted playouts (`ggp bench --playouts`) against the pinned counts of `tests/fingerprints.jsonl`. The
//! counts are equal for the interpreter and the network, for every kind of processor that this one
//! supports, and for any number of threads. If they change, every recorded experiment changes.

use ggp_propnet::Cpu;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The largest count of playouts that short tests repeat, and the number of rows with no more. Long tests repeat all rows.
const SHORT: (u64, usize) = (100, 22);
const ALL: (u64, usize) = (u64::MAX, 41);

/// The output of `ggp bench` with the options `how` for the playouts of `row`.
fn bench(row: &Value, how: &[&str]) -> String {
    let game = format!("games/{}.kif", row["game"].as_str().expect("a name"));
    let (playouts, seed) = (row["playouts"].to_string(), row["seed"].to_string());
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.args(["bench", &game, "--json", "--playouts", &playouts, "--seed", &seed]).args(how);
    let output = command.output().expect("ggp starts");
    assert!(output.status.success(), "{game}, {how:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn whatever_evaluates_plays_the_pinned_playouts() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fingerprints.jsonl");
    let table = std::fs::read_to_string(table).expect("the table of fingerprints");
    let (most, expected) = if ggp_tests::plays_long() { ALL } else { SHORT };
    let mut rows = 0;
    for line in table.lines() {
        let row: Value = serde_json::from_str(line).expect("a JSON object a line");
        if row["playouts"].as_u64().expect("a number") > most {
            continue;
        }
        rows += 1;
        let agrees = |how: &[&str]| assert_eq!(bench(&row, how).trim_end(), line, "{how:?}");
        agrees(&["--reasoner", "datalog"]);
        agrees(&["--reasoner", "propnet", "--threads", "2"]);
        for cpu in Cpu::available() {
            agrees(&["--reasoner", "propnet", "--cpu", cpu.name()]);
        }
    }
    assert_eq!(rows, expected, "rows compared");
}
