//! A listener that limits the number of connections, and the time for which a connection may wait. Further connections
//! wait until one is closed.
//!
//! A connection is closed when the server has written nothing to it for a while and now waits for the client: the client
//! sends its request slowly, or no further one.

use axum::serve::Listener;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// A TCP listener, and a semaphore that bounds the number of connections. Each open connection holds one
/// permit.
pub(crate) struct Bounded {
    listener: TcpListener,
    places: Arc<Semaphore>,
    patience: Duration,
}

impl Bounded {
    /// A listener with at most `places` connections, each of which is closed after `patience` without a write.
    pub(crate) fn new(listener: TcpListener, places: usize, patience: Duration) -> Bounded {
        Bounded { listener, places: Arc::new(Semaphore::new(places)), patience }
    }
}

/// A connection, and the permit that it holds.
pub(crate) struct Connection {
    stream: TcpStream,
    patience: Duration,
    /// The moment at which the connection is closed, unless something is written to it before.
    end: Pin<Box<Sleep>>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Nagle's algorithm would delay the small responses.
        let _ = stream.set_nodelay(true);
        let (patience, end) = (self.patience, Box::pin(sleep(self.patience)));
        (Connection { stream, patience, end, _place: place }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending => {
                self.end.as_mut().poll(context).map(|()| Err(io::Error::from(io::ErrorKind::TimedOut)))
            }
            ready @ Poll::Ready(_) => ready,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let end = Instant::now() + self.patience;
        self.end.as_mut().reset(end);
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::io::Write;

    /// Reads one byte.
    async fn read(connection: &mut Connection) -> io::Result<u8> {
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        poll_fn(|context| Pin::new(&mut *connection).poll_read(context, &mut buffer)).await?;
        Ok(buffer.filled()[0])
    }

    #[test]
    fn slow_clients_are_cut_off() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mut bounded = Bounded::new(listener, 1, Duration::from_millis(50));
            let mut client = std::net::TcpStream::connect(address).unwrap();
            let (mut connection, _) = Listener::accept(&mut bounded).await;
            // What the client sends does not prolong the wait.
            let began = Instant::now();
            client.write_all(b"G").unwrap();
            assert_eq!(read(&mut connection).await.unwrap(), b'G');
            assert_eq!(read(&mut connection).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
            assert!(began.elapsed() >= Duration::from_millis(40));
            // What the server writes does.
            poll_fn(|context| Pin::new(&mut connection).poll_write(context, b"x")).await.unwrap();
            client.write_all(b"E").unwrap();
            assert_eq!(read(&mut connection).await.unwrap(), b'E');
        });
    }
}
