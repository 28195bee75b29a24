//! Matches that were played elsewhere: the list of the watched folder, and replays by the links of a report.

use crate::browser::Browser;
use crate::http::{get, post};
use crate::server::{Server, root};
use serde_json::json;
use std::process::Command;

#[test]
fn a_report_leads_to_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let (matches, report) = (folder.path().join("matches"), folder.path().join("report.html"));
    std::fs::create_dir(&matches).expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1").current_dir(root());
    command.args([
        "match",
        "games/nim.kif",
        "--player=a=random:seed=1",
        "--player=b=random:seed=2",
        "--games=2",
    ]);
    let output = command.arg("--save").arg(&matches).arg("--report").arg(&report).output().expect("ggp runs");
    assert!(output.status.success(), "{output:?}");
    let page = std::fs::read_to_string(&report).expect("a report");
    let links: Vec<&str> = page.split("#replay=").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links.len(), 2, "{page}");

    let server = Server::start(&["--watch", matches.to_str().expect("a path")]);
    // A record that only a later version reads is named.
    std::fs::write(matches.join("later.json"), r#"{"format":"ggp record","version":9}"#).expect("a file");
    let list = get(server.port, "/api/records").ok();
    assert_eq!(list["later"][0]["name"], "later", "{list}");
    let first = &list["records"][0];
    assert_eq!((&first["game"], &first["over"]), (&json!("nim"), &json!(true)), "{list}");
    for name in ["", "../report", "none"] {
        assert_eq!(post(server.port, "/api/sessions", &json!({ "replay": name })).status, 404, "{name}");
    }
    for size in [(1280, 900), (390, 844)] {
        let Some(browser) = Browser::start(size, false) else { return };
        // The link of the report, but for the port.
        browser.open(&format!("http://127.0.0.1:{}/#replay={}", server.port, links[0]));
        browser.wait("document.querySelector('.state')?.textContent.startsWith('Over')");
        browser.wait("!document.querySelector('.result').hidden && !document.querySelector('#rematch')");
        browser.click("#start");
        browser.wait("document.querySelector('.step[aria-current]').textContent === 'start'");
        browser.click("#forth");
        browser.wait("document.querySelectorAll('.step')[1].hasAttribute('aria-current')");
        // The list of all matches.
        browser.open(&format!("http://127.0.0.1:{}/#", server.port));
        browser.click("#matches");
        browser.wait("document.querySelectorAll('.records tbody tr').length === 2");
        browser.wait(
            "document.querySelector('p.reason').textContent.startsWith('later is not listed: version 9')",
        );
        browser.picture(&format!("matches-{}", size.0));
        assert!(browser.overflow() <= 0);
        browser.click(".records a");
        browser.wait("document.querySelector('.state')?.textContent.startsWith('Over')");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
    // Without a watched folder there is nothing to list.
    let server = Server::start(&[]);
    assert_eq!(get(server.port, "/api/records").status, 404);
    assert_eq!(post(server.port, "/api/sessions", &json!({"replay": links[0]})).status, 404);
}
