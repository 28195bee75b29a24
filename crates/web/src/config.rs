//! The configuration of a server.

use crate::base_path::BasePath;
use ggp::{Choice, NetworkCache};
use std::path::PathBuf;
use std::time::Duration;

/// The limits and permissions of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// The maximum number of sessions at the same time.
    pub sessions: usize,
    /// A session is closed when it has been idle for this long.
    pub idle: Duration,
    /// The number of worker threads that run the searches of all sessions.
    pub threads: usize,
    /// The memory limit of all searches of one session together, in MiB.
    pub memory: usize,
    /// The largest size of a request body (a rulesheet or a record), in bytes.
    pub upload: usize,
    /// The maximum number of sessions with uploaded rules at the same time. Each of these sessions keeps its
    /// own prepared game in memory, whereas all sessions of an offered game share one prepared game.
    pub uploads: usize,
    /// The longest thinking time per move. A request that gives a seat more time is refused. A search for a
    /// hint also ends after this time.
    pub longest: Duration,
    /// Whether a seat may be given to a remote player, which this server calls over the GGP protocol.
    pub remote: bool,
    /// Whether a running match of hidden information is shown to watchers. A match in which a person plays never
    /// is.
    pub reveal: bool,
    /// The machine that evaluates the rules for searches.
    pub choice: Choice,
    /// The cache for the networks of offered games. Networks of uploaded rules are never kept. `None` for no cache.
    pub cache: Option<NetworkCache>,
    /// The file of knowledge that engines use, which `ggp learn` writes. It is read when a game is prepared.
    pub knowledge: Option<PathBuf>,
    /// The host names under which this server accepts requests, in addition to `localhost` and IP addresses.
    pub hosts: Vec<String>,
    /// The path below which the pages are.
    pub base_path: BasePath,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            sessions: 50,
            idle: Duration::from_secs(30 * 60),
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            memory: 64,
            upload: 4 << 20,
            uploads: 8,
            longest: Duration::from_secs(120),
            remote: true,
            reveal: false,
            choice: Choice::Auto,
            cache: None,
            knowledge: None,
            hosts: Vec::new(),
            base_path: BasePath::default(),
        }
    }
}
