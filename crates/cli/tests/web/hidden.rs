//! Matches of hidden information over the HTTP interface: a page learns what one role knows, and nothing else.

use crate::http::{get, post};
use crate::server::{PATIENCE, Server};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The games of hidden information. For each, the players in its seats and the index of the role of the person.
const GAMES: [(&str, &[&str], usize); 9] = [
    ("monty_hall", &["person"], 1),
    ("kuhn_poker", &["person", "engine"], 0),
    ("kuhn_poker", &["random", "person"], 1),
    ("liars_dice", &["person", "random"], 0),
    ("liars_dice", &["engine", "person"], 1),
    ("mastermind", &["person"], 1),
    ("ship_hunt", &["person"], 1),
    ("phantom_tic_tac_toe", &["person", "random"], 0),
    ("phantom_tic_tac_toe", &["random", "person"], 1),
];

fn open(server: &Server, game: &str, kinds: &[&str]) -> String {
    let seat = |kind: &&str| match *kind {
        "engine" => json!({"kind": "engine", "seconds": 0.1}),
        kind => json!({"kind": kind}),
    };
    server.open(&json!({"game": game, "seats": kinds.iter().map(seat).collect::<Vec<_>>()}))
}

/// Waits until a person has to choose, the curtain is down before a person, or the match is over (`sight` is
/// null). Returns the status.
fn wait(server: &Server, path: &str) -> Value {
    server.wait(path, "a person's turn or the end", |status| match &status["sight"] {
        Value::Null => true,
        sight if sight["kind"] == "curtain" => !sight["role"].is_null(),
        sight if sight["kind"] == "role" => {
            status["chosen"][sight["role"].as_u64().unwrap_or_default() as usize] == false
        }
        _ => false,
    })
}

/// The bytes of the events of a session in the next moment.
fn events(server: &Server, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a time-out can be set");
    let head = format!("GET {path}/events?from=0 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it is sent");
    let (mut bytes, mut buffer) = (Vec::new(), [0; 1 << 13]);
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..count]);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
}

/// The answer `body`. In a sealed record, which differs each time, the encrypted text is replaced by its length.
fn unsealed(body: &str) -> String {
    let Ok(mut json) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    for member in ["sealed", "nonce"] {
        if let Some(text) = json[member].as_str() {
            json[member] = json!(text.len());
        }
    }
    json.to_string()
}

/// Everything that a hostile client can read in the moment of a person's turn, or behind the curtain, without
/// making a move. The id of the session is left out.
fn loot(server: &Server, path: &str, game: &str, roles: usize) -> String {
    let mut read = Vec::new();
    let parts = ["", "/tree", "/tree?from=1", "/record", "/record?to=0", "/record?to=1"];
    read.extend(parts.map(|part| get(server.port, &format!("{path}{part}"))));
    read.extend((0..12).map(|number| get(server.port, &format!("{path}/nodes/{number}"))));
    let tip = server.status(path)["tip"].clone();
    let mut send = |action: &str, body: Value| {
        let answer = post(server.port, &format!("{path}/{action}"), &body);
        // The status is told only after the request itself.
        read.push(answer);
    };
    for node in 0..4 {
        send("go", json!({ "node": node, "from": 0 }));
    }
    send("undo", json!({"from": 0}));
    send("hurry", json!({"from": 0}));
    let people: Vec<Value> = (0..2).map(|_| json!({"kind": "person"})).collect();
    send("seats", json!({"seats": people, "from": 0}));
    send("seats", json!({"seats": [{"kind": "person"}], "from": 0}));
    send("hold", json!({"hold": true, "from": 0}));
    send("hold", json!({"hold": false, "from": 0}));
    for role in 0..roles {
        let status = server.status(path);
        if status["sight"] != json!({"kind": "role", "role": role}) {
            send("advise", json!({"node": tip, "role": role, "seconds": 1.0, "from": 0}));
            send("move", json!({"node": tip, "role": role, "move": "wait", "from": 0}));
            if status["sight"]["role"] != role {
                send("lift", json!({"role": role, "from": 0}));
            }
        }
        send("move", json!({"node": 0, "role": role, "move": "not a move", "from": 0}));
    }
    let id = path.rsplit('/').next().unwrap_or_default();
    let mut text: Vec<String> = read
        .into_iter()
        .map(|answer| format!("{} {}", answer.status, unsealed(&answer.body).replace(id, "ID")))
        .collect();
    let status = server.status(path);
    if game == "kuhn_poker" && status["sight"]["kind"] == "role" {
        let role = &status["sight"]["role"];
        let asked = json!({"node": tip, "role": role, "seconds": 20.0});
        post(server.port, &format!("{path}/advise"), &asked).ok();
        let hint = server.wait(path, "a hint", |status| !status["thought"].is_null());
        let mut thought = hint["thought"].clone();
        assert_eq!(thought["role"], *role);
        thought["elapsed"] = Value::Null;
        text.push(thought.to_string());
        // The hint stays in the status with the time that it took, so it is taken away again.
        post(server.port, &format!("{path}/advise"), &json!({"node": tip, "role": role})).ok();
    }
    text.push(events(server, path).replace(id, "ID"));
    text.join("\n")
}

#[test]
fn every_game_is_played_to_its_end_and_then_revealed() {
    let server = Server::start(&[]);
    for (game, kinds, role) in GAMES {
        let path = open(&server, game, kinds);
        let began = Instant::now();
        let (mut choices, mut saved) = (0, Value::Null);
        loop {
            assert!(began.elapsed() < PATIENCE, "{game} does not end");
            let status = wait(&server, &path);
            if status["sight"].is_null() {
                break;
            }
            assert_eq!(status["sight"], json!({"kind": "role", "role": role}), "{game}");
            saved = get(server.port, &format!("{path}/record")).ok();
            assert!(saved["sealed"].is_string() && saved["moves"].is_null(), "{saved}");
            server.choose_first(&path, role);
            choices += 1;
            // The same turn is not asked for again.
            let tip = status["tip"].clone();
            server.wait(&path, "the next turn", |now| {
                now["tip"] != tip || now["chosen"][role] == true || now["sight"].is_null()
            });
        }
        let status = server.status(&path);
        let last = server.node(&path, &status["tip"]);
        assert!(last["terminal"] == true && choices > 0, "{game}: {last}");
        let record = get(server.port, &format!("{path}/record")).ok();
        assert_eq!(record["isCompleted"], true, "{game}");
        assert_eq!(record["moves"][0].as_array().map(Vec::len), last["goals"].as_array().map(Vec::len));
        let again = json!({"game": game, "seats": [{"kind": "person"}], "record": record.to_string()});
        let loaded = server.open(&again);
        assert_eq!(server.status(&loaded)["tip"], status["tip"], "{game}: a finished match is loaded");
        // The same people go on with the match that was saved before the last choice, and nobody else does.
        let seats: Vec<Value> = kinds.iter().map(|kind| json!({ "kind": kind })).collect();
        let again = json!({"game": game, "seats": seats, "record": saved.to_string()});
        let resumed = server.open(&again);
        server.wait(&resumed, "the saved turn", |now| {
            now["tip"].as_u64() == saved["known"]["turns"].as_array().map(|turns| turns.len() as u64)
        });
        let others: Vec<Value> = kinds.iter().map(|_| json!({"kind": "random"})).collect();
        let taken = json!({"game": game, "seats": others, "record": saved.to_string()});
        let refused = post(server.port, "/api/sessions", &taken);
        assert!(refused.status == 409 && refused.body.contains("same roles"), "{}", refused.body);
        // After the end, play goes on from an earlier state, and hides again what is hidden.
        post(server.port, &format!("{path}/undo"), &json!({})).ok();
        assert_eq!(wait(&server, &path)["sight"], json!({"kind": "role", "role": role}), "{game}");
    }
}

/// The role's moves and percepts before a moment, and all bytes that a client can read in that moment.
type Moments = Vec<(String, String)>;

/// Plays a match and takes the loot at every turn of the person. Returns the moments and the joint moves.
fn raid(server: &Server, game: &str, kinds: &[&str], role: usize) -> (Moments, String) {
    let path = open(server, game, kinds);
    let mut moments = Vec::new();
    loop {
        let status = wait(server, &path);
        if status["sight"].is_null() {
            break;
        }
        // Two turns tell enough, and a later one has hardly an equal.
        if moments.len() < 2 {
            let tree = get(server.port, &format!("{path}/tree")).ok();
            let known: Vec<String> = tree["nodes"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|node| format!("{} {}", node["moves"], node["seen"]))
                .collect();
            moments.push((known.join("; "), loot(server, &path, game, kinds.len() + 1)));
        }
        server.choose_first(&path, role);
        let tip = status["tip"].clone();
        server.wait(&path, "the next turn", |now| {
            now["tip"] != tip || now["chosen"][role] == true || now["sight"].is_null()
        });
    }
    let record = get(server.port, &format!("{path}/record")).ok();
    (moments, record["moves"].to_string())
}

#[test]
fn equal_percepts_give_equal_bytes_whatever_is_hidden() {
    let server = Server::start(&["--reasoner", "datalog", "--reveal", "--sessions", "200"]);
    for (game, kinds, role, secret) in [
        ("kuhn_poker", ["random", "person"], 1, "(deal "),
        ("kuhn_poker", ["person", "random"], 0, "(deal "),
        ("liars_dice", ["person", "random"], 0, "(roll "),
        ("phantom_tic_tac_toe", ["random", "person"], 1, "(random)"),
    ] {
        let raids: Vec<(Moments, String)> = std::thread::scope(|scope| {
            let raids: Vec<_> = (0..14).map(|_| scope.spawn(|| raid(&server, game, &kinds, role))).collect();
            raids.into_iter().map(|raid| raid.join().expect("a match ends")).collect()
        });
        let mut read: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
        for (moments, truth) in &raids {
            for (known, bytes) in moments {
                assert!(!bytes.contains(secret), "{game}: {bytes}");
                let same = read.entry(known).or_default();
                same.0.insert(bytes);
                same.1.insert(truth);
            }
        }
        for (known, (bytes, _)) in &read {
            assert_eq!(bytes.len(), 1, "{game}, after {known}: {bytes:#?}");
        }
        let compared = read.values().filter(|(_, truths)| truths.len() > 1).count();
        assert!(compared > 0, "{game}: no two matches differ in nothing but what is hidden");
    }
}

#[test]
fn a_curtain_is_between_two_people() {
    let server = Server::start(&["--reasoner", "datalog", "--reveal"]);
    let mut behind = BTreeSet::new();
    for _ in 0..6 {
        let path = open(&server, "kuhn_poker", &["person", "person"]);
        let lift =
            |role: usize| post(server.port, &format!("{path}/lift"), &json!({"role": role, "from": 0}));
        let status = wait(&server, &path);
        assert_eq!(status["sight"], json!({"kind": "curtain", "role": 0}));
        let bytes = loot(&server, &path, "kuhn_poker", 3);
        assert!(!bytes.contains("dealt") && !bytes.contains("\"squares\""), "{bytes}");
        behind.insert(bytes);
        assert_eq!(lift(1).status, 409, "it is the turn of the first role");
        assert_eq!(lift(2).status, 409, "nobody plays the role of chance");
        let seen = lift(0).ok();
        assert_eq!(seen["sight"], json!({"kind": "role", "role": 0}));
        let own = seen["states"]["nodes"][1]["seen"][0].as_str().expect("a card").to_owned();
        assert_eq!(lift(1).status, 409, "the first role is shown");
        server.choose_first(&path, 0);
        let status = wait(&server, &path);
        assert_eq!(status["sight"], json!({"kind": "curtain", "role": 1}));
        let bytes = loot(&server, &path, "kuhn_poker", 3);
        assert!(!bytes.contains(&own) && !bytes.contains("dealt"), "{bytes}");
        assert_eq!(lift(0).status, 409, "the first role has moved");
        let text = lift(1).ok().to_string();
        assert!(text.contains("(dealt ") && !text.contains(&own), "{text}");
    }
    assert_eq!(behind.len(), 1, "the curtain shows what is behind it: {behind:#?}");
}

#[test]
fn watchers_wait_for_the_end_unless_the_server_reveals() {
    for (reveal, arguments) in [(false, &[][..]), (true, &["--reveal"][..])] {
        let server = Server::start(arguments);
        let path = open(&server, "kuhn_poker", &["engine", "engine"]);
        let about = get(server.port, &path).ok();
        let kind = if reveal { "everything" } else { "nothing" };
        assert_eq!(about["status"]["sight"]["kind"], kind);
        assert_eq!(about["status"]["node"].is_null(), !reveal, "{about}");
        server.wait(&path, "the end", |status| status["sight"].is_null());
        watch(&format!("watched-{reveal}"), arguments, &json!({}), reveal);
    }
}

/// The record does not change while it is watched, so the first answer must heed it.
#[test]
fn a_record_says_who_may_see_a_match_that_is_played_elsewhere() {
    let person = json!({"isPlayerHuman": [false, true, false]});
    watch("watched-person", &["--reveal"], &person, false);
    watch("watched-aborted", &[], &json!({"isAborted": true}), true);
}

/// Watches a match of Kuhn poker that is not over. Its record is in the file `name` and also has the members
/// `more`. `open` is whether a page must see everything.
fn watch(name: &str, arguments: &[&str], more: &Value, open: bool) {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    let mut record = json!({"matchId": "m", "gameMetaURL": "kuhn_poker.kif", "states": ["( (stage deal) )"],
        "moves": [["wait", "wait", "(deal king jack)"]]});
    for (member, value) in more.as_object().expect("an object") {
        record[member] = value.clone();
    }
    std::fs::write(&file, record.to_string()).expect("a record");
    let server = Server::start(&[arguments, &["--watch", file.to_str().expect("UTF-8")]].concat());
    let began = Instant::now();
    let id = loop {
        let games = get(server.port, "/api/games").ok();
        if let Some(id) = games["watched"].as_str() {
            break id.to_owned();
        }
        assert!(began.elapsed() < PATIENCE, "{games}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let about = get(server.port, &format!("/api/sessions/{id}")).ok();
    let kind = if open { "everything" } else { "nothing" };
    assert_eq!(about["status"]["sight"]["kind"], kind, "{about}");
    assert_eq!(about.to_string().contains("deal king"), open, "{about}");
    let record = get(server.port, &format!("/api/sessions/{id}/record"));
    assert_eq!(record.status, if open { 200 } else { 409 }, "{}", record.body);
}

/// A turn takes its full time, whether an engine has a choice or not.
#[test]
fn every_turn_takes_the_same_time() {
    let server = Server::start(&["--reasoner", "datalog"]);
    let seats = json!([{"kind": "engine", "seconds": 0.4}, {"kind": "person"}]);
    let path = server.open(&json!({"game": "kuhn_poker", "seats": seats}));
    let mut began = Instant::now();
    let mut times = Vec::new();
    for step in 1..3 {
        server.wait(&path, "a step", |status| status["tip"] == step);
        times.push(began.elapsed());
        began = Instant::now();
    }
    // In the first turn the engine can only wait, in the second one it has a choice.
    for time in &times {
        assert!((Duration::from_millis(600)..Duration::from_secs(10)).contains(time), "{times:?}");
    }
}
