//! The number of joint-move sequences of each rulesheet, from `tests/perft`: of the five games as
//! the issue gives them, of the small ones as programs of a few lines each, written without GDL,
//! have counted them.

use ggp_game::Interpreter;
use ggp_tests::{perft_table, workspace};

/// How many sequences are counted at the most: all that the tables have in release builds.
const MOST: u64 = if cfg!(debug_assertions) { 20_000 } else { u64::MAX };

#[test]
fn each_rulesheet_has_the_counts_of_its_table() {
    for name in ggp_tests::rulesheets() {
        let path = workspace().join("tests/perft").join(&name).with_extension("perft");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let table = perft_table::read(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let mut machine = Interpreter::new(&ggp_tests::game(&ggp_tests::rulesheet(&name)));
        perft_table::check(&mut machine, &table, MOST).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}
