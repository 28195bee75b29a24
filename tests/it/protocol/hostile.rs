//! Hostile managers during a valid match. `GGP_PROTOCOL_FULL=1` runs the full counts (minutes) and prints
//! the figures; otherwise the counts are lower.

use super::hosting::{game, play, remote};
use super::players::{Manner, Scripted, searching};
use super::serving::{Serving, exchange};
use ggp_arena::{Ending, MatchEvent, Observer};
use ggp_game::rng::mix;
use ggp_game::{Clocks, Player};
use ggp_search::MctsOptions;
use ggp_server::host::{Guest, HostSetup};
use ggp_server::player::PlayerConfig;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn full() -> bool {
    std::env::var_os("GGP_PROTOCOL_FULL").is_some()
}

fn count(full_count: u64, few: u64) -> u64 {
    if full() { full_count } else { few }
}

/// The resident memory of this process, in MiB; 0 if the system does not report it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
}

/// The time of each move of the first role, as measured by the manager.
#[derive(Default)]
struct Thinking(Vec<Duration>);

impl Observer for Thinking {
    fn observe(&mut self, event: MatchEvent<'_>) {
        if let MatchEvent::Joint { thinking, .. } = event {
            self.0.push(thinking[0]);
        }
    }
}

/// Sends bytes and returns the text of the reply, if there is one.
fn send(address: SocketAddr, bytes: &[u8]) -> Option<String> {
    let reply = exchange(address, bytes, true).ok()?;
    let reply = String::from_utf8_lossy(&reply).into_owned();
    reply.split_once("\r\n\r\n").map(|(_, text)| text.to_owned())
}

fn post(text: &[u8]) -> Vec<u8> {
    let mut bytes = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n", text.len()).into_bytes();
    bytes.extend_from_slice(text);
    bytes
}

/// A message made from a valid one by a few random changes, or random bytes.
fn malformed(seed: u64) -> Vec<u8> {
    const GOOD: [&str; 7] = [
        "( INFO )",
        "( PLAY good (( take 1 9 ) wait ) )",
        "( PLAY none NIL )",
        "( START bad left (( role left ) ( <= ( legal left a ) ( p ?x ) ) ) 1 1)",
        "( STOP none (( take 1 9 ) wait ) )",
        "( PREVIEW (( role left )) 1 )",
        "( ABORT none )",
    ];
    const PIECES: [&str; 10] =
        ["(", ")", "((", "NIL", "?x", "; ", "\0", "\u{e9}", "-1", "99999999999999999999"];
    let mut drawn = seed;
    let mut draw = |bound: usize| {
        drawn = mix(drawn.wrapping_add(0x9e37));
        (drawn % bound as u64) as usize
    };
    let mut text = GOOD[draw(GOOD.len())].as_bytes().to_vec();
    for _ in 0..=draw(4) {
        let at = draw(text.len() + 1);
        match draw(4) {
            0 => text.truncate(at),
            1 => {
                let piece = PIECES[draw(PIECES.len())].bytes();
                text.splice(at..at, piece);
            }
            2 if at < text.len() => text[at] = draw(256) as u8,
            _ => drop(text.drain(at.min(text.len())..(at + draw(8)).min(text.len()))),
        }
    }
    // No message names the valid match in STOP or ABORT, which the player would obey.
    let mut bytes = post(&text);
    if draw(10) == 0 {
        let at = draw(bytes.len());
        bytes.truncate(at);
    }
    if draw(10) == 0 {
        let at = draw(bytes.len().max(1));
        if let Some(byte) = bytes.get_mut(at) {
            *byte = draw(256) as u8;
        }
    }
    bytes
}

/// Rules whose static relations, states or legal moves grow without bound.
const GROWING: [&str; 4] = [
    "(( role left ) ( p 0 ) ( <= ( p ( s ?x ) ) ( p ?x ) ) ( <= ( legal left ?x ) ( p ?x ) ) )",
    "(( role left ) ( init ( n 0 ) ) ( <= ( next ( n ( s ?x ?x ) ) ) ( true ( n ?x ) ) ) ( <= ( legal left ?x ) ( true ( n ?x ) ) ) ( <= ( next ( m ?x ?y ) ) ( true ( n ?x ) ) ( true ( n ?y ) ) ) )",
    "(( role left ) ( d 0 ) ( d 1 ) ( d 2 ) ( d 3 ) ( d 4 ) ( d 5 ) ( d 6 ) ( d 7 ) ( d 8 ) ( d 9 ) ( <= ( legal left ( f ?a ?b ?c ?d ?e ?f ?g ?h ) ) ( d ?a ) ( d ?b ) ( d ?c ) ( d ?d ) ( d ?e ) ( d ?f ) ( d ?g ) ( d ?h ) ) )",
    "(( role left ) ( init ( t 0 ) ) ( <= ( legal left ( s ?x ) ) ( true ( t ?x ) ) ) ( <= ( next ( t ( s ?x ) ) ) ( true ( t ?x ) ) ) ( <= ( next ( t ?x ) ) ( true ( t ?x ) ) ) )",
];

fn attack(name: &str, address: SocketAddr, notes: &AtomicU64) {
    match name {
        "malformed" => {
            let all = count(10_000, 400);
            std::thread::scope(|scope| {
                for part in 0..8 {
                    scope.spawn(move || {
                        for number in (part..all).step_by(8) {
                            let is_answered = send(address, &malformed(number)).is_some();
                            notes.fetch_add(u64::from(is_answered), Ordering::Relaxed);
                        }
                    });
                }
            });
        }
        "half-open" => {
            let mut open: Vec<TcpStream> = Vec::new();
            for number in 0..count(1000, 400) {
                let Ok(mut stream) = TcpStream::connect(address) else { break };
                if number % 2 == 0 {
                    let _ = stream.write_all(b"POST / HTTP/1.0\r\nContent-Le");
                }
                open.push(stream);
                notes.fetch_add(1, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_secs(count(5, 1)));
        }
        "huge" => {
            for declared in [true, false] {
                let Ok(mut stream) = TcpStream::connect(address) else { continue };
                let head = if declared { "Content-Length: 104857600\r\n" } else { "" };
                let _ =
                    stream.write_all(format!("POST / HTTP/1.0\r\n{head}\r\n( START m left ((").as_bytes());
                let chunk = vec![b'x'; 1 << 20];
                let sent = (0..100).take_while(|_| stream.write_all(&chunk).is_ok()).count();
                notes.fetch_add(sent as u64, Ordering::Relaxed);
            }
        }
        "growing" => {
            for (number, rules) in GROWING.iter().cycle().take(count(12, 4) as usize).enumerate() {
                let start = format!("( START grow.{number} left {rules} 1 1)");
                let said = send(address, &post(start.as_bytes()));
                assert!(matches!(said.as_deref(), Some("ready" | "busy")), "{said:?}");
                for _ in 0..count(6, 2) {
                    let joint = ["( s 0 )", "0"][number % 2];
                    let play = format!("( PLAY grow.{number} ({joint} ) )");
                    assert!(send(address, &post(play.as_bytes())).is_some());
                }
                send(address, &post(format!("( ABORT grow.{number} )").as_bytes()));
                notes.fetch_add(1, Ordering::Relaxed);
            }
        }
        "disorder" => {
            let rules = "(( role a ) ( init ( n 0 ) ) ( up 0 1 ) ( up 1 2 ) ( up 2 0 ) ( <= ( legal a ( go ?n ) ) ( true ( n ?n ) ) ) ( <= ( next ( n ?m ) ) ( true ( n ?n ) ) ( up ?n ?m ) ) )";
            for number in 0..count(50, 5) {
                let messages = [
                    format!("( START d{number} a {rules} 1 1)"),
                    format!("( PLAY d{number} NIL )"),
                    format!("( PLAY d{number} (( go 0 ) ) )"),
                    format!("( PLAY d{number} (( go 1 ) ) )"),
                    format!("( PLAY d{number} (( no such ) ) )"),
                    format!("( STOP d{number} (( go 2 ) ) )"),
                ];
                std::thread::scope(|scope| {
                    for copy in 0..3 {
                        for (place, message) in messages.iter().enumerate() {
                            let wait = mix(number * 100 + copy * 10 + place as u64) % 60;
                            scope.spawn(move || {
                                std::thread::sleep(Duration::from_millis(wait));
                                assert!(send(address, &post(message.as_bytes())).is_some(), "{message}");
                                notes.fetch_add(1, Ordering::Relaxed);
                            });
                        }
                    }
                });
                send(address, &post(format!("( ABORT d{number} )").as_bytes()));
            }
        }
        other => panic!("no attack is called {other}"),
    }
}

/// Plays valid matches with a play clock of one second during the attack `name`. The server must answer
/// afterwards.
fn withstand(name: &'static str) {
    let config = PlayerConfig { matches: 3, ..PlayerConfig::default() };
    let serving = Serving::scripted(config, Manner::Patient);
    let rules = game(include_str!("../../../crates/server/src/comply/take.kif"));
    let (over, notes, peak) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let before = resident();
    let mut thinking = Thinking::default();
    let mut outcomes = Vec::new();
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                peak.fetch_max(resident(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let address = serving.address;
        let notes = &notes;
        let attacker = scope.spawn(move || attack(name, address, notes));
        while outcomes.is_empty() || !attacker.is_finished() {
            let clock = Duration::from_secs(1);
            let mut setup =
                HostSetup::new(format!("good.{}", outcomes.len()), Clocks { start: clock, play: clock });
            setup.max_steps = 4;
            let guests = vec![
                remote(address),
                Guest::Local(Box::new(Scripted::new(Manner::Quick)) as Box<dyn Player>),
            ];
            outcomes.push(play(&rules, guests, setup, &mut thinking));
        }
        over.store(true, Ordering::Relaxed);
        attacker.join().expect("the attack went as it should");
    });
    for outcome in outcomes {
        assert_eq!((outcome.ending, outcome.faults), (Ending::StepLimit, vec![]), "{name}");
    }
    let worst = thinking.0.iter().max().copied().unwrap_or_default();
    let grown = peak.load(Ordering::Relaxed).saturating_sub(before);
    println!(
        "{name}: {} sent in {:.1?}; {} moves beside it, the slowest after {worst:.3?} of 1 s; {grown} MiB more",
        notes.load(Ordering::Relaxed),
        began.elapsed(),
        thinking.0.len(),
    );
    assert!(notes.load(Ordering::Relaxed) > 0, "{name}: nothing was sent");
    assert!(!thinking.0.is_empty(), "{name}: no move was made beside it");
    assert!(worst < Duration::from_secs(1), "{name}: {worst:?}");
    assert!(before > 0 || cfg!(not(target_os = "linux")), "/proc tells no memory");
    assert!(grown < 1024, "{name}: {grown} MiB");
    // The test does not wait until the half-open connections time out.
    assert_eq!(serving.say("( INFO )"), "( ( name ggp ) ( status available ) )", "{name}");
}

#[test]
fn malformed_messages() {
    withstand("malformed");
}

#[test]
fn half_open_connections() {
    withstand("half-open");
}

#[test]
fn texts_without_end() {
    withstand("huge");
}

#[test]
fn rules_without_bound() {
    withstand("growing");
}

#[test]
fn messages_twice_and_out_of_order() {
    withstand("disorder");
}

/// Tests players that use all cores, with a play clock of one second.
#[test]
fn no_move_is_late() {
    let wanted = count(500, 6) as usize;
    let factory = |_: &str| searching(MctsOptions::default());
    let serving = Serving::start(PlayerConfig::default(), Arc::new(factory));
    let path = ggp_tests::workspace().join("games/connect_four.kif");
    let rules = game(&std::fs::read_to_string(path).expect("a game"));
    // Moves in which another role is to move need no search and are not counted.
    let is_thought = |time: &Duration| *time > Duration::from_millis(100);
    let mut thinking: Vec<Duration> = std::thread::scope(|scope| {
        let tables: Vec<_> = (0..2)
            .map(|table| {
                let (rules, address) = (&rules, serving.address);
                scope.spawn(move || {
                    let mut thoughts = Vec::new();
                    for number in 0.. {
                        let left = (wanted / 2).saturating_sub(thoughts.len());
                        if left == 0 {
                            break;
                        }
                        let clock = Duration::from_secs(1);
                        let id = format!("t{table}.{number}");
                        let mut setup = HostSetup::new(id, Clocks { start: clock, play: clock });
                        setup.max_steps = 2 * left as u32;
                        setup.seed = number * 2 + table;
                        let local = Guest::Local(Box::new(Scripted::new(Manner::Quick)) as Box<dyn Player>);
                        let mut times = Thinking::default();
                        let outcome = play(rules, vec![remote(address), local], setup, &mut times);
                        assert_eq!(outcome.faults, []);
                        thoughts.extend(times.0.into_iter().filter(is_thought));
                    }
                    thoughts
                })
            })
            .collect();
        tables.into_iter().flat_map(|table| table.join().expect("no panic")).collect()
    });
    thinking.sort_unstable();
    assert!(thinking.len() >= wanted / 2 * 2);
    let slack = |quantile: f64| {
        let at = ((thinking.len() - 1) as f64 * quantile) as usize;
        1000.0 - thinking[at].as_secs_f64() * 1000.0
    };
    println!(
        "slack of {} moves at 1 s, in ms: least {:.1}, 1 % {:.1}, median {:.1}, 90 % {:.1}, most {:.1}",
        thinking.len(),
        slack(1.0),
        slack(0.99),
        slack(0.5),
        slack(0.1),
        slack(0.0)
    );
    assert!(slack(1.0) > 0.0);
}

/// Tests INFO, and PLAY and ABORT of unknown matches, while a search uses all cores.
#[test]
fn strangers_are_answered_while_it_searches() {
    let factory = |_: &str| searching(MctsOptions::default());
    let serving = Serving::start(PlayerConfig::default(), Arc::new(factory));
    let path = ggp_tests::workspace().join("games/connect_four.kif");
    let rules = std::fs::read_to_string(path).expect("a game");
    let role = game(&rules).role_name(ggp_game::Role(0)).to_owned();
    let mut slowest = Duration::MAX;
    // Other tests may run at the same time, so one of several attempts suffices.
    for _ in 0..3 {
        slowest = slowest.min(slowest_answer(&serving, &role, &rules));
        if slowest < AT_ONCE {
            break;
        }
    }
    println!("while two searches run, the slowest answer took {slowest:.1?}");
    assert!(slowest < AT_ONCE, "{slowest:?}");
}

/// Time limit of answers that need no search.
const AT_ONCE: Duration = Duration::from_millis(50);

/// The slowest answer to unknown matches and ABORT while two searches run.
fn slowest_answer(serving: &Serving, role: &str, rules: &str) -> Duration {
    let mut slowest = Duration::ZERO;
    for id in ["a", "b"] {
        assert_eq!(serving.say(&format!("( START {id} {role} ({rules}\n) 10 10)")), "ready");
    }
    std::thread::scope(|scope| {
        let searches = ["a", "b"].map(|id| scope.spawn(move || serving.say(&format!("( PLAY {id} NIL )"))));
        std::thread::sleep(Duration::from_millis(300));
        let mut timed = |text: &str, answer: &str| {
            let began = Instant::now();
            assert_eq!(serving.say(text), answer);
            slowest = slowest.max(began.elapsed());
        };
        for _ in 0..count(200, 20) {
            timed("( INFO )", "( ( name ggp ) ( status available ) )");
            timed("( PLAY other NIL )", "busy");
        }
        timed("( ABORT a )", "aborted");
        timed("( ABORT b )", "aborted");
        for search in searches {
            assert_eq!(search.join().expect("no panic"), "nil");
        }
    });
    slowest
}
