//! `ggp check --simulate`: what random playouts refute.

use super::{TINY, ggp, ggp_with};
use serde_json::Value;
use std::path::Path;

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
fn a_playout_that_fails_is_a_finding_beside_the_others() {
    // The term doubles with each step.
    let kif = "(role white) (init (has seed)) (init alive) (legal white grow) (unused 1)
        (<= (next (has (pair ?x ?x))) (true (has ?x))) (<= (next alive) (true alive))
        (<= terminal (not (true alive)))
        (<= (goal white 100) (true (has seed))) (<= (goal white 0) (not (true (has seed))))";
    let run = ggp_with(&["check", "--simulate", "2", "--json", "-"], kif);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let verdict: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let findings = verdict["findings"].as_array().unwrap();
    let is = |code: &str, severity: &str| {
        findings.iter().any(|finding| finding["code"] == code && finding["severity"] == severity)
    };
    assert!(is("not-playable", "error") && is("never-used", "warning"), "{verdict}");
    refuted(&verdict["simulation"], "monotonic");
    let run = ggp_with(&["check", "--simulate", "2", "-"], kif);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("error[not-playable]: "), "{}", run.stderr);
    assert!(run.stderr.contains("the rules of `next` begin here"), "{}", run.stderr);
    assert!(run.stdout.contains("[falling-goals]"), "{}", run.stdout);
    // A playout that fails says nothing for the properties that it does not refute.
    assert!(run.stdout.contains("no playout came to its end; the first one failed after"), "{}", run.stdout);
    assert!(!run.stdout.contains("0 playouts"), "{}", run.stdout);
}
