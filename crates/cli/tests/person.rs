//! People in games of hidden information at the terminal (`ggp play --human`).

use ggp_tests::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

/// The output of a run of `ggp play`, and its exit code.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Run {
    /// The standard output before the end of the match, which reveals the rest.
    fn hidden(&self) -> &str {
        self.stdout.split(REVEALED).next().unwrap_or_default()
    }
}

const REVEALED: &str = "The match, with all that was hidden:";

/// Runs `ggp play` with `arguments`, and `typed` at the keyboard.
fn play(arguments: &[&str], typed: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.current_dir(workspace()).arg("play").args(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ggp runs");
    // A match may end before it has read all lines.
    let _ = child.stdin.take().expect("a pipe").write_all(typed.as_bytes());
    let output = child.wait_with_output().expect("ggp ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The lines that say what the role did and saw.
fn seen(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains("   sees ")).collect()
}

/// The games of hidden information with a role that a person plays, and the other role that a player plays.
const GAMES: [(&str, &str, Option<&str>); 9] = [
    ("monty_hall", "guest", None),
    ("kuhn_poker", "first", Some("second")),
    ("kuhn_poker", "second", Some("first")),
    ("liars_dice", "first", Some("second")),
    ("liars_dice", "second", Some("first")),
    ("mastermind", "breaker", None),
    ("ship_hunt", "gunner", None),
    ("phantom_tic_tac_toe", "x", Some("o")),
    ("phantom_tic_tac_toe", "o", Some("x")),
];

#[test]
fn a_person_plays_each_game_to_its_end() {
    for (game, role, other) in GAMES {
        let file = format!("games/{game}.kif");
        let opponent = other.map(|other| format!("{other}=random"));
        let mut arguments = vec![file.as_str(), "--human", role, "--seed", "5"];
        if let Some(opponent) = &opponent {
            arguments.extend(["--player", opponent]);
        }
        let run = play(&arguments, &"1\n".repeat(60));
        assert_eq!(run.code, Some(0), "{game}: {}\n{}", run.stderr, run.stdout);
        assert!(
            run.stdout.contains(REVEALED) && run.stdout.contains("Over after "),
            "{game}: {}",
            run.stdout
        );
        assert!(run.stdout.contains(" possible."), "{game}: {}", run.stdout);
    }
}

/// Equal percepts give equal output, whatever is hidden: the output is a function of what the role knows.
#[test]
fn nothing_but_moves_and_percepts_decides_what_is_shown() {
    for (game, role, other) in GAMES {
        let file = format!("games/{game}.kif");
        let opponent = other.map(|other| format!("{other}=random"));
        let mut shown: BTreeMap<Vec<String>, BTreeSet<(String, String)>> = BTreeMap::new();
        let (mut runs, mut matches) = (0, BTreeSet::new());
        for seed in 0..16 {
            let seed = seed.to_string();
            let mut arguments = vec![file.as_str(), "--human", role];
            if let Some(opponent) = &opponent {
                arguments.extend(["--player", opponent]);
            }
            // The person makes one move, and ends the match by the end of the input before the second one.
            arguments.extend(["--seed", &seed]);
            let run = play(&arguments, "1\n");
            let hidden = run.hidden().to_owned();
            let percepts = seen(&hidden).into_iter().map(str::to_owned).collect();
            if run.code == Some(1) {
                assert!(!run.stdout.contains(REVEALED), "{game}: {}", run.stdout);
                shown.entry(percepts).or_default().insert((hidden, run.stderr));
            } else {
                // The match is over after the person's first move.
                let told = run.stderr.split("(seed").next().unwrap_or_default().to_owned();
                shown.entry(percepts).or_default().insert((hidden, told));
                matches.insert(run.stdout);
            }
            runs += 1;
        }
        assert_eq!(runs, 16);
        for (percepts, texts) in &shown {
            // A match that ends and one that goes on differ by that alone.
            let boards: BTreeSet<&str> = texts.iter().map(|(stdout, _)| stdout.as_str()).collect();
            assert_eq!(boards.len(), 1, "{game}, {role}, {percepts:?}: {boards:#?}");
            assert!(texts.len() <= 2, "{game}, {role}, {percepts:?}: {texts:#?}");
        }
        assert!(shown.len() < 16, "{game}: every run has its own percepts");
    }
}

#[test]
fn the_prize_is_possible_behind_two_doors_until_the_end() {
    let run = play(&["games/monty_hall.kif", "--human", "guest", "--seed", "3"], "1\n1\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let hidden = run.hidden();
    assert!(hidden.contains("guest (choose 1)   sees nothing"), "{hidden}");
    assert!(hidden.contains("sees (opened "), "{hidden}");
    assert!(hidden.contains("67 %") && hidden.contains("33 %"), "{hidden}");
    assert!(!run.stderr.split("Over").next().unwrap_or_default().contains("seed 3\n"), "{}", run.stderr);
    assert!(run.stderr.ends_with("(seed 3)\n"), "{}", run.stderr);
    let revealed = play(&["games/monty_hall.kif", "--human", "guest", "--seed", "3", "--reveal"], "1\n1\n");
    assert!(!revealed.stdout.contains(REVEALED), "{}", revealed.stdout);
    assert!(revealed.stdout.contains("  1. random (hide "), "{}", revealed.stdout);
    assert!(revealed.stderr.contains("(seed 3)"), "{}", revealed.stderr);
}

#[test]
fn two_people_at_one_screen_look_in_turn() {
    let people = ["games/kuhn_poker.kif", "--human", "first", "--human", "second", "--seed", "2"];
    // Each of them presses Enter before looking, and then types a move.
    let run = play(&people, &"\n1\n".repeat(10));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in ["first", "second"] {
        let asked = format!("{name} moves next. {name}, press Enter when nobody else looks> ");
        assert!(run.stderr.contains(&asked), "{}", run.stderr);
    }
    assert!(run.stdout.contains("first wait   sees (dealt "), "{}", run.stdout);
}

/// Equal percepts give equal hints, whatever is hidden.
#[test]
fn a_hint_is_a_function_of_what_the_role_knows() {
    for (game, role, other) in [GAMES[0], GAMES[1], GAMES[2]] {
        let file = format!("games/{game}.kif");
        let opponent = other.map(|other| format!("{other}=random"));
        let mut hints: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
        for seed in 0..12 {
            let seed = seed.to_string();
            let mut arguments = vec![file.as_str(), "--human", role, "--seed", &seed];
            if let Some(opponent) = &opponent {
                arguments.extend(["--player", opponent]);
            }
            // In Monty Hall, the second decision is the one after percepts.
            let run = play(&arguments, if game == "monty_hall" { "1\nhint\n" } else { "hint\n" });
            let percepts = seen(run.hidden()).into_iter().map(str::to_owned).collect();
            let hint = run.stderr.split("hint: ").nth(1).and_then(|rest| rest.lines().next());
            let hint = hint.unwrap_or_else(|| panic!("{game}: {}", run.stderr));
            assert!(hint.contains(", expected goal "), "{hint}");
            hints.entry(percepts).or_default().insert(hint.to_owned());
        }
        assert!(hints.len() > 1 && hints.len() < 12, "{game}: {hints:?}");
        for (percepts, hints) in &hints {
            assert_eq!(hints.len(), 1, "{game}, {percepts:?}: {hints:?}");
        }
    }
    let run = play(&["games/monty_hall.kif", "--human", "guest", "--seed", "3"], "1\nhint\n");
    assert!(run.stderr.contains("hint: change, expected goal 6"), "{}", run.stderr);
}

#[test]
fn a_hint_in_an_open_game_takes_the_win() {
    let people = ["games/tic_tac_toe.kif", "--human", "x", "--human", "o"];
    let turns = "(mark 1 1)\n(mark 2 1)\n(mark 1 2)\n(mark 2 2)\nhint\n";
    let run = play(&people, turns);
    assert!(run.stderr.contains("hint: (mark 1 3), which gives 100"), "{}", run.stderr);
}

#[test]
fn the_book_shows_what_a_person_sees() {
    let page = std::fs::read_to_string(workspace().join("crates/ggp/book/src/hidden.md")).expect("the page");
    let begin = "$ ggp play games/monty_hall.kif --human guest --seed 4\n[…]\n";
    let (_, shown) = page.split_once(begin).expect("the example");
    let shown = shown.split("```").next().unwrap_or_default();
    let (board, asked) = shown.split_once("\n\n").expect("a board and a question");
    let run = play(&["games/monty_hall.kif", "--human", "guest", "--seed", "4"], "1\n");
    assert!(run.stdout.contains(board), "{}", run.stdout);
    assert!(run.stderr.contains(asked.trim_end()), "{}", run.stderr);
}

/// The output of `ggp play` with `arguments` in a terminal, with `typed` at the keyboard. The shell runs `before` in the
/// terminal first. `script` of util-linux makes the terminal.
#[cfg(target_os = "linux")]
fn on_terminal(before: &str, arguments: &str, typed: &str) -> String {
    let line = format!("{before}; '{}' play {arguments}", env!("CARGO_BIN_EXE_ggp"));
    let mut command = Command::new("script");
    command
        .env("GGP_NO_CACHE", "1")
        .current_dir(workspace())
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm")
        .env_remove("NO_COLOR");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("`script` of util-linux runs");
    let _ = child.stdin.take().expect("a pipe").write_all(typed.as_bytes());
    let output = child.wait_with_output().expect("the match ends");
    String::from_utf8(output.stdout).expect("UTF-8").replace('\r', "")
}

/// On a terminal, the board has colours, and their codes arrive as such.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colours() {
    let arguments = "games/phantom_tic_tac_toe.kif --human x --player o=random --seed 3";
    let shown = on_terminal("true", arguments, &"1\n".repeat(60));
    assert!(shown.contains("states are possible"), "{shown}");
    assert!(shown.contains("\x1b[2mo?"), "{shown}");
    assert!(!shown.contains(char::REPLACEMENT_CHARACTER), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_narrow_terminal_breaks_lists_between_moves() {
    let arguments = "games/tic_tac_toe.kif --human x --player o=mcts:iterations=50 --seed 1";
    let shown = on_terminal("export NO_COLOR=1; stty cols 44 rows 30", arguments, "bad\n1\n");
    let refused = "\
x has no legal move `bad`; legal:
(mark 1 1), (mark 1 2), (mark 1 3),
(mark 2 1), (mark 2 2), (mark 2 3),
(mark 3 1), (mark 3 2),
and 1 more (? lists the moves)
";
    assert!(shown.contains(refused), "{shown}");
    let thoughts: Vec<&str> = shown.lines().filter(|line| line.contains(" visits")).collect();
    assert_eq!(thoughts.len(), 3, "{shown}");
    for line in thoughts {
        assert!(line.starts_with("     (mark ") && line.chars().count() <= 44, "{line}");
    }
}
