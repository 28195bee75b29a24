//! Uses the library as a program outside of this workspace does. A test makes a crate outside of this
//! workspace that depends on `ggp` alone, with the example `first.rs` as its source, and checks it. Another one runs the
//! example.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn a_crate_outside_of_the_workspace_can_be_the_example() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = own.join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let path = own.display();
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nggp = {{ path = {:?} }}\n\n\
             [profile.dev]\ndebug = false\nincremental = false\n",
            path.to_string()
        ),
    )
    .expect("a manifest");
    fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the versions of the workspace");
    fs::copy(own.join("examples/first.rs"), folder.join("src/main.rs")).expect("the example");
    let checked = Command::new(env!("CARGO"))
        .args(["check", "--quiet", "--offline", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(folder.join("target"))
        .current_dir(&workspace)
        .output()
        .expect("cargo runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

/// Cargo builds the examples of a package before it runs all its tests, and puts both below the same folder.
#[test]
fn the_example_finds_a_legal_move() {
    let tests = std::env::current_exe().expect("a path");
    let example = format!("examples/first{}", std::env::consts::EXE_SUFFIX);
    let example = tests.ancestors().nth(2).expect("a folder").join(example);
    assert!(example.exists(), "{} is missing: `cargo test -p ggp` builds it", example.display());
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = Command::new(example).current_dir(workspace).output().expect("it runs");
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{errors}");
    let line = |start: &str| said.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
    let columns: Vec<String> = (1..=7).map(|column| format!("(drop {column})")).collect();
    assert_eq!(line("legal moves: "), columns.join(" "));
    assert!(columns.iter().any(|mv| mv == line("best move: ")), "{said}");
}

#[test]
fn the_front_page_shows_the_example() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(own.join("src/lib.rs")).expect("the front page");
    let example = fs::read_to_string(own.join("examples/first.rs")).expect("the example");
    let code: Vec<&str> =
        example.lines().skip_while(|line| line.starts_with("//!") || line.is_empty()).collect();
    let shown: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.starts_with("//! ```"))
        .skip(1)
        .take_while(|line| !line.starts_with("//! ```"))
        .map(|line| line.trim_start_matches("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        // Lines that rustdoc hides.
        .filter(|line| !line.starts_with("# "))
        .collect();
    assert_eq!(shown, code);
    assert!(code.iter().filter(|line| !line.trim().is_empty()).count() <= 15, "fifteen lines of code");
}
