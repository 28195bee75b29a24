//! Reads one request: its method, target and text.

use super::limits::{HttpLimits, Memory, Share};
use super::text::{TextError, read_text};
use super::timed::{TimedRead, write_by};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

/// The maximum number of header lines.
pub(crate) const MAX_HEADERS: usize = 64;

/// A received request.
#[derive(Debug)]
pub(crate) struct Request {
    /// The method: `POST`, `GET`, `OPTIONS` or another one.
    pub(crate) method: String,
    /// The path of the request line, still percent-encoded.
    pub(crate) target: String,
    /// The header `Origin`, which browsers send for pages of other sites.
    pub(crate) origin: Option<String>,
    /// The header `Sec-Fetch-Site`, by which browsers tell how a page is related to this server.
    pub(crate) site: Option<String>,
    /// The bytes after the head. Empty unless the method is POST.
    pub(crate) text: Vec<u8>,
    /// The time at which the first bytes arrived. The sender's clock started at this time or earlier.
    pub(crate) arrived: Instant,
    /// The part of the memory budget that the text takes. It is held until the request is dropped.
    pub(crate) _share: Share,
}

/// The reason why no request was received.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// The peer closed the connection without sending anything.
    Closed,
    /// The head or the text was not complete in time.
    TooSlow,
    /// The head is longer than the limit, or has too many headers.
    HeadTooLarge,
    /// The text, or its declared length, exceeds the limit.
    BodyTooLarge,
    /// The memory budget of all connections does not suffice.
    NoMemory,
    /// The head is incomplete or is not HTTP. Holds the reason.
    Malformed(&'static str),
    /// The head has `Transfer-Encoding`, which GGP programs do not use.
    Encoded,
    /// The connection broke.
    Broken(io::Error),
}

impl From<TextError> for RequestError {
    fn from(error: TextError) -> RequestError {
        match error {
            TextError::TooLarge => RequestError::BodyTooLarge,
            TextError::NoMemory => RequestError::NoMemory,
            TextError::TooSlow => RequestError::TooSlow,
            TextError::Broken(error) => RequestError::Broken(error),
        }
    }
}

/// Reads one request from `stream`.
pub(crate) fn read_request(
    stream: &TcpStream,
    limits: &HttpLimits,
    memory: &Arc<Memory>,
) -> Result<Request, RequestError> {
    let by = Instant::now() + limits.receive;
    let go_on = || {
        // curl waits up to a second for this line before it sends a long text.
        let _ = write_by(stream, b"HTTP/1.1 100 Continue\r\n\r\n", by);
    };
    read_from(&mut &*stream, limits, memory, by, go_on)
}

/// Reads one request from `source` until `by`. Calls `go_on` if the sender waits for `100 Continue`.
pub(crate) fn read_from(
    source: &mut impl TimedRead,
    limits: &HttpLimits,
    memory: &Arc<Memory>,
    by: Instant,
    go_on: impl FnOnce(),
) -> Result<Request, RequestError> {
    let head = read_head(source, limits.head, by)?;
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(&head.bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(RequestError::Malformed("incomplete head")),
        Err(httparse::Error::TooManyHeaders) => return Err(RequestError::HeadTooLarge),
        Err(_) => return Err(RequestError::Malformed("malformed head")),
    }
    let (Some(method), Some(target)) = (parsed.method, parsed.path) else {
        return Err(RequestError::Malformed("malformed request line"));
    };
    if header(parsed.headers, "transfer-encoding").is_some() {
        return Err(RequestError::Encoded);
    }
    let said = |name| header(parsed.headers, name).map(|value| String::from_utf8_lossy(value).into_owned());
    let (origin, site) = (said("origin"), said("sec-fetch-site"));
    let declared = content_length(parsed.headers);
    let mut share = memory.share();
    let text = if method == "POST" {
        if header(parsed.headers, "expect").is_some_and(|value| value.eq_ignore_ascii_case(b"100-continue")) {
            go_on();
        }
        read_text(source, head.rest, declared, limits.body, &mut share, by)?
    } else {
        Vec::new()
    };
    Ok(Request {
        method: method.to_owned(),
        target: target.to_owned(),
        origin,
        site,
        text,
        arrived: head.arrived,
        _share: share,
    })
}

/// The value of the first header with the name `name`, without surrounding blanks. The case of names is
/// ignored.
fn header<'a>(headers: &[httparse::Header<'a>], name: &str) -> Option<&'a [u8]> {
    headers.iter().find(|h| h.name.eq_ignore_ascii_case(name)).map(|h| h.value.trim_ascii())
}

/// The value of the header Content-Length. `None` if the header is missing or its value is not a number.
pub(crate) fn content_length(headers: &[httparse::Header<'_>]) -> Option<usize> {
    std::str::from_utf8(header(headers, "content-length")?).ok()?.parse().ok()
}

/// The head of a request or reply, and the bytes after the head that were read together with it.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rest: Vec<u8>,
    pub(crate) arrived: Instant,
}

/// Reads a head, which ends with the first empty line after other lines. Lines may end with LF or CRLF.
pub(crate) fn read_head(
    source: &mut impl TimedRead,
    limit: usize,
    by: Instant,
) -> Result<Head, RequestError> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut arrived = Instant::now();
    let mut chunk = [0; 4096];
    loop {
        let searched = bytes.len().saturating_sub(3);
        match source.read_by(&mut chunk, by) {
            Ok(0) if bytes.is_empty() => return Err(RequestError::Closed),
            Ok(0) => return Err(RequestError::Malformed("the head is incomplete")),
            Ok(count) => {
                if bytes.is_empty() {
                    arrived = Instant::now();
                }
                bytes.extend_from_slice(&chunk[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(RequestError::TooSlow),
            Err(error) => return Err(RequestError::Broken(error)),
        }
        if let Some(end) = head_end(&bytes, searched) {
            let rest = bytes.split_off(end);
            return if end > limit {
                Err(RequestError::HeadTooLarge)
            } else {
                Ok(Head { bytes, rest, arrived })
            };
        }
        if bytes.len() > limit {
            return Err(RequestError::HeadTooLarge);
        }
    }
}

/// The position after the empty line that ends a head, or `None` if the head is not complete. Empty lines at
/// the beginning are skipped. The search begins at the position `searched`.
fn head_end(bytes: &[u8], searched: usize) -> Option<usize> {
    let start = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n'))?;
    let from = searched.max(start);
    (from..bytes.len()).find_map(|at| match bytes[at..] {
        [b'\n', b'\n', ..] => Some(at + 2),
        [b'\n', b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })
}

/// Removes the first `/` of `target` and decodes the percent-encoding. Replaces `+` by a blank, as form
/// encoding does. Invalid escapes stay unchanged.
pub(crate) fn decode_target(target: &str) -> Vec<u8> {
    let bytes = target.strip_prefix('/').unwrap_or(target).as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|&b| (b as char).to_digit(16));
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                text.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', ..) => text.push(b' '),
            (byte, ..) => text.push(byte),
        }
        at += 1;
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use std::time::Duration;

    /// A source that returns the given chunks in order. `None` stands for a silence that lasts until the
    /// reader's deadline.
    pub(crate) struct Script(pub(crate) VecDeque<Option<Vec<u8>>>);

    impl Script {
        pub(crate) fn of(chunks: &[Option<&[u8]>]) -> Script {
            Script(chunks.iter().map(|c| c.map(<[u8]>::to_vec)).collect())
        }
    }

    impl TimedRead for Script {
        fn read_by(&mut self, buffer: &mut [u8], _: Instant) -> io::Result<usize> {
            match self.0.pop_front() {
                None => Ok(0),
                Some(None) => Err(io::ErrorKind::TimedOut.into()),
                Some(Some(mut chunk)) => {
                    let rest = chunk.split_off(chunk.len().min(buffer.len()));
                    buffer[..chunk.len()].copy_from_slice(&chunk);
                    if !rest.is_empty() {
                        self.0.push_front(Some(rest));
                    }
                    Ok(chunk.len())
                }
            }
        }
    }

    fn limits() -> HttpLimits {
        HttpLimits { head: 300, body: 200, bodies: 1000, ..HttpLimits::default() }
    }

    fn read(script: &mut Script) -> Result<Request, RequestError> {
        let memory = Memory::new(limits().bodies);
        read_from(script, &limits(), &memory, Instant::now() + Duration::from_secs(1), || ())
    }

    fn text(chunks: &[Option<&[u8]>]) -> String {
        String::from_utf8(read(&mut Script::of(chunks)).unwrap().text).unwrap()
    }

    #[test]
    fn a_text_ends_where_its_list_ends_whatever_the_length_says() {
        let silence = None;
        let cases: [&[Option<&[u8]>]; 9] = [
            &[Some(b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )"), silence],
            &[Some(b"POST / HTTP/1.0\ncontent-length: 8\n\n( IN"), Some(b"FO )"), silence],
            &[Some(b"POST / HTTP/1.0\r\n\r\n( INFO )"), silence],
            &[Some(b"POST / HTTP/1.0\r\n\r"), Some(b"\n( INFO"), Some(b" )")],
            &[Some(b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n( I"), Some(b"NFO )"), silence],
            &[Some(b"POST / HTTP/1.0\r\nContent-Length: 80\r\n\r\n( INFO )"), silence],
            &[Some(b"POST / HTTP/1.0\r\nContent-Length: x\r\n\r\n( INFO )"), silence],
            &[Some(b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n( INFO )"), silence],
            &[Some(b"\r\nPOST / HTTP/1.1\r\nCONTENT-LENGTH:8\r\n\r\n( INFO )"), silence],
        ];
        for case in cases {
            assert_eq!(text(case), "( INFO )", "{case:?}");
        }
    }

    #[test]
    fn a_length_in_characters_does_not_cut_the_text() {
        let sent = "POST / HTTP/1.0\r\nContent-Length: 11\r\n\r\n( ABORT é )".as_bytes();
        let (first, rest) = sent.split_at(sent.len() - 1);
        assert_eq!(text(&[Some(first), Some(rest), None]), "( ABORT é )");
    }

    #[test]
    fn a_word_is_complete_by_its_length_or_the_end() {
        assert_eq!(text(&[Some(b"POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\nping"), None]), "ping");
        assert_eq!(text(&[Some(b"POST / HTTP/1.0\r\n\r\npi"), Some(b"ng")]), "ping");
        assert_eq!(text(&[Some(b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n"), None]), "");
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let of = |bytes: &[u8]| read(&mut Script::of(&[Some(bytes), None]));
        assert!(matches!(of(&[b'x'; 400]), Err(RequestError::HeadTooLarge)));
        assert!(matches!(
            of(b"POST / HTTP/1.0\r\nContent-Length: 201\r\n\r\n("),
            Err(RequestError::BodyTooLarge)
        ));
        let long = [&b"POST / HTTP/1.0\r\n\r\n("[..], &[b' '; 300]].concat();
        assert!(matches!(of(&long), Err(RequestError::BodyTooLarge)));
        assert!(matches!(of(b"POST / HTTP/1.0\r\n\r\n( PLAY"), Err(RequestError::TooSlow)));
        assert!(matches!(of(b"POST / HTTP/1.0\r\n"), Err(RequestError::TooSlow)));
        assert!(matches!(of(b"\x16\x03\x01\n\n"), Err(RequestError::Malformed(_))));
        assert!(matches!(
            of(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n( INFO )\r\n"),
            Err(RequestError::Encoded)
        ));
        assert!(matches!(read(&mut Script::of(&[])), Err(RequestError::Closed)));
    }

    #[test]
    fn targets_are_decoded() {
        assert_eq!(decode_target("/%28info%29"), b"(info)");
        assert_eq!(decode_target("/(play+m%201+nil)"), b"(play m 1 nil)");
        assert_eq!(decode_target("/%2"), b"%2");
        assert_eq!(decode_target("/%zz%"), b"%zz%");
    }

    /// A random fragment of a valid or invalid request. Sequences of such fragments get further into the
    /// reader than random bytes do.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            prop::sample::select(vec![
                &b"POST / HTTP/1.0"[..],
                b"GET /%28info%29 HTTP/1.1",
                b"OPTIONS * HTTP/1.0",
                b"Content-Length: ",
                b"content-length:",
                b"Transfer-Encoding: chunked",
                b"Expect: 100-continue",
                b"\r\n",
                b"\n",
                b"\r",
                b"\r\n\r\n",
                b"12",
                b"99999999999999999999",
                b"-1",
                b"(",
                b")",
                b"( PLAY m1 NIL )",
                b"; (",
                b" ",
            ])
            .prop_map(<[u8]>::to_vec),
            prop::collection::vec(any::<u8>(), 0..40),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// For any bytes and silences, in any portions, reading ends without a panic, and no text exceeds the
        /// limits.
        #[test]
        fn any_bytes_end_in_a_request_or_an_error(
            pieces in prop::collection::vec((piece(), prop::bool::weighted(0.1)), 0..40)
        ) {
            let chunks = pieces.into_iter().flat_map(|(chunk, silence)| {
                let chunk = (!chunk.is_empty()).then_some(Some(chunk));
                chunk.into_iter().chain(silence.then_some(None))
            });
            if let Ok(request) = read(&mut Script(chunks.collect())) {
                prop_assert!(request.text.len() <= limits().body);
                let _ = decode_target(&request.target);
            }
        }

        /// A valid request gives the same text, regardless of the portions in which it arrives.
        #[test]
        fn portions_do_not_matter(cuts in prop::collection::vec(1usize..20, 1..40)) {
            let mut bytes = &b"POST / HTTP/1.0\r\nSender: GAMESERVER\r\nContent-Length: 30\r\n\r\n( PLAY m1 (( mark 1 2 ) noop ) )"[..];
            let mut chunks = VecDeque::new();
            for cut in cuts.into_iter().cycle() {
                if bytes.is_empty() { break; }
                let (chunk, rest) = bytes.split_at(cut.min(bytes.len()));
                chunks.push_back(Some(chunk.to_vec()));
                bytes = rest;
            }
            prop_assert_eq!(read(&mut Script(chunks)).unwrap().text, b"( PLAY m1 (( mark 1 2 ) noop ) )");
        }
    }
}
