//! The test positions of each rulesheet, from `tests/positions`. They cover the ways in which a game ends
//! and special rules that random play seldom or never reaches.

use ggp_game::Interpreter;
use ggp_tests::{position, workspace};

#[test]
fn each_rulesheet_stands_its_test_positions() {
    let mut failures = Vec::new();
    for name in ggp_tests::rulesheets() {
        let path = workspace().join("tests/positions").join(&name).with_extension("txt");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let positions = position::read(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        assert!(!positions.is_empty(), "{}: no positions", path.display());
        let mut machine = Interpreter::new(&ggp_tests::game(&ggp_tests::rulesheet(&name)));
        for position in &positions {
            match position.check(&mut machine) {
                Ok(true) => {}
                Ok(false) => failures.push(format!("{name}, line {}: refused", position.line)),
                Err(why) => failures.push(format!("{name}, {why}")),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn positions_that_expect_nothing_are_errors() {
    assert!(position::read("position p\nstate (a)\n").is_err());
    assert!(position::read("position p\nstate (a)\nplay noop\n").is_err());
    assert!(position::read("position p\nterminal no\n").is_err());
    assert!(position::read("state (a)\nterminal no\n").is_err());
    assert!(position::read("position p\nstate (a)\nterminal perhaps\n").is_err());
    assert!(position::read("position p\nstate (a\nterminal no\n").is_err());
    assert!(position::read("position p\nstate (a)\nterminal no\n").is_ok());
}

#[test]
fn a_position_fails_when_the_game_differs() {
    let game = ggp_tests::game(
        "(role r) (init (a)) (legal r go) (<= (next (b)) (does r go)) (<= terminal (true (b))) (goal r 7)",
    );
    let mut machine = Interpreter::new(&game);
    let mut holds = |clauses: &str| {
        let text = format!("position p\nstate (a)\n{clauses}\n");
        position::read(&text).expect("well formed")[0].check(&mut machine).is_ok()
    };
    for (right, wrong) in [
        ("terminal no", "terminal yes"),
        ("legal r go", "legal r"),
        ("legal r go", "legal r go stay"),
        ("allows r go", "allows r stay"),
        ("forbids r stay", "forbids r go"),
        ("goals 7", "goals 8"),
        ("goals 7", "goals -"),
        ("holds (a)", "holds (b)"),
        ("lacks (b)", "lacks (a)"),
        ("play go\nholds (b)", "play stay\nholds (b)"),
        ("play go\nterminal yes", "play go\nterminal no"),
    ] {
        assert!(holds(right), "{right}");
        assert!(!holds(wrong), "{wrong}");
    }
    let at_the_beginning = |fact: &str| {
        let text = format!("position p\nbeginning {fact}\nterminal no\n");
        position::read(&text).expect("well formed")[0].check(&mut Interpreter::new(&game)).is_ok()
    };
    assert!(at_the_beginning("(a)"));
    assert!(!at_the_beginning("(a) (b)"));
}
