//! Whether a server answers at an address.

use anyhow::{Context, bail, ensure};
use ggp_server::http::Address;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The maximum time for a connection and an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum size of the status line that is read, in bytes.
const STATUS_LINE: usize = 256;

/// Asks the server at `address` for its first page, and returns a sentence on its answer. A player's server has no pages
/// and refuses, but that is an answer. A status of 500 and more is none.
pub(crate) fn reach(address: &Address) -> anyhow::Result<String> {
    let until = Instant::now() + PATIENCE;
    let Address { host, port } = address;
    let mut stream = connect(address).with_context(|| format!("nothing answers at {host}:{port}"))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET / HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n")?;
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") && line.len() < STATUS_LINE {
        let left = until.saturating_duration_since(Instant::now());
        ensure!(!left.is_zero(), "{host}:{port} does not answer");
        stream.set_read_timeout(Some(left))?;
        if stream.read(&mut byte).with_context(|| format!("{host}:{port} does not answer"))? == 0 {
            break;
        }
        line.push(byte[0]);
    }
    match status(&line) {
        Some(status @ 200..500) => Ok(format!("{host}:{port} answers with status {status}")),
        Some(status) => bail!("{host}:{port} answers with status {status}"),
        None => bail!("{host}:{port} does not answer by HTTP"),
    }
}

fn connect(address: &Address) -> anyhow::Result<TcpStream> {
    let mut refused = None;
    for place in (address.host.as_str(), address.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.context("the name has no address")?.into())
}

/// The status in a status line of HTTP.
fn status(line: &[u8]) -> Option<u16> {
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    words.next().filter(|version| version.starts_with("HTTP/"))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn the_status_is_the_second_word_of_http() {
        assert_eq!(status(b"HTTP/1.1 404 Not Found\r\n"), Some(404));
        for other in [&b"SSH-2.0-OpenSSH 9\r\n"[..], b"HTTP/1.0\r\n", b"HTTP/1.0 ok\r\n", b"", b"\xff"] {
            assert_eq!(status(other), None);
        }
    }
}
