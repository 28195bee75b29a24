//! Players that are at fault or not there, and command lines that cannot begin.

use crate::{fresh, ggp, results};
use serde_json::Value;
use std::path::PathBuf;

#[cfg(unix)]
#[test]
fn players_at_fault_are_counted() {
    let player = "bad=cmd:sh -c 'while read line; do echo nonsense; done'";
    let args = ["match", "games/tic_tac_toe.kif", "--player=good=random", "--player", player, "--games", "2"];
    for (policy, unscored) in [("random", false), ("first", false), ("forfeit", true)] {
        let out = fresh(&format!("fault-{policy}.jsonl"));
        let run = ggp(&[&args[..], &["--on-fault", policy, "--out", out.to_str().unwrap()]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let all = results(&out);
        assert!(all.values().all(|result| result["faults"][0]["kind"] == "illegal"), "{all:?}");
        assert_eq!(all.values().any(|result| result["ending"] == "forfeit"), unscored, "{all:?}");
    }
    let run = ggp(&["match", "games/nim.kif", "--player=a=random", "--player=b=cmd:/nonexistent"]);
    assert!(run.code == 3 && run.stderr.contains("`/nonexistent` cannot be started"), "{}", run.stderr);
}

/// A shell script that answers START and STOP as a player does. It answers PLAY with the output of the shell
/// command `play`.
#[cfg(unix)]
fn script(name: &str, play: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = fresh(name);
    let cases = format!("case $line in *START*) echo ready;; *PLAY*) {play};; *) echo done;; esac");
    std::fs::write(&path, format!("#!/bin/sh\nwhile read -r line; do {cases}; done\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// An address on which no server listens.
fn deserted() -> String {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}")
}

#[cfg(unix)]
#[test]
fn players_that_are_not_there_end_the_command_before_it_begins() {
    let gone = format!("gone=http://{}", deserted().trim_start_matches("http://"));
    let args = ["match", "games/nim.kif", "--player=good=random", "--player", &gone];
    let programs =
        ["--player=ends=cmd:sh -c 'echo no licence >&2; exit 1'", "--player=lost=cmd:/nonexistent"];
    let fault = ["--games", "12", "--on-fault"];
    for policy in ["random", "first", "forfeit"] {
        let out = fresh(&format!("refused-{policy}.jsonl"));
        let more = [policy, "--out", out.to_str().unwrap()];
        let run = ggp(&[&args[..], &programs, &fault, &more].concat());
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
        let lines: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(lines.len(), 3, "{}", run.stderr);
        let begins = [
            "gone cannot take part: http://127.0.0.1:",
            "ends cannot take part: `sh -c",
            "lost cannot take part: `/nonexistent",
        ];
        for (line, begin) in lines.iter().zip(begins) {
            assert!(line.starts_with(&format!("error: player {begin}")), "{line}");
        }
        assert!(lines[0].ends_with("; start the player there, or correct the address"), "{}", lines[0]);
        assert!(lines[1].contains("(exit status: 1): no licence; correct the command"), "{}", lines[1]);
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "", "nothing was played");
    }
    // Shards also try their players before the first match, except players that have no match left.
    let program = script("leaves.sh", "echo nonsense");
    let player = format!("--player=p=cmd:{}", program.display());
    let out = fresh("leaves.jsonl");
    let play = |games: &str, shard: &str| {
        let args =
            ["match", "games/nim.kif", "--player=good=random", &player, "--games", games, "--shard", shard];
        ggp(&[&args[..], &["--resume", out.to_str().unwrap()]].concat())
    };
    assert_eq!(play("4", "1/1").code, 0);
    std::fs::remove_file(&program).unwrap();
    for (games, shard, code) in [("4", "1/1", 0), ("4", "2/2", 0), ("6", "1/1", 3), ("40", "2/2", 3)] {
        let run = play(games, shard);
        assert_eq!(run.code, code, "{games} {shard}: {}", run.stderr);
    }
    assert_eq!(results(&out).len(), 4);
}

#[cfg(unix)]
#[test]
fn a_player_often_at_fault_is_named_first() {
    let player = format!("bad=cmd:{}", script("at-fault.sh", "echo nonsense").display());
    let (out, page) = (fresh("at-fault.jsonl"), fresh("at-fault.html"));
    let [out, page] = [&out, &page].map(|path| path.to_str().unwrap());
    let args = ["match", "games/tic_tac_toe.kif", "--player=good=mcts:iterations=20", "--player", &player];
    let run = ggp(&[&args[..], &["--games", "80", "--out", out, "--report", page]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let stats = ggp(&["stats", out]);
    let json: Value = serde_json::from_str(&ggp(&["stats", out, "--json"]).stdout).unwrap();
    let (named, doubt) =
        ("bad was at fault in 80 of its 80 matches.", "With so many faults this says little about strength.");
    for text in [&run.stdout, &stats.stdout] {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], named);
        assert!(lines[1].starts_with("good is ahead of bad: +") && lines[1].ends_with(doubt), "{text}");
    }
    assert_eq!(json["headline"][0], named);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<b>bad</b> was at fault in 80 of its 80 matches.") && page.contains(doubt));
    assert!(!page.contains("is stronger") && !run.stdout.contains("is stronger"));
}

/// A program that starts slowly is ready in time if no start clock is given.
#[cfg(unix)]
#[test]
fn the_first_fault_of_each_kind_is_told() {
    let slow = script("slow.sh", "echo '(take 1'");
    let text = std::fs::read_to_string(&slow).unwrap().replace("echo ready", "sleep 1; echo ready");
    std::fs::write(&slow, &text).unwrap();
    let player = format!("slow=cmd:{}", slow.display());
    let args = ["match", "games/nim.kif", "--player=good=random", "--player", &player, "--games", "2"];
    let run = ggp(&args);
    assert!(run.code == 0 && !run.stderr.contains("--startclock"), "{}", run.stderr);
    let told: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("slow as ")).collect();
    assert_eq!(told.len(), 1, "{}", run.stdout);
    assert!(told[0].contains(": illegal: ") && told[0].ends_with("(take 1"), "{}", run.stdout);
    let run = ggp(&[&args[..], &["--startclock", "0"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains(": no start: no answer to START within 0 s\n"), "{}", run.stdout);
    assert!(
        run.stderr.ends_with("note: slow was not ready in time: give --startclock 10\n"),
        "{}",
        run.stderr
    );
    // More time does not help a player that is busy.
    std::fs::write(&slow, text.replace("sleep 1; echo ready", "echo busy")).unwrap();
    let run = ggp(&args);
    assert!(run.stdout.contains(": no start: it is busy with another match\n"), "{}", run.stdout);
    assert!(run.code == 0 && !run.stderr.contains("--startclock"), "{}", run.stderr);
}

/// Results and records do not take the place of other files, and a role without a move is told.
#[test]
fn what_stops_a_tournament_is_said_with_its_mend() {
    let game = fresh("stuck.kif");
    let rules = "(role a) (role b) (init s) (next t) (<= (legal a x) (true s)) (legal b y) (<= terminal (true u)) \
                 (goal a 50) (goal b 50)";
    std::fs::write(&game, rules).unwrap();
    let game = game.to_str().unwrap();
    let play = |more: &[&str]| {
        let args = ["match", game, "--player=p=random", "--player=q=random:seed=1", "--games", "2"];
        ggp(&[&args[..], more].concat())
    };
    let run = play(&[]);
    let told = format!(
        "note: in stuck, the role a has no legal move at step 1, so the match has no score: `ggp check --simulate 100 \
         {game}` tells more\n"
    );
    assert!(run.code == 0 && run.stderr.matches(&told).count() == 1, "{}", run.stderr);
    let run = play(&["--out", game]);
    let refused = format!(
        "error: {game}:1:1: not JSON: expected value; the file is no file of results: name another one\n"
    );
    assert!(run.code == 1 && run.stderr.ends_with(&refused), "{}", run.stderr);
    let run = play(&["--save", game]);
    let refused =
        format!("error: {game}: it is a file, but the records of matches need a folder: name another one\n");
    assert!(run.code == 1 && run.stderr.ends_with(&refused), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(game).unwrap(), rules);
}

#[test]
fn nothing_to_play_and_nobody_to_meet_are_refused() {
    let play = |more: &[&str]| ggp(&[&["match", "games/nim.kif"], more].concat());
    for (more, said) in [
        (
            &["--player=a=random", "--player=b=mcts", "--games", "0"][..],
            "there is nothing to play: 1 or more are wanted",
        ),
        (
            &["--player=a=random", "--player=b=mcts", "--games", "many"],
            "a whole number from 1 to 100000000 is wanted",
        ),
        (
            &["--player=a=random", "--player=b=mcts", "--games", "18446744073709551615"],
            "100000000 matches are the most",
        ),
        (
            &["--player=a=random"],
            "a would play against itself in nim, which has 2 roles: add a second player",
        ),
        (
            &["--player=a=random", "--player=a=mcts"],
            "two players with the name `a`: give each a name of its own",
        ),
    ] {
        let run = play(more);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{more:?}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(said), "{}", run.stderr);
    }
    // A single player of a one-player game is valid; it is no match against itself.
    let run = ggp(&["match", "games/eight_puzzle.kif", "--player=a=random", "--games", "2"]);
    assert_eq!(
        (run.code, run.stdout.starts_with("a played alone.\n")),
        (0, true),
        "{}{}",
        run.stdout,
        run.stderr
    );
    let run = play(&["--player=a=random:seed=1", "--player=b=random:seed=1", "--games", "2"]);
    assert_eq!(run.code, 0);
    let same = "note: a and b are the same player, random:seed=1: any difference between them is chance\n";
    assert!(run.stderr.starts_with(same), "{}", run.stderr);
    assert!(run.stderr.contains("note: all players have seeds of their own"), "{}", run.stderr);
    let run =
        play(&["--player=a=random:seed=1", "--player=b=random:seed=2", "--games", "2", "--openings", "1"]);
    assert!(run.code == 0 && !run.stderr.contains("note: "), "{}", run.stderr);
}
