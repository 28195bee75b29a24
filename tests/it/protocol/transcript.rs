//! Transcripts: the exact bytes sent, and the exact bytes received.
//!
//! A transcript has one command per line; `\r`, `\n`, `\\` and `\xNN` are escapes. `request` and `reply`
//! set templates, in which `{text}` is the message and `{length}` its number of bytes; `define NAME TEXT`
//! defines `{NAME}`.
//!
//! ```text
//! serve MANNER [matches=N]   a new player
//! > TEXT     sends TEXT in the request template, keeps its side open
//! >> BYTES   sends BYTES          >>| BYTES   sends BYTES and closes its side for writing
//! < TEXT     the reply template with TEXT comes back, and the end
//! << BYTES   BYTES come back, and the end
//! A > TEXT   as `>`, on the side: lines `A < TEXT` are its reply
//! within MS  the next reply comes in at most MS milliseconds
//! wait MS    waits
//! ```

use super::players::Manner;
use super::serving::{Serving, exchange};
use ggp_server::player::PlayerConfig;
use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

type Pending = JoinHandle<(std::io::Result<Vec<u8>>, Duration)>;

#[derive(Default)]
struct Runner {
    definitions: BTreeMap<String, String>,
    request: String,
    reply: String,
    server: Option<Serving>,
    pending: BTreeMap<String, Pending>,
    within: Option<Duration>,
}

/// Runs a transcript.
pub(crate) fn run(name: &str, text: &str) {
    let mut runner = Runner::default();
    for (number, line) in text.lines().enumerate() {
        if !line.trim().is_empty() && !line.starts_with('#') {
            runner.step(line, &format!("{name}:{}", number + 1));
        }
    }
    assert!(runner.pending.is_empty(), "{name}: a reply is not asked for");
}

impl Runner {
    fn step(&mut self, line: &str, place: &str) {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let milliseconds =
            || Duration::from_millis(rest.parse().unwrap_or_else(|_| panic!("{place}: {rest}")));
        match first {
            "define" => {
                let (name, value) = rest.split_once(' ').unwrap_or_else(|| panic!("{place}: no value"));
                let value = self.fill(value);
                self.definitions.insert(format!("{{{name}}}"), value);
            }
            "request" => rest.clone_into(&mut self.request),
            "reply" => rest.clone_into(&mut self.reply),
            "serve" => self.serve(rest),
            "within" => self.within = Some(milliseconds()),
            "wait" => std::thread::sleep(milliseconds()),
            ">" | ">>" | ">>|" | "<" | "<<" => self.exchange("", first, rest, place),
            side => {
                let (arrow, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                self.exchange(side, arrow, rest, place);
            }
        }
    }

    fn serve(&mut self, words: &str) {
        let mut words = words.split(' ');
        let manner = Manner::named(words.next().unwrap_or(""));
        let mut config = PlayerConfig { name: "Random".to_owned(), ..PlayerConfig::default() };
        for word in words {
            match word.split_once('=') {
                Some(("matches", count)) => config.matches = count.parse().expect("a number"),
                Some(("silence", count)) => {
                    config.silence = Duration::from_millis(count.parse().expect("a number"));
                }
                _ => panic!("unknown setting {word}"),
            }
        }
        self.server = Some(Serving::scripted(config, manner));
    }

    fn fill(&self, text: &str) -> String {
        self.definitions.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// A template filled with a message, as bytes.
    fn frame(&self, template: &str, text: &str) -> Vec<u8> {
        let text = unescape(&self.fill(text));
        let mut bytes = Vec::new();
        let filled = template.replace("{length}", &text.len().to_string());
        let (before, after) = filled.split_once("{text}").expect("a template has {text}");
        bytes.extend(unescape(before));
        bytes.extend(text);
        bytes.extend(unescape(after));
        bytes
    }

    fn exchange(&mut self, side: &str, arrow: &str, rest: &str, place: &str) {
        let expected = match arrow {
            ">" => return self.send(side, self.frame(&self.request, rest), false, place),
            ">>" => return self.send(side, unescape(&self.fill(rest)), false, place),
            ">>|" => return self.send(side, unescape(&self.fill(rest)), true, place),
            "<" => self.frame(&self.reply, rest),
            "<<" => unescape(&self.fill(rest)),
            _ => panic!("{place}: {arrow}?"),
        };
        let pending = self.pending.remove(side).unwrap_or_else(|| panic!("{place}: nothing was sent"));
        let (reply, elapsed) = pending.join().expect("no panic");
        let reply = reply.unwrap_or_else(|error| panic!("{place}: {error}"));
        let (got, wanted) = (String::from_utf8_lossy(&reply), String::from_utf8_lossy(&expected));
        assert_eq!(got, wanted, "{place}");
        if let Some(within) = self.within.take() {
            assert!(elapsed <= within, "{place}: answered after {elapsed:?}");
        }
    }

    fn send(&mut self, side: &str, bytes: Vec<u8>, half_close: bool, place: &str) {
        let address = self.server.as_ref().unwrap_or_else(|| panic!("{place}: nothing is served")).address;
        let pending = std::thread::spawn(move || {
            let sent = Instant::now();
            let reply = exchange(address, &bytes, half_close);
            (reply, sent.elapsed())
        });
        assert!(self.pending.insert(side.to_owned(), pending).is_none(), "{place}: a reply is not asked for");
        if !side.is_empty() {
            // Let this message arrive before the next one.
            std::thread::sleep(Duration::from_millis(60));
        }
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, length) = match (first, after) {
            (b'\\', [b'r', ..]) => (b'\r', 2),
            (b'\\', [b'n', ..]) => (b'\n', 2),
            (b'\\', [b't', ..]) => (b'\t', 2),
            (b'\\', [b'\\', ..]) => (b'\\', 2),
            (b'\\', [b'x', high, low, ..]) => {
                let digit = |d: &u8| (*d as char).to_digit(16).expect("a hexadecimal digit") as u8;
                (digit(high) * 16 + digit(low), 4)
            }
            _ => (first, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    bytes
}
