//! Tests never use the cache of the user who runs them: every file that starts `ggp` turns the cache off, or gives
//! it a folder of its own.

use crate::syntax::collect;
use ggp_tests::workspace;
use std::fs;

#[test]
fn tests_do_not_use_the_cache_of_the_user() {
    let mut found = Vec::new();
    collect(&workspace().join("crates/cli/tests"), &mut found);
    let mut starters = 0;
    for path in found {
        let text = fs::read_to_string(&path).expect("a text");
        let starts = text.matches("env!(\"CARGO_BIN_EXE_ggp\")").count();
        let isolated =
            text.matches("env(\"GGP_NO_CACHE\", \"1\")").count() + text.matches("env(\"GGP_CACHE\",").count();
        assert!(
            isolated >= starts,
            "{}: {starts} starts of ggp, {isolated} of them without the cache",
            path.display()
        );
        starters += usize::from(starts > 0);
    }
    assert!(starters > 5, "the tests start ggp");
    let acceptance = fs::read_to_string(workspace().join("tests/acceptance/common.py")).expect("a text");
    assert!(acceptance.contains("os.environ[\"GGP_NO_CACHE\"]"), "acceptance tests use the cache");
}
