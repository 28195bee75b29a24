//! Tests of the player.

use super::MctsPlayer;
use crate::options::{MctsOptions, RandomOptions};
use crate::random::RandomPlayer;
use crate::test_games::{self, Rules, Slow, TestMachine};
use ggp_game::{
    Clocks, Deadline, Game, Goals, Interpreter, Observation, PlayError, Player, Role, StateMachine, StopToken,
};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// A test that waits longer than this fails, because a machine hangs. Otherwise no test waits so long.
const WATCHDOG: Duration = Duration::from_secs(60);

const CLOCKS: Clocks = Clocks { start: Duration::from_secs(1), play: Duration::from_secs(1) };

fn started<R: Rules + 'static>(
    machine: &TestMachine<R>,
    options: MctsOptions,
    role: Role,
) -> MctsPlayer<TestMachine<R>> {
    let own = machine.clone();
    let mut player = MctsPlayer::new(options, move |_, _, _| Ok(own.clone()));
    player.start(machine.game(), role, CLOCKS, Deadline::never(), &StopToken::new()).unwrap();
    player
}

/// Plays a match of `players` and returns the goals. Checks that every move is legal.
fn play<R: Rules>(machine: &mut TestMachine<R>, players: &mut [Box<dyn Player>]) -> Vec<u8> {
    let stop = StopToken::new();
    let game = machine.game().clone();
    for (role, player) in game.roles().zip(players.iter_mut()) {
        player.start(&game, role, CLOCKS, Deadline::never(), &stop).unwrap();
    }
    let mut state = machine.initial_state().unwrap();
    let mut last: Option<Vec<String>> = None;
    while !machine.is_terminal(&state).unwrap() {
        let (mut texts, mut joint, mut legal) = (Vec::new(), Vec::new(), Vec::new());
        for (role, player) in game.roles().zip(players.iter_mut()) {
            let seen = last.as_deref().map_or(Observation::Start, Observation::Moves);
            let text = player.play(seen, Deadline::never(), &stop).unwrap();
            let mv = machine.parse_move(&text).unwrap();
            machine.legal_moves(&state, role, &mut legal).unwrap();
            assert!(legal.contains(&mv), "{text} is not legal");
            texts.push(text);
            joint.push(mv);
        }
        state = machine.next_state(&state, &joint).unwrap();
        last = Some(texts);
    }
    let mut goals = vec![Goals::None; players.len()];
    machine.goals(&state, &mut goals).unwrap();
    goals.into_iter().map(|goals| goals.only().unwrap().value()).collect()
}

#[test]
fn it_beats_the_random_player_in_both_roles() {
    let mut machine = test_games::tic_tac_toe();
    let mut sum = 0u32;
    for seed in 0..60 {
        let role = seed as usize % 2;
        let options = MctsOptions { iterations: Some(200), seed: Some(seed), ..MctsOptions::default() };
        let (own, other) = (machine.clone(), machine.clone());
        let mcts = MctsPlayer::new(options, move |_, _, _| Ok(own.clone()));
        let random = RandomPlayer::new(&RandomOptions { seed: Some(seed) }, move |_, _, _| Ok(other.clone()));
        let mut players: Vec<Box<dyn Player>> = vec![Box::new(mcts), Box::new(random)];
        if role == 1 {
            players.swap(0, 1);
        }
        sum += u32::from(play(&mut machine, &mut players)[role]);
    }
    assert!(sum >= 5500, "{sum} of 6000");
}

#[test]
fn it_follows_the_match_where_its_own_move_was_replaced() {
    let machine = test_games::tic_tac_toe();
    let options = MctsOptions { iterations: Some(100), ..MctsOptions::default() };
    let mut player = started(&machine, options, Role(0));
    let stop = StopToken::new();
    let own = player.play(Observation::Start, Deadline::never(), &stop).unwrap();
    let other = if own == "4" { "0" } else { "4" };
    let seen = [other.to_owned(), "99".to_owned()];
    let answer = player.play(Observation::Moves(&seen), Deadline::never(), &stop).unwrap();
    assert_eq!(answer, "99");
    assert_eq!(player.search().unwrap().state()[other.parse::<usize>().unwrap()], 1);
    let report = player.report().unwrap();
    assert_eq!(report.candidates.len(), 1);
    assert_eq!(report.iterations, 0, "a forced move is not searched for");

    let unknown = ["what".to_owned(), "99".to_owned()];
    let error = player.play(Observation::Moves(&unknown), Deadline::never(), &stop).unwrap_err();
    assert_eq!(error.to_string(), "the joint move cannot be applied: `what` is not a move of x");
}

#[test]
fn a_slow_machine_never_makes_it_late() {
    let machine = test_games::slow(Slow { step: Duration::from_millis(20), length: 500 });
    let options = MctsOptions::default();
    let own = machine.clone();
    let mut player = MctsPlayer::new(options, move |_, _, _| Ok(own.clone()));
    let stop = StopToken::new();
    let soon = || Deadline::after(Duration::from_millis(150));
    let mut last: Option<Vec<String>> = None;
    for turn in 0..4 {
        let began = Instant::now();
        if turn == 0 {
            player.start(machine.game(), Role(0), CLOCKS, soon(), &stop).unwrap();
        } else {
            let seen = last.as_deref().map_or(Observation::Start, Observation::Moves);
            last = Some(vec![player.play(seen, soon(), &stop).unwrap()]);
        }
        let late = began.elapsed().saturating_sub(Duration::from_millis(150));
        // A playout takes up to 10 s, so a player that does not watch the clock is late by far more.
        assert!(late < Duration::from_secs(3), "late by {late:?} in turn {turn}");
    }
    assert!(player.report().unwrap().iterations > 0);
}

#[test]
fn a_machine_that_hangs_is_interrupted_and_caught_up_with_later() {
    let machine = test_games::hanging();
    let mut player = started(&machine, MctsOptions::default(), Role(0));
    let stop = StopToken::new();
    let soon = || Deadline::after(Duration::from_millis(100));
    let began = Instant::now();
    player.play(Observation::Start, soon(), &stop).unwrap();
    let seen = ["1".to_owned()];
    let error = player.play(Observation::Moves(&seen), soon(), &stop).unwrap_err();
    assert!(matches!(error, PlayError::TimedOut), "{error}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    player.play(Observation::Moves(&seen), soon(), &stop).unwrap();
    assert_eq!(player.search().unwrap().state(), &[2]);
}

#[test]
fn pondering_interrupts_the_machine_when_it_has_to_stop() {
    for threads in [1, 2] {
        let (entered, hangs) = channel();
        let machine = test_games::hanging_of_two(entered);
        let options = MctsOptions { threads, ..MctsOptions::default() };
        let mut player = started(&machine, options, Role(0));
        let stop = StopToken::new();
        let (done, pondered) = channel();
        let ponders = stop.clone();
        std::thread::spawn(move || {
            player.ponder(&ponders);
            let _ = done.send(player);
        });
        hangs.recv_timeout(WATCHDOG).expect("the machine is asked");
        stop.stop();
        let mut player = pondered.recv_timeout(WATCHDOG).expect("the machine's flag is raised");
        // The stop flag of the pondering no longer interrupts the machine.
        let text = player.play(Observation::Start, Deadline::never(), &StopToken::new()).unwrap();
        assert_eq!(text, "1");
        let seen = [text.clone(), text];
        player.play(Observation::Moves(&seen), Deadline::never(), &StopToken::new()).unwrap();
        assert_eq!(player.search().unwrap().state(), &[1]);
    }
}

#[test]
fn a_raised_flag_is_answered_at_once_and_legally() {
    let machine = test_games::tic_tac_toe();
    let mut player = started(&machine, MctsOptions::default(), Role(0));
    let stop = StopToken::new();
    stop.stop();
    let began = Instant::now();
    let text = player.play(Observation::Start, Deadline::after(Duration::from_secs(60)), &stop).unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
    assert!(text.parse::<u32>().unwrap() < 9);
    assert_eq!(player.report().unwrap().iterations, 0);
}

/// A game in which it takes a million tuples to decide that a state is not terminal.
fn laborious() -> Arc<Game> {
    let numbers: String = (0..1000).map(|n| format!("(n {n}) ")).collect();
    let rules = format!(
        "(role a) (role b) {numbers} (init (s 1)) (<= (next (s 2)) (true (s 1))) (<= (next (s 3)) (true (s 2)))
        (<= (pair ?s ?x ?y) (true (s ?s)) (n ?x) (n ?y)) (<= paired (pair ?s ?x ?y) (distinct ?x ?y))
        (<= terminal (true (s 3)) paired) (<= (legal ?r (take ?x)) (role ?r) (few ?x)) (few 1) (few 2)
        (goal a 100) (goal b 0)"
    );
    Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).expect("well formed")).expect("valid"))
}

#[test]
fn a_start_clock_that_is_too_short_for_the_first_state_does_not_end_the_match() {
    let game = laborious();
    let stop = StopToken::new();
    let options = MctsOptions::default();
    let mut player = MctsPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
    player.start(&game, Role(0), CLOCKS, Deadline::after(Duration::from_millis(10)), &stop).unwrap();
    assert!(player.search().is_none(), "it had time enough");
    let error = player.play(Observation::Start, Deadline::after(Duration::from_millis(10)), &stop);
    assert!(matches!(error, Err(PlayError::TimedOut)), "{error:?}");
    // The player keeps the joint move that it had no time to evaluate.
    let seen = ["(take 1)".to_owned(), "(take 2)".to_owned()];
    let time = Deadline::after(Duration::from_secs(20));
    let text = player.play(Observation::Moves(&seen), time, &stop).unwrap();
    assert!(["(take 1)", "(take 2)"].contains(&&*text), "{text}");
    assert!(player.report().unwrap().iterations > 0);
    let search = player.search().unwrap();
    let (mut facts, state) = (Vec::new(), search.state().clone());
    search.machine().facts(&state, &mut facts).unwrap();
    assert_eq!(facts[0].as_str(), "(s 2)");
}

/// A game in which each round has 46656 new legal moves.
const WORDY: &str = "(role r) (role other) (init (round 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (succ 4 5) (<= (digit ?d) (succ ?d ?e)) (digit 5) (<= (two ?a ?b) (digit ?a) (digit ?b))
    (<= (legal r (say ?n (w ?a ?b) (w ?c ?d) (w ?e ?f))) (true (round ?n)) (two ?a ?b) (two ?c ?d) (two ?e ?f))
    (legal other wait) (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
    (<= terminal (true (round 4))) (goal r 50) (goal other 50)";

#[test]
fn a_search_begins_anew_where_its_machine_has_numbered_very_many_moves() {
    let game = Arc::new(Game::new(ggp_gdl::parse(WORDY.as_bytes()).unwrap()).unwrap());
    let many = game.clone();
    // The machine has already numbered many moves.
    let make = move |game: &Arc<Game>, _: Deadline, _: &StopToken| {
        let mut machine = Interpreter::new(game);
        let mut state = machine.initial_state()?;
        let mut legal = Vec::new();
        for _ in 0..4 {
            machine.legal_moves(&state, Role(1), &mut legal)?;
            let wait = legal[0];
            machine.legal_moves(&state, Role(0), &mut legal)?;
            state = machine.next_state(&state, &[legal[0], wait])?;
        }
        machine.legal_moves(&state, Role(0), &mut legal)?;
        Ok(machine)
    };
    let options = MctsOptions { iterations: Some(1), ..MctsOptions::default() };
    let mut player = MctsPlayer::new(options, make);
    let stop = StopToken::new();
    player.start(&many, Role(0), CLOCKS, Deadline::never(), &stop).unwrap();
    let early = "(say 0 (w 0 0) (w 0 0) (w 0 0))";
    let mut seen =
        vec![player.play(Observation::Start, Deadline::never(), &stop).unwrap(), "wait".to_owned()];
    let mut renewed = 0;
    for round in 1..4 {
        let many = player.search().unwrap().machine().has_many_moves();
        seen[0] = player.play(Observation::Moves(&seen), Deadline::never(), &stop).unwrap();
        assert!(seen[0].starts_with(&format!("(say {round} ")), "{}", seen[0]);
        let forgotten = player.search().unwrap().machine().parse_move(early).is_none();
        assert_eq!(forgotten, many || renewed > 0);
        renewed += usize::from(many);
    }
    assert!(renewed > 0, "the game has too few moves for this test");
}

#[test]
fn unsupported_calls_are_refused() {
    let machine = test_games::tic_tac_toe();
    let own = machine.clone();
    let mut player = MctsPlayer::new(MctsOptions::default(), move |_, _, _| Ok(own.clone()));
    let stop = StopToken::new();
    let early = player.play(Observation::Start, Deadline::never(), &stop).unwrap_err();
    assert_eq!(early.to_string(), "the match has not been started");
    player.start(machine.game(), Role(0), CLOCKS, Deadline::never(), &stop).unwrap();
    let seen = Observation::Percepts { turn: 1, own: "0", seen: &[] };
    let percepts = player.play(seen, Deadline::never(), &stop).unwrap_err();
    assert_eq!(percepts.to_string(), "this player needs joint moves and cannot play from percepts (GDL-II)");
}

#[test]
fn the_draft_is_the_move_that_the_search_prefers_so_far() {
    let options = MctsOptions { iterations: Some(300), seed: Some(1), ..MctsOptions::default() };
    let mut player = started(&test_games::tic_tac_toe(), options, Role(0));
    let draft = player.draft().unwrap();
    assert_eq!(draft.get(), None, "no move has been asked for");
    let mv = player.play(Observation::Start, Deadline::never(), &StopToken::new()).unwrap();
    assert_eq!(draft.get(), Some(mv), "the search has ended");
}

#[test]
fn the_report_begins_with_the_move_that_was_drawn() {
    let machine = test_games::matrix(&[&[[100, 0], [0, 100]], &[[0, 100], [100, 0]]]);
    let mut drawn = Vec::new();
    for seed in 0..20 {
        let options = MctsOptions { iterations: Some(500), seed: Some(seed), ..MctsOptions::default() };
        let mut player = started(&machine, options, Role(0));
        let mv = player.play(Observation::Start, Deadline::never(), &StopToken::new()).unwrap();
        let report = player.report().unwrap();
        assert!(report.candidates.len() == 2 && report.candidates[0].mv == mv, "{mv}: {report:?}");
        drawn.push(mv);
    }
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), 2);
}
