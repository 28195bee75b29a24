//! A web server for each test, on a free port.

use crate::http::{get, post};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time limit of all waiting in these tests. It is so long because an engine of a debug build with a fixed
/// number of iterations needs more than a minute when other programs keep all processors busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A running server. Dropping this value ends the server.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ggp"));
        command.env("GGP_NO_CACHE", "1");
        command.args(["web", "--port", "0"]).args(arguments).current_dir(root());
        command.env("GGP_DATA", env!("CARGO_TARGET_TMPDIR"));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("ggp runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let port = line.trim().rsplit(':').next().and_then(|rest| rest.split('/').next()?.parse().ok());
        Server { child, port: port.unwrap_or_else(|| panic!("no port in {line:?}")) }
    }

    /// The id of the server's process.
    #[cfg(target_os = "linux")]
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Opens a session and returns its path.
    pub(crate) fn open(&self, wanted: &Value) -> String {
        let opened = post(self.port, "/api/sessions", wanted).ok();
        format!("/api/sessions/{}", opened["id"].as_str().expect("an id"))
    }

    pub(crate) fn status(&self, path: &str) -> Value {
        get(self.port, path).ok()["status"].clone()
    }

    pub(crate) fn node(&self, path: &str, number: &Value) -> Value {
        get(self.port, &format!("{path}/nodes/{number}")).ok()
    }

    /// Waits until `done` returns true for the status of the session. Fails with `what` after a time limit.
    pub(crate) fn wait(&self, path: &str, what: &str, done: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let status = self.status(path);
            if done(&status) {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "{what}: {status}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Chooses, as a person, the first legal move of `role` in the current state.
    pub(crate) fn choose_first(&self, path: &str, role: usize) -> Value {
        let tip = self.status(path)["tip"].clone();
        let mv = self.node(path, &tip)["legal"][role][0]["move"].clone();
        post(self.port, &format!("{path}/move"), &json!({"node": tip, "role": role, "move": mv})).ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
