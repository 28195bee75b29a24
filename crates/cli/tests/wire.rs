//! The messages of `ggp host` in games of hidden information. A proxy in front of each served player records them.

mod served;

use ggp_game::{Fact, Game, Interpreter, StateMachine};
use ggp_protocol::{LastTurn, Request};
use ggp_tests::workspace;
use serde_json::Value;
use served::Served;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// A proxy that records the body of each request before it passes the request on.
struct Proxy {
    address: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn before(target: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let (target, kept) = (target.to_owned(), Arc::clone(&bodies));
        // The thread ends with the test.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (target, kept) = (target.clone(), Arc::clone(&kept));
                std::thread::spawn(move || pass_on(stream, &target, &kept));
            }
        });
        Proxy { address, bodies }
    }
}

/// Passes one request on to `target`, and its answer back.
fn pass_on(mut stream: TcpStream, target: &str, kept: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    kept.lock().ok()?.push(String::from_utf8_lossy(&body).into_owned());
    let mut onward = TcpStream::connect(target).ok()?;
    onward.write_all(head.as_bytes()).ok()?;
    onward.write_all(&body).ok()?;
    let mut answer = Vec::new();
    onward.read_to_end(&mut answer).ok()?;
    stream.write_all(&answer).ok()
}

/// The reports on turns that `role` must get in the match of `record`: before each move, and at the end.
fn reports(game: &Arc<Game>, record: &Value, role: &str) -> Vec<LastTurn> {
    let mut machine = Interpreter::new(game);
    let role = game.role_named(role).expect("a role");
    let mut state = machine.initial_state().expect("a state");
    let mut reports = vec![LastTurn::Percepts { turn: 0, own: None, percepts: Vec::new() }];
    for joint in record["moves"].as_array().expect("moves") {
        let texts: Vec<&str> =
            joint.as_array().expect("a joint move").iter().map(|mv| mv.as_str().expect("a move")).collect();
        let moves = machine.parse_legal_joint(&state, &texts).expect("a legal joint move");
        let mut percepts: Vec<Fact> = Vec::new();
        machine.percepts(&state, &moves, role, &mut percepts).expect("percepts");
        let own = Some(texts[role.index()].to_owned());
        reports.push(LastTurn::Percepts { turn: reports.len() as u32, own, percepts });
        state = machine.next_state(&state, &moves).expect("a state");
    }
    reports
}

#[test]
fn a_served_player_gets_its_own_moves_and_percepts_and_nothing_else() {
    for (name, roles) in [("kuhn_poker", ["first", "second"]), ("phantom_tic_tac_toe", ["x", "o"])] {
        let rules = std::fs::read(workspace().join(format!("games/{name}.kif"))).expect("a rulesheet");
        let game = Arc::new(Game::new(ggp_gdl::parse(&rules).expect("rules")).expect("a game"));
        let served = ["mcts:iterations=50", "random"].map(Served::start);
        let proxies = [0, 1]
            .map(|at| Proxy::before(served[at].url.trim_start_matches("http://").trim_end_matches('/')));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("wire_{name}.json"));
        let players = [0, 1].map(|at| format!("{}=http://{}", roles[at], proxies[at].address));
        let file = format!("games/{name}.kif");
        let arguments =
            ["host", &file, "--player", &players[0], "--player", &players[1], "--seed", "815471108"];
        let more = ["--startclock", "5", "--playclock", "5", "--save", path.to_str().expect("UTF-8")];
        let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
        command.env("GGP_NO_CACHE", "1");
        let output = command.current_dir(workspace()).args(arguments).args(more).output().expect("ggp runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let record = std::fs::read_to_string(&path).expect("a record");
        let record: Value = serde_json::from_str(&record).expect("JSON");
        for (role, proxy) in roles.iter().zip(&proxies) {
            let bodies = proxy.bodies.lock().expect("the bodies");
            let mut told = Vec::new();
            for body in bodies.iter() {
                assert!(!body.contains("815471108"), "{name}: the seed is in {body}");
                match Request::parse(body.as_bytes()).expect("a message") {
                    Request::Play { last_turn, .. } | Request::Stop { last_turn, .. } => told.push(last_turn),
                    Request::Start { role: to, .. } => assert_eq!(to, *role),
                    Request::Info | Request::Ping | Request::Preview { .. } => {}
                    other @ Request::Abort { .. } => panic!("{name}: {other:?}"),
                }
            }
            assert_eq!(told, reports(&game, &record, role), "{name}, {role}");
        }
    }
}

#[test]
fn only_pages_that_are_allowed_send_messages_to_a_served_player() {
    let served = Served::with("random", &["--allow-origin", "http://manager.example/"]);
    let address = served.url.trim_start_matches("http://").trim_end_matches('/');
    let ask = |header: &str| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let sent = format!("POST / HTTP/1.0\r\n{header}Content-Length: 8\r\n\r\n( INFO )");
        stream.write_all(sent.as_bytes()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(ask(""), "HTTP/1.0 200 OK");
    assert_eq!(ask("Origin: http://manager.example\r\n"), "HTTP/1.0 200 OK");
    assert!(ask("Origin: http://other.example\r\n").starts_with("HTTP/1.0 403 "));
    assert!(ask("Sec-Fetch-Site: cross-site\r\n").starts_with("HTTP/1.0 403 "));
}
