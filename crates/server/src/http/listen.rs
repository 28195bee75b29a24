//! Accepting connections: one thread each, a bounded number of them.
//!
//! Invariant: a connection that has not sent its message keeps nobody out for long. When there are
//! too many, the oldest of those that still send is closed; those that wait for an answer are kept.

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

/// How often the stop token is looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long the answers that are under way when the server stops may take.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Connections that may wait to be accepted: more than the standard library asks for, since one that
/// finds no place is tried again by its sender's system after a second, and that is a whole clock.
const BACKLOG: i32 = 1024;

/// The time that a connection has to send its message before it is closed in favour of others,
/// unless there are twice as many as there should be.
const FAIR: Duration = Duration::from_millis(100);

/// The stack of a connection's thread: nothing in it recurses.
const STACK: usize = 256 << 10;

/// What answers requests. Called by many threads at once; may wait.
pub(crate) trait Respond: Send + Sync + 'static {
    /// The reply to `request`.
    fn respond(&self, request: &Request) -> Reply;

    /// Called every few milliseconds.
    fn tick(&self) {}

    /// Called once when the server stops, before it waits for the answers under way.
    fn close(&self) {}
}

/// The connections that are open.
#[derive(Default)]
struct Connections {
    state: Mutex<ConnectionState>,
    ended: Condvar,
}

#[derive(Default)]
struct ConnectionState {
    /// Those whose message has not come, oldest first.
    receiving: BTreeMap<u64, (Instant, Arc<TcpStream>)>,
    open: usize,
    accepted: u64,
}

impl Connections {
    fn lock(&self) -> std::sync::MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in, closing the oldest if there are `bound` already; `None` if there are
    /// twice as many, and none of them can be closed.
    fn enter(self: &Arc<Self>, stream: &Arc<TcpStream>, bound: usize) -> Option<Entry> {
        let mut state = self.lock();
        if state.open >= bound {
            let crowded = state.open >= 2 * bound;
            let oldest = state.receiving.first_entry().filter(|e| crowded || e.get().0.elapsed() >= FAIR);
            match oldest {
                // Its thread sees the end and leaves.
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

/// An open connection; leaves when it is dropped.
struct Entry {
    connections: Arc<Connections>,
    number: u64,
}

impl Entry {
    /// Its message has come: it is not closed for others any more.
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

/// Serves `listener` until `stop` is raised; then closes what is open and returns.
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
            // Accepting is blocked in the system; a connection of our own wakes it.
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
                        tracing::error!(%error, "no thread for a connection");
                    }
                }
                Err(error) => {
                    // Out of descriptors, or the peer left: neither ends the server.
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

/// Where a listener that is bound to every address can be reached from here.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// One connection: a request, a reply, the end.
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
        // Closing with bytes unread would reset the connection and may lose the reply.
        discard(stream);
    }
}

/// Reads and forgets a little of what still comes.
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

/// What is said to those who sent no request; nothing to those who are gone.
fn refusal(error: &RequestError) -> Option<Reply> {
    Some(match error {
        RequestError::Closed | RequestError::Broken(_) => return None,
        RequestError::TooSlow => Reply::refusal(408, "the message did not come in time", "nil"),
        RequestError::HeadTooLarge => Reply::refusal(431, "the head is too long", "nil"),
        RequestError::BodyTooLarge => Reply::refusal(413, "the message is too long", "nil"),
        RequestError::NoMemory => Reply::refusal(503, "too many long messages at once", "busy"),
        RequestError::Malformed(what) => Reply::refusal(400, what, "nil"),
        RequestError::Encoded => Reply::refusal(501, "no transfer encoding is understood", "nil"),
    })
}
