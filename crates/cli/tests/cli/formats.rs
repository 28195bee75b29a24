//! What `ggp` 0.1 has written is read, what a later version has written is refused, and objects say what they are. The
//! folder `written-by-0.1` holds what that version wrote, with the rules of the games.

use super::{Run, command, feed};
use ggp_tests::workspace;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with the files of `ggp` 0.1. Commands run in it.
struct Old(TempDir);

impl Old {
    fn new() -> Old {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/written-by-0.1");
        for file in files.read_dir().expect("the files") {
            let file = file.expect("a file");
            fs::copy(file.path(), folder.path().join(file.file_name())).expect("a copy");
        }
        Old(folder)
    }

    fn ggp(&self, arguments: &str, typed: &str) -> Run {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        feed(command(&arguments).current_dir(&self.0).env("GGP_DATA", self.0.path()), typed)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).expect("a file")
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("UTF-8")
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.path().join(name), content).expect("a file");
    }
}

/// The members with which an object of the format `name` begins.
fn head(name: &str) -> String {
    format!("{{\"format\":\"{name}\",\"version\":1,")
}

/// The arguments of the tournament in `results.jsonl`.
const MATCH: &str = "match tic_tac_toe.kif --player a=mcts:iterations=20 --player b=random --seed 3";

#[test]
fn what_ggp_0_1_wrote_is_read() {
    let old = Old::new();
    // 1. A match record.
    let run = old.ggp("replay tic_tac_toe.kif record.json", "");
    assert!(run.code == 0 && run.stdout.contains("Over after "), "{}", run.stderr);
    let run = old.ggp("stats record.json --json", "");
    let summary: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((run.code, summary["players"].as_array().map(Vec::len)), (0, Some(2)), "{}", run.stderr);
    let run =
        old.ggp("play tic_tac_toe.kif --from record.json --step 2 --iterations 5 --save again.json", "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(old.text("again.json").starts_with(&head("ggp record")));
    assert_eq!(old.ggp("replay tic_tac_toe.kif again.json", "").code, 0);
    // 2. Results, which a tournament goes on with.
    let before = old.text("results.jsonl");
    assert_eq!(old.ggp("stats results.jsonl", "").code, 0);
    let merged = old.ggp("merge results.jsonl", "").stdout;
    assert!(merged.lines().count() == 2 && merged.lines().all(|line| line.starts_with(&head("ggp result"))));
    let run = old.ggp(&format!("{MATCH} --games 4 --resume results.jsonl"), "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let after = old.text("results.jsonl");
    let added: Vec<&str> = after.strip_prefix(&before).expect("what was there stays").lines().collect();
    assert!(added.len() == 2 && added.iter().all(|line| line.starts_with(&head("ggp result"))), "{added:?}");
    assert_eq!(old.ggp("merge results.jsonl", "").stdout.lines().count(), 4);
    // 3. Knowledge.
    let run = old.ggp("analyze tic_tac_toe.kif --learnt lessons.knowledge --json", "");
    let learnt: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(learnt["generations"].as_array().map(Vec::len), Some(7), "{}{}", run.stdout, run.stderr);
    // 4. A sealed record.
    let run =
        old.ggp("play monty_hall.kif --human guest --seed 3 --from sealed.json --save open.json", "1\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(old.text("open.json").starts_with(&head("ggp record")));
}

#[test]
fn what_a_later_version_wrote_is_refused_and_stays() {
    let old = Old::new();
    let record = old.text("record.json").replacen('{', r#"{"format":"ggp record","version":2,"#, 1);
    old.write("record.json", &record);
    let results = old.text("results.jsonl").replace("{\"id\"", r#"{"format":"ggp result","version":2,"id""#);
    // A later version may lack members of today.
    let results = results.replace("\"ending\"", "\"finish\"");
    old.write("results.jsonl", &results);
    let sealed = old.text("sealed.json").replacen("\"version\":1,", "\"version\":2,", 1);
    old.write("sealed.json", sealed);
    let lessons = old.read("lessons.knowledge");
    let rest = lessons.strip_prefix(b"ggp knowledge 1\n").expect("its first line");
    let lessons = [b"ggp knowledge 4\n", rest].concat();
    old.write("lessons.knowledge", &lessons);
    old.write("tic_tac_toe.view.json", r#"{"version": 2, "shape": "square"}"#);
    for (arguments, format) in [
        ("replay tic_tac_toe.kif record.json", "ggp record"),
        ("stats record.json", "ggp record"),
        ("play tic_tac_toe.kif --from record.json", "ggp record"),
        ("stats results.jsonl", "ggp result"),
        ("merge results.jsonl", "ggp result"),
        (&format!("{MATCH} --games 4 --resume results.jsonl"), "ggp result"),
        ("play monty_hall.kif --human guest --from sealed.json", "ggp sealed record"),
        ("analyze tic_tac_toe.kif --learnt lessons.knowledge", "ggp knowledge"),
        ("learn tic_tac_toe.kif --descents 1 --knowledge lessons.knowledge", "ggp knowledge"),
        ("view tic_tac_toe.kif", "ggp view"),
        ("check tic_tac_toe.kif", "ggp view"),
    ] {
        let run = old.ggp(arguments, "");
        let version = env!("CARGO_PKG_VERSION");
        let (newer, known) =
            if format == "ggp knowledge" { (4, "versions 1 to 3") } else { (2, "version 1") };
        let said = format!(
            "version {newer} of the format `{format}` is unknown to ggp {version}, which reads {known}: use"
        );
        assert!(run.code != 0 && run.stderr.contains(&said), "{arguments}: {} {}", run.code, run.stderr);
        // Once, with the name of the file.
        assert_eq!(run.stderr.matches(&format!("version {newer}")).count(), 1, "{}", run.stderr);
        let file = arguments.split(' ').find(|word| word.ends_with("json") || word.ends_with("jsonl"));
        assert!(run.stderr.contains(file.unwrap_or(".")), "{}", run.stderr);
    }
    assert_eq!((old.text("results.jsonl"), old.read("lessons.knowledge")), (results, lessons));
    // Another kind of file is called by its name.
    let line = old.ggp(&format!("{MATCH} --games 2 --out new.jsonl"), "");
    assert_eq!(line.code, 0, "{}", line.stderr);
    let run = old.ggp("check tic_tac_toe.kif --json --simulate 1", "");
    old.write("check.json", run.stdout);
    let run = old.ggp("replay tic_tac_toe.kif check.json", "");
    assert!(
        run.stderr.contains("its format is `ggp check`, but one of the format `ggp record`"),
        "{}",
        run.stderr
    );
}

#[test]
fn objects_that_are_printed_say_what_they_are() {
    let old = Old::new();
    let page = fs::read_to_string(workspace().join("crates/ggp/book/src/upgrading.md")).expect("the page");
    let hidden = "solve monty_hall.kif --seconds 20";
    for (arguments, name) in [
        ("analyze tic_tac_toe.kif --iterations 10", "ggp analyze"),
        ("analyze tic_tac_toe.kif --learnt lessons.knowledge", "ggp analyze --learnt"),
        ("bench tic_tac_toe.kif --seconds 0.01", "ggp bench"),
        ("check tic_tac_toe.kif", "ggp check"),
        ("check --explain never-joined", "ggp check --explain"),
        ("comply localhost:9", "ggp comply"),
        ("doctor --cpu plain", "ggp doctor"),
        ("info tic_tac_toe.kif", "ggp info"),
        ("info tic_tac_toe.kif --domains", "ggp info --domains"),
        (hidden, "ggp solve"),
        ("stats results.jsonl", "ggp stats"),
        ("view tic_tac_toe.kif", "ggp view --json"),
    ] {
        let run = old.ggp(&format!("{arguments} --json"), "");
        let last = run.stdout.lines().last().unwrap_or_default();
        // Its weights were shares before they were standard deviations.
        let version = if name == "ggp analyze --learnt" { 2 } else { 1 };
        let begins = format!("{{\"format\":\"{name}\",\"version\":{version},");
        assert!(last.starts_with(&begins), "{arguments}: {last} {}", run.stderr);
        let object: Value = serde_json::from_str(last).expect("one object a line");
        assert_ne!(object, json!({"format": name, "version": version}), "its members are there");
        assert!(page.contains(&format!("| `{name}` | {version} |")), "{name} is not in upgrading.md");
    }
    for (name, version) in [
        ("ggp record", 1),
        ("ggp result", 1),
        ("ggp sealed record", 1),
        ("ggp knowledge", 3),
        ("ggp view", 1),
        ("ggp self-play", 1),
    ] {
        assert!(page.contains(&format!("| `{name}` | {version} |")), "{name} is not in upgrading.md");
    }
}
