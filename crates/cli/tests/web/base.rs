//! Pages below a path, as behind a proxy, and the browser that `--open` starts.

use crate::browser::Browser;
use crate::http::{Answer, get, post, raw};
use crate::server::{PATIENCE, Server, root};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BASE: &str = "/games/ggp";

/// The addresses in `text` that follow one of `signs` and end with a quotation mark.
fn addresses(text: &str, signs: &[&str]) -> Vec<String> {
    let after = signs.iter().flat_map(|sign| text.split(sign).skip(1));
    after.filter_map(|rest| rest.split_once('"')).map(|(address, _)| address.to_owned()).collect()
}

#[test]
fn every_page_and_asset_is_below_the_base_path() {
    let server = Server::start(&["--base-path", BASE, "--host", "games.example", "--games", "games"]);
    // 1. Without the slash, relative addresses would lead elsewhere.
    let bare = get(server.port, BASE);
    assert!(bare.status == 308 && bare.head.contains(&format!("location: {BASE}/\r\n")), "{}", bare.head);
    // 2. All files that the page names, and those that they import.
    let page = get(server.port, &format!("{BASE}/"));
    assert_eq!(page.status, 200);
    let mut wanted = addresses(&page.body, &["href=\"", "src=\""]);
    wanted.retain(|address| !address.starts_with('#'));
    let mut fetched = BTreeSet::new();
    while let Some(address) = wanted.pop() {
        if !fetched.insert(address.clone()) {
            continue;
        }
        assert!(address.starts_with("assets/"), "{address}");
        let file = get(server.port, &format!("{BASE}/{address}"));
        assert_eq!(file.status, 200, "{address}");
        for absolute in ["\"/api", "`/api", "\"/assets", "`/assets", "url(/"] {
            assert!(!file.body.contains(absolute), "{address} has {absolute}");
        }
        let imported = addresses(&file.body, &["from \"./", "import(\"./"]);
        wanted.extend(imported.into_iter().map(|name| format!("assets/{name}")));
    }
    let files = std::fs::read_dir(root().join("crates/web/assets")).expect("the pages");
    let scripts =
        files.filter(|file| file.as_ref().is_ok_and(|file| file.path().extension() == Some("js".as_ref())));
    let fetched_scripts =
        fetched.iter().filter(|address| Path::new(address).extension() == Some("js".as_ref())).count();
    assert_eq!(fetched_scripts, scripts.count(), "{fetched:?}");
    // 3. The interface, with the name and the origin that a proxy passes on.
    let opened = post(
        server.port,
        &format!("{BASE}/api/sessions"),
        &json!({"game": "nim", "seats": [{"kind": "person"}, {"kind": "engine", "iterations": 20}]}),
    )
    .ok();
    let session = format!("{BASE}/api/sessions/{}", opened["id"].as_str().expect("an id"));
    let asked = |method: &str, path: &str, origin: &str| -> Answer {
        let head = format!(
            "{method} {path} HTTP/1.1\nHost: games.example\nOrigin: {origin}\nConnection: close\n\
             Content-Type: application/json\nContent-Length: 2"
        );
        raw(server.port, &head, b"{}")
    };
    assert_eq!(asked("GET", &session, "https://games.example").status, 200);
    assert_eq!(asked("POST", &format!("{session}/hurry"), "https://games.example").status, 200);
    assert_eq!(asked("POST", &format!("{session}/hurry"), "https://evil.example").status, 403);
    // 4. The stream of events.
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out can be set");
    let head = format!("GET {session}/events HTTP/1.1\r\nHost: games.example\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "event: status"), "no event");
    // 5. Nothing is elsewhere, and visitors of a proxy do not save.
    for path in ["/", "/api/games", "/assets/main.js", "/games/", "/games/ggpx", "/games/ggp//api/games"] {
        assert_eq!(get(server.port, path).status, 404, "{path}");
    }
    assert!(get(server.port, &format!("{BASE}/api/studio")).ok()["folder"].is_null());
    let allowed = get(server.port, &format!("{BASE}/api/games")).ok();
    assert_eq!(allowed["remote"], false, "{allowed}");
}

#[test]
fn a_match_is_played_below_the_base_path() {
    let Some(browser) = Browser::start((1280, 900), false) else { return };
    let server = Server::start(&["--base-path", BASE]);
    // The address without the slash at its end, as people write it.
    browser.open(&format!("http://127.0.0.1:{}{BASE}", server.port));
    browser.wait("document.querySelectorAll('.thumb svg').length > 3");
    browser.click(".card[data-game='tic_tac_toe']");
    browser.wait("document.querySelectorAll('.seat').length === 2");
    browser.click(".setup .main");
    browser.wait("document.querySelectorAll('.square.next').length === 9");
    browser.click("[data-square='4']");
    // The answer of the engine comes by the stream of events.
    browser.wait("document.querySelectorAll('.step').length >= 3");
    browser.open(&format!("http://127.0.0.1:{}{BASE}/#new=turns", server.port));
    browser.wait("document.querySelector('.cm-content') && document.querySelector('.living')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Runs `ggp web --open` with the folder `programs` as the only one with programs, until `done` is true for the lines
/// of standard error so far.
#[cfg(target_os = "linux")]
fn open_with(programs: &Path, done: impl Fn(&str) -> bool) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.args(["web", "--port", "0", "--bind", "0.0.0.0", "--base-path", "/ggp", "--open"]);
    let errors = programs.join("errors");
    let file = std::fs::File::create(&errors).expect("a file");
    command.env("GGP_NO_CACHE", "1").env("PATH", programs).stdout(Stdio::piped()).stderr(file);
    let mut child = command.spawn().expect("ggp runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("an address");
    let began = Instant::now();
    let told = || std::fs::read_to_string(&errors).expect("text");
    while !done(&told()) && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.try_wait().expect("a child"), None, "the server goes on");
    let _ = child.kill();
    let _ = child.wait();
    let port = line.trim().trim_end_matches("/ggp/").rsplit(':').next().expect("a port").to_owned();
    (port, told())
}

#[test]
#[cfg(target_os = "linux")]
fn the_browser_is_opened_or_the_address_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let shown = "no browser was opened";
    let (port, errors) = open_with(folder.path(), |errors| errors.contains(shown));
    let wanted = format!("; open http://127.0.0.1:{port}/ggp/ yourself");
    assert!(errors.contains("(`xdg-open` cannot be started: ") && errors.contains(&wanted), "{errors}");
    let opener = folder.path().join("xdg-open");
    let opened = folder.path().join("opened");
    let script = |code: u8| format!("#!/bin/sh\necho \"$1\" > {}\nexit {code}\n", opened.display());
    for code in [3, 0] {
        let _ = std::fs::remove_file(&opened);
        std::fs::write(&opener, script(code)).expect("a script");
        std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        let is_opened = || std::fs::read_to_string(&opened).is_ok_and(|text| text.ends_with('\n'));
        let (port, errors) =
            open_with(folder.path(), |errors| is_opened() && (code == 0 || errors.contains(shown)));
        let address = std::fs::read_to_string(&opened).expect("it was called");
        assert_eq!(address, format!("http://127.0.0.1:{port}/ggp/\n"));
        assert_eq!(errors.contains("(`xdg-open` failed: exit status: 3)"), code == 3, "{errors}");
    }
}
