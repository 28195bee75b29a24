//! Files that commands write: they replace no file of another kind, and what cannot be written is refused before the work.

use super::{TINY, ggp, root, scratch};

#[test]
fn an_output_replaces_no_file_of_another_kind() {
    let poker = std::fs::read_to_string(root().join("games/kuhn_poker.kif")).expect("the rules");
    let (rules, hidden) = (scratch("output.kif", TINY), scratch("output-hidden.kif", &poker));
    let results = scratch("output.jsonl", "");
    let [game, poker_game, results] = [&rules, &hidden, &results].map(|path| path.to_str().expect("UTF-8"));
    for (args, option, file) in [
        (&["play", game, "--iterations", "5"][..], "--save", game),
        (&["host", game], "--save", game),
        (&["check", game, "--simulate", "1"], "--save", game),
        (&["match", game, "--player=x=random", "--player=y=random"], "--report", game),
        (&["stats", results], "--report", game),
        (&["merge", results], "--out", game),
        (&["solve", poker_game], "--efg", poker_game),
    ] {
        let run = ggp(&[args, &[option, file]].concat());
        let message = format!("error: {option} does not replace {file}, which is not ");
        assert!(run.code == 2 && run.stderr.contains(&message), "{args:?}: {} {}", run.code, run.stderr);
    }
    assert_eq!(std::fs::read_to_string(&rules).expect("the rules"), TINY);
    assert_eq!(std::fs::read_to_string(&hidden).expect("the rules"), poker);
}

#[test]
fn knowledge_that_cannot_be_written_is_refused_before_the_work() {
    let game = "games/tic_tac_toe.kif";
    for args in [
        &["learn", game, "--knowledge", "/nowhere/k"][..],
        &["play", game, "--player", "x=mcts:knowledge=/nowhere/k"],
        &["host", game, "--player", "x=mcts:knowledge=/nowhere/k"],
        &["match", game, "--player", "a=mcts:knowledge=/nowhere/k", "--player", "b=random"],
    ] {
        let run = ggp(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("error: cannot write /nowhere/k: "), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.matches("/nowhere/.").count(), 1, "the reason is told once: {}", run.stderr);
    }
    let run = ggp(&["analyze", game, "--learnt", "/nowhere/k"]);
    let message = "/nowhere/k does not exist: name a file that `ggp learn` has written\n";
    assert_eq!((run.code, run.stderr.as_str()), (1, message));
}
