//! Messages on standard input and output, each with a header that gives its length.
//!
//! The reader of `lsp-server` trusts the length in the header and ends at the first message that is no JSON. This one
//! bounds the length, skips what is too long, and passes wrong messages on as faults, to be answered.

use crossbeam_channel::{Receiver, Sender, bounded};
use lsp_server::Message;
use serde::Deserialize;
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

/// The maximum length of a message. The largest published rulesheets have 70 KB.
pub const MAX_MESSAGE_BYTES: u64 = 32 << 20;

/// The maximum length of a header line.
const MAX_HEADER_BYTES: u64 = 4096;

/// The number of messages that wait to be handled or written. A client that sends faster has to wait.
const QUEUE: usize = 256;

/// What the reader passes on.
#[derive(Debug)]
pub(crate) enum Incoming {
    Message(Message),
    /// A message that cannot be understood: its id, if it has one, and the reason.
    Fault(Option<Value>, String),
}

/// What is written.
#[derive(Debug)]
pub(crate) enum Outgoing {
    Message(Message),
    /// A message as JSON, for answers that [`Message`] cannot hold.
    Raw(Value),
}

/// The two directions of a connection.
#[derive(Debug)]
pub struct Connection {
    pub(crate) incoming: Receiver<Incoming>,
    pub(crate) outgoing: Sender<Outgoing>,
    writer: JoinHandle<()>,
}

impl Connection {
    /// Waits until all messages are written.
    pub(crate) fn finish(self) {
        drop(self.outgoing);
        // The thread ends without a result.
        let _ = self.writer.join();
    }
}

/// A connection over standard input and output.
pub fn stdio() -> Connection {
    connect(io::BufReader::new(io::stdin()), io::stdout())
}

/// A connection over two streams, each with a thread of its own.
pub fn connect(
    mut input: impl BufRead + Send + 'static,
    mut output: impl Write + Send + 'static,
) -> Connection {
    let (to_server, incoming) = bounded(QUEUE);
    let (outgoing, to_client) = bounded::<Outgoing>(QUEUE);
    thread::spawn(move || {
        while let Ok(Some(message)) = read(&mut input) {
            if to_server.send(message).is_err() {
                return;
            }
        }
    });
    let writer = thread::spawn(move || {
        for message in to_client {
            let written = match message {
                Outgoing::Message(message) => message.write(&mut output),
                Outgoing::Raw(value) => write_raw(&value, &mut output),
            };
            // Without a reader nothing is left to do.
            if written.is_err() {
                return;
            }
        }
    });
    Connection { incoming, outgoing, writer }
}

fn write_raw(value: &Value, output: &mut impl Write) -> io::Result<()> {
    let text = value.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// Reads one message. `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let Some(length) = read_header(input)? else { return Ok(None) };
    let length = match length {
        Ok(length) => length,
        Err(why) => return Ok(Some(Incoming::Fault(None, why))),
    };
    if length > MAX_MESSAGE_BYTES {
        if io::copy(&mut input.take(length), &mut io::sink())? < length {
            return Ok(None);
        }
        let why = format!("a message of {length} bytes is longer than {MAX_MESSAGE_BYTES}");
        return Ok(Some(Incoming::Fault(None, why)));
    }
    // The buffer grows with what arrives, not with what the header announces.
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(parse(&bytes)))
}

/// Reads the lines of a header up to the blank one. The length, or why there is none; `None` at the end of the input.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<Result<u64, String>>> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            if is_first {
                continue;
            }
            return Ok(Some(length.ok_or_else(|| "a header without Content-Length".to_owned())));
        }
        is_first = false;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// The id of a message, whatever it is.
#[derive(Deserialize)]
struct Identity {
    id: Option<Value>,
}

fn parse(bytes: &[u8]) -> Incoming {
    let id = || serde_json::from_slice::<Identity>(bytes).ok().and_then(|identity| identity.id);
    match serde_json::from_slice::<Message>(bytes) {
        // A request whose id is no 32-bit integer or string reads as a notification.
        Ok(Message::Notification(note)) => match id() {
            Some(id) => Incoming::Fault(Some(id), "an id is a string or an integer of 32 bits".to_owned()),
            None => Incoming::Message(Message::Notification(note)),
        },
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Fault(id(), error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &str) -> Vec<String> {
        let mut input = input.as_bytes();
        let mut found = Vec::new();
        while let Ok(Some(message)) = read(&mut input) {
            found.push(match message {
                Incoming::Message(Message::Request(request)) => request.method,
                Incoming::Message(_) => "other".to_owned(),
                Incoming::Fault(id, _) => format!("fault {id:?}"),
            });
        }
        found
    }

    #[test]
    fn wrong_messages_are_faults_and_the_next_one_is_read() {
        let framed = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
        let good = framed(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#);
        assert_eq!(all(&good), ["m"]);
        assert_eq!(all(&format!("{}{good}", framed("{not json"))), ["fault None", "m"]);
        let large = framed(r#"{"id":99999999999,"method":"m"}"#);
        assert_eq!(all(&format!("{large}{good}")), ["fault Some(Number(99999999999))", "m"]);
        assert_eq!(all(&format!("Content-Type: x\r\n\r\n{good}")), ["fault None", "m"]);
        assert_eq!(all(&format!("Content-Length: -5\r\n\r\n{good}")), ["fault None", "m"]);
        assert!(all("Content-Length: 99999999999999\r\n\r\n{}").is_empty(), "the end comes first");
        assert!(all("Content-Length: 20\r\n\r\n{}").is_empty());
        assert!(all(&"x".repeat(100_000)).is_empty());
    }
}
