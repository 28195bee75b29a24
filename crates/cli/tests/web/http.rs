//! HTTP requests written as bytes, so that tests can send requests that no browser would.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON body of a successful response.
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.json()
    }
}

/// Sends `head` (without the empty line) and `body`, and reads the response.
pub(crate) fn raw(port: u16, head: &str, body: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out can be set");
    let mut request = head.replace('\n', "\r\n").into_bytes();
    request.extend_from_slice(b"\r\n\r\n");
    request.extend_from_slice(body);
    // A server that refuses the request may close the connection early.
    let _ = stream.write_all(&request);
    let bytes = read_whole(&mut stream);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Answer { status: status.unwrap_or(0), head: head.to_ascii_lowercase(), body: body.to_owned() }
}

/// The bytes of a response: as many as it declares, or all until the connection closes.
fn read_whole(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1 << 13];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..count]);
        let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..at]).to_ascii_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if length.is_some_and(|length| bytes.len() >= at + 4 + length) {
            break;
        }
    }
    bytes
}

pub(crate) fn ask(port: u16, method: &str, path: &str, body: &str) -> Answer {
    let head = format!(
        "{method} {path} HTTP/1.1\nHost: localhost:{port}\nConnection: close\n\
         Content-Type: application/json\nContent-Length: {}",
        body.len()
    );
    raw(port, &head, body.as_bytes())
}

pub(crate) fn get(port: u16, path: &str) -> Answer {
    ask(port, "GET", path, "")
}

pub(crate) fn post(port: u16, path: &str, body: &Value) -> Answer {
    ask(port, "POST", path, &body.to_string())
}
