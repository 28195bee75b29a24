//! A table: dragging, hints, the side on which one sits, the keyboard, and the end of a match.

use crate::browser::Browser;
use crate::http::get;
use crate::server::{Server, root};
use serde_json::{Value, json};
use std::process::Command;

const ENTER: &str = "\u{e007}";

/// Opens the page of a new match.
fn open(browser: &Browser, server: &Server, game: &str, seats: &Value) {
    let path = server.open(&json!({"game": game, "seats": seats}));
    browser.open("about:blank");
    let id = path.rsplit('/').next().unwrap_or_default();
    browser.open(&format!("http://127.0.0.1:{}/#s={id}", server.port));
    browser.wait("document.querySelectorAll('.square.next').length > 0");
}

/// Presses Tab until an element with this selector has the focus.
fn focus(browser: &Browser, selector: &str) {
    for _ in 0..40 {
        let found = browser.run("return document.activeElement.matches(arguments[0])", &json!([selector]));
        if found == true {
            return;
        }
        browser.keys("\u{e004}");
    }
    panic!("Tab does not lead to {selector}");
}

#[test]
fn pieces_are_dragged_and_hints_are_arrows() {
    for (size, name) in [((1280, 900), "desktop"), ((390, 844), "phone")] {
        let Some(browser) = Browser::start(size, false) else { return };
        let server = Server::start(&[]);
        let seats = json!([{"kind": "engine", "iterations": 20}, {"kind": "person"}]);
        open(&browser, &server, "breakthrough_holes", &seats);
        // Black sits below: the upper rank of the rules is the last one.
        let first = "document.querySelector('[data-square=\"63\"]').getBoundingClientRect().y
            < document.querySelector('[data-square=\"0\"]').getBoundingClientRect().y";
        browser.wait(first);
        // Where many squares can be chosen, only the one that is pointed at is marked.
        browser.wait("document.querySelector('.boards.quiet')");
        // A piece that is dropped elsewhere goes back.
        browser.drag("[data-square='8']", "[data-square='40']");
        browser.wait("document.querySelectorAll('.square.chosen').length === 0");
        assert_eq!(browser.run("return document.querySelectorAll('.step').length", &json!([])), 2);
        browser.drag("[data-square='8']", "[data-square='16']");
        browser.wait("document.querySelectorAll('.step').length === 4");
        let moves = browser.run("return document.querySelector('.moves').innerText", &json!([]));
        assert!(moves.as_str().is_some_and(|moves| moves.contains("1,7–1,6")), "{moves}");
        browser.wait("document.querySelector('.moves.turns')");
        // A hint is an arrow, with the line behind it.
        browser.wait("document.querySelectorAll('.square.next').length > 0");
        browser.click("#hint");
        browser.wait("document.querySelectorAll('.arrow:not(.faint)').length === 1");
        browser.wait("document.querySelector('#hint').disabled === false");
        browser.picture(&format!("hint-{name}"));
        // After a choice, the squares where it leads are marked.
        browser.click("[data-square='9']");
        browser.wait("!document.querySelector('.boards.quiet') && document.querySelectorAll('.square.next').length > 0");
        browser.click("#flip");
        browser.wait("document.querySelector('.square').dataset.square === '0'");
        browser.keys("f");
        browser.wait(first);
        assert!(browser.overflow() <= 0);
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
fn the_keyboard_plays_a_whole_game() {
    for size in [(1280, 900), (390, 844)] {
        let Some(browser) = Browser::start(size, false) else { return };
        let server = Server::start(&[]);
        browser.open(&format!("http://127.0.0.1:{}/", server.port));
        // From the gallery on: the search, the card, and the button that has the focus.
        browser.wait("document.querySelector('#search')");
        let focus = |selector: &str| focus(&browser, selector);
        focus("#search");
        browser.keys("three p");
        focus(".card[data-game='three_player_tic_tac_toe']");
        browser.keys(ENTER);
        browser.wait("document.activeElement.matches('.setup .main')");
        browser.keys(ENTER);
        browser.wait("document.querySelectorAll('.square.next').length > 0");
        let over = "document.querySelector('.state').textContent.startsWith('Over')";
        let ready = format!("{over} || document.querySelector('.state').textContent === 'Your move.'");
        focus(".square");
        for _ in 0..40 {
            browser.wait(&ready);
            if browser.run(&format!("return {over}"), &json!([])) == true {
                break;
            }
            // By the arrows to a square that can be chosen.
            let way = browser.run(
                "const columns = document.querySelector('.row').children.length;
                const to = Number(document.querySelector('.square.next').dataset.square);
                const from = Number(document.activeElement.dataset.square);
                const [right, down] = [(to % columns) - (from % columns), Math.floor(to / columns) - Math.floor(from / columns)];
                return (right > 0 ? '\u{e014}' : '\u{e012}').repeat(Math.abs(right)) + (down > 0 ? '\u{e015}' : '\u{e013}').repeat(Math.abs(down));",
                &json!([]),
            );
            browser.keys(way.as_str().expect("keys"));
            browser.keys(ENTER);
            browser.wait(&format!(
                "{over} || document.querySelector('.state').textContent !== 'Your move.' || true"
            ));
        }
        browser.wait(over);
        // The end of the match, and another one.
        browser.wait("!document.querySelector('.result').hidden");
        focus("#rematch");
        browser.keys(ENTER);
        browser.wait("document.querySelectorAll('.square.next').length > 0");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

#[test]
fn the_keyboard_reaches_a_board_that_begins_with_a_hole() {
    let Some(browser) = Browser::start((1280, 900), false) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let games = root().join("games");
    let view = std::fs::read_to_string(games.join("breakthrough_holes.view.json")).expect("a view file");
    let corner = view.replacen("[[", r#"[["1", "8"], ["#, 1);
    std::fs::write(folder.path().join("corner.view.json"), corner).expect("it is written");
    std::fs::copy(games.join("breakthrough_holes.kif"), folder.path().join("corner.kif")).expect("a copy");
    let server = Server::start(&["--games", folder.path().to_str().expect("a path")]);
    open(&browser, &server, "corner", &json!([{"kind": "person"}, {"kind": "person"}]));
    browser.wait("document.querySelector('[data-square=\"0\"]').disabled");
    focus(&browser, ".square");
    browser.wait("document.activeElement.dataset.square === '1'");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_listed_moves_are_those_of_the_role_that_chooses() {
    let Some(browser) = Browser::start((1280, 900), false) else { return };
    let server = Server::start(&[]);
    let rules = "(role a) (role b) (init begun) (legal a a1) (legal a a2) (legal b b1) (legal b b2)
        (next done) (<= terminal (true done)) (goal a 50) (goal b 50)";
    let seats = json!([{"kind": "person"}, {"kind": "person"}]);
    let path = server.open(&json!({"rules": rules, "name": "both", "seats": seats}));
    let id = path.rsplit('/').next().unwrap_or_default();
    browser.open(&format!("http://127.0.0.1:{}/#s={id}", server.port));
    browser.wait("document.querySelectorAll('.choices button').length === 2");
    let filter = "input[type=search]";
    let listed = |moves: &str| {
        let texts = "[...document.querySelectorAll('.legal .chip')].map((chip) => chip.textContent).join()";
        browser.wait(&format!("{texts} === '{moves}'"));
    };
    browser.press("body", "/");
    browser.press(filter, "1");
    listed("a1");
    browser.press(filter, ENTER);
    // The state is the same, but now the other role chooses.
    listed("b1");
    browser
        .wait(&format!("document.activeElement.matches('{filter}') && document.activeElement.value === '1'"));
    browser.press(filter, ENTER);
    browser.wait("document.querySelector('.state').textContent.startsWith('Over')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_match_that_is_over_is_played_again() {
    let Some(browser) = Browser::start((1280, 900), false) else { return };
    let server = Server::start(&[]);
    let seats = json!([{"kind": "person"}, {"kind": "random"}]);
    let rules = std::fs::read_to_string(crate::server::root().join("games/tic_tac_toe.kif")).expect("rules");
    let path = server.open(&json!({"rules": rules, "name": "mine", "seats": seats}));
    loop {
        let status = server.wait(&path, "a person's turn", |status| status["chosen"][0] == false);
        if server.node(&path, &status["tip"])["terminal"] == true {
            break;
        }
        server.choose_first(&path, 0);
    }
    browser.open(&format!(
        "http://127.0.0.1:{}/#s={}",
        server.port,
        path.rsplit('/').next().unwrap_or_default()
    ));
    browser.wait("document.querySelector('.result .verdict')");
    let text = browser.run("return document.querySelector('.result').innerText", &json!([]));
    assert!(
        text.as_str()
            .is_some_and(|text| ["You win!", "You lose.", "A draw."].iter().any(|v| text.contains(v))),
        "{text}"
    );
    if !text.as_str().is_some_and(|text| text.contains("A draw.")) {
        browser.wait("document.querySelectorAll('.square.deciding').length === 3");
        browser.wait("document.querySelector('.because').textContent.startsWith('Decided by ')");
    }
    browser.picture("result-light");
    // The rules were uploaded; the server still has them. The person now has the other side.
    browser.click("#swap");
    browser.wait("document.querySelectorAll('.players .who')[1]?.textContent === 'you'");
    browser.wait("document.querySelector('.players .clock').textContent.startsWith('0:0')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_strength_of_an_engine_has_a_name() {
    let Some(browser) = Browser::start((390, 844), false) else { return };
    let server = Server::start(&[]);
    browser.open(&format!("http://127.0.0.1:{}/", server.port));
    browser.click(".card[data-game='tic_tac_toe']");
    browser.wait("document.querySelectorAll('.seat').length === 2");
    browser.run(
        "const level = document.querySelectorAll('.seat')[1].querySelectorAll('select')[1];
        level.value = 'beginner'; level.dispatchEvent(new Event('change'))",
        &json!([]),
    );
    browser.click(".setup .main");
    browser.wait("document.querySelectorAll('.players .who')[1]?.textContent.startsWith('engine, beginner')");
    browser.wait("document.querySelector('.machine').textContent.includes('network')");
    // Sounds are off until they are wanted.
    browser.wait("document.querySelector('#sound').getAttribute('aria-pressed') === 'false'");
    browser.keys("s");
    browser.wait("document.querySelector('#sound').getAttribute('aria-pressed') === 'true'");
}

#[test]
fn what_was_learnt_is_shown_in_the_words_of_the_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("my.knowledge");
    let file = file.to_str().expect("UTF-8");
    let ggp = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
        command.env("GGP_NO_CACHE", "1").current_dir(root()).args(arguments).output().expect("ggp runs")
    };
    let refused = ggp(&["web", "--port", "0", "--knowledge", file]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("; `ggp learn` makes one"), "{refused:?}");

    let rules = "games/tic_tac_toe.kif";
    let learn = ["learn", rules, "--descents", "20000", "--threads", "1", "--knowledge", file];
    assert!(ggp(&learn).status.success());
    let told = ggp(&["analyze", rules, "--learnt", file, "--json"]);
    let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let server = Server::start(&["--knowledge", file]);
    let seats = json!([{"kind": "engine", "iterations": 20}, {"kind": "person"}]);
    let path = server.open(&json!({"game": "tic_tac_toe", "seats": seats}));
    let shown = get(server.port, &path).ok()["learnt"].clone();
    for (name, value) in shown.as_object().expect("an object") {
        assert_eq!(value, &told[name], "{name}");
    }
    assert!(shown["generations"].as_array().is_some_and(|all| all.len() > 1), "{shown}");
    let other = server.open(&json!({"game": "nim", "seats": seats}));
    assert_eq!(get(server.port, &other).ok()["learnt"], Value::Null);

    for (size, name) in [((1280, 900), "desktop"), ((390, 844), "phone")] {
        let Some(browser) = Browser::start(size, false) else { return };
        open(&browser, &server, "nim", &seats);
        assert_eq!(browser.run("return document.querySelectorAll('.learnt').length", &json!([])), 0);
        open(&browser, &server, "tic_tac_toe", &seats);
        browser.click(".learnt summary");
        browser.wait("document.querySelector('.learnt .plot').getBoundingClientRect().height > 0");
        let cells = "return [...document.querySelectorAll('.learnt .move')].map((cell) => cell.textContent)";
        let cells = browser.run(cells, &json!([]));
        let words = |feature: &Value| {
            let plain = |fact: &Value| fact.as_str().map(|fact| fact.trim_matches(['(', ')']).to_owned());
            let beside = plain(&feature["beside"]).map_or(String::new(), |fact| format!(" while {fact}"));
            format!("{}{beside}", plain(&feature["fluent"]).expect("a fluent"))
        };
        let expected: Vec<String> =
            told["features"].as_array().expect("features").iter().map(words).collect();
        assert_eq!((cells, expected.len()), (json!(expected), 10));
        browser.run("document.querySelector('.learnt').scrollIntoView()", &json!([]));
        browser.picture(&format!("learnt-{name}"));
        assert!(browser.overflow() <= 0);
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}
