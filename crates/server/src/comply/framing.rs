//! Checks how a player uses HTTP. The checked points are the heads of the player's replies, the lengths that
//! these heads declare, and the player's treatment of invalid messages and of messages in different framings.

use super::exam::{AT_ONCE, Exam, Line, PATIENCE, must, should, text_of};
use crate::http::ReplyError;
use crate::http::post::{Sending, probe, request_bytes};
use ggp_protocol::About;
use std::time::Instant;

impl Exam<'_> {
    /// Sends INFO and checks the head and the text of the reply. Returns `false` if no reply comes.
    pub(super) fn introduce(&mut self) -> bool {
        let began = Instant::now();
        let bytes = request_bytes(self.address, "", "( INFO )");
        let reply = probe(self.address, &bytes, Sending::Whole, began + PATIENCE);
        let elapsed = began.elapsed();
        let line = must("info", "a reply with a head");
        let (answer, closed) = match reply {
            Ok(reply) => reply,
            Err(error) => {
                self.judge(line, "( INFO )", Err(error.to_string()), elapsed);
                return false;
            }
        };
        let text = text_of(&answer);
        self.judge(line, "( INFO )", Ok(text.clone()), elapsed);
        let head = String::from_utf8_lossy(&answer.head).into_owned();
        let first = head.lines().next().unwrap_or("").to_owned();
        let good = first.starts_with("HTTP/1.") && first.split(' ').nth(1) == Some("200");
        let outcome = if good { Ok(first) } else { Err(first) };
        self.judge(should("http.status", "a status line with 200"), "( INFO )", outcome, elapsed);
        let outcome = match answer.declared {
            Some(length) if length == answer.text.len() => Ok(length.to_string()),
            Some(length) => Err(format!("{length} declared, {} sent", answer.text.len())),
            None if closed => Ok("none, ended by closing".to_owned()),
            None => Err("no length, and kept open".to_owned()),
        };
        self.judge(must("http.length", "Content-Length as long as the text"), "( INFO )", outcome, elapsed);
        let outcome = if closed { Ok("closed".to_owned()) } else { Err("kept open".to_owned()) };
        self.judge(should("http.close", "closed after the reply"), "( INFO )", outcome, elapsed);
        let about = About::parse(&text).unwrap_or_default();
        let named = about.name.filter(|name| !name.contains(' '));
        let outcome = named.filter(|_| text.starts_with('(')).ok_or(text);
        self.judge(
            should("info.form", "((name X) (status S)), the name one word"),
            "( INFO )",
            outcome,
            elapsed,
        );
        self.has_status(must("info.available", "status available"), &["available"], PATIENCE);
        true
    }

    /// Sends INFO in each way in which GGP programs frame a message.
    pub(super) fn frame(&mut self) {
        let post = |version: &str, end: &str, name: &str| {
            format!("POST / HTTP/{version}{end}Sender: GAMESERVER{end}{name}: 8{end}{end}( INFO )")
        };
        let framings: [(Line, String, Sending); 8] = [
            (must("http.lf", "lines may end with LF"), post("1.0", "\n", "Content-Length"), Sending::Whole),
            (
                must("http.portions", "may come in portions"),
                post("1.0", "\r\n", "Content-Length"),
                Sending::Dripping,
            ),
            (
                should("http.header-case", "header names in any case"),
                post("1.0", "\r\n", "content-length"),
                Sending::Whole,
            ),
            (
                should("http.1.1", "HTTP/1.1 as well"),
                post("1.1\r\nHost: x\r\nConnection: keep-alive", "\r\n", "Content-Length"),
                Sending::Whole,
            ),
            (
                should("http.no-length", "a text without a length, ended by closing"),
                "POST / HTTP/1.0\r\n\r\n( INFO )".to_owned(),
                Sending::Closing,
            ),
            (
                should("http.get", "GET with the message as path"),
                "GET /%28info%29 HTTP/1.0\r\n\r\n".to_owned(),
                Sending::Whole,
            ),
            (
                should("message.case", "verbs in any case"),
                "POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)".to_owned(),
                Sending::Whole,
            ),
            (
                should("message.blanks", "any blanks between words"),
                "POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\n\n(\tINFO\r\n)".to_owned(),
                Sending::Whole,
            ),
        ];
        for (line, bytes, sending) in framings {
            let began = Instant::now();
            let reply = probe(self.address, bytes.as_bytes(), sending, began + PATIENCE);
            let outcome = match reply.map(|(answer, _)| text_of(&answer)) {
                Ok(text) if About::parse(&text).is_ok_and(|about| about.status.is_some()) => Ok(text),
                Ok(text) => Err(text),
                Err(error) => Err(error.to_string()),
            };
            self.judge(line, &bytes, outcome, began.elapsed());
        }
        let bytes = "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://y\r\n\r\n";
        let began = Instant::now();
        let reply = probe(self.address, bytes.as_bytes(), Sending::Whole, began + PATIENCE);
        let outcome = match reply {
            Ok((answer, _)) => {
                let head = String::from_utf8_lossy(&answer.head).to_ascii_lowercase();
                let allowed = head.contains("access-control-allow-origin:");
                if allowed { Ok("allowed".to_owned()) } else { Err(head) }
            }
            Err(error) => Err(error.to_string()),
        };
        let line = should("http.options", "OPTIONS answered with CORS headers, and ended");
        self.judge(line, bytes, outcome, began.elapsed());
    }

    /// Sends invalid messages. The player may answer anything or nothing, but it must stay available.
    pub(super) fn send_garbage(&mut self) {
        const ANSWERED: Line = should("garbage", "an answer or the end of the connection");
        let deep = format!("POST / HTTP/1.0\r\nContent-Length: 100000\r\n\r\n{}", "(".repeat(100_000));
        let posts = |text: &str| format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        let garbage = [
            posts("( HELLO )"),
            posts("( PLAY )"),
            posts("( INFO"),
            posts(") INFO ("),
            posts("\u{1}\u{2}\u{3}"),
            posts("( START m left ((role left)) soon later)"),
            posts(&format!("( START comply.garbage left ({}) 1 1)", "( <= ".repeat(1000))),
            "garbage\r\n\r\n".to_owned(),
            deep,
        ];
        for bytes in &garbage {
            let began = Instant::now();
            let outcome = match probe(self.address, bytes.as_bytes(), Sending::Whole, began + PATIENCE) {
                Ok((answer, _)) => Ok(text_of(&answer)),
                Err(ReplyError::Closed) => Ok("closed".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            self.judge(ANSWERED, bytes, outcome, began.elapsed());
        }
        let silent: Vec<_> = (0..20).filter_map(|_| self.address.connect(AT_ONCE).ok()).collect();
        let line = should("half-open", "an answer while twenty connections say nothing");
        self.has_status(line, &["available"], PATIENCE);
        drop(silent);
        self.has_status(must("garbage.available", "status available after all"), &["available"], PATIENCE);
    }
}
