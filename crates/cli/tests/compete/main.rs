//! The commands that play many matches or involve other programs, as scripts see them: results that are
//! resumed and merged, players at fault, a player and a manager on the loopback interface, proofs, and boards.

mod faults;
mod results;
#[path = "../run/mod.rs"]
mod run;
#[path = "../served/mod.rs"]
mod served;

use run::{Run, command, ggp};
use serde_json::Value;
use served::Served;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The path of a file that only one test uses. The file does not exist yet.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

/// The results of a file by match id, without their times.
fn results(path: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(path).expect("results");
    let one = |line: &str| {
        let mut result: Value = serde_json::from_str(line).expect("a result");
        let members = result.as_object_mut().expect("an object");
        members.remove("time");
        members.remove("ended");
        (members["id"].as_str().expect("an id").to_owned(), result)
    };
    let all: Vec<_> = text.lines().map(one).collect();
    let count = all.len();
    let map: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(map.len(), count, "a match was played twice");
    map
}

#[test]
fn a_served_player_is_hosted() {
    let served = Served::start("mcts:iterations=20");
    let record = fresh("hosted.json");
    let x = format!("x={}", served.url);
    let args = ["host", "games/tic_tac_toe.kif", "--player", &x, "--player=o=random", "--scramble"];
    let more = ["--startclock", "3", "--playclock", "2", "--save", record.to_str().unwrap()];
    let run = ggp(&[&args[..], &more].concat());
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.lines().last().unwrap().starts_with("Over after "), "{}", run.stdout);
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&record).unwrap()).unwrap();
    assert_eq!((&record["isCompleted"], &record["scrambled"]), (&true.into(), &true.into()));
    // The same player in a tournament.
    let a = format!("a={}", served.url);
    let out = fresh("served.jsonl");
    let args = ["match", "games/nim.kif", "--player", &a, "--player=b=random", "--games", "2"];
    let run = ggp(&[&args[..], &["--out", out.to_str().unwrap()]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let all = results(&out);
    assert!(all.len() == 2 && all.values().all(|result| result.get("faults").is_none()), "{all:?}");
}

/// Tests the Monty Hall problem: switching wins two thirds of the matches, a random choice one half.
#[test]
fn hidden_information_is_played_by_what_is_seen() {
    let out = fresh("hidden.jsonl");
    let args =
        ["match", "games/monty_hall.kif", "--player=thinks=mcts:iterations=100", "--player=draws=random"];
    let run = ggp(&[&args[..], &["--games", "400", "--out", out.to_str().unwrap()]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let all = results(&out);
    assert!(all.values().all(|result| result.get("faults").is_none()), "{all:?}");
    let wins = |name: &str| {
        let of = all.values().filter(|result| result["players"][1] == name);
        of.filter(|result| result["goals"][1] == 100).count()
    };
    let (thinks, draws) = (wins("thinks"), wins("draws"));
    // Each player plays 200 matches. Three standard deviations are 20 matches.
    assert!((114..=154).contains(&thinks) && (79..=121).contains(&draws), "{thinks} {draws}");
    // The same with a remote player and a host.
    let served = Served::start("mcts:iterations=50");
    let guest = format!("guest={}", served.url);
    let more = ["--scramble", "--startclock", "3", "--playclock", "2"];
    let run = ggp(&[&["host", "games/monty_hall.kif", "--player", &guest][..], &more].concat());
    assert_eq!((run.code, run.stdout.contains("Over after 3 steps")), (0, true), "{}", run.stderr);
    for spec in ["guest=random", "guest=mcts:iterations=50"] {
        let run = ggp(&["play", "games/monty_hall.kif", "--player", spec]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_served_player_complies_and_ends_when_told() {
    let mut served = Served::start("mcts");
    let run = ggp(&["comply", &served.url, "--startclock", "2", "--playclock", "2", "--json"]);
    let sheet: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let lines = sheet["findings"].as_array().unwrap();
    let bad: Vec<&Value> = lines.iter().filter(|line| line["verdict"] != "conforms").collect();
    assert_eq!((run.code, bad), (0, Vec::new()), "{}", run.stderr);
    assert!(lines.len() > 30);
    let kill = Command::new("kill").args(["-TERM", &served.child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    let gone = ggp(&["comply", &served.url]);
    assert_eq!(gone.code, 1, "{}", gone.stdout);
    assert!(gone.stdout.starts_with("fails "), "{}", gone.stdout);
}

#[test]
fn small_games_are_solved() {
    let run = ggp(&["solve", "games/tic_tac_toe.kif", "--memory", "50", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let proofs: Value = serde_json::from_str(&run.stdout).unwrap();
    for (number, role) in ["x", "o"].into_iter().enumerate() {
        let proof = &proofs[number];
        assert_eq!(proof["role"], role);
        assert_eq!([&proof["low"], &proof["high"]], [50, 50]);
    }
    let run = ggp(&["solve", "games/connect_four.kif", "--memory", "10", "--seconds", "0.1"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("between 0 and 100 so far in "), "{}", run.stdout);
}

/// Tests six roles with 30 moves each: 729 million joint moves in every state of a million steps.
#[test]
fn a_proof_that_needs_more_memory_than_it_may_take_says_so() {
    let numbers: String = (0..30).map(|n| format!("(n {n}) (succ {n} {}) ", n + 1)).collect();
    let roles: String = ["a", "b", "c", "d", "e", "f"].map(|role| format!("(role {role}) ")).concat();
    let rules = format!(
        "{roles} {numbers} (init (sum 0 0))
        (<= (legal ?r (add ?n)) (role ?r) (n ?n))
        (<= (next (sum ?n ?x)) (does a (add ?n)) (does b (add ?x)))
        (<= terminal (true (sum 30 30))) (<= (goal ?r 0) (role ?r))"
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("solve_wide.kif");
    std::fs::write(&file, rules).unwrap();
    let args = ["solve", file.to_str().unwrap(), "--memory", "1", "--reasoner", "datalog"];
    let run = ggp(&args);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 6);
    for line in lines {
        assert!(line.contains("between 0 and 100 so far in "), "{line}");
        assert!(line.ends_with("; the memory is used up, and --memory gives more"), "{line}");
    }
    let run = ggp(&[&args[..], &["--json"]].concat());
    let proofs: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!([&proofs[0]["complete"], &proofs[0]["out_of_memory"]], [false, true]);
}

#[test]
fn a_board_is_drawn_and_described() {
    let run = ggp(&["view", "games/tic_tac_toe.kif"]);
    assert!(run.code == 0 && run.stdout.lines().count() >= 3, "{}{}", run.stdout, run.stderr);
    let run = ggp(&["view", "games/tic_tac_toe.kif", "--json"]);
    let view: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!(view["model"]["kind"], "grid");
    assert_eq!(view["position"]["squares"].as_array().unwrap().len(), 9);
}

#[test]
fn an_analysis_names_moves_and_visits() {
    let args = ["analyze", "games/tic_tac_toe.kif", "--iterations", "200", "--json"];
    let run = ggp(&args);
    let thought: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!((run.code, &thought["terminal"]), (0, &false.into()), "{}", run.stderr);
    assert_eq!(thought["roles"]["x"].as_array().unwrap().len(), 9);
    assert_eq!(thought["iterations"], 200);
    let run = ggp(&["analyze", "games/tic_tac_toe.kif", "--spec", "random"]);
    assert!(run.code == 2 && run.stderr.starts_with("error: `random` does not search; "), "{}", run.stderr);
}

#[test]
fn a_wrong_command_line_is_2() {
    for (args, message) in [
        (&["match", "games/nim.kif", "--player", "random"][..], "error: `random` is not NAME=SPEC"),
        (&["match", "games/nim.kif", "--player=a b=random"], "error: `a b` is not a valid name"),
        (
            &["match", "games/nim.kif", "--player=a=chess"],
            "error: there is no player `chess`; the players are mcts, uct, random, and outside of this program \
             http://HOST:PORT and cmd:PROGRAM ARG…\n",
        ),
        (
            &["host", "games/nim.kif", "--player=first=localhost:9147"],
            "error: there is no player `localhost`; the players are mcts, uct, random, and outside of this program \
             http://HOST:PORT and cmd:PROGRAM ARG…\n",
        ),
        (
            &["play", "games/nim.kif", "--player=first=chess"],
            "error: there is no player `chess`; the players are mcts, uct, random\n",
        ),
        (&["match", "games/nim.kif", "--player=a=random", "--sprt", "elo9=1"], "error: --sprt: `elo9=1`"),
        (&["match", "games/nim.kif", "--player=a=random", "--shard", "3/2"], "error: invalid value '3/2'"),
        (&["play", "games/nim.kif", "--player=first=cmd:x"], "error: `cmd:x` plays outside of this program"),
        (&["serve", "chess"], "error: there is no player `chess`"),
        (&["host", "games/nim.kif", "--player", "third=random"], "error: the game has no role `third`"),
        (&["comply", "http://localhost:9147", "--playclock", "0.5"], "error: the protocol has whole seconds"),
    ] {
        let run = ggp(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.starts_with(message), "{args:?}: {}", run.stderr);
    }
    for name in ["match", "stats", "merge", "serve", "host", "comply", "view", "analyze", "solve"] {
        let help = ggp(&[name, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains(&format!("Examples:\n  ggp {name} ")), "{}", help.stdout);
    }
}

#[test]
fn what_is_learnt_stays_in_the_file_and_can_be_seen() {
    let file = fresh("games.knowledge");
    let file = file.to_str().unwrap();
    let learn = |game: &str| {
        ggp(&["learn", game, "--descents", "6000", "--threads", "1", "--knowledge", file, "--json"])
    };
    let last = |run: &Run| -> serde_json::Value {
        assert_eq!((run.code, &*run.stderr), (0, ""));
        serde_json::from_str(run.stdout.lines().last().expect("a generation")).expect("JSON")
    };
    let rules = "games/tic_tac_toe.kif";
    let (first, second) = (last(&learn(rules)), last(&learn(rules)));
    assert!(first["descents"].as_u64() >= Some(6000) && first["positions"].as_u64() > Some(0), "{first}");
    assert!(second["descents"].as_u64() >= Some(12_000), "learning goes on: {second}");
    let shown = ggp(&["analyze", rules, "--learnt", file]);
    assert_eq!((shown.code, &*shown.stderr), (0, ""));
    let feature = |line: &str| line.contains("x: (") || line.contains("o: (");
    assert_eq!(shown.stdout.lines().filter(|line| feature(line)).count(), 10, "{}", shown.stdout);
    let uses: Vec<&str> = shown.stdout.lines().filter(|line| line.starts_with("players ")).collect();
    assert!(
        uses.len() == 2 && uses[0].contains("the policy: ") && uses[1].contains("minimax values: "),
        "{}",
        shown.stdout
    );

    for (game, why) in [
        ("games/eight_puzzle.kif", "this game cannot be learnt: it has one role"),
        ("games/kuhn_poker.kif", "this game cannot be learnt: its roles see only a part of the state"),
    ] {
        let run = learn(game);
        assert_eq!((run.code, &*run.stdout), (1, ""));
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    let other = ggp(&["analyze", "games/nim.kif", "--learnt", file]);
    assert_eq!(other.code, 1);
    assert!(other.stderr.contains("holds nothing of this game; `ggp learn` learns it"), "{}", other.stderr);
    std::fs::write(file, "(role x)").unwrap();
    for args in [
        &["learn", rules, "--knowledge", file, "--descents", "1"][..],
        &["serve", "--knowledge", file, "--stdio"],
        &["serve", &format!("mcts:knowledge={file}"), "--stdio"],
        &["analyze", rules, "--learnt", file],
    ] {
        let run = ggp(args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.stderr.contains("holds no knowledge of games: name a file that"), "{}", run.stderr);
    }
    let run = ggp(&["serve", "random", "--knowledge", file, "--stdio"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--knowledge is for players that search"), "{}", run.stderr);
}
