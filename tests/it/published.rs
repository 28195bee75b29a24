//! The published rulesheets: all of them load, and laying them out changes nothing but blanks.
//!
//! They are third-party data and not part of the project: they are looked for in `$GGP_CORPUS`, or
//! in `../shared/corpus` beside the workspace. Without them the tests say so and pass.

use ggp_gdl::{Description, Severity, Strictness, check, format, parse, print, render};
use std::fs;
use std::path::{Path, PathBuf};

fn rulesheets() -> Vec<(String, Vec<u8>)> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let corpus = std::env::var_os("GGP_CORPUS").map_or(beside, PathBuf::from);
    let Ok(entries) = fs::read_dir(corpus.join("rules")) else {
        eprintln!("skipped: no rulesheets in {}; set GGP_CORPUS to the corpus", corpus.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a corpus entry").path()).collect();
    paths.sort();
    paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "kif"))
        .map(|path| (path.display().to_string(), fs::read(&path).expect("a rulesheet can be read")))
        .collect()
}

fn rules(description: &Description) -> String {
    print(description)
}

#[test]
fn each_published_rulesheet_loads() {
    for (name, kif) in rulesheets() {
        let description = parse(&kif).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut findings = check(&description, Strictness::Default);
        findings.retain(|d| d.severity == Severity::Error);
        assert!(findings.is_empty(), "{}", render(&findings, &name, &kif, false));
    }
}

#[test]
fn what_is_printed_is_the_same_description() {
    for (name, kif) in rulesheets() {
        let printed = rules(&parse(&kif).expect("it parses"));
        let again = parse(printed.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(printed, rules(&again), "{name}");
    }
}

#[test]
fn layout_keeps_the_rules_and_settles_at_once() {
    for (name, kif) in rulesheets() {
        let once = format(&kif).expect("it parses");
        assert_eq!(format(&once).expect("it parses"), once, "{name}");
        let before = rules(&parse(&kif).expect("it parses"));
        assert_eq!(before, rules(&parse(&once).expect("it parses")), "{name}");
    }
}
