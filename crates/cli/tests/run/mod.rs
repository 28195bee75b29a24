//! A run of `ggp` at the root of the workspace, for tests of what it prints and how it ends.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The result of a run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let code = output.status.code().expect("an exit code");
        Run { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// `ggp` with `args`, whose input the test gives, in a fixed locale, and without the cache of networks.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.env("LANG", "C.UTF-8").env_remove("LC_ALL").env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `command` with the input `input`.
pub(crate) fn feed(command: &mut Command, input: &str) -> Run {
    let mut child = command.spawn().expect("ggp starts");
    // A program that does not read its input may have ended.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("ggp ends").into()
}

pub(crate) fn ggp_with(args: &[&str], input: &str) -> Run {
    feed(&mut command(args), input)
}

pub(crate) fn ggp(args: &[&str]) -> Run {
    ggp_with(args, "")
}
