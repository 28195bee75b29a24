//! Whether a server answers at an address.

use anyhow::bail;
use ggp_server::http::{Address, DEFAULT_PORT, ReplyError, status};
use std::time::Duration;

/// The maximum time for a connection and an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the server at `address` for its first page, and returns a sentence on its answer. A player's server has no pages
/// and refuses, but that is an answer. A status of 500 and more is none.
pub(crate) fn reach(address: &Address) -> anyhow::Result<String> {
    let Address { host, port } = address;
    match status(address, PATIENCE) {
        Ok(Some(status @ 200..500)) => Ok(format!("{host}:{port} answers with status {status}")),
        Ok(Some(status)) => bail!("{host}:{port} answers with status {status}"),
        Ok(None) => bail!("{host}:{port} does not answer by HTTP"),
        Err(ReplyError::Unreachable(why)) if *port == DEFAULT_PORT => {
            bail!(
                "nothing answers at {host}:{port}, the port of `ggp serve` ({why}); for `ggp web` write {host}:8080"
            )
        }
        Err(ReplyError::Unreachable(why)) => bail!("nothing answers at {host}:{port}: {why}"),
        Err(why) => bail!("{host}:{port} does not answer: {why}"),
    }
}
