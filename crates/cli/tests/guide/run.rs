//! The folder in which the examples of a page run, and what they print there.

use crate::page::{Block, blocks};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A line of an output that stands for lines that the page leaves out.
const ELISION: &str = "⋮";

/// The languages of code blocks. Other tests run Rust, and Python without a file. Another test checks the examples of
/// the pages about diagnostics, which are in `lisp`. Commands in `sh` need a network, a person or much time,
/// so only their options are tested. A person takes part in those in `console`. The settings of editors are in `lua`,
/// `toml` and `elisp`; the scenarios of the language server read those for Neovim. `tests/acceptance/proxy.py` runs the
/// configurations in `nginx` and `caddy`.
const LANGUAGES: [&str; 13] = [
    "gdl", "text", "json", "python", "rust", "sh", "console", "lisp", "lua", "toml", "elisp", "nginx",
    "caddy",
];

/// The attributes of a block of GDL.
const ATTRIBUTES: [&str; 4] = ["file", "frame", "finding", "fragment"];

const GGP: &str = env!("CARGO_BIN_EXE_ggp");

/// Random playouts of every whole game of the guide.
const PLAYOUTS: &str = "30";

/// Where the examples of a page run.
pub(crate) struct Folder {
    path: PathBuf,
    /// A folder of its own, which is removed with this value; `None` for the root of the workspace.
    own: Option<tempfile::TempDir>,
}

/// What was tested on a page.
#[derive(Default)]
pub(crate) struct Tested {
    pub(crate) rulesheets: usize,
    pub(crate) commands: usize,
}

impl Folder {
    /// The root of the workspace.
    pub(crate) fn root() -> Folder {
        Folder { path: ggp_tests::workspace(), own: None }
    }

    /// A folder that holds nothing but `games`, the rulesheets of the project.
    pub(crate) fn of_a_reader() -> Folder {
        let own = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(own.path().join("games")).expect("a folder");
        for game in ggp_tests::rulesheets_in(&ggp_tests::workspace().join("games")) {
            for path in [game.with_extension("view.json"), game] {
                let to = own.path().join("games").join(path.file_name().expect("a name"));
                // Few games have a view.
                let _ = std::fs::copy(path, to);
            }
        }
        Folder { path: own.path().to_owned(), own: Some(own) }
    }

    /// Tests the blocks of `page` from the first to the last. Returns the page with the outputs that the commands
    /// really print.
    pub(crate) fn run(&self, page: &str, tested: &mut Tested) -> String {
        let mut printed = String::new();
        let mut end = 0;
        for block in blocks(page) {
            assert!(
                LANGUAGES.contains(&block.language()),
                "a block in a language that is not tested:\n{}",
                block.text
            );
            printed.push_str(&page[end..block.start]);
            end = block.start + block.text.len();
            match block.language() {
                "gdl" => {
                    self.check(&block);
                    tested.rulesheets += 1;
                }
                "sh" => self.parse(block.text),
                // An output without a command is one that differs from run to run.
                "text" if block.text.starts_with("$ ") => {
                    printed.push_str(&self.examples(block.text, tested));
                    continue;
                }
                _ => {
                    if let Some(name) = block.attribute("file") {
                        self.write(name, block.text);
                    }
                }
            }
            printed.push_str(block.text);
        }
        printed + &page[end..]
    }

    fn write(&self, name: &str, text: &str) {
        assert!(self.own.is_some() && Path::new(name).components().count() == 1, "{name}");
        std::fs::write(self.path.join(name), text).expect("a file");
    }

    /// Tests a block of GDL: a whole rulesheet, or one together with the rulesheet of its frame. A fragment must be
    /// terms of GDL.
    fn check(&self, block: &Block<'_>) {
        let text = block.text;
        assert!(block.attributes().all(|name| ATTRIBUTES.contains(&name)), "an unknown attribute:\n{text}");
        let frame = block.attribute("frame").map(|name| {
            let frame = std::fs::read_to_string(self.path.join(name));
            frame.unwrap_or_else(|error| panic!("{name}: {error}:\n{text}")) + "\n"
        });
        let sheet = frame.unwrap_or_default() + text;
        if let Some(name) = block.attribute("file") {
            self.write(name, &sheet);
        }
        if block.attribute("fragment").is_some() {
            let (code, _, stderr) = self.ggp(&["fmt", "-"], text);
            assert_eq!(code, 0, "{stderr}\n{text}");
            return;
        }
        let wanted = block.attribute("finding");
        let mut args = vec!["check", "--json", "-"];
        if wanted.is_none() {
            args.extend(["--strict", "--simulate", PLAYOUTS]);
        }
        let (_, stdout, stderr) = self.ggp(&args, &sheet);
        let verdict: Value =
            serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}\n{text}"));
        if let Some(code) = wanted {
            assert_eq!(verdict["findings"][0]["code"], code, "{verdict}\n{text}");
            return;
        }
        assert_eq!(verdict["findings"].as_array().expect("a list").len(), 0, "{verdict}\n{text}");
        let refuted = verdict["simulation"]["refuted"].as_array().expect("a list");
        // A goal counts at the end only, so it may fall before.
        let refuted: Vec<&Value> = refuted.iter().filter(|found| found["property"] != "monotonic").collect();
        assert!(refuted.is_empty(), "{refuted:?}\n{text}");
    }

    /// Runs the commands of a block, each on a line that begins with `$ `. Returns the block with what they print.
    fn examples(&self, text: &str, tested: &mut Tested) -> String {
        let mut printed = String::new();
        for example in format!("\n{text}").split("\n$ ").skip(1) {
            let (line, shown) = example.split_once('\n').unwrap_or((example, ""));
            let shown = if shown.is_empty() || shown.ends_with('\n') {
                shown.to_owned()
            } else {
                format!("{shown}\n")
            };
            let said =
                if line.contains("python3") && !has_python() { shown.clone() } else { self.output(line) };
            tested.commands += 1;
            printed.push_str(&format!("$ {line}\n"));
            printed.push_str(if matches(&shown, &said) { &shown } else { &said });
        }
        printed
    }

    /// Tests that `ggp` knows the commands and options of a block for a shell, without running them.
    fn parse(&self, text: &str) {
        let text = text.replace("\\\n", "");
        for line in text.lines().filter(|line| line.starts_with("ggp ")) {
            let line = line.split(" #").next().unwrap_or_default().trim_end();
            let words = words(line);
            // With `--help`, nothing happens if the options before it can be read.
            let mut args: Vec<&str> =
                words[1..].iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
            args.push("--help");
            let (code, _, stderr) = self.ggp(&args, "");
            assert_eq!(code, 0, "{line}: {stderr}");
        }
    }

    /// What a command prints: standard error, then standard output.
    fn output(&self, line: &str) -> String {
        let words = words(line);
        let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        assert_eq!(words[0], "ggp", "not a command of the guide: {line}");
        let (_, stdout, stderr) = self.ggp(&args, "");
        assert!(!stderr.lines().any(|line| line.starts_with("error: ")), "{line}: {stderr}");
        stderr + &stdout
    }

    /// Runs a program of the page in Python in the background.
    pub(crate) fn python(&self, args: &[&str]) -> Child {
        let mut command = self.command("python3", args);
        command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("python3 starts")
    }

    /// Runs `ggp`: its exit code, standard output and standard error.
    pub(crate) fn ggp(&self, args: &[&str], input: &str) -> (i32, String, String) {
        let mut child = self.command(GGP, args).spawn().expect("ggp starts");
        // A command that does not read its input may have ended.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("ggp ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
    }

    /// A command in this folder that finds `ggp` on its path.
    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut path = Path::new(GGP).parent().expect("a folder").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.path).env("PATH", path).env("GGP_NO_CACHE", "1");
        command.env_remove("NO_COLOR").env("LANG", "C.UTF-8").env_remove("LC_ALL");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Whether `python3` can be started. If not, the test is skipped.
pub(crate) fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        ggp_tests::skip("python3 is missing");
    }
    found
}

/// Whether an output is what the page shows. A line `⋮` of the page stands for any lines.
fn matches(shown: &str, said: &str) -> bool {
    let gap = format!("{ELISION}\n");
    let mut parts = shown.split(gap.as_str());
    let Some(mut rest) = parts.next().and_then(|first| said.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// The words of a command line. Blanks between single quotes do not separate words.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (number, piece) in line.split('\'').enumerate() {
        let is_quoted = number % 2 == 1;
        let mut parts = if is_quoted { vec![piece] } else { piece.split(' ').collect() }.into_iter();
        words.last_mut().expect("a word").push_str(parts.next().unwrap_or_default());
        words.extend(parts.map(str::to_owned));
    }
    words
}

#[test]
fn lines_that_are_left_out_match_any_lines() {
    assert!(
        matches("a\n⋮\nd\n", "a\nb\nc\nd\n") && matches("⋮\nc\n⋮\n", "a\nb\nc\nd\n") && matches("a\n", "a\n")
    );
    assert!(!matches("a\n⋮\nd\n", "a\nb\nc\n") && !matches("a\n", "a\nb\n") && !matches("⋮\nx\n⋮\n", "a\n"));
}

#[test]
fn quoted_words_are_one_word() {
    assert_eq!(words("ggp explain x.kif '(legal a b)'"), ["ggp", "explain", "x.kif", "(legal a b)"]);
}
