//! A run of `ggp` at the root of the workspace, for tests of what it prints and how it ends.

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

/// `ggp` with `args`, without input, in a fixed locale, and without the cache of networks.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
    command.env("GGP_NO_CACHE", "1");
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    command.env("LANG", "C.UTF-8").env_remove("LC_ALL");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
