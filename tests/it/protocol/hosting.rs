//! This project's manager against its own player and against flawed ones, over HTTP.

use super::players::{Manner, Scripted, searching};
use super::schema::violations;
use super::serving::Serving;
use super::simple::{Flaw, Simple};
use ggp_arena::{Ending, FaultKind, MachineReferee, MatchEvent, Observer, Outcome, Record};
use ggp_game::{Clocks, Game, Interpreter, Player, StopToken};
use ggp_search::{InformationSetOptions, InformationSetPlayer, MctsOptions};
use ggp_server::host::{Guest, HostSetup, host};
use ggp_server::player::{PlayerConfig, PlayerFactory};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TAKE: &str = include_str!("../../../crates/server/src/comply/take.kif");
const GUESS: &str = include_str!("../../../crates/server/src/comply/guess.kif");

/// The Monty Hall problem: the seer picks one of three doors, the host opens another one without the
/// prize, and the seer may switch.
const DOORS: &str = "
    (role random) (role seer) (door 1) (door 2) (door 3) (init (stage 1))
    (follows 1 2) (follows 2 3) (follows 3 4)
    (<= (legal random (hide ?d)) (door ?d) (true (stage 1)))
    (<= (legal random (open ?d)) (door ?d) (true (stage 2)) (not (true (picked ?d))) (not (true (prize ?d))))
    (<= (legal random idle) (true (stage 3)))
    (<= (legal seer (pick ?d)) (door ?d) (true (stage 1)))
    (<= (legal seer idle) (true (stage 2)))
    (<= (legal seer stay) (true (stage 3)))
    (<= (legal seer change) (true (stage 3)))
    (<= (next (stage ?m)) (true (stage ?n)) (follows ?n ?m))
    (<= (next (prize ?d)) (does random (hide ?d)))
    (<= (next (prize ?d)) (true (prize ?d)))
    (<= (next (picked ?d)) (does seer (pick ?d)))
    (<= (next (picked ?d)) (true (picked ?d)))
    (<= (next changed) (does seer change))
    (<= (sees seer (opened ?d)) (does random (open ?d)))
    (<= terminal (true (stage 4)))
    (<= right (true (prize ?d)) (true (picked ?d)))
    (<= won right (not (true changed)))
    (<= won (not right) (true changed))
    (<= (goal seer 100) won) (<= (goal seer 0) (not won)) (goal random 50)";

fn clocks(start: u64, play: u64) -> Clocks {
    Clocks { start: Duration::from_secs(start), play: Duration::from_secs(play) }
}

pub(crate) fn game(rules: &str) -> Arc<Game> {
    Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).expect("rules")).expect("a game"))
}

pub(crate) fn remote(address: SocketAddr) -> Guest {
    Guest::Remote { address: address.to_string().parse().expect("an address"), name: "them".to_owned() }
}

fn local() -> Guest {
    Guest::Local(Box::new(Scripted::new(Manner::Quick)))
}

pub(crate) fn play(
    game: &Arc<Game>,
    guests: Vec<Guest>,
    setup: HostSetup,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut referee = MachineReferee::new(Interpreter::new(game));
    host(&mut referee, guests, setup, observer, &StopToken::new())
}

fn assert_valid(record: &Record) {
    let schema = serde_json::from_str(include_str!("../../protocol/record.schema.json")).expect("JSON");
    let value = serde_json::from_str(&record.to_json()).expect("JSON");
    let found = violations(&schema, &value);
    assert!(found.is_empty(), "{found:?}");
    if record.is_completed {
        assert_eq!(record.states.len(), record.moves.len() + 1);
        assert_eq!(record.errors.len(), record.states.len());
        assert_eq!(record.state_times.len(), record.states.len());
    }
}

/// Reads the live record after every event and records its number of states.
struct Reader {
    path: PathBuf,
    states: Vec<usize>,
    tokens: Vec<String>,
}

impl Observer for Reader {
    fn observe(&mut self, event: MatchEvent<'_>) {
        if matches!(event, MatchEvent::Joint { .. } | MatchEvent::End(_)) {
            let text = std::fs::read_to_string(&self.path).expect("the live record");
            let record = Record::read(&text).expect("a whole record");
            self.states.push(record.states.len());
            self.tokens.push(record.random_token);
        }
    }
}

/// Tests manager and player on games of the workspace, half of the matches scrambled.
/// `GGP_PROTOCOL_MATCHES=N` plays N whole matches of each of eight games; otherwise only the first steps
/// of some.
#[test]
fn our_manager_and_our_player_play_without_fault() {
    let matches = std::env::var("GGP_PROTOCOL_MATCHES").ok().and_then(|n| n.parse::<u64>().ok());
    let config = PlayerConfig { ponder: false, ..PlayerConfig::default() };
    let factory: Arc<dyn PlayerFactory> = Arc::new(|id: &str| {
        searching(MctsOptions {
            iterations: Some(100),
            seed: Some(id.len() as u64),
            ..MctsOptions::default()
        })
    });
    let servers = [(), ()].map(|()| Serving::start(config.clone(), Arc::clone(&factory)));
    let few = ["tic_tac_toe", "nim", "rock_paper_scissors", "breakthrough_holes"];
    let many = [
        "breakthrough_holes",
        "pawn_whopping",
        "english_draughts",
        "endgame",
        "skirmish",
        "tic_tac_toe",
        "connect_four",
        "rock_paper_scissors",
    ];
    let names = if matches.is_some() { &many[..] } else { &few[..] };
    let (mut played, mut steps, began) = (0, 0, Instant::now());
    for name in names {
        let path = ggp_tests::workspace().join(format!("games/{name}.kif"));
        let game = game(&std::fs::read_to_string(path).expect("a game"));
        for number in 0..matches.unwrap_or(2) {
            let guests = servers.iter().cycle().take(game.role_count()).map(|server| remote(server.address));
            let mut setup = HostSetup::new(format!("{name}.{number}"), clocks(30, 10));
            setup.scramble = number % 2 == 0;
            setup.seed = number;
            setup.max_steps = if matches.is_some() { 1000 } else { 12 };
            setup.preview = (number % 3 == 0).then(|| Duration::from_secs(2));
            setup.record.game_meta_url = format!("games/{name}.kif");
            setup.record.player_names_from_host = vec!["ours".to_owned(); game.role_count()];
            let scrambled = setup.scramble;
            let outcome = play(&game, guests.collect(), setup, &mut ());
            let whole = outcome.ending == Ending::Terminal;
            assert!(
                whole || outcome.ending == Ending::StepLimit && matches.is_none(),
                "{name}: {:?}",
                outcome.ending
            );
            assert_eq!(outcome.faults, [], "{name}");
            let record = outcome.record.expect("a record");
            assert_eq!(record.scrambled, scrambled);
            assert_valid(&record);
            (played, steps) = (played + 1, steps + outcome.steps);
        }
    }
    println!("{played} matches, {steps} steps, no fault, in {:.0?}", began.elapsed());
}

#[test]
fn the_live_record_is_whole_after_every_move() {
    let serving = Serving::scripted(PlayerConfig::default(), Manner::Quick);
    let path = std::env::temp_dir().join(format!("ggp-live-{}.json", std::process::id()));
    let mut reader = Reader { path: path.clone(), states: Vec::new(), tokens: Vec::new() };
    let mut setup = HostSetup::new("live", clocks(5, 5));
    setup.live = Some(path.clone());
    let outcome = play(&game(TAKE), vec![remote(serving.address), local()], setup, &mut reader);
    let last = Record::read(&std::fs::read_to_string(&path).expect("the record")).expect("a whole one");
    let _ = std::fs::remove_file(&path);
    assert_eq!(outcome.ending, Ending::Terminal);
    assert_eq!(outcome.record, Some(last));
    // One more state before each joint move, and the last one at the end.
    assert_eq!(reader.states, (1..=outcome.steps as usize + 1).collect::<Vec<_>>());
    assert!(reader.tokens.iter().all(|token| *token == reader.tokens[0] && token.len() == 32));
}

/// Tests one server in both roles, with one match each.
#[test]
fn a_player_may_sit_twice() {
    let serving = Serving::scripted(PlayerConfig::default(), Manner::Quick);
    let guests = vec![remote(serving.address), remote(serving.address)];
    let outcome = play(&game(TAKE), guests, HostSetup::new("twice", clocks(5, 5)), &mut ());
    assert_eq!((outcome.ending, outcome.faults), (Ending::Terminal, vec![]));
}

#[test]
fn bad_players_are_dealt_with_as_the_reference_server_does() {
    let cases = [
        (Flaw::None, None),
        (Flaw::Status500, None),
        (Flaw::Late(500), None),
        (Flaw::WrongLength, None),
        (Flaw::Late(1500), Some(FaultKind::Timeout)),
        (Flaw::Silent, Some(FaultKind::Timeout)),
        (Flaw::Drips, Some(FaultKind::Timeout)),
        (Flaw::Closes, Some(FaultKind::Crash)),
        (Flaw::NoHead, Some(FaultKind::Crash)),
        (Flaw::Absent, Some(FaultKind::Crash)),
        (Flaw::Fails, Some(FaultKind::Crash)),
        (Flaw::Garbage, Some(FaultKind::Illegal)),
        (Flaw::Huge, Some(FaultKind::Illegal)),
        (Flaw::Illegal, Some(FaultKind::Illegal)),
    ];
    let game = game(TAKE);
    std::thread::scope(|scope| {
        for (flaw, expected) in cases {
            let game = &game;
            scope.spawn(move || {
                let player = Simple::start(flaw);
                let mut setup = HostSetup::new("m", clocks(1, 1));
                setup.max_steps = 2;
                let began = Instant::now();
                let outcome = play(game, vec![remote(player.address), local()], setup, &mut ());
                let kinds: Vec<_> =
                    outcome.faults.iter().filter(|f| f.kind != FaultKind::Start).map(|f| f.kind).collect();
                assert_eq!(outcome.ending, Ending::StepLimit, "{flaw:?}: the match goes on");
                assert_eq!(kinds, vec![expected; 2].into_iter().flatten().collect::<Vec<_>>(), "{flaw:?}");
                assert!(outcome.faults.iter().all(|fault| fault.role == 0), "{flaw:?}");
                let record = outcome.record.expect("a record");
                assert_valid(&record);
                let codes: Vec<&str> =
                    record.errors.iter().skip(1).map(|e| e[0].get(..2).unwrap_or("")).collect();
                let code = match expected {
                    None => "",
                    Some(FaultKind::Timeout) => "TO",
                    Some(FaultKind::Crash) => "CE",
                    Some(_) => "IL",
                };
                assert_eq!(codes, [code, code], "{flaw:?}: {:?}", record.errors);
                // START takes 1 s, two moves take up to 1 s of grace each, and STOP takes 1 s.
                assert!(began.elapsed() < Duration::from_secs(8), "{flaw:?} took {:?}", began.elapsed());
            });
        }
    });
}

#[test]
fn one_word_of_a_server_that_fails_is_no_answer() {
    let player = Simple::start(Flaw::Broken);
    let mut setup = HostSetup::new("m", clocks(1, 1));
    setup.max_steps = 1;
    let outcome = play(&game(TAKE), vec![remote(player.address), local()], setup, &mut ());
    let faults: Vec<_> = outcome.faults.iter().map(|f| (f.role, f.kind, f.detail.as_str())).collect();
    let said = "the player is gone: HTTP 500 Oops";
    assert_eq!(faults, [(0, FaultKind::Start, said), (0, FaultKind::Crash, said)]);
}

/// Serves a player for games of hidden information with a limit of iterations per move.
fn information_set(iterations: u64) -> Serving {
    let factory = move |id: &str| {
        let seed = id.bytes().fold(0, |seed, byte| seed * 31 + u64::from(byte));
        let options =
            InformationSetOptions { iterations: Some(iterations), seed, ..InformationSetOptions::default() };
        let make = |game: &Arc<Game>, _, _: &StopToken| Ok(Interpreter::new(game));
        Box::new(InformationSetPlayer::new(options, make)) as Box<dyn Player>
    };
    Serving::start(PlayerConfig::default(), Arc::new(factory))
}

/// The goals of the first role in matches of a game with hidden information, over HTTP.
fn goals(rules: &str, serving: &Serving, matches: u64) -> Vec<u8> {
    let game = game(rules);
    let play = |seed| {
        let mut setup = HostSetup::new(format!("hidden.{seed}"), clocks(5, 5));
        setup.seed = seed;
        setup.scramble = seed % 2 == 0;
        let outcome = play(&game, vec![Guest::Nature, remote(serving.address)], setup, &mut ());
        assert_eq!((outcome.ending, outcome.faults), (Ending::Terminal, vec![]));
        assert_valid(&outcome.record.expect("a record"));
        outcome.goals[1].expect("a goal")
    };
    (0..matches).map(play).collect()
}

#[test]
fn hidden_information_is_played_over_the_wire() {
    // The seer is told where the coin lies and guesses correctly.
    let goals = goals(GUESS, &information_set(20), 10);
    assert!(goals.iter().all(|&goal| goal == 100), "{goals:?}");
}

#[test]
fn thinking_helps_where_information_is_hidden() {
    let mean = |goals: Vec<u8>| goals.iter().map(|&goal| f64::from(goal)).sum::<f64>() / goals.len() as f64;
    // Switching wins two of three matches; random choice wins half.
    let (thinking, random) =
        (mean(goals(DOORS, &information_set(100), 60)), mean(goals(DOORS, &information_set(0), 60)));
    assert!((48.0..85.0).contains(&thinking), "{thinking}");
    assert!((30.0..70.0).contains(&random), "{random}");
    assert!(thinking > random, "{thinking} {random}");
}

/// Tests that an aborted match ends at the player too.
#[test]
fn an_interrupted_match_leaves_no_player_busy() {
    let config = PlayerConfig { matches: 1, ..PlayerConfig::default() };
    let serving = Serving::scripted(config, Manner::Patient);
    let stop = StopToken::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(1200));
            stop.stop();
        });
        let game = game(TAKE);
        let mut referee = MachineReferee::new(Interpreter::new(&game));
        let setup = HostSetup::new("m", clocks(1, 10));
        let guests = vec![
            remote(serving.address),
            Guest::Local(Box::new(Scripted::new(Manner::Patient)) as Box<dyn Player>),
        ];
        let began = Instant::now();
        let outcome = host(&mut referee, guests, setup, &mut (), &stop);
        assert_eq!(outcome.ending, Ending::Interrupted);
        assert!(began.elapsed() < Duration::from_secs(3));
    });
    assert_eq!(serving.say("( INFO )"), "( ( name ggp ) ( status available ) )");
}
