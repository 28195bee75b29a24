//! The configuration of a server.

use ggp::Choice;
use std::time::Duration;

/// The limits and permissions of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of sessions at the same time.
    pub sessions: usize,
    /// Idle time after which a session is closed.
    pub idle: Duration,
    /// Number of worker threads that run the searches of all sessions.
    pub threads: usize,
    /// Memory limit of all searches of one session together, in MiB.
    pub memory: usize,
    /// Size limit of a request body (a rulesheet or a record), in bytes.
    pub upload: usize,
    /// Number of sessions with uploaded rules at the same time. Each of them holds a game of its own,
    /// whereas sessions of an offered game share one.
    pub uploads: usize,
    /// Upper limit of the thinking time that a seat may have for a move.
    pub longest: Duration,
    /// Whether players at other addresses may take seats.
    pub remote: bool,
    /// Which machine evaluates the rules for searches.
    pub choice: Choice,
    /// Host names of this server, besides `localhost` and IP addresses.
    pub hosts: Vec<String>,
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
            choice: Choice::Auto,
            hosts: Vec::new(),
        }
    }
}
