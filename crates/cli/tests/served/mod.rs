//! A player that `ggp serve` runs, for tests of the protocol.

use ggp_tests::workspace;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running player server. Dropping this value ends the server.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Served {
    /// Serves the player `spec` on a free port.
    pub(crate) fn start(spec: &str) -> Served {
        Served::with(spec, &[])
    }

    /// As [`Served::start`], with further options.
    pub(crate) fn with(spec: &str, options: &[&str]) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
        command.env("GGP_NO_CACHE", "1");
        command.current_dir(workspace()).args(["serve", spec, "--port", "0"]).args(options);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("ggp serves");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let url = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        Served { child, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
