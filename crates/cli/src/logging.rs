//! The log of the servers and of hosted matches, on standard error.

use tracing::level_filters::LevelFilter;

/// The option of every command that speaks the protocol.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Logging {
    /// The level of the log: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value_t = LevelFilter::WARN)]
    log: LevelFilter,
}

impl Logging {
    /// Starts logging. A process calls this only once.
    pub(crate) fn start(self) {
        let subscriber = tracing_subscriber::fmt().with_max_level(self.log).with_writer(std::io::stderr);
        // An error means that a logger is already set. The existing logger stays.
        let _ = subscriber.try_init();
    }
}
