//! The loop of the server. It accepts a bounded number of connections and serves each on a thread of its own.
//!
//! Invariant: a connection that has not sent its message cannot block others for long. If there are too many
//! connections, the oldest one that is still sending its message is closed. Connections that wait for an answer
//! are kept.

use super::limits::{HttpLimits, Memory};
use super::reply::Reply;
use super::request::{Request, RequestError, read_request};
use ggp_game::StopToken;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The interval at which the stop token is checked.
const TICK: Duration = Duration::from_millis(20);

/// The longest wait for unfinished answers when the server stops.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The length of the queue of connections that the server has not accepted yet. The standard library asks for a
/// shorter queue. If the queue is full, a peer's system retries only after a second, which can be a whole play
/// clock.
const BACKLOG: i32 = 1024;

/// The time that a connection has to send its message before it may be closed in favour of a new connection.
/// If twice the intended number of connections are open, it may be closed before that time.
const FAIR: Duration = Duration::from_millis(100);

/// The stack size of a connection's thread, in bytes. The code that the thread runs is not recursive.
const STACK: usize = 256 << 10;

/// Answers requests. It is called by many threads at once and may block.
pub(crate) trait Respond: Send + Sync + 'static {
    /// The reply to `request`. The call may last until the end of a match's clock.
    fn respond(&self, request: &Request) -> Reply;

    /// Called about every 20 ms.
    fn tick(&self) {}

    /// Called once when the server stops, before it waits for unfinished answers.
    fn close(&self) {}
}

/// The open connections.
#[derive(Default)]
struct Connections {
    state: Mutex<ConnectionState>,
    ended: Condvar,
}

#[derive(Default)]
struct ConnectionState {
    /// The connections whose message has not arrived yet, each with the time at which it was accepted. The
    /// key is the number of connections accepted before this one, so the oldest connection comes first.
    receiving: BTreeMap<u64, (Instant, Arc<TcpStream>)>,
    open: usize,
    accepted: u64,
}

impl Connections {
    fn lock(&self) -> std::sync::MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits the new connection `stream`. If at least `bound` connections are open, closes the oldest one
    /// whose message has not arrived, provided that it is at least [`FAIR`] old. If at least twice `bound`
    /// connections are open, closes it at any age. If there is no such connection in the latter case, returns
    /// `None`, and the caller refuses `stream`.
    fn enter(self: &Arc<Self>, stream: &Arc<TcpStream>, bound: usize) -> Option<Entry> {
        let mut state = self.lock();
        if state.open >= bound {
            let crowded = state.open >= 2 * bound;
            let oldest = state.receiving.first_entry().filter(|e| crowded || e.get().0.elapsed() >= FAIR);
            match oldest {
                // The connection's thread sees the end of the stream and ends.
                Some(entry) => drop(entry.remove().1.shutdown(Shutdown::Both)),
                None if crowded => return None,
                None => {}
            }
        }
        let number = state.accepted;
        state.accepted += 1;
        state.open += 1;
        state.receiving.insert(number, (Instant::now(), Arc::clone(stream)));
        Some(Entry { connections: Arc::clone(self), number })
    }

    fn close_all(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let mut state = self.lock();
        for (_, stream) in std::mem::take(&mut state.receiving).into_values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        while state.open > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                tracing::warn!(connections = state.open, "closing while answers are under way");
                return;
            }
            state = self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// An open connection that [`Connections`] counts. Dropping the entry removes the connection from
/// [`Connections`].
struct Entry {
    connections: Arc<Connections>,
    number: u64,
}

impl Entry {
    /// Notes that the message has arrived, so that the connection is no longer closed in favour of others.
    fn received(&self) {
        self.connections.lock().receiving.remove(&self.number);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut state = self.connections.lock();
        state.receiving.remove(&self.number);
        state.open -= 1;
        drop(state);
        self.connections.ended.notify_all();
    }
}

/// Serves `listener` until `stop` is raised. Then closes all connections and returns.
///
/// # Errors
/// When the listener has no address.
pub(crate) fn listen(
    listener: &TcpListener,
    limits: &HttpLimits,
    stop: &StopToken,
    respond: &Arc<impl Respond>,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    if let Err(error) = socket2::SockRef::from(listener).listen(BACKLOG) {
        tracing::warn!(%error, "the queue of connections stays short");
    }
    let connections = Arc::new(Connections::default());
    let memory = Memory::new(limits.bodies);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.is_stopped() {
                thread::sleep(TICK);
                respond.tick();
            }
            // `accept` blocks in the system. A connection to the listener's own address wakes it.
            let _ = TcpStream::connect_timeout(&reachable(address), Duration::from_secs(1));
        });
        while !stop.is_stopped() {
            match listener.accept() {
                Ok(_) if stop.is_stopped() => break,
                Ok((stream, peer)) => {
                    let stream = Arc::new(stream);
                    let Some(entry) = connections.enter(&stream, limits.connections) else {
                        tracing::warn!(%peer, "too many connections: refused");
                        continue;
                    };
                    let (limits, memory, respond) =
                        (limits.clone(), Arc::clone(&memory), Arc::clone(respond));
                    let served = thread::Builder::new()
                        .name("connection".to_owned())
                        .stack_size(STACK)
                        .spawn(move || serve(&stream, peer, &limits, &memory, &entry, &*respond));
                    if let Err(error) = served {
                        tracing::error!(%error, "cannot start a thread for a connection");
                    }
                }
                Err(error) => {
                    // The process is out of descriptors, or the peer has closed the connection. Neither ends
                    // the server.
                    tracing::warn!(%error, "cannot accept");
                    thread::sleep(Duration::from_millis(5));
                }
            }
        }
    });
    respond.close();
    connections.close_all(LAST_ANSWERS);
    Ok(())
}

/// The address at which this machine can reach a listener that is bound to `address`. If `address` is the
/// unspecified address (`0.0.0.0` or `::`), the loopback address replaces it.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Serves one connection: reads a request, sends the reply, and closes the connection.
fn serve(
    stream: &TcpStream,
    peer: SocketAddr,
    limits: &HttpLimits,
    memory: &Arc<Memory>,
    entry: &Entry,
    respond: &impl Respond,
) {
    let _ = stream.set_nodelay(true);
    let (reply, complete) = match read_request(stream, limits, memory) {
        Ok(request) => {
            entry.received();
            (respond.respond(&request), true)
        }
        Err(error) => {
            if let RequestError::Broken(error) = &error {
                tracing::debug!(%peer, %error, "the connection broke");
            }
            let Some(reply) = refusal(&error) else { return };
            (reply, false)
        }
    };
    if let Err(error) = reply.write(stream, Instant::now() + limits.send) {
        tracing::warn!(%peer, %error, "the reply could not be sent");
        return;
    }
    let _ = stream.shutdown(Shutdown::Write);
    if !complete {
        // Closing with unread bytes would reset the connection, and the reply might be lost.
        discard(stream);
    }
}

/// Reads and discards further bytes, for up to 200 ms or 1 MiB.
fn discard(mut stream: &TcpStream) {
    use super::timed::TimedRead;
    let by = Instant::now() + Duration::from_millis(200);
    let mut chunk = [0; 8192];
    let mut left: usize = 1 << 20;
    while let Ok(count @ 1..) = stream.read_by(&mut chunk, by) {
        left = left.saturating_sub(count);
        if left == 0 {
            return;
        }
    }
}

/// The reply to a peer that sent no valid request. `None` if the connection is closed or broken.
fn refusal(error: &RequestError) -> Option<Reply> {
    Some(match error {
        RequestError::Closed | RequestError::Broken(_) => return None,
        RequestError::TooSlow => Reply::refusal(408, "the message did not come in time", "nil"),
        RequestError::HeadTooLarge => Reply::refusal(431, "the head is too long", "nil"),
        RequestError::BodyTooLarge => Reply::refusal(413, "the message is too long", "nil"),
        RequestError::NoMemory => Reply::refusal(503, "too many long messages at once", "busy"),
        RequestError::Malformed(what) => Reply::refusal(400, what, "nil"),
        RequestError::Encoded => Reply::refusal(501, "transfer encodings are not supported", "nil"),
    })
}
