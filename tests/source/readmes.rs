//! The README of each library shows the example of the library's front page. `GGP_UPDATE=1 cargo test -p ggp-tests
//! --test source` copies the examples.

use ggp_tests::workspace;
use std::fs;

/// The first code block of `page`, without lines that rustdoc hides.
fn first_block(page: &str) -> Vec<&str> {
    let inside = page.lines().skip_while(|line| !line.starts_with("```")).skip(1);
    inside.take_while(|line| !line.starts_with("```")).filter(|line| !line.starts_with("# ")).collect()
}

/// The documentation at the top of a source file.
fn front_page(source: &str) -> String {
    let lines = source.lines().filter_map(|line| line.strip_prefix("//!"));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

#[test]
fn a_readme_shows_the_example_of_the_front_page() {
    for folder in fs::read_dir(workspace().join("crates")).expect("the crates") {
        let folder = folder.expect("a crate").path();
        let path = folder.join("README.md");
        let mut readme = fs::read_to_string(&path).expect("a README in each crate");
        // A crate without a library shows commands.
        let Ok(source) = fs::read_to_string(folder.join("src/lib.rs")) else { continue };
        let front = front_page(&source);
        let (shown, example) = (first_block(&readme).join("\n"), first_block(&front).join("\n"));
        if shown != example && std::env::var_os("GGP_UPDATE").is_some() {
            readme = readme.replace(&shown, &example);
            fs::write(&path, &readme).expect("the README can be written");
        }
        assert_eq!(first_block(&readme).join("\n"), example, "{}: GGP_UPDATE=1 copies it", path.display());
    }
}
