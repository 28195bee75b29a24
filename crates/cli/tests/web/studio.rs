//! The author's studio: a game written in a browser, the answers behind the page, and texts that are meant to do harm.

use crate::browser::Browser;
use crate::http::{Answer, get, post};
use crate::server::{Server, root};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

const DESKTOP: (u32, u32) = (1280, 900);
const PHONE: (u32, u32) = (390, 844);

const TEMPLATES: [&str; 4] = ["turns", "puzzle", "simultaneous", "hidden"];

/// What an author may wait for a mistake to be shown, in ms.
const SHOWN_WITHIN: f64 = 300.0;

fn inquire(server: &Server, what: &str, question: &Value) -> Answer {
    post(server.port, &format!("/api/studio/ask/{what}"), question)
}

fn template(name: &str) -> String {
    let path = root().join(format!("crates/web/templates/{name}.kif"));
    std::fs::read_to_string(path).expect("the template is there")
}

fn open(browser: &Browser, server: &Server, page: &str) {
    browser.open(&format!("http://127.0.0.1:{}/#{page}", server.port));
    browser.wait("document.querySelector('.living .state')?.textContent.startsWith('Step 0')");
}

#[test]
fn every_template_is_correct() {
    for name in TEMPLATES {
        let file = root().join(format!("crates/web/templates/{name}.kif"));
        for arguments in
            [&["check", "--strict"][..], &["check", "--strict", "--simulate", "20"], &["fmt", "--check"]]
        {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
            command.env("GGP_NO_CACHE", "1");
            let output = command.args(arguments).arg(&file).output().expect("ggp runs");
            let quiet = arguments.contains(&"--simulate") || output.stdout.is_empty();
            assert!(output.status.success() && quiet && output.stderr.is_empty(), "{name}: {output:?}");
        }
    }
}

#[test]
fn a_game_is_written_in_the_browser() {
    let Some(browser) = Browser::start(DESKTOP, false) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&["--games", folder.path().to_str().expect("a path")]);
    // 1. From a template.
    browser.open(&format!("http://127.0.0.1:{}/", server.port));
    browser.click("#new");
    browser.click("a[href='#new=turns']");
    browser.wait("document.querySelector('.living .state')?.textContent.startsWith('Step 0')");
    browser.wait("document.querySelectorAll('.picture').length > 5");
    assert_eq!(browser.run("return document.querySelectorAll('.problems li').length", &json!([])), 0);
    browser.wait("document.querySelectorAll('.kif-keyword').length > 5");
    browser.picture("studio-light");
    // 2. A mistake is shown under the cursor.
    let mut waits: Vec<f64> = (0..5).map(|_| mistake(&browser)).collect();
    waits.sort_by(f64::total_cmp);
    eprintln!("a mistake is shown after {waits:?} ms");
    assert!(waits[2] < SHOWN_WITHIN, "a mistake is shown after {waits:?} ms");
    browser.wait("document.querySelector('.problems .here')?.textContent.includes('`whit` is no role')");
    browser.picture("studio-mistake");
    // 3. A quick fix mends it.
    browser.click(".problems .fix");
    browser.wait("document.querySelector('.living .state').textContent.startsWith('Step 0')");
    browser.wait("document.querySelectorAll('.problems li').length === 0");
    // 4. What can be written is offered: a rule is added at the end.
    browser.run(
        "return import('/assets/codemirror.js').then(({ EditorView }) => {
            const view = EditorView.findFromDOM(document.querySelector('.cm-content'));
            view.dispatch({ selection: { anchor: view.state.doc.length }, scrollIntoView: true });
            view.focus();
        })",
        &json!([]),
    );
    browser.press(".cm-content", "\n(<= (big ?x) (ind");
    browser.wait("document.querySelector('.cm-tooltip-autocomplete li')?.textContent.startsWith('index')");
    browser.picture("studio-completion");
    browser.wait("new Promise((done) => setTimeout(() => done(true), 150))");
    browser.press(".cm-content", "\u{e007}");
    browser.wait("document.querySelector('.cm-content').textContent.includes('(index)')");
    browser.press(".cm-content", " ?x");
    browser.wait("document.querySelector('.cm-content').textContent.includes('(<= (big ?x) (index ?x))')");
    browser.wait("document.querySelectorAll('.problems .error').length === 0");
    // 5. It is played by clicks: the board, its facts and its moves.
    browser.wait("document.querySelector('.living .state').textContent.startsWith('Step 0')");
    browser.click(".living [data-square='5']");
    browser.wait("document.querySelector('.living .state').textContent.startsWith('Step 1')");
    browser.wait("document.querySelector('.fluents .new')?.textContent.includes('white')");
    browser.wait("document.querySelector('.fluents .gone')?.textContent.includes('empty')");
    // 6. A click explains a square, and leads to the rule.
    browser.run("const mode = document.querySelector('.living select'); mode.value = 'why'; mode.dispatchEvent(new Event('change'))", &json!([]));
    browser.click(".living [data-square='5']");
    browser.wait("document.querySelector('.why')?.textContent.includes('(does white (place')");
    browser.picture("studio-why");
    browser.click(".why .line");
    browser
        .wait("document.querySelector('.cm-activeLine').textContent.includes('(next (cell ?x ?y ?role))')");
    browser.click(".fluents .new button");
    browser.wait("document.querySelector('.why .line')");
    // 7. The uses of a word are listed, parts are folded, and lines above rules explain them.
    browser.run(
        "return import('/assets/codemirror.js').then(({ EditorView }) => {
            const view = EditorView.findFromDOM(document.querySelector('.cm-content'));
            view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf('(opponent ') + 3 } });
        })",
        &json!([]),
    );
    browser.click("#uses");
    browser.wait("document.querySelectorAll('.uses .place').length > 1");
    browser.click(".uses li:last-child .place");
    browser.wait("document.querySelector('.cm-selectionBackground, .cm-activeLine')");
    browser.click("#uses-close");
    browser.run(
        "return import('/assets/codemirror.js').then(({ EditorView }) => {
            const view = EditorView.findFromDOM(document.querySelector('.cm-content'));
            const at = view.state.doc.toString().indexOf('(<= (legal');
            view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'center' }) });
        })",
        &json!([]),
    );
    browser.wait("[...document.querySelectorAll('.lens')].some((lens) => lens.textContent === '17 moves at the start')");
    browser.wait("document.querySelectorAll('.cm-foldGutter span').length > 2");
    browser.picture("studio-lens");
    browser.run(
        "[...document.querySelectorAll('.lens')].find((lens) => lens.textContent.startsWith('explain ')).click()",
        &json!([]),
    );
    browser.wait("document.querySelector('.why')?.textContent.startsWith('✓ (legal')");
    browser.run(
        "[...document.querySelectorAll('.lens')].find((lens) => lens.textContent === 'simulate').click()",
        &json!([]),
    );
    browser.wait(
        "document.querySelector('.refuted').getBoundingClientRect().top < document.documentElement.clientHeight",
    );
    browser.run("document.querySelector('.cm-foldGutter span').click()", &json!([]));
    browser.wait("document.querySelector('.cm-foldPlaceholder')");
    // 8. The view file: a mistake is underlined, and what it says is drawn.
    browser.click("#tab-view");
    browser.click("#view-begin");
    browser.wait(r#"document.querySelector('.living .ground [fill^="var(--odd"]')"#);
    let put = |text: &str| {
        let script = "return import('/assets/codemirror.js').then(({ EditorView }) => {
            const view = EditorView.findFromDOM(document.querySelectorAll('.cm-content')[1]);
            view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
        })";
        browser.run(&format!("return ((text) => {{ {script} }})(arguments[0])"), &json!([text]));
    };
    put("{\"chequer\": true}");
    browser.wait("document.querySelector('.cm-lintRange-error')?.textContent === '\"chequer\"'");
    browser.picture("studio-view");
    put("{\"chequered\": true}");
    browser.wait("document.querySelectorAll('.cm-lintRange-error').length === 0");
    browser.click("#tab-rules");
    // 9. It is saved in the folder.
    browser.run(
        "const name = document.querySelector('.tools input'); name.value = 'three_in_a_row'",
        &json!([]),
    );
    browser.click("#save");
    browser.wait(
        "document.querySelector('.writing > .reason').textContent.startsWith('Saved as three_in_a_row.kif')",
    );
    let saved = std::fs::read_to_string(folder.path().join("three_in_a_row.kif")).expect("it is saved");
    assert!(saved.starts_with(";;; A board game with turns"), "{saved}");
    assert_eq!(get(server.port, "/api/games").ok()["games"], json!(["three_in_a_row"]));
    browser.wait(
        "document.querySelector('.writing > .reason').textContent.includes('three_in_a_row.view.json')",
    );
    let saved = std::fs::read_to_string(folder.path().join("three_in_a_row.view.json")).expect("it is saved");
    assert_eq!(saved, "{\"chequered\": true}");
    // 10. It is played against an engine, and is there when the author comes back.
    browser.click("#play");
    browser.wait("document.querySelector('.players')");
    browser.wait(r#"document.querySelector('.ground [fill^="var(--odd"]')"#);
    browser.run("history.back()", &json!([]));
    browser.wait("document.querySelector('.cm-content')");
    browser.wait("document.querySelector('.tools input').value === 'three_in_a_row'");
    browser.wait("document.querySelector('.problems')?.textContent.includes('`big`')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Writes a mistake at the end of a line of the text, and takes the earlier one back. Returns the time from the change
/// until it is underlined, in ms.
fn mistake(browser: &Browser) -> f64 {
    let script = "
        const { EditorView } = await import('/assets/codemirror.js');
        const content = document.querySelector('.cm-content');
        const view = EditorView.findFromDOM(content);
        const put = (from, to, insert) => view.dispatch({
            changes: { from, to, insert }, selection: { anchor: from + insert.length }, scrollIntoView: true,
        });
        const wait = (done) => new Promise((resolve) => {
            const look = () => (done() ? resolve() : setTimeout(look, 2));
            look();
        });
        const bad = () => content.querySelector('.cm-lintRange-warning')?.textContent === 'whit';
        const text = view.state.doc.toString();
        const right = '(init (control white';
        const wrong = '(init (control whit';
        if (!text.includes(right)) {
            const at = text.indexOf(wrong);
            put(at, at + wrong.length, right);
            await wait(() => !bad());
        }
        const at = view.state.doc.toString().indexOf(right);
        const began = performance.now();
        put(at, at + right.length, wrong);
        await wait(bad);
        return performance.now() - began;";
    browser.run(&format!("return (async () => {{ {script} }})()"), &json!([])).as_f64().expect("a time")
}

#[test]
fn the_studio_is_shown_in_the_dark_and_on_a_phone() {
    let Some(browser) = Browser::start(DESKTOP, true) else { return };
    let server = Server::start(&["--games", "games"]);
    open(&browser, &server, "edit=english_draughts");
    browser.wait("document.querySelectorAll('.picture').length > 5");
    for _ in 0..3 {
        let step = browser.run("return document.querySelector('.living .state').textContent", &json!([]));
        browser.click("#live-random");
        browser.wait(&format!("document.querySelector('.living .state').textContent !== {step}"));
    }
    browser.click(".fluents .new button");
    browser.wait("document.querySelector('.why')");
    browser.picture("studio-dark");
    browser.run("document.querySelector('.strip').scrollIntoView()", &json!([]));
    browser.picture("studio-dark-strip");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    drop(browser);
    let Some(browser) = Browser::start(PHONE, false) else { return };
    browser.open(&format!("http://127.0.0.1:{}/#new", server.port));
    browser.wait("document.querySelectorAll('.card').length === 5");
    browser.picture("studio-templates-narrow");
    for name in TEMPLATES {
        open(&browser, &server, &format!("new={name}"));
        browser.wait("document.querySelectorAll('.picture').length > 2");
        browser.wait("document.querySelector('.refuted').textContent.includes('refute nothing')");
        let width = browser.run("return document.documentElement.scrollWidth", &json!([]));
        assert!(width.as_u64() <= Some(390), "{name} is {width} wide");
        browser.picture(&format!("studio-narrow-{name}"));
        browser.run("document.querySelector('.living').scrollIntoView()", &json!([]));
        browser.picture(&format!("studio-narrow-{name}-below"));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_plain_text_area_does_without_the_editor() {
    let Some(browser) = Browser::start(DESKTOP, false) else { return };
    let server = Server::start(&[]);
    open(&browser, &server, "new=puzzle");
    browser.click("#plain");
    browser.press(".plain", "\n(init (lamp 1 1 of))");
    browser.wait("document.querySelector('.problems')?.textContent.includes('`of`')");
    browser.click(".problems .place");
    browser.wait("document.activeElement === document.querySelector('.plain')");
    // Nothing is saved without a folder, and the page says so.
    browser
        .wait("document.querySelector('.writing > .reason').textContent.startsWith('Nothing is saved here')");
    assert_eq!(browser.run("return document.querySelectorAll('#save').length", &json!([])), 0);
    let save = json!({"name": "mine", "text": "(role a)", "version": null});
    assert_eq!(post(server.port, "/api/studio/save", &save).status, 403);
}

#[test]
fn what_playouts_refute_is_flagged() {
    let server = Server::start(&[]);
    // The goal of black at the end is missing.
    let text = template("turns")
        .replace("(<= (goal ?role 0)\n    (opponent ?role ?other)\n    (line ?other))\n", "");
    let found = inquire(&server, "refute", &json!({ "text": text })).ok();
    let first = &found["refuted"][0];
    assert_eq!(first["code"], "no-goal-at-the-end", "{found}");
    let moves = first["moves"].as_array().expect("moves");
    assert!(moves.len() >= 5, "{found}");
    let strip = inquire(&server, "strip", &json!({ "text": text, "moves": moves })).ok();
    let pictures = strip["pictures"].as_array().expect("pictures");
    assert_eq!(pictures.len(), moves.len() + 1);
    assert_eq!(pictures.last().expect("one")["terminal"], true);
    let sound = inquire(&server, "refute", &json!({"text": template("turns")})).ok();
    assert_eq!(sound["refuted"], json!([]));
    let Some(browser) = Browser::start(DESKTOP, false) else { return };
    open(&browser, &server, "new=turns");
    let cut = "return import('/assets/codemirror.js').then(({ EditorView }) => {
        const view = EditorView.findFromDOM(document.querySelector('.cm-content'));
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: arguments[0] } });
    })";
    browser.run(&format!("return ((...arguments) => {{ {cut} }})(...arguments)"), &json!([text]));
    browser.wait("document.querySelector('.picture.flagged')");
    browser.run("document.querySelector('.strip').scrollIntoView()", &json!([]));
    browser.picture("studio-flagged");
    browser.click(".picture.flagged");
    browser.wait("document.querySelector('.living .state').textContent.includes('Over')");
}

#[test]
fn the_author_sees_what_each_role_sees() {
    let server = Server::start(&[]);
    let moves = json!([["(hide left)", "wait"], ["wait", "(look left)"]]);
    let state = inquire(&server, "state", &json!({"text": template("hidden"), "moves": moves})).ok();
    assert_eq!((&state["node"]["seen"], &state["hidden"]), (&json!([[], ["full"]]), &json!(true)));
    // A move that is not legal ends the line; the state before it is shown.
    let moves = json!([["(hide left)", "wait"], ["wait", "(say left)"]]);
    let state = inquire(&server, "state", &json!({"text": template("hidden"), "moves": moves})).ok();
    assert_eq!(state["step"], 1, "{state}");
    assert!(state["problem"].as_str().is_some_and(|why| why.contains("(say left)")), "{state}");
    // The rule that gave a fact is named, and the condition that fails.
    let moves = json!([["(hide left)", "wait"]]);
    let question = json!({"text": template("hidden"), "moves": moves, "fact": "(true (coin left))"});
    let why = inquire(&server, "why", &question).ok();
    let line = why["tree"]["line"].as_u64().expect("a rule") as usize;
    assert_eq!(template("hidden").lines().nth(line - 1), Some("(<= (next (coin ?box))"), "{why}");
    let question = json!({"text": template("hidden"), "moves": moves, "fact": "(legal player (say left))"});
    let why = inquire(&server, "why", &question).ok();
    assert_eq!(
        (&why["tree"]["verdict"], &why["tree"]["parts"][0]["text"]),
        (&json!("fails"), &json!("(true (stage 3))"))
    );
}

#[test]
fn the_author_sees_what_a_role_knows() {
    let server = Server::start(&[]);
    let moves = json!([["(hide left)", "wait"]]);
    let question = json!({"text": template("hidden"), "moves": moves, "role": 1});
    let known = inquire(&server, "state", &question).ok()["node"]["known"].clone();
    assert_eq!(
        (&known["extent"]["states"], &known["extent"]["sampled"]),
        (&json!(3), &json!(false)),
        "{known}"
    );
    assert_eq!(known["possible"].as_array().map(Vec::len), Some(3), "{known}");
    // After a look into the full box, the role knows the state.
    let moves = json!([["(hide left)", "wait"], ["wait", "(look left)"]]);
    let question = json!({"text": template("hidden"), "moves": moves, "role": 1});
    let known = inquire(&server, "state", &question).ok()["node"]["known"].clone();
    assert_eq!(known["extent"]["states"], 1, "{known}");
    // Nobody is asked what is known in a game that hides nothing, or what a role knows that does not exist.
    for (name, role) in [("turns", 0), ("hidden", 7)] {
        let question = json!({"text": template(name), "role": role});
        assert_eq!(inquire(&server, "state", &question).ok()["node"]["known"], Value::Null);
    }
}

#[test]
fn playouts_tell_of_rules_that_never_fire_and_of_what_is_harmless() {
    let server = Server::start(&[]);
    let rule = "(<= (next (prize)) (true (cell 9 9 white)))";
    let text = format!("{}\n{rule}\n", template("turns"));
    let found = inquire(&server, "refute", &json!({ "text": text })).ok();
    let never = found["neverFired"].as_array().expect("a list");
    let last = text.trim_end().lines().count();
    assert!(
        never.iter().any(|one| one["line"] == last && one["condition"] == "(true (cell 9 9 white))"),
        "{found}"
    );
    let falling = "(role a) (init (s 0)) (succ 0 1) (succ 1 2) (<= (next (s ?y)) (true (s ?x)) (succ ?x ?y)) \
        (legal a go) (<= terminal (true (s 2))) (<= (goal a 90) (true (s 0))) (<= (goal a 50) (not (true (s 0))))";
    let found = inquire(&server, "refute", &json!({ "text": falling })).ok();
    assert_eq!(
        (&found["refuted"], &found["harmless"][0]["code"]),
        (&json!([]), &json!("falling-goals")),
        "{found}"
    );
    assert!(
        found["harmless"][0]["harmless"].as_str().is_some_and(|why| why.starts_with("harmless if")),
        "{found}"
    );
    assert!(found["harmless"][0]["about"][1].as_str().is_some_and(|mend| mend.starts_with("Nothing, if")));
}

#[test]
fn the_view_file_is_checked_and_drawn() {
    let server = Server::start(&["--games", "games"]);
    let source = get(server.port, "/api/studio/games/english_draughts").ok();
    assert!(source["view"].as_str().is_some_and(|view| view.contains("glyphs")), "{source}");
    let text = source["text"].clone();
    let view = |view: &str| inquire(&server, "view", &json!({ "text": text, "view": view })).ok();
    assert_eq!(view("{\"chequered\": true}"), Value::Null);
    assert_eq!(view(""), Value::Null);
    let unknown = view("{\"chequer\": true}");
    assert_eq!((&unknown["from"], &unknown["to"]), (&json!(1), &json!(10)), "{unknown}");
    let missing = view("{\"relation\": \"sell\", \"x\": 0}");
    assert_eq!((&missing["from"], &missing["to"]), (&json!(13), &json!(19)), "{missing}");
    // What the file says is drawn, and what is wrong with it is told with the state.
    let state = |view: &str| inquire(&server, "state", &json!({ "text": text, "view": view })).ok();
    assert_eq!(state("{\"chequered\": false}")["board"]["chequered"], false);
    assert_eq!(state("{\"relation\": \"sell\", \"x\": 0}")["flaw"], missing);
    // A match with the rules is drawn as the file says, too. A file that is empty or wrong says nothing.
    let seats = json!([{"kind": "person"}, {"kind": "person"}]);
    let chequered = |view: &str| {
        let path = server.open(&json!({"rules": text, "view": view, "name": "draughts", "seats": seats}));
        get(server.port, &path).ok()["board"]["chequered"].as_bool().expect("a flag")
    };
    let inferred = chequered("");
    assert_eq!(chequered(&format!("{{\"chequered\": {}}}", !inferred)), !inferred);
    assert_eq!(chequered("{\"chequer\": true}"), inferred);
}

#[test]
fn games_are_saved_in_their_folder_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&["--games", folder.path().to_str().expect("a path")]);
    let save = |name: &str, text: &str, version: &Value| {
        post(server.port, "/api/studio/save", &json!({"name": name, "text": text, "version": version}))
    };
    for name in ["", "..", "../up", "a/b", "/tmp/x", ".dot", "a.b", "a\\b", "nul", "\u{0}"] {
        assert_eq!(save(name, "(role a)", &Value::Null).status, 400, "{name:?}");
    }
    let text = template("puzzle");
    let first = save("lamps", &text, &Value::Null).ok()["version"].clone();
    // Another page has the same name: the file is not replaced before the author agrees.
    let refused = save("lamps", "(role a)", &Value::Null);
    assert_eq!(
        (refused.status, &refused.json()["changed"], &refused.json()["version"]),
        (409, &json!(true), &first)
    );
    assert_eq!(refused.json()["error"], "lamps.kif exists already");
    // The game is offered at once, also with its new rules.
    let look = || post(server.port, "/api/rules", &json!({"game": "lamps"})).ok();
    assert_eq!(look()["roles"][0]["name"], "player");
    server.open(&json!({"game": "lamps"}));
    let second = save("lamps", &text.replace("player", "nina"), &first).ok()["version"].clone();
    assert_ne!(first, second);
    assert_eq!(look()["roles"][0]["name"], "nina");
    let source = get(server.port, "/api/studio/games/lamps").ok();
    assert_eq!(source["version"], second);
    assert!(source["text"].as_str().is_some_and(|text| text.contains("(role nina)")));
    let names: Vec<_> =
        folder.path().read_dir().expect("it is read").map(|one| one.unwrap().file_name()).collect();
    assert_eq!(names, ["lamps.kif"]);
    // The view file is saved beside it.
    let view = json!({"name": "lamps", "text": "{}", "version": null, "view": true});
    let version = post(server.port, "/api/studio/save", &view).ok()["version"].clone();
    assert_eq!(post(server.port, "/api/studio/save", &view).status, 409);
    let source = get(server.port, "/api/studio/games/lamps").ok();
    assert_eq!((&source["view"], &source["viewVersion"]), (&json!("{}"), &version));
}

#[test]
fn another_game_is_not_replaced_by_enter() {
    let Some(browser) = Browser::start(DESKTOP, false) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).expect("it is there");
    for file in ["lamps.kif", "lamps.view.json"] {
        std::fs::write(folder.path().join(file), "; mine").expect("it is written");
    }
    let server = Server::start(&["--games", folder.path().to_str().expect("a path")]);
    open(&browser, &server, "new=puzzle");
    browser.click("#tab-view");
    browser.wait("document.querySelectorAll('.cm-content').length === 2");
    browser.click("#view-begin");
    let name = |name: &str| {
        let script = "const name = document.querySelector('.tools input'); name.value = arguments[0];
            name.dispatchEvent(new Event('input'))";
        browser.run(script, &json!([name]));
    };
    name("lamps");
    browser.click("#save");
    browser.wait("document.querySelector('.asking').textContent.startsWith('lamps.kif exists already.')");
    browser.keys("\u{e007}");
    browser.wait("document.querySelector('.asking').hidden");
    assert_eq!(read("lamps.kif"), "; mine");
    // After the answer, the page asks about the view file, too.
    browser.click("#save");
    browser.wait("!document.querySelector('.asking').hidden");
    browser.click(".asking [type=submit]");
    browser
        .wait("document.querySelector('.asking').textContent.startsWith('lamps.view.json exists already.')");
    browser.wait("!document.querySelector('.asking').hidden");
    assert_eq!((read("lamps.kif"), read("lamps.view.json")), (template("puzzle"), "; mine".to_owned()));
    browser.click(".asking [type=submit]");
    browser.wait("document.querySelector('.writing > .reason').textContent.includes('lamps.view.json')");
    assert!(read("lamps.view.json").contains("chequered"));
    // The page saves a text again only under another name.
    browser.wait("document.querySelector('#save').disabled");
    name("more_lamps");
    browser.click("#save");
    browser.wait("document.querySelector('.writing > .reason').textContent.includes('more_lamps.view.json')");
    assert_eq!(read("more_lamps.kif"), template("puzzle"));
    // A file that others have changed since then is told apart.
    std::fs::write(folder.path().join("more_lamps.kif"), "; theirs").expect("it is written");
    let save = json!({"name": "more_lamps", "text": "; mine", "version": "0"});
    let refused = post(server.port, "/api/studio/save", &save).json();
    assert_eq!(refused["error"], "more_lamps.kif was changed elsewhere");
}

/// The memory of the server, in MiB.
#[cfg(target_os = "linux")]
fn peak(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

/// Rules that are meant to do harm: their name, and their text.
fn hostile() -> Vec<(&'static str, String)> {
    let game = |more: &str| {
        format!("(role a) (init (at 0)) (legal a go) (goal a 0) (<= terminal (true (at end)))\n{more}\n")
    };
    // A complete graph of 12 parts has no clique of 13, but looking for one takes very long.
    let nodes = |i: usize| (0..60).filter(move |j| i % 12 != j % 12).map(move |j| format!("(e {i} {j}) "));
    let graph: String = (0..60).flat_map(nodes).collect();
    let clique: String = (0..13).flat_map(|i| (0..i).map(move |j| format!("(e ?v{i} ?v{j}) "))).collect();
    let numbers: String = (0..400).map(|n| format!("(n {n}) ")).collect();
    vec![
        (
            "script",
            game(
                "(<= (next (at <script>alert(1)</script>)) (does a go)) (init <img/src=x/onerror=alert(1)>)",
            ),
        ),
        ("parentheses", "(".repeat(1_000_000)),
        ("closing", ")".repeat(1_000_000)),
        ("pairs", "()".repeat(500_000)),
        ("nesting", game(&format!("(next (at {}0{}))", "(s ".repeat(200_000), ")".repeat(200_000)))),
        ("recursion", game("(<= (p (s ?x)) (p ?x)) (p 0) (<= (next (at ?x)) (p ?x))")),
        ("growth", game("(<= (next (at (s ?x))) (true (at ?x)))")),
        ("doubling", game("(<= (next (at (s ?x ?x))) (true (at ?x)))")),
        (
            "product",
            game(&format!(
                "{numbers} (<= (next (at ?x)) (n ?x) (n ?y) (n ?z) (n ?w) (big ?x ?y ?z)) (<= (big ?x ?y ?z) (n ?x) (n ?y) (n ?z))"
            )),
        ),
        ("moves", game(&format!("{numbers} (<= (legal a (m ?x ?y ?z)) (n ?x) (n ?y) (n ?z)) (next (at 1))"))),
        ("clique", game(&format!("{graph} (<= clique {clique}) (<= (next (at 1)) clique)"))),
        ("late clique", game(&format!("{graph} (<= (next (at 1)) (true (at 0)) {clique})"))),
        ("endless", game("(<= (next (at ?x)) (true (at ?x)))")),
        ("alternatives", game(&format!("(<= (p ?x) (n ?x) {})", "(or (n ?x) (q ?x)) ".repeat(40)))),
    ]
}

#[test]
fn hostile_texts_cost_an_error_message() {
    let server = Server::start(&[]);
    for (name, text) in hostile() {
        for what in [
            "findings",
            "symbols",
            "format",
            "hover",
            "complete",
            "rename",
            "define",
            "state",
            "strip",
            "refute",
            "why",
            "references",
        ] {
            let began = Instant::now();
            let question = json!({"text": text, "at": 3, "seed": 1, "fact": "(true (at 1))", "view": "{\"x\": 1}", "role": 0});
            let answer = inquire(&server, what, &question);
            assert!(
                [200, 400, 422].contains(&answer.status),
                "{name}, {what}: {} {:.300}",
                answer.status,
                answer.body
            );
            assert!(began.elapsed() < Duration::from_secs(60), "{name}, {what}: {:?}", began.elapsed());
            let size = answer.body.len();
            assert!(size < 8 << 20, "{name}, {what}: the answer has {size} bytes");
            if matches!(what, "state" | "strip" | "refute" | "why") {
                eprintln!("{name}, {what}: {} {:.150}", answer.status, answer.body);
            }
            #[cfg(target_os = "linux")]
            if began.elapsed() > Duration::from_secs(1) || size > 1 << 20 {
                let peak = peak(&server);
                eprintln!(
                    "{name}, {what}: {} in {:?}, {size} bytes, peak {peak} MiB",
                    answer.status,
                    began.elapsed()
                );
            }
        }
    }
    // Lenses need no game that can be played; a view file of such a game is read all the same.
    let question = json!({"text": "(role a) (<= (p (s ?x)) (p ?x)) (p 0)", "view": "{\"chequer\": 1}"});
    assert_eq!(inquire(&server, "lenses", &question).ok()[0]["action"], "play");
    assert!(inquire(&server, "view", &question).ok()["message"].is_string());
    // The server still answers, and has not grown without bound.
    assert_eq!(inquire(&server, "state", &json!({"text": template("turns")})).status, 200);
    #[cfg(target_os = "linux")]
    assert!(peak(&server) < 1500, "the server takes {} MiB", peak(&server));
    let large = json!({"text": "a".repeat(2 << 20)});
    assert_eq!(inquire(&server, "findings", &large).status, 413);
    for bad in [json!({"text": 7}), json!({"extra": 1})] {
        assert_eq!(inquire(&server, "state", &bad).status, 400);
    }
    assert_eq!(inquire(&server, "nothing", &json!({"text": ""})).status, 404);
}

#[test]
fn markup_in_rules_stays_text() {
    let Some(browser) = Browser::start(DESKTOP, false) else { return };
    let server = Server::start(&[]);
    open(&browser, &server, "new=turns");
    let rules = "(role <script>window.hit=1</script>) (init (at <img/src=x/onerror=window.hit=1>)) \
        (<= (legal ?r <b>go</b>) (role ?r)) (<= (goal ?r 100) (role ?r)) (<= (next (at ?x)) (true (at ?x))) \
        (<= terminal (true (at <i>end</i>)))";
    let put = "return import('/assets/codemirror.js').then(({ EditorView }) => {
        const view = EditorView.findFromDOM(document.querySelector('.cm-content'));
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: rules } });
    })";
    browser.run(&format!("return ((rules) => {{ {put} }})(arguments[0])"), &json!([rules]));
    browser.wait("document.querySelector('.fluents')?.textContent.includes('<img/src')");
    browser.click(".fluents button");
    browser.wait("document.querySelector('.why')?.textContent.includes('<img/src')");
    assert_eq!(
        browser.run(
            "return document.querySelectorAll('.studio script, .studio img, .studio b').length",
            &json!([])
        ),
        0
    );
    assert_eq!(browser.run("return window.hit ?? null", &json!([])), Value::Null);
}
