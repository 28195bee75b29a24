//! Reading and writing with an end: every call ends by an instant, whatever the peer does.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Something to read from that can be asked not to wait for ever.
pub(crate) trait TimedRead {
    /// Reads some bytes, 0 at the end; fails with [`io::ErrorKind::TimedOut`] when none came by
    /// `by`.
    fn read_by(&mut self, buffer: &mut [u8], by: Instant) -> io::Result<usize>;
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The time until `by`, or the error that says that it has passed.
fn remaining(by: Instant) -> io::Result<Duration> {
    let left = by.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

impl TimedRead for &TcpStream {
    fn read_by(&mut self, buffer: &mut [u8], by: Instant) -> io::Result<usize> {
        loop {
            self.set_read_timeout(Some(remaining(by)?))?;
            match self.read(buffer) {
                Err(error) if is_timeout(&error) || error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

/// Writes all of `bytes` by `by`.
pub(crate) fn write_by(mut stream: &TcpStream, mut bytes: &[u8], by: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(remaining(by)?))?;
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if is_timeout(&error) || error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
