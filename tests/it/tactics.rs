//! Positions with a known best move, in every class of game. The search must find it with a fixed number
//! of iterations and several seeds.

use ggp_game::{
    Deadline, Goals, Interpreter, Move, Observation, Player, Playouts, Role, StateMachine, StopToken,
};
use ggp_search::{Halt, Limits, MctsOptions, Search, Solver};

/// A search of `game` after the joint moves `played`. Each is given by its only move that is not `noop`,
/// or by all moves in role order, separated by `/`.
fn search_after(game: &str, played: &[&str], seed: u64) -> Search<Interpreter> {
    let game = ggp_tests::game(&ggp_tests::rulesheet(game));
    let options = MctsOptions { seed: Some(seed), memory: 64, ..MctsOptions::default() };
    let mut search = Search::new(Interpreter::new(&game), &options).expect("an initial state");
    for texts in played {
        let state = search.state().clone();
        let machine = search.machine();
        let mut given = texts.split('/');
        let mut joint: Vec<Move> = Vec::new();
        for role in game.roles() {
            let mut legal = Vec::new();
            machine.legal_moves(&state, role, &mut legal).expect("legal moves");
            let forced = legal.len() == 1 && texts.split('/').count() < game.role_count();
            let mv = if forced { legal[0] } else { parse(machine, given.next().expect("a move")) };
            assert!(legal.contains(&mv), "{texts} is not legal");
            joint.push(mv);
        }
        search.advance(&joint).expect("a next state");
    }
    search
}

fn parse(machine: &mut Interpreter, text: &str) -> Move {
    machine.parse_move(text).unwrap_or_else(|| panic!("{text} is no move"))
}

/// The best move must be one of `best`, with three seeds.
fn finds(game: &str, played: &[&str], role: u8, best: &[&str], iterations: u64) {
    for seed in 1..=3 {
        let mut search = search_after(game, played, seed);
        search.run(&Limits::iterations(iterations));
        let mv = search.best_move(Role(role)).expect("legal moves").expect("a move");
        let text = search.machine().move_text(mv).to_owned();
        assert!(
            best.contains(&text.as_str()),
            "{game}, seed {seed}: {text}\n{:?}",
            search.report(Role(role))
        );
    }
}

#[test]
fn two_roles_in_turn() {
    let x = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"];
    finds("tic_tac_toe", &x, 0, &["(mark 1 3)"], 300);
    let o = ["(mark 1 1)", "(mark 2 2)", "(mark 1 2)"];
    finds("tic_tac_toe", &o, 1, &["(mark 1 3)"], 300);
    // The only good answer to the corner opening is the centre.
    finds("tic_tac_toe", &["(mark 1 1)"], 1, &["(mark 2 2)"], 3000);
    let tower = ["(drop 1)", "(drop 2)", "(drop 1)", "(drop 2)", "(drop 1)", "(drop 2)"];
    finds("connect_four", &tower, 0, &["(drop 1)"], 400);
    finds(
        "connect_four",
        &["(drop 1)", "(drop 2)", "(drop 1)", "(drop 3)", "(drop 1)"],
        1,
        &["(drop 1)"],
        400,
    );
}

#[test]
fn one_role_finds_its_way_and_goes_it() {
    for (game, wanted) in [("maze", 100), ("eight_puzzle", 100)] {
        let mut search = search_after(game, &[], 1);
        search.run(&Limits::iterations(20_000));
        let mut steps = 0;
        let goal = loop {
            let state = search.state().clone();
            if search.machine().is_terminal(&state).expect("an answer") {
                let mut goals = [Goals::None];
                search.machine().goals(&state, &mut goals).expect("goals");
                break goals[0].only().expect("a goal").value();
            }
            let mv = search.best_move(Role(0)).expect("legal moves").expect("a move");
            search.advance(&[mv]).expect("a next state");
            steps += 1;
            assert!(steps < 1000, "{game} does not end");
        };
        assert_eq!(goal, wanted, "{game}");
    }
}

#[test]
fn values_are_proved() {
    for (game, values) in [("tic_tac_toe", vec![50, 50]), ("nim", vec![0, 100]), ("maze", vec![100])] {
        let rules = ggp_tests::game(&ggp_tests::rulesheet(game));
        for (role, value) in rules.roles().zip(values) {
            let mut machine = Interpreter::new(&rules);
            let state = machine.initial_state().expect("an initial state");
            let mut solver = Solver::new(machine, state, role, 32 << 20);
            solver.run(&Limits::iterations(20_000));
            let solution = solver.solution();
            assert_eq!((solution.low, solution.high), (value, value), "{game}: {solution:?}");
        }
    }
}

#[test]
fn seeded_players_play_the_same_match_again() {
    let game = ggp_tests::game(&ggp_tests::rulesheet("connect_four"));
    let first_moves = |seed| {
        let options = MctsOptions { iterations: Some(60), seed: Some(seed), ..MctsOptions::default() };
        let mut player =
            ggp_search::MctsPlayer::new(options, |game, _, _: &StopToken| Ok(Interpreter::new(game)));
        let clocks = ggp_game::Clocks { start: std::time::Duration::ZERO, play: std::time::Duration::ZERO };
        let (never, stop) = (Deadline::never(), StopToken::new());
        player.start(&game, Role(0), clocks, never, &stop).expect("a start");
        let mut seen = vec![player.play(Observation::Start, never, &stop).expect("a move")];
        for reply in ["(drop 3)", "(drop 5)"] {
            let joint = [seen[seen.len() - 1].clone(), "noop".to_owned()];
            player.play(Observation::Moves(&joint), never, &stop).expect("noop");
            let joint = ["noop".to_owned(), reply.to_owned()];
            seen.push(player.play(Observation::Moves(&joint), never, &stop).expect("a move"));
        }
        seen
    };
    assert_eq!(first_moves(5), first_moves(5));
}

/// Proves the value of tic-tac-toe. The search must use `working` threads if `threads` are requested.
fn drawn_by<M: Playouts>(machine: M, threads: usize, working: usize) {
    let options =
        MctsOptions { seed: Some(1), memory: 64, exploration: 3.0, threads, ..MctsOptions::default() };
    let mut search = Search::new(machine, &options).expect("an initial state");
    assert_eq!(search.threads(), working);
    assert_eq!(search.run(&Limits::iterations(200_000)), Halt::Decided);
    for role in [Role(0), Role(1)] {
        let proven = search.report(role).candidates.iter().filter_map(|candidate| candidate.proven).max();
        assert_eq!(proven, Some(50), "{threads} threads");
    }
}

#[test]
fn several_threads_prove_on_the_network() {
    let rules = ggp_tests::rulesheet("tic_tac_toe");
    for threads in [1, 2, 4] {
        drawn_by(ggp_tests::network(&rules), threads, threads);
    }
}

/// The interpreter searches with one thread only, because each clone numbers moves and states in its own
/// way.
#[test]
fn one_thread_proves_on_the_interpreter_however_many_are_asked_for() {
    let game = ggp_tests::game(&ggp_tests::rulesheet("tic_tac_toe"));
    for threads in [1, 4] {
        drawn_by(Interpreter::new(&game), threads, 1);
    }
}
