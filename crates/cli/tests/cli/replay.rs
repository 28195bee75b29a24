//! `ggp replay`: the states and goals of recorded matches.

use super::{TINY, ggp_with, scratch};
use serde_json::Value;

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
