//! The trial of minimax values, which decides game by game whether a search uses them.

use ggp_game::{
    AnonymousRules, Clocks, Deadline, Interpreter, Observation, Player, Playouts, Role, StopToken,
};
use ggp_search::{Knowledge, Learner, Limits, MctsOptions, MctsPlayer, Search, Technique, Techniques, Trial};
use std::time::Duration;

/// Dots and boxes on a strip of nine boxes. A player who closes a box moves again, and five boxes win.
const STRIP: &str = "(role red) (role blue) (other red blue) (other blue red)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (<= (box ?b) (succ ?b ?next) (distinct ?b 0))
    (<= (side ?b (top ?b)) (box ?b))
    (<= (side ?b (bottom ?b)) (box ?b))
    (<= (side ?b (wall ?b)) (box ?b))
    (<= (side ?b (wall ?next)) (box ?b) (succ ?b ?next))
    (init (control red))
    (<= (open ?e) (side ?b ?e) (not (true (drawn ?e))))
    (<= (lacks ?b ?e) (side ?b ?e) (side ?b ?o) (open ?o) (distinct ?o ?e))
    (<= (closes ?b ?e) (side ?b ?e) (open ?e) (not (lacks ?b ?e)))
    (<= (gains ?e) (closes ?b ?e))
    (<= (legal ?r (draw ?e)) (true (control ?r)) (open ?e))
    (<= (legal ?o noop) (true (control ?r)) (other ?r ?o))
    (<= (next (drawn ?e)) (true (drawn ?e)))
    (<= (next (drawn ?e)) (does ?r (draw ?e)))
    (<= (next (owner ?b ?r)) (true (owner ?b ?r)))
    (<= (next (owner ?b ?r)) (does ?r (draw ?e)) (closes ?b ?e))
    (<= (next (control ?r)) (does ?r (draw ?e)) (gains ?e))
    (<= (next (control ?o)) (does ?r (draw ?e)) (other ?r ?o) (not (gains ?e)))
    (<= more (open ?e))
    (<= terminal (not more))
    (<= (owned ?r 0 0) (role ?r))
    (<= (owned ?r ?b ?more) (succ ?a ?b) (owned ?r ?a ?n) (true (owner ?b ?r)) (succ ?n ?more))
    (<= (owned ?r ?b ?n) (succ ?a ?b) (box ?b) (owned ?r ?a ?n) (not (true (owner ?b ?r))))
    (many 5) (many 6) (many 7) (many 8) (many 9)
    (<= (most ?r) (owned ?r 9 ?n) (many ?n))
    (<= (goal ?r 100) (role ?r) (most ?r))
    (<= (goal ?r 0) (role ?r) (not (most ?r)))";

/// Short searches without proofs, which would decide so small a game.
fn options(seed: u64) -> MctsOptions {
    let techniques = Techniques::none().with(Technique::History, true).with(Technique::Minimax, true);
    MctsOptions { seed: Some(seed), memory: 64, iterations: Some(300), techniques, ..MctsOptions::default() }
}

/// Whether a search of the game on `machine` uses minimax values after a trial of `matches` matches.
fn is_won<M: Playouts>(machine: M, options: &MctsOptions, matches: u64) -> bool {
    let mut search = Search::new(machine, options).unwrap();
    search.try_minimax(&Limits::iterations(matches)).unwrap();
    search.has_minimax()
}

#[test]
fn minimax_values_win_where_chains_of_boxes_decide() {
    let strip = ggp_tests::network(STRIP);
    assert!(is_won(strip.clone(), &options(1), 24));
    let without = options(1);
    let without = MctsOptions { techniques: without.techniques.with(Technique::Minimax, false), ..without };
    assert!(!is_won(strip.clone(), &without, 24), "the option forbids it");
    assert!(!is_won(strip, &options(1), 4), "too few matches decide nothing");
}

#[test]
fn games_without_two_roles_and_machines_without_bits_have_no_minimax_values() {
    for game in ["three_player_tic_tac_toe", "eight_puzzle"] {
        let network = ggp_tests::network(&ggp_tests::rulesheet(game));
        assert!(!is_won(network, &options(1), 8), "{game}");
    }
    assert!(!is_won(Interpreter::new(&ggp_tests::game(STRIP)), &options(1), 8));
}

#[test]
fn a_player_with_a_file_uses_what_earlier_matches_have_shown() {
    let (game, network) = (ggp_tests::game(STRIP), ggp_tests::network(STRIP));
    let mut learner = Learner::new(&network, &options(1), None).unwrap();
    learner.try_minimax(&Limits::iterations(6), 1).unwrap();
    let matches = |learner: &Learner<_>| learner.lesson().minimax_trial().map(|trial| trial.matches);
    assert_eq!((matches(&learner), learner.lesson().uses_minimax()), (Some(6), false), "too few");
    learner.try_minimax(&Limits::iterations(40), 2).unwrap();
    let lesson = learner.lesson();
    assert!(lesson.uses_minimax(), "{:?}", lesson.minimax_trial());
    assert!(matches(&learner) < Some(46), "the result is clear before");

    let mut search = Search::new(network.clone(), &options(1)).unwrap();
    search.use_lesson(&lesson).unwrap();
    assert!(search.has_minimax());

    // A start clock that is too short for matches.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games");
    let rules = AnonymousRules::new(game.description());
    Knowledge::add_to(&file, &rules, lesson.clone()).unwrap();
    let techniques = options(1).techniques.with(Technique::Learn, true);
    let options = MctsOptions { knowledge: Some(file.clone()), techniques, ..options(1) };
    let mut player = MctsPlayer::new(options, move |_, _, _| Ok(network.clone()));
    let (second, stop) = (Duration::from_secs(1), StopToken::new());
    let clocks = Clocks { start: second, play: second };
    player.start(&game, Role(0), clocks, Deadline::after(second), &stop).unwrap();
    assert!(player.search().unwrap().has_minimax());
    player.play(Observation::Start, Deadline::never(), &stop).unwrap();
    player.stop(Observation::Start);
    let after = Knowledge::read(&file).unwrap().lesson(&rules).unwrap().clone();
    assert_eq!(after.minimax_trial(), lesson.minimax_trial());
    assert_ne!(after, lesson, "the match has taught the evaluation");
    assert!(after.minimax_trial().is_some_and(|Trial { share, .. }| share > 0.6));
}
