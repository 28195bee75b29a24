//! Numbers of joint-move sequences of each rulesheet, from `tests/perft`. Those of the five reference
//! games are given; those of the small games were counted by short programs without GDL.

use ggp_game::Interpreter;
use ggp_tests::{perft_table, workspace};

/// Limit of the sequences counted, unless long tests count to the full depth of the tables.
const MOST: u64 = 20_000;

/// The same for chess, of which the interpreter evaluates few states a second.
const MOST_OF_CHESS: u64 = 10_000;

#[test]
fn each_rulesheet_has_the_counts_of_its_table() {
    for name in ggp_tests::rulesheets() {
        let path = workspace().join("tests/perft").join(&name).with_extension("perft");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let table = perft_table::read(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let mut machine = Interpreter::new(&ggp_tests::game(&ggp_tests::rulesheet(&name)));
        let most = if ggp_tests::plays_long() { u64::MAX } else { MOST };
        let most = if name == "chess" { most.min(MOST_OF_CHESS) } else { most };
        perft_table::check(&mut machine, &table, most).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}
