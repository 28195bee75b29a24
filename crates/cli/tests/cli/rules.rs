//! Commands that tell, lay out or draw what the rules say: `info`, `fmt`, `explain`, `graph`, `solve`.

use super::{TINY, ggp, ggp_with, scratch};
use serde_json::Value;

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

#[test]
fn a_rule_never_fires_only_if_none_of_its_alternatives_does() {
    let either = TINY.replace("terminal (true (step 2))", "terminal (or (true (step 2)) impossible)");
    let rules = either + "(<= impossible (nothing))\n";
    let run = ggp_with(&["info", "-", "--domains", "--json"], &rules);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let domains: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(domains["dead_rules"], serde_json::json!([rules.lines().count()]));
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
fn fmt_leaves_what_is_no_rulesheet() {
    let (json, prose) = ("{\"a\": 1,\n \"b\": \"x  y\"}\n", "Two  words\nor more.\n");
    let [view, note, rules] = [("fmt.view.json", json), ("fmt-note.txt", prose), ("fmt.kif", "(role   a)\n")]
        .map(|(name, text)| scratch(name, text));
    let [view_name, note_name, rules_name] = [&view, &note, &rules].map(|path| path.to_str().expect("UTF-8"));
    let run = ggp(&["fmt", view_name, note_name, rules_name]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    let mend = "to lay out only the rulesheets of a folder, write `FOLDER/*.kif`";
    let refused = format!("error: {view_name} is not a rulesheet: it is JSON; {mend}\n");
    assert!(run.stderr.starts_with(&refused), "{}", run.stderr);
    assert!(run.stderr.contains(&format!("{note_name} is not a rulesheet: it has words")), "{}", run.stderr);
    let texts = [&view, &note, &rules].map(|path| std::fs::read_to_string(path).expect("a file"));
    assert_eq!(texts, [json, prose, "(role a)\n"], "the rulesheet among them is laid out");
    assert_eq!(ggp_with(&["fmt", "-"], "; a comment alone\n").code, 0);
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
    let run = ggp_with(&["explain", "-", "(goal c 100)"], TINY);
    assert_eq!(run.stderr, "note: `c` is no role; the roles are a, b\n");
    let run = ggp_with(&["explain", "-", "(sword a)"], TINY);
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr, "error: the rules have no relation or fluent `sword` with 1 argument\n");
    let run = ggp_with(&["explain", "-", "(legal a (pick l)"], TINY);
    let expected =
        "error: `(legal a (pick l)` cannot be read: this `(` is never closed; add a `)` where it ends\n";
    assert_eq!((run.code, run.stderr.as_str()), (1, expected));
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
