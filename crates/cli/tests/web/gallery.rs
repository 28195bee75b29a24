//! The gallery: pictures, search and filters, and the wait for a game.

use crate::browser::Browser;
use crate::http::{get, post};
use crate::pages::begin;
use crate::server::{PATIENCE, Server, root};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::time::Instant;

/// The names of the games that the page shows.
fn shown(browser: &Browser) -> Vec<String> {
    let script = "return [...document.querySelectorAll('.games li')].filter((item) => !item.hidden)
        .map((item) => item.querySelector('.card').dataset.game)";
    serde_json::from_value(browser.run(script, &json!([]))).expect("names")
}

#[test]
fn games_are_found() {
    for size in [(1280, 900), (390, 844)] {
        let Some(browser) = Browser::start(size, false) else { return };
        let server = Server::start(&[]);
        browser.open(&format!("http://127.0.0.1:{}/", server.port));
        browser.wait("document.querySelectorAll('.card').length > 10");
        // Pictures are drawn near the window, and only there.
        browser.wait("document.querySelectorAll('.thumb svg').length > 3");
        let about = browser.run("return document.querySelector('.card .blurb').textContent", &json!([]));
        assert!(about.as_str().is_some_and(|about| about.starts_with("Two armies of sixteen")), "{about}");
        browser.picture(&format!("gallery-{}", size.0));
        // By a word of the name, and by one of the text.
        browser.press("#search", "draughts");
        assert_eq!(shown(&browser), ["english_draughts"]);
        browser.run(
            "const search = document.querySelector('#search'); search.value = 'rhombus';
            search.dispatchEvent(new Event('input'))",
            &json!([]),
        );
        assert_eq!(shown(&browser), ["hex"]);
        browser.run(
            "const search = document.querySelector('#search'); search.value = '';
            search.dispatchEvent(new Event('input'))",
            &json!([]),
        );
        // By what the rules say.
        browser.click("[data-filter='more']");
        assert_eq!(shown(&browser), ["sprint", "three_player_tic_tac_toe"]);
        browser.click("[data-filter='hidden']");
        let hidden = shown(&browser);
        assert!(
            hidden.contains(&"kuhn_poker".to_owned()) && !hidden.contains(&"hex".to_owned()),
            "{hidden:?}"
        );
        // By what only the states show.
        browser.click("[data-filter='simultaneous']");
        browser.wait("!document.querySelector('.finder .reason').textContent.includes('still looked at')");
        let simultaneous = shown(&browser);
        assert!(simultaneous.contains(&"rock_paper_scissors".to_owned()), "{simultaneous:?}");
        assert!(!simultaneous.contains(&"tic_tac_toe".to_owned()), "{simultaneous:?}");
        browser.click("[data-filter='simultaneous']");
        assert!(shown(&browser).len() > 10);
        // What was played is offered first.
        begin(&browser, &server, "nim", &["person", "engine"]);
        browser.open(&format!("http://127.0.0.1:{}/#", server.port));
        browser.wait("document.querySelector('.recent')?.textContent === 'nim'");
        assert!(browser.overflow() <= 0);
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
fn a_picture_of_a_game_that_cannot_be_drawn_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("broken.kif"), "(role").expect("it is written");
    let server = Server::start(&["--games", folder.path().to_str().expect("a path")]);
    assert_eq!(get(server.port, "/api/games/broken/picture").ok()["error"], "the rules have errors");
    assert_eq!(get(server.port, "/api/games/none/picture").status, 404);
    let summaries = get(server.port, "/api/games").ok()["summaries"].clone();
    assert_eq!((&summaries[0]["name"], &summaries[0]["players"]), (&json!("broken"), &json!(0)));
}

#[test]
fn games_follow_the_files_of_their_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = |game: &str, file: &str| {
        std::fs::copy(root().join("games").join(game), folder.path().join(file)).expect("it is copied");
    };
    copy("nim.kif", "mine.kif");
    let server = Server::start(&["--games", folder.path().to_str().expect("a path")]);
    let roles = |path: &str| get(server.port, path).ok()["roles"].clone();
    let wait = |games: &Value| {
        let began = Instant::now();
        while get(server.port, "/api/games").ok()["games"] != *games {
            assert!(began.elapsed() < PATIENCE, "{games} are not offered");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    };
    let (one, two) = (json!([{"kind": "person"}]), json!([{"kind": "person"}, {"kind": "person"}]));
    let earlier = server.open(&json!({"game": "mine", "seats": two}));
    assert_eq!(roles(&earlier), json!(["first", "second"]));
    // An editor writes other rules, and a game is added. A running match keeps its rules.
    copy("maze.kif", "mine.kif");
    copy("nim.kif", "new.kif");
    wait(&json!(["mine", "new"]));
    let later = server.open(&json!({"game": "mine", "seats": one}));
    assert_eq!(roles(&later), json!(["explorer"]));
    let summaries = get(server.port, "/api/games").ok()["summaries"].clone();
    assert_eq!((&summaries[0]["players"], &summaries[1]["players"]), (&json!(1), &json!(2)));
    server.choose_first(&earlier, 0);
    assert_eq!(roles(&earlier), json!(["first", "second"]));
    // The begin of a match notices a change, too.
    std::fs::remove_file(folder.path().join("mine.kif")).expect("it is there");
    let began = Instant::now();
    while post(server.port, "/api/sessions", &json!({"game": "mine", "seats": one})).status != 404 {
        assert!(began.elapsed() < PATIENCE, "it is still played");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    wait(&json!(["new"]));
}

/// Rules that take long to prepare: a relation of many facts, which a rule joins with itself.
fn slow() -> String {
    let numbers: String = (0..1500).map(|n| format!("(n {n}) ")).collect();
    format!(
        "(role a) (init (at 0)) (legal a go) (goal a 0) (<= terminal (true (at end))) {numbers}
        (<= (pair ?x ?y) (n ?x) (n ?y)) (<= (next (at ?x)) (pair ?x ?y) (pair ?y ?z) (pair ?z ?x))
        (<= big (pair ?x ?y) (pair ?y ?z) (pair ?z ?w) (pair ?w ?x) (never ?x)) (never none)
        (<= (legal a more) big)"
    )
}

/// Rules whose check takes hours: a rule tries all paths of four pairs, and the ends of each path are a pair too.
fn endless() -> String {
    let numbers: String = (0..300).map(|n| format!("(n {n}) ")).collect();
    format!(
        "(role a) (init (at 0)) (legal a go) (goal a 0) (<= terminal (true (at end))) {numbers}
        (<= (pair ?x ?y) (n ?x) (n ?y)) (<= (next (at ?x)) (true (at ?x)))
        (<= (far ?v) (pair ?v ?w) (pair ?w ?x) (pair ?x ?y) (pair ?y ?z) (not (pair ?v ?z)))
        (<= (legal a (leave ?v)) (far ?v))"
    )
}

#[test]
fn the_wait_for_a_game_is_told_and_cancelled() {
    let server = Server::start(&[]);
    for (address, rules) in [("/api/sessions", slow()), ("/api/rules", endless())] {
        wait_and_cancel(&server, address, &rules);
    }
    assert_eq!(get(server.port, "/api/loading/none").ok()["stage"], Value::Null);
}

/// Sends `rules` to `address`, and closes the connection while they are worked on.
fn wait_and_cancel(server: &Server, address: &str, rules: &str) {
    let body = json!({"rules": rules, "name": "slow", "ticket": "mine"}).to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    write!(
        stream,
        "POST {address} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("it is sent");
    let stage = || get(server.port, "/api/loading/mine").ok()["stage"].clone();
    let wait = |what: &str, done: &dyn Fn(&Value) -> bool| {
        let began = Instant::now();
        while !done(&stage()) {
            assert!(began.elapsed() < PATIENCE, "{what}: {}", stage());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    wait("it begins", &|stage| {
        stage == "reading and checking the rules" || stage == "playing at random to find the board"
    });
    drop(stream);
    // The work ends when the page no longer waits.
    wait("it ends", &Value::is_null);
}
