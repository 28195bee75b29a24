//! What a command that lasts tells of its doings, on standard error.

use tracing::level_filters::LevelFilter;

/// The option of every command that speaks the protocol.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Logging {
    /// What is logged: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value_t = LevelFilter::WARN)]
    log: LevelFilter,
}

impl Logging {
    /// Begins to log; to be called once.
    pub(crate) fn start(self) {
        let subscriber = tracing_subscriber::fmt().with_max_level(self.log).with_writer(std::io::stderr);
        // Somebody who logs already is no reason not to go on.
        let _ = subscriber.try_init();
    }
}
