//! `ggp check`: findings and their pages.

use super::{TINY, ggp, ggp_with, root};
use serde_json::Value;
use std::path::PathBuf;

#[test]
fn each_bad_input_gives_its_message_and_exit_code() {
    let mut inputs: Vec<PathBuf> =
        root().join("tests/invalid").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.retain(|path| path.extension().is_some_and(|e| e == "kif"));
    assert!(inputs.len() >= 40);
    for path in inputs {
        let name = format!("tests/invalid/{}", path.file_name().unwrap().to_str().unwrap());
        let kif = std::fs::read(&path).unwrap();
        let mut args = vec!["check", name.as_str()];
        if kif.starts_with(b"; level: strict") {
            args.push("--strict");
        } else if kif.starts_with(b"; level: lenient") {
            args.push("--lenient");
        }
        let run = ggp(&args);
        let expected = std::fs::read_to_string(path.with_extension("stderr")).unwrap();
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{name}");
        assert_eq!(run.stderr, expected, "{name}");
    }
}

#[test]
fn our_own_rulesheets_are_strictly_clean() {
    let mut args = vec!["check".to_owned(), "--strict".to_owned()];
    for entry in root().join("games").read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "kif") {
            args.push(path.display().to_string());
        }
    }
    assert!(args.len() > 12);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = ggp(&args);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
}

#[test]
fn check_speaks_json() {
    let run = ggp(&["check", "--json", "tests/invalid/unsafe_not.kif", "games/nim.kif"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    let finding = &lines[0]["findings"][0];
    assert_eq!((&finding["line"], &finding["column"]), (&7.into(), &38.into()));
    assert_eq!(finding["severity"], "error");
    assert_eq!(
        (&finding["edits"], &finding["labels"]),
        (&Value::Array(Vec::new()), &Value::Array(Vec::new()))
    );
    assert_eq!(lines[1]["findings"], Value::Array(Vec::new()));
}

#[test]
fn check_speaks_of_edits_in_json() {
    let run = ggp_with(&["check", "--json", "-"], "(role x) (<= (legal x (go ?stpe)) (true (at ?step)))");
    let verdict: Value = serde_json::from_str(&run.stdout).unwrap();
    let mut findings = verdict["findings"].as_array().unwrap().iter();
    let finding = findings.find(|finding| finding["code"] == "unsafe-variable").unwrap();
    let edit =
        serde_json::json!({ "line": 1, "column": 27, "end_line": 1, "end_column": 32, "text": "?step" });
    assert_eq!(finding["edits"], serde_json::json!([edit]));
}

/// Such a game can be looked at, but not played.
#[test]
fn a_game_that_cannot_begin_is_an_error() {
    let stuck = TINY.replace("(legal b noop) (role b)", "(legal b noop) (true (step 1))");
    let over = TINY.replace("terminal (true (step 2))", "terminal (true (step 0))");
    for (kif, code) in [(stuck, "no-move-at-start"), (over, "over-at-start")] {
        for (level, exit, severity) in [("--strict", 1, "error"), ("--lenient", 0, "warning")] {
            let run = ggp_with(&["check", level, "-"], &kif);
            assert_eq!(run.code, exit, "{}", run.stderr);
            assert!(run.stderr.contains(&format!("{severity}[{code}]: ")), "{}", run.stderr);
        }
        let run = ggp_with(&["check", "-"], &kif);
        assert_eq!(run.code, 1, "{}", run.stderr);
        for command in [&["view"][..], &["explain", "terminal"], &["info"]] {
            let run = ggp_with(&[&command[..1], &["-"], &command[1..]].concat(), &kif);
            assert!(run.code == 0 && !run.stdout.is_empty(), "{command:?}: {}", run.stderr);
            assert!(run.stderr.contains(&format!("error[{code}]: ")), "{command:?}: {}", run.stderr);
        }
        let run = ggp_with(&["play", "-", "--iterations", "1"], &kif);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
        assert!(run.stderr.ends_with("error: <stdin> cannot be played: 1 error\n"), "{}", run.stderr);
    }
}

#[test]
fn check_explains_its_codes() {
    let run = ggp(&["check", "--explain", "never-joined"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(
        run.stdout.starts_with("# never-joined\n") && run.stdout.contains("## How to mend it"),
        "{}",
        run.stdout
    );
    let all = ggp(&["check", "--explain"]);
    assert!(all.code == 0 && all.stdout.lines().count() > 40, "{}", all.stdout);
    let run = ggp(&["check", "--explain", "never-heard-of"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    // Those of playouts, too, which `--simulate` shows beside what it refutes.
    let endless = TINY.replace("(true (step 2))", "(true (step 0)) (true (step 1))");
    let shown = ggp_with(&["check", "--simulate", "1", "-"], &endless).stdout;
    let code = shown.lines().find_map(|line| line.strip_suffix(']')?.rsplit_once(" [")).map(|(_, code)| code);
    let code = code.unwrap_or_else(|| panic!("{shown}"));
    let run = ggp(&["check", "--explain", code]);
    assert!(run.stdout.starts_with(&format!("# {code}\n")), "{}", run.stdout);
    let run = ggp(&["check", "--explain", "role", "--json"]);
    let page: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(page["code"], "role");
    assert_eq!(ggp(&["check"]).code, 2);
}
