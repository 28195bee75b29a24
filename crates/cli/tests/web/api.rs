//! The answers of the web server, and the requests that it refuses.

use crate::http::{ask, get, post, raw};
use crate::served::Served;
use crate::server::{PATIENCE, Server, root};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A rulesheet whose names are attempts to inject code into a page.
pub(crate) const HOSTILE: &str = r#"
    (role <script>alert</script>) (role "><img/src=x/onerror=alert>)
    (init (cell 1 1 <b>)) (init (cell 1 2 <b>)) (init (cell 2 1 <b>)) (init (cell 2 2 <b>))
    (<= (legal ?r (mark ?x ?y)) (role ?r) (true (cell ?x ?y <b>)))
    (<= (next (cell ?x ?y <i>)) (does ?r (mark ?x ?y)))
    (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (marked ?x ?y)))
    (<= (marked ?x ?y) (does ?r (mark ?x ?y)))
    (<= (goal ?r 50) (role ?r))
    (<= terminal (not open)) (<= open (true (cell ?x ?y <b>)))"#;

fn person_and_engine(game: &str) -> Value {
    json!({"game": game, "seats": [{"kind": "person"}, {"kind": "engine", "iterations": 50}]})
}

#[test]
fn a_match_is_played_saved_and_gone_on_with() {
    let server = Server::start(&[]);
    let path = server.open(&person_and_engine("tic_tac_toe"));
    let mine = |status: &Value| status["working"].is_null() && status["chosen"][0] == false;
    while !server.node(&path, &server.status(&path)["tip"])["terminal"].as_bool().unwrap() {
        let before = server.wait(&path, "a person's turn", mine)["tip"].as_u64().unwrap();
        server.choose_first(&path, 0);
        server.wait(&path, "an answer", |status| {
            let tip = &status["tip"];
            let over = || server.node(&path, tip)["terminal"] == true;
            (tip.as_u64().unwrap() > before && over())
                || (tip.as_u64().unwrap() >= before + 2 && mine(status))
        });
    }
    let record = get(server.port, &format!("{path}/record")).ok();
    assert_eq!(record["isCompleted"], true);
    assert_eq!(record["isPlayerHuman"], json!([true, false]));
    let moves = record["moves"].as_array().unwrap().len();
    assert_eq!(record["states"].as_array().unwrap().len(), moves + 1);

    // `ggp play` reads the record too.
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("from-the-browser.json");
    std::fs::write(&file, record.to_string()).unwrap();
    let said = std::process::Command::new(env!("CARGO_BIN_EXE_ggp"))
        .env("GGP_NO_CACHE", "1")
        .args(["play", "games/tic_tac_toe.kif", "--from"])
        .arg(&file)
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains(&format!("Over after {moves} steps")), "{said}");

    // Load the record and branch off in the middle.
    let mut wanted = person_and_engine("tic_tac_toe");
    wanted["record"] = json!(record.to_string());
    let again = server.open(&wanted);
    assert_eq!(server.status(&again)["tip"], moves);
    let node = server.node(&again, &json!(2));
    let known = node["legal"][0].as_array().unwrap().iter().map(|legal| &legal["move"]);
    let other = known.into_iter().find(|mv| **mv != record["moves"][2][0]).unwrap();
    post(server.port, &format!("{again}/move"), &json!({"node": 2, "role": 0, "move": other})).ok();
    let status = server
        .wait(&again, "an answer", |status| status["working"].is_null() && status["chosen"][0] == false);
    assert_eq!(status["count"].as_u64().unwrap(), moves as u64 + 3);
    let tree = get(server.port, &format!("{again}/tree?from=0")).ok();
    assert_eq!(tree["nodes"][moves + 1]["parent"], 2);
    // Take the move back.
    post(server.port, &format!("{again}/undo"), &json!({})).ok();
    assert_eq!(server.status(&again)["tip"], 2);
    // A record of another game.
    wanted["game"] = json!("connect_four");
    let refused = post(server.port, "/api/sessions", &wanted);
    assert_eq!(refused.status, 409, "{}", refused.body);
}

#[test]
fn what_is_not_legal_is_refused() {
    let server = Server::start(&[]);
    let path = server.open(&person_and_engine("tic_tac_toe"));
    let act = |action: &str, body: Value| post(server.port, &format!("{path}/{action}"), &body);
    for (body, why) in [
        (json!({"node": 0, "role": 0, "move": "(mark 9 9)"}), "not legal"),
        (json!({"node": 0, "role": 1, "move": "noop"}), "not played here"),
        (json!({"node": 7, "role": 0, "move": "noop"}), "no such state"),
        (json!({"node": 0, "role": 99, "move": "noop"}), "not played here"),
    ] {
        let answer = act("move", body);
        assert!(answer.status == 409 && answer.body.contains(why), "{answer:?}");
    }
    assert_eq!(act("move", json!({"node": -1})).status, 400);
    assert_eq!(act("advise", json!({"seconds": -1e300})).status, 400);
    assert_eq!(act("dance", json!({})).status, 404);
    assert_eq!(act("undo", json!({})).status, 409);
    assert_eq!(get(server.port, &format!("{path}/nodes/99")).status, 404);
    assert_eq!(get(server.port, &format!("{path}/nodes/x")).status, 400);
    assert_eq!(get(server.port, "/api/sessions/0").status, 404);
    for seats in [
        json!([{"kind": "engine", "seconds": 1e9}, {"kind": "person"}]),
        json!([{"kind": "engine", "seconds": -1}, {"kind": "person"}]),
        json!([{"kind": "elsewhere"}]),
        json!([{"kind": "remote", "url": "http://localhost:1", "seconds": 0}]),
        json!([{"kind": "cmd", "url": "rm"}]),
        json!([{"kind": "person"}, {"kind": "person"}, {"kind": "person"}]),
    ] {
        let refused = post(server.port, "/api/sessions", &json!({"game": "tic_tac_toe", "seats": seats}));
        assert_eq!(refused.status, 400, "{seats}: {}", refused.body);
    }
}

#[test]
fn a_move_is_answered_with_the_state_that_it_led_to() {
    let server = Server::start(&[]);
    let seats = json!([{"kind": "person"}, {"kind": "person"}]);
    let path = server.open(&json!({"game": "tic_tac_toe", "seats": seats}));
    assert_eq!(get(server.port, &path).ok()["status"]["node"], server.node(&path, &json!(0)));
    let act = |action: &str, body: Value| post(server.port, &format!("{path}/{action}"), &body).ok();
    let first = json!({"node": 0, "role": 0, "move": "(mark 1 1)", "from": 1});
    let status = act("move", first);
    assert_eq!(status["states"]["from"], 1);
    assert_eq!(status["states"]["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(status["node"], server.node(&path, &json!(1)));
    // States that the client knows are not sent again. Without `from`, no states are sent.
    let status = act("undo", json!({"from": 2}));
    assert!(status["tip"] == 0 && status["node"].is_null() && status["states"]["nodes"] == json!([]));
    assert!(act("go", json!({"node": 1}))["states"].is_null());
}

#[test]
fn others_choices_are_hidden_until_all_are_in() {
    let server = Server::start(&[]);
    let seats = json!([{"kind": "person"}, {"kind": "person"}]);
    let path = server.open(&json!({"game": "rock_paper_scissors", "seats": seats}));
    let choose = json!({"node": 0, "role": 0, "move": "scissors"});
    let status = post(server.port, &format!("{path}/move"), &choose).ok();
    assert_eq!((&status["tip"], &status["chosen"]), (&json!(0), &json!([true, false])));
    for about in ["", "/tree", "/record"] {
        let mut told = get(server.port, &format!("{path}{about}")).ok();
        // The legal moves are public.
        if let Some(node) = told["status"]["node"].as_object_mut() {
            node.remove("legal");
        }
        let text = told.to_string();
        assert!(!text.contains("\"scissors\""), "{about}: {text}");
    }
    assert_eq!(post(server.port, &format!("{path}/move"), &choose).status, 409, "chosen is chosen");
    let other = json!({"node": 0, "role": 1, "move": "rock"});
    let status = post(server.port, &format!("{path}/move"), &other).ok();
    assert_eq!(status["tip"], 1);
    assert_eq!(server.node(&path, &json!(1))["moves"], json!(["scissors", "rock"]));

    // The engine's search results must not reveal the choice either, before or after it is made.
    let seats = json!([{"kind": "person"}, {"kind": "engine", "iterations": 3000}]);
    let path = server.open(&json!({"game": "rock_paper_scissors", "seats": seats}));
    let status = server.wait(&path, "the engine's choice", |status| {
        assert_eq!(status["thought"], Value::Null);
        status["chosen"][1] == true
    });
    assert_eq!(status["chosen"], json!([false, true]));
    let choose = json!({"node": 0, "role": 0, "move": "paper"});
    post(server.port, &format!("{path}/move"), &choose).ok();
    let node = server.node(&path, &json!(1));
    let candidates = node["thoughts"][1]["candidates"].as_array().unwrap();
    let drawn: Vec<f64> = candidates.iter().map(|one| one["probability"].as_f64().unwrap()).collect();
    assert!(drawn.len() == 3 && (drawn.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{node}");
}

#[test]
fn a_puzzle_has_undo_and_advice() {
    let server = Server::start(&[]);
    let path = server.open(&json!({"game": "maze", "seats": [{"kind": "person"}]}));
    post(server.port, &format!("{path}/advise"), &json!({"node": 0, "role": 0, "seconds": 0.3})).ok();
    let status = server.wait(&path, "advice", |status| status["thought"]["done"] == true);
    assert_eq!(status["thought"]["hint"], true);
    assert!(status["thought"]["candidates"][0]["score"].is_number(), "{status}");
    server.choose_first(&path, 0);
    assert_eq!(server.status(&path)["tip"], 1);
    post(server.port, &format!("{path}/undo"), &json!({})).ok();
    assert_eq!(server.status(&path)["tip"], 0);
}

#[test]
fn engines_play_each_other_wait_and_answer_at_once() {
    let server = Server::start(&[]);
    let engine = json!({"kind": "engine", "seconds": 60.0});
    let path = server.open(&json!({"game": "hex", "seats": [engine, engine]}));
    server.wait(&path, "thinking", |status| status["thought"]["candidates"][0]["score"].is_number());
    post(server.port, &format!("{path}/hurry"), &json!({})).ok();
    server.wait(&path, "a move", |status| status["tip"] == 1);
    let held = post(server.port, &format!("{path}/hold"), &json!({"hold": true})).ok();
    assert_eq!((&held["held"], &held["working"]), (&json!(true), &Value::Null));
    let seats = json!({"seats": [{"kind": "random"}, {"kind": "random"}]});
    post(server.port, &format!("{path}/seats"), &seats).ok();
    server.wait(&path, "the end", |status| server.node(&path, &status["tip"])["terminal"] == true);
}

#[test]
fn no_goal_and_several_are_scored_and_told() {
    let server = Server::start(&[]);
    let rules =
        "(role a) (role b) (role c) (init (s 1)) (<= (legal ?r go) (role ?r)) (<= (next (s 2)) (true (s 1)))
        (<= terminal (true (s 2))) (goal a 0) (<= (goal a 80) (true (s 2))) (<= (goal b 30) (true (s 2)))";
    let random = json!({"kind": "random"});
    let path = server.open(&json!({"rules": rules, "name": "odd", "seats": [random, random, random]}));
    server.wait(&path, "the end", |status| server.node(&path, &status["tip"])["terminal"] == true);
    let [start, end] = [0, 1].map(|number| server.node(&path, &json!(number)));
    assert_eq!(start["goals"], json!([0, null, null]), "the game is not over");
    assert_eq!((&end["goals"], &end["given"]), (&json!([80, 30, 0]), &json!(["several", "one", "none"])));
    let record = get(server.port, &format!("{path}/record")).ok();
    assert_eq!((&record["goalValues"], &record["goalsGiven"]), (&end["goals"], &end["given"]));
}

#[test]
fn a_player_elsewhere_takes_a_seat_and_follows_a_branch() {
    let player = Served::start("random");
    let server = Server::start(&[]);
    let seats = json!([{"kind": "person"}, {"kind": "remote", "url": player.url, "seconds": 2}]);
    let path = server.open(&json!({"game": "tic_tac_toe", "seats": seats}));
    let mine = |tip: u64| {
        move |status: &Value| {
            status["tip"].as_u64().unwrap() >= tip && status["chosen"] == json!([false, true])
        }
    };
    for step in 0..2 {
        server.wait(&path, "a person's turn", mine(step * 2));
        server.choose_first(&path, 0);
    }
    let status = server.wait(&path, "an answer", mine(4));
    assert_eq!(status["note"], Value::Null);
    // From an earlier state, the remote player gets a new match of a game that begins there.
    let node = server.node(&path, &json!(2));
    let last = node["legal"][0].as_array().unwrap().last().unwrap()["move"].clone();
    post(server.port, &format!("{path}/move"), &json!({"node": 2, "role": 0, "move": last})).ok();
    let status = server.wait(&path, "an answer in the branch", mine(6));
    assert_eq!(status["note"], Value::Null);
}

#[test]
fn a_seat_with_another_player_elsewhere_asks_that_player() {
    let player = Served::start("random");
    let server = Server::start(&[]);
    let person = json!({"kind": "person"});
    let remote = |url: &str| json!({"kind": "remote", "url": url, "seconds": 2});
    let path = server.open(&json!({"game": "tic_tac_toe", "seats": [person, remote(&player.url)]}));
    server.wait(&path, "an answer", |status| status["chosen"] == json!([false, true]));
    // The next state follows the last one that the player was told, but another player has the seat by then.
    let seat = |other: &Value| {
        let seats = json!({"seats": [person, other]});
        post(server.port, &format!("{path}/seats"), &seats).ok()
    };
    seat(&person);
    assert_eq!(server.choose_first(&path, 0)["tip"], 1);
    seat(&remote("http://localhost:1"));
    let status = server.wait(&path, "a move", |status| status["tip"].as_u64() >= Some(2));
    let note = status["note"].as_str().unwrap_or_default();
    assert!(note.contains("o has not answered"), "nobody is at that address: {status}");
}

#[test]
fn nothing_in_a_rulesheet_is_markup() {
    let server = Server::start(&[]);
    let looked = post(server.port, "/api/rules", &json!({"rules": HOSTILE, "name": "<script>"})).ok();
    assert_eq!(looked["roles"][0]["name"], "<script>alert</script>", "{looked}");
    let seats = json!([{"kind": "person"}, {"kind": "random"}]);
    let path = server.open(&json!({"rules": HOSTILE, "name": "<script>", "seats": seats}));
    for address in [
        "/".to_owned(),
        path.clone(),
        format!("{path}/nodes/0"),
        format!("{path}/record"),
        "/%3Cscript%3E".to_owned(),
    ] {
        let answer = get(server.port, &address);
        let is_page = answer.head.contains("content-type: text/html");
        assert!(!is_page || !answer.body.contains("alert</script>"), "{answer:?}");
        assert!(
            answer.head.contains("content-security-policy: default-src 'none'; script-src 'self';"),
            "{answer:?}"
        );
        assert!(answer.head.contains("x-content-type-options: nosniff"), "{answer:?}");
    }
}

#[test]
fn findings_have_their_places() {
    let server = Server::start(&[]);
    let rules = "(role a)\n(<= (next (f ?x)) (not (true (f ?x))))";
    let looked = post(server.port, "/api/rules", &json!({ "rules": rules })).ok();
    assert_eq!(looked["roles"], Value::Null);
    let findings = looked["findings"].as_array().unwrap();
    let places: Vec<&Value> =
        findings.iter().filter(|f| f["severity"] == "error").map(|f| &f["line"]).collect();
    assert!(places.contains(&&json!(2)), "{looked}");
    assert_eq!(post(server.port, "/api/sessions", &json!({ "rules": rules })).status, 400);
}

#[test]
fn no_path_leaves_the_pages() {
    let server = Server::start(&["--games", "games"]);
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/../../../../etc/passwd",
        "/assets//etc/passwd",
        "/assets/style.css%00.js",
        "/games/hex.kif",
    ] {
        let head = format!("GET {path} HTTP/1.1\nHost: localhost\nConnection: close");
        let answer = raw(server.port, &head, b"");
        assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
    }
    for game in ["../Cargo", "/etc/passwd", "hex.kif", "..%2fhex", ""] {
        assert_eq!(post(server.port, "/api/sessions", &json!({ "game": game })).status, 404, "{game}");
    }
}

#[test]
fn pages_of_others_cannot_ask() {
    let server = Server::start(&["--host", "games.lan"]);
    let port = server.port;
    let body = r#"{"game":"hex","seats":[{"kind":"person"},{"kind":"person"}]}"#;
    let send = |more: &str, host: &str| {
        let head = format!(
            "POST /api/sessions HTTP/1.1\nHost: {host}\nConnection: close\nContent-Length: {}{more}",
            body.len()
        );
        raw(port, &head, body.as_bytes()).status
    };
    let json = "\nContent-Type: application/json";
    let here = format!("localhost:{port}");
    assert_eq!(send(json, &here), 200);
    assert_eq!(send(&format!("{json}\nOrigin: http://{here}"), &here), 200);
    assert_eq!(send(json, "games.lan"), 200);
    // A script or a form of another site, or an unknown host name.
    assert_eq!(send(&format!("{json}\nOrigin: http://evil.example"), &here), 403);
    assert_eq!(send(&format!("{json}\nOrigin: null"), &here), 403);
    assert_eq!(send(&format!("{json}\nOrigin: http://localhost:1"), &here), 403);
    assert_eq!(send(&format!("{json}\nSec-Fetch-Site: cross-site"), &here), 403);
    assert_eq!(send("\nContent-Type: text/plain", &here), 415);
    assert_eq!(send("", &here), 415);
    assert_eq!(send(json, "evil.example"), 421);
    assert_eq!(raw(port, "GET /api/games HTTP/1.1\nHost: evil.example\nConnection: close", b"").status, 421);
    assert_eq!(raw(port, "GET / HTTP/1.0", b"").status, 421);
}

#[test]
fn uploads_are_bounded() {
    let server = Server::start(&["--upload", "100"]);
    let large = "; x\n".repeat(60_000);
    let refused = post(server.port, "/api/rules", &json!({ "rules": large }));
    assert_eq!(refused.status, 413, "{}", refused.body);
    // The limit also applies without a declared length.
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, "x".repeat(1 << 16));
    let head = "POST /api/rules HTTP/1.1\nHost: localhost\nConnection: close\n\
                Content-Type: application/json\nTransfer-Encoding: chunked";
    let answer = raw(server.port, head, chunk.repeat(8).as_bytes());
    assert_eq!(answer.status, 413, "{answer:?}");
    // Deep nesting and invalid JSON are ordinary errors.
    let deep = format!("{}{}", "(".repeat(20_000), ")".repeat(20_000));
    let looked = post(server.port, "/api/rules", &json!({ "rules": deep })).ok();
    assert_eq!(looked["roles"], Value::Null);
    assert_eq!(ask(server.port, "POST", "/api/rules", "\u{fffd}{").status, 400);
}

#[test]
fn sessions_are_limited_and_forgotten() {
    let server = Server::start(&["--sessions", "3", "--uploads", "1", "--idle", "1"]);
    let wanted = person_and_engine("tic_tac_toe");
    let first = server.open(&wanted);
    let mut own = wanted.clone();
    own["rules"] = json!(HOSTILE);
    server.open(&own);
    let refused = post(server.port, "/api/sessions", &own);
    assert_eq!(refused.status, 503, "one session has rules of its own");
    assert!(refused.body.contains("all 1 tables are taken"), "{}", refused.body);
    server.open(&wanted);
    let refused = post(server.port, "/api/sessions", &wanted);
    assert_eq!(refused.status, 503);
    assert!(refused.body.contains("all 3 tables are taken"), "{}", refused.body);
    // A closed session makes room.
    ask(server.port, "DELETE", &first, "").ok();
    assert_eq!(get(server.port, &first).status, 404);
    let third = server.open(&wanted);
    // An idle session makes room too.
    let began = Instant::now();
    std::thread::sleep(Duration::from_millis(1600));
    assert_eq!(get(server.port, &third).status, 404, "after {:?}", began.elapsed());
    for _ in 0..3 {
        server.open(&wanted);
    }
}

#[test]
fn a_match_is_watched_as_it_grows() {
    let server_file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("watched.json");
    let _ = std::fs::remove_file(&server_file);
    let server = Server::start(&["--watch", server_file.to_str().unwrap()]);
    assert_eq!(get(server.port, "/api/games").ok()["watched"], Value::Null);
    let host = std::process::Command::new(env!("CARGO_BIN_EXE_ggp"))
        .env("GGP_NO_CACHE", "1")
        .args(["host", "games/tic_tac_toe.kif", "--playclock", "1", "--startclock", "0", "--save"])
        .arg(&server_file)
        .args(["--player", "x=mcts:iterations=50", "--player", "o=mcts:iterations=50"])
        .current_dir(root())
        .output();
    let roles = get(server.port, "/api/games").ok();
    let host = host.unwrap();
    assert!(host.status.success(), "{roles}: {}", String::from_utf8_lossy(&host.stderr));
    let began = Instant::now();
    let id = loop {
        let games = get(server.port, "/api/games").ok();
        if let Some(id) = games["watched"].as_str() {
            break id.to_owned();
        }
        assert!(began.elapsed() < PATIENCE, "nothing to watch");
        std::thread::sleep(Duration::from_millis(50));
    };
    let path = format!("/api/sessions/{id}");
    let status =
        server.wait(&path, "the end", |status| server.node(&path, &status["tip"])["terminal"] == true);
    assert_eq!(status["watched"], true);
    assert_eq!(post(server.port, &format!("{path}/go"), &json!({"node": 0})).status, 409);
}

#[test]
fn events_say_where_a_session_stands() {
    use std::io::{BufRead, BufReader, Write};
    let server = Server::start(&[]);
    let path = server.open(&person_and_engine("tic_tac_toe"));
    let stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    (&stream).write_all(format!("GET {path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || -> Value {
        let line = lines.find(|line| line.starts_with("data: ")).expect("an event");
        serde_json::from_str(&line["data: ".len()..]).unwrap()
    };
    assert_eq!(next()["tip"], 0);
    server.choose_first(&path, 0);
    while next()["tip"] != 2 {}
    ask(server.port, "DELETE", &path, "").ok();
    while next() != json!({}) {}
}

/// Rules for which no network is built: three dials of 250 values give a rule 15 million instances, too many
/// to ground.
pub(crate) fn rules_without_network() -> String {
    let values: String = (0..250).map(|value| format!("(value {value})")).collect();
    let dials = "(succ 0 1) (succ 1 2) (succ 2 3) (role turner) (init (step 0)) (init (dial a 0)) (init (dial b 1))
        (init (dial c 2)) (<= (legal turner (turn ?d ?v)) (true (dial ?d ?x)) (value ?v))
        (<= (next (dial ?d ?v)) (does turner (turn ?d ?v)))
        (<= (next (dial ?d ?v)) (true (dial ?d ?v)) (not (turned ?d)))
        (<= (turned ?d) (does turner (turn ?d ?v)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= (next open) (true (dial a ?a)) (true (dial b ?b)) (true (dial c ?c))
            (distinct ?a ?b) (distinct ?a ?c) (distinct ?b ?c))
        (<= terminal (true (step 3))) (<= (goal turner 100) (true open)) (<= (goal turner 0) (not (true open)))";
    format!("{values} {dials}")
}

#[test]
fn what_searches_evaluate_the_rules_with_is_told() {
    let server = Server::start(&[]);
    let path = server.open(&person_and_engine("tic_tac_toe"));
    let status = server.wait(&path, "a network", |status| status["reasoner"]["name"] == "propnet");
    assert!(status["reasoner"]["why"].is_null(), "{status}");

    let engine = json!({"kind": "engine", "iterations": 5});
    let path = server.open(&json!({"rules": rules_without_network(), "name": "dials", "seats": [engine]}));
    // The first state is available and the engine plays before the build of the network ends.
    assert_eq!(server.node(&path, &json!(0))["legal"][0].as_array().map(Vec::len), Some(750));
    let status = server.status(&path);
    assert_eq!(status["reasoner"]["name"], "datalog", "{status}");
    assert!(status["reasoner"]["why"].is_string(), "{status}");
    let over = |status: &Value| server.node(&path, &status["tip"])["terminal"] == true;
    server.wait(&path, "the end of the match", over);
}
