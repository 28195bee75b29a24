//! Invalid rulesheets with the exact output of `ggp check`.
//!
//! `tests/invalid/NAME.kif` is the input; a first line `; level: strict` or `; level: lenient` selects
//! the level. `NAME.stderr` is the expected output. The exit code is always 1, since each input has at
//! least one error. After an intended change, update the outputs with `UPDATE_EXPECT=1 cargo test -p
//! ggp-tests invalid` and review the difference.

use ggp_gdl::{Severity, Strictness, diagnose, render};
use std::fs;
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("invalid")
}

fn inputs() -> Vec<PathBuf> {
    let entries = fs::read_dir(directory()).expect("tests/invalid can be read");
    let paths = entries.map(|entry| entry.expect("an entry of tests/invalid").path());
    let mut inputs: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "kif")).collect();
    inputs.sort();
    inputs
}

fn level(kif: &[u8]) -> Strictness {
    if kif.starts_with(b"; level: strict") {
        Strictness::Strict
    } else if kif.starts_with(b"; level: lenient") {
        Strictness::Lenient
    } else {
        Strictness::Default
    }
}

#[test]
fn each_bad_input_gives_its_message() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let inputs = inputs();
    assert!(inputs.len() >= 40, "only {} bad inputs", inputs.len());
    let mut wrong = Vec::new();
    for input in inputs {
        let name = input.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let kif = fs::read(&input).expect("an input can be read");
        let mut findings = diagnose(&kif, level(&kif));
        // As the command shows them: errors first.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        assert!(findings.iter().any(|d| d.severity == Severity::Error), "{name} passes, but should not");
        let shown = render(&findings, &format!("tests/invalid/{name}"), &kif, false);
        let expected = input.with_extension("stderr");
        if update {
            fs::write(&expected, &shown).expect("an expectation can be written");
        } else if fs::read_to_string(&expected).unwrap_or_default() != shown {
            wrong.push(format!("--- {name} now shows:\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{} texts differ from what is expected\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_strict_error_is_no_error_by_default() {
    for input in inputs() {
        let kif = fs::read(&input).expect("an input can be read");
        let is_bad = |level| diagnose(&kif, level).iter().any(|d| d.severity == Severity::Error);
        let (lenient, default, strict) =
            (is_bad(Strictness::Lenient), is_bad(Strictness::Default), is_bad(Strictness::Strict));
        assert!(lenient <= default && default <= strict, "{}", input.display());
        if level(&kif) == Strictness::Strict {
            assert!(!default, "{} need not be strict", input.display());
        }
    }
}
