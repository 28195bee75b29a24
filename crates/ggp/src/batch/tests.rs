//! A batch on the network and one on the interpreter make the same steps, and threads change nothing.

use super::{Batch, BatchOptions, Illegal, Opponents, Rows};
use crate::batch_error::BatchError;
use crate::reasoner::Reasoner;
use ggp_game::{Fact, Role, StateMachine, StopToken};
use ggp_propnet::Seeds;

fn game(name: &str) -> Reasoner {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/");
    Reasoner::new(&crate::load(format!("{path}{name}.kif")).expect("rules")).expect("a reasoner")
}

/// The ends, goals, lengths and facts after each step of a batch whose moves are drawn. They are the same on every
/// machine.
type Seen = Vec<(Vec<u8>, Vec<Vec<u8>>, Vec<u32>, Vec<String>)>;

fn play(reasoner: &Reasoner, lanes: usize, steps: usize, threads: usize) -> Seen {
    let options = BatchOptions { seed: 3, threads, max_steps: Some(30), ..BatchOptions::default() };
    let mut batch = Batch::new(reasoner, lanes, &options).expect("a batch");
    let mut machine = reasoner.clone();
    let mut seen = Vec::new();
    for step in 0..steps {
        if step % 3 == 1 {
            let mut drawn = vec![0; lanes * batch.roles()];
            batch.write_drawn(&mut drawn);
            batch.step(Some(&drawn)).expect("legal");
        } else {
            batch.step(None).expect("a step");
        }
        let (mut over, mut lengths) = (vec![0; lanes], vec![0; lanes]);
        batch.write_terminated(&mut over);
        batch.write_steps(&mut lengths);
        let goals = (0..lanes).map(|lane| batch.goals(lane).to_vec()).collect();
        let state = batch.state(lanes / 2, &mut machine).expect("a state");
        let facts = machine.facts_of(&state).expect("facts");
        let facts = facts.iter().map(ToString::to_string).collect();
        seen.push((over, goals, lengths, facts));
        if step % 4 == 3 {
            batch.reset_ended();
        }
    }
    seen
}

#[test]
fn network_and_interpreter_step_alike() {
    for name in ["connect_four", "kuhn_poker", "rock_paper_scissors", "endgame"] {
        let network = game(name);
        assert!(network.is_network());
        let interpreter = Reasoner::interpreter(network.game());
        let seen = play(&network, 20, 40, 1);
        assert!(seen.iter().any(|(over, ..)| over.contains(&1)), "{name}: episodes end");
        assert_eq!(seen, play(&interpreter, 20, 40, 1), "{name}");
        assert_eq!(seen, play(&interpreter, 20, 40, 3), "{name}");
    }
}

#[test]
fn threads_change_nothing() {
    let reasoner = game("connect_four");
    assert_eq!(play(&reasoner, 1100, 12, 1), play(&reasoner, 1100, 12, 3));
}

#[test]
fn masks_show_what_the_interpreter_finds_legal() {
    let reasoner = game("skirmish");
    let mut interpreter = Reasoner::interpreter(reasoner.game());
    let mut batch = Batch::new(&reasoner, 600, &BatchOptions::default()).expect("a batch");
    for _ in 0..30 {
        for role in [Role(0), Role(1)] {
            let moves: Vec<String> =
                reasoner.moves(role).expect("a network").into_iter().map(str::to_owned).collect();
            let mut mask = vec![2; 600 * moves.len()];
            batch.write_legal(Rows::Of(role), moves.len(), &mut mask).expect("a network");
            let (begins, actions) = batch.legal_lists(role);
            for lane in [0, 511, 512, 599] {
                let state = batch.state(lane, &mut interpreter).expect("a state");
                let legal = interpreter.legal_texts(&state, role).expect("moves");
                let row = &mask[lane * moves.len()..][..moves.len()];
                let shown: Vec<&String> =
                    moves.iter().zip(row).filter(|&(_, &byte)| byte == 1).map(|(text, _)| text).collect();
                assert_eq!(shown, legal.iter().collect::<Vec<_>>());
                let listed = &actions[begins[lane]..begins[lane + 1]];
                let listed: Vec<&String> = listed.iter().map(|&action| &moves[action as usize]).collect();
                assert_eq!(shown, listed);
            }
        }
        batch.step(None).expect("a step");
        batch.reset_ended();
    }
}

#[test]
fn illegal_actions_change_no_lane() {
    for reasoner in [game("connect_four"), Reasoner::interpreter(game("connect_four").game())] {
        let mut batch = Batch::new(&reasoner, 700, &BatchOptions::default()).expect("a batch");
        let mut turns = vec![0; 700];
        batch.write_turns(&mut turns);
        let mut actions = vec![-1; 1400];
        (0..700).for_each(|lane| actions[2 * lane + turns[lane] as usize] = 1);
        actions[2 * 650 + turns[650] as usize] = 77;
        let error = batch.step(Some(&actions)).expect_err("an action is illegal");
        assert!(matches!(error, BatchError::Illegal { lane: 650, action: 77, .. }), "{error}");
        let mut steps = vec![9; 700];
        batch.write_steps(&mut steps);
        assert_eq!(steps, vec![0; 700]);
        let options = BatchOptions { illegal: Illegal::EndsEpisode, ..BatchOptions::default() };
        let mut batch = Batch::new(&reasoner, 700, &options).expect("a batch");
        batch.step(Some(&actions)).expect("the episode ends");
        let mut over = vec![0; 700];
        batch.write_terminated(&mut over);
        assert_eq!(over.iter().position(|&over| over == 1), Some(650));
        assert_eq!(over.iter().map(|&over| u32::from(over)).sum::<u32>(), 1);
        assert_eq!(batch.goals(650)[turns[650] as usize], 0);
        assert_eq!(batch.goals(650)[1 - turns[650] as usize], 100);
    }
}

#[test]
fn logits_weigh_the_legal_moves() {
    let reasoner = game("connect_four");
    let lanes = 4000;
    let mut batch = Batch::new(&reasoner, lanes, &BatchOptions::default()).expect("a batch");
    let mut turns = vec![0; lanes];
    batch.write_turns(&mut turns);
    let role = Role(turns[0] as u8);
    let width = reasoner.moves(role).expect("a network").len();
    // The actions 1 and 2 weigh 1 and 3; the others nothing.
    let one = |action: usize| match action {
        1 => 0.0,
        2 => 3f32.ln(),
        _ => f32::NEG_INFINITY,
    };
    let logits: Vec<f32> = (0..lanes * width).map(|at| one(at % width)).collect();
    let mut out = vec![-1; lanes];
    batch.sample(role, &logits, width, |_| true, &mut out).expect("a network");
    let twos = out.iter().filter(|&&action| action == 2).count();
    assert!(out.iter().all(|action| [1, 2].contains(action)));
    assert!((2800..3200).contains(&twos), "{twos} of {lanes}");
}

#[test]
fn a_state_has_the_words_of_its_fluents() {
    let mut reasoner = game("endgame");
    let mut batch = Batch::new(&reasoner, 3, &BatchOptions::default()).expect("a batch");
    batch.step(None).expect("a step");
    let words = reasoner.fluents().expect("a network").len().div_ceil(64);
    let mut packed = vec![0; 3 * words];
    batch.write_packed_fluents(words, &mut packed).expect("a network");
    let state = reasoner.state_of_words(&packed[words..2 * words]).expect("a state");
    assert_eq!(state, batch.state(1, &mut reasoner).expect("a state"));
    assert!(reasoner.state_of_words(&[!0; 1]).is_err());
    let start = reasoner.initial_state().expect("a state");
    let of_start = reasoner.state_of_words(start.words().expect("a network")).expect("a state");
    assert_eq!(start, of_start);
}

#[test]
fn too_many_lanes_are_refused_and_long_runs_stop() {
    let reasoner = game("tic_tac_toe");
    for lanes in [0, usize::MAX, (1 << 24) + 1] {
        let error = Batch::new(&reasoner, lanes, &BatchOptions::default()).expect_err("too many");
        assert!(matches!(error, BatchError::TooLarge(_)), "{error}");
    }
    let stop = StopToken::new();
    stop.stop();
    let mut batch = Batch::new(&reasoner, 10, &BatchOptions::default()).expect("a batch");
    assert!(batch.roll_out(&stop).is_err());
    assert!(batch.roll_out(&StopToken::new()).is_ok() && batch.is_over());
}

/// Plays a role's first legal actions against `opponents`, until all episodes are over. Returns the role's goals.
fn play_against(reasoner: &Reasoner, role: Role, opponents: &str, threads: usize) -> Vec<u8> {
    let options = BatchOptions { seed: 3, threads, ..BatchOptions::default() };
    let mut batch = Batch::new(reasoner, 40, &options).expect("a batch");
    let opponents: Opponents = opponents.parse().expect("opponents");
    let stop = StopToken::new();
    batch.step_against(role, None, &opponents, &stop).expect("the opponents begin");
    while !batch.is_over() {
        let (begins, actions) = batch.legal_lists(role);
        let first = |lane: usize| if begins[lane] < begins[lane + 1] { actions[begins[lane]] } else { -1 };
        let own: Vec<i32> = (0..40).map(first).collect();
        let mut turns = vec![0; 40];
        batch.write_turns(&mut turns);
        assert!(
            turns.iter().all(|&turn| [-1, role.0.cast_signed()].contains(&turn)),
            "it is the turn of {role:?}"
        );
        batch.step_against(role, Some(&own), &opponents, &stop).expect("a step");
    }
    (0..40).map(|lane| batch.goals(lane)[role.index()]).collect()
}

#[test]
fn opponents_move_until_the_role_has_a_choice() {
    let reasoner = game("tic_tac_toe");
    for role in [Role(0), Role(1)] {
        let sum = |goals: Vec<u8>| goals.iter().map(|&goal| u32::from(goal)).sum::<u32>();
        let easy = play_against(&reasoner, role, "random", 1);
        assert_eq!(easy, play_against(&reasoner, role, "random", 2));
        assert_eq!(easy, play_against(&Reasoner::interpreter(reasoner.game()), role, "random", 1));
        let hard = play_against(&reasoner, role, "mcts:iterations=100", 1);
        assert_eq!(hard, play_against(&reasoner, role, "mcts:iterations=100", 2));
        assert!(sum(hard) < sum(easy), "a search is a stronger opponent");
    }
}

/// Plays kuhn poker as `role` with its first legal actions, and returns for each lane what the role has seen, and its goals.
fn play_poker(
    reasoner: &Reasoner,
    role: Role,
    opponents: &str,
    threads: usize,
) -> (Vec<Vec<Vec<Fact>>>, Vec<u8>) {
    let options = BatchOptions { seed: 8, threads, ..BatchOptions::default() };
    let mut batch = Batch::new(reasoner, 30, &options).expect("a batch");
    let (opponents, stop) = (opponents.parse().expect("opponents"), StopToken::new());
    let mut seen = vec![Vec::new(); 30];
    let mut own: Option<Vec<i32>> = None;
    while own.is_none() || !batch.is_over() {
        let mut over = vec![0; 30];
        batch.write_over(&mut over);
        batch.step_against(role, own.as_deref(), &opponents, &stop).expect("a step");
        let (begins, actions) = batch.legal_lists(role);
        let first = |lane: usize| if begins[lane] < begins[lane + 1] { actions[begins[lane]] } else { -1 };
        own = Some((0..30).map(first).collect());
        for lane in (0..30).filter(|&lane| over[lane] == 0) {
            seen[lane].push(batch.percepts(lane, role));
        }
    }
    (seen, (0..30).map(|lane| batch.goals(lane)[role.index()]).collect())
}

#[test]
fn opponents_with_hidden_information_keep_to_what_they_see() {
    let reasoner = game("kuhn_poker");
    for role in [Role(0), Role(1)] {
        for opponents in ["random", "mcts:iterations=60"] {
            let played = play_poker(&reasoner, role, opponents, 1);
            assert_eq!(played, play_poker(&reasoner, role, opponents, 2));
            // No percept is passed over: the role sees its card, and every move of the other one.
            for seen in &played.0 {
                let all: Vec<&str> = seen.iter().flatten().map(Fact::as_str).collect();
                assert_eq!(all.iter().filter(|one| one.starts_with("(dealt")).count(), 1, "{all:?}");
                assert!(all.iter().any(|one| one.starts_with("(did")), "{all:?}");
            }
        }
        let slow = Reasoner::interpreter(reasoner.game());
        assert_eq!(play_poker(&reasoner, role, "random", 1), play_poker(&slow, role, "random", 1));
    }
    // The first legal actions of the first player are to bet and to call: a search folds a jack and calls with a king.
    let (seen, goals) = play_poker(&reasoner, Role(0), "mcts:iterations=400", 1);
    let of = |card: &str| -> Vec<u8> {
        let dealt = |seen: &&Vec<Vec<Fact>>| seen.iter().flatten().any(|one| one.as_str() == card);
        seen.iter().zip(&goals).filter(|(seen, _)| dealt(seen)).map(|(_, &goal)| goal).collect()
    };
    assert!(of("(dealt king)").iter().all(|&goal| goal >= 75));
    assert!(of("(dealt jack)").contains(&0), "a king calls");
}

#[test]
fn searching_opponents_need_the_whole_episode() {
    let reasoner = game("kuhn_poker");
    let mut batch = Batch::new(&reasoner, 3, &BatchOptions::default()).expect("a batch");
    let (search, stop) = ("mcts:iterations=5".parse().expect("opponents"), StopToken::new());
    batch.step(None).expect("a step");
    let refused = batch.step_against(Role(1), None, &search, &stop);
    assert_eq!(refused, Err(BatchError::UnseenSteps(0)));
    batch
        .step_against(Role(1), None, &Opponents::Random, &stop)
        .expect("random opponents need to know nothing");
    batch.reset(|_| true);
    batch.step_against(Role(1), None, &search, &stop).expect("new episodes");
    let missing = batch.step_against(Role(0), Some(&[-1; 3]), &search, &stop);
    assert!(matches!(missing, Err(BatchError::Illegal { action: -1, .. })), "{missing:?}");
    let unfit = "mcts:iterations=5,mast=off".parse().expect("opponents");
    batch.restart(1, Seeds::One);
    let refused = batch.step_against(Role(1), None, &unfit, &stop);
    assert!(matches!(refused, Err(BatchError::Opponents(_))), "{refused:?}");
}
