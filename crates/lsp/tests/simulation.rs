//! Playouts on demand, through the protocol: what they answer and publish, and what stops them.

use ggp_game::{EvalError, Game, NeverFired, Simulate, Simulated, StopToken, Unfired};
use ggp_gdl::Span;
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const URI: &str = "file:///games/one.kif";

const GAME: &str = "\
(role white)
(init (step 1))
(legal white go)
(<= (legal white jump) (true (step 1)) (true (step 2)))
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(goal white 100)
";

/// A client of a server whose playouts are those of a function.
struct Client {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    last: u64,
}

impl Client {
    /// A client that has greeted, and has opened [`GAME`]. Nothing is played unless it is asked for.
    fn start(simulate: Simulate) -> Client {
        let (from_client, input) = io::pipe().expect("a pipe");
        let (output, to_client) = io::pipe().expect("a pipe");
        thread::spawn(move || {
            ggp_lsp::serve(ggp_lsp::connect(BufReader::new(from_client), to_client), simulate)
        });
        let mut client = Client { input, output: BufReader::new(output), last: 0 };
        let options = json!({ "playouts": 0, "messages": false });
        client.ask("initialize", &json!({ "capabilities": {}, "initializationOptions": options }));
        let document = json!({ "uri": URI, "languageId": "gdl", "version": 1, "text": GAME });
        client.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, and returns its id.
    fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    /// The next message for which `is_wanted` holds.
    fn receive(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            let mut length = 0;
            while line != "\r\n" {
                line.clear();
                assert!(self.output.read_line(&mut line).expect("the server writes") > 0, "it went away");
                if let Some(number) = line.strip_prefix("Content-Length: ") {
                    length = number.trim().parse().expect("a length");
                }
            }
            let mut bytes = vec![0; length];
            self.output.read_exact(&mut bytes).expect("a message");
            let message: Value = serde_json::from_slice(&bytes).expect("JSON");
            if is_wanted(&message) {
                return message;
            }
        }
    }

    fn answer(&mut self, id: u64) -> Value {
        self.receive(|message| message["id"] == id && message["method"].is_null())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    fn simulate(&mut self) -> u64 {
        let command = json!({ "command": "ggp.simulate", "arguments": [URI] });
        self.request("workspace/executeCommand", &command)
    }

    fn change(&mut self, version: u32) {
        let changes = json!([{ "text": format!("; {version}\n{GAME}") }]);
        let document = json!({ "uri": URI, "version": version });
        self.notify(
            "textDocument/didChange",
            &json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// The codes of the first findings about a version that are as `is_wanted`.
    fn codes(&mut self, version: u32, is_wanted: impl Fn(&[&str]) -> bool) {
        self.receive(|message| {
            let params = &message["params"];
            let findings = params["diagnostics"].as_array();
            let codes = findings.into_iter().flatten().filter_map(|finding| finding["code"].as_str());
            let is_about =
                message["method"] == "textDocument/publishDiagnostics" && params["version"] == version;
            is_about && is_wanted(&codes.collect::<Vec<_>>())
        });
    }
}

/// The span of a part of [`GAME`].
fn span(part: &str) -> Span {
    let start = GAME.find(part).expect("a part of the text");
    Span { start, end: start + part.len() }
}

/// Playouts in which the rule of `jump` never fires.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a simulator")]
fn unfired(_: &Arc<Game>, playouts: u64, _: &StopToken) -> Result<Simulated, EvalError> {
    let rule = NeverFired {
        places: Unfired { head: span("(legal white jump)"), condition: span("(true (step 2))") },
        line: 4,
        rule: "(legal white jump)".to_owned(),
        condition_line: 4,
        condition: "(true (step 2))".to_owned(),
    };
    Ok(Simulated { playouts, refuted: Vec::new(), never_fired: Some(vec![rule]) })
}

/// Playouts that end only when they are stopped.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a simulator")]
fn endless(_: &Arc<Game>, playouts: u64, stop: &StopToken) -> Result<Simulated, EvalError> {
    while playouts > 0 && !stop.is_stopped() {
        thread::sleep(Duration::from_millis(1));
    }
    // What was seen until then.
    Ok(Simulated { playouts: playouts / 2, ..Simulated::default() })
}

#[test]
fn rules_that_never_fired_are_told_on_demand_and_until_the_text_changes() {
    let mut client = Client::start(Arc::new(unfired));
    client.codes(1, |codes| codes.is_empty());
    let id = client.simulate();
    client.codes(1, |codes| codes == ["never-fired"]);
    let answer = client.answer(id);
    let text = answer["result"].as_str().expect("a text");
    assert!(text.starts_with("100 random playouts\nnothing is refuted\n1 rule never fired"), "{text}");
    assert!(text.ends_with("\nline 4: (legal white jump) fails at (true (step 2)), line 4"), "{text}");
    client.change(2);
    client.codes(2, |codes| codes.is_empty());
}

#[test]
fn a_client_and_a_change_stop_the_playouts() {
    let mut client = Client::start(Arc::new(endless));
    let first = client.simulate();
    // Other requests do not wait for the playouts.
    let place = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 1 } });
    assert!(client.ask("textDocument/hover", &place)["result"]["contents"].is_object());
    client.notify("$/cancelRequest", &json!({ "id": first }));
    assert_eq!(client.answer(first)["error"]["code"], -32800);
    let second = client.simulate();
    client.change(2);
    assert_eq!(client.answer(second)["error"]["code"], -32801);
    // The thread is free again, and nothing was published.
    client.change(3);
    client.codes(3, |codes| codes.is_empty());
}
