//! Solutions of games of hidden information: published values, and a best response that shares no code with the
//! solver.

use ggp_equilibrium::{Behaviour, BeliefError, Budget, CfrPlus, UnfoldError, Unfolding, best_play};
use ggp_game::{Deadline, StateMachine, StopToken};
use ggp_propnet::PropNetMachine;
use ggp_tests::best_response::{Strategies, exploitability};

fn machine(name: &str) -> PropNetMachine {
    ggp_tests::network(&ggp_tests::rulesheet(name))
}

/// Solves the game to the exploitability `target`. Returns the first role's value and the exploitability, as the
/// solver and as [`exploitability`] compute it.
fn solve(name: &str, target: f64) -> (f64, f64, f64) {
    let mut machine = machine(name);
    let stop = StopToken::new();
    let budget = Budget { bytes: 1 << 30, deadline: Deadline::never(), stop: &stop };
    let tree = Unfolding::new(&mut machine, &budget).expect("it fits");
    let equilibrium = CfrPlus::new(&tree).expect("two roles of constant sum").run(target, &budget);
    let by_set = |set: Behaviour| ((set.role, set.history), set.moves.into_iter().collect());
    let strategies: Strategies = equilibrium.behaviour(&tree).map(by_set).collect();
    assert_eq!(strategies.len(), tree.set_count());
    let confirmed = exploitability(&machine, &strategies);
    (equilibrium.goals[0], equilibrium.exploitability, confirmed)
}

#[test]
fn kuhn_poker_has_its_published_value() {
    let (value, exploitability, confirmed) = solve("kuhn_poker", 1e-5);
    // A chip is 25 goals, and the first player loses 1/18 of a chip (Kuhn 1950).
    assert!((value - (50.0 - 25.0 / 18.0)).abs() < 2e-3, "{value}");
    assert!(exploitability <= 1e-5, "{exploitability}");
    assert!((confirmed - exploitability).abs() < 1e-9, "{confirmed} and {exploitability}");
}

#[test]
fn liars_dice_is_solved_and_a_best_response_confirms_it() {
    // A coarse target keeps the test short; the acceptance script asks for more.
    let (value, exploitability, confirmed) = solve("liars_dice", 0.01);
    assert!((48.0..49.2).contains(&value), "{value}");
    assert!(exploitability <= 0.01, "{exploitability}");
    assert!((confirmed - exploitability).abs() < 1e-9, "{confirmed} and {exploitability}");
}

#[test]
fn one_role_against_chance_plays_best() {
    let stop = StopToken::new();
    let budget = Budget { bytes: 1 << 30, deadline: Deadline::never(), stop: &stop };
    let mut hall = machine("monty_hall");
    let guest = hall.game().role_named("guest").expect("a role");
    let best = best_play(&mut hall, guest, &budget).expect("it is small");
    assert!((best.value - 200.0 / 3.0).abs() < 1e-9, "{}", best.value);
    let moves: Vec<&str> = best.plan.iter().map(|planned| planned.mv.as_str()).collect();
    assert_eq!(moves, ["(choose 1)", "change", "change"]);
    let mut codes = machine("mastermind");
    let breaker = codes.game().role_named("breaker").expect("a role");
    let best = best_play(&mut codes, breaker, &budget).expect("it is small");
    // The best strategy needs 206 guesses for all 64 codes; each guess beyond the first costs 10.
    assert!((best.value - (110.0 - 10.0 * 206.0 / 64.0)).abs() < 1e-6, "{}", best.value);
}

#[test]
fn what_is_too_large_or_too_long_is_refused_with_its_size() {
    let mut dice = machine("liars_dice");
    let stop = StopToken::new();
    let small = Budget { bytes: 1 << 20, deadline: Deadline::never(), stop: &stop };
    let refusal = Unfolding::new(&mut dice, &small).expect_err("it needs some MiB");
    assert!(
        matches!(refusal, UnfoldError::Full { nodes, turns, mib: 1 } if nodes > 1000 && turns > 1),
        "{refusal}"
    );
    let mut codes = machine("mastermind");
    let breaker = codes.game().role_named("breaker").expect("a role");
    let refusal = best_play(&mut codes, breaker, &small).expect_err("it needs some MiB");
    assert!(matches!(refusal, BeliefError::Full { .. }), "{refusal}");
    stop.stop();
    let refusal = Unfolding::new(&mut dice, &small).expect_err("it is stopped");
    assert!(matches!(refusal, UnfoldError::Stopped { turn: 1, .. }), "{refusal}");
}

#[test]
fn roles_that_do_not_know_their_moves_are_named() {
    // The guesser's second move depends on a coin that it does not see.
    let rules = "(role random) (role guesser) (role other) (init toss) (side heads) (side tails)
        (<= (legal random (toss ?s)) (true toss) (side ?s)) (<= (legal random wait) (not (true toss)))
        (<= (legal guesser wait) (true toss)) (<= (legal guesser (say ?s)) (true (fell ?s)))
        (<= (legal guesser pass) (true (fell ?s))) (legal other wait)
        (<= (next (fell ?s)) (does random (toss ?s))) (<= (next over) (not (true toss)))
        (<= (sees guesser nothing) (true never)) (<= (next never) (true never))
        (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";
    let game = ggp_tests::game(rules);
    let mut machine = ggp_game::Interpreter::new(&game);
    let stop = StopToken::new();
    let budget = Budget { bytes: 1 << 24, deadline: Deadline::never(), stop: &stop };
    let refusal = Unfolding::new(&mut machine, &budget).expect_err("ill-formed");
    assert_eq!(refusal.to_string(), "guesser has different legal moves after equal moves and percepts: wait");
}
