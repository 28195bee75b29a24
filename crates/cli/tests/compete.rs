//! The commands that play many matches or involve other programs, as scripts see them: results that are
//! resumed and merged, a player and a manager on the loopback interface, proofs, and boards.

mod served;

use serde_json::Value;
use served::Served;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.env("LANG", "C.UTF-8").env_remove("LC_ALL");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ggp(args: &[&str]) -> Run {
    let output = command(args).output().expect("ggp runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("an exit code");
    Run { code, stdout: text(output.stdout), stderr: text(output.stderr) }
}

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

const MATCH: [&str; 11] = [
    "match",
    "games/tic_tac_toe.kif",
    "games/nim.kif",
    "--player=strong=mcts",
    "--player=weak=random",
    "--iterations",
    "30",
    "--games",
    "24",
    "--openings",
    "1",
];

#[test]
fn results_resume_and_shards_merge() {
    let (whole, torn, page) = (fresh("whole.jsonl"), fresh("torn.jsonl"), fresh("page.html"));
    let play = |more: &[&str]| ggp(&[&MATCH[..], more].concat());
    let run = play(&["--out", whole.to_str().unwrap(), "--report", page.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let few = " pairs. This is too little evidence yet: at least 30 pairs are needed.\n\nRatings\nplayer ";
    assert!(
        run.stdout.starts_with("strong is ahead of weak: +") && run.stdout.contains(few),
        "{}",
        run.stdout
    );
    assert!(run.stdout.lines().nth(4).unwrap().starts_with("strong "), "{}", run.stdout);
    assert!(run.stderr.contains("\n24/24 matches, 0 s left: strong "), "{}", run.stderr);
    let all = results(&whole);
    assert_eq!(all.len(), 24);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("mcts:iterations=30") && html.contains("</html>"));
    // A file as a killed run leaves it: whole lines and a partial one.
    let text = std::fs::read_to_string(&whole).unwrap();
    let cut = text.match_indices('\n').nth(8).unwrap().0 + 40;
    std::fs::write(&torn, &text[..cut]).unwrap();
    let run = play(&["--resume", torn.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let cut_off =
        format!("note: {}:10: the last line is cut off, and its match is not counted", torn.display());
    assert!(run.stderr.starts_with(&cut_off), "{}", run.stderr);
    assert!(run.stderr.contains("\n9 of 24 matches have been played before\n"), "{}", run.stderr);
    assert_eq!(results(&torn), all);
    // Results of another tournament are refused, and `--out` does not overwrite results.
    let foreign = play(&["--seed", "2", "--resume", whole.to_str().unwrap()]);
    assert_eq!(foreign.code, 1);
    assert!(
        foreign.stderr.contains("resume with the arguments and the rulesheets of the first run"),
        "{}",
        foreign.stderr
    );
    let over = play(&["--out", whole.to_str().unwrap()]);
    assert!(over.code == 1 && over.stderr.contains("holds results already"), "{}", over.stderr);
    // Two shards give the same results.
    let shards = [fresh("shard1.jsonl"), fresh("shard2.jsonl")];
    for (number, shard) in shards.iter().enumerate() {
        let part = format!("{}/2", number + 1);
        let run = play(&["--shard", &part, "--out", shard.to_str().unwrap(), "--concurrency", "2"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let merged = fresh("merged.jsonl");
    let [first, second] = shards.each_ref().map(|shard| shard.to_str().unwrap());
    let run = ggp(&["merge", first, second, "--out", merged.to_str().unwrap()]);
    let said = "24 results from 2 files, 0 duplicates left out\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, said));
    assert_eq!(results(&merged), all);
    assert_eq!(ggp(&["merge", first, whole.to_str().unwrap()]).stdout.lines().count(), 24);
    // The records alone give the same totals.
    let stats = |path: &Path| -> Value {
        let run = ggp(&["stats", path.to_str().unwrap(), "--json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let [one, two] = [stats(&whole), stats(&merged)];
    assert_eq!((&one["matches"], &one["players"][0]["name"]), (&24.into(), &"strong".into()));
    assert_eq!(one["pairs"], two["pairs"]);
    let run = ggp(&["stats", whole.to_str().unwrap(), "--sprt", "elo1=200", "--of", "weak"]);
    assert_eq!(run.code, 4, "{}", run.stdout);
    assert!(run.stdout.ends_with("H0 accepted: weak is not stronger than strong\n"), "{}", run.stdout);
}

#[test]
fn a_sequential_test_ends_the_tournament() {
    let play = |first: &str, second: &str| {
        let [first, second] = [format!("a={first}"), format!("b={second}")];
        let args = ["match", "games/tic_tac_toe.kif", "--player", &first, "--player", &second];
        ggp(&[&args[..], &["--games", "400", "--sprt", "elo0=0", "elo1=100"]].concat())
    };
    let (better, worse) = (play("mcts:iterations=50", "random"), play("random", "mcts:iterations=50"));
    assert_eq!((better.code, worse.code), (0, 4), "{}{}", better.stderr, worse.stderr);
    assert!(better.stdout.ends_with("H1 accepted: a is 100 Elo or more above b\n"), "{}", better.stdout);
    assert!(worse.stdout.ends_with("H0 accepted: a is not stronger than b\n"), "{}", worse.stdout);
    for run in [&better, &worse] {
        assert!(!run.stdout.contains("too little evidence"), "{}", run.stdout);
    }
    assert!(!better.stderr.contains("400/400"), "{}", better.stderr);
}

#[cfg(unix)]
#[test]
fn an_interrupted_tournament_says_how_to_go_on() {
    let out = fresh("stopped.jsonl");
    let path = out.to_str().unwrap();
    let args = ["match", "games/nim.kif", "--player=a=mcts", "--player=b=mcts", "--playclock", "0.05"];
    let child = command(&[&args[..], &["--games", "5000", "--out", path]].concat()).spawn().unwrap();
    while std::fs::read_to_string(&out).unwrap_or_default().lines().count() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let going = format!("--playclock 0.05 --games 5000 --resume {path}\n");
    assert!(stderr.contains("go on with: ") && stderr.ends_with(&going), "{stderr}");
}

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
fn a_test_without_terms_has_the_default_ones() {
    let args =
        ["match", "games/nim.kif", "--player=a=random", "--player=b=mcts:iterations=5", "--games", "2"];
    let run = ggp(&[&args[..], &["--sprt"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("\na minus b: H0 0 Elo, H1 10 Elo, alpha 0.05, beta 0.05\n"),
        "{}",
        run.stdout
    );
    let swallowed = ["match", "--sprt", "elo0=0", "games/nim.kif", "--player=a=random"];
    let run = ggp(&swallowed);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(
        run.stderr.starts_with("error: invalid value 'games/nim.kif' for '--sprt")
            && run.stderr.contains("write FILE before --sprt"),
        "{}",
        run.stderr
    );
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

#[test]
fn what_was_asked_for_is_rated() {
    let out = fresh("more.jsonl");
    let path = out.to_str().unwrap();
    let play = |more: &[&str]| {
        let args = [
            "match",
            "games/nim.kif",
            "games/tic_tac_toe.kif",
            "--player=a=random",
            "--player=b=mcts:iterations=5",
        ];
        let run = ggp(&[&args[..], more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run
    };
    let four = play(&["--games", "4"]).stdout;
    play(&["--games", "20", "--out", path]);
    let without_time = |text: &str| text.split("\nTime\n").next().unwrap().to_owned();
    let again = play(&["--games", "4", "--resume", path]);
    assert_eq!(without_time(&again.stdout), without_time(&four));
    let said = "4 of 4 matches have been played before\nnote: the file has 16 more, beyond what --games and --shard ask \
                for: they are not rated here; `ggp stats` rates all\n";
    assert!(again.stderr.ends_with(said), "{}", again.stderr);
    let shard = play(&["--games", "20", "--shard", "1/2", "--resume", path]);
    assert!(shard.stderr.contains("note: the file has 10 more"), "{}", shard.stderr);
    let test = ["--sprt", "elo0=0", "elo1=10"];
    let tested = play(&[&["--games", "4", "--resume", path][..], &test].concat());
    assert!(tested.stdout.contains(" after 2 pairs: undecided"), "{}", tested.stdout);
    let all = play(&["--games", "20", "--resume", path]);
    assert!(!all.stderr.contains("note: "), "{}", all.stderr);
    assert_eq!(results(&out).len(), 20, "nothing was taken away");
}

#[test]
fn files_without_results_are_refused_by_name() {
    let [empty, text, torn, good] =
        ["empty", "text", "torn", "good"].map(|name| fresh(&format!("kept-{name}.jsonl")));
    let path = good.to_str().unwrap();
    let args =
        ["match", "games/nim.kif", "--player=a=random", "--player=b=mcts:iterations=5", "--games", "4"];
    // `--resume` starts a file that is empty or missing.
    for _ in 0..2 {
        let run = ggp(&[&args[..], &["--resume", path]].concat());
        assert!(run.code == 0 && results(&good).len() == 4, "{}", run.stderr);
        std::fs::write(&good, "").unwrap();
    }
    assert_eq!(ggp(&[&args[..], &["--resume", path]].concat()).code, 0);
    std::fs::write(&empty, "").unwrap();
    std::fs::write(&text, "hello").unwrap();
    let whole = std::fs::read_to_string(&good).unwrap();
    std::fs::write(&torn, &whole[..whole.len() - 40]).unwrap();
    let [empty, text, torn] = [&empty, &text, &torn].map(|path| path.to_str().unwrap());
    for command in ["stats", "merge"] {
        for (file, said) in [
            ("/no/such/file", "error: there is no file /no/such/file\n".to_owned()),
            (
                env!("CARGO_TARGET_TMPDIR"),
                format!(
                    "error: {0} is a directory: name files in it, as {0}/*.jsonl\n",
                    env!("CARGO_TARGET_TMPDIR")
                ),
            ),
            (empty, format!("error: there are no results: {empty} holds no results\n")),
            (
                text,
                format!(
                    "error: {text}:1:1: not JSON: expected value; results have one JSON object a line, as `ggp match --out FILE` writes them\n"
                ),
            ),
        ] {
            let run = ggp(&[command, file]);
            assert_eq!(
                (run.code, run.stdout.as_str(), run.stderr.as_str()),
                (1, "", said.as_str()),
                "{command} {file}"
            );
        }
        // Beside a valid file, empty and torn files only cause warnings.
        let run = ggp(&[command, path, empty, torn]);
        let told = format!(
            "warning: {empty} holds no results\nwarning: {torn}:4: the last line is cut off, and its match is not counted\n"
        );
        assert!(run.code == 0 && run.stderr.starts_with(&told), "{command}: {}", run.stderr);
    }
    // A file that is no file of results stays unchanged.
    let run = ggp(&[&args[..], &["--resume", text]].concat());
    assert!(
        run.code == 1 && run.stderr.starts_with(&format!("error: {text}:1:1: not JSON")),
        "{}",
        run.stderr
    );
    assert_eq!(std::fs::read_to_string(text).unwrap(), "hello");
    let run = ggp(&[&args[..], &["--resume", torn]].concat());
    assert!(run.stderr.contains(&format!("note: {torn}:4: the last line is cut off")), "{}", run.stderr);
    assert_eq!((run.code, results(Path::new(torn)).len()), (0, 4));
    let run = ggp(&[&args[..], &["--out", "/no/such/place/r.jsonl"]].concat());
    let nowhere = "error: /no/such/place/r.jsonl cannot be created: there is no directory /no/such/place\n";
    assert_eq!((run.code, run.stderr.as_str()), (1, nowhere));
}

/// Tests a closed standard output, as in `ggp match … | head`.
#[test]
fn nothing_is_lost_when_nobody_reads() {
    let unread = |args: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(args).stdout(writer).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (out, page, again) = (fresh("unread.jsonl"), fresh("unread.html"), fresh("unread-stats.html"));
    let [path, page, again] = [&out, &page, &again].map(|path| path.to_str().unwrap());
    let args = [
        "match",
        "games/tic_tac_toe.kif",
        "--player=a=random",
        "--player=b=mcts:iterations=50",
        "--games",
        "400",
    ];
    let more = ["--sprt", "elo0=0", "elo1=100", "--out", path, "--report", page];
    let (code, stderr) = unread(&[&args[..], &more].concat());
    assert_eq!((code, stderr.contains("error")), (Some(4), false), "{stderr}");
    let played = results(&out).len();
    assert!(played > 10);
    let test = ["--sprt", "elo0=0", "elo1=100", "--of", "a", "--report", again];
    assert_eq!(unread(&[&["stats", path][..], &test].concat()), (Some(4), String::new()));
    for page in [page, again] {
        assert!(std::fs::read_to_string(page).unwrap().ends_with("</html>\n"));
    }
    assert_eq!(unread(&["merge", path]), (Some(0), String::new()));
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
