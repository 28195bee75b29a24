//! The README and the guide (`crates/ggp/book`) as a reader follows them. Commands print what the pages show, every
//! block of GDL is what its page says, and every link leads somewhere. `GGP_UPDATE=1` rewrites the outputs and the
//! generated parts of the reference.
//!
//! A code block ` ```text ` whose lines begin with `$ ` shows commands and what they print. The attributes of a block
//! ` ```gdl ` say what the test makes of it:
//!
//! | attribute | meaning |
//! |---|---|
//! | none | a whole game: `ggp check --strict` finds nothing, and random playouts end with goals |
//! | `file=NAME` | the same, and the commands below find it as the file NAME |
//! | `frame=NAME` | a part of a game: it is tested behind the rulesheet in the file NAME |
//! | `finding=CODE` | `ggp check` finds CODE first |
//! | `fragment` | terms of GDL |
//!
//! Commands in a block ` ```sh ` are not run, but `ggp` must know their options. Blocks of other languages with `file=NAME` are written to the file NAME.

mod page;
mod reference;
mod run;

use run::{Folder, Tested};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The folder of the guide's text.
fn book() -> PathBuf {
    ggp_tests::workspace().join("crates/ggp/book/src")
}

/// Compares a page with what it should be, or rewrites it.
fn keep_current(path: &Path, page: &str, wanted: &str) {
    if page == wanted {
        return;
    }
    if std::env::var_os("GGP_UPDATE").is_some() {
        return std::fs::write(path, wanted).expect("the page can be written");
    }
    let at = page.lines().zip(wanted.lines()).take_while(|(shown, real)| shown == real).count();
    let (shown, real) = (page.lines().nth(at), wanted.lines().nth(at));
    panic!("{}:{}: GGP_UPDATE=1 rewrites it\n shown: {shown:?}\n  real: {real:?}", path.display(), at + 1);
}

#[test]
fn the_readme_shows_what_is_printed() {
    let path = ggp_tests::workspace().join("README.md");
    let page = std::fs::read_to_string(&path).expect("the README");
    let mut tested = Tested::default();
    keep_current(&path, &page, &Folder::root().run(&page, &mut tested));
    assert!(tested.commands >= 4, "only {} examples", tested.commands);
}

#[test]
fn the_guide_shows_what_is_printed_and_its_rules_are_checked() {
    let mut tested = Tested::default();
    for path in page::pages(&book()) {
        let page = std::fs::read_to_string(&path).expect("a page");
        // The examples of these pages have a test of their own.
        let is_about_a_diagnostic = path.parent().is_some_and(|folder| folder.ends_with("diagnostics"));
        assert!(is_about_a_diagnostic || page::blocks(&page).iter().all(|block| block.language() != "lisp"));
        let file = path.file_name().expect("a name").to_string_lossy();
        let wanted = Folder::of_a_reader().run(&reference::with_parts(&file, &page), &mut tested);
        keep_current(&path, &page, &wanted);
    }
    assert!(
        tested.rulesheets >= 20 && tested.commands >= 20,
        "{} and {}",
        tested.rulesheets,
        tested.commands
    );
}

#[test]
fn the_players_in_python_answer_without_a_fault() {
    if !run::has_python() {
        return;
    }
    let page = std::fs::read_to_string(book().join("any_language.md")).expect("the page");
    let folder = Folder::of_a_reader();
    folder.run(&page, &mut Tested::default());
    let mut server = folder.python(&["http_player.py", "0"]);
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let port = line.trim().strip_prefix("listening on ").expect("a port");
    let remote = format!("white=http://localhost:{port}");
    let game = ["host", "clobber.kif", "--seed", "1", "--player", "black=random:seed=1", "--player"];
    for player in [remote.as_str(), "white=cmd:python3 player.py"] {
        let (code, stdout, stderr) = folder.ggp(&[&game[..], &[player]].concat(), "");
        assert!(code == 0 && stdout.contains("Over after "), "{stdout}{stderr}");
        // Standard error has a line with the players, and then one for each fault.
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    // The sample passes every `must`, and fails the checks that the page names. Others may be too slow on a busy machine.
    let (code, stdout, stderr) = folder.ggp(&["comply", &format!("http://localhost:{port}"), "--json"], "");
    assert_eq!(code, 0, "{stdout}{stderr}");
    let sheet: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    for named in ["gdl2", "preview", "http.get", "http.no-length", "http.options"] {
        let mut findings = sheet["findings"].as_array().expect("a list").iter();
        let is_named = |check: &str| check == named || check.starts_with(&format!("{named}."));
        let fails =
            findings.any(|one| one["verdict"] == "fails" && one["check"].as_str().is_some_and(is_named));
        assert!(fails && page.contains(&format!("`{named}`")), "{named}: {stdout}");
    }
    server.kill().expect("the server is there");
    server.wait().expect("the server ends");
}

#[test]
fn the_contents_name_every_page_once() {
    let summary = std::fs::read_to_string(book().join("SUMMARY.md")).expect("the contents");
    let mut named = page::links(&summary);
    named.sort();
    let pages = page::pages(&book()).into_iter();
    let pages = pages.map(|page| page.strip_prefix(book()).expect("inside").display().to_string());
    let mut pages: Vec<String> = pages.filter(|page| page != "SUMMARY.md").collect();
    pages.sort();
    assert_eq!(named, pages);
}

#[test]
fn every_link_leads_to_a_page_and_a_heading() {
    for path in page::pages(&book()) {
        let page = std::fs::read_to_string(&path).expect("a page");
        for link in page::links(&page) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            assert!(target.exists(), "{}: {link}", path.display());
            // mdBook copies the files of the folder of the text only.
            let inside =
                target.canonicalize().expect("a path").starts_with(book().canonicalize().expect("a path"));
            assert!(inside, "{}: {link} is outside of the guide", path.display());
            let text = std::fs::read_to_string(&target).unwrap_or_default();
            let known = anchor.is_empty() || page::anchors(&text).iter().any(|known| known == anchor);
            assert!(known, "{}: {link}", path.display());
        }
    }
}
