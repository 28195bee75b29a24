//! What a server is told at its start.

use std::time::Duration;

/// The bounds and rights of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Sessions at once.
    pub sessions: usize,
    /// A session that nobody has looked at for so long is forgotten.
    pub idle: Duration,
    /// Threads that think, for all sessions together.
    pub threads: usize,
    /// What the searches of one session may take together, in MiB.
    pub memory: usize,
    /// The largest request, in bytes: a rulesheet or a record.
    pub upload: usize,
    /// Sessions with uploaded rules at once: each knows a game of its own, which takes memory that
    /// sessions of the offered games share.
    pub uploads: usize,
    /// The longest that an engine may think about a move.
    pub longest: Duration,
    /// Whether seats may be given to players at other addresses.
    pub remote: bool,
    /// Names by which this server is known, beside `localhost` and addresses.
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
            hosts: Vec::new(),
        }
    }
}
