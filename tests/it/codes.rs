//! The pages about the codes of diagnostics: every code has one, the examples that need a game give their codes, and the
//! book has the pages.
//!
//! `GGP_UPDATE=1 cargo test -p ggp-tests --test it codes` writes the pages of the book.

use ggp::{Limits, Rulesheet, Strictness};
use ggp_gdl::codes::{page, pages};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text before the first test module of a source file.
fn code_of(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file can be read");
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

fn source_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            source_files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The codes in calls of functions that make findings, in constants that name a code, and in functions `code`.
fn codes_in(text: &str) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for call in [
        "at_head(",
        "Diagnostic::error(",
        "Diagnostic::warning(",
        "Diagnostic::new(",
        "const OVER_AT_START",
        "const NO_MOVE_AT_START",
        "const NOT_KEPT",
    ] {
        for (at, _) in text.match_indices(call) {
            let rest = &text[at + call.len()..];
            let end = rest.find(['(', ';']).unwrap_or(rest.len());
            let argument = rest[..end].split('"').nth(1).unwrap_or_default();
            let is_code = !argument.is_empty()
                && argument.bytes().all(|b| b.is_ascii_lowercase() || b"-8".contains(&b));
            if is_code {
                codes.insert(argument.to_owned());
            }
        }
    }
    for function in text.split("fn code(self)").skip(1) {
        let body = function.split("\n    }\n").next().unwrap_or_default();
        codes.extend(body.split('"').skip(1).step_by(2).map(str::to_owned));
    }
    codes
}

#[test]
fn every_code_has_a_page() {
    let mut files = Vec::new();
    for name in ["gdl", "game", "ggp", "ide", "lsp", "web", "cli"] {
        source_files(&root().join("crates").join(name).join("src"), &mut files);
    }
    let found: BTreeSet<String> = files.iter().flat_map(|path| codes_in(&code_of(path))).collect();
    let known: BTreeSet<String> = pages().map(|page| page.code.to_owned()).collect();
    assert!(found.len() > 40, "{found:?}");
    let without: Vec<_> = found.difference(&known).collect();
    let unused: Vec<_> = known.difference(&found).collect();
    assert!(
        without.is_empty() && unused.is_empty(),
        "without a page: {without:?}; without a use: {unused:?}"
    );
}

#[test]
fn examples_that_need_a_game_give_their_codes() {
    // A rule for `role` is an error at the default strictness. The bound is small, because its default takes seconds.
    let limits = || Limits { tuples: 10_000, ..Limits::default() };
    for (code, strictness) in [
        ("role", Strictness::Lenient),
        ("unbounded", Strictness::Default),
        ("over-at-start", Strictness::Default),
        ("no-move-at-start", Strictness::Default),
    ] {
        let text = page(code).and_then(|page| page.example.rulesheet()).expect("an example");
        let (_, findings) = Rulesheet::new("example.kif", text).check(strictness, limits());
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
}

/// The start of the list of pages in the summary of the book.
const LIST: &str = "- [Diagnostics](diagnostics.md)\n";

#[test]
fn the_book_has_the_pages() {
    let book = root().join("crates/ggp/book/src");
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut index = String::from(
        "# Diagnostics\n\n`ggp check` gives each finding a code. `ggp check --explain CODE` prints the page about it; these are \
         the same pages.\n\n| code | meaning |\n|---|---|\n",
    );
    let mut list = LIST.to_owned();
    for page in pages() {
        files.push((book.join("diagnostics").join(format!("{}.md", page.code)), page.markdown()));
        index.push_str(&format!("| [`{0}`](diagnostics/{0}.md) | {1} |\n", page.code, page.summary));
        list.push_str(&format!("  - [{0}](diagnostics/{0}.md)\n", page.code));
    }
    files.push((book.join("diagnostics.md"), index));
    let summary = fs::read_to_string(book.join("SUMMARY.md")).expect("the summary");
    let (before, rest) = summary.split_once(LIST).expect("the summary lists the diagnostics");
    // The list stands at the end of the summary.
    assert!(rest.lines().all(|line| line.starts_with("  - ")), "{rest}");
    files.push((book.join("SUMMARY.md"), format!("{before}{list}")));
    for (path, text) in files {
        if std::env::var_os("GGP_UPDATE").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
            fs::write(&path, text).expect("a page can be written");
        } else {
            let found = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(found, text, "{}: GGP_UPDATE=1 writes it", path.display());
        }
    }
}
