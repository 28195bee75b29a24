//! The recorded playouts of the five reference games (`../shared/five`, or `$GGP_FIVE`): counts and
//! hashes of legal moves, terminal states, and goals.

use ggp_game::Interpreter;
use ggp_tests::oracle::Oracle;

fn replays(name: &str) {
    let Some(folder) = ggp_tests::five() else { return };
    let path = folder.join(name).with_extension("json");
    let record = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let oracle: Oracle = serde_json::from_slice(&record).expect("the format of the record");
    assert!(!oracle.playouts.is_empty(), "no playouts recorded");
    assert!(oracle.playouts.iter().all(|playout| !playout.goals.is_empty()), "no goals recorded");
    let mut machine = Interpreter::new(&ggp_tests::game(&ggp_tests::rulesheet(name)));
    oracle.compare_playouts(&mut machine).unwrap_or_else(|difference| panic!("{name}: {difference:?}"));
}

#[test]
fn breakthrough_holes() {
    replays("breakthrough_holes");
}

#[test]
fn endgame() {
    replays("endgame");
}

#[test]
fn english_draughts() {
    replays("english_draughts");
}

#[test]
fn pawn_whopping() {
    replays("pawn_whopping");
}

#[test]
fn skirmish() {
    replays("skirmish");
}
