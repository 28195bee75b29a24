//! Reads and writes with a deadline that holds regardless of the peer's behaviour.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A source of bytes whose reads have a deadline.
pub(crate) trait TimedRead {
    /// Reads some bytes. Returns 0 at the end of the stream. Fails with [`io::ErrorKind::TimedOut`] if no
    /// byte arrives before `by`.
    fn read_by(&mut self, buffer: &mut [u8], by: Instant) -> io::Result<usize>;
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The time left until `by`. Fails with [`io::ErrorKind::TimedOut`] if `by` has passed.
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

/// Writes all of `bytes`. Fails with [`io::ErrorKind::TimedOut`] if some bytes are not written by the time
/// `by`.
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
