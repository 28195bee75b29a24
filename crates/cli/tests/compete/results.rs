//! Files of results: written, resumed, merged and rated, with the sequential test.

use crate::{command, fresh, ggp, results};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

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
    let why = "this result belongs to another tournament (`seed` was 1 and is 2 now): resume with the arguments and \
               the rulesheets of the first run";
    assert!(foreign.stderr.contains(why), "{}", foreign.stderr);
    // Each result tells how it was played, and `ggp stats` shows it.
    assert!(all.values().all(|result| result["settings"]["players"]["weak"] == "random"));
    let stats = ggp(&["stats", whole.to_str().unwrap()]).stdout;
    let settings = stats.split("\nSettings\n").nth(1).unwrap_or_else(|| panic!("{stats}"));
    let has = |name: &str, value: &str| {
        settings
            .lines()
            .any(|line| line.starts_with(name) && line.trim_end().ends_with(&format!("  {value}")))
    };
    assert!(has("player strong", "mcts:iterations=30") && has("random opening moves", "1"), "{settings}");
    assert!(has("play clock", "none") && has("seed", "1"), "{settings}");
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
