//! Sends one message of a manager to a player, and reads the reply. The request has the same bytes as a
//! request of ggp-base, the reference server.

use super::reply::{Answer, MAX_REPLY_HEAD, ReplyError, read_reply};
use super::request::{MAX_HEADERS, RequestError, read_head};
use super::timed::{TimedRead, write_by};
use ggp_game::StopToken;
use std::fmt;
use std::io;
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The maximum time for making a connection.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// While a reader waits, it checks its stop token at this interval.
const GLANCE: Duration = Duration::from_millis(50);

/// The address of a player, written as `http://host:port/`, `host:port` or `[::1]:9147`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The host name or IP address, without brackets.
    pub host: String,
    /// The port; [`DEFAULT_PORT`] if the text has none.
    pub port: u16,
}

/// The customary port of players.
pub const DEFAULT_PORT: u16 = 9147;

/// The error for a text that is not an [`Address`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a player's address: {mend}", mend = mend(.0))]
pub struct AddressError(String);

/// How to write the address instead of `text`.
fn mend(text: &str) -> &'static str {
    if text.starts_with("https:") {
        "the protocol has no encryption, so write http://HOST:PORT"
    } else {
        "write http://HOST:PORT"
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let error = || AddressError(text.to_owned());
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.strip_prefix('[') {
            Some(bracketed) => {
                let (host, after) = bracketed.split_once(']').ok_or_else(error)?;
                (host, if after.is_empty() { None } else { Some(after.strip_prefix(':').ok_or_else(error)?) })
            }
            None => match rest.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        let port = port.map_or(Ok(DEFAULT_PORT), |port| port.parse().map_err(|_| error()))?;
        let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '(' | ')' | '@');
        if host.is_empty() || host.contains(odd) {
            return Err(error());
        }
        Ok(Address { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "http://[{}]:{}/", self.host, self.port)
        } else {
            write!(f, "http://{}:{}/", self.host, self.port)
        }
    }
}

impl Address {
    /// Connects within the time `within`.
    pub(crate) fn connect(&self, within: Duration) -> Result<TcpStream, ReplyError> {
        let by = Instant::now() + within;
        let unreachable = |error: &dyn fmt::Display| ReplyError::Unreachable(error.to_string());
        let resolved = (self.host.as_str(), self.port).to_socket_addrs().map_err(|e| unreachable(&e))?;
        let mut last = unreachable(&"the name has no address");
        for address in resolved {
            let left = by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            match TcpStream::connect_timeout(&address, left) {
                Ok(stream) => {
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Err(error) => last = unreachable(&error),
            }
        }
        Err(last)
    }
}

/// The bytes of the HTTP request with the message `text`, as ggp-base, the reference server, sends it.
///
/// Content-Length is the number of bytes in `text`, but old players wait for that number of characters. If
/// `text` has multi-byte characters, it has fewer characters than bytes, so blanks after it make up the
/// difference.
pub(crate) fn request_bytes(address: &Address, receiver: &str, text: &str) -> Vec<u8> {
    let surplus = text.len() - text.chars().count();
    let receiver: String = receiver.chars().filter(|c| !c.is_control()).collect();
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: {receiver}\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{text}{:surplus$}",
        address.host,
        text.len(),
        ""
    )
    .into_bytes()
}

/// A stream whose reads fail soon after a stop token is raised.
struct Stoppable<'a> {
    stream: &'a TcpStream,
    stop: &'a StopToken,
}

impl TimedRead for Stoppable<'_> {
    fn read_by(&mut self, buffer: &mut [u8], by: Instant) -> io::Result<usize> {
        loop {
            if self.stop.is_stopped() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            match (&*self.stream).read_by(buffer, by.min(Instant::now() + GLANCE)) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut && Instant::now() < by => {}
                result => return result,
            }
        }
    }
}

/// Sends `text` and waits for the reply until `by`, or until `stop` is raised.
///
/// # Errors
/// When no reply comes in time.
pub(crate) fn post(
    address: &Address,
    receiver: &str,
    text: &str,
    by: Instant,
    stop: &StopToken,
) -> Result<Answer, ReplyError> {
    exchange(address, &request_bytes(address, receiver, text), by, stop)
}

/// Sends `bytes` unchanged, and waits for a reply as [`post`] does.
pub(crate) fn exchange(
    address: &Address,
    bytes: &[u8],
    by: Instant,
    stop: &StopToken,
) -> Result<Answer, ReplyError> {
    let within = by.saturating_duration_since(Instant::now()).min(CONNECT);
    let stream = address.connect(within)?;
    write_by(&stream, bytes, by).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => ReplyError::TimedOut,
        _ => ReplyError::Closed,
    })?;
    let reply = read_reply(&mut Stoppable { stream: &stream, stop }, by);
    if stop.is_stopped() && matches!(reply, Err(ReplyError::TimedOut)) {
        return Err(ReplyError::Stopped);
    }
    reply
}

/// Asks the server at `address` for its first page, and waits for the answer for the time `within`. Returns the status of
/// the answer; `None` if it is no HTTP.
///
/// # Errors
/// When no answer comes in time.
///
/// # Examples
/// ```no_run
/// use ggp_server::http::{Address, status};
/// let address: Address = "localhost:8080".parse().unwrap();
/// let status = status(&address, std::time::Duration::from_secs(5)).unwrap();
/// assert_eq!(status, Some(200));
/// ```
pub fn status(address: &Address, within: Duration) -> Result<Option<u16>, ReplyError> {
    let by = Instant::now() + within;
    let stream = address.connect(within)?;
    let asked = format!("GET / HTTP/1.0\r\nHost: localhost:{}\r\n\r\n", address.port);
    write_by(&stream, asked.as_bytes(), by).map_err(|_| ReplyError::Closed)?;
    let head = match read_head(&mut &stream, MAX_REPLY_HEAD, by) {
        Ok(head) => head,
        Err(RequestError::Malformed(_) | RequestError::HeadTooLarge) => return Ok(None),
        Err(RequestError::TooSlow) => return Err(ReplyError::TimedOut),
        Err(_) => return Err(ReplyError::Closed),
    };
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Response::new(&mut headers);
    // The status stands in front of whatever else may be wrong.
    let _ = parsed.parse(&head.bytes);
    Ok(parsed.code)
}

/// The way in which [`probe`] sends its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sending {
    /// Sends all bytes in one write, and keeps the connection open for writing.
    Whole,
    /// Sends all bytes in one write, and then closes the connection for writing.
    Closing,
    /// Sends portions of 23 bytes, with pauses between them. Keeps the connection open for writing.
    Dripping,
}

/// Sends `bytes` and waits for a reply until `by`. The flag in the result tells whether the peer closed the
/// connection within 300 ms after the reply.
///
/// # Errors
/// When no reply comes in time.
pub(crate) fn probe(
    address: &Address,
    bytes: &[u8],
    sending: Sending,
    by: Instant,
) -> Result<(Answer, bool), ReplyError> {
    let stream = address.connect(by.saturating_duration_since(Instant::now()).min(CONNECT))?;
    let portion = if sending == Sending::Dripping { 23 } else { bytes.len().max(1) };
    for (number, portion) in bytes.chunks(portion).enumerate() {
        if number > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        write_by(&stream, portion, by).map_err(|_| ReplyError::Closed)?;
    }
    if sending == Sending::Closing {
        stream.shutdown(Shutdown::Write).map_err(|_| ReplyError::Closed)?;
    }
    let answer = read_reply(&mut &stream, by)?;
    let closed =
        matches!((&stream).read_by(&mut [0; 64], Instant::now() + Duration::from_millis(300)), Ok(0));
    Ok((answer, closed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_every_form() {
        for (text, host, port) in [
            ("http://127.0.0.1:9148/", "127.0.0.1", 9148),
            ("http://localhost", "localhost", DEFAULT_PORT),
            ("player.example:80", "player.example", 80),
            ("[::1]:9000", "::1", 9000),
            ("http://[::1]/", "::1", DEFAULT_PORT),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port), "{text}");
            assert_eq!(address.to_string().parse(), Ok(address));
        }
        for bad in ["", "http://", ":80", "a:b", "a:70000", "a b:1", "http://a/b", "[::1", "x\r\ny:1"] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?}");
        }
        let error = "https://localhost:9147".parse::<Address>().unwrap_err();
        let said = "`https://localhost:9147` is not a player's address: the protocol has no encryption, so write \
                    http://HOST:PORT";
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn a_request_has_the_bytes_of_the_reference_server() {
        let address: Address = "localhost:9147".parse().unwrap();
        let bytes = request_bytes(&address, "RandA", "( PLAY scr.ttt.1795208841243 NIL )");
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\nReceiver: RandA\r\n\
             Content-Type: text/acl\r\nContent-Length: 34\r\n\r\n( PLAY scr.ttt.1795208841243 NIL )"
        );
    }

    #[test]
    fn the_status_is_that_of_the_first_line() {
        for (answer, expected) in [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n(((((", Some(404)),
            ("HTTP/1.0 200 OK\n\n", Some(200)),
            ("SSH-2.0-OpenSSH 9\r\n", None),
            ("HTTP/1.0 ok\r\n\r\n", None),
        ] {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let server = std::thread::spawn(move || {
                let (stream, _) = listener.accept().unwrap();
                write_by(&stream, answer.as_bytes(), Instant::now() + CONNECT).unwrap();
                stream.shutdown(Shutdown::Write).unwrap();
                // Closing with unread bytes would reset the connection.
                let _ = (&stream).read_by(&mut [0; 256], Instant::now() + CONNECT);
            });
            let address = Address { host: "127.0.0.1".to_owned(), port };
            assert_eq!(status(&address, CONNECT).unwrap(), expected, "{answer}");
            server.join().unwrap();
            assert!(matches!(status(&address, CONNECT), Err(ReplyError::Unreachable(_))));
        }
    }

    #[test]
    fn whoever_counts_characters_gets_as_many_as_the_length_says() {
        let address: Address = "localhost:9147".parse().unwrap();
        let bytes = String::from_utf8(request_bytes(&address, "", "( ABORT éé )")).unwrap();
        let (head, body) = bytes.split_once("\r\n\r\n").unwrap();
        let length: usize = head.rsplit(' ').next().unwrap().parse().unwrap();
        assert_eq!(length, "( ABORT éé )".len());
        assert_eq!(body.chars().count(), length);
    }
}
