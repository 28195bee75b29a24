//! The replies of players. The player's side writes them, and the manager's side reads them.

use super::limits::Memory;
use super::request::{MAX_HEADERS, RequestError, content_length, read_head};
use super::text::{TextError, read_text};
use super::timed::{TimedRead, write_by};
use std::io;
use std::net::TcpStream;
use std::time::Instant;

/// A reply to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The reason phrase after the status. It is ASCII without line ends.
    pub(crate) reason: String,
    pub(crate) text: Vec<u8>,
}

impl Reply {
    /// A reply with the status 200 and the text `text`.
    pub(crate) fn ok(text: impl Into<Vec<u8>>) -> Reply {
        Reply { status: 200, reason: "OK".to_owned(), text: text.into() }
    }

    /// A refusal. The status serves managers that read it, and the text serves managers that ignore the
    /// status. Characters of `reason` outside printable ASCII are replaced, so that no message can inject
    /// headers.
    pub(crate) fn refusal(status: u16, reason: &str, text: &str) -> Reply {
        let plain = |c: char| if c.is_ascii_graphic() || c == ' ' { c } else { '?' };
        Reply { status, reason: reason.chars().take(120).map(plain).collect(), text: text.into() }
    }

    /// The bytes of the reply, with the same headers as replies of the reference player, that of ggp-base.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!(
            "HTTP/1.0 {} {}\r\n\
             Content-type: text/acl\r\n\
             Content-length: {}\r\n\
             Access-Control-Allow-Origin: *\r\n\
             Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
             Access-Control-Allow-Headers: Content-Type\r\n\
             Access-Control-Max-Age: 86400\r\n\r\n",
            self.status,
            self.reason,
            self.text.len()
        )
        .into_bytes();
        bytes.extend_from_slice(&self.text);
        bytes
    }

    /// Writes the reply to `stream`. Fails if some bytes are not written by the time `by`.
    pub(crate) fn write(&self, stream: &TcpStream, by: Instant) -> io::Result<()> {
        write_by(stream, &self.to_bytes(), by)
    }
}

/// The maximum size of a reply's head, in bytes.
pub(crate) const MAX_REPLY_HEAD: usize = 16 << 10;
/// The maximum size of a reply's text, in bytes.
const MAX_REPLY: usize = 1 << 20;

/// The reason why no reply was received.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// No connection can be made: for example, nothing listens at the address, or the host name is unknown.
    /// Holds the message.
    #[error("cannot connect: {0}")]
    Unreachable(String),
    /// No complete reply came in time.
    #[error("no reply in time")]
    TimedOut,
    /// The connection ended before a complete head had arrived, or it broke.
    #[error("the connection was closed without a reply")]
    Closed,
    /// The reply is longer than the limit.
    #[error("the reply is longer than {MAX_REPLY} bytes")]
    TooLarge,
    /// The stop token was raised.
    #[error("stopped")]
    Stopped,
}

impl From<TextError> for ReplyError {
    fn from(error: TextError) -> ReplyError {
        match error {
            TextError::TooLarge | TextError::NoMemory => ReplyError::TooLarge,
            TextError::TooSlow => ReplyError::TimedOut,
            TextError::Broken(_) => ReplyError::Closed,
        }
    }
}

/// A reply as the manager receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The first line and the headers, unchanged.
    pub head: Vec<u8>,
    /// The text as received, but without surplus bytes after a complete text.
    pub text: Vec<u8>,
    /// The length that the head declares. `None` if the head declares none.
    pub declared: Option<usize>,
}

impl Answer {
    /// The status and the reason in the first line, such as `HTTP 404 Not Found`, if the status is 400 or more. `None` if
    /// it is less, or if the line has no status.
    pub(crate) fn failure(&self) -> Option<String> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        // The first line stands in front of whatever else may be wrong.
        let _ = parsed.parse(&self.head);
        let (code, reason) = (parsed.code.filter(|&code| code >= 400)?, parsed.reason?);
        Some(format!("HTTP {code} {reason}").trim_end().to_owned())
    }
}

/// Reads a reply until `by`. Ignores the content of the first line, as ggp-base, the reference server, does; see
/// [`Answer::failure`].
pub(crate) fn read_reply(source: &mut impl TimedRead, by: Instant) -> Result<Answer, ReplyError> {
    let head = read_head(source, MAX_REPLY_HEAD, by).map_err(|error| match error {
        RequestError::TooSlow => ReplyError::TimedOut,
        RequestError::HeadTooLarge => ReplyError::TooLarge,
        _ => ReplyError::Closed,
    })?;
    let start = head.bytes.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(0);
    let line =
        head.bytes[start..].iter().position(|&b| b == b'\n').map_or(head.bytes.len(), |n| start + n + 1);
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let declared = match httparse::parse_headers(&head.bytes[line..], &mut headers) {
        Ok(httparse::Status::Complete((_, headers))) => content_length(headers),
        _ => None,
    };
    let mut share = Memory::new(2 * MAX_REPLY).share();
    let mut text = read_text(source, head.rest, declared, MAX_REPLY, &mut share, by)?;
    if let Some(length) = declared.filter(|&length| length < text.len()) {
        // The surplus is dropped if the declared part is balanced on its own.
        if is_balanced(&text[..length]) {
            text.truncate(length);
        }
    }
    Ok(Answer { head: head.bytes, text, declared })
}

fn is_balanced(text: &[u8]) -> bool {
    ggp_gdl::sexpr::read(text).is_ok_and(|tree| tree.roots().next().is_some())
}

#[cfg(test)]
mod tests {
    use super::super::request::tests::Script;
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    fn read(chunks: &[Option<&[u8]>]) -> Result<String, ReplyError> {
        let answer = read_reply(&mut Script::of(chunks), Instant::now() + Duration::from_secs(1))?;
        Ok(String::from_utf8(answer.text).unwrap())
    }

    #[test]
    fn a_reply_has_the_headers_of_the_reference_player() {
        let reply = String::from_utf8(Reply::ok("ready").to_bytes()).unwrap();
        assert!(reply.starts_with("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n"));
        assert!(reply.ends_with("\r\n\r\nready"));
    }

    #[test]
    fn a_reason_writes_no_headers() {
        let reply = Reply::refusal(400, "a\r\nSet-Cookie: b\r\n\r\n<é>", "nil");
        assert_eq!(reply.reason, "a??Set-Cookie: b????<?>");
    }

    #[test]
    fn replies_of_real_programs_are_read() {
        let good: [&[Option<&[u8]>]; 8] = [
            &[Some(b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\nready"), None],
            &[Some(b"HTTP/1.0 200 OK\nContent-type: text/acl\nContent-length: 5\n\nready"), None],
            &[Some(b"HTTP/1.0 500 oops\r\nContent-length: 5\r\n\r\nready"), None],
            &[Some(b"HTTP/1.0 OK\r\nCONTENT-LENGTH: 5\r\n\r\nready"), None],
            &[Some(b"hello\n\nready")],
            &[Some(b"HTTP/1.0 200 OK\r\n\r\nrea"), Some(b"dy")],
            &[Some(b"HTTP/1.0 200 OK\r\nContent-length: 50\r\n\r\nready")],
            &[Some(b"HTTP/1.0 200 OK\r\nContent-length: 5\r\n\r\nready and more"), None],
        ];
        for case in good {
            assert_eq!(read(case).unwrap(), "ready", "{case:?}");
        }
        assert_eq!(
            read(&[Some(b"HTTP/1.0 200 OK\r\nContent-length: 3\r\n\r\n( mark 1 1 )"), None]).unwrap(),
            "( mark 1 1 )"
        );
    }

    #[test]
    fn only_a_status_from_400_on_is_a_failure() {
        for (head, expected) in [
            ("HTTP/1.0 404 Not Found\r\nContent-length: 0\r\n\r\n", Some("HTTP 404 Not Found")),
            ("HTTP/1.1 500 oops\nContent-length: 0\n\n", Some("HTTP 500 oops")),
            ("HTTP/1.0 503\r\n\r\n", Some("HTTP 503")),
            ("HTTP/1.0 200 OK\r\n\r\n", None),
            ("HTTP/1.0 302 Found\r\n\r\n", None),
            ("HTTP/1.0 OK\r\n\r\n", None),
            ("HTTP/1.0 404x\r\n\r\n", None),
            ("hello 500\n\n", None),
        ] {
            let answer = Answer { head: head.into(), text: Vec::new(), declared: None };
            assert_eq!(answer.failure().as_deref(), expected, "{head:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// For any bytes that a player sends, reading ends without a panic, and no text exceeds the limits.
        #[test]
        fn any_bytes_end_in_a_reply_or_an_error(
            start in prop::sample::select(vec!["", "HTTP/1.0 200 OK\r\n", "HTTP/1.0 200 OK\nContent-length: 7\n\n"]),
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..60), 0..20),
        ) {
            let chunks: Vec<&[u8]> = std::iter::once(start.as_bytes()).chain(chunks.iter().map(Vec::as_slice)).collect();
            let script: Vec<Option<&[u8]>> = chunks.iter().filter(|chunk| !chunk.is_empty()).map(|&chunk| Some(chunk)).collect();
            if let Ok(text) = read_reply(&mut Script::of(&script), Instant::now() + Duration::from_secs(1)) {
                prop_assert!(text.text.len() <= MAX_REPLY);
            }
        }
    }

    #[test]
    fn what_is_no_reply_is_named() {
        assert!(matches!(read(&[]), Err(ReplyError::Closed)));
        assert!(matches!(read(&[Some(b"ready")]), Err(ReplyError::Closed)));
        assert!(matches!(read(&[None]), Err(ReplyError::TimedOut)));
        assert!(matches!(read(&[Some(&vec![b'x'; 20_000])]), Err(ReplyError::TooLarge)));
        let huge = [&b"HTTP/1.0 200 OK\r\n\r\n("[..], &vec![b'a'; MAX_REPLY + 1]].concat();
        assert!(matches!(read(&[Some(&huge)]), Err(ReplyError::TooLarge)));
    }
}
