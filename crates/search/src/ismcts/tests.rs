//! Tests of the player for games of hidden information.

use super::{InformationSetOptions, InformationSetPlayer};
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

/// A player that has been started as `role`.
fn started(rules: &str, role: Role, iterations: u64, seed: u64) -> InformationSetPlayer<Interpreter> {
    let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    let options =
        InformationSetOptions { iterations: Some(iterations), seed, ..InformationSetOptions::default() };
    let mut player = InformationSetPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
    let clock = Duration::from_secs(60);
    let clocks = Clocks { start: clock, play: clock };
    player.start(&game, role, clocks, Deadline::never(), &StopToken::new()).unwrap();
    player
}

fn play(iterations: u64, heard: Option<&str>) -> (String, SearchReport) {
    let stop = StopToken::new();
    let mut player = started(CUPS, Role(1), iterations, 5);
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
        assert_eq!((report.iterations, report.playouts), (10, 16));
        assert_eq!((report.candidates[0].mv.as_str(), report.candidates[0].score), (answer, Some(100.0)));
    }
}

#[test]
fn the_draft_is_the_move_that_the_search_prefers_so_far() {
    let stop = StopToken::new();
    let mut player = started(CUPS, Role(1), u64::MAX, 5);
    let draft = player.draft().unwrap();
    assert_eq!(player.play(Observation::Start, Deadline::never(), &stop).unwrap(), "listen");
    draft.set(None);
    let (thinking, stopping) = (draft.clone(), stop.clone());
    let searching = std::thread::spawn(move || {
        let seen = [Fact::from_canonical("(rustle 2)")];
        let seen = Observation::Percepts { turn: 1, own: "listen", seen: &seen };
        player.play(seen, Deadline::never(), &stopping)
    });
    while thinking.get().is_none() {
        assert!(!searching.is_finished(), "the search ends only when it is stopped");
        std::thread::yield_now();
    }
    assert_eq!(thinking.get().as_deref(), Some("(guess 2)"), "the search goes on");
    stop.stop();
    assert_eq!(searching.join().unwrap().unwrap(), "(guess 2)");
    assert_eq!(draft.get().as_deref(), Some("(guess 2)"));
}

#[test]
fn without_iterations_the_move_is_random() {
    let (mv, report) = play(0, Some("(rustle 1)"));
    assert!(mv.starts_with("(guess "));
    assert_eq!((report.iterations, report.candidates[0].score), (0, None));
}

#[test]
fn the_margin_is_reserved() {
    let options =
        InformationSetOptions { margin: Duration::from_secs(9), ..InformationSetOptions::default() };
    let clocks = Clocks { start: Duration::MAX, play: Duration::from_secs(1000) };
    let due = Deadline::after(Duration::from_secs(500));
    assert_eq!(options.clock(clocks, due).0, due.0.unwrap().checked_sub(Duration::from_secs(9)));
    let by_play_clock = options.clock(clocks, Deadline::never()).remaining().unwrap();
    assert!(by_play_clock < Duration::from_secs(992) && by_play_clock > Duration::from_secs(500));
    let counted = InformationSetOptions { iterations: Some(3), ..options };
    assert_eq!(counted.clock(clocks, Deadline::never()), Deadline::never());
}

#[test]
fn memory_bounds_the_information_set() {
    let rules =
        CUPS.replace("(sees seer (rustle ?c)) (does random (hide ?c))", "(sees seer light) (true over)");
    let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    let states = |memory| {
        let options =
            InformationSetOptions { iterations: Some(1), memory, ..InformationSetOptions::default() };
        let mut player = InformationSetPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
        let (stop, clock) = (StopToken::new(), Duration::from_secs(60));
        let clocks = Clocks { start: clock, play: clock };
        player.start(&game, Role(1), clocks, Deadline::never(), &stop).unwrap();
        player.play(Observation::Start, Deadline::never(), &stop).unwrap();
        let heard = Observation::Percepts { turn: 1, own: "listen", seen: &[] };
        player.play(heard, Deadline::never(), &stop).unwrap();
        player.current.as_ref().unwrap().belief.set.states().len()
    };
    assert_eq!((states(1 << 20), states(1)), (2, 1));
}

#[test]
fn options_of_the_tree_are_refused() {
    let options = |spec: &str| match spec.parse().unwrap() {
        crate::PlayerSpec::Mcts(options) => InformationSetOptions::try_from(&options),
        crate::PlayerSpec::Random(_) => unreachable!(),
    };
    let obeyed = options("mcts:iterations=7,memory=3,c=0.25,margin=50,seed=9").unwrap();
    let (memory, margin) = (3 << 20, Duration::from_millis(50));
    assert_eq!(
        obeyed,
        InformationSetOptions { iterations: Some(7), memory, exploration: 0.25, margin, seed: 9 }
    );
    assert!(options("mcts").is_ok() && options("uct").is_ok());
    let all = Technique::ALL
        .into_iter()
        .flat_map(|one| [format!("mcts:{}=off", one.name()), format!("uct:{}=on", one.name())]);
    let others = ["threads=2", "prior_weight=5"];
    let others = others.iter().flat_map(|given| ["mcts", "uct"].map(|name| format!("{name}:{given}")));
    for spec in all.chain(others) {
        let option = spec.split([':', '=']).nth(1).unwrap();
        let error = options(&spec).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the option `{option}` does not apply")), "{spec}: {error}");
    }
}

#[test]
fn a_turn_without_a_choice_is_observed() {
    let stop = StopToken::new();
    let mut player = started(CUPS, Role(1), 20, 0);
    player.observe(Observation::Start).unwrap();
    let heard = [Fact::from_canonical("(rustle 2)")];
    let turn = Observation::Percepts { turn: 1, own: "listen", seen: &heard };
    assert_eq!(player.play(turn, Deadline::never(), &stop).unwrap(), "(guess 2)");
    let mut player = started(CUPS, Role(1), 20, 0);
    player.observe(Observation::Start).unwrap();
    player.observe(turn).expect("the percepts are taken in");
}

/// The shares of the first move in the first choice of `role`, over `seeds` seeds.
fn shares(rules: &str, role: Role, mv: &str, iterations: u64, seeds: u64) -> f64 {
    let stop = StopToken::new();
    let chosen = |seed: &u64| {
        let mut player = started(rules, role, iterations, *seed);
        player.play(Observation::Start, Deadline::never(), &stop).unwrap() == mv
    };
    (0..seeds).filter(chosen).count() as f64 / seeds as f64
}

#[test]
fn a_look_is_paid_for_if_it_is_worth_its_price() {
    // The guest looks under one of two cups or guesses at once. A right guess after a look earns the reward.
    // Only a search that knows that the guest will see the ball values the look.
    let rules = "(role random) (role guest) (cup 1) (cup 2) (init start)
        (<= (legal random (hide ?c)) (cup ?c) (true start)) (<= (legal random wait) (not (true start)))
        (<= (legal guest wait) (true start))
        (<= (legal guest look) (true (under ?c)) (not (true looked)))
        (<= (legal guest (guess ?c)) (cup ?c) (not (true start)))
        (<= (next (under ?c)) (does random (hide ?c))) (<= (next (under ?c)) (true (under ?c)))
        (<= (next looked) (does guest look)) (<= (next looked) (true looked))
        (<= (next right) (does guest (guess ?c)) (true (under ?c))) (<= (next over) (does guest (guess ?c)))
        (<= (sees guest (ball ?c)) (does guest look) (true (under ?c)))
        (<= terminal (true over)) (goal random 0)
        (<= (goal guest 100) (true right) (not (true looked)))
        (<= (goal guest 80) (true right) (true looked)) (<= (goal guest 0) (not (true right)))";
    let stop = StopToken::new();
    let mut player = started(rules, Role(1), 300, 0);
    assert_eq!(player.play(Observation::Start, Deadline::never(), &stop).unwrap(), "wait");
    let hidden = Observation::Percepts { turn: 1, own: "wait", seen: &[] };
    assert_eq!(player.play(hidden, Deadline::never(), &stop).unwrap(), "look");
    let score = player.report().unwrap().candidates[0].score.unwrap();
    assert!((60.0..=80.0).contains(&score), "{score}");
    let ball = [Fact::from_canonical("(ball 2)")];
    let seen = Observation::Percepts { turn: 2, own: "look", seen: &ball };
    assert_eq!(player.play(seen, Deadline::never(), &stop).unwrap(), "(guess 2)");
}

#[test]
fn two_roles_that_choose_at_once_mix_their_moves() {
    // Matching pennies in which heads earns the row role twice as much: in the equilibrium both roles show
    // heads with probability 1/3.
    let rules = "(role row) (role column) (side heads) (side tails) (init open)
        (<= (legal ?r (show ?s)) (role ?r) (side ?s))
        (<= (next (shown ?r ?s)) (does ?r (show ?s)))
        (<= (sees row (did ?s)) (does column (show ?s))) (<= (sees column (did ?s)) (does row (show ?s)))
        (<= terminal (true (shown row ?s)))
        (<= (goal row 100) (true (shown row heads)) (true (shown column heads)))
        (<= (goal row 50) (true (shown row tails)) (true (shown column tails)))
        (<= (goal row 0) (true (shown row ?s)) (true (shown column ?t)) (distinct ?s ?t))
        (<= (goal column 0) (true (shown row heads)) (true (shown column heads)))
        (<= (goal column 50) (true (shown row tails)) (true (shown column tails)))
        (<= (goal column 100) (true (shown row ?s)) (true (shown column ?t)) (distinct ?s ?t))";
    for role in [Role(0), Role(1)] {
        let heads = shares(rules, role, "(show heads)", 1000, 200);
        assert!((heads - 1.0 / 3.0).abs() < 0.12, "{role:?}: {heads}");
    }
}
