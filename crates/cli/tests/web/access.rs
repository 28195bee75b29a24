//! Every page on a desktop and on a phone: nothing is wider than the window, and axe-core finds no serious fault.

use crate::browser::Browser;
use crate::server::{Server, root};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The version of axe-core, which npm fetches.
const AXE: &str = "4.14.1";

/// The text of axe-core. `None` if it cannot be fetched.
fn axe() -> Option<&'static str> {
    static TEXT: OnceLock<Option<String>> = OnceLock::new();
    TEXT.get_or_init(|| {
        let folder: PathBuf = root().join(format!("target/axe-core-{AXE}"));
        let file = folder.join("package/axe.min.js");
        if !file.exists() {
            std::fs::create_dir_all(&folder).expect("a folder");
            let run = |program: &str, arguments: &[&str]| {
                let mut command = Command::new(program);
                command.args(arguments).current_dir(&folder).stdout(Stdio::null());
                command.status().is_ok_and(|status| status.success())
            };
            let archive = format!("axe-core-{AXE}.tgz");
            let _ = run("npm", &["pack", "--silent", &format!("axe-core@{AXE}")])
                && run("tar", &["xzf", &archive]);
        }
        std::fs::read_to_string(file).ok()
    })
    .as_deref()
}

/// Checks the page that is shown.
fn check(browser: &Browser, axe: &str, page: &str) {
    assert!(browser.overflow() <= 0, "{page} is {} pixels too wide", browser.overflow());
    let script = format!(
        "{axe}; return axe.run(document, {{ resultTypes: ['violations'] }}).then(({{ violations }}) => violations
            .filter(({{ impact }}) => impact === 'serious' || impact === 'critical')
            .map(({{ id, help, nodes }}) => `${{id}}: ${{help}}: ${{nodes.map(({{ target }}) => target).join(', ')}}`))"
    );
    let found = browser.run(&script, &json!([]));
    assert_eq!(found, json!([]), "{page}");
}

#[test]
fn no_page_has_a_serious_fault() {
    for (size, dark) in [((1280, 900), false), ((390, 844), true)] {
        let Some(browser) = Browser::start(size, dark) else { return };
        let Some(axe) = axe() else { return ggp_tests::skip("no axe-core (npm fetches it)") };
        let server = Server::start(&["--games", "games"]);
        let open = |page: &str| browser.open(&format!("http://127.0.0.1:{}/{page}", server.port));
        open("");
        browser.wait("document.querySelectorAll('.thumb svg').length > 3");
        check(&browser, axe, "the gallery");
        browser.click(".card[data-game='tic_tac_toe']");
        browser.wait("document.querySelector('dialog[open]')");
        check(&browser, axe, "who plays");
        open("#new");
        browser.wait("document.querySelectorAll('.card').length === 5");
        check(&browser, axe, "the templates");
        open("#new=turns");
        browser.wait("document.querySelector('.refuted')?.textContent.includes('refute')");
        browser.click(".living [data-square='5']");
        browser.click(".fluents .new button");
        browser.wait("document.querySelector('.why')");
        check(&browser, axe, "the studio");
        browser.click("#tab-view");
        browser.wait("document.querySelectorAll('.cm-content').length === 2");
        check(&browser, axe, "the view file");
        let person = json!({"kind": "person"});
        let engine = json!({"kind": "engine", "iterations": 20});
        for (game, seats, ready) in [
            ("english_draughts", json!([person, engine]), ".square.next"),
            ("kuhn_poker", json!([person, person]), "#lift"),
            ("nim", json!([engine, engine]), "#rematch"),
        ] {
            let path = server.open(&json!({"game": game, "seats": seats}));
            open(&format!("#s={}", path.rsplit('/').next().unwrap_or_default()));
            browser.wait(&format!("document.querySelector('{ready}')"));
            browser
                .run("for (const one of document.querySelectorAll('details')) one.open = true", &json!([]));
            check(&browser, axe, game);
        }
        assert_eq!(browser.complaints(), Vec::<String>::new());
        assert_ne!(browser.run("return window.axe?.version ?? null", &json!([])), Value::Null);
    }
}
