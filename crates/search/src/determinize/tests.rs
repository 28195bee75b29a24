//! Tests of the determinizing player.

use super::{DeterminizeOptions, DeterminizingPlayer};
use crate::technique::Technique;
use ggp_game::{
    Clocks, Deadline, Fact, Game, Interpreter, Observation, Player, Role, SearchReport, StopToken,
};
use std::sync::Arc;
use std::time::Duration;

/// A coin is hidden under one of two cups; the seer hears under which one, and guesses.
const CUPS: &str = "(role random) (role seer) (cup 1) (cup 2) (init empty)
    (<= (legal random (hide ?c)) (cup ?c) (true empty))
    (<= (legal random idle) (not (true empty)))
    (<= (legal seer listen) (true empty))
    (<= (legal seer (guess ?c)) (cup ?c) (not (true empty)))
    (<= (next (under ?c)) (does random (hide ?c)))
    (<= (next found) (does seer (guess ?c)) (true (under ?c)))
    (<= (next over) (not (true empty)))
    (<= (sees seer (rustle ?c)) (does random (hide ?c)))
    (<= terminal (true over))
    (<= (goal seer 100) (true found)) (<= (goal seer 0) (not (true found))) (goal random 50)";

fn play(iterations: u64, heard: Option<&str>) -> (String, SearchReport) {
    let game = Arc::new(Game::new(ggp_gdl::parse(CUPS.as_bytes()).unwrap()).unwrap());
    let options =
        DeterminizeOptions { iterations: Some(iterations), seed: 5, ..DeterminizeOptions::default() };
    let mut player = DeterminizingPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
    let (stop, clock) = (StopToken::new(), Duration::from_secs(60));
    let clocks = Clocks { start: clock, play: clock };
    player.start(&game, Role(1), clocks, Deadline::never(), &stop).unwrap();
    assert_eq!(player.play(Observation::Start, Deadline::never(), &stop).unwrap(), "listen");
    let moves = ["(hide 2)".to_owned(), "listen".to_owned()];
    let seen: Vec<Fact> = heard.into_iter().map(Fact::from_canonical).collect();
    let seen = match heard {
        Some(_) => Observation::Percepts { turn: 1, own: "listen", seen: &seen },
        None => Observation::Moves(&moves),
    };
    let mv = player.play(seen, Deadline::never(), &stop).unwrap();
    (mv, player.report().unwrap())
}

#[test]
fn percepts_determine_the_move() {
    for (heard, answer) in
        [(Some("(rustle 1)"), "(guess 1)"), (Some("(rustle 2)"), "(guess 2)"), (None, "(guess 2)")]
    {
        let (mv, report) = play(10, heard);
        assert_eq!(mv, answer);
        assert_eq!((report.iterations, report.playouts), (10, 20));
        assert_eq!((report.candidates[0].mv.as_str(), report.candidates[0].score), (answer, Some(100.0)));
    }
}

#[test]
fn without_iterations_the_move_is_random() {
    let (mv, report) = play(0, Some("(rustle 1)"));
    assert!(mv.starts_with("(guess "));
    assert_eq!((report.iterations, report.candidates[0].score), (0, None));
}

#[test]
fn the_margin_is_reserved() {
    let options = DeterminizeOptions { margin: Duration::from_secs(9), ..DeterminizeOptions::default() };
    let clocks = Clocks { start: Duration::MAX, play: Duration::from_secs(1000) };
    let due = Deadline::after(Duration::from_secs(500));
    assert_eq!(options.clock(clocks, due).0, due.0.unwrap().checked_sub(Duration::from_secs(9)));
    let by_play_clock = options.clock(clocks, Deadline::never()).remaining().unwrap();
    assert!(by_play_clock < Duration::from_secs(992) && by_play_clock > Duration::from_secs(500));
    let counted = DeterminizeOptions { iterations: Some(3), ..options };
    assert_eq!(counted.clock(clocks, Deadline::never()), Deadline::never());
}

#[test]
fn memory_bounds_the_information_set() {
    let rules =
        CUPS.replace("(sees seer (rustle ?c)) (does random (hide ?c))", "(sees seer light) (true over)");
    let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    let states = |memory| {
        let options = DeterminizeOptions { iterations: Some(1), memory, ..DeterminizeOptions::default() };
        let mut player = DeterminizingPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
        let (stop, clock) = (StopToken::new(), Duration::from_secs(60));
        let clocks = Clocks { start: clock, play: clock };
        player.start(&game, Role(1), clocks, Deadline::never(), &stop).unwrap();
        player.play(Observation::Start, Deadline::never(), &stop).unwrap();
        let heard = Observation::Percepts { turn: 1, own: "listen", seen: &[] };
        player.play(heard, Deadline::never(), &stop).unwrap();
        player.current.as_ref().unwrap().possible.states().len()
    };
    assert_eq!((states(1 << 20), states(1)), (2, 1));
}

#[test]
fn options_of_the_tree_are_refused() {
    let options = |spec: &str| match spec.parse().unwrap() {
        crate::PlayerSpec::Mcts(options) => DeterminizeOptions::try_from(&options),
        crate::PlayerSpec::Random(_) => unreachable!(),
    };
    let obeyed = options("mcts:iterations=7,memory=3,margin=50,seed=9").unwrap();
    let (memory, margin) = (3 << 20, Duration::from_millis(50));
    assert_eq!(obeyed, DeterminizeOptions { iterations: Some(7), memory, margin, seed: 9 });
    assert!(options("mcts").is_ok() && options("uct").is_ok());
    let all = Technique::ALL
        .into_iter()
        .flat_map(|one| [format!("mcts:{}=off", one.name()), format!("uct:{}=on", one.name())]);
    let others = ["c=3", "threads=2", "prior_weight=5"];
    let others = others.iter().flat_map(|given| ["mcts", "uct"].map(|name| format!("{name}:{given}")));
    for spec in all.chain(others) {
        let option = spec.split([':', '=']).nth(1).unwrap();
        let error = options(&spec).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the option `{option}` does not apply")), "{spec}: {error}");
    }
}

#[test]
fn a_turn_without_a_choice_is_observed() {
    let game = Arc::new(Game::new(ggp_gdl::parse(CUPS.as_bytes()).unwrap()).unwrap());
    let options = DeterminizeOptions { iterations: Some(20), ..DeterminizeOptions::default() };
    let mut player = DeterminizingPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
    let (stop, clock) = (StopToken::new(), Duration::from_secs(60));
    let clocks = Clocks { start: clock, play: clock };
    player.start(&game, Role(1), clocks, Deadline::never(), &stop).unwrap();
    player.observe(Observation::Start).unwrap();
    let heard = [Fact::from_canonical("(rustle 2)")];
    let turn = Observation::Percepts { turn: 1, own: "listen", seen: &heard };
    assert_eq!(player.play(turn, Deadline::never(), &stop).unwrap(), "(guess 2)");
    player.start(&game, Role(1), clocks, Deadline::never(), &stop).unwrap();
    player.observe(Observation::Start).unwrap();
    player.observe(turn).expect("the percepts are taken in");
}
