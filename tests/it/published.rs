//! The published rulesheets: each loads, and formatting changes only white space.
//!
//! The rulesheets are third-party data and not part of the project. Without them, the tests report that
//! they are skipped and pass.

use ggp_gdl::{Severity, Strictness, check, format, parse, print, render};
use std::fs;
use std::path::PathBuf;

fn rulesheets() -> Vec<(String, Vec<u8>)> {
    let Some(corpus) = ggp_tests::corpus() else { return Vec::new() };
    let read = |path: &PathBuf| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let paths = ggp_tests::rulesheets_in(&corpus.join("rules"));
    paths.iter().map(|path| (path.display().to_string(), read(path))).collect()
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
        let printed = print(&parse(&kif).expect("it parses"));
        let again = parse(printed.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(printed, print(&again), "{name}");
    }
}

#[test]
fn layout_keeps_the_rules_and_settles_at_once() {
    for (name, kif) in rulesheets() {
        let once = format(&kif).expect("it parses");
        assert_eq!(format(&once).expect("it parses"), once, "{name}");
        let before = print(&parse(&kif).expect("it parses"));
        assert_eq!(before, print(&parse(&once).expect("it parses")), "{name}");
    }
}
