//! The `ggp` command as scripts and users see it: output formats, exit codes, streams.
//!
//! The tests run `ggp` at the root of the workspace. Scripts of users depend on the exact output that
//! these tests check.

mod formats;

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The result of a run.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.env_remove("NO_COLOR").env("LANG", "C.UTF-8").env_remove("LC_ALL");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ggp_with(args: &[&str], input: &str) -> Run {
    let mut child = command(args).spawn().expect("ggp starts");
    // A program that does not read its input may have ended.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("ggp ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run {
        code: output.status.code().expect("an exit code"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

fn ggp(args: &[&str]) -> Run {
    ggp_with(args, "")
}

/// Writes a file that only one test uses, and returns its path.
fn scratch(name: &str, contents: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).expect("a scratch file");
    path
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A game of two steps in which `a` chooses and `b` has one move.
const TINY: &str = "\
(role a) (role b)
(init (step 0))
(succ 0 1) (succ 1 2)
(<= (legal a (pick ?x)) (choice ?x))
(<= (legal b noop) (role b))
(choice l) (choice r)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (picked ?x)) (does a (pick ?x)))
(<= terminal (true (step 2)))
(<= (goal a 100) (true (picked l)))
(<= (goal a 30) (not (true (picked l))))
(<= (goal b 50) (role b))
";

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
fn replay_prints_one_object_a_state() {
    let record = scratch("replay.txt", "; two steps\n((pick r) noop)\r\n\n((PICK l) noop)\n");
    let run = ggp_with(&["replay", "-", record.to_str().unwrap(), "--json"], TINY);
    let expected = concat!(
        r#"{"step":0,"state":["(step 0)"],"legal":{"a":["(pick l)","(pick r)"],"b":["noop"]},"#,
        r#""terminal":false,"goals":{"a":30,"b":50}}"#,
        "\n",
        r#"{"step":1,"state":["(picked r)","(step 1)"],"legal":{"a":["(pick l)","(pick r)"],"b":["noop"]},"#,
        r#""terminal":false,"goals":{"a":30,"b":50}}"#,
        "\n",
        r#"{"step":2,"state":["(picked l)","(step 2)"],"legal":{"a":["(pick l)","(pick r)"],"b":["noop"]},"#,
        r#""terminal":true,"goals":{"a":100,"b":50}}"#,
        "\n",
    );
    assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{}", run.stderr);
    // The same match as JSON, shown as text.
    let json = scratch("replay.json", r#"{"moves": [["(pick r)", "noop"], ["( pick l )", "noop"]]}"#);
    let run = ggp_with(&["replay", "-", json.to_str().unwrap()], TINY);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.ends_with("Over after 2 steps: a 100, b 50\n"), "{}", run.stdout);
    assert!(run.stdout.contains("  2. a ( pick l )   b noop\n"), "{}", run.stdout);
}

#[test]
fn a_goal_that_is_not_one_is_null() {
    let kif = TINY.replace("(goal b 50) (role b)", "(goal b ?g) (many ?g)") + "(many 1) (many 2)";
    let run = ggp_with(
        &["replay", "-", scratch("none.json", r#"{"moves": []}"#).to_str().unwrap(), "--json"],
        &kif,
    );
    assert!(run.stdout.ends_with("\"goals\":{\"a\":30,\"b\":null}}\n"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn several_goals_and_none_are_told_apart_and_scored() {
    let several = TINY.replace("(goal b 50) (role b)", "(goal b ?g) (many ?g)") + "(many 1) (many 2)";
    let none = TINY.replace("(goal b 50) (role b)", "(goal b 50) (true (step 0))");
    let moves = scratch("to-the-end.txt", "((pick l) noop)\n((pick l) noop)\n");
    for (kif, score, why, sum) in [
        (several, "2 (the largest of several goals)", "b has the goals 1 and 2; the largest, 2, counts", 14),
        (none, "0 (the rules give no goal)", "b has no goal; it scores 0", 0),
    ] {
        let run = ggp_with(&["replay", "-", moves.to_str().unwrap()], &kif);
        let last = run.stdout.lines().last().unwrap();
        assert!(
            last.starts_with("Over after 2 steps: a ") && last.ends_with(&format!(", b {score}")),
            "{last}"
        );
        let run = ggp_with(&["replay", "-", moves.to_str().unwrap(), "--json"], &kif);
        assert!(run.stdout.ends_with(",\"b\":null}}\n"), "{}", run.stdout);
        let run = ggp_with(&["check", "--simulate", "5", "-"], &kif);
        assert!(run.code == 1 && run.stdout.contains(why), "{}", run.stdout);
        for reasoner in ["datalog", "propnet"] {
            let args = ["bench", "-", "--playouts", "7", "--json", "--reasoner", reasoner];
            let counted: Value = serde_json::from_str(&ggp_with(&args, &kif).stdout).unwrap();
            assert_eq!(counted["goal_sums"][1], sum, "{reasoner}");
        }
    }
}

#[test]
fn an_illegal_move_is_named_with_its_step() {
    for (record, message) in [
        (
            "((pick r) noop)\n((pick x) noop)\n",
            "step 2 (line 2): a has no legal move `(pick x)`; legal: (pick l), (pick r)",
        ),
        ("((pick r))\n", "step 1 (line 1): a joint move has 2 moves, one for each role, not 1"),
        (
            "((pick r) noop)\n((pick r) noop)\n((pick r) noop)\n",
            "step 3 (line 3): the game is over before this move",
        ),
        (r#"{"moves": [["(pick r)", "hop"]]}"#, "step 1 (moves[0]): b has no legal move `hop`; legal: noop"),
    ] {
        let path = scratch("illegal.txt", record);
        let path = path.to_str().unwrap();
        let run = ggp_with(&["replay", "-", path, "--json"], TINY);
        assert_eq!((run.code, run.stderr), (1, format!("error: {path}: {message}\n")));
        assert!(run.stdout.starts_with("{\"step\":0,"), "what was legal is shown");
    }
    let path = scratch("broken.txt", "((pick r) noop)\n((pick r) noop\n");
    let run = ggp_with(&["replay", "-", path.to_str().unwrap()], TINY);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("is not a record of a match: line 2: "), "{}", run.stderr);
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

#[test]
fn info_prints_domains() {
    let run = ggp(&["info", "games/tic_tac_toe.kif", "--domains", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let domains: Value = serde_json::from_str(&run.stdout).unwrap();
    let fluents = domains["fluents"].as_array().unwrap();
    let cell = fluents.iter().find(|fluent| fluent["name"] == "cell").expect("a fluent");
    let of = |argument: usize| -> Vec<&str> {
        let constants = cell["arguments"][argument]["constants"].as_array().unwrap();
        constants.iter().map(|value| value.as_str().unwrap()).collect()
    };
    let mut coordinates = of(0);
    coordinates.sort_unstable();
    assert_eq!(coordinates, ["1", "2", "3"]);
    assert_eq!(domains["dead_rules"], serde_json::json!([]));
    let text = ggp(&["info", "games/tic_tac_toe.kif", "--domains"]).stdout;
    assert!(text.starts_with("fluents\n") && text.contains("\nmoves\n"), "{text}");
}

/// The simulation of a game of `tests/mistakes` in which `old` becomes `new`.
fn simulated(game: &str, old: &str, new: &str) -> (i32, Value, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/mistakes/{game}.kif"));
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "{game}: {old}");
    let kif = text.replacen(old, new, 1);
    let run = ggp_with(&["check", "--simulate", "20", "--json", "-"], &kif);
    let verdict: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let shown = ggp_with(&["check", "--simulate", "20", "-"], &kif).stdout;
    (run.code, verdict["simulation"].clone(), shown)
}

fn refuted<'a>(simulation: &'a Value, property: &str) -> &'a Value {
    let all = simulation["refuted"].as_array().unwrap();
    all.iter().find(|r| r["property"] == property).unwrap_or_else(|| panic!("{property}: {simulation}"))
}

#[test]
fn a_role_without_a_move_is_shown_with_the_rule_that_comes_nearest() {
    for (game, old, new, role, rule, condition) in [
        (
            "orchard",
            "    (true (turn oak)))\n(<= (legal oak",
            "    (true (turn rose)))\n(<= (legal oak",
            "rose",
            "(legal ?who (plant ?x ?y))",
            "(true (turn ?who))",
        ),
        (
            "auction",
            "    (atmost ?coins ?purse))",
            "    (true (lot 1))\n    (atmost ?coins ?purse))",
            "ada",
            "(legal ?bidder (offer ?coins))",
            "(true (lot 1))",
        ),
        (
            "ferry",
            "    (not (true (helm ?c))))",
            "    (true (helm ?c)))",
            "bob",
            "(legal ?c wait)",
            "(true (helm ?c))",
        ),
    ] {
        let (code, simulation, shown) = simulated(game, old, new);
        let found = refuted(&simulation, "playable");
        assert_eq!(code, 1);
        assert!(found["why"].as_str().unwrap().starts_with(role), "{found}");
        assert_eq!(
            (&found["nearest"]["rule"], &found["nearest"]["condition"]),
            (&rule.into(), &condition.into())
        );
        assert!(
            !found["state"].as_array().unwrap().is_empty() && shown.contains("the nearest rule is"),
            "{shown}"
        );
    }
}

#[test]
fn goals_that_are_missing_several_or_out_of_range_are_told_apart() {
    for (game, old, new, property, words) in [
        (
            "orchard",
            "(<= (goal ?who 50)\n    (role ?who)\n    (not (wins rose))\n    (not (wins oak)))\n",
            "(<= (goal ?who 50)\n    (role ?who)\n    (wins rose)\n    (wins oak))\n",
            "has_goal",
            "has no goal",
        ),
        (
            "auction",
            "(<= (goal ?bidder 50)\n",
            "(<= (goal ?bidder 50)\n    (true (lot 9))\n",
            "has_goal",
            "has no goal",
        ),
        (
            "vault",
            "(<= (goal thief 0)\n    (not (true open)))",
            "(<= (goal thief 0)\n    (true (clock 1)))",
            "has_goal",
            "thief has no goal",
        ),
        (
            "ferry",
            "(<= (goal ?c 30)\n    (true (earned ?c 1)))",
            "(<= (goal ?c 30)\n    (true (earned ?c ?n)))",
            "one_goal",
            "has the goals",
        ),
        (
            "vault",
            "(<= (goal thief 100)\n    (true open))",
            "(<= (goal thief 100)\n    (true (clock 8)))",
            "one_goal",
            "thief has the goals 0 and 100",
        ),
        (
            "auction",
            "    (below ?theirs ?mine))",
            "    (not (below ?mine ?theirs)))",
            "one_goal",
            "has the goals",
        ),
    ] {
        let (code, simulation, _) = simulated(game, old, new);
        assert_eq!(code, 1, "{game}");
        let found = refuted(&simulation, property);
        assert!(found["why"].as_str().unwrap().contains(words), "{found}");
        assert!(!found["state"].as_array().unwrap().is_empty());
    }
    let (_, simulation, _) = simulated(
        "ferry",
        "(<= (goal ?c 0)\n    (true (earned ?c 0)))",
        "(value 120)\n(<= (goal ?c ?v)\n    (value ?v)\n    (true (earned ?c 0)))",
    );
    assert!(refuted(&simulation, "goal_in_range")["why"].as_str().unwrap().contains("120"));
}

#[test]
fn an_endless_game_is_shown_by_the_steps_that_repeat() {
    for (game, old, new) in [
        (
            "vault",
            "(<= terminal\n    (true open))\n(<= terminal\n    (true (clock 8)))",
            "(tick 8 0)\n(<= terminal\n    (true (clock 9)))",
        ),
        (
            "auction",
            "(<= (next (lot ?after))\n    (true (lot ?now))\n    (succ ?now ?after))",
            "(<= (next (lot ?now))\n    (true (lot ?now)))",
        ),
        ("ferry", "(<= terminal\n    (true (day 6)))", "(<= terminal\n    (true (earned ann 9)))"),
    ] {
        let (code, simulation, _) = simulated(game, old, new);
        assert_eq!(code, 1, "{game}");
        let found = refuted(&simulation, "ends");
        assert!(found["moves"].as_array().unwrap().len() <= 10);
        let repeats = found["repeats"].as_u64();
        assert!(repeats.is_some() || found["why"].as_str().unwrap().contains("repeats"), "{found}");
    }
}

#[test]
fn goals_that_fall_are_called_harmless() {
    for game in ["auction", "ferry"] {
        let (_, simulation, shown) = simulated(game, "; ", "; ");
        if let Some(found) =
            simulation["refuted"].as_array().unwrap().iter().find(|r| r["property"] == "monotonic")
        {
            assert_eq!(found["harmless"], true);
            assert!(shown.contains("harmless if only the goals of the last state are meant"), "{shown}");
        }
    }
    let (code, simulation, shown) = simulated(
        "vault",
        "    (not (true open)))\n\n(wheel",
        "    (true (clock 8))\n    (not (true open)))\n(<= (goal thief 50)\n    (not (true (clock 8)))\n    (not (true open)))\n\n(wheel",
    );
    assert_eq!(code, 0, "{shown}");
    assert_eq!(refuted(&simulation, "monotonic")["harmless"], true);
    assert!(shown.contains("harmless"), "{shown}");
}

#[test]
fn rules_that_never_fire_are_listed_with_the_condition_that_fails() {
    let (_, simulation, shown) = simulated(
        "vault",
        "(<= terminal\n    (true (clock 8)))",
        "(<= terminal\n    (true (clock 8)))\n(<= (goal thief 40)\n    (true (clock 5))\n    (true (clock 6)))",
    );
    let all = simulation["never_fired"].as_array().unwrap();
    let found = all.iter().find(|place| place["rule"] == "(goal thief 40)").expect("it never fires");
    assert_eq!(found["condition"], "(true (clock 6))");
    assert!(shown.contains("never fired in") && shown.contains("[never-fired]"), "{shown}");
}

#[test]
fn simulation_refutes_what_is_wrong() {
    let run = ggp(&["check", "--simulate", "20", "games/tic_tac_toe.kif"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("  every playout ends                 not refuted in 20 playouts\n"),
        "{}",
        run.stdout
    );
    // A role without a legal move, a role without a goal, and a game that does not end.
    let stuck = TINY.replace("(legal b noop) (role b)", "(legal b noop) (true (step 0))");
    let without = TINY.replace("(goal b 50) (role b)", "(goal b 50) (true (step 0))");
    let endless =
        TINY.replace("(succ 1 2)", "(succ 1 2) (succ 2 0)").replace("(true (step 2))", "(true (step 9))");
    for (kif, property, code) in [
        (stuck, "playable", "no-move"),
        (without, "has_goal", "no-goal-at-the-end"),
        (endless, "ends", "no-end"),
    ] {
        let run = ggp_with(&["check", "--simulate", "5", "--json", "-"], &kif);
        assert_eq!(run.code, 1, "{property}: {}{}", run.stdout, run.stderr);
        let verdict: Value = serde_json::from_str(&run.stdout).unwrap();
        let refuted = verdict["simulation"]["refuted"].as_array().unwrap().iter();
        let refuted = refuted.clone().find(|r| r["property"] == property).expect(property);
        assert_eq!(refuted["code"], code);
        // The moves are the last ones before the refuting state.
        let (moves, step) = (refuted["moves"].as_array().unwrap(), refuted["step"].as_u64().unwrap());
        // Of an endless playout the loop is shown.
        assert_eq!(moves.len() as u64, refuted["repeats"].as_u64().unwrap_or(step).min(10));
        assert_eq!(refuted["first"].as_u64().unwrap() + moves.len() as u64, step + 1);
    }
}

#[test]
fn solve_names_the_move_whatever_evaluates_the_rules() {
    for reasoner in ["datalog", "propnet"] {
        let run = ggp_with(&["solve", "-", "--reasoner", reasoner], TINY);
        assert_eq!(run.code, 0, "{reasoner}: {}", run.stderr);
        let first = run.stdout.lines().next().unwrap();
        assert!(first.starts_with("a  100, proved") && first.ends_with("; (pick l) makes sure"), "{first}");
    }
}

#[test]
fn fmt_lays_out_and_checks() {
    let messy = "; c\n(<= (next (step ?n))\n(true (step ?m)) ; why\n (succ ?m ?n))(role   a)\n";
    let tidy = "; c\n(<= (next (step ?n))\n    (true (step ?m)) ; why\n    (succ ?m ?n))\n(role a)\n";
    let run = ggp_with(&["fmt", "-"], messy);
    assert_eq!((run.code, run.stdout.as_str()), (0, tidy), "{}", run.stderr);
    let path = scratch("layout.kif", messy);
    let name = path.to_str().unwrap();
    let run = ggp(&["fmt", "--check", name]);
    assert_eq!((run.code, run.stdout), (1, format!("{name}\n")));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), messy, "--check changes nothing");
    assert_eq!(ggp(&["fmt", name]).code, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), tidy);
    assert_eq!(ggp(&["fmt", "--check", name]).code, 0);
    let run = ggp_with(&["fmt", "-"], "(role a");
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("--> <stdin>:1:1"), "{}", run.stderr);
}

#[test]
fn explain_shows_the_tree() {
    let run = ggp_with(&["explain", "-", "(next (picked r))", "--moves", "((pick r) noop)"], TINY);
    let expected = "\
✓ (next (picked r))  line 8: a rule
└─ ✓ (does a (pick r))  the move made
";
    assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{}", run.stderr);
    let run = ggp_with(&["explain", "-", "(goal a 100)"], TINY);
    let expected = "\
✗ (goal a 100)  line 10: the one rule that could give it
└─ ✗ (true (picked l))  not in the state
";
    assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{}", run.stderr);
    // A fact of the last recorded state is explained by the move before it.
    let record = scratch("explain.txt", "((pick l) noop)\n");
    let run = ggp_with(&["explain", "-", "(picked l)", "--from", record.to_str().unwrap()], TINY);
    let expected = "\
✓ (true (picked l))  in the state
└─ ✓ (next (picked l))  line 8: a rule
   └─ ✓ (does a (pick l))  the move made
";
    assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{}", run.stderr);
    let run = ggp_with(&["explain", "-", "(next (picked l))"], TINY);
    assert!(run.stderr.starts_with("note: no move has been made"), "{}", run.stderr);
    let run = ggp_with(&["explain", "-", "(sword a)"], TINY);
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr, "error: the rules have no relation or fluent `sword` with 1 argument\n");
}

#[test]
fn graph_is_dot_with_strata() {
    let run = ggp_with(&["graph", "-"], TINY);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let has = |line: &str| assert!(run.stdout.lines().any(|l| l.trim() == line), "{line}\n{}", run.stdout);
    has("subgraph cluster_0 {");
    has("subgraph cluster_1 {");
    let node = |label: &str| {
        let line = run.stdout.lines().find(|l| l.contains(&format!("label=\"{label}\""))).expect(label);
        line.split_whitespace().next().unwrap().to_owned()
    };
    has(&format!("{} -> {} [style=dashed];", node("true picked/1"), node("goal/2")));
    has(&format!("{} -> {};", node("does pick/1"), node("next picked/1")));
    has(&format!("{} [label=\"does pick/1\", shape=box];", node("does pick/1")));
    assert!(run.stdout.ends_with("}\n"));
}

#[test]
fn graph_draws_small_networks() {
    let run = ggp_with(&["graph", "-", "--propnet"], TINY);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let node = |label: &str| {
        let line = run.stdout.lines().find(|l| l.contains(&format!("label=\"{label}\""))).expect(label);
        line.split_whitespace().next().unwrap().to_owned()
    };
    let edge = |from: &str, to: &str| {
        let line = format!("{} -> {};", node(from), node(to));
        assert!(run.stdout.lines().any(|l| l.trim() == line), "{line}\n{}", run.stdout);
    };
    edge("(step 2)", "terminal");
    edge("(step 0)", "next (step 1)");
    assert!(run.stdout.contains("label=\"does a (pick "), "{}", run.stdout);
    assert!(run.stdout.ends_with("}\n"));
    let run = ggp_with(&["graph", "-", "--propnet", "--limit", "3"], TINY);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("error: the network of - has "), "{}", run.stderr);
    assert!(run.stderr.contains(" nodes, too many to draw: `--limit "), "{}", run.stderr);
}

#[test]
fn info_tells_what_was_grounded_removed_and_kept() {
    let run = ggp(&["info", "games/tic_tac_toe.kif", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let info: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&info),
        "format version game roles facts rules interpreter network no_network compiled not_compiled peak_rss_mib",
        "the names are a contract"
    );
    let network = &info["network"];
    assert_eq!(
        keys(network),
        "ground_seconds compile_seconds cache_seconds fixed_facts possible_facts dynamic_rules instances_by_move \
         instances instances_kept fluents fluents_constant state_bits moves move_sets fixpoints \
         fixpoint_unknowns nodes gates_instantiated gates lanes defers_goals shares_terminal phases single \
         single_rows program_bytes thread_bytes"
    );
    assert_eq!(
        keys(&network["phases"][0]),
        "fixed_fluents moves needed lowered flattened factored shared mapped scheduled gates_per_step \
         guarded_gates gates_of_goals levels runs loops unknowns rows working_rows"
    );
    // Two phases, one for each role on turn; the other role has one move.
    assert_eq!(network["phases"].as_array().unwrap().len(), 2);
    assert_eq!(network["moves"], serde_json::json!([10, 10]));
    assert_eq!(network["phases"][0]["moves"], serde_json::json!([9, 1]));
    assert_eq!(network["phases"][0]["fixed_fluents"], 2);
    let number = |key: &str| network[key].as_u64().unwrap();
    assert!(number("gates") <= number("gates_instantiated"), "{network}");

    let run = ggp(&["info", "games/tic_tac_toe.kif"]);
    for line in ["roles                    x o", "fluents                  ", "  pairs shared  "] {
        assert!(run.stdout.contains(&format!("\n{line}")), "{line}\n{}", run.stdout);
    }
    // Without time to build a network, the command reports which machines can play the game.
    let run = ggp(&["info", "games/skirmish.kif", "--seconds", "0"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let why = "\nnetwork                  none: building its network takes more than 0 s of CPU time\n";
    assert!(run.stdout.contains(why), "{}", run.stdout);
    let rest =
        run.stdout.split_once("\ncompiled rules           ").expect("the size of the compiled rules").1;
    let (size, rest) = rest.split_once('\n').expect("more lines");
    assert!(size.contains(" procedures, ") && size.ends_with(" operations"), "{size}");
    assert!(rest.contains("20 times as fast as the interpreter"), "{rest}");
    let run = ggp(&["info", "games/skirmish.kif", "--seconds", "0", "--json"]);
    let info: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert!(info["network"].is_null() && info["no_network"].is_string(), "{info}");
    assert!(info["compiled"]["procedures"].is_u64() && info["not_compiled"].is_null(), "{info}");
    let endless = scratch(
        "endless.kif",
        "(role a) (init (count z)) (legal a step) (<= (next (count (s ?n))) (true (count ?n)))
        (<= terminal (true (count (s (s z))))) (goal a 100)",
    );
    let run = ggp(&["info", endless.to_str().unwrap(), "--seconds", "0"]);
    let why = "\ncompiled rules           none: its fluents are not known in advance\n";
    assert!(
        run.stdout.contains(why) && run.stdout.contains(" with the interpreter, one state"),
        "{}",
        run.stdout
    );
}

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
        (&["perft", "nowhere/nim.kif"], 1, "error: cannot read nowhere/nim.kif"),
        (&["perft", "games"], 1, "error: cannot read games: it is a directory; name a file in it\n"),
        (&["fmt", "games/none.kif"], 1, "error: cannot read games/none.kif: "),
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
    let told: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(told["passed"], true);
    let tested = |name: &str| {
        let line = told["lines"].as_array().unwrap().iter().find(|line| line["name"] == name);
        line.unwrap_or_else(|| panic!("no line {name}"))["passed"] == true
    };
    assert!(["moves", "network", "match"].into_iter().all(tested));
    // The health check of a container, where nothing listens.
    let run = ggp(&["doctor", "--reach", "localhost:1"]);
    assert!(run.code == 1 && run.stdout.contains("nothing answers at localhost:1"), "{}", run.stdout);
    let run = ggp(&["doctor", "--cpu", "z80"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("the classes are plain, avx2, avx512"), "{}", run.stderr);
}
