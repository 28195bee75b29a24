//! The fingerprint of `crates/propnet/build.rs`, which separates networks of different programs in the cache, covers
//! every crate of the workspace that the network's builder uses.

use ggp_tests::workspace;
use std::collections::BTreeSet;
use std::fs;

/// The crates of the workspace on which `krate` depends, as folders in `crates`.
fn dependencies(krate: &str) -> Vec<String> {
    let path = workspace().join("crates").join(krate).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let used = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let used = used.take_while(|line| !line.starts_with('['));
    used.filter_map(|line| Some(line.strip_prefix("ggp-")?.split(['.', ' ', '=']).next()?.to_owned()))
        .collect()
}

#[test]
fn the_fingerprint_covers_all_sources_of_a_network() {
    let script = fs::read_to_string(workspace().join("crates/propnet/build.rs")).expect("the script");
    let (mut open, mut met) = (vec!["propnet".to_owned()], BTreeSet::new());
    while let Some(krate) = open.pop() {
        for below in dependencies(&krate) {
            assert!(script.contains(&format!("\"../{below}/src\"")), "crates/propnet/build.rs lacks {below}");
            if met.insert(below.clone()) {
                open.push(below);
            }
        }
    }
    assert!(met.contains("game") && met.len() > 1, "{met:?}");
}
